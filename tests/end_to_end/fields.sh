# Fields that are called by their names in a header, or by a JSON Pointer. What is done by fields has tests of its own
# (split_field.sh, groups.sh, sampling.sh): here the same is done by a number, which must come to the same.

# Print COUNT visits of a few patients, with a weight, as lines with tabs, as CSV or as JSON, neighbours in groups:
# visits_as tabs|csv|json COUNT
visits_as() {
    seq "$2" | awk -v form="$1" '
        BEGIN {
            if (form == "tabs") print "n\tpatient\tw"
            if (form == "csv") print "n,\"patient\",w"
        }
        { patient = "p" (int($1 / 3) * 7 % 50); w = $1 % 9 }
        form == "tabs" { print $1 "\t" patient "\t" w }
        form == "csv" { print $1 ",\"" patient "\"," w }
        form == "json" {
            print "{\"n\": " $1 ", \"meta\": {\"user\": \"\\u0070" substr(patient, 2) "\", \"w\": [" w "]}, \"text\": \"a, \\\"b\\\" {\"}"
        }'
}

# The numbers of visits_as in JSON.
numbers() {
    sed 's/^{"n": \([0-9]*\),.*/\1/'
}

# Do the same to `in`, and to a pipe, by a number and by a name: by_number_and_name NUMBER NAME OPTION...
by_number_and_name() {
    local option number=$1 name=$2
    shift 2
    for option in --group-field --weight-field "--split=30%:a --split-field"; do
        bigshuf --seed=7 "$@" $option="$number" in >wanted 2>said
        [ ! -e a ] || mv a wanted.a
        bigshuf --seed=7 "$@" $option="$name" in 2>said | cmp - wanted
        [ ! -e a ] || cmp a wanted.a
        bigshuf --seed=7 "$@" $option="$name" < <(cat in) 2>said | cmp - wanted
        [ ! -e a ] || cmp a wanted.a
    done
    rm a
}

test_a_name_stands_for_the_number_of_its_column() {
    visits_as tabs 300 >in
    by_number_and_name 3 w --header
    visits_as csv 300 >in
    by_number_and_name 3 w --header --csv
    by_number_and_name 2 '"patient"' --header --csv -n 0
    by_number_and_name 3 '"w"' --header --csv -n 20
    tr , ';' <in >other && mv other in
    by_number_and_name 3 w --header --csv -t ';'
    visits_as tabs 300 | tr '\t' ' ' >in
    by_number_and_name 3 w --header -t ' '
    { printf '\357\273\277' && sed 's/$/\r/' in; } >other && mv other in # a byte-order mark, and lines of Windows
    by_number_and_name 1 n --header -t ' '
    by_number_and_name 3 w --header -t ' '
}

# The first column but one, weights from 1 on.
test_names_are_compared_byte_by_byte() {
    printf '2020,"a ""b""",/x,N\303\251,"l\nm", c,c\n7,8,9,1,2,3,4\n' >in
    printf '\357\273\277"x"\r\n1\r\n' >marked
    cases <<'END'
bigshuf --csv --header --weight-field='"2020"' in | tail -n 1 => 7,8,9,1,2,3,4
bigshuf --csv --header --weight-field='a "b"' in | tail -n 1 => 7,8,9,1,2,3,4
bigshuf --csv --header --weight-field='"a ""b"""' in | tail -n 1 => 7,8,9,1,2,3,4
bigshuf --csv --header --weight-field='"/x"' in | tail -n 1 => 7,8,9,1,2,3,4
bigshuf --csv --header --weight-field=$'N\303\251' in | tail -n 1 => 7,8,9,1,2,3,4
bigshuf --csv --header --weight-field=$'l\nm' in | tail -n 1 => 7,8,9,1,2,3,4
bigshuf --csv --header --weight-field=' c' in | tail -n 1 => 7,8,9,1,2,3,4
bigshuf --csv --header --weight-field=x marked | wc -l | tr -d ' ' => 2
bigshuf --csv --header --weight-field=2020 in =! in:3: no field 2020, only 7: '7,8,9,1,2,3,4'; -t *
bigshuf --csv --header --weight-field=C in =! in: no column 'C': the header has '2020', 'a "b"', '/x', 'N*', 'l\\nm', ' c', 'c'
bigshuf -t, --header --weight-field='a "b"' in =! in: no column 'a "b"': *
END
}

