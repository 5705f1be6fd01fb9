# Samples: what -n, -r, --weights, --weight-field, --keep-order and --probability promise. Their laws are held against
# chi-square by tests/statistics.

# From file `in`, or standard input, the same is written whatever the memory and the threads: same_sample OPTION...
same_sample() {
    bigshuf -S 1G --parallel=1 --seed=x "$@" in >wanted
    [ -s wanted ]
    bigshuf -S 8M --parallel=1 --seed=x "$@" in | cmp - wanted
    bigshuf -S 8M --parallel=3 --seed=x "$@" < <(cat in) | cmp - wanted
    bigshuf -S 32M --parallel=3 --seed=x "$@" in | cmp - wanted
}

# ---- The golden samples: fixed for ever, as the order is ----

test_golden_samples() {
    seq 10 >in
    seq 50 >fifty
    cases <<'END'
bigshuf --seed=42 -r -n 10 in => 8 8 6 1 8 7 4 3 2 4
bigshuf --seed=7 -r -n 10 in => 3 9 8 3 7 10 7 1 2 2
bigshuf --seed=42 -r -n 10 -i 1-10 => 8 8 6 1 8 7 4 3 2 4
bigshuf --seed=42 -r -n 4 --skip=6 in => 4 3 2 4
bigshuf --seed=42 -r -n 4 --skip=6 -i 1-10 => 4 3 2 4
bigshuf --seed=42 -r -n 3 -i 7-7 => 7 7 7
bigshuf --seed=42 -r -n 3 -i 0-18446744073709551615 => 13958845504583284212 14295442594342297102 11049428897860578880
bigshuf --seed=42 -r -n 3 -i 5-18446744073709551610 => 13958845504583284209 14295442594342297099 11049428897860578879
seq 1000 | bigshuf --seed=42 -r -n 100000 | md5 => ab22e60aec218c9b902c866f42f8d6d5

bigshuf --seed=42 -n 5 -i 1-1000000000 => 630534407 914470329 266319650 617398065 65878309
bigshuf --seed=7 -n 5 -i 1-1000000000 => 685218575 413272342 379518993 439641813 815236047
bigshuf --seed=42 -n 4 -i 0-268435455 => 169257790 245476259 71489636 165731530
bigshuf --seed=42 -n 3 -i 0-13835058055282163711 => 12651750089595875997 8541738066601645137 911430223224690763
bigshuf --seed=42 -n 3 -i 0-18446744073709551615 => 11631306825083165608 16869000119461167997 4912730423512331632
bigshuf --seed=42 -n 100000 -i 1-1000000000 | md5 => 72112d7eeec46cab9eea4ec420f4653d

bigshuf --seed=42 --probability=0.2 fifty => 2 5 8 13 17 22 24 31 37 38 43 45 49
bigshuf --seed=7 --probability=0.2 fifty => 7 8 10 11 15 21 22 29 31 47
seq 100000 | bigshuf --seed=42 --probability=0.3 | md5 => 4f802a8b97cedab71e856862a41baf10

bigshuf --seed=42 --weight-field=1 in => 10 7 9 2 4 8 5 3 6 1
bigshuf --seed=7 --weight-field=1 in => 5 9 10 7 4 1 6 3 8 2
bigshuf --seed=7 --weight-field=1 --skip=7 -n 2 in => 3 8
printf '0\n1\n1\n' | bigshuf --seed=42 --weight-field=1 --skip=3 =! warning: records of weight 0 are never drawn: 1*--skip=3: only 2 records; *
seq 10000 | bigshuf --seed=42 --weight-field=1 | md5 => 803b59a361507921009fc31cd4f832a2

bigshuf --seed=42 --weight-field=1 -r -n 10 in => 4 5 7 9 8 2 9 10 10 10
bigshuf --seed=7 --weight-field=1 -r -n 10 in => 10 5 4 9 4 5 8 8 7 8
bigshuf --seed=7 --weight-field=1 -r -n 3 --skip=7 in => 8 7 8
seq 1000 | bigshuf --seed=42 --weight-field=1 -r -n 100000 | md5 => 249b455008e0dc2ba647a96b806491f6
END
}

# ---- -n ----

