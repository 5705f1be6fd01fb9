# --part: the shares of workers in one order. The parts, one after another, are equal to the output of a single run,
# with any memory, and whether or not the piles of a part are known beforehand.
# shellcheck shell=bash
# shellcheck disable=SC2086 # options that tests have chosen

# The parts of so many workers, of `in` and with these options, are the whole: makes_whole WORKERS OPTION...
makes_whole() {
    local part workers=$1
    bigshuf --seed=x "${@:2}" in >whole
    for part in $(seq "$workers"); do
        bigshuf --seed=x --part="$part/$workers" "${@:2}" in
    done | cmp - whole
}

# So are those with fewer threads, from a pipe, and where the number of records is known: makes_whole_anyhow WORKERS
# OPTION...
makes_whole_anyhow() {
    local records part
    records=$(bigshuf -v "${@:2}" in 2>&1 >whole | awk '$2 == "records:" { print $3 }')
    makes_whole "$@"
    makes_whole "$@" --parallel=1
    makes_whole "$@" --expect-records="$records"
    for part in $(seq "$1"); do
        bigshuf --seed=x --part="$part/$1" "${@:2}" < <(cat in)
    done | cmp - whole
}

test_parts_of_a_small_input_make_the_whole() {
    local records workers
    for records in 0 1 9 10 1000; do
        seq $records >in
        for workers in 1 3 10 11; do
            makes_whole $workers
            makes_whole $workers --expect-records=$records
        done
    done
    seq 10 >in
    for workers in 1 2 3 4; do
        bigshuf --seed=42 --part=$workers/4 in | paste -s -d ' ' -
    done >parts
    same '10 5|9 3 2|4 8|7 6 1' "$(paste -s -d '|' parts)"
    same '' "$(bigshuf --seed=42 --part=1/11 in)"
}

test_parts_of_what_fits_make_the_whole() {
    seq 200000 >in
    makes_whole_anyhow 3
    makes_whole_anyhow 5 --tune=leaf-records=8
    makes_whole_anyhow 2 -n 70001
    makes_whole_anyhow 3 -n 100
    makes_whole_anyhow 2 -z
    long_lines 3000 100 400 >in # which are referred to
    makes_whole_anyhow 4
    makes_whole_anyhow 3 -n 1000
}

test_parts_of_what_spills_or_is_started_over_make_the_whole() {
    more_than_memory >in
    makes_whole_anyhow 3 -S 8M
    makes_whole_anyhow 2 -S 8M -n 50001
    giants >in
    makes_whole_anyhow 3 -S 8M
    makes_whole_anyhow 4 -S 8M --tune=leaf-records=8
    { seq 50; long_line 9000000; seq 51 100; } >in
    makes_whole_anyhow 7 -S 8M
}

test_parts_of_numbers_and_words_make_the_whole() {
    for part in 1 2 3; do
        bigshuf --seed=x --part=$part/3 -i 1-1000 >>numbers
        bigshuf --seed=x --part=$part/3 -i 1-1000000000 -n 1000 >>some
        bigshuf --seed=x --part=$part/3 -e a b c d >>words
    done
    bigshuf --seed=x -i 1-1000 | cmp - numbers
    bigshuf --seed=x -i 1-1000000000 -n 1000 | cmp - some
    bigshuf --seed=x -e a b c d | cmp - words
}

test_each_part_has_the_header() {
    { echo id; seq 100; } >in
    bigshuf --seed=x --header in >whole
    bigshuf --seed=x --header --part=1/2 in >one
    bigshuf --seed=x --header --part=2/2 in >two
    { cat one && tail -n +2 two; } | cmp - whole
    same 'id 51' "$(head -n 1 two) $(wc -l <two | tr -d ' ')"
    bigshuf --seed=x --header --part=1/200 in | cmp - <(echo id)
}

test_a_part_is_divided_as_the_whole_would_be() {
    seq 1000 >in
    bigshuf --seed=x --part=2/4 in >part
    bigshuf --seed=x --part=2/4 --split=10%:split --shards=3 -o shard%d in
    cat split shard0 shard1 shard2 | cmp - part
    same '25 75 75 75' "$(wc -l split shard? | awk '{ print $1 }' | head -n 4 | paste -s -d ' ' -)"
    bigshuf --seed=x --part=2/4 -v -o in in 2>said
    cmp in part
    same 'bigshuf: records: 1000 read, 250 written' "$(sed -n 's/   */ /;/records:/p' said)"
}

test_only_a_part_is_spilled_if_the_number_of_records_is_known() {
    local bytes records
    more_than_memory >in
    bytes=$(wc -c <in)
    records=$(wc -l <in)
    for part in 1 4 8; do
        bigshuf --seed=x -S 8M --part=$part/8 -v --tune=compress-temporary=never in 2>said >out
        bigshuf --seed=x -S 8M --part=$part/8 -v --tune=compress-temporary=never --expect-records="$records" in 2>known | cmp - out
        [ "$(spilled known)" -le $((bytes / 6)) ]
        [ "$(spilled known)" -lt "$(spilled said)" ]
    done
    bigshuf --seed=x -S 8M --part=8/8 --expect-records="$records" in >whole
    fails_with 1 'bigshuf: in: the number of records is *, not *' \
        bigshuf --seed=x -S 8M --part=8/8 --expect-records=$((records - 1)) -o whole in
    cmp whole out
    fails_with 1 'bigshuf: in: the number of records is *, not 18446744073709551614 *' \
        bigshuf --seed=x --part=8/8 --expect-records=18446744073709551614 in
}

test_parts_of_a_store_make_the_whole() {
    seq 20000 >in
    bigshuf --scatter=store --piles=8 --seed=7 --batch=a in
    bigshuf --scatter=store --seed=7 --batch=b in
    for epoch in 0 3; do
        for workers in 1 2 3 8; do
            for part in $(seq $workers); do
                bigshuf --gather=store --seed=7 --epoch=$epoch --part=$part/$workers
            done | cmp - <(bigshuf --gather=store --seed=7 --epoch=$epoch)
        done
    done
    fails_with 1 'bigshuf: store: --part must not have more parts than the 8 piles' bigshuf --gather=store --seed=7 --part=1/9
}

test_what_is_no_part_is_told_before_the_work() {
    mkfifo never
    for part in '' 1 1/ /2 0/2 3/2 1/0 1-2 1/2/3 ' 1/2' 1/4294967296 1/18446744073709551617; do
        fails_with 1 "bigshuf: invalid --part argument '$part': must be R/W, part R of W, from 1/W to W/W, W below 2^32" \
            bigshuf --seed=x --part="$part" never
    done
    fails_with 1 'bigshuf: --part needs --seed, so that all parts are of one order' bigshuf --part=1/2 never
    bigshuf --seed=x --part=4294967295/4294967295 -e a
}
