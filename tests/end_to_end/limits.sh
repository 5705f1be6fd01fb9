# Limits of the process, of descriptors, the stack and files, are enough, or told.

# File `in` is shuffled with NUMBER descriptors: works_with_descriptors NUMBER [OPTION]...
works_with_descriptors() {
    (ulimit -n "$1" && exec bigshuf -S 8M --seed=1363 "${@:2}" in >out)
    bigshuf --seed=1363 in | cmp - out
}

test_twenty_descriptors_are_enough_and_forty_for_several_directories() {
    needs_bare_program
    mkdir 1 2 3 4
    more_than_memory >in
    works_with_descriptors 40 -T 1 -T 2 -T 3 -T 4
    works_with_descriptors 20 --parallel=4
    cat in in >twice
    mv twice in
    works_with_descriptors 600 # two piles in a file, most of them spilled
    giants >in
    works_with_descriptors 20
}

# Those that a parent has left open, wherever they are, are not free.
test_descriptors_that_others_have_opened_are_not_counted_on() {
    needs_bare_program
    more_than_memory >in
    for numbers in "$(seq 100 999)" "$(seq 20 2 1000)"; do
        (for number in $numbers; do eval "exec $number</dev/null"; done && works_with_descriptors 1024)
    done
}

test_a_stack_of_64_kib_is_enough() {
    needs_bare_program
    seq 20000 | awk '{ print $1 "\t" $1 % 97 + 1 }' >in
    ulimit -s 64
    for options in '' -S8M --group-field=2 --weight-field=2 '--weight-field=2 -n 9 --keep-order' '-n 9 --keep-order' \
        '-n 9 -r' '--random-source=in -n 9' '--split-field=2 --split=10%:a' '--stratify-field=2 --split=10%:a' \
        '--probability=.1' '-o in' '--scatter=store --piles=4096 -S 64M' --gather=store; do
        bigshuf $options $([[ $options = *gather* ]] || echo in) >out
    done
}

test_descriptors_that_a_store_needs_are_told_and_enough() {
    needs_bare_program
    seq 100 >in
    for batch in x y; do bigshuf --scatter=store --seed=42 --piles=4 --batch=$batch in; done
    (ulimit -n 19 && fails_with 1 'bigshuf: store: 2 batches need 66 open files: raise the limit (ulimit -n)' \
        bigshuf --gather=store)
    (ulimit -n 66 && bigshuf --gather=store >out)
    (ulimit -S -n 19 && bigshuf --gather=store >out)
}

test_a_low_soft_limit_is_raised() {
    [ -e /proc/self/fd ] || skip "no /proc here"
    needs_bare_program
    ulimit -S -n 30
    start_half_fed
    [ "$(find /proc/$!/fd | wc -l)" -gt 60 ]
    exec 7>&-
    wait $!
}

test_a_limit_of_file_size_is_a_message() {
    more_than_memory >in
    fails_with 1 "bigshuf: temporary file in $TMPDIR: File too large" bash -c 'ulimit -f 4 && exec bigshuf -S 8M in' >out
    is_empty out
    seq 100000 >in
    fails_with 1 'bigshuf: write error: File too large' bash -c 'ulimit -f 100 && exec bigshuf in >out'
    fails_with 1 'bigshuf: output: File too large' bash -c 'ulimit -f 100 && exec bigshuf -o output in'
    fails_with 2 '*' ls output
}