# Each -n COUNT gives the first records of the order with OPTIONS, and the same records in the order of the input, and
# --skip=COUNT gives the others: begins_the_order OPTIONS COUNT...
begins_the_order() {
    local count
    bigshuf -S 1G --seed=1363 $1 in >order
    for count in "${@:2}"; do
        head -n "$count" order >wanted
        awk 'NR == FNR { wanted[$0]; next } $0 in wanted' wanted in >in_order
        bigshuf -S 1G --parallel=8 --seed=1363 $1 -n "$count" in | cmp - wanted
        bigshuf -S 1G --parallel=8 --seed=1363 $1 -n "$count" --keep-order < <(cat in) | cmp - in_order
        bigshuf -S 8M --seed=1363 $1 -n "$count" < <(cat in) | cmp - wanted
        bigshuf -S 8M --parallel=1 --seed=1363 $1 -n "$count" --keep-order in | cmp - in_order
        [ "$count" -le "$(wc -l <order)" ] || continue
        bigshuf -S 8M --seed=1363 $1 --skip="$count" in | cmp - <(tail -n +$((count + 1)) order)
        bigshuf --seed=1363 $1 --skip=$((count / 2)) -n $((count - count / 2)) in | cmp - <(tail -n +$((count / 2 + 1)) wanted)
    done
}

test_a_sample_is_the_beginning_of_the_order() {
    more_than_memory >in
    begins_the_order '' 1000 "$(scale 50000 100500 30000000)"
    seq 20 >in
    begins_the_order '' 1 2 19 20 21
    begins_the_order --weight-field=1 1 19 20
}

test_a_sample_of_piles_that_are_started_over_is_the_beginning_of_the_order() { # tags: long plain
    giants >in
    begins_the_order '' 5000 10001
}

test_a_weighted_sample_is_the_beginning_of_the_order() {
    shared weighed_lines >in
    begins_the_order --weight-field=1 1000 "$(scale 500 20000 5000000)"
}

# Records that cannot be among the 1000 of a sample of file `in` are not spilled: spills_nothing OPTION...
spills_nothing() {
    bigshuf -v -S 8M --seed=x "$@" in 2>said >out
    same 0 "$(spilled said)"
    bigshuf -v -S 8M --seed=x "$@" < <(cat in) 2>said >out
    same 0 "$(spilled said)"
    same 1000 "$(line_counts out)"
}

test_what_cannot_be_in_the_sample_is_not_spilled() {
    shared weighed_lines >in
    spills_nothing -n 1000
    spills_nothing -n 1000 --parallel=1
    spills_nothing -n 1000 --keep-order
    spills_nothing -n 1000 --weight-field=1
    spills_nothing -n 1000 --weight-field=1 --keep-order
}

# While records come, the run excludes more and more of them from the sample. For k of n records, k (1 + ln(n/k)) are
# stored: for 40000 of 100000, 1.92 times the sample.
test_a_sample_spills_little_more_than_itself() {
    needs_scale small
    long_lines 100000 100 300 | weigh >in
    for options in '' --keep-order --weight-field=1 '--weight-field=1 --keep-order'; do
        bigshuf -v -S 8M --seed=x -n 40000 $options in 2>said >out
        [ "$(spilled said)" -lt $(($(wc -c <out) * 2)) ]
    done
}

# 24 bytes for each.
test_a_sample_of_a_range_that_needs_more_memory_says_so() {
    cases <<'END'
bigshuf -S 8M -n 349526 -i 1-268435456 =! a sample of 349526 numbers needs more memory: use -S 9M or more
bigshuf -S 9M -n 349526 -i 1-268435456 | wc -l => 349526
bigshuf -S 8M -n 349525 -i 1-268435456 | wc -l => 349525
bigshuf -S 8M -n 1099511627775 -i 0-18446744073709551615 >/dev/null =! a sample of 1099511627775 numbers needs more memory: *
bigshuf -S 8M -n 72057594037927935 -i 0-18446744073709551615 >/dev/null =! a sample of 72057594037927935 numbers needs more memory: *
bigshuf -S 8M -n 9223372036854775807 -i 0-18446744073709551615 >/dev/null =! a sample of 9223372036854775807 numbers needs more *
END
}

# ---- -r ----

test_repeats_are_the_same_from_memory_and_from_disk() { # tags: long plain
    more_than_memory >in
    same_sample -r -n "$(scale 20000 100000 5000000)"
    long_lines 12 1 1500000 >in # which may be drawn several times
    same_sample -r -n 20
    seq 3 >in
    same_sample -r -n 100000
    same_lines <(sort -u wanted) in
    { seq 3; long_line "$(scale 9000000 9000000 90000000)"; } >in # larger than memory
    same_sample -r -n 6
    [ "$(grep -c '^1 2 3 ' wanted)" -gt 1 ]
}

