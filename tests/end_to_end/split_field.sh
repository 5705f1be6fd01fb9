# With --split-field, all records with the same field go to the same file, whatever their order.

# Print lines with a number, one of COUNT patients, and more: visits LINES COUNT.
visits() {
    seq "$1" | awk -v count="$2" '{ print $1 "\tp" $1 * $1 % count "\tx" }'
}

# Divide FILE into a, b and rest, or REST: divide FILE OPTION...
divide() {
    local file=$1
    shift
    bigshuf --seed=42 --split-field=2 --split=10%:a --split=20%:b -o "${REST:-rest}" "$@" "$file"
}

# No patient is in two of the FILEs, which may have headers: apart FILE...
apart() {
    for file; do cut -f 2 "$file" | sed '/patient/d' | sort -u; done | sort | uniq -d | cmp - /dev/null
}

test_no_patient_is_in_two_files_and_no_line_is_lost() {
    visits 3000 500 >in
    divide in
    apart a b rest
    sort a b rest | cmp - <(sort in)
    for file in a b rest; do # in the order of the seed
        bigshuf --seed=42 in | grep -Fxf $file | cmp - $file
    done
}

# With another order, other lines, other memory, as CSV and from a store, a patient goes where it went before.
test_where_a_patient_goes_depends_on_the_seed_alone() {
    visits 3000 500 >in
    divide in
    for file in a b rest; do cut -f 2 $file | sort -u >$file.patients; done
    head -n 2000 in | bigshuf --seed=other | awk '{ print $2 "," $1 }' >shuffled
    bigshuf -S 8M --seed=42 --csv --split-field=1 --split=10%:a --split=20%:b -o rest <shuffled
    for file in a b rest; do
        cut -d , -f 1 $file | sort -u | comm -23 - $file.patients | cmp - /dev/null
    done
    bigshuf --scatter=store --seed=9 in
    bigshuf --gather=store --seed=42 --split-field=2 --split=10%:a --split=20%:b -o rest
    for file in a b rest; do cut -f 2 $file | sort -u | cmp - $file.patients; done
}

test_carriage_returns_are_no_part_of_a_field_from_a_store_either() {
    seq 100 | tr '\n' '#' | sed 's/#/\r#/g' | tr '#' '\n' >in
    for format in '' --csv; do
        bigshuf --seed=42 $format --split-field=1 --split=50%:a -o rest in
        bigshuf --scatter="store$format" --seed=9 $format in
        bigshuf --gather="store$format" --seed=42 --split-field=1 --split=50%:b -o rest
        sort a | cmp - <(sort b)
    done
}

