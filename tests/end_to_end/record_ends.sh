# Where records end: delimiters, rows, reads, starts, and what a file's last record lacks; and input that is wrong.

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

test_a_delimiter_may_have_255_bytes() { # tags: long
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
test_records_of_csv_are_the_rows_of_python() { # tags: long
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

# Each of them ends where its last line does, in any pieces, and blank lines at the end of a file are left out.
test_a_record_may_end_with_a_line() {
    printf 'LOCUS A\n// \n//\nLOCUS B\n//' >in
    printf '\n\nLOCUS C\n//\n\n\r\n' >blank
    printf '\r\n\n' >empty
    printf 'x\r\n//\r\n\r\ny\r\n//' >crlf
    for options in '' '-S8M --parallel=1' -Z; do
        records_are 'LOCUS A\n// \n//\n|LOCUS B\n//\n|' --records=end:// $options in
        records_are 'LOCUS A\n// \n//\n|LOCUS B\n//\n|\n\nLOCUS C\n//\n|x\r\n//\r\n|\r\ny\r\n//\n|' \
            --records=end:// $options in blank empty - < <(cat crlf)
    done
    same '2 read, 2 written' "$(bigshuf -v --records=end:// in empty 2>&1 >out | sed -n 's/.*records: *//p')"
    { printf 'ID a\n' && seq 1500000 && printf '\n//\n'; } >long
    bigshuf -S 8M --records=end:// long | cmp - long
    printf 'A\n//\nB\n/\n\n' >broken
    fails_with 1 "bigshuf: broken: record at byte 5, the last one, has no last line '//'; *" bigshuf --records=end:// -o broken broken
    fails_with 1 "bigshuf: -: record at byte 5, the last one, has no *" bigshuf --records=end:// in - <broken
}

test_a_blank_line_ends_a_paragraph_and_is_added_to_the_last_one_of_a_file() {
    printf 'A\nx\n\nB' >in
    printf '\n\nC\n\n\nD\n\n\n\n' >blank
    printf 'E\r\n\r\nF\r\n' >crlf
    for options in '' '-S8M --parallel=1' -Z; do
        records_are 'A\nx\n\n|B\n\n|' --records=paragraph $options in
        records_are 'A\nx\n\n|B\n\n|\n\nC\n\n|\nD\n\n|E\r\n\n|F\n\n|' --records=paragraph $options in blank <(printf 'E\r\n\nF\n')
        records_are 'E\r\n\r\n|F\r\n\r\n|' --records=paragraph $options - < <(cat crlf)
    done
    records_are '' --records=paragraph <(printf '\n\r\n\n') 2>said
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
test_an_odd_quote_is_told_with_its_line() { # tags: long
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
        fails_with 1 'bigshuf: in: in line 100000: *, since an input is also the output' bigshuf --csv --header=0 $options -o in in
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
    fails_when_read "bigshuf: -: unclosed quote that starts in line $(line_counts in)" in -S 8M --csv
    { printf '"'; more_than_memory; } >in
    fails_when_read 'bigshuf: -: unclosed quote that starts in line 1' in -S 8M --csv
    echo a >ok
    fails_with 1 'bigshuf: in: unclosed quote *' bigshuf --csv ok in ok >out
    is_empty out
}

test_a_byte_order_mark_before_the_first_start_stays_at_the_top() {
    printf '\357\273\277>a\nA\n' >marked
    printf '>b\n' >plain
    for files in 'plain marked' 'marked plain' 'marked marked' '- marked' 'plain -'; do
        bigshuf --records=fasta $files < <(cat marked) >out
        cmp -n 3 out marked
        same 1 "$(grep -c $'\357\273\277' out)"
    done
    bigshuf --records=fasta -o marked marked
    printf '\357\273\277>a\nA\n' | cmp - marked
}

test_text_before_the_first_start_is_told() {
    printf '\nx\n>a\n' >in
    printf '>a\n' >ok
    fails_at_once "bigshuf: in: text before the first '>'; to keep it at the top, write --header=2" --records=start:'>' never ok in
    fails_when_read "bigshuf: -: text before the first '>'; *" in --records=start:'>' ok -
    printf 'Fro' >in
    fails_at_once "bigshuf: in: text before the first 'From '" --records=start:'From ' never in
}

# Who looks only at the number of lines takes a file for reads in which each of them begins a line too late.
test_reads_have_four_lines_and_the_first_one_of_each_file_begins_with_its_mark() {
    printf '@%s\nAC\n+\nII\n' 1 2 >reads
    records_are '@1\nAC\n+\nII\n|@2\nAC\n+\nII\n|' --records=fastq <reads
    fails_with 1 'bigshuf: -: line 5: the last read has 1 of 4 lines; *' \
        bigshuf --records=fastq < <(head -n 5 reads)
    { echo && head -n 7 reads; } >late
    { echo '#' && cat reads; } >headed
    { echo '#' && seq 4; } >wrong
    fails_at_once "bigshuf: late: line 1 is empty, but each read begins with '@'; *" --records=fastq never late
    fails_when_read "bigshuf: -: line 1 is empty, but each read begins with '@'; *" late --records=fastq reads -
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
