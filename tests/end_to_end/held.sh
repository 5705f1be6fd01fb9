# Input that fits in memory is held there, and piles refer to it. That changes only time and memory.

# Lines of 100 to 300 bytes, as long as records that are referred to; half a MB and more.
paragraphs() {
    long_lines "$(scale 3000 3000 60000)" 100 300
}

# How the input is supplied: how OPTION...
how() {
    bigshuf -v --seed=m "$@" 2>said >out
    sed -n 's/^bigshuf: input: *\([a-z]*\).*/\1/p' said
}

# The input is held, as a file and from a pipe, and the output is that of a limit that nobody reaches, for which it is
# copied: same_as_copied FILE OPTION...
same_as_copied() {
    bigshuf --seed=m -n 99999999 "$@" >wanted
    same held "$(how "$@")"
    cmp wanted out
    bigshuf --seed=m "${@:2}" < <(cat "$1") | cmp - wanted
}

# ---- The same output ----

test_lines_of_any_length() { # tags: long
    paragraphs >in
    same_as_copied in
    same_lines in out
    same_as_copied in --parallel=1
    same_as_copied in --parallel=4 -S 64M
    (paragraphs; long_line 3000000; echo; seq 100000) >in
    same_as_copied in
    bigshuf --seed=m -S 8M --parallel=3 < <(cat in) | cmp - out
}

# They need few records, which are copied.
test_every_kind_of_sample() {
    paragraphs >in
    for options in '-n 100' '-n 10 --keep-order' '-n 3000 --keep-order' --probability=0.1 '-r -n 5000' \
        '--weight-field=1 -t \  -n 100' '--weight-field=1 -t \  -r -n 100'; do
        same copied "$(eval "how $options in")"
        eval "bigshuf --seed=m $options" < <(cat in) | cmp - out
    done
}

test_every_kind_of_output() {
    paragraphs >in
    same held "$(how --shards=3 -o 'shard.%d' in)"
    cat shard.* | same_lines in /dev/stdin
    same held "$(how --split=10%:part -o rest in)"
    cat part rest | same_lines in /dev/stdin
    same held "$(how --shards=2 --filter='cat >$FILE' -o 'filtered.%d' in)"
    cat filtered.* | same_lines in /dev/stdin
}

test_short_lines() {
    seq 800000 >in
    same copied "$(how in)"
    (cat in; long_line 3000000; echo) >mixed
    for options in '' '-S 24M -T .' '--part=2/3' '-r -n 100000'; do
        bigshuf --seed=m $options mixed in >out
        bigshuf --seed=m $options < <(cat mixed in) | cmp out -
    done
}

test_several_files_with_and_without_last_newlines() {
    paragraphs >a
    head -c -1 a >b
    head -c 400000 a >c
    printf 'end' >d
    : >empty
    same held "$(how a b c d empty a c)"
    awk 1 a b c d a c | same_lines out /dev/stdin
    for file in a b c d empty a c; do printf '%s\0' "$file"; done >names
    bigshuf --seed=m --files0-from=names | cmp - out
    bigshuf --seed=m -n 9999 empty b empty empty c | cmp - <(bigshuf --seed=m empty b empty empty c)
}

test_several_pipes_without_last_newlines_are_those_files() {
    paragraphs >all
    head -c 500001 all >a
    printf 'end' >b
    : >empty
    bigshuf --seed=m a b empty a >wanted
    bigshuf --seed=m <(cat a) b empty - < <(cat a) | cmp - wanted
    bigshuf --seed=m a <(cat b) <(:) <(cat a) | cmp - wanted
}

test_standard_input_is_taken_from_its_position_and_left_at_its_end() {
    paragraphs >in
    tail -n +2 in >rest
    bigshuf --seed=m rest in >right
    (read -r && bigshuf --seed=m - in) <in | cmp - right
    (read -r && bigshuf --seed=m >out && wc -c >left) <in
    same_lines out rest
    same 0 "$(($(<left)))"
    bigshuf --seed=m - - <in >out
    same_lines in out
    for start in 1 4095 4096 12293 "$(wc -c <in)"; do # wherever in a page
        tail -c +$((start + 1)) in >rest
        (head -c "$start" >skipped && bigshuf --seed=m) <in | cmp - <(bigshuf --seed=m rest)
    done
}

test_an_input_that_just_fits() { # tags: long
    paragraphs >in
    for mib in 8 9 10 12 20; do same_as_copied in -S "${mib}M"; done
    long_lines 40000 100 300 >in # 8 MB
    for mib in 8 10 11 12 14; do bigshuf --seed=m -S "${mib}M" < <(cat in) | cmp - <(bigshuf --seed=m in); done
    (seq 300000 && cat in) >longer
    for memory in 1G 8M; do bigshuf --seed=m -S $memory < <(cat longer) | cmp - <(bigshuf --seed=m longer); done
}

test_records_that_get_shorter_after_the_first_ones() { # tags: long plain
    (long_lines 8000 100 300 && head -c 2000000 /dev/zero | tr '\0' '\n') >in
    same_as_copied in
    for memory in 8M '14M --parallel=1'; do bigshuf --seed=m -S $memory < <(cat in) | cmp - wanted; done
    bigshuf --seed=m -S 14M --parallel=1 in | cmp - wanted
    bigshuf --seed=m -S 64M -r -n 1000 in >drawn
    same copied "$(how -S 14M -r -n 1000 in)"
    cmp drawn out
    same copied "$(how -S 14M -r -n 1000 < <(cat in))"
    cmp drawn out
}

