# Promise 4: resident memory stays under -S plus 16 MiB, whatever the record lengths.
# shellcheck shell=bash

# Run bigshuf with file `in` within MIB + 16 MiB, each time with these options: the records come out, in the order of a run
# with memory in plenty: shuffles_within MIB [OPTIONS]...
shuffles_within() {
    local mib=$1 options
    shift
    bigshuf --seed=m -S 2G in >wanted
    same_lines in wanted
    for options in "${@:-}"; do
        # shellcheck disable=SC2086 # words, by intention
        runs_within "$mib" $options --seed=m in >out
        cmp wanted out
    done
}

# Lines of no or one byte, and the newline.
shortest_lines() {
    awk -v count="$1" 'BEGIN { for (i = 0; i < count; i++) print i % 7 ? i % 10 : "" }'
}

test_many_lines_of_one_or_two_bytes() {
    shortest_lines "$(scale 20000 1000000 20000000)" >in
    shuffles_within 8
}

# Each takes a mark; and the stage that makes these has buffers of its own.
test_groups_of_lines_of_one_or_two_bytes() {
    shortest_lines "$(scale 20000 1000000 20000000)" >in
    runs_within 8 --group-field=1 in >out
    same_lines in out
    runs_within 8 --group-field=1 --seed=m --split-field=1 --split=20%:a in >b
    cat a b | same_lines in -
}

test_as_many_classes_as_there_is_room_for() {
    shortest_lines "$(scale 20000 300000 20000000)" | awk '{ print $0 "\t" NR % 20000 }' >in
    runs_within 8 --stratify-field=2 --split=20%:a in >b 2>said
    cat a b | same_lines in -
    runs_within 64 --stratify-field=2 --split=20%:a in >b
}

test_many_empty_lines() {
    head -c "$(scale 20000 3000000 100000000)" /dev/zero | tr '\0' '\n' >in
    shuffles_within 8
}

test_short_lines_with_every_number_of_threads() {
    seq "$(scale 20000 800000 20000000)" >in
    shuffles_within 8 --parallel=1 --parallel=3 --parallel=8 "--parallel=8 --tune=compress-temporary=always"
    shuffles_within 32 --parallel=1 --parallel=3 --parallel=8
}

# The file is mapped, and beside it there are the piles.
test_short_lines_that_just_fit_with_several_threads() {
    seq "$(scale 2000000 2000000 20000000)" >in
    mib=$(($(wc -c <in) >> 20))
    shuffles_within $((mib + 10)) --parallel=2
    shuffles_within $((mib + 22)) --parallel=2 --parallel=4
    shuffles_within $((mib * 3)) --parallel=3 --parallel=8
}

test_a_line_larger_than_memory_among_ten_thousand_short_ones() {
    { seq 5000; long_line "$(scale 10000000 15000000 100000000)"; seq 5000; } >in
    shuffles_within 8 "" --tune=compress-temporary=always
}

test_a_first_or_last_line_larger_than_memory() {
    { long_line "$(scale 10000000 12000000 300000000)"; seq 1000; } >in
    shuffles_within 8
    { seq 1000; long_line "$(scale 10000000 12000000 300000000)"; } >in
    shuffles_within 8
}

test_several_lines_larger_than_memory() {
    for i in $(seq "$(scale 2 3 50)"); do
        printf "%s " "$i"
        long_line $((9000000 + 7000000 * i % 6000000))
    done >in
    shuffles_within 8
}

test_a_few_lines_of_1_mb_among_short_ones() {
    { seq 50000; long_lines "$(scale 3 15 200)" 1000000 1000000; seq 50000; } >in
    shuffles_within 8
}

test_piles_that_are_started_over() {
    giants >in
    for leaf in 8 262144; do
        runs_within 8 --seed=1363 --tune=leaf-records=$leaf in >out
    done
}

test_a_deep_tree_of_short_lines() {
    seq "$(scale 20000 1000000 20000000)" >in
    runs_within 8 --seed=m --tune=leaf-records=8 in >out
    bigshuf -S 2G --seed=m --tune=leaf-records=8 in | cmp - out
}

