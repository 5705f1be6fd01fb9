# Records with the same key: --group-field writes them together, wherever they stand, and --unique only the first of them.
# The order is that of a hash of the key (bigshuf-order), so it depends on the seed and the set of keys alone.

# Print COUNT lines with one of KEYS keys, a few others, and a number: keyed_lines COUNT KEYS [PADDING].
keyed_lines() {
    seq "$1" | awk -v keys="$2" -v padding="${3-}" '{ print $1 * 7919 % keys "\t" $1 * $1 % 3 "\t" $1 padding }'
}

test_the_order_is_what_the_page_says() { # tags: long
    needs python3
    for count in 0 1 2 30 3000; do
        keyed_lines $count 700 | tee in$count | cut -f 1 >column$count
        bigshuf --seed=x --unique column$count >whole$count
        echo column$count whole$count unique x
        for fields in 1 2 3 '2 1' '1 2'; do
            set -- $fields
            bigshuf --seed=42 "${@/#/--group-field=}" in$count >group$count.$1$#
            echo in$count group$count.$1$# group 42 $fields
            bigshuf --seed=42 "${@/#/--unique=}" in$count >unique$count.$1$#
            echo in$count unique$count.$1$# unique 42 $fields
        done
    done >plan
    model check <plan
}

# Golden values: people pin seeds in papers. Keys of 0 to 70 bytes.
test_golden_orders_of_keys() {
    cases <<'END'
seq 10 | bigshuf --seed=42 --unique => 2 10 3 7 6 4 5 9 8 1
seq 10 | bigshuf --seed=42 --group-field=1 2>said => 9 4 2 10 1 6 3 7 8 5
shorter_lines 70 | bigshuf --seed=42 --unique | md5 => e181ca9ee9e9f1de8cdd399d4ef083fb
END
}

test_golden_orders_of_keys_of_a_million() { # tags: long
    cases <<'END'
seq 1000000 | sed 's/$/\t/' | bigshuf --seed=42 --group-field=1 | md5 => 603af39a798c1b7333d0f9ec1b661e84
seq 1000000 | bigshuf --seed=42 --unique | md5 => 0b4bbc9d18404aea85120501fa563b36
seq 1000000 | awk '{ print $1 % 1000 "\t" $1 }' | bigshuf --seed=42 --group-field=1 | md5 => e4990643218fe42898c4f764aa25d804
END
}

test_memory_threads_pipes_and_files_do_not_matter() { # tags: long
    keyed_lines "$(scale 20000 200000 3000000)" 30000 "$(printf %080d 0)" >in
    head -n 7777 in >a
    tail -n +7778 in >b
    for key in --group-field=1 --group-field=2 --unique --unique=1 --unique=2; do
        bigshuf --seed=1 $key in >right
        for options in '-S 8M' '-S 8M --parallel=1' '-S 11M --parallel=3' --parallel=1; do
            bigshuf --seed=1 $key $options in | cmp - right
            bigshuf --seed=1 $key $options < <(cat in) | cmp - right
        done
        bigshuf --seed=1 $key a b | cmp - right
    done
}

test_the_order_depends_on_the_set_of_keys_alone() {
    keyed_lines 5000 900 >in
    bigshuf --seed=1 in >other
    bigshuf --seed=7 --group-field=1 in | cut -f 1 | uniq >keys
    same 900 "$(sort -u keys | wc -l | tr -d ' ')"
    for way in 'cat other' 'cat in in other' 'sort -u other' 'tac in'; do
        $way | bigshuf --seed=7 --group-field=1 | cut -f 1 | uniq | cmp - keys
    done
    cut -f 1 in | bigshuf --seed=7 --unique | cmp - <(cut -f 1 other | bigshuf --seed=7 --unique)
    bigshuf --seed=7 --group-field=1 other | grep '^5	' | cmp - <(grep '^5	' other) # in input order
    fails_with 1 '*' cmp keys <(bigshuf --seed=8 --group-field=1 in | cut -f 1 | uniq) >out
}

