# --part, --skip and -n: one range of one order, cut by these in this turn. The parts, one after another, are equal to the
# output of a single run, with any memory, and whether or not the piles of a part are known beforehand.
# tags: plain

# The parts of so many workers, of `in` and with these options, are the whole: makes_whole WORKERS OPTION...
makes_whole() {
    local part workers=$1
    bigshuf --seed=x "${@:2}" in >whole
    for part in $(seq "$workers"); do
        bigshuf --seed=x --part="$part/$workers" "${@:2}" in
    done | cmp - whole
}

# Of `in`, and with these options, a run writes the range of the order that PART, SKIP and COUNT leave, also from a pipe,
# and where the number of records is known: is_the_range PART SKIP COUNT OPTION...
is_the_range() {
    local records part=${1%/*} parts=${1#*/}
    bigshuf --seed=x "${@:4}" in >order
    records=$(wc -l <order)
    awk -v first=$((records * (part - 1) / parts + $2)) -v last=$((records * part / parts)) -v count="$3" \
        'NR > first && NR <= last && NR <= first + count' order >range
    set -- --seed=x --part="$1" --skip="$2" -n "$3" "${@:4}"
    bigshuf "$@" in | cmp - range
    bigshuf "$@" --parallel=1 < <(cat in) | cmp - range
    bigshuf "$@" --expect-records="$records" in | cmp - range
}

test_parts_of_a_small_input_make_the_whole() {
    local records workers
    for records in 0 1 10 1000; do
        seq $records >in
        for workers in 1 3 11; do
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

test_ranges_are_cut_out_of_the_order() {
    cases <<'END'
seq 10 | bigshuf --seed=42 --skip=7 => 7 6 1
seq 10 | bigshuf --seed=42 --part=2/2 --skip=1 -n 3 => 8 7 6
seq 10 | bigshuf --seed=42 --skip=10 =>
seq 10 | bigshuf --seed=42 --skip=11 =! --skip=11: only 10 records; to leave out a header, use --header
seq 10 | bigshuf --seed=42 --part=1/4 --skip=3 =! --skip=3: only 2 records; *
echo a | bigshuf --seed=42 --skip=18446744073709551615 =! --skip=18446744073709551615: only 1 record; *
{ echo h; seq 10; } | bigshuf --seed=42 --header --skip=11 -n 0 => h
bigshuf --seed=42 --skip=6 -e 1 2 3 4 5 6 7 8 9 10 => 8 7 6 1
bigshuf --seed=42 --skip=6 -n 2 -i 1-10 => 8 7
{ echo h; seq 10; } | bigshuf --seed=42 --header --skip=8 => h 6 1
{ echo h; seq 10; } | bigshuf --seed=42 --header --skip=10 => h
bigshuf --seed=42 --skip=4 -n 18446744073709551615 -e 1 2 3 4 5 6 7 8 9 10 => 2 4 8 7 6 1
seq 10 | bigshuf --seed=42 --skip=7 --expect-records=9 =! standard input: the number of records is 10, not 9 *
bigshuf --seed=x --part=4294967295/4294967295 -e a => a
bigshuf --seed=x --part= never =! invalid --part argument '': must be R/W, part R of W, from 1/W to W/W, W below 2^32
bigshuf --seed=x --part=1/2/3 never =! invalid --part argument '1/2/3': must be R/W, *, W below 2^32
bigshuf --seed=x --part=1/18446744073709551617 never =! invalid --part argument '1/18446744073709551617': must be R/W, *
END
    for records in 0 1 9; do
        seq $records >in
        is_the_range 1/2 0 3
        is_the_range 3/3 $((records / 3)) 3
    done
    seq 200000 >in
    is_the_range 2/3 1000 20000
    is_the_range 2/3 66667 1
    is_the_range 1/1 199999 2 --tune=leaf-records=8
    long_lines 3000 100 400 >in # which are referred to
    is_the_range 3/4 7 700
}

test_ranges_of_what_spills_or_is_started_over_are_cut_out_of_the_order() {
    more_than_memory >in
    is_the_range 2/3 5000 20000 -S 8M
    giants >in
    is_the_range 2/2 1 9999 -S 8M --tune=leaf-records=8
}

test_parts_of_piles_that_are_started_over_make_the_whole() {
    giants >in
    makes_whole 2 -S 8M --tune=leaf-records=8
}

test_each_part_has_the_header() {
    { echo id; seq 100; } >in
    bigshuf --seed=x --header in >whole
    bigshuf --seed=x --header --part=1/2 in >one
    bigshuf --seed=x --header --part=2/2 in >two
    { cat one && tail -n +2 two; } | cmp - whole
    same 'id 51' "$(head -n 1 two) $(line_counts two)"
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
    for range in --skip=$((records * 7 / 8)) --part=1/8 --part=4/8 --part=8/8; do
        bigshuf --seed=x -S 8M $range -v --tune=compress-temporary=never in 2>said >out
        bigshuf --seed=x -S 8M $range -v --tune=compress-temporary=never --expect-records="$records" in 2>known | cmp - out
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

test_parts_of_a_store_make_the_whole() { # tags: long
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

# What the piles before place SKIP and behind the last record hold does not matter. The records of the first three
# piles in the order of the epoch are 1 to END.
test_only_the_piles_that_a_range_is_in_are_read() {
    local part end first at range
    seq 20000 >in
    { echo header && cat in; } | bigshuf --scatter=store --piles=8 --seed=7 --batch=a --header
    bigshuf --gather=store --seed=7 --epoch=3 | tail -n +2 >order
    end=$(for part in 1 2 3; do bigshuf --gather=store --seed=7 --epoch=3 --part=$part/8 | tail -n +2; done | wc -l)
    for part in 1 2 3 7 8; do
        first=$(bigshuf --gather=store --seed=7 --epoch=3 --part=$part/8 | sed -n 2p)
        at=$(grep -abow "$first" store/a)
        printf X | dd of=store/a bs=1 seek=$((${at%:*} + 1000)) conv=notrunc 2>.stderr
    done
    for range in "$end 1" "$((end + 1)) 5000"; do
        bigshuf --gather=store --seed=7 --epoch=3 --skip=${range% *} -n ${range#* } | tail -n +2 |
            cmp - <(tail -n +$((${range% *} + 1)) order | sed ${range#* }q)
    done
    fails_with 1 'bigshuf: store/a: pile *' bigshuf --gather=store --seed=7 --epoch=3 --skip=$((end - 1)) -n 1
    fails_with 1 'bigshuf: store/a: pile *' bigshuf --gather=store --seed=7 --epoch=3 --skip=12000 >out
}
