# Stores whose manifests are false but have a right checksum: anybody who knows the format could make them. The program
# checks a manifest before it uses it, and a false one never gives a wrong output without a message.

. "$TOP/tests/support/stores.sh"

keys='' before='' # what the store is keyed by, and what comes before each of the other lines

# A store of two piles and two batches, of which x is of file `in`.
make_two_batches() {
    bigshuf --scatter=store --seed=42 --batch=x --piles=2 $keys in
    seq 100 | sed "s/^/$before/" | bigshuf --scatter=store --seed=42 --batch=y $keys
    cp store/x/manifest true
}

# Print the records (2) or the bytes (3) of pile $1 of x: number_of PILE COLUMN.
number_of() {
    awk -v pile="000$1" -v column="$2" '$1 == pile { print $column }' true
}

# Let the manifest of x say so: says PILE RECORDS BYTES.
says() {
    cp true store/x/manifest
    forge store/x/manifest "$@"
}

# Gathering names the batch or the pile in one line, and makes no output.
names_it() {
    for memory in 8M 1G; do
        fails_with 1 'bigshuf: store*: *' gather -S $memory -o out
        grep -E '^bigshuf: store(/x/|: files pile-000[01] do not hold the records that manifests say$)' .stderr
        [[ $(<.stderr) != *$'\n'* ]]
    done
    [ ! -e out ]
}

# Any number of records but the true one, of both piles or $piles.
no_number_is_believed() {
    make_two_batches
    gather -S 8M | cmp - <(gather -S 1G)
    for pile in ${piles:-0 1}; do
        records=$(number_of $pile 2)
        for forged in 0 1 $((records / 2)) $((records * 2)) $((records - 1)) $((records + 1)) \
            2305843009213693952 9223372036854775807 18446744073709551615; do
            says $pile $forged "$(number_of $pile 3)"
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
    says 0 1 "$(number_of 0 3)"
    names_it
    says 1 1 "$(number_of 1 3)"
    names_it
}

# What was never checked as the records of a length.
test_lines_that_are_said_to_begin_with_their_length() {
    seq "$(scale 2000 200000 2000000)" >in
    make_two_batches
    for coding in tfrecord u32le u32be u64le u64be varint; do
        sed "s/^records .*/records of $coding/" store/format >format
        cp format store/format
        for memory in 8M 1G; do
            fails_with 1 'bigshuf: store: files *' gather -S $memory -o out
            fails_with 1 'bigshuf: store: files *' gather -S $memory -n 10 -o out
        done
    done
    [ ! -e out ]
}

# Two batches may make up for each other in numbers, but not in records.
test_a_record_that_does_not_end_is_told() {
    seq 100 >in
    make_two_batches
    truncate -s -1 store/x/pile-0001
    says 1 "$(number_of 1 2)" $(($(number_of 1 3) - 1)) store/x/pile-0001
    names_it
    grep '^bigshuf: store: files pile-0001 do not hold the records that manifests say$' .stderr
}

# Each of them could be, but not both.
test_sums_that_overflow_are_refused() {
    # shellcheck disable=SC2153 # run.sh sets it
    cd "$MEMORY" || exit
    seq 1000 >in
    make_two_batches
    truncate -s 9223372036854775807 store/x/pile-0000 2>.stderr || skip "no file may be so large here"
    says 0 1 9223372036854775807
    fails_with 1 'bigshuf: store/x/manifest: contents have changed *' gather
    cp true store/x/manifest
    bigshuf --scatter=store --seed=42 --batch=z --piles=2 /dev/null
    cp store/z/manifest true
    truncate -s 9223372036854775807 store/z/pile-0001
    forge store/z/manifest 1 1 9223372036854775807
    fails_with 1 'bigshuf: store/z/manifest: *more bytes than can be' bigshuf --gather=store --list
    fails_with 1 'bigshuf: store/x/pile-0000: size has changed *' gather
    rm -r store/x
    fails_with 1 'bigshuf: store/z/manifest: *more bytes than can be' gather
}
