# Records that are not lines, and headers: promises 1, 3 and 4 hold for every format, and wrong input is told.
# shellcheck shell=bash disable=SC2086 # several options

# The run fails with this message after it has read the input FILE, and writes nothing: fails_when_read PATTERN FILE
# OPTION...
fails_when_read() {
    local pattern=$1 file=$2
    shift 2
    fails_with 1 "$pattern" bigshuf "$@" < <(cat "$file") >out
    is_empty out
}

# ---- Every format ----

formats="nul byte blank_line crlf odd_run late_run lines nul_lines size csv csv_crlf fasta mbox groups csv_groups"

# Those that begin with their length, and all of them. (They have no header of records.)
codings="tfrecord u32le u32be u64le u64be varint"
all_formats="$formats $codings"

# Lines that become groups: the key is the same in many of them, but never in two neighbours, since the numbers of lines
# are odd and even in turn, and lines are long next to short ones.
# shellcheck disable=SC2016 # awk's
members='{ for (i = $1 % 3; i >= 0; i--) print '
# shellcheck disable=SC2016
key='$1 % 2 "-" (length($0) > 10)'

# Set the variables of a format. `options` are the program's; `units` is the name of what --header counts; `edit` turns
# a line into a record, independently of other lines, with \1 for NUL and \2 for newline: so records can be compared
# with shuffled lines. Long lines get newlines within, not so many that sed takes long. use FORMAT.
# shellcheck disable=SC2016,SC2034 # awk's; the callers'
use() {
    local here='[0k][0k] '
    units=1
    case $1 in
    nul) options=(-z) edit=(sed "s/$here/"$'\2/g; s/$/\1/') ;;
    byte) options=(--delimiter=';') edit=(sed "s/$here/"$'\2/g; s/$/;/') ;;
    blank_line) options=(--delimiter='\n\n') edit=(sed "s/$here/"$'\2,/g; s/$/\2\2/') ;;
    crlf) options=(--delimiter='\r\n') edit=(sed "s/$here/"$'\r,\2/g; s/$/\r\r\2/') ;;
    odd_run) options=(--delimiter=aa) edit=(sed "s/$here/"$'a\2/g; s/^/a/; s/$/aa/') ;;
    late_run) options=(--delimiter=aaaab) edit=(sed "s/$here/"$'aaa\2/g; s/^/b/; s/$/aaaaaaab/') ;;
    lines) options=(--records=lines:4) units=4 edit=(sed $'s/^/@\2/; s/$/\2\2ACGT\2/') ;;
    nul_lines) options=(-z --records=lines:3) units=3 edit=(sed "s/$here/"$'\2/g; s/^/\1/; s/$/\1\2\1/') ;;
    size) options=(--records=bytes:17) edit=(awk '{ print substr($0 "\2;              ", 1, 17) }') ;;
    csv) options=(--csv) edit=(sed "s/$here/"$'\2/g; s/^/"/; s/$/","a ""\2"" b",""\2/') ;;
    csv_crlf) options=(--csv) edit=(sed "s/$here/"$'\r\2/g; s/^/"/; s/$/",c\r\2/') ;;
    fasta) options=(--records=start:'>') units=3 edit=(sed "s/$here/"$'\2/g; s/^/>/; s/$/\2AC>GT\2 >\2/') ;;
    groups) options=(--group-field=2 -t '|') edit=(awk "$members i \"|\" $key \"|\" \$0 \"\2\" }") ;;
    csv_groups) options=(--csv --group-field=1) edit=(awk "$members (i % 2 ? $key : \"\\\"\" $key \"\\\"\") \",\\\"a\2\\\"\\\"\2\\\",\" \$0 \"\2\" }") ;;
    tfrecord | u* | varint) options=("--records=$1") edit=() ;;
    mbox) options=(--records=start:'From ') units=5 edit=(sed "s/$here/"$'\2/g; s/^/From /; s/$/\2From\2>From x\2Fro\2\2/') ;;
    esac
}