# Nearly as many as 8 MiB suffice for.
test_orders_of_random_bytes() {
    seq "$(scale 20000 1600000 1600000)" >in
    runs_within 8 --random-source=<(yes 42) in >out
    bigshuf -S 2G --random-source=<(yes 42) in | cmp - out
    runs_within 8 --random-source=<(yes 42) < <(cat in) | cmp - out
    runs_within 8 --random-source=<(yes 42) -n 200000 < <(cat in) >out
    bigshuf -S 2G --random-source=<(yes 42) -n 200000 in | cmp - out
}

# Of mapped files, in answers and before them.
test_requests_for_records_of_any_length() {
    { long_line "$(scale 30000000 60000000 400000000)"; seq 1000; long_lines "$(scale 20 100 1000)" 1300000 1300100; } >in
    count=$(wc -l <in)
    runs_within 8 --requests --seed=1 in <<<"draw $count" >out
    tail -n +$((count + 2)) out | same_lines in -
}

test_many_files() {
    cd "$MEMORY" || exit
    mkdir files
    for i in $(seq 2000); do echo "$i" >files/"$i"; done
    runs_within 8 files/* >out
}

# Print the name of file `in` so many times, having made it a long one: long_names COUNT.
long_names() {
    local name
    name=$(printf '%0232d' 0)
    ln in "$name"
    awk -v name="$name" -v count="$1" 'BEGIN { for (i = 0; i < count; i++) print name }' | tr '\n' '\0'
}

# Nearly as many as one batch may have.
test_many_inputs_with_long_names_in_a_store() {
    seq 10 >in
    long_names 33000 >list
    for _ in 1 2; do
        runs_within 8 --scatter=store --seed=1 --batch=x --piles=4 --files0-from=list
    done
    runs_within 8 --gather=store >out
    same 330000 "$(wc -l <out | tr -d ' ')"
    runs_within 8 --gather=store --list | grep '^x '
}

test_a_list_of_files_is_counted() {
    seq 10 >in
    long_names 46000 >list
    fails_with 1 'bigshuf: list: its names take more than 10 MiB; use a larger -S' bigshuf -S 8M --files0-from=list
    fails_with 1 'bigshuf: -: its names take more *' bigshuf -S 8M --files0-from=- <list
    (printf 'missing\0' && cat list) >longer
    fails_with 1 'bigshuf: missing: No such file or directory' bigshuf -S 64M --files0-from=longer
}

# A run of a few lines has no time to touch what it does not need.
test_tiny_input_takes_little_memory() {
    needs_bare_program
    seq 10 >in
    peak .peak bigshuf in >out
    [ "$(<.peak)" -le 8192 ]
}

# Only where it comes to that: small inputs do not take it.
test_more_memory_than_there_is_brings_a_warning() {
    needs_bare_program
    seq 100000 >in
    seq 100000 | bigshuf -S 200% 2>said >out
    [[ $(<said) = 'bigshuf: warning: -S: '*' is more than this machine or its control group has, '*'; the run may be killed' ]]
    same_lines in out
    bigshuf -S 200% in 2>said >out
    is_empty said
    seq 100000 | bigshuf -S 100% 2>said >out
    is_empty said
}

# Two MiB less are not: told for a store, an order, a sample.
test_the_memory_that_is_asked_for_is_enough_and_hardly_more() {
    cd "$MEMORY" || exit
    needs_scale small
    seq 1500000 >in
    head -c 20000000 /dev/zero >random
    for task in '--scatter=store --seed=1 --batch=x --piles=2048' '--scatter=store2 --seed=1 --batch=x --piles=4096' \
        '--random-source=random in in' '-i 1-1000000000 -n 600000'; do
        # shellcheck disable=SC2086 # several words
        said=$(bigshuf -S 8M $task 2>&1 <in) || asked=${said##*needs more memory: use -S }
        asked=${asked%M or more}
        # shellcheck disable=SC2086
        fails_with 1 "bigshuf: * needs more memory: use -S ${asked}M or more" bigshuf -S $((asked > 10 ? asked - 2 : 8))M $task <in >out
        # shellcheck disable=SC2086
        bigshuf -S "${asked}M" $task <in >out
    done
}

test_the_piles_of_a_store_that_is_there_need_memory_too() {
    cd "$MEMORY" || exit
    seq 10 | bigshuf -S 64M --scatter=store --piles=4096 --batch=a
    fails_with 1 'bigshuf: a store of 4096 piles needs more memory: use -S *' bigshuf -S 8M --scatter=store --batch=b < <(seq 10)
}