test_units_are_counted_by_all_that_counts() {
    keyed_lines 3000 100 >in
    for key in --group-field=1 --unique=1; do
        bigshuf --seed=3 $key in >all
        for memory in '' '-S 8M --parallel=1'; do
            bigshuf --seed=3 $key $memory -n 20 in >first
            same 20 "$(cut -f 1 first | uniq | wc -l | tr -d ' ')"
            bigshuf --seed=3 $key $memory --skip=20 in | cat first - | cmp - all
            for part in 1 2 3; do bigshuf --seed=3 $key $memory --part=$part/3 in; done | cmp - all
            bigshuf --seed=3 $key $memory --split=20:test --shards=records:10 -o part.%d in
            cmp test first
            cat test part.? | cmp - all
            bigshuf --seed=3 $key $memory --split=20%:test --shards=7 -o seventh.%d in
            cmp test first
            cat test seventh.? | cmp - all
            same '12 12 12 11 11 11 11' "$(for file in seventh.?; do cut -f 1 $file | uniq | wc -l; done | xargs)"
        done
    done
    cases <<'END'
bigshuf --unique=1 --split=101:a in =! --split: the files must not take more than the 100 records there are
bigshuf --seed=3 --group-field=1 --skip=101 in =! --skip=101: only 100 records; to leave out a header, use --header
bigshuf --group-field=1 --expect-records=100 in =! in: the number of records is 3000, not 100 as --expect-records says
END
}

test_v_tells_records_groups_and_what_was_left_out() {
    keyed_lines 3000 100 >in
    for memory in -S1G '-S 8M --parallel=1'; do
        bigshuf -v $memory --group-field=1 in 2>said >out
        grep -qx 'bigshuf: records:       3000 read, 3000 written' said
        grep -qx 'bigshuf: groups:        100 written' said
        bigshuf -v $memory --unique=1 < <(cat in) 2>said >out
        grep -qx 'bigshuf: records:       3000 read, 100 written' said
        grep -qx 'bigshuf: left out:      2900 records that came again' said
    done
}

# With n members of 4 bytes, a group has 4n bytes.
test_bytes_of_shards_are_those_that_are_written() {
    seq 100 199 | awk '{ print; print }' >in
    bigshuf --group-field=1 --shards=bytes:80 -o part.%02d in 2>said
    same '80 80 80 80 80 80 80 80 80 80' "$(for file in part.*; do wc -c <"$file"; done | xargs)"
    bigshuf --group-field=1 --shards=bytes:7 -o one.%03d in 2>said
    same 100 "$(printf '%s\n' one.* | wc -l | xargs)"
    long_line 5999999 >in # in records larger than what is written at a time
    bigshuf -S 8M --records=bytes:300000 --shards=bytes:1M -o large.%d in
    same '600000 900000' "$(for file in large.*; do wc -c <"$file"; done | sort -nu | xargs)"
    bigshuf --shards=bytes:1 -o single.%d -i 1-3
    same 3 "$(printf '%s\n' single.* | wc -l | xargs)"
}

test_a_key_larger_than_memory_is_copied_through() { # tags: long
    {
        seq 1000 | sed 's/$/\t/'
        seq "$(scale 10000 110000 20000000)" | sed "s/^/large\t$(printf %080d 0)/"
        seq 1000 2000 | sed 's/$/\t/'
    } >in
    for options in '-S 8M' '-S 8M --parallel=1'; do
        bigshuf -v $options --seed=1 --group-field=1 in >out 2>said
        grep -qx "bigshuf: started over:  $(scale 0 1 1) piles" said
        grep -n large out | sed 's/:.*//' | awk 'NR > 1 && $1 != last + 1 { print "apart" } { last = $1 }' | cmp - /dev/null
        grep large out | cmp - <(grep large in)
        cut -f 1 out | uniq | cmp - <(cut -f 1 in | sed 's/$/\t/' | bigshuf --seed=1 --group-field=1 | cut -f 1 | uniq)
        bigshuf $options --seed=1 --unique=1 in | cut -f 1 | cmp - <(cut -f 1 in | sed 's/$/\t/' | bigshuf --seed=1 --unique=1 | cut -f 1)
        bigshuf $options --seed=1 --group-field=1 --shards=2 -o half.%d in
        cat half.? | cmp - out
    done
}

