# Batches whose manifests are false but have a right checksum: anybody who knows the format could make them. The program
# checks a manifest before it uses it, and a false one never gives a wrong output without a message.

. "$TOP/tests/support/stores.sh"

keys='' before='' # what the store is keyed by, and what comes before each of the other lines

# A store of two piles and two batches, of which x is of file `in`.
make_two_batches() {
    bigshuf --scatter=store --seed=42 --batch=x --piles=2 $keys in
    seq 100 | sed "s/^/$before/" | bigshuf --scatter=store --seed=42 --batch=y $keys
    cp store/x true
    batch true | sed 1d >numbers
}

# Print the records (1) or the bytes (2) of pile $1 of x: number_of PILE COLUMN.
number_of() {
    awk -v pile="$1" -v column="$2" 'NR == pile + 1 { print $column }' numbers
}

# Let the manifest of x say so: says PILE RECORDS BYTES.
says() {
    cp true store/x
    forge store/x "$@"
}

# Gathering names the batch or the pile in one line, and makes no output.
names_it() {
    for memory in 8M 1G; do
        fails_with 1 'bigshuf: store*: *' gather -S $memory -o out
        grep -E '^bigshuf: store(/x: |: pile [01] does not hold the records that its batches say$)' .stderr
        same 1 "$(wc -l <.stderr | tr -d ' ')"
    done
    [ ! -e out ]
}

# Any number of records but the true one, of both piles or $piles.
no_number_is_believed() {
    make_two_batches
    gather -S 8M | cmp - <(gather -S 1G)
    for pile in ${piles:-0 1}; do
        records=$(number_of $pile 1)
        for forged in 0 1 $((records / 2)) $((records * 2)) $((records - 1)) $((records + 1)) \
            2305843009213693952 9223372036854775807 18446744073709551615; do
            says $pile $forged "$(number_of $pile 2)"
            names_it
        done
    done
}

# All of them in pile 0.
test_numbers_of_records_of_a_key_larger_than_memory() { # tags: long
    long_lines 1000 9000 15000 | sed 's/^/key\t/' >in
    keys=--group-field=1 before='key\t'
    piles=0 no_number_is_believed
}

test_numbers_of_records_in_a_pile_that_fits() {
    seq 20000 >in
    no_number_is_believed
}

test_numbers_of_records_in_a_pile_that_is_scattered_again() { # tags: long
    needs_scale small
    seq 1300000 >in
    piles=0 no_number_is_believed
}

test_numbers_of_records_in_a_leaf_that_does_not_fit() { # tags: long
    needs_scale small
    long_lines 1500 5000 15000 >in
    piles=1 no_number_is_believed
}

test_a_pile_that_is_said_to_have_one_record_is_not_copied_as_it_is() {
    seq "$(scale 1300000 2000000 2000000)" >in
    make_two_batches
    says 0 1 "$(number_of 0 2)"
    names_it
    says 1 1 "$(number_of 1 2)"
    names_it
}

# What was never checked as the records of a length.
test_lines_that_are_said_to_begin_with_their_length() {
    seq "$(scale 2000 200000 2000000)" >in
    make_two_batches
    for coding in tfrecord u32le u32be u64le u64be varint; do
        sed "s/^records .*/records of $coding/" store/format >text
        cp text store/format
        forge store/format
        for memory in 8M 1G; do
            fails_with 1 'bigshuf: store: pile *' gather -S $memory -o out
            fails_with 1 'bigshuf: store: pile *' gather -S $memory -n 10 -o out
        done
    done
    [ ! -e out ]
}

# Two batches may make up for each other in numbers, but not in records.
test_a_record_that_does_not_end_is_told() {
    seq 100 >in
    make_two_batches
    says 1 "$(number_of 1 1)" $(($(number_of 1 2) - 1))
    names_it
    grep '^bigshuf: store: pile 1 does not hold the records that its batches say$' .stderr
}

# Each of them could be, but not both.
test_sums_that_overflow_are_refused() {
    # shellcheck disable=SC2153 # run.sh sets it
    cd "$MEMORY" || exit
    seq 1000 >in
    make_two_batches
    bigshuf --scatter=store --seed=42 --batch=w --piles=2 /dev/null
    forge store/w 1 1 9223372036854000000 2>.stderr || skip "no file may be so large here"
    bigshuf --list=store
    ln store/w store/z
    fails_with 1 'bigshuf: store/z: with it, the store has more bytes than can be' bigshuf --list=store
    fails_with 1 'bigshuf: store/z: with it, the store has more bytes than can be' gather
}