# As the page bigshuf-order says.
test_anybody_can_tell_where_a_field_goes() {
    needs python3
    { visits 3000 500; printf '1\t\n2\tpatient 7\r\n'; } >in
    divide in
    { sed -n '/^from hashlib/,/^\.Ed/ { /^\.Ed/d; s/\\e/\\/g; s/\\-/-/g; p; }' "$TOP/man/bigshuf-order.7"
        printf '%s\n' '
assert siphash(bytes(range(16)), bytes(range(15))) == 0xa129ca6149be45e5 # the example of the paper
import sys
assert [place(x) for x in (b"", b"p1", b"patient 7")] == [int(x) for x in sys.argv[1:]], sys.argv
for name, first, end in ("a", 0, 100000), ("b", 100000, 300000), ("rest", 300000, 1000000):
    for line in open(name, "rb"):
        assert first <= place(line.rstrip(b"\r\n").split(b"\t")[1]) < end, (name, line)'; } >tell.py
    python3 tell.py $(sed -n '/^The place of an empty field/,/^\.Sh/p' "$TOP/man/bigshuf-order.7" | grep -oE '[0-9]{4,}')
}

# In whatever way records come, and however much could have been written before.
test_a_record_without_the_field_is_named_before_anything_is_written() {
    seq 200000 | sed 's/$/\tx/' >ok
    { printf 'a\tb\n' && cat ok && echo c && cat ok; } >in
    for option in '' '-S 8M' --parallel=1 '-n 5' '-r -n 5' --probability=0.1; do
        fails_with 1 "bigshuf: in:200002: no field 2, only 1: 'c'" bigshuf --header=0 $option --split-field=2 --split=10%:a ok in >out
        is_empty out
    done
    sed 's/\t/,/' in >csv
    fails_with 1 "bigshuf: -:200002: no field 2, only 1: 'c'" \
        bigshuf --csv --header --stratify-field=2 --split=10%:a <csv
}

test_several_fields_are_one_key() {
    printf '%s\n' 'a|bc|1' 'ab|c|2' 'a|bc|3' 'x|y|4' >in
    bigshuf -v -t'|' --stratify-field=1 --stratify-field=2 --split=1:a -o b in 2>said
    grep -qx 'bigshuf: classes:       3, the smallest of 1 records' said
    visits 3000 50 >in
    bigshuf --seed=42 --split-field=2 --split-field=3 --split=50%:two -o rest in
    bigshuf --seed=42 --split-field=2 --split-field=2 --split=50%:one -o rest in # the same field adds nothing
    bigshuf --seed=42 --split-field=2 --split=50%:alone -o rest in
    cmp one alone
    fails_with 1 '*' cmp two alone >out
    awk 'BEGIN { OFS = "\t"; print "n", "patient", "x" } { print }' in >named
    bigshuf --seed=42 --header --split-field=patient --split-field=x --split=50%:names -o rest named
    tail -n +2 names | cmp - two
    awk -F '\t' '{ print "{\"p\":\"" $2 "\",\"x\":\"" $3 "\",\"n\":" $1 "}" }' in |
        bigshuf --seed=42 --split-field=/p --split-field=/x --split=50%:json -o rest
    same "$(cut -f 1 two | paste -s -)" "$(sed 's/.*://; s/}//' json | paste -s -)"
    cases <<'END'
bigshuf --split-field=2 --split-field=4 --split=50%:a in =! in:1: no field 4, only 3: *
bigshuf $(seq -f --split-field=%g 9) --split=50%:a in =! --split-field: more than 8 fields
bigshuf --group-field=3 --split-field=3 --split-field=2 --split=50%:a in =! cannot combine --split-field and --group-field of another field
bigshuf --group-field=2 --group-field=3 --split-field=3 --split=50%:a -o b in 2>said; cat a b | sort | cmp - <(sort in) =>
END
}

test_v_says_what_each_output_has() {
    visits 3000 50 >in
    bigshuf -v --split-field=2 --split=30%:a --split=30%:b in 2>said >c
    for file in a b c; do
        echo "bigshuf: output:        $(line_counts $file) records, $(wc -c <$file | tr -d ' ') bytes in $file"
    done | sed 's/in c/in standard output/' | cmp - <(grep output: said)
    bigshuf -v --stratify-field=2 --split=30%:a --split=70%:b in 2>said
    for file in a b; do
        echo "bigshuf: output:        $(line_counts $file) records, $(wc -c <$file | tr -d ' ') bytes in $file"
    done | cmp - <(grep output: said)
    bigshuf -v --split=30%:a in 2>said >c
    fails_with 1 '' grep output: said
}

test_percentages_are_of_fields() {
    visits 20000 10000 >in
    divide in
    for file in a b rest; do cut -f 2 $file | sort -u | wc -l; done | xargs >counts
    # shellcheck disable=SC2034
    read -r a b rest <counts # of 1044, by chance
    [ "$a" -gt 70 ]
    [ "$a" -lt 140 ]
    [ "$b" -gt 160 ]
    [ "$b" -lt 260 ]
    bigshuf --split-field=2 --split=100%:a in >out
    is_empty out
    same 20000 "$(line_counts a)"
    bigshuf --split-field=2 --split=0%:a in | sort | cmp - <(sort in)
    is_empty a
}

test_groups_headers_shards_and_samples_go_with_it() {
    { echo 'n	patient	x' && visits 3000 500 | sort -k 2,2; } >in
    REST=rest.%d divide in --header --group-field=2 --shards=bytes:10000
    apart a b rest.*
    for file in a b rest.*; do same "$(head -n 1 in)" "$(head -n 1 "$file")"; done
    cat a b rest.* | grep -v patient | sort | cmp - <(tail -n +2 in | sort)
    divide in --header -n 1000
    apart a b rest
    same 1003 "$(cat a b rest | wc -l | tr -d ' ')"
    divide in --header -n 100 --keep-order
    sort -c -k 2,2 <(tail -n +2 rest)
}

test_files_that_are_there_survive_a_line_without_the_field() {
    { visits 100 10 && echo 101; } >in
    for file in a b rest; do echo old >$file; done
    fails_with 1 "bigshuf: in:101: no field 2, only 1: '101'" divide in
    fails_with 1 "bigshuf: -:101: no field 2, only 1: '101'" divide - <in
    same 'old old old' "$(cat a b rest | xargs)"
    same 'a b in rest' "$(echo *)"
}

test_a_failure_leaves_all_files() { # tags: long
    visits 3000 50 >in
    mkdir folder
    for file in a b rest; do echo old >folder/$file; done
    fail_any_call "$(scale '1 3' '1 2 3 6 10' "$(echo {1..30})")" --seed=42 --split-field=2 --split=10%:folder/a \
        --split=20%:folder/b -o folder/rest in
}

test_what_cannot_be_split_by_a_field_is_told() {
    cases <<'END'
bigshuf --split-field=2 =! --split-field needs --split; write --split=20%:test -o train
bigshuf --split-field=1 --split=100%:a --shards=records:10 -o rest.%d <(echo x) 2>said; echo a rest* => a rest*
printf '1\r\n' | bigshuf --split-field=2 --split=10%:a =! -:1: no field 2, only 1: '1'*
bigshuf --split-field=1 $(seq -f --split=1%%:%g 65) =! --split-field: more than 64 splits
bigshuf --split-field=1 $(seq -f --split=1.5625%%:%g 64) <(seq -f '%g	' 9999) && cat [1-9]* | sort -n | tail -n 1 | cut -f 1 => 9999
END
}

test_the_files_may_be_compressed_side_by_side() {
    command -v gzip || skip "needs gzip"
    visits 3000 50 >in
    bigshuf --seed=4 --split-field=2 --split=20%:test --split=30%:valid -o train in
    bigshuf -Z --seed=4 --split-field=2 --split=20%:test.gz --split=30%:valid -o train.gz in
    gzip -dc test.gz | cmp - test
    gzip -dc train.gz | cmp - train
    fails_with 1 'bigshuf: test.gz: cannot run *' env PATH=. \
        "$(command -v bigshuf)" -Z --split-field=2 --split=20%:test.gz <in
    gzip -dc test.gz | cmp - test
}

test_a_separator_beside_an_empty_field_is_seen() {
    printf ',a\n,b\n' >in
    bigshuf --csv --group-field=2 in 2>said >out
    bigshuf --csv --split-field=2 --split=100%:a in 2>>said >>out
    printf 'a\t\nb\t\n' | bigshuf --group-field=1 2>>said >>out
    for i in {1..10}; do printf "%d%060000d\tx\n" "$i" 0; done >long
    bigshuf -S 8M --parallel=2 --unique=1 long 2>>said >>out
    same '' "$(<said)"
    printf 'a\r\nb\r\n' | bigshuf --group-field=1 2>said >out
    grep -q 'no line contains the separator' said
    more_than_memory >in
    bigshuf -S 8M --group-field=1 -n 5 in 2>said >out
    same 1 "$(grep -c 'no line contains the separator' said)"
}

# A file with commas as if it had tabs; in pieces as well.
test_a_separator_that_is_in_no_record_is_warned_of() {
    local said='no line contains the separator, so each whole line is the field; -t sets the separator of fields, --csv makes it a comma'
    seq 20 | sed 's/$/,x/' >in
    {
        bigshuf --split-field=1 --split=100%:a in
        bigshuf -t, --split-field=1 --split=100%:a in
        bigshuf --csv --group-field=1 in
        bigshuf --group-field=1 in
        head -n 1 in | bigshuf --split-field=1 --split=100%:a
    } 2>said >b
    same "bigshuf: warning: --split-field: $said
bigshuf: warning: --group-field: $said" "$(<said)"
}
