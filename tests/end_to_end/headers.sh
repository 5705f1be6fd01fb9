# Headers: they stay at the top, once, whatever the records are, and one that does not fit is told.

# The output is HEADER and these records, each followed by "|": records_below HEADER RECORDS OPTION...
records_below() {
    local header=$1 wanted=$2
    shift 2
    rm -rf records
    mkdir records
    bigshuf -n 99 --keep-order --shards=records:1 -o records/%02d "$@"
    for record in records/*; do
        cmp -n "$(printf '%b' "$header" | wc -c)" <(printf '%b' "$header") "$record"
        tail -c +$(($(printf '%b' "$header" | wc -c) + 1)) "$record"
        printf '|'
    done >out
    printf '%b' "$wanted" | cmp - out
}

# The output is WANTED: output_is WANTED OPTION...
output_is() {
    local wanted=$1
    shift
    bigshuf --seed=1 "$@"  >out
    printf '%b' "$wanted" | cmp - out
}

test_a_header_is_dropped_from_later_files() {
    printf 'h\n1\n' >a
    printf 'h\n1' >b
    printf 'h' >c
    : >d
    printf 'h\n' >e
    output_is 'h\n1\n1\n1\n' --header d a b c d e a
    output_is 'h\n1\n1\n' --header c a d e b
    output_is 'h\n1\n1\n' --header - b b <c
    output_is 'h\n1\n1\n' --header a - < <(cat b)
    output_is 'h\n1\n1\n' --header - a < <(cat b)
    output_is 'h\n1\n' --header=2 a b b a
    output_is 'h\n1\n' --header=0 a
}

test_a_header_is_lines_where_records_are_made_of_lines() {
    printf 'comment\n>a\n1\n>b\n2' >in
    printf 'comment\n>c\n3\n' >other
    records_below 'comment\n' '>a\n1\n|>b\n2\n|>c\n3\n|' --header --records=start:'>' in other
    { printf 'two\nlines\n'; seq 8; } >in
    records_below 'two\nlines\n' '1\n2\n3\n4\n|5\n6\n7\n8\n|' --header=2 --records=lines:4 in
    tr '\n' '\0' <in >nul
    records_below 'two\0lines\0' '1\00002\00003\00004\0|5\00006\00007\00008\0|' -z --header=2 --records=lines:4 nul
    records_below 'two\nlines\n' '1\n2\n3\n4\n|5\n6\n7\n8\n|' --header=bytes:10 --records=lines:4 in
}

test_a_header_is_records_where_records_are_not_made_of_lines() {
    records_below '12' '34|56|' --header --records=bytes:2 <(printf 123456)
    records_below 'a\nb;' 'c\nd;|' --header --delimiter=';' <(printf 'a\nb;c\nd')
    records_below 'a\nb\n\n' 'c\nd\n\n|' --header --delimiter='\n\n' <(printf 'a\nb\n\nc\nd\n')
}

test_a_header_that_does_not_fit_the_records_is_told() {
    printf '>a\n1\n>b\n2\n' >in
    fails_at_once "bigshuf: in: text between the header of 1 line and the first '>'; to keep it at the top, write --header=2" --header --records=start:'>' in never
    fails_at_once "bigshuf: in: text between the header of 3 bytes and the first '>'; *" \
        --header=bytes:3 --records=start:'>' in never
    fails_when_read 'bigshuf: -: 3 lines are left over at the end; records after the header must have 4 lines' in \
        --header --records=lines:4
}

test_a_file_that_is_shorter_than_its_header_is_told() {
    printf 'h\n1' >in
    fails_at_once 'bigshuf: in: shorter than a header of 3 lines' --header=3 in never
    fails_when_read 'bigshuf: -: shorter than a header of 3 lines' in --header=3
    fails_when_read 'bigshuf: in: shorter than a header of 3 lines' <(seq 4) --header=3 - in
    fails_at_once 'bigshuf: in: shorter than a header of 18446744073709551615 records' --csv \
        --header=18446744073709551615 in never
    fails_at_once 'bigshuf: in: shorter than a header of 3 lines' --records=start:h --header=3 in never
    fails_at_once 'bigshuf: in: shorter than a header of 3 lines' --records=lines:2 --header=3 in never
    printf '1234' >in
    fails_at_once 'bigshuf: in: shorter than a header of 3 records' --records=bytes:2 --header=3 in never
    printf '"a\n' >in
    fails_at_once 'bigshuf: in: unclosed quote that starts in line 1' --csv --header=2 in never
    output_is '' --header=3 </dev/null
    output_is '' --csv --header /dev/null /dev/null
}

# The output is WANTED, and a warning says that there is only a header of SIZE: header_alone SIZE WANTED OPTION...
header_alone() {
    local size=$1
    shift
    output_is "$@" 2>said
    same "bigshuf: warning: the input is only a header of $size" "$(<said)"
}

test_nothing_but_a_header_is_told() {
    printf 'h\n1' >in
    header_alone '2 lines' 'h\n1\n' --header=2 in in /dev/null
    header_alone '2 lines' 'h\n1\n' --header=2 < <(cat in)
    header_alone '2 records' 'a\r\nb\r\n' --csv --header=2 <(printf 'a\r\nb')
    header_alone '1 line' '>h\n' --records=start:'>' --header <(printf '>h')
    header_alone '3 bytes' 'h\n1' --header=bytes:3 in
    output_is 'h\n1\n2\n' --header=2 in - in <<<$'h\n1\n2' 2>said
    same '' "$(<said)"
}

test_headers_that_differ_are_told_before_output() {
    printf 'h\n1\n' >a
    printf 'H\n1\n' >b
    printf 'h' >c
    fails_at_once 'bigshuf: b: header differs from that of a in line *' --header a c b never
    printf 'h\n2\n' >d
    fails_at_once 'bigshuf: d: header differs from that of a in line *' --header=2 a d never
    fails_at_once 'bigshuf: b: header differs from that of a in line *' --header=bytes:1 a b never
    fails_when_read 'bigshuf: -: header differs from that of a in line *' b --header a -
    fails_when_read 'bigshuf: a: header differs from that of - in line *' b --header - a
    fails_when_read 'bigshuf: a: header differs from that of - in line *' b --header - a b
    fails_when_read 'bigshuf: -: header differs from that of a in line *' b --header --records=lines:1 a -
    { cat a; more_than_memory; } >d
    fails_when_read 'bigshuf: b: header differs from that of - in line *' d -S 8M --header - b
}

test_a_csv_header_may_have_line_breaks_in_quotes() {
    printf '"a\n""b""\r\n",c\r\n' >header
    { cat header; printf '"\r\n",2'; } >a
    { cat header; printf '3,"\n"'; } >b
    bigshuf --csv --header -n 2 --keep-order a b | cmp - <(cat a; echo $'\r'; printf '3,"\n"\r\n')
    bigshuf --csv --header a b >out
    head -c "$(wc -c <header)" out | cmp - header
}

test_a_header_may_be_as_large_as_is_said() {
    local bytes
    for bytes in 1048575 1048576; do
        { long_line $((bytes - 1)) | tr -d '\n'; echo; } | head -c "$bytes" >header
        { cat header; printf '>a\n1\n>b\n2\n'; } >in
        for option in --header "--header=bytes:$bytes"; do
            bigshuf $option --records=start:'>' -n 2 --keep-order in | cmp - in
            bigshuf -S 8M $option --records=start:'>' -n 2 --keep-order < <(cat in) | cmp - in
            bigshuf $option --records=start:'>' header 2>/dev/null | cmp - header
        done
    done
}

test_a_header_that_is_too_large_is_told() {
    long_line 1100000 >in
    fails_at_once 'bigshuf: in: header is larger than 1048576 bytes' --header in never
    fails_when_read 'bigshuf: -: header is larger than 1048576 bytes' in --header=bytes:1048577
}

test_a_file_may_be_nothing_but_a_header_of_bytes() {
    printf 'head' >header
    printf 'heada\nb' >in
    output_is head --header=bytes:4 header header 2>said
    bigshuf --header=bytes:4 -n 2 --keep-order header in header | cmp - <(cat in; echo)
    bigshuf --header=bytes:4 --csv -n 2 --keep-order header in header | cmp - <(cat in; echo)
    bigshuf --header=bytes:4 --records=bytes:1 -n 3 --keep-order header in header | cmp - in
}

test_a_file_that_is_shorter_than_its_header_of_bytes_is_told() {
    printf 12345 >in
    fails_at_once 'bigshuf: in: shorter than a header of 6 bytes' --header=bytes:6 in never
    fails_when_read 'bigshuf: -: shorter than a header of 6 bytes' in --header=bytes:6
    output_is 12345 --header=bytes:5 in in 2>said
    output_is 12345 --header=bytes:5 --records=bytes:7 in in 2>said
    output_is '' --header=bytes:5 /dev/null
}

# ---- Headers of lines that begin with a string ----

# The lines of file `in` that begin with `#`, which come first, stay at the top, and the others come in the order that they
# have alone, from a file and from a pipe: comes_below_comments [OPTION]...
comes_below_comments() {
    { grep '^#' in; bigshuf --seed=5 "$@" < <(grep -v '^#' in); } >wanted # which may end before grep
    bigshuf -S 8M --seed=5 --header=start:'#' "$@" in | cmp - wanted
    bigshuf -S 8M --seed=5 --header=start:'#' "$@" < <(cat in) | cmp - wanted
}

test_lines_that_begin_with_a_string_stay_at_the_top() {
    { printf '##a\n#b\n#\n'; seq 2000; printf 'last'; } >in
    seq 2001 >weights
    comes_below_comments
    comes_below_comments -n 0
    comes_below_comments -n 10
    comes_below_comments -n 10 --keep-order
    comes_below_comments -n 10 -r
    comes_below_comments -n 10 --weights=weights
    comes_below_comments --probability=0.1
    seq 2000 >in # none of them
    bigshuf --seed=5 --header=start:'#' in | cmp - <(bigshuf --seed=5 in)
}

test_lines_that_begin_with_a_string_stay_at_the_top_of_many_lines() {
    { printf '#'; long_line 600000; more_than_memory; } >in
    comes_below_comments
    runs_within 8 --seed=m in --header=start:'#' >out
}

test_lines_that_begin_with_a_string_stay_at_the_top_of_what_is_held() {
    { seq -f '@%g' 3000; long_lines 3000 100 300; } >in
    bigshuf --seed=m --header=start:'@' in in >out
    bigshuf --seed=m --header=start:'@' -n 99999 in in | cmp - out
    head -n 3000 out | cmp - <(seq -f '@%g' 3000)
    tail -n +3001 out | same_lines /dev/stdin <(long_lines 3000 100 300 && long_lines 3000 100 300)
    long_lines 3000 100 300 >other
    bigshuf --header=start:'@' --headers-differ other in in >out
    cat other other other | same_lines /dev/stdin out
}

# Names of columns are in the first line that does not begin with the string: as in MAF, GEO, logs, and surveys with three rows.
test_lines_that_begin_with_a_string_and_lines_after_them_are_one_header() {
    printf '\357\273\277#v "1\n#\nid,g\nx,"y\nz"\n#1,a\n2,b\n3,a' >in
    for options in '--csv --header=2' '--csv -Z --header=2' '--header=3 -t ,'; do
        records_below '\357\273\277#v "1\n#\nid,g\nx,"y\nz"\n' '#1,a\n|2,b\n|3,a\n|#1,a\n|2,b\n|3,a\n|' \
            --header=start:'#' ${options% -t ,} in - < <(cat in)
        bigshuf $options --header=start:'#' --group-field=g in >out
        cmp -n 24 out in
        same '2,b' "$(tail -n +6 out | grep -v a)"
        [ "$(tail -n +6 out | paste -s -d ' ' -)" = '2,b #1,a 3,a' ] || same '#1,a 3,a 2,b' "$(tail -n +6 out | paste -s -d ' ' -)"
    done
    bigshuf --scatter=store --piles=2 --csv --header=2 --header=start:'#' in
    bigshuf --gather=store --split-field=id --split=50%:half >out
    cmp -n 24 out in
    cmp -n 24 half in
    printf 'a,b\nx\ny\n1,p\n2,q\n3,p\n' >three
    same 1,2,3 "$(bigshuf --csv --header=3 --unique=a three | tail -n +4 | cut -d , -f 1 | sort | paste -s -d , -)"
    cases <<'END'
bigshuf --header=start:'#' --header=9 in =! in: shorter than a header of lines that begin with '#' and 9 lines
printf '#a\n#b' | bigshuf --header=start:'#' --header =! -: shorter than a header of lines that begin with '#' and 1 line
printf '#a\nh' | bigshuf --header=start:'#' --header --csv => bigshuf: warning: the input is only a header of lines that begin with '#' and 1 record #a h
printf '#a' | bigshuf --header=start:'#' --csv => bigshuf: warning: the input is only a header of lines that begin with '#' #a
bigshuf --header=start:'#' --group-field=id in =! --group-field=id: a name needs a header line that has it; *
END
}

test_only_lines_before_the_first_record_are_a_header() { # tags: long
    printf '#a\n1\n#b\n\n' >in
    records_below '#a\n' '1\n|#b\n|\n|' --header=start:'#' in
    records_below '#a\n' '1\n|#b\n|\n|1\n|#b\n|\n|' --header=start:'#' in /dev/null - < <(cat in)
    records_below '' '#a\n|1\n|#b\n|\n|' --header=start:'##' in
    printf '\n#a\n' | records_below '' '\n|#a\n|' --header=start:'#'
    printf '##a\n##b\n#' | records_below '##a\n##b\n' '#\n|' --header=start:'##'
}

test_a_header_of_such_lines_of_any_length_is_one() { # tags: long
    for total in 4091 4092 4093 4094 8192; do
        { printf '##'; long_line $total; printf '##y\n#1\n2\n'; } >in
        records_below "$(head -n 2 in)\n" '#1\n|2\n|' --header=start:'##' in
    done
}

test_lines_that_begin_with_a_string_are_lines_before_records_of_any_kind() { # tags: long
    printf '#a\n#b\n>1\nA\n>2\n' >in
    records_below '#a\n#b\n' '>1\nA\n|>2\n|' --header=start:'#' --records=start:'>' in
    printf '# 5" disk\n#b\na,"\n"\nc,d' >in
    records_below '# 5" disk\n#b\n' 'a,"\n"\n|c,d\n|' --header=start:'#' --csv in
    printf '#a\n1\n2\n3\n4\n' >in
    records_below '#a\n' '1\n2\n|3\n4\n|' --header=start:'#' --records=lines:2 in
    printf '#a\0#\nb\0001\n\0' >in
    records_below '#a\0#\nb\0' '1\n\0|' --header=start:'#' -z in
    printf '#a;#b;1;2' >in
    records_below '#a;#b;' '1;|2;|' --header=start:'#' --delimiter=';' in
    printf '#a--1--2' >in
    records_below '#a--' '1--|2--|' --header=start:'#' --delimiter=-- in
}

test_a_store_keeps_a_header_of_lines_that_begin_with_a_string() {
    { printf '##a\n#b\n'; seq 100; } >one
    bigshuf --scatter=store --piles=2 --batch=one --header=start:'#' one
    bigshuf --gather=store | same_lines one /dev/stdin
    bigshuf --gather=store -n 0 | cmp - <(head -n 2 one)
    fails_with 1 'bigshuf: store/format: the store has header of lines "#", not no header' \
        bigshuf --scatter=store one
    fails_with 1 'bigshuf: store/format: the store has header of lines "#", not *"##"' \
        bigshuf --scatter=store --header=start:'##' one
}

test_nothing_but_lines_that_begin_with_a_string_is_told() {
    printf '#a\n#b' >in
    header_alone "lines that begin with '#'" '#a\n#b\n' --header=start:'#' in in /dev/null
    header_alone "lines that begin with '#'" '#a\n#b\n' --header=start:'#' < <(cat in)
    output_is '' --header=start:'#' /dev/null
    { cat in; printf '\n1\n'; } >other
    output_is '#a\n#b\n1\n' --header=start:'#' in other
}

test_headers_of_lines_that_differ_are_told() {
    printf '#a\n1\n' >a
    printf '#b\n1\n' >b
    printf '1\n' >c
    fails_at_once 'bigshuf: b: header differs from that of a in line *' --header=start:'#' a b never
    fails_at_once 'bigshuf: c: header differs from that of a in line *' --header=start:'#' a c never
    fails_at_once 'bigshuf: a: header differs from that of c in line *' --header=start:'#' c a never
    fails_when_read 'bigshuf: -: header differs from that of a in line *' b --header=start:'#' a -
    { printf '#'; long_line 1100000; } >a
    fails_at_once 'bigshuf: a: header is larger than 1048576 bytes' --header=start:'#' a never
    head -c 1048575 a >b
    { cat b && printf '\nx\ny\n'; } >c
    same 1048580 "$(bigshuf --header=start:'#' c | wc -c | tr -d ' ')"
    { cat b && printf '\n#'; } >c
    fails_at_once 'bigshuf: c: header is larger than 1048576 bytes' --header=start:'#' c never
}

test_headers_may_differ_if_that_is_said() {
    printf '#a\n#a\n1\n' >a
    printf '#b\n2\n' >b
    seq 3 8 >c
    for files in 'a b c' 'a - c'; do
        bigshuf --header=start:'#' --headers-differ $files <b | tee out | tail -n +3 | sort | cmp - <(seq 8)
        head -n 2 out | cmp - <(head -n 2 a)
    done
    bigshuf --header=start:'#' --headers-differ c b a | sort | cmp - <(seq 8)
    printf 'a,b\n1\n' >a
    printf 'A;B\n1\n' >b
    output_is 'a,b\n1\n1\n1\n' --header --headers-differ a b a
    output_is 'a' --header=bytes:1 --headers-differ a b -n 0
    { seq -f '#%g' 2000; long_lines 3000 100 300; } >d
    bigshuf --seed=1 --header --headers-differ a d | same_lines /dev/stdin <(cat a; tail -n +2 d)
    bigshuf --seed=1 --header=start:'#' --headers-differ d a d >out
    bigshuf --seed=1 --header=start:'#' --headers-differ - a d < <(cat d) | cmp - out
    head -n 2000 out | cmp - <(seq -f '#%g' 2000)
    tail -n +2001 out | same_lines /dev/stdin <(tail -n +2001 d; cat a; tail -n +2001 d)
}

test_a_byte_order_mark_is_none_of_how_a_header_begins() {
    needs python3
    printf '\357\273\277#h\n#i\nb\nc\n' >in
    bigshuf --header=start:'#' in >out
    in_pieces '\357' '\273\277#h\n#i\nb\nc\n' | bigshuf --header=start:'#' >pieces
    cmp <(head -n 2 out) <(head -n 2 in)
    cmp <(head -n 2 pieces) <(head -n 2 in)
}
