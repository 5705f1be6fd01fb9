# Records that are not lines: promises 1, 3 and 4 hold for every format.

# ---- Every format ----

formats="nul byte blank_line crlf odd_run late_run lines nul_lines size csv csv_crlf fasta mbox mail ended paragraph"

# Those that begin with their length, and all of them. (They have no header of records.)
codings="tfrecord u32le u32be u64le u64be varint"
all_formats="$formats $codings"

# Set the variables of a format. `options` are the program's; `units` is the name of what --header counts; `edit`, of
# awk, turns a line into a record, independently of other lines, with \1 for NUL: so records can be compared with
# shuffled lines. Long lines get newlines within, not so many that it takes long. use FORMAT.
# shellcheck disable=SC2034 # the callers'
use() {
    units=1
    case $1 in
    nul) options=(-z) edit='put("\n"); $0 = $0 "\1"' ;;
    byte) options=(--delimiter=';') edit='put("\n"); $0 = $0 ";"' ;;
    blank_line) options=(--delimiter='\n\n') edit='put("\n,"); $0 = $0 "\n\n"' ;;
    crlf) options=(--delimiter='\r\n') edit='put("\r,\n"); $0 = $0 "\r\r\n"' ;;
    odd_run) options=(--delimiter=aa) edit='put("a\n"); $0 = "a" $0 "aa"' ;;
    late_run) options=(--delimiter=aaaab) edit='put("aaa\n"); $0 = "b" $0 "aaaaaaab"' ;;
    lines) options=(--records=lines:4) units=4 edit='$0 = "@\n" $0 "\n\nACGT\n"' ;;
    nul_lines) options=(-z --records=lines:3) units=3 edit='put("\n"); $0 = "\1" $0 "\1\n\1"' ;;
    size) options=(--records=bytes:17) edit='$0 = substr($0 "\n;              ", 1, 17)' ;;
    csv) options=(--csv) edit='put("\n"); $0 = "\"" $0 "\",\"a \"\"\n\"\" b\",\"\"\n"' ;;
    csv_crlf) options=(--csv) edit='put("\r\n"); $0 = "\"" $0 "\",c\r\n"' ;;
    fasta) options=(--records=start:'>') units=3 edit='put("\n"); $0 = ">" $0 "\nAC>GT\n >\n"' ;;
    mail) options=(--records=mbox) units=3 edit='put("\n\n"); $0 = "From " $0 "\nFrom x\n\n"' ;;
    pgn) options=(--records=pgn) units=3 edit='put("\n\n"); $0 = "[Event " $0 "\n[Event x\n\n"' ;;
    ended) options=(--records=end:'END "x"') units=4 edit='put("\n"); $0 = "\nEND\n" $0 "\nEND \"x\"\r\n"' ;;
    paragraph) options=(--records=paragraph) units=3 edit='put("\n"); $0 = "\n" $0 "\r\n\r\n"' ;;
    tfrecord | u* | varint) options=("--records=$1") edit= ;;
    mbox) options=(--records=start:'From ') units=5 edit='put("\n"); $0 = "From " $0 "\nFrom\n>From x\nFro\n\n"' ;;
    esac
}

records() {
    case $edit in
    '') lengths "${options[0]#*=}" ;;
    *\\1*) edited | tr '\1' '\0' ;;
    *) edited ;;
    esac
}

edited() {
    awk "function put(text) { gsub(/[0k][0k] /, text) } { $edit; printf \"%s\", \$0 }"
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
    seq 3000 >lines
    : >nothing
    for format in $all_formats; do
        use "$format"
        comes_like_lines
        bigshuf "${options[@]}" nothing | cmp - nothing
        bigshuf "${options[@]}" < <(:) | cmp - nothing
    done
}

test_records_that_do_not_fit_in_memory_are_shuffled_like_lines() { # tags: long plain
    use csv
    giants | tr a-j k-t >lines # piles are started over
    comes_like_lines --tune=leaf-records=8
    grep -E 'started over: +[12] ' said
    { seq 1000; long_line "$(scale 9000000 9000000 200000000)"; seq 1000; } >lines
    comes_like_lines
    { giants && long_line 9000000; } >lines
    for format in mail pgn ended paragraph; do
        use "$format"
        comes_like_lines --parallel=1
        comes_like_lines --parallel=3
    done
    more_than_memory >lines
    use u32le
    comes_like_lines
}

test_records_of_17_bytes_are_shuffled_like_lines() {
    use size
    more_than_memory >lines
    comes_like_lines
    in_comes_like_lines --tune=leaf-records=64
}

test_few_large_records_of_one_size_are_shuffled_like_lines() { # tags: long plain
    for bytes in 9000001 5000000; do # one does not fit in memory; two do not
        seq $((bytes > 9000000 ? 1 : 4)) >lines
        options=("--records=bytes:$bytes")
        edit="for (text = \$0 \";\"; length(text) < $bytes;) text = text text; \$0 = substr(text, 1, $bytes)"
        comes_like_lines
    done
    grep -E 'started over: +1 ' said
}

# Records that are longer than a block by one byte: so the ends of blocks come to lie in all places near their ends.
test_records_across_the_ends_of_blocks_are_shuffled_like_lines() { # tags: plain
    local bytes
    for format in late_run lines size csv_crlf mbox ended paragraph tfrecord varint; do
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

test_lengths_of_several_bytes_are_read_wherever_blocks_tear_them() { # tags: long
    long_lines 3000 100 300 >lines
    for format in $codings; do
        use "$format"
        comes_like_lines
    done
}

test_files_of_any_format_are_one_input() { # tags: long
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

samples=('-n 0' '-n 100' '-n 100 --keep-order' '-n 3000 -r' '-n 100 --weights=weights' --probability=0.1)

test_samples_of_every_kind_are_those_of_lines() { # tags: long plain
    seq 2000 >lines
    seq 2000 >weights
    for format in late_run lines csv tfrecord; do
        use "$format"
        comes_like_lines
        for sample in "${samples[@]}"; do in_comes_like_lines $sample; done
    done
}

test_samples_of_many_lines_are_those_of_lines() { # tags: plain
    more_than_memory >lines
    for format in $(scale csv csv 'late_run lines size csv fasta'); do
        use "$format"
        comes_like_lines -n 70000 --keep-order
        in_comes_like_lines -n 70000 -r
    done
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

test_headers_of_every_format_stay_at_the_top_and_do_not_count_for_samples() { # tags: plain
    seq 2000 >lines
    seq 2000 >weights
    for format in $formats; do
        use "$format"
        comes_below_a_header
        [ $format = csv ] || [ $format = lines ] || continue
        for sample in "${samples[@]}"; do in_comes_below_a_header $sample; done
    done
}

test_a_header_of_any_length_is_one() { # tags: long
    local bytes total
    for format in late_run nul_lines csv fasta; do
        use "$format"
        bytes=$(echo | records | wc -c)
        for total in 4095 4096 4097 100000; do
            { long_line $((total - bytes)) | tr ' ' 0; seq 10; } | records >in
            bigshuf "--header=$units" "${options[@]}" -n 10 --keep-order in | cmp - in
        done
    done
}

test_a_header_of_bytes_comes_before_records_of_every_format() { # tags: long
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

# ---- Memory ----

test_memory_for_records_of_every_format() { # tags: long
    { seq 1000; long_line 9000000; seq 1000; } >lines
    use u32le
    records <lines >in
    runs_within 8 --seed=m in "${options[@]}" >out
}

test_memory_for_the_shortest_records() { # tags: long
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
