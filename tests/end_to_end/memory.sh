# Promise 4: resident memory stays under -S plus 16 MiB, whatever the record lengths.
# tags: plain

# Run bigshuf with file `in` within MIB + 16 MiB, each time with these options: the records come out, in the order of a run
# with memory in plenty: shuffles_within MIB [OPTIONS]...
shuffles_within() {
    local mib=$1 options
    shift
    bigshuf --seed=m -S 2G in >wanted
    same_lines in wanted
    for options in "${@:-}"; do
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

test_short_lines_that_just_fit_with_several_threads() { # tags: long
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
test_orders_of_random_bytes() { # tags: long
    seq "$(scale 20000 1600000 1600000)" >in
    runs_within 8 --random-source=<(yes 42) in >out
    bigshuf -S 2G --random-source=<(yes 42) in | cmp - out
    runs_within 8 --random-source=<(yes 42) < <(cat in) | cmp - out
    runs_within 8 --random-source=<(yes 42) -n 200000 < <(cat in) >out
    bigshuf -S 2G --random-source=<(yes 42) -n 200000 in | cmp - out
}

test_requests_for_records_of_any_length() { # tags: long
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
test_many_inputs_with_long_names_in_a_store() { # tags: long
    seq 10 >in
    long_names 33000 >list
    for _ in 1 2; do
        runs_within 8 --scatter=store --seed=1 --batch=x --piles=4 --files0-from=list
    done
    runs_within 8 --gather=store >out
    same 330000 "$(line_counts out)"
    runs_within 8 --list=store | grep '^x '
}

test_a_list_of_files_is_counted() {
    seq 10 >in
    long_names 46000 >list
    fails_with 1 'bigshuf: list: its names take more than 10 MiB; use a larger -S' bigshuf -S 8M --files0-from=list
    fails_with 1 'bigshuf: -: its names take more *' bigshuf -S 8M --files0-from=- <list
    (printf 'missing\0' && cat list) >longer
    fails_with 1 'bigshuf: missing: No such file or directory' bigshuf -S 64M --files0-from=longer
}

# ---- What is taken beside the pool ----

# A limit that is too small for all that is asked for is refused, with one that is enough: grows_within MIB [OPTION]...
grows_within() {
    local mib=$1 said
    peak .peak bigshuf -S "$1M" "${@:2}" >/dev/null 2>said || {
        said=$(<said)
        [[ $said != *': cannot combine '* ]] || return 0
        [[ $said = 'bigshuf: -S: too small, since '*' take more than the limit leaves; use -S '*'M or more' ]]
        said=${said%M or more}
        mib=${said##*-S }
        peak .peak bigshuf -S "${mib}M" "${@:2}" >/dev/null
    }
    stayed_within "$mib" "${@:2}"
}

# Each row makes one pocket as large as may be, and each two are tried together.
test_pockets_do_not_add_up() { # tags: long
    local rows splits both i j
    needs_scale small
    seq 3 >in
    long_names 15000 >list
    rm in
    { seq 700000 | awk '{ print $1 % 919 "\t" $1 }' && printf '%065000d\t1\n' 1; } >in
    { printf 'a\tb\t%01048000d\n' 0 && cat in; } >headed
    gzip -1 <headed >headed.gz
    mkdir sides && tar -cf in.tar in
    printf -v splits -- '--split=1%%:sides/%d ' {1..63}
    rows=('--parallel=28 --tune=compress-temporary=always' '--header --headers-differ' "--split-field=1 $splits" '-Z'
        --group-field=1 "--stratify-field=1 --split=1%:a" --files0-from=list '-n 700000 -r'
        '--header --group-field=b --group-field=a' '--shards=300 -o sides/s%d --filter=:>$FILE' --records=tar)
    for ((i = 0; i < ${#rows[@]}; i++)); do
        for ((j = i + 1; j < ${#rows[@]}; j++)); do
            both="${rows[i]} ${rows[j]}"
            [[ ! $both =~ (-Z|--header).*--files0 && ! $both =~ --files0.*--(header|records)|-n.*--records ]] || continue
            case $both in
            *--records*) both+=' in.tar' ;;
            *-Z*) both+=' --header headed.gz headed.gz' ;;
            *--header*) both+=' headed' ;;
            *--files0*) ;;
            *) both+=' in' ;;
            esac
            grows_within 8 $both
        done
    done
}

test_files_that_just_fit_are_counted() {
    needs_scale small
    seq 1800000 >in
    runs_within 13 --parallel=28 --probability=1 in >/dev/null
    runs_within 13 --parallel=28 in >/dev/null
}

# A header of 1 MiB with the names of all fields, keys of 64 KiB, names of 4 KB: not all has its place in the 16 MiB.
test_headers_names_and_classes_do_not_add_up() { # tags: long
    local fields splits name
    needs_scale small
    printf -v fields -- '--stratify-field=%s ' a b c d e f g h
    printf -v splits -- '--split=1%%:%d ' {1..63}
    printf -v name './%.0s' {1..1990}
    { printf 'a\tb\tc\td\te\tf\tg\th\t%01048000d\n' 0 && awk 'BEGIN { for (; i < 300000; i++) {
        key = sprintf("%0" (i % 3000 ? 3 : 8000) "d", i % 919)
        print key "\t" key "\t" key "\t" key "\t" key "\t" key "\t" key "\t" key "\t" i * 1e50 } }'; } | gzip -1 >in.gz
    : >empty
    awk -v name="$name" 'BEGIN { for (; i < 2000; i++) print name (i < 3 ? "in.gz" : "empty") }' | tr '\n' '\0' >list
    for fields in "$fields" "${fields//stratify/group} ${fields//stratify/split}"; do
        runs_within 32 --parallel=28 --tune=compress-temporary=always -Z --header --files0-from=list $fields $splits >/dev/null 2>&1
    done
}

# What -v says of a row: row NAME OPTION...
row() {
    bigshuf -v -S 256M "${@:2}" 2>&1 >out | grep -o "$1 [0-9.]* .iB"
}

test_keys_and_threads_are_counted() {
    needs_scale small
    seq 100000 >in
    threads=$(bigshuf -v -S 256M --group-field=1 in 2>&1 >out | sed -n 's/.*; \([0-9]*\) threads*$/\1/p')
    keys=$(row keys --group-field=1 in)
    same "$keys" "$(row keys --group-field=1 --parallel="$threads" in)"
    awk 'BEGIN { for (i = 0; i < 700; i++) printf "%065000d\t%d\n", i, i }' >in
    runs_within 64 --parallel=28 --stratify-field=1 --split=10%:a in >/dev/null
    runs_within 64 --parallel=28 --stratify-field=1 --split=10%:a - < <(cat in) >/dev/null
}

test_what_is_taken_beside_the_pool_is_told() {
    seq 3 >in
    long_names 20000 >list
    row 'bigshuf: besides:       names [0-9.]* MiB, inputs' --files0-from=list --split-field=1 --split=10%:a
}

test_memory_that_cannot_be_had_is_halved_unless_it_was_asked_for() {
    seq 100000 >in
    bigshuf --seed=m in >wanted
    export FAULT_CALL=map_large FAULT_ERRNO=ENOMEM
    for at in 1 2; do # the first two of a pipe are for a small input, and ask for the least
        FAULT_AT=$at bigshuf-faulty --seed=m in | cmp - wanted
        FAULT_AT=$((at + 2)) bigshuf-faulty --seed=m < <(cat in) | cmp - wanted
        FAULT_AT=$at bigshuf-faulty --requests in <<<'draw 3' | grep '^3 '
    done
    FAULT_AT=3 fails_with 1 \
        'bigshuf: cannot get 64 MiB of memory: Cannot allocate memory; use a smaller -S' bigshuf-faulty -S 64M < <(cat in)
    FAULT_AT=1 FAULT_STAYS=1 fails_with 1 \
        'bigshuf: cannot get 8 MiB of memory: Cannot allocate memory; raise the limits of memory, or end other programs' \
        bigshuf-faulty < <(cat in)
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
        said=$(bigshuf -S 8M $task 2>&1 <in) || asked=${said##*needs more memory: use -S }
        asked=${asked%M or more}
        fails_with 1 "bigshuf: * needs more memory: use -S ${asked}M or more" bigshuf -S $((asked > 10 ? asked - 2 : 8))M $task <in >out
        bigshuf -S "${asked}M" $task <in >out
    done
}

test_the_piles_of_a_store_that_is_there_need_memory_too() {
    cd "$MEMORY" || exit
    seq 10 | bigshuf -S 64M --scatter=store --piles=4096 --batch=a
    fails_with 1 'bigshuf: a store of 4096 piles needs more memory: use -S *' bigshuf -S 8M --scatter=store --batch=b < <(seq 10)
    [ "$(row places --scatter=store --batch=b <(seq 9))" != "$(row places --scatter=other --batch=b <(seq 9))" ]
}

test_asks_for_huge_pages() {
    [ -e /proc/self/smaps ] || skip "no /proc here"
    [ -e /sys/kernel/mm/transparent_hugepage ] || skip "no huge pages here"
    seq 100000 >in
    bigshuf --shards=1 --filter='cat >$FILE; grep " hg" /proc/$PPID/smaps' -o out-%d in
}