test_a_name_that_is_not_there_or_twice_is_told_before_the_work() {
    printf 'a,b,a\n1,2,3\n' >in
    printf 'b,a\n1,2\n' >other
    { seq -f 'column-with-number-%g' 100 | paste -s -d , - && echo 1; } >many
    cases <<'END'
bigshuf --csv --header --split-field=x --split=9%:s in =! in: no column 'x': the header has 'a', 'b', 'a'
bigshuf --header --split-field=x --split=9%:s in =! in: no column 'x': the header has 'a,b,a'; -t sets the separator of fields, --csv makes it a comma
bigshuf --csv --header --group-field=a in =! in: columns 1 and 3 are both 'a'; give the number
bigshuf --csv --header --headers-differ --group-field=b in other =! other: 'b' is column 1, but column 2 of in; put the columns into one order first
bigshuf --csv --header --headers-differ --group-field=b other in =! in: 'b' is column 2, but column 1 of other; *
bigshuf --csv --header --headers-differ --group-field=b < <(cat other) - in =! in: 'b' is column 2, but column 1 of -; *
bigshuf --csv --header --group-field=x many =! many: no column 'x': the header has 'column-with-number-1', *, ...
bigshuf --csv --group-field=b in =! --group-field=b: a name needs a header line that has it; add --header, or give the number
bigshuf --csv --header=start:a --weight-field=b in =! --weight-field=b: a name needs *
bigshuf --csv --header=bytes:6 --weight-field=b in =! --weight-field=b: a name needs *
bigshuf --csv --header=start:a --split-field=b --split=9%:s in =! --split-field=b: a name needs *
bigshuf -e --weight-field=b =! --weight-field=b: a name needs *
bigshuf --weight-field=-1 in =! --weight-field=-1: a name needs *
bigshuf --csv --weight-field=/b in =! --weight-field=/b: a JSON Pointer needs lines of JSON, without --csv or -t; write '"/b"' for a column
bigshuf -t, --group-field=/b in =! --group-field=/b: a JSON Pointer needs *
bigshuf --csv --header --weight-field=b /dev/null =>
printf 'a,b\n' | bigshuf --csv --header --weight-field=b => bigshuf: warning: the input is only a header of 1 record a,b
bigshuf --csv --header --weight-field=x < <(cat in) =! -: no column 'x': *
END
    [ ! -e s ]
}

test_a_pointer_stands_for_a_value_of_json() {
    visits_as tabs 300 | tail -n +2 >in
    bigshuf --seed=7 --weight-field=3 in | cut -f 1 >order.w
    bigshuf --seed=7 --group-field=2 in 2>said | cut -f 1 >order.g
    bigshuf --seed=7 --split-field=2 --split=30%:a in | cut -f 1 >order.s
    cut -f 1 a >order.a
    visits_as json 300 >in
    tr '\n' '\0' <in >nuls
    for way in in '< <(cat in)' '-S 8M -z nuls'; do
        eval bigshuf --seed=7 --weight-field=/meta/w/0 "$way" | tr '\0' '\n' | numbers | cmp - order.w
        eval bigshuf --seed=7 --group-field=/meta/user "$way" 2>said | tr '\0' '\n' | numbers | cmp - order.g
        eval bigshuf --seed=7 --split-field=/meta/user --split=30%:a "$way" | tr '\0' '\n' | numbers | cmp - order.s
        tr '\0' '\n' <a | numbers | cmp - order.a
    done
    bigshuf --seed=7 --split-field=/meta/user --group-field=/meta/user --split=30%:a -o rest in
    numbers <rest | sort -n | cmp - <(sort -n order.s)
}

