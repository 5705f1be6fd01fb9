# Groups of neighbouring records with the same key are shuffled as one record each. (records.sh has them among all the
# formats.)
# shellcheck shell=bash disable=SC2086 # several options

# Print COUNT groups of 1 to 3 lines. The last column is the number of the group, the second its key; a few groups share
# a key, but never two neighbours: groups COUNT.
groups() {
    seq "$1" | awk '{ for (i = 0; i <= $1 % 3; i++) print "m" i "\t" $1 % 7 "\t" $1 }'
}

# The numbers of the groups in standard input, in their order; each group must be there whole and in order.
numbers() {
    awk -F '\t' '
        NR > 1 && $3 != last && member != last % 3 { print "group", last, "is not whole" }
        { member = $3 == last && NR > 1 && substr($1, 2) != 0 ? member + 1 : 0 }
        substr($1, 2) != member { print "not in order: " $0 }
        member == 0 { print $3 }
        { last = $3 }
        END { if (NR > 0 && member != last % 3) print "group", last, "is not whole" }'
}

test_groups_are_as_many_records_and_come_in_their_order() {
    for count in 0 1 2 10 3000; do
        groups $count >in
        bigshuf --seed=42 --group-field=2 in | numbers | cmp - <(seq $count | bigshuf --seed=42)
        bigshuf -S 8M --seed=42 --group-field=2 < <(cat in) | numbers | cmp - <(seq $count | bigshuf --seed=42)
        bigshuf --group-field=2 --expect-records=$count in | sort | cmp - <(sort in)
    done
    fails_with 1 'bigshuf: *3000*' bigshuf --group-field=2 --expect-records=3001 in >out
}

test_groups_with_the_same_key_that_become_neighbours_stay_apart() {
    printf 'a\t1\nb\t1\na\t2\n' >in
    for seed in $(seq 20); do
        bigshuf --seed="$seed" --group-field=1 --shards=records:1 -o part.%02d in
        same 3 "$(printf '%s\n' part.* | wc -l)"
        bigshuf --seed="$seed" --group-field=1 in | bigshuf --seed=5 --group-field=1 | sort | cmp - <(sort in)
    done
}

test_shards_and_splits_have_whole_groups() {
    groups 100 >in
    bigshuf --seed=3 --group-field=3 in >all
    bigshuf --seed=3 --group-field=3 --split=20%:test --shards=records:10 -o part.%d in
    same '20 10 10 10 10 10 10 10 10' "$(for file in test part.?; do numbers <"$file" | wc -l; done | xargs)"
    cat test part.? | cmp - all
    bigshuf --seed=3 --group-field=2 --shards=7 -o seventh.%d in
    same '15 15 14 14 14 14 14' "$(for file in seventh.?; do numbers <"$file" | wc -l; done | xargs)"
}

# Sorted by it, nothing is said.
test_groups_that_are_torn_are_warned_of_once() {
    local warning="the records of group '1' are not all neighbours, so they are several groups; sort by field 2 first"
    groups 30 >in
    for options in -S1G '--parallel=1 -S8M' '--keep-order -n 9' '--shards=2 -o out-%d' '-r -n 50' '--part=1/2 --seed=7'; do
        same "bigshuf: warning: in: $warning" "$(bigshuf --group-field=2 $options in 2>&1 >out)"
        same "bigshuf: warning: -: $warning" "$(bigshuf --group-field=2 $options < <(cat in) 2>&1 >out)"
        same '' "$(sort -k 2,2 in | bigshuf --group-field=2 $options 2>&1 >out)"
    done
    same "bigshuf: warning: in: $warning" "$(bigshuf --scatter=store --piles=2 --group-field=2 in 2>&1)"
    head -n 3 in >a # groups go on in the next file
    tail -n +4 in >b
    same '' "$(bigshuf --group-field=3 a b 2>&1 >out)"
    same "bigshuf: warning: b: $warning" "$(bigshuf --group-field=2 a b 2>&1 >out)"
    printf '%0100d\n-\n%0100d\n' 0 0 | tr '\n' '\t' >long
    fails_with 0 "bigshuf: warning: long: the records of group '$(printf %060d 0)...' are not all *" \
        bigshuf --delimiter='\t' -t, --group-field=1 long >out
}

# Sorted files that were put together, with too many keys to remember all of them.
test_groups_that_are_torn_far_apart_are_noticed() {
    seq "$(scale 20000 200000 2000000)" | sed 's/$/\t/' >in
    same '' "$(bigshuf --group-field=1 in 2>&1 >out)"
    fails_with 0 '*the records of group * are not all neighbours*' bigshuf --group-field=1 in in >out
}

