# How many records there are: what -v says of it, and --expect-records, which fails before anything is replaced.
# tags: plain

# -v with these options says that so many were read and written: counts READ WRITTEN OPTION...
counts() {
    bigshuf -v "${@:3}" 2>said >out
    same "records: $1 read, $2 written" "$(sed -n 's/^bigshuf: records: */records: /p' said)"
}

test_v_counts_what_was_read_and_written() {
    seq 100000 | sed 's/$/_1/' >in
    counts 100000 100000 - <in
    for options in '' '-S 8M --tune=leaf-records=8' '-n 200000' '--weight-field=2 -t_' --random-source=in; do
        counts 100000 100000 $options in
    done
    for options in '' --keep-order -r '-r -S 8M --weight-field=2 -t_' '--weight-field=2 -t_' \
        '--weight-field=2 -t_ --keep-order' --random-source=in '-r --random-source=in'; do
        counts 100000 7 -n 7 $options in
    done
    counts 2 2 -e a b
    counts 9 9 -i 1-9
    counts 5 5 -r -n 5 -i 1-9
    counts 0 0 /dev/null
    counts 99999 7 --header -n 7 in
    counts 50000 50000 --records=lines:2 in
}

test_v_counts_what_chance_has_left() {
    seq 10000 >in
    bigshuf --seed=1 --probability=0.1 in >out
    written=$(wc -l <out)
    counts 10000 "$written" --seed=1 --probability=0.1 in
    counts 10000 "$written" --seed=1 --probability=0.1 --split=3:part in
}

# bigshuf counts so many records in file `in` with these options: knows RECORDS OPTION...
knows() {
    local said="bigshuf: in: the number of records is $1, not $(($1 + 1)) as --expect-records says"
    bigshuf "${@:2}" in >right
    bigshuf --expect-records="$1" "${@:2}" in | cmp - right
    bigshuf --expect-records="$1" -o file "${@:2}" in
    cmp file right
    echo old >file
    fails_with 1 "$said" bigshuf --expect-records=$(($1 + 1)) "${@:2}" in >out
    same '' "$(<out)"
    fails_with 1 "$said" bigshuf --expect-records=$(($1 + 1)) -o file "${@:2}" in
    same old "$(<file)"
    same './file ./in ./out ./right' "$(find . -type f ! -name .stderr | sort | paste -s -d ' ' -)"
}

test_an_input_has_the_records_that_are_expected() {
    seq 10000 | sed 's/$/_1/' >in
    for options in '' '-S 8M --parallel=1' '-n 0' '-n 7' '-n 7 --keep-order' '-n 7 -r' --probability=0.5 \
        '--weight-field=2 -t_' '--weight-field=2 -t_ -n 7 --keep-order' '--weight-field=2 -t_ -n 7 -r'; do
        knows 10000 --seed=a $options
    done
    for options in '' '-n 7' '-n 7 -r'; do knows 10000 --random-source=in $options; done
    knows 9999 --seed=a --header
    knows 5000 --seed=a --records=lines:2
    seq 3 >in
    knows 3 --seed=a
    : >in
    knows 0 --seed=a
}

test_a_large_input_has_the_records_that_are_expected() { # tags: long
    more_than_memory >in
    for options in --seed=a '--seed=a --probability=0.9' --random-source=in '--seed=a -n 50000 --keep-order'; do
        knows "$(wc -l <in)" -S 8M $options
    done
}

test_an_input_in_place_and_words_and_pipes_have_them_too() {
    seq 10 >in
    fails_with 1 '*is 10, not 9 as*' bigshuf --expect-records=9 -o in in
    same_lines in <(seq 10)
    bigshuf --expect-records=10 -o in in
    fails_with 1 '*of -e: *is 2, not 3 as*' bigshuf --expect-records=3 -e a b
    long_lines 5000 100 150 | fails_with 1 '*standard input: *is 5000, not 3 as*' bigshuf --expect-records=3 >out
    same '' "$(<out)"
    long_lines 5000 100 150 | bigshuf --expect-records=5000 | wc -l | grep -q -x ' *5000'
    seq 100000 | fails_with 1 '*standard input: *is 100000, not 3 as*' bigshuf --expect-records=3 >out
    same '' "$(<out)"
}

test_a_batch_has_the_records_that_are_expected_or_is_not_added() {
    seq 1000 >in
    fails_with 1 '*is 1000, not 7 as*' bigshuf --scatter=store --piles=4 --batch=a --expect-records=7 in
    fails_with 1 '*the store has no batches; --scatter adds them' bigshuf --gather=store
    bigshuf --scatter=store --batch=a --expect-records=1000 in
    fails_with 1 '*is 1000, not 7 as*' bigshuf --gather=store --expect-records=7 >out
    same '' "$(<out)"
    bigshuf --gather=store --expect-records=1000 -n 5 | wc -l | grep -q -x ' *5'
}