# Records that come in pieces, whose value stands far behind, where it takes the place of another one.
test_long_records_of_json_have_values_too() { # tags: long
    giants | awk '{ print "{\"a\":7,\"text\":\"" (NR < 3 ? $0 : "s") "\",\"a\":" NR % 5 "}" }' >in
    bigshuf -S 8M --seed=1 --split-field=/a --split=40%:a -o rest in 2>said
    same '' "$(<said)"
    same_lines <(cat a rest) in
    tail -n +3 in | bigshuf --seed=1 --split-field=/a --split=40%:b -o other
    same "$(sed 's/.*://' b | sort -u)" "$(sed 's/.*://' a | sort -u)"
    bigshuf -S 8M --seed=1 --group-field=/a in | sed 's/.*"a"//' | uniq >keys
    sed 's/.*"a"//' in | bigshuf --seed=1 --group-field=1 -t '}' | cut -c 2- | uniq | sort | cmp - <(sed 's/^.//' keys | sort -u)
    bigshuf -S 8M --seed=1 --weight-field=/a in | sed 's/.*://' | sort | uniq -c >counts
    sed 's/.*://' in | grep -v 0 | sort | uniq -c | cmp - counts
}

test_a_record_without_the_value_is_told_with_its_line() { # tags: long
    local field case said
    mkdir s
    printf '{"a":1}\n{"a":1,"b":[1]}\n' >good
    for field in --group-field --weight-field '--split=9%:s/x --split-field'; do
        for case in '{"b":1} nothing at /a' '{"a":null} null at /a' '{"a":NaN} null at /a' '{"a":[1]} an array at /a' \
            '{"a":{}} an object at /a' '[1] nothing at /a' '{"a":} invalid JSON' '{"a":1}} invalid JSON' 'a,b invalid JSON'; do
            { cat good && printf '%s\r\n' "${case%% *}"; } >in
            said=": ${case#* }*'${case%% *}'; jq can mend such records, or leave them out"
            said=${said//[[]/\\[}
            fails_with 1 "bigshuf: in:3$said" bigshuf $field=/a good in >out
            fails_with 1 "bigshuf: -:3$said" bigshuf --header $field=/a < <(cat in) >out
            is_empty out
        done
    done
    rmdir s # nothing was written
}

test_json_may_be_nested_so_deep_and_a_value_may_be_so_long() {
    for depth in 1024 1025; do
        { printf "%${depth}s" && printf "%${depth}s\n" | tr ' ' ']'; } | tr ' ' '[' >$depth
    done
    printf '{"a":"%065536d"}\n' 0 >long
    printf '{"a":"%065537d"}\n' 0 >longer
    printf '{"a":"%065537d","a":"%065536d"}\n' 0 0 >last # the last one counts
    printf '{"a":"\\u0031.%05000d"}\n' 0 >weight
    cases <<'END'
bigshuf --group-field=/a 1024 =! 1024:1: nothing at /a: *
bigshuf --group-field=/a 1025 =! 1025:1: JSON nested more than 1024 deep, not searched for /a: *
bigshuf --group-field=/a long | cmp - long =>
bigshuf --unique=/a longer last long longer | grep -c . => 2
bigshuf --group-field=/a last | cmp - last =>
bigshuf --weight-field=/a weight =! weight:1: weight is too long: '1.000*
END
}

test_a_store_has_names_and_pointers() {
    cd "$MEMORY" || exit
    visits_as csv 300 >in
    for name in a b; do bigshuf --scatter=csv --seed=7 --batch=$name --csv --header in; done
    for field in 2 patient '"patient"'; do
        bigshuf --gather=csv --seed=7 --split-field="$field" --split=30%:a -o "rest$field"
        cmp rest2 "rest$field"
    done
    visits_as json 300 >in
    bigshuf --scatter=json --seed=7 in
    bigshuf --gather=json --seed=7 --split-field=/meta/user --split=30%:b -o rest
    same "$(tail -n +2 a | sort -u | cut -d , -f 1 | sort)" "$(numbers <b | sort)"
    cases <<'END'
bigshuf --gather=csv --split-field=x --split=30%:a =! csv: no column 'x': the header has 'n', 'patient', 'w'
bigshuf --gather=csv --split-field=/x --split=30%:a =! --split-field=/x: a JSON Pointer needs *
bigshuf --gather=json --split-field=x --split=30%:a =! --split-field=x: a name needs a header line that has it; *
bigshuf --gather=json --split-field=/x --split=30%:a =! --split-field: nothing at /x: '{"n": *'; jq can mend *
END
}

# Texts and pointers at random, damaged ones as well.
test_json_is_what_python_says() {
    needs python3
    python3 "$TOP/tests/model/json_objects.py" "$(command -v json_values)" 42 "$(scale 2000 2000 1000000)"
}