# Keys that go to its pile come before and after it; the records of some are long, or more than fit into memory.
test_others_stand_beside_a_key_larger_than_memory() { # tags: long
    { echo large && seq 20000; } | sed 's/$/\t/' | bigshuf --seed=1 --group-field=1 | grep -B 3 -A 3 large | tr -d '\t' >near
    for long in '' '2p;6p' '2p;4p'; do
        {
            while read -r key; do printf '%s\t1\n' "$key"; done <near
            seq "$(scale 100000 110000 3000000)" | sed "s/^/large\t$(printf %080d 0)/"
            sed -n "$long" near | while read -r key; do printf '%s\t' "$key" && long_line 300000; done
            while read -r key; do printf '%s\t2\n' "$key"; done <near
        } >in
        bigshuf -S 1G --seed=1 --group-field=1 in >right
        for options in '-S 8M' '-S 8M --parallel=1' '-S 8M --skip=1 -n 2' '-S 8M -n 4'; do
            bigshuf $options --seed=1 --group-field=1 in | cmp - <(bigshuf ${options#-S 8M} --seed=1 --group-field=1 right)
        done
    done
}

# Keys at the end of records of 1 byte to 3 MB.
test_records_may_be_of_any_length() { # tags: long
    for bytes in 1 5000 70000 $(scale '' 400000 '400000 3000000'); do
        for key in 1 2 1 3; do head -c "$bytes" /dev/zero | tr '\0' "$key" && printf '\tk%d\nshort\tk%d\n' "$key" "$key"; done
    done >in
    for key in --group-field=2 --unique=2 --unique; do
        bigshuf --seed=1 $key in >right
        for options in '-S 8M' '-S 8M --parallel=1' --parallel=1; do
            bigshuf --seed=1 $options $key in | cmp - right
            bigshuf --seed=1 $options $key < <(cat in) | cmp - right
        done
    done
    bigshuf --unique in | sort | cmp - <(sort -u in)
}

# From a pipe: what is held of it at first ends within a line.
test_records_larger_than_memory_come_from_a_pipe() { # tags: long
    giants >in
    bigshuf --seed=1 --unique in >right
    for options in '-S 8M' '-S 8M --parallel=1' '-S 32M'; do
        cat in in | bigshuf --seed=1 $options --unique | cmp - right
    done
    tr 0-8 a-i <in | sed 's/$/\tkey/' | bigshuf -S 8M --group-field=2 | cmp - <(tr 0-8 a-i <in | sed 's/$/\tkey/')
}

# Of short records, a block has more than its lists have room for at once.
test_the_first_record_without_a_key_is_named_wherever_it_stands() {
    seq 100000 | sed 's/$/\tkey/; 50001s/.*/none/; 90000s/.*/neither/' >in
    for options in --parallel=1 '--parallel=1 -S 8M' ''; do
        fails_with 1 "bigshuf: in:50001: no field 2, only 1: 'none'" bigshuf $options --group-field=2 in >out
        fails_with 1 "bigshuf: -:50001: no field 2, only 1: 'none'" bigshuf $options --unique=2 < <(cat in) >out
        is_empty out
    done
}

test_a_long_record_without_a_key_is_quoted_from_its_beginning() {
    { printf '1\tx\nstart'; long_line 9000000; } >in
    for options in '-S 8M' '-S 8M --parallel=1' ''; do
        fails_with 1 "bigshuf: in:2: no field 2, only 1: 'start1 2 3*'" bigshuf $options --group-field=2 in >out
        fails_with 1 "bigshuf: -:2: no field 2, only 1: 'start1 2 3*'" bigshuf $options --unique=2 < <(cat in) >out
        is_empty out
    done
}

test_lines_that_come_again_and_again_are_no_load() {
    awk -v n="$(scale 10000 1000000 100000000)" 'BEGIN {
        for (i = 1; i <= 1000; i++) print i
        while (n-- > 0) printf "line %060d\n", n % 2000
        for (i = 500; i <= 1500; i++) print i
    }' >in
    bigshuf -v -S 8M --unique --seed=1 in 2>said | cmp - <({ seq 1500; seq -f 'line %060.0f' 0 1999; } | bigshuf --unique --seed=1)
    grep -qx 'bigshuf: spilled:       0 piles, 0 bytes' said
}

test_all_kinds_of_records_can_be_unique() {
    cases <<'END'
bigshuf --seed=1 -e --unique a b a a | sort => a b
printf 'a\r\nb\na\n' | bigshuf --unique 2>said | wc -l => 3
printf 'a\na' | bigshuf --unique => a
printf 'a\n\na\n' | bigshuf --records=paragraph --unique | wc -c => 3
printf 'abcdab' | bigshuf --records=bytes:2 --unique | wc -c => 4
printf '>a\nx\n>b\ny\n>a\nx\n' | bigshuf --records=fasta --unique | sort => >a >b x y
printf 'a;b;a;' | bigshuf --delimiter=';' --unique | wc -c => 4
printf 'a--b--a--' | bigshuf --delimiter=-- --unique | wc -c => 6
printf 'h\nx\nh\nx\n' | bigshuf --header --unique | sort => h h x
printf '"a\nb",1\n"a\nb",2\nc,1\n' | bigshuf --csv --unique=1 | wc -l => 3
END
}

test_what_has_no_sense_with_keys_is_refused() {
    cases <<'END'
bigshuf --unique --group-field=1 =! cannot combine --group-field and --unique; use one run for each
bigshuf -r -n 1 --unique =! cannot combine --unique and -r; write to a file, and draw from that in another run
bigshuf --group-field=1 --keep-order -n 1 =! cannot combine --group-field and --keep-order; *
bigshuf --group-field=1 --probability=1 =! cannot combine --group-field and --probability; *
bigshuf --unique --weights=w =! cannot combine --unique and --weights; *
bigshuf --unique --random-source=w =! cannot combine --unique and --random-source; *
bigshuf --unique --stratify-field=1 --split=1:a =! cannot combine --stratify-field and --unique; *
bigshuf --unique --records=tar =! cannot combine --records=tar and --unique*
bigshuf --unique=1 --records=lines:2 =! cannot combine --records=lines and --unique of a field*
bigshuf --unique --unique=1 =! cannot combine --unique and --unique=1
bigshuf --unique=2 --unique =! cannot combine --unique and --unique=2
bigshuf --unique= =! invalid --unique argument '': must be the number of a column, its name, or a JSON Pointer
bigshuf --gather=store --unique =! cannot combine --unique and --gather; --scatter says by what, or pipe what --gather writes to another run
bigshuf --unique=/a <(printf '{"a": 1}\n{"b": 1}\n') =! */63:2: nothing at /a: *
END
}

# The batches of logs from two machines, of which one has each key.
test_a_store_collects_what_its_batches_have() { # tags: long
    keyed_lines 3000 100 >a
    keyed_lines 2000 170 >b
    for key in --group-field=1 --unique=1 '--group-field=2 --group-field=1'; do
        bigshuf --scatter=store --piles=8 --batch=b $key b
        bigshuf --scatter=store --batch=a --parallel=1 $key a
        bigshuf --gather=store --seed=1 >all
        for memory in '-S 8M --parallel=1' --parallel=3; do bigshuf --gather=store --seed=1 $memory | cmp - all; done
        cat a b | bigshuf $key | sort | cmp - <(sort all)
        if [ "$key" = --group-field=1 ]; then
            same 170 "$(cut -f 1 all | uniq | wc -l | xargs)"
            grep '^5	' all | cmp - <(cat a b | grep '^5	') # in the order of batches
        fi
        bigshuf --gather=store --seed=1 --epoch=1 >other
        fails_with 1 '*' cmp other all >out
        for part in 1 2 3; do bigshuf --gather=store --seed=1 --part=$part/3; done | cmp - all
        bigshuf --gather=store --seed=1 --split=10%:test --shards=3 -o part.%d
        cat test part.? | cmp - all
        { bigshuf --gather=store --seed=1 -n 20 && bigshuf --gather=store --seed=1 --skip=20; } | cmp - all
        rm -r store
    done
    bigshuf --scatter=store --unique a
    bigshuf --scatter=store --unique b
    bigshuf --gather=store | sort | cmp - <(sort -u a b)
    bigshuf --gather=store -v 2>said >out
    grep -qx "bigshuf: left out:      $((5000 - $(sort -u a b | wc -l))) records that came again" said
}

test_a_store_says_what_its_keys_are() {
    printf 'id,x\n1,a\n2,b\n1,c\n' >in
    bigshuf --scatter=store --csv --header --batch=a --group-field=id in
    bigshuf --scatter=store --csv --header --batch=a --seed=2 --group-field=id in 2>said
    grep -q 'batch a is in store already: nothing was added' said
    bigshuf --gather=store --split-field=id --split=50%:a -o b
    same 5 "$(cat a b | wc -l | xargs)"
    grep -h -A 1 '^1,a' a b | grep -qx 1,c
    grep -qx 'groups by "id" separated by "," key [0-9a-f]*' store/format
    bigshuf --scatter=json --piles=2 --unique=/a/b <<<'{"a": {"b": 1}}'
    cases <<'END'
bigshuf --gather=json --seed=1 --split-field=/a/b --split=1%:c 2>said => {"a": {"b": 1}}
bigshuf --scatter=store --csv --header --unique=id in =! store/format: the store has groups by "id" separated by ",", not unique records by "id" separated by ","
bigshuf --scatter=store --csv --header in =! store/format: the store has groups by "id" separated by ",", not plain records
bigshuf --gather=store --split-field=x --split=50%:a =! --split-field: it would tear the groups of this store apart; split by their field
bigshuf --gather=store --stratify-field=id --split=1:a =! --stratify-field: the records of this store have keys; pipe what --gather writes to another run
bigshuf --gather=store -t ';' --split-field=id --split=50%:a =! -t: the fields of this store are separated by another byte
bigshuf --scatter=rows --csv in && bigshuf --gather=rows -t e --split-field=1 --split=50%:a =! -t: the fields of this store are separated by another byte
bigshuf --scatter=json --unique=/a/b <(echo 1) =! */63:1: nothing at /a/b: *
END
}

test_a_group_in_a_store_may_be_larger_than_memory() {
    seq "$(scale 10000 110000 1000000)" | sed "s/^/large\t$(printf %080d 0)/" >in
    for key in --group-field=1 --unique=1; do
        bigshuf --scatter=store -S 8M --piles=2 $key in <(seq 9 | sed 's/$/\t/')
        bigshuf --gather=store -S 8M >out
        grep large out | cmp - <(if [ $key = --unique=1 ]; then head -n 1 in; else cat in; fi)
        same 9 "$(grep -c -v large out)"
        rm -r store
    done
}

test_keys_may_be_anything() {
    printf 'a\n\t1\0a\t3\0a\n\t2\0\t4\0\0' | bigshuf -z --seed=1 --group-field=1 --shards=records:1 -o part.%d
    same '10 18 4 4' "$(wc -c part.? | awk '{ print $1 }' | sort | xargs)"
    printf 'a,b\n"x,y",2\n"x,y",3\nz,4\n' | bigshuf --csv --header --group-field=1 --shards=records:1 -o csv.%d
    same 2 "$(printf '%s\n' csv.? | wc -l | xargs)"
    grep -h -A 1 '"x,y",2' csv.? | grep -x '"x,y",3'
}

# Of a group, and of a split: whole, as CSV, and of a record that comes in pieces. A long one is folded.
test_a_field_may_have_any_length_before_any_end_of_line() {
    local key splits='--split=50%:a -o b --split-field' bytes end hash
    for bytes in 65536 65537 65538 200000; do
        key=$(printf "%0${bytes}d" 1)
        same 1 "$(printf "$key\r\n\"$key\"\n$key\n" | bigshuf --csv --unique=1 | grep -c .)"
        same 2 "$(printf '{"a":"%s"}\n' "$key" "${key%1}" "$key" | bigshuf --unique=/a | grep -c .)"
    done
    for bytes in {1..9}; do
        key=$(printf %065537d "$bytes") hash=$(printf %s "$key" | sha256sum)
        printf "$key-\t$bytes\n" >>folded
        printf "${hash%% *}-\t$bytes\n" >>hashed
    done
    cmp <(bigshuf --seed=1 --group-field=1 folded | cut -f 2) <(bigshuf --seed=1 --group-field=1 hashed | cut -f 2)
    for end in '\n' '\r\n'; do
        key=$(printf "%065537d" 1)
        printf "1,$key$end"'2,"'"$key\"$end" | tee quoted | tr -d '"' >in
        { head -c 9000000 /dev/zero | tr '\0' x && printf ",$key$end"; } >large
        for way in "-t, --group-field=2" "-t, $splits=2"; do
            bigshuf $way in >out 2>said
        done
        bigshuf --csv --group-field=2 -o a quoted
        cmp a quoted
        bigshuf --csv $splits=2 quoted
        sort a b | cmp - <(sort quoted)
        bigshuf -S 8M -t, $splits=2 large
        cat a b | cmp - large
    done
}

# Its key is in its first record, which may be in several frames.
test_a_group_with_a_long_record_goes_where_a_short_one_does() {
    { printf '1\t%s\n2\tb\n1\tc\n' "$(head -c 3000000 /dev/zero | tr '\0' x)" && seq 3 40; } >long
    cut -c 1-20 long >short
    for options in '' '-S 8M'; do
        bigshuf $options --seed=1 --group-field=1 --split-field=1 --split=50%:a -o b long
        cut -c 1-20 a b >found
        bigshuf --seed=1 --group-field=1 --split-field=1 --split=50%:a -o b short
        cat a b | cmp - found
    done
}