# An index of them does not fit beside them, so they are drawn in passes.
test_repeats_of_many_short_records_are_drawn_from_memory() {
    seq "$(scale 10000 1000000 1000000)" | tr -d 0-9 >in
    bigshuf -v -S 8M --seed=x -r -n 100000 in 2>said | cmp - <(yes '' | sed 100000q)
    same 0 "$(spilled said)"
    seq "$(scale 10000 900000 900000)" >in
    same_sample -r -n 200000
}

# The first records suggest that there is room for references to all of them, but there is not.
test_repeats_of_records_that_become_short_are_the_same() {
    { long_lines 110 10000 10000; seq 1100000; } >in
    bigshuf -S 1G --seed=x -r -n 1000 in >wanted
    for memory in 17M 20M; do
        bigshuf -S $memory --seed=x -r -n 1000 in | cmp - wanted
    done
}

# The first 1000 lines that COMMAND writes for ever are those of file `wanted`; it dies of SIGPIPE: goes_on COMMAND...
goes_on() {
    { "$@" || echo $? >status; } | head -n 1000 | cmp - wanted
    same 141 "$(<status)"
}

test_without_n_repeats_never_end() {
    more_than_memory >in
    bigshuf --seed=x -r -n 1000 in >wanted
    goes_on bigshuf --seed=x -r in
    goes_on bigshuf --seed=x -r -S 8M in
    bigshuf --seed=x -r -n 1000 -i 1-1000000000000 >wanted
    goes_on bigshuf --seed=x -r -i 1-1000000000000
    shared weighed_lines >weighed
    bigshuf --seed=x -r -n 1000 --weight-field=1 weighed >wanted
    goes_on bigshuf --seed=x -r --weight-field=1 -S 8M weighed
}

# Draws from number 301 on are the same whatever has been written before: enters_repeats OPTION...
enters_repeats() {
    bigshuf --seed=x -r -n 1000 "$@" >wanted
    for memory in 8M 1G; do
        bigshuf -S $memory --seed=x -r --skip=300 -n 700 "$@" | cmp - <(tail -n 700 wanted)
    done
}

test_repeats_can_be_entered_anywhere() {
    more_than_memory >in
    enters_repeats in
    enters_repeats -i 1-1000000000000
    seq 250000 >in # in passes
    enters_repeats --weight-field=1 in
    tail -n 700 wanted >rest
    { bigshuf --seed=x -r --skip=300 --weight-field=1 in || echo $? >status; } | sed 700q | cmp - rest
    same 141 "$(<status)"
}

# ---- Weights ----

test_weighted_samples_are_the_same_from_memory_and_from_disk() { # tags: plain
    shared weighed_lines >in
    same_sample --weight-field=1
    same_sample --weight-field=1 -r -n "$(scale 2000 45000 1000000)"
}

test_weighted_samples_are_the_same_when_they_are_started_over() { # tags: plain
    long_lines "$(scale 10 12 400)" 1000000 3000000 >in
    for options in '' '-n 7' '-r -n 30' '-n 7 --keep-order' '--skip=3 -n 4'; do
        bigshuf -S 8M -v --seed=x --weight-field=1 -t ' ' $options in 2>said |
            cmp - <(bigshuf -S 1G --seed=x --weight-field=1 -t ' ' $options in)
        [ "$options" ] || grep -E '^bigshuf: started over: +[1-9]' said
    done
}

# Their shares' ends do not fit into a part of the memory, so numbers are matched with weights in passes.
test_repeats_of_many_weights_are_drawn_in_passes() {
    seq 250000 | awk '{ print ($1 * 7919 % 10 ? 0 : "2.5") "\t" $1 }' >in
    same_sample -r -n 30000 --weight-field=1
    same 0 "$(grep -c '^0' wanted || true)"
    cut -f 1 in >weights
    bigshuf -S 8M --seed=x -r -n 30000 --weights=weights -o weights in # which may be written over
    cmp weights wanted
}

# ---- --keep-order ----