# What threads have claimed to read, when there is no more room for references, is read all the same.
test_records_that_get_shorter_while_several_threads_read() {
    (long_lines 6000 200 200 && head -c 3000000 /dev/zero | tr '\0' '\n' && long_lines 18000 200 200) >in
    bigshuf --seed=m in >wanted
    for threads in 2 3 3 8; do
        same copied "$(how -S 14M --parallel=$threads in)"
        cmp wanted out
    done
}

test_a_file_with_holes() {
    (paragraphs && echo) >in
    truncate -s 3M in
    paragraphs >>in
    same_as_copied in
    bigshuf --seed=m -z in | cmp - <(bigshuf --seed=m -z -S 8M < <(cat in))
}

test_a_file_above_4_gib() {
    needs_scale full
    needs_bare_program
    paragraphs >in
    truncate -s 4300M in
    paragraphs >>in
    bigshuf -S 6G --seed=m in | cksum >held
    bigshuf -S 64M --seed=m in | cksum | cmp - held
}

test_memory_and_disk_of_a_pipe_are_those_of_a_file() {
    long_lines 100000 100 300 >in # 20 MB
    for mib in 8 16; do
        runs_within $mib -v < <(cat in) >out 2>said
        same_lines in out
        # Less memory than 64 MiB has a larger part of it in buffers: promise 5 with a half in place of 3/4.
        spilled=$(sed -n 's/.*spilled: .* \([0-9]*\) bytes/\1/p' said)
        [ "$spilled" -le $(($(wc -c <in) - (mib << 20) / 2)) ]
    done
}

# ---- Whatever the input is ----

test_small_files() {
    long_lines 3000 100 300 | split -a 3 -l 1 - small.
    same held "$(how small.*)"
    cat small.* | same_lines out /dev/stdin
}

test_an_input_that_is_written_to() {
    paragraphs >in
    cp in file
    bigshuf --seed=m file 1<>file
    bigshuf --seed=m in | cmp - file
    cp in file
    bigshuf --seed=m file >>file
    (cat in && bigshuf --seed=m in) | cmp - file
    fails_with 1 'bigshuf: file: is both input and output; *' bigshuf -o /dev/stdout file 1<>file
}

test_what_is_not_regular() {
    paragraphs >in
    mkfifo fifo
    cat in >fifo &
    same held "$(how in fifo)"
    cat in in | same_lines out /dev/stdin
}

test_what_shows_no_size() {
    [ -e /proc/self/status ] || skip "no /proc here"
    paragraphs >in
    bigshuf --seed=m in /proc/version >out
    cat in /proc/version | same_lines out /dev/stdin
    same 9 "$(bigshuf -S 8M -r -n 9 /proc/version | wc -l | tr -d ' ')" # if it is read twice, too
}

test_with_few_addresses_less_is_held() {
    needs_bare_program
    long_lines 100000 100 200 >in
    bigshuf --seed=m -S 64M in >out
    for kib in 80000 90000 100000; do (ulimit -v $kib && bigshuf --seed=m -S 64M in) | cmp - out; done
}

# ---- Files that change ----

changed='bigshuf: in: file has changed while it was read'

# Before each call that bigshuf makes, in turn, the shell changes file `in`, a fresh copy of `original`. The run
# succeeds with one of the outputs `right.*`, or says so and the old output stays. during_each_call COMMAND OPTION...
during_each_call() {
    local change=$1 status right files found failures=0
    shift
    mkdir -p temporary
    touch in out said called
    files="$(names) "
    for turn in $(scale '5 45 60 90 120' "$(echo {12..160..24} {170..1000..180})" "$(echo {1..3000})"); do
        cp original in
        echo old >out
        : >called
        status=0
        FAULT_RUN="$change" FAULT_AT=$turn FAULT_LOG=called \
            bigshuf-faulty --seed=m -S 20M -T temporary "$@" -o out in 2>said || status=$?
        [ -s called ] || break
        if [ $status = 0 ]; then
            found=
            for right in right.whole right.short right.empty; do
                if cmp -s $right out; then found=1 && break; fi
            done
            same 1 "$found"
        else
            same 1 $status
            same "$changed" "$(<said)"
            same old "$(<out)"
            failures=$((failures + 1))
        fi
        same "$files" "$(names) $(names temporary)"
    done
    [ $failures -gt 0 ]
}

test_a_file_that_is_cut_short_is_a_failed_read_at_every_stage() {
    paragraphs >original
    : >right.empty
    bigshuf --seed=m original >right.whole
    bigshuf --seed=m <(head -c 1000 original) >right.short
    for threads in 1 2; do
        during_each_call 'truncate -s 1000 in' --parallel=$threads
    done
    during_each_call 'truncate -s 0 in' --parallel=2
    during_each_call 'touch -d 2001-02-03 in'
}

test_a_sample_of_a_file_that_is_cut_short_is_a_failed_read() { # tags: long
    paragraphs >original
    : >right.empty
    for options in '-n 1000' '-n 1000 --keep-order' '-r -n 10000'; do
        bigshuf --seed=m $options original >right.whole
        bigshuf --seed=m $options <(head -c 1 original) >right.short
        during_each_call 'truncate -s 1 in' $options
    done
}

# Which nobody writes to: so it is not waited for.
test_a_file_that_a_fifo_replaces_is_a_failed_read() {
    for options in '' '-S 8M -T .'; do
        for turn in 1 2 3; do
            more_than_memory >in
            FAULT_CALL=open FAULT_AT=$turn FAULT_RUN='rm in; mkfifo in' \
                fails_with 1 "$changed" bigshuf-faulty $options -o out in
            rm in
        done
    done
    same '.stderr' "$(ls -A)"
}