test_groups_that_a_split_would_tear_apart_are_an_error() {
    local message="bigshuf: in: the records of group 'b' are not all neighbours, so --split would divide it; sort by field 1 first"
    printf 'b\t1\na\t2\nb\t3\nc\t4\n' >in
    echo old >rest
    fails_with 1 "$message" bigshuf --group-field=1 --split=1:test -o rest in
    fails_with 1 "$message" bigshuf --group-field=1 --split=50%:test in
    fails_with 1 "$message" bigshuf --group-field=1 --split=0:test --split=1:valid --shards=2 -o part.%d in
    # shellcheck disable=SC2016 # the filter's
    fails_with 1 "$message" bigshuf --group-field=1 --split=1:test --filter='cat >$FILE' -o rest in
    same 'in rest' "$(echo *)"
    same old "$(<rest)"
    sort in >sorted
    bigshuf --group-field=1 --split=1:test -o rest sorted
    bigshuf --group-field=1 --split-field=1 --split=50%:test -o rest in 2>said # keeps them together, wherever they stand
    same_lines <(cat test rest) in
    same 1 "$(grep -l b test rest | wc -l | xargs)"
}

# A group of n members, here lines of 4 bytes, has 4n bytes, not 5n.
test_bytes_of_shards_are_those_that_are_written() {
    seq 100 199 | awk '{ print; print }' >in
    bigshuf --group-field=1 --shards=bytes:80 -o part.%02d in
    same '80 80 80 80 80 80 80 80 80 80' "$(for file in part.*; do wc -c <"$file"; done | xargs)"
    bigshuf --group-field=1 --shards=bytes:79 -o part.%02d in
    same 72 "$(wc -c <part.00 | xargs)"
    bigshuf --group-field=1 --shards=bytes:7 -o one.%03d in
    same 100 "$(printf '%s\n' one.* | wc -l | xargs)"
}

test_members_and_bytes_are_told_without_marks() {
    groups 30 >in
    bigshuf -v --group-field=2 in 2>said >out
    grep -x 'bigshuf: records:       30 read, 30 written' said
    grep -x "bigshuf: bytes: *$(wc -c <in | xargs)" said
    bigshuf -v --group-field=2 < <(cat in) 2>said >out
    grep -x "bigshuf: bytes: *$(wc -c <in | xargs)" said
}

test_stores_keep_groups() {
    groups 500 >in
    head -n 96 in >a
    tail -n +97 in >b
    for file in a b; do bigshuf --scatter=store --piles=4 --seed=9 --batch=$file --group-field=2 $file; done
    grep -x 'groups of end "\\n"' store/format
    bigshuf --gather=store --seed=9 >out
    numbers <out | sort -n | cmp - <(seq 500)
    bigshuf --gather=store --seed=9 --shards=bytes:300 -o part.%03d
    cat part.* | cmp - out
    fails_with 1 'bigshuf: store/format: the store has groups of end *' bigshuf --scatter=store --batch=c a
    fails_with 1 'bigshuf: cannot combine --gather and --group-field' bigshuf --gather=store --group-field=1
}

test_a_group_larger_than_memory_stays_whole() {
    {
        seq 1000
        seq "$(scale 10000 110000 20000000)" | sed "s/^/large\t$(printf %080d 0)/"
        seq 1000
    } >in
    bigshuf -S 8M --seed=1 --group-field=1 in >out
    grep -n large out | sed 's/:.*//' | awk 'NR > 1 && $1 != last + 1 { print "apart" } { last = $1 }' | cmp - /dev/null
    grep large out | cmp - <(grep large in)
    same "$(awk '!/large/ || !seen++ { print $1 }' out | md5)" \
        "$({ seq 1000 && echo large && seq 1000; } | bigshuf --seed=1 | md5)"
}

test_keys_may_be_anything() {
    printf 'a\n\t1\0a\n\t2\0a\t3\0\t4\0\0' | bigshuf -z --seed=1 --group-field=1 --shards=records:1 -o part.%d
    same '10 18 4 4' "$(wc -c part.? | awk '{ print $1 }' | sort | xargs)"
    printf 'a,b\n"x,y",2\n"x,y",3\nz,4\n' | bigshuf --csv --header --group-field=1 --shards=records:1 -o csv.%d
    same 2 "$(printf '%s\n' csv.? | wc -l | xargs)"
    grep -h -A 1 '"x,y",2' csv.? | grep -x '"x,y",3'
}

# Of a group, and of a split: whole, as CSV, and of a record that comes in pieces.
test_a_field_may_have_64_kibibytes_before_any_end_of_line() {
    local key splits='--split=50%:a -o b --split-field'
    key=$(head -c 65536 /dev/zero | tr '\0' k)
    for end in '\n' '\r\n'; do
        # shellcheck disable=SC2059 # escapes
        printf "1,$key$end"'2,"'"$key\"$end" | tee quoted | tr -d '"' >in
        # shellcheck disable=SC2059
        { head -c 9000000 /dev/zero | tr '\0' x && printf ",$key$end"; } >large
        for way in "-t, --group-field=2" "-t, $splits=2"; do
            bigshuf $way in >out 2>said
            sed "s/,/,k/" in >longer
            fails_with 1 '*field* has more than 65536 bytes' bigshuf $way longer >out
        done
        bigshuf --csv --group-field=2 -o a quoted
        cmp a quoted
        bigshuf --csv $splits=2 quoted
        sort a b | cmp - <(sort quoted)
        bigshuf -S 8M -t, $splits=2 large
        cat a b | cmp - large
    done
}