test_ranges_and_arguments_keep_their_order() {
    for range in 1-134217729 5-1000000000004 0-18446744073709551615; do
        for count in 1 2 1000 20000; do
            bigshuf --seed=x -i $range -n $count | sort -n >wanted
            bigshuf --seed=x -i $range -n $count --keep-order | cmp - wanted
        done
    done
    seq 30 >in
    bigshuf --seed=x -n 9 --keep-order in >wanted
    bigshuf --seed=x -n 9 --keep-order -i 1-30 | cmp - wanted
    bigshuf --seed=x -n 9 --keep-order -e {1..30} | cmp - wanted
    bigshuf --seed=x -n 9 --keep-order -z < <(tr '\n' '\0' <in) | tr '\0' '\n' | cmp - wanted
}

# The stored records just fit, or just do not fit.
test_what_is_stored_makes_room_for_the_order() { # tags: long plain
    local records
    tr '\0' '\n' </dev/zero | head -c 8000000 >in || true
    for records in {7650000..7850000..100000}; do
        bigshuf -S 8M --seed=x --keep-order -n $((records - 1)) < <(head -c "$records" in) >out
        same $((records - 1)) "$(wc -c <out | tr -d ' ')"
    done
}

# ---- --probability ----

test_samples_by_probability_are_the_same_with_any_memory() {
    more_than_memory >in
    same_sample --probability=0.4
    bigshuf --probability=0 in | cmp - /dev/null
    bigshuf --probability=1 in | cmp - in
    bigshuf --probability=1.000 < <(cat in) | cmp - in
}

# Whether a record stays does not depend on later records, and a record that stays also stays with a higher probability.
test_each_record_stays_by_itself() {
    seq 100000 >in
    bigshuf --seed=x --probability=0.3 in >out
    seq 1000 | bigshuf --seed=x --probability=0.3 | cmp - <(awk '$1 <= 1000' out)
    sort -n -c out
    bigshuf --seed=x --probability=0.31 in >higher
    same '' "$(comm -23 <(sort out) <(sort higher))"
}

test_a_sample_by_probability_streams() {
    start_half_fed --probability=0.5
    wait_until test -s out
    exec 7>&-
    wait $!
}

test_a_sample_by_probability_may_be_written_into_its_input() {
    more_than_memory >in
    bigshuf --seed=x --probability=0.95 in >wanted
    bigshuf -v -S 8M --seed=x --probability=0.95 in 1<>in 2>said
    cmp -n "$(wc -c <wanted)" in wanted
    [ "$(spilled said)" -gt 0 ] # or else it was no test
}

# What is read first is the input itself, then what was spilled of the sample.
test_a_sample_is_not_written_into_its_input_before_all_is_verified() {
    local turn=1
    long_lines 900 9000 15000 >in
    cp in wanted
    while FAULT_CALL=preadv FAULT_DAMAGE=1 FAULT_AT=$turn FAULT_LOG=failed \
        bigshuf-faulty -S 8M --seed=x --probability=0.95 in 1<>in 2>said; do
        rm failed
        cat wanted >in
        turn=$((turn + 1))
    done
    [[ $(<said) = 'bigshuf: '*'contents have changed'* ]]
    cmp in wanted
    fails_with 1 'bigshuf: *Input/output error' env FAULT_CALL=pwritev FAULT_AT=2 \
        bigshuf-faulty -S 8M --seed=x --probability=0.95 in 1<>in
    cmp in wanted
}

# ---- Memory ----

# Samples of about 10 MB, and of lines of a few bytes; other tests check the output.
test_memory_of_samples_of_any_size() { # tags: long
    local few most options
    few=$(scale 1000 30000 10000000) most=$(scale 1000 75000 500000)
    shared weighed_lines >in
    for options in "-n $few" '--keep-order -n 1000' "--keep-order -n $few" "-r -n $most" \
        --weight-field=1 "--weight-field=1 -n $few" "--weight-field=1 --keep-order -n $(scale 1000 30000 200000)" \
        "--weight-field=1 -r -n $most" --probability=0.5; do
        runs_within 8 --seed=m $options in >out
    done
    seq "$(scale 20000 900000 400000000)" >in
    for options in '-n 500000' '-n 500000 --keep-order' '-r -n 100000' --weight-field=1 '--weight-field=1 -r -n 50000'; do
        runs_within 8 --seed=m $options in >out
    done
}

# The input is read again for what is drawn, but not when it has been written over.
test_repeats_that_are_written_over_their_input_have_read_it_first() { # tags: plain
    seq 1500000 | tee in >file
    bigshuf -S 8M --seed=a -r -n 300000 in >wanted
    bigshuf -S 8M --seed=a -r -n 300000 file 1<>file
    head -c "$(wc -c <wanted)" file | cmp - wanted
}