records() {
    if [ ${#edit[@]} = 0 ]; then
        lengths "${options[0]#*=}"
        return
    fi
    "${edit[@]}" | tr -d '\n' | tr '\1\2' '\0\n'
}

# File `lines` as records of the format, in file `in`, comes in the order that it has as lines: from a file, and from a
# pipe. What -v says of the former is in file `said`. comes_like_lines [OPTION]...
comes_like_lines() {
    records <lines >in
    in_comes_like_lines "$@"
}

# The same when file `in` is there.
in_comes_like_lines() {
    bigshuf -S 2G --seed=1363 "$@" lines | records >wanted
    bigshuf -v -S 8M --seed=1363 "$@" "${options[@]}" in 2>said | cmp - wanted
    bigshuf -S 8M --seed=1363 "$@" "${options[@]}" < <(cat in) | cmp - wanted
}

test_records_of_every_format_are_shuffled_like_lines() {
    for count in 0 3000; do
        seq $count >lines
        for format in $all_formats; do
            use "$format"
            comes_like_lines
        done
    done
}

test_records_that_do_not_fit_in_memory_are_shuffled_like_lines() {
    use csv
    giants | tr a-j k-t >lines # piles are started over
    comes_like_lines --tune=leaf-records=8
    grep -E 'started over: +[12] ' said
    { seq 1000; long_line "$(scale 9000000 9000000 200000000)"; seq 1000; } >lines
    comes_like_lines
    more_than_memory >lines
    use tfrecord
    comes_like_lines
}

test_groups_that_do_not_fit_in_memory_are_shuffled_like_lines() {
    use groups
    giants | cut -b -3500000 | tr a-j k-t >lines
    comes_like_lines --tune=leaf-records=8
    in_comes_like_lines
    grep -E 'started over: +[12] ' said
}

test_records_of_17_bytes_are_shuffled_like_lines() {
    use size
    more_than_memory >lines
    comes_like_lines
    in_comes_like_lines --tune=leaf-records=64
}

test_few_large_records_of_one_size_are_shuffled_like_lines() {
    for bytes in 9000001 5000000; do # one does not fit in memory; two do not
        seq $((bytes > 9000000 ? 1 : 4)) >lines
        options=("--records=bytes:$bytes")
        edit=(awk "{ for (text = \$0 \";\"; length(text) < $bytes;) text = text text; print substr(text, 1, $bytes) }")
        comes_like_lines
    done
    grep -E 'started over: +1 ' said
}

# Records that are longer than a block by one byte: so the ends of blocks come to lie in all places near their ends.
test_records_across_the_ends_of_blocks_are_shuffled_like_lines() {
    local bytes
    for format in late_run lines size csv_crlf mbox csv_groups tfrecord varint; do
        use "$format"
        bytes=$(echo 1 | records | wc -c)
        awk -v bytes=$((262144 + 2 - bytes)) 'BEGIN {
            for (text = "x"; length(text) < bytes;)
                text = text text
            for (i = 10; i < 24; i++)
                print i substr(text, 3, bytes - 2)
        }' >lines
        comes_like_lines
        bigshuf -S 2G --seed=1363 "${options[@]}" in | cmp - wanted
    done
}

test_lengths_of_several_bytes_are_read_wherever_blocks_tear_them() {
    long_lines 3000 100 300 >lines
    for format in $codings; do
        use "$format"
        comes_like_lines
    done
}

test_files_of_any_format_are_one_input() {
    for format in $all_formats; do
        use "$format"
        bigshuf --seed=1363 -i 1-100 | records >wanted
        seq 50 | records >a
        seq 51 51 | records >b
        seq 52 100 | records >c
        bigshuf --seed=1363 "${options[@]}" a b - c </dev/null | cmp - wanted
        bigshuf --seed=1363 "${options[@]}" a - c < <(cat b) | cmp - wanted
    done
}

# ---- Samples ----

test_samples_of_every_kind_are_those_of_lines() {
    seq 2000 >lines
    seq 2000 >weights
    for format in late_run lines csv groups tfrecord; do
        use "$format"
        comes_like_lines -n 0
        in_comes_like_lines -n 100
        in_comes_like_lines -n 100 --keep-order
        in_comes_like_lines -n 3000 -r
        in_comes_like_lines -n 100 --weights=weights
        in_comes_like_lines --probability=0.1
    done
}

test_samples_of_many_lines_are_those_of_lines() {
    more_than_memory >lines
    for format in $(scale csv csv 'late_run lines size csv fasta'); do
        use "$format"
        comes_like_lines -n 70000 --keep-order
        in_comes_like_lines -n 70000 -r
    done
}

# ---- The end of input ----

# The input consists of these records, each followed by "|": records_are RECORDS OPTION...
records_are() {
    local wanted=$1
    shift
    rm -rf records
    mkdir records
    bigshuf -n 99 --keep-order --shards=records:1 -o records/%02d "$@"
    for record in records/*; do cat "$record" && printf '|'; done >out
    printf '%b' "$wanted" | cmp - out
}

test_a_delimiter_is_found_leftmost_and_does_not_overlap() {
    printf xaaaaay | records_are 'xaa|aa|ayaa|' --delimiter=aa
    printf xaaaaay | records_are 'xaaa|aayaaa|' --delimiter=aaa
    printf aabaabaaab | records_are 'aabaab|aaabaab|' --delimiter=aabaab
    printf 'a\n\n\nb\n\n' | records_are 'a\n\n|\nb\n\n|' --delimiter='\n\n'
}

test_what_is_missing_of_a_delimiter_is_added_to_each_file() {
    printf 'a\r' >a
    printf 'b\n' >b
    printf 'c\r\n' >c
    printf '\r' >d
    : >e
    records_are 'a\r\r\n|b\n\r\n|c\r\n|\r\r\n|' --delimiter='\r\n' a b c d e
    records_are 'a\r\r\n|b\n\r\n|c\r\n|\r\r\n|' --delimiter='\r\n' a - c d e <b
    printf aabaa | records_are 'aabaaaabaab|' --delimiter=aabaab
    printf aaba | records_are 'aabaaabaab|' --delimiter=aabaab
    printf aabb | records_are 'aabbaabaab|' --delimiter=aabaab
}

test_the_beginning_of_a_delimiter_is_data() {
    local end='<|endoftext|>'
    printf 'a%sb <' $end >in
    records_are "a$end|b <$end|b <$end|a$end|b <$end|" --delimiter=$end in - in < <(printf 'b <')
    printf 'a\nb\n\nc\n' >one # since a blank line is a newline after a line's own
    printf 'd' >two
    records_are 'a\nb\n\n|c\n\n|d\n\n|' --delimiter='\n\n' one two
    printf 'a\n\n\n' | records_are 'a\n\n|\n\n|' --delimiter='\n\n'
    printf xaaa | records_are 'xaa|aa|' --delimiter=aa
    printf xab | records_are 'xababa|' --delimiter=ababa
}

test_a_store_keeps_the_beginning_of_a_delimiter() {
    printf 'a;;b;' >in
    bigshuf --scatter=store --piles=2 --batch=1 --delimiter=';;-' in
    bigshuf --scatter=store --batch=2 --delimiter=';;-' - <in
    same 'a;;b;;;-a;;b;;;-' "$(bigshuf --gather=store)"
}

test_a_delimiter_may_have_255_bytes() {
    local delimiter
    delimiter=$(printf '%254s_' '' | tr ' ' x)
    for bytes in $(seq 240 270) 600; do # of x
        printf "%${bytes}s_" '' | tr ' ' x >in
        if [ "$bytes" -ge 254 ]; then
            bigshuf --delimiter="$delimiter" in | cmp - in
        else
            bigshuf --delimiter="$delimiter" in | cmp - <(cat in && printf %s "$delimiter")
        fi
    done
    fails_at_once 'bigshuf: --delimiter must be at most 255 bytes' --delimiter="x$delimiter" never
}

test_a_last_line_of_a_group_without_newline_gets_one() {
    printf '1\n2\n3\n4' >a
    printf '1\n' >b
    records_are '1\n2\n|3\n4\n|1\n\n|' --records=lines:2 a - < <(cat b; echo)
    printf 'a\0\n\0b\0c' | records_are 'a\0\n\0|b\0c\0|' -z --records=lines:2
    printf '\n' | records_are '\n|' --records=lines:1
    printf '1;2\n;3;4' | records_are '1;2\n;|3;4;|' --records=lines:2 --delimiter=';'
}

# Records are rows, or several where one ends with a carriage return alone: each is a line here, with \2 for newlines.
test_records_of_csv_are_the_rows_of_python() {
    needs python3
    # shellcheck disable=SC1003 # a backslash
    for alphabet in '",nrba\' '"""n,abcdefghijklmnopqrstuvwxyz' '",,nr'; do
        python3 -c '
import csv, io, random, sys
text = "".join(random.Random(5).choices(sys.argv[1].translate({110: 10, 114: 13}), k=int(sys.argv[2]))) + "\n"
lines, ends, at = list(io.StringIO(text, newline="")), [0], 0
rows = csv.reader(lines)
for row in rows:
    end = sum(map(len, lines[at : rows.line_num]))
    ends.append(ends[-1] + end)
    at = rows.line_num
ends = [end for end in ends[:-1] if end == 0 or text[end - 1] == "\n"] # the last one may be within quotes
open("in", "w", newline="").write(text[: ends[-1]])
open("lines", "w", newline="").writelines(text[a:b - 1].replace("\n", "\2") + "\n" for a, b in zip(ends, ends[1:]))
        ' "$alphabet" "$(scale 100000 100000 3000000)"
        [ "$(wc -l <lines)" -gt 1000 ]
        for options in --csv '--csv -t ,' '--csv -S8M --parallel=1'; do
            bigshuf --seed=r lines | tr '\2' '\n' >wanted
            bigshuf --seed=r $options in 2>said | cmp - wanted
            bigshuf --seed=r $options < <(cat in) 2>said | cmp - wanted
        done
    done
}

test_backslashes_in_quotes_of_csv_take_the_next_byte() {
    printf 'a,"b\\"\nc",d\n\\,"\\\\"\n"\\\n",e\n' | records_are 'a,"b\\"\nc",d\n|\\,"\\\\"\n|"\\\n",e\n|' --csv=backslash
    printf 'a,b;"\n,"\nc"\n' >in
    records_are 'a,b;"\n|,"\nc"\n|' --csv -t , in
    printf '\357\273\277"a\nb"\nc\n' | records_are '\357\273\277"a\nb"\n|c\n|' --csv
}

test_reads_of_fastq_have_four_lines_and_as_many_qualities_as_letters() {
    printf '@a\nAC\n+\n@I\n@\n\n+\n\n@b 1\r\nACG\r\n+b 1\r\n+@@' |
        records_are '@a\nAC\n+\n@I\n|@\n\n+\n\n|@b 1\r\nACG\r\n+b 1\r\n+@@\n|' --records=fastq
    for bytes in 1 1000 262144 1000000; do # where blocks and pieces end
        awk -v bytes="$bytes" 'BEGIN { for (; n < bytes; n += 2 * i % 100 + 8) {
            letters = substr("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 1, i++ % 50)
            print "@" i "\n" letters "\n+\n" letters } }' >in
        bigshuf --seed=q --records=lines:4 in >wanted
        bigshuf --seed=q --records=fastq in | cmp - wanted
        bigshuf --seed=q --records=fastq < <(cat in) | cmp - wanted
        printf '@x\nA\n+\nAC\n' | cat in - >damaged
        for options in '' -S8M '-n 1' --keep-order\ -n1 -Z --scatter=store; do
            fails_with 1 "bigshuf: *: line $(($(wc -l <in) + 4)): 2 qualities for 1 letters; *seqtk seq -l0 *" \
                bigshuf --records=fastq $options <(cat damaged)
        done
        fails_with 1 'bigshuf: damaged: line *' bigshuf --records=fastq -o damaged damaged
    done
}

# Whatever the way in which it is read; and once, though it is read again, or several files have one.
test_an_odd_quote_is_told_with_its_line() {
    { seq 99999 && echo '1,3" x' && seq 100 && echo '1,"y" z'; } >in
    for options in '' '-S8M --parallel=1' -S1G -n3 '--keep-order -n3' --probability=0.1 '-r -n9' '-n9 --weight-field=1' \
        --group-field=1 '--split-field=1 --split=5%:test' --header -Z '--shards=2 -o x%d' '--scatter=store'; do
        bigshuf --csv $options in in 2>said >out
        grep 'in: in line 100000: a quote inside a field is taken literally$' said
        bigshuf --csv $options < <(cat in in) 2>>said >out
        same 2 "$(grep -c 'line 100000: a quote.* literally$' said)"
    done
    bigshuf --gather=store 2>said >out
    is_empty said
    cp in kept
    for options in '' -S8M; do
        fails_with 1 'bigshuf: in: in line 100000: *, since an input is also the output' bigshuf --csv $options -o in in
        cmp in kept
    done
    echo 'draw 1' | bigshuf --requests --csv in 2>said >out
    grep 'in: in line 100000: ' said
}

test_a_store_says_how_its_csv_is_quoted() {
    printf 'a;"b\\"\nc";d\nx,"\n' >in
    bigshuf --scatter=store --csv=backslash -t ';' --batch=a in 2>said
    bigshuf --scatter=store --csv=backslash -t ';' --batch=b in 2>said
    fails_with 1 'bigshuf: store/format: *, not records of csv backslash' bigshuf --scatter=store --csv=backslash in
    fails_with 1 'bigshuf: store/format: *, not records of csv ";"' bigshuf --scatter=store --csv -t ';' in
    bigshuf --gather=store -v 2>said | sort | cmp - <(cat in in | sort)
    grep '4 read' said
    printf 'a;"b;c"\n' | bigshuf --scatter=fields --csv -t ';'
    same 'a;"b;c"' "$(bigshuf --gather=fields --stratify-field=2 --split=100%:/dev/stdout -o /dev/null)"
}

test_a_line_end_that_is_added_to_csv_is_that_of_the_first_record() {
    printf 'a\r\n"b\n"' | records_are 'a\r\n|"b\n"\r\n|' --csv
    printf 'a\n"b\r\n"' | records_are 'a\n|"b\r\n"\n|' --csv
    printf '"\r\n",a\nb\r\nc' | records_are '"\r\n",a\n|b\r\n|c\n|' --csv
    printf 'a\r\nb\r' | records_are 'a\r\n|b\r\n|' --csv
    printf 'a,"b ""c""\n\n",d\n"",e\n"\n""f""\n"\n' | records_are 'a,"b ""c""\n\n",d\n|"",e\n|"\n""f""\n"\n|' --csv
    printf 'a\r\nb' >a
    printf 'c' >b
    records_are 'a\r\n|b\r\n|c\r\n|' --csv a b
    records_are 'c\n|a\r\n|b\r\n|' --csv b a
}

test_files_that_start_their_records_need_no_last_newline() {
    printf '>a\nA\n>b\nB' >a
    printf '>' >b
    printf '>c\n\n' >c
    : >d
    records_are '>a\nA\n|>b\nB\n|>\n|>c\n\n|>\n|' --records=start:'>' a d b c b
    records_are '>c\n\n|' --records=start:'>' c
    records_are '>\n|' --records=start:'>' b
    bigshuf --records=start:'>' d | cmp - /dev/null
    printf 'From a\nFrom\n>From \nFro' | records_are 'From a\nFrom\n>From \nFro\n|' --records=start:'From '
    printf 'From From a\nFrom From b' | records_are 'From From a\n|From From b\n|' --records=start:'From '
}

# ---- Headers ----

# File `lines` as records, in file `in` after two headers, comes in the same order below them, from a file and from a pipe:
# comes_below_a_header
comes_below_a_header() {
    echo 0 | records >header
    records <lines | cat header header - >in
    in_comes_below_a_header
}

# The same when file `in` is there.
in_comes_below_a_header() {
    bigshuf --seed=5 "$@" lines | records | cat header header - >wanted
    bigshuf -S 8M --seed=5 --header=$((2 * units)) "$@" "${options[@]}" in | cmp - wanted
    bigshuf -S 8M --seed=5 --header=$((2 * units)) "$@" "${options[@]}" < <(cat in) | cmp - wanted
}

test_headers_stay_at_the_top_of_many_lines() {
    more_than_memory >lines
    use csv
    comes_below_a_header
}

test_headers_of_every_format_stay_at_the_top_and_do_not_count_for_samples() {
    seq 2000 >lines
    seq 2000 >weights
    for format in $formats; do
        use "$format"
        comes_below_a_header
        [ $format = csv ] || [ $format = lines ] || continue
        in_comes_below_a_header -n 0
        in_comes_below_a_header -n 10
        in_comes_below_a_header -n 10 --keep-order
        in_comes_below_a_header -n 10 -r
        in_comes_below_a_header -n 10 --weights=weights
        in_comes_below_a_header --probability=0.01
    done
}

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
    fails_at_once "bigshuf: in: text between the header of 1 line and the first '>'" --header --records=start:'>' in never
    fails_at_once "bigshuf: in: text between the header of 3 bytes and the first '>'" \
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

test_a_header_of_any_length_is_one() {
    local bytes total
    for format in late_run nul_lines csv fasta; do
        use "$format"
        bytes=$(echo | records | wc -c)
        for total in 4095 4096 4097 100000; do
            { long_line $((total - bytes)) | tr ' ' 0; seq 10; } | records >in
            bigshuf "--header=$units" "${options[@]}" -n 10 --keep-order in | cmp - in
        done
    done
    for total in 4091 4092 4093 4094 8192; do
        { printf '##' && long_line $total && printf '##y\n#1\n2\n'; } >in
        records_below "$(head -n 2 in)\n" '#1\n|2\n|' --header=start:'##' in
    done
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

test_a_header_of_bytes_comes_before_records_of_every_format() {
    printf '\223NUMPY\1\0\n";>aab' >header # which no format divides
    seq 100 >lines
    for format in $all_formats; do
        use "$format"
        bigshuf --seed=5 lines | records | cat header - >wanted
        records <lines | cat header - >in
        bigshuf --seed=5 --header=bytes:15 "${options[@]}" in | cmp - wanted
        bigshuf --seed=5 --header=bytes:15 "${options[@]}" < <(cat in) | cmp - wanted
    done
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

test_lines_that_begin_with_a_string_stay_at_the_top_of_what_is_mapped() {
    { seq -f '@%g' 3000; long_lines 3000 100 300; } >in
    FAULT_CALL=map_file FAULT_LOG=mappings bigshuf-faulty --seed=m --header=start:'@' in in >out
    [ -s mappings ]
    FAULT_CALL=map_file FAULT_AT=1 FAULT_STAYS=1 bigshuf-faulty --seed=m --header=start:'@' in in | cmp - out
    head -n 3000 out | cmp - <(seq -f '@%g' 3000)
    tail -n +3001 out | same_lines /dev/stdin <(long_lines 3000 100 300 && long_lines 3000 100 300)
    long_lines 3000 100 300 >other
    rm mappings
    FAULT_CALL=map_file FAULT_LOG=mappings bigshuf-faulty --header=start:'@' --headers-differ other in in >out
    same 3 "$(wc -l <mappings | tr -d ' ')"
    cat other other other | same_lines /dev/stdin out
}

test_only_lines_before_the_first_record_are_a_header() {
    printf '#a\n1\n#b\n\n' >in
    records_below '#a\n' '1\n|#b\n|\n|' --header=start:'#' in
    records_below '#a\n' '1\n|#b\n|\n|1\n|#b\n|\n|' --header=start:'#' in /dev/null - < <(cat in)
    records_below '' '#a\n|1\n|#b\n|\n|' --header=start:'##' in
    printf '\n#a\n' | records_below '' '\n|#a\n|' --header=start:'#'
    printf '##a\n##b\n#' | records_below '##a\n##b\n' '#\n|' --header=start:'##'
}

test_lines_that_begin_with_a_string_are_lines_before_records_of_any_kind() {
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
        # shellcheck disable=SC2094 # words, by intention; it is only read
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

# ---- Wrong input ----

test_a_short_group_of_lines_is_told_before_output() {
    printf '1\n2\n3\n' >in
    fails_when_read 'bigshuf: -: 1 line is left over at the end; records must have 2 lines' in --records=lines:2
    fails_when_read 'bigshuf: -: 3 lines are left over at the end; records must have 4 lines' in --records=lines:4
    fails_when_read 'bigshuf: -: 1 line is left over *' in -z --records=lines:4
    seq 4 >four
    fails_with 1 'bigshuf: in: 1 line *' bigshuf --records=lines:2 four in four >out
    is_empty out
    { more_than_memory; echo; } >in
    fails_when_read 'bigshuf: -: 1 line is left over *' in -S 8M --records=lines:2
}

test_a_short_record_of_a_size_is_told_before_output() {
    printf 12345678 >eight
    printf 123456789 >in
    fails_at_once 'bigshuf: in: size is not a multiple of 4 bytes' --records=bytes:4 never eight in
    fails_at_once 'bigshuf: in: size after the header is not a multiple of 4 bytes' \
        --records=bytes:4 --header=bytes:2 in never
    fails_at_once 'bigshuf: -: size is not a multiple of 4 bytes' --records=bytes:4 never - <in
    fails_when_read 'bigshuf: -: size is not a multiple of 4 bytes' in --records=bytes:4 eight - eight
    { more_than_memory; more_than_memory; echo; } >in
    fails_when_read 'bigshuf: -: size is not a multiple of 2 bytes' in -S 8M --records=bytes:2
    printf 1 >one
    printf 123 >three
    fails_at_once 'bigshuf: one: size is not a multiple of 4 bytes' --records=bytes:4 one three never
}

test_an_unclosed_quote_is_told_with_its_line() {
    printf 'a,b\n"c\n""",d\n"e' >in
    fails_when_read 'bigshuf: -: unclosed quote that starts in line 4' in --csv
    fails_when_read 'bigshuf: -: unclosed quote that starts in line 4' in --csv --header
    fails_when_read 'bigshuf: -: unclosed quote that starts in line 1' <(printf '"') --csv
    { printf '%%!\n"'; cat in; } >below
    fails_when_read 'bigshuf: -: unclosed quote that starts in line 5' below --csv --header=bytes:4
    { more_than_memory; printf '"x"\n"\n'; } >in
    fails_when_read "bigshuf: -: unclosed quote that starts in line $(wc -l <in | tr -d ' ')" in -S 8M --csv
    { printf '"'; more_than_memory; } >in
    fails_when_read 'bigshuf: -: unclosed quote that starts in line 1' in -S 8M --csv
    echo a >ok
    fails_with 1 'bigshuf: in: unclosed quote *' bigshuf --csv ok in ok >out
    is_empty out
}

test_text_before_the_first_start_is_told() {
    printf '\n>a\n' >in
    printf '>a\n' >ok
    fails_at_once "bigshuf: in: text before the first '>'" --records=start:'>' never ok in
    fails_when_read "bigshuf: -: text before the first '>'" in --records=start:'>' ok -
    printf 'Fro' >in
    fails_at_once "bigshuf: in: text before the first 'From '" --records=start:'From ' never in
}

# Who looks only at the number of lines takes a file for reads in which each of them begins a line too late.
test_reads_have_four_lines_and_the_first_one_of_each_file_begins_with_its_mark() {
    printf '@%s\nAC\n+\nII\n' 1 2 >reads
    records_are '@1\nAC\n+\nII\n|@2\nAC\n+\nII\n|' --records=fastq <reads
    fails_with 1 'bigshuf: -: 1 line is left over at the end; records must have 4 lines' \
        bigshuf --records=fastq < <(head -n 5 reads)
    { echo && head -n 7 reads; } >late
    { echo '#' && cat reads; } >headed
    { echo '#' && seq 4; } >wrong
    fails_at_once "bigshuf: late: line 1 is empty, but each read begins with '@'" --records=fastq never late
    fails_when_read "bigshuf: -: line 1 is empty, but each read begins with '@'" late --records=fastq reads -
    fails_with 1 "bigshuf: wrong: what follows the header begins with '1', but *" \
        bigshuf --records=fastq --header headed wrong
    bigshuf --records=fastq --header headed | tail -n +2 | sort | cmp - <(sort reads)
    bigshuf --records=fastq /dev/null >out
    is_empty out
}

test_huge_groups_and_sizes_are_only_too_large_for_the_input() {
    seq 3 >in
    fails_when_read 'bigshuf: -: 3 lines are left over *' in --records=lines:18446744073709551615
    fails_at_once 'bigshuf: in: size is not a multiple of 18446744073709551615 bytes' \
        --records=bytes:18446744073709551615b in
    bigshuf --records=lines:18446744073709551615 /dev/null | cmp - /dev/null
}

# ---- Memory ----

test_memory_for_records_of_every_format() {
    { seq 1000; long_line 9000000; seq 1000; } >lines
    for format in groups tfrecord; do
        use "$format"
        records <lines >in
        runs_within 8 --seed=m in "${options[@]}" >out
    done
}

test_memory_for_the_shortest_records() {
    local bytes
    bytes=$(scale 120000 2400000 60000000) # which 3 divides
    head -c "$bytes" /dev/zero | tr '\0' '\n' >in
    runs_within 8 --seed=m in --records=bytes:1 >out
    runs_within 8 --seed=m in --records=lines:1 >out
    runs_within 8 --seed=m in --records=lines:3 >out
    runs_within 8 --seed=m in --csv >out
    runs_within 8 --seed=m in --delimiter='\n\n' >out
    tr '\n' '>' <in | sed 's/>>/>\n/g' >starts
    runs_within 8 --seed=m starts --records=start:'>' >out
}
