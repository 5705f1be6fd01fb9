# Promise 7: what is wrong with the command line or with an input is told before the work. How FILEs are read.
# shellcheck shell=bash

# ---- Inputs that cannot be read ----

test_a_missing_file_is_told_before_the_work() {
    fails_at_once 'bigshuf: missing: No such file or directory' missing
    fails_at_once 'bigshuf: missing: No such file or directory' never never missing
}

test_a_missing_file_is_told_even_as_the_last_of_many() {
    mkdir files
    for i in $(seq 1000); do echo "$i" >files/"$i"; done
    fails_at_once 'bigshuf: missing: No such file or directory' never files/* missing
}

test_a_directory_is_told_before_the_work() {
    mkdir directory
    fails_at_once 'bigshuf: directory: Is a directory' never directory
}

test_a_socket_is_told_before_the_work() {
    needs python3
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
    fails_at_once 'bigshuf: socket: No such device or address' never socket
    fails_at_once 'bigshuf: socket: No such device or address' --random-source=socket never
}

test_a_standard_input_that_cannot_be_read_is_told_before_the_work() {
    fails_at_once 'bigshuf: -: Bad file descriptor' never - <&-
    fails_at_once 'bigshuf: -: Bad file descriptor' never - 0>written
    fails_at_once 'bigshuf: -: Is a directory' never - <.
}

test_an_unreadable_file_is_told_before_the_work() {
    needs_ordinary_user
    mkfifo never
    echo secret >file
    chmod 000 file
    fails_with 1 'bigshuf: file: Permission denied' as_ordinary_user ./bigshuf never file
}

test_an_unreadable_fifo_is_told_before_the_work() {
    needs_ordinary_user
    mkfifo never closed
    chmod 000 closed
    fails_with 1 'bigshuf: closed: Permission denied' as_ordinary_user ./bigshuf never closed
}

test_an_empty_name_is_told_before_the_work() {
    fails_at_once "bigshuf: '': No such file or directory" never ''
}

test_a_name_with_a_newline_is_told_in_one_line() {
    fails_at_once 'bigshuf: a\\nb: No such file or directory' $'a\nb'
}

test_a_bad_input_leaves_the_output_file() {
    echo old >file
    fails_at_once 'bigshuf: missing: *' -o file missing
    same old "$(<file)"
    fails_at_once 'bigshuf: missing: *' -o new missing
    fails_with 2 '*' ls new
}

test_a_read_error_is_told_with_the_name() {
    seq 10 >in
    FAULT_CALL=read FAULT_AT=1 fails_with 1 'bigshuf: in: Input/output error' bigshuf-faulty in
    FAULT_CALL=read FAULT_AT=1 fails_with 1 'bigshuf: -: Input/output error' bigshuf-faulty <in
}

# ---- Standard input ----

test_a_hyphen_is_standard_input() {
    seq 10 >file
    seq 11 20 | bigshuf file - >out
    same_lines out <(seq 20)
}

test_standard_input_is_read_once() {
    seq 10 | bigshuf - - >out
    same_lines out <(seq 10)
}

test_standard_input_is_read_from_where_it_stands() {
    seq 10 >file
    { read -r _; bigshuf >out; } <file
    same_lines out <(seq 2 10)
}

test_a_closed_standard_input_is_an_error_when_it_is_read() {
    seq 10 >file
    fails_with 1 'bigshuf: -: Bad file descriptor' bigshuf <&-
    fails_with 1 'bigshuf: -: Bad file descriptor' bigshuf file - <&-
    bigshuf file <&- >out
    same_lines out file
}

test_a_file_named_hyphen_has_a_path() {
    seq 10 >-
    bigshuf ./- </dev/null >out
    same_lines out <(seq 10)
}

test_fifos_are_opened_in_their_turn() {
    mkfifo a b
    { seq 10 >a; seq 11 20 >b; } &
    bigshuf a b >out
    wait $!
    same_lines out <(seq 20)
}

# ---- Names from a file ----

test_names_from_a_file() {
    seq 10 >a
    seq 11 20 >b
    printf 'a\0b' >names
    bigshuf --files0-from=names | sort -n | cmp - <(seq 20)
    printf 'a\0b\0' | bigshuf --files0-from=- | sort -n | cmp - <(seq 20)
}

test_a_name_from_a_file_may_have_any_byte() {
    echo x >$'a\n b\377'
    printf 'a\n b\377\0' | bigshuf --files0-from=- | cmp - <(echo x)
}

test_many_names_from_a_file() {
    mkdir files
    for i in $(seq 3000); do echo "$i" >files/"$i"; done
    printf 'files/%d\0' $(seq 3000) | bigshuf --files0-from=- | sort -n | cmp - <(seq 3000)
}

test_a_hyphen_among_names_from_a_file_is_standard_input() {
    printf -- '-\0' >names
    seq 10 | bigshuf --files0-from=names | sort -n | cmp - <(seq 10)
}

test_what_is_wrong_with_names_from_a_file_is_told_before_the_work() {
    printf 'never\0missing\0' >names
    fails_at_once 'bigshuf: missing: No such file or directory' --files0-from=names
    fails_at_once 'bigshuf: nowhere: No such file or directory' --files0-from=nowhere
    printf 'never\0\0' >names
    fails_at_once "bigshuf: names:2: invalid zero-length file name" --files0-from=names
    fails_at_once "bigshuf: no input from '/dev/null'" --files0-from=/dev/null
    seq 10000 | sed 's|$|/never|' >names
    fails_at_once "bigshuf: names:1: '1/never*...': File name too long: names end with NUL, not with newlines: \
make the list with find -print0, or tr '\\\\n' '\\\\0'" --files0-from=names
    head -c 4096 /dev/zero | tr '\0' x >names
    fails_at_once "bigshuf: names:1: 'xxx*...': File name too long: names end with NUL, *" --files0-from=names
    printf -- '-' >names
    fails_at_once "bigshuf: when reading file names from stdin, no file name of '-' allowed" --files0-from=- <names
    fails_at_once "bigshuf: extra operand 'x'*" --files0-from=names x
}

test_a_list_of_names_without_an_end_is_refused() {
    seq 10 >x
    fails_at_once 'bigshuf: /dev/zero:1: invalid zero-length file name' --files0-from=/dev/zero
    fails_at_once "bigshuf: -:1: 'x\\\\nx*...': File name too long: names end *" --files0-from=- < <(exec 2>/dev/null && yes x)
    fails_at_once "bigshuf: -:1: 'xxx*...': File name too long: names end *" \
        --files0-from=- < <(exec 2>/dev/null && yes x | tr -d '\n')
    fails_with 1 'bigshuf: -: its names take more than 16 MiB: use a larger -S' \
        bigshuf -S 32M --files0-from=- < <(exec 2>/dev/null && yes x | tr '\n' '\0')
}

# ---- The command line ----

test_options_may_follow_operands() {
    seq 10 >in
    bigshuf in --seed=42 -o out
    same '10 5 9 3 2 4 8 7 6 1' "$(paste -s -d ' ' out)"
}

test_posixly_correct_is_respected() {
    seq 10 >in
    POSIXLY_CORRECT=1 fails_at_once 'bigshuf: --seed=42: No such file or directory' in --seed=42
}

test_after_two_hyphens_all_are_files() {
    echo x >-z
    bigshuf -- -z | cmp - <(echo x)
}

test_options_may_be_abbreviated() {
    seq 10 >in
    bigshuf --se=42 --buf=8M --para=1 --temp=. --zero --out=out in
    bigshuf --seed=42 -z in | cmp - out
    fails_at_once "bigshuf: *option '--shard'* is ambiguous*" --shard never
}

test_letters_may_stand_together() {
    printf '1\0002\0' >in
    bigshuf -vzoout -S8M -T. in 2>said
    same_lines <(tr '\0' '\n' <out) <(seq 2)
}

test_bad_options_are_told_before_the_work() {
    fails_at_once "bigshuf: *unrecognized option '--nonsense'*--help*" --nonsense never
    fails_at_once "bigshuf: *invalid option -- 'y'*" -y never
    fails_at_once "bigshuf: *option requires an argument -- 'o'*" never -o
    fails_at_once "bigshuf: *option '--seed' requires an argument*" never --seed
    fails_at_once "bigshuf: *option '--verbose' doesn't allow an argument*" --verbose=1 never
}

test_bad_numbers_are_told_before_the_work() {
    for size in '' x -1 1x 1Q5 1.5 0x10M ' 8M' '8 M' 101%x; do
        fails_at_once "bigshuf: invalid -S argument '$size': it is a number and a unit, *" -S "$size" never
    done
    fails_at_once "bigshuf: -S argument '99999999999999999999' too large" -S 99999999999999999999 never
    fails_at_once 'bigshuf: -S 7M: memory must be at least 8*MiB' -S 7M never
    fails_at_once 'bigshuf: -S 8191: memory must be at least 8*MiB: a number without a unit is KiB' -S 8191 never
    fails_at_once "bigshuf: number in parallel must be nonzero" --parallel=0 never
    fails_at_once "bigshuf: invalid --parallel argument 'x': it is a whole number, *" --parallel=x never
    fails_at_once "bigshuf: invalid --tune argument 'x': it is leaf-records=T" --tune=x never
    fails_at_once "bigshuf: invalid --tune argument 'leaf-records=7': *" --tune=leaf-records=7 never
    fails_at_once "bigshuf: invalid --tune argument 'leaf-records=2147483649': *" --tune=leaf-records=2147483649 never
}

test_sizes_are_as_in_sort() {
    for size in 8192 8192K 8192k 8M 8m 1G 8388608b 50%; do
        seq 10 | bigshuf -S $size | sort -n | cmp - <(seq 10)
    done
}

test_more_than_one_output_is_told_before_the_work() {
    fails_at_once 'bigshuf: multiple output files specified' -o 1 -o 2 never
}

test_help_and_version_go_to_standard_output() {
    bigshuf --help 2>&1 >out | cmp - /dev/null
    grep -q '^Usage: bigshuf ' out
    bigshuf --version 2>&1 >out | cmp - /dev/null
    grep -E -x 'bigshuf [0-9]+\.[0-9]+\.[0-9]+' out
}

test_v_sums_up_on_standard_error() {
    seq 1000 >in
    bigshuf -v in 2>said >out
    grep -E '^bigshuf: records: +1000 read, 1000 written$' said
    grep -E '^bigshuf: bytes: +3893$' said
    same 0 "$(grep -c -v '^bigshuf: [a-z ]*: ' said || true)"
}

test_without_v_nothing_is_said() {
    seq 1000 | bigshuf 2>said >out
    is_empty said
}

test_names_that_cannot_be_seen_are_shown() {
    fails_at_once "bigshuf: '': No such file or directory" ''
    fails_at_once 'bigshuf: \\x1b\[31mred: No such file or directory' $'\033[31mred'
}

# ---- Inputs that are hardly what was meant ----

# Both files and pipes are warned of once, and shuffled: hints PATTERN FILE OPTION...
hints() {
    local file=$2
    bigshuf "${@:3}" "$file" "$file" 2>said >out
    [[ $(<said) = "bigshuf: warning: $file"$1 ]]
    same 1 "$(grep -c '' said)"
    same_lines out <(cat "$file" "$file")
    bigshuf -S 8M --parallel=1 "${@:3}" <"$file" 2>said >out
    [[ $(<said) = "bigshuf: warning: -"$1 ]]
    bigshuf --keep-order -n 1000000 "${@:3}" < <(cat "$file") 2>said >out
    [[ $(<said) = "bigshuf: warning: -"$1 ]]
    cmp -n "$(wc -c <"$file")" "$file" out
    if bigshuf --records=bytes:1 <"$file" 2>&1 >out | grep .; then
        return 1
    fi
}

# This file, compressed by a program, is refused as lines before anything is read, whatever it is called; through a pipe
# it is warned of, and shuffled as it is: is_packed FILE PROGRAM
is_packed() {
    local advice=': to shuffle its lines: bigshuf -Z'
    cp "$1" copy
    fails_at_once "bigshuf: copy: compressed by $2$advice" never copy
    fails_at_once "bigshuf: $1: compressed by $2$advice" --header -S 8M --parallel=1 -o new "$1"
    fails_at_once "bigshuf: -: compressed by $2$advice" --probability=1 - never <"$1"
    for option in -z --csv --delimiter=ab --records=lines:2 --records=start:x; do
        fails_with 1 "bigshuf: $1: compressed by $2: to shuffle its *: bigshuf -Z" bigshuf "$option" "$1"
    done
    fails_with 1 "bigshuf: $1: compressed by $2$advice" bigshuf --scatter=store --piles=2 "$1"
    [ ! -e store ] && [ ! -e new ]
    same "bigshuf: warning: -: compressed by $2, and shuffled as it is$advice" "$(bigshuf < <(cat "$1") 2>&1 >out)"
    same_lines out "$1"
    is_silent bigshuf --records=bytes:1 "$1"
}

test_compressed_files_are_refused_as_lines_and_pipes_are_warned_of() {
    printf '\37\213\10\0...\n' >x.gz
    is_packed x.gz gzip
    printf '\50\265\57\375.\n.\n' >x.zst
    is_packed x.zst zstd
    printf '\3757zXZ\0.\n' >x.xz
    is_packed x.xz xz
    printf 'BZh91AY&SY\n' >x.bz2
    is_packed x.bz2 bzip2
    printf '\4"M\30.\n' >x.lz4
    is_packed x.lz4 lz4
    if ! command -v gzip; then
        return
    fi
    seq 100000 | gzip >large.gz
    printf '\n' >>large.gz
    is_packed large.gz gzip
}

# shellcheck disable=SC2094 # by intention
test_an_input_that_the_shell_has_emptied_is_told() {
    local why='is also the output, and the shell has emptied it: use -o'
    for options in '' -S8M '-n 1' --header '--header --csv' -z --probability=1 '--keep-order -n9' -Z --records=bytes:3; do
        seq 9 | tee in >other
        # shellcheck disable=SC2086 # options
        fails_with 1 "bigshuf: in: $why in" bigshuf $options in >in
        # shellcheck disable=SC2086
        fails_with 1 "bigshuf: in: $why in" bigshuf $options other in >in
        # shellcheck disable=SC2086
        fails_with 1 "bigshuf: -: $why FILE" bigshuf $options <in >in
        is_empty in
    done
    ln -s in link
    fails_with 1 "bigshuf: link: $why link" bigshuf --split=1:new link >in
    fails_with 1 "bigshuf: in: $why in" bigshuf --scatter=store --piles=2 in >in
    [ ! -e new ] && [ ! -e store ]
    same '' "$(bigshuf in 2>&1 >>in)"
    seq 9 >in
    bigshuf in >>in
    same 18 "$(wc -l <in | xargs)"
    : >empty
    bigshuf empty >out
    bigshuf <empty >out
}

test_a_terminal_that_is_waited_for_is_told() {
    # shellcheck disable=SC2016 # the terminal's shell's
    local wait='for i in $(seq 200); do grep -q Ctrl record && break; sleep 0.05; done; kill $!; wait'
    for words in '' '-n 1 -' --files0-from=-; do
        rm -f record
        TERMINAL_CONTROLS=1 terminal 80 record sh -c "bigshuf $words </dev/tty & $wait" >screen || :
        same 'bigshuf: standard input: waiting for input from the terminal: Ctrl-D ends it' "$(<screen)"
    done
    same '' "$(TERMINAL_CONTROLS=1 terminal 80 record sh -c 'seq 9 | bigshuf >out')"
}

test_compressed_files_of_records_that_are_no_text_are_refused() {
    printf '\37\213\10\0...\n' >x.gz
    printf '\50\265\57\375.\n.\n' >x.zst
    for option in --records=bytes:3 --records=u32le --records=tfrecord --records=varint \
        --records=start:'>' '--header --records=start:>'; do
        # shellcheck disable=SC2086 # options
        fails_at_once 'bigshuf: x.gz: compressed by gzip: to shuffle its records: bigshuf -Z' $option never x.gz
    done
    fails_at_once 'bigshuf: x.zst: compressed by zstd: to shuffle its records: bigshuf -Z' --records=bytes:5 x.zst never
    printf '\1\0\0\0a' >records.gz
    cp x.gz x
    for file in x records.gz; do # only one of the two is like that
        bigshuf --records=bytes:1 $file 2>&1 >out | cmp - /dev/null
        test "$(wc -c <out)" -eq "$(wc -c <$file)"
    done
    bigshuf --records=u32le records.gz | cmp - records.gz
    bigshuf --records=bytes:8 x.gz | cmp - x.gz # it may be one record
    printf 'ab' >short.gz
    bigshuf --records=bytes:2 short.gz | cmp - short.gz
}

test_utf_16_is_warned_of() {
    printf '\377\376a\0\n\0b\0\n' >little
    hints ': text in UTF-16, and shuffled as it is: *: iconv -f UTF-16 -t UTF-8* | bigshuf' little
    printf '\376\377\0a\0\n' >big
    hints ': text in UTF-16, and *' big
}

test_archives_are_warned_of() {
    seq 1000 >member
    tar -cf archive.tar member
    printf '\n' >>archive.tar # as lines, its last one has no end
    hints ': a tar archive, and shuffled as it is: to shuffle its members: bigshuf --records=tar' archive.tar
    gzip <archive.tar >a.tgz
    bigshuf -Z a.tgz 2>said >out
    same 'bigshuf: warning: a.tgz: a tar archive, and shuffled as it is: to shuffle its members: bigshuf -Z --records=tar' "$(<said)"
    cp archive.tar kept
    fails_with 1 'bigshuf: archive.tar: a tar archive, and an output as well, so that what is in it would be lost: *--records=tar' \
        bigshuf -o archive.tar archive.tar
    cmp archive.tar kept
}

# Nothing is said of this: is_silent COMMAND...
is_silent() {
    "$@" 2>&1 >out | cmp - /dev/null
}

test_sequences_are_warned_of() {
    printf '@read 1\nACGTN\n+\nIIIII\n@read 2\nAC\n+\nII\n' >reads
    hints ": a FASTQ file, and shuffled as it is: to shuffle its reads: bigshuf --records=fastq" reads
    hints ': a FASTQ file, and *' reads -n 1000000
    bigshuf --records=start:@ reads 2>&1 >out | grep 'a FASTQ file, and *'
    is_silent bigshuf --records=lines:4 reads
    is_silent bigshuf --records=lines:8 reads
    sed 's/$/\r/' reads >returns
    hints ': a FASTQ file, and *' returns
    printf '>gene 1\nMKVLAAGIVLLLAAGC*MKVLAA\nMK\n>gene 2\nMK\n' >genes
    cp genes others
    bigshuf -o others others 2>&1 | grep 'others: a FASTA file, and shuffled as it is'
    hints ": a FASTA file, and shuffled as it is: to shuffle its sequences: bigshuf --records=fasta" genes
    is_silent bigshuf --records=start:'>' genes
    cp reads kept
    fails_with 1 'bigshuf: reads: a FASTQ file, and an output as well, so that what is in it would be lost: *=fastq' \
        bigshuf -o reads reads
    cmp reads kept
    for text in '@home\nA\n+\n' '@home\nACGT\n+\nIII\n' '@home\nACGT\n-\nIIII\n' '@\nA\n+\nI\n' '@home\nA1\n+\nII\n' \
        '>quoted text\nand\n' '>\nthe\n' '>quoted\nand what was written about it\n' \
        '>Title\n-----------------------\n' '>log\nsome.host.example.org.uk\n'; do
        # shellcheck disable=SC2059 # a format
        printf "$text" >text
        is_silent bigshuf text
    done
}

test_records_with_lengths_are_warned_of() {
    printf '\5\0\0\0\0\0\0\0\352\262\004\076hello....\n' >records
    hints ': a TFRecord file, and shuffled as it is: to shuffle its records: bigshuf --records=tfrecord' records
    printf '\6\0\0\0\0\0\0\0\352\262\004\076hello....\n' >text
    is_silent bigshuf text
}

test_tables_and_arrays_are_warned_of() {
    printf '\223NUMPY\1\0v\0\n' >array
    hints ': a NumPy file, and shuffled as it is: its rows are no lines: convert it to text first' array
    printf 'SQLite format 3\0\n' >table
    hints ': an SQLite database, and *: its rows are no lines: convert it to text first' table
    printf 'BAM\1\n' | gzip >a.bam
    bigshuf -Z a.bam 2>&1 >out | grep 'warning: a.bam: a BAM file, and shuffled as it is: its rows are no lines: *'
}

test_a_delimiter_that_is_nowhere_is_warned_of() {
    local warning='bigshuf: warning: the delimiter is nowhere in the input, so that each file is one record'
    seq 100000 >in
    printf '5<|' >halves
    for options in '' '-n 1' '--keep-order -n 1' '-r -n 3' '-S 8M --parallel=1' '--header=0' "--random-source=in -n 1"; do
        # shellcheck disable=SC2086 # options
        same "$warning" "$(bigshuf --delimiter='<|e|>' $options in halves in 2>&1 >out)"
        # shellcheck disable=SC2086
        same "$warning" "$(bigshuf --delimiter='<|e|>' $options < <(cat in) 2>&1 >out)"
    done
    is_silent bigshuf --delimiter='\n10\n' in
    is_silent bigshuf --delimiter='<|e|>' /dev/null
    is_silent bigshuf --delimiter='<|e|>' halves <(printf '<|e|>')
    is_silent bigshuf --records=start:'>' <(printf '>a\nb')
}

test_a_delimiter_of_one_byte_that_is_nowhere_is_warned_of() {
    local delimiter='bigshuf: warning: the delimiter is nowhere in the input, so that each file is one record'
    local zero='bigshuf: warning: -z: there is no NUL in the input, so that each file is one record: leave it out to shuffle lines'
    seq 100000 >in
    for options in '' '-n 1' '--keep-order -n 1' '-r -n 3' '-S 8M --parallel=1' '--header=0'; do
        # shellcheck disable=SC2086 # options
        same "$delimiter" "$(bigshuf --delimiter=, $options in in 2>&1 >out)"
        # shellcheck disable=SC2086
        same "$delimiter" "$(bigshuf --delimiter=, $options < <(cat in) 2>&1 >out)"
        # shellcheck disable=SC2086
        same "$zero" "$(bigshuf -z $options in in 2>&1 >out)"
        # shellcheck disable=SC2086
        same "$zero" "$(bigshuf -z $options < <(cat in) 2>&1 >out)"
    done
    same "$zero" "$(bigshuf --delimiter='\0' in 2>&1 >out)"
    same "$zero" "$(bigshuf --scatter=store --piles=2 -z in 2>&1)"
    printf 'one' >name
    is_silent bigshuf -z name
    is_silent bigshuf -z in <(printf 'a\0')
    is_silent bigshuf -z -e $'a\nb'
    is_silent bigshuf -z /dev/null
    is_silent bigshuf --delimiter=, /dev/null
    is_silent bigshuf --delimiter=, in <(printf 'a,')
    is_silent bigshuf --delimiter=9 in
    is_silent bigshuf name
}

# Nothing is said of lines of such text: is_lines FORMAT
is_lines() {
    # shellcheck disable=SC2059 # a format
    printf "$1" >text
    is_silent bigshuf text
}

test_csv_with_newlines_in_fields_is_warned_of() {
    printf 'id,text\n1,"a\nb ""c"""\n2,d\n' >table
    hints ': a CSV file with newlines in fields, and shuffled as it is: to shuffle its records: bigshuf --csv' table
    printf '"id";"text"\r\n1;"a\r\nb"\r\n' >table
    hints ": a CSV file *: bigshuf --csv -t ';'" table
    printf 'id\ttext\n1\t"a\nb"\n' >table
    hints ": a CSV file *: bigshuf --csv -t '?t'" table
    is_silent bigshuf --csv -t '\t' table
    cp table kept
    fails_with 1 'bigshuf: table: a CSV file *, and an output as well, so that what is in it would be lost: *' \
        bigshuf -o table table
    cmp table kept
    bigshuf --header table 2>&1 >out | grep 'warning: table: a CSV file'
    printf 'a title\n1,"a\nb"\n' >odd
    is_silent bigshuf odd
    cp odd odd.csv
    bigshuf odd.csv 2>&1 >out | grep 'warning: odd.csv: a CSV file with newlines in fields, '
    bigshuf -o odd.csv odd.csv 2>said # it may be none
    is_lines 'a,b\n1,"c"\n2,"d, e"\n'
    is_lines '"Hello, you\nthere," he said\n'
    is_lines '"Hello, you\nthere"\nhe said, so\n'
    is_lines 'said, "hello\nyou"\nI, too\n'
    is_lines 'one "\ntwo"\n'
}

test_json_that_is_not_in_lines_is_warned_of() {
    printf '[\n  {"a": "]"},\n  {"b": 2}\n]\n' >array
    hints ": a JSON array, and shuffled as it is: to shuffle its elements: jq -c '.\[\]'* | bigshuf" array
    printf '[{"a": "\\"\\n]"},{"b": 2}]\n' >line
    hints ': a JSON array, and *' line
    bigshuf -o line line 2>said # it may be the only line
    { printf '[{"a": "' && seq 100000 | tr '\n' ' ' && printf '"}]\n'; } >long
    hints ': a JSON array, and *' long
    printf '\357\273\277{\n  "a": {"b": 1}\n}\n{\n  "a": 2\n}\n' >pretty
    hints ': JSON with several lines for a value, and shuffled as it is: to shuffle its values: jq -c .* | bigshuf' pretty
    bigshuf pretty 2>&1 >out | grep "jq -c . 'pretty' |"
    for file in array pretty; do
        cp $file kept
        fails_with 1 "bigshuf: $file: *JSON*, and an output as well, so that what is in it would be lost: *" \
            bigshuf -o $file $file
        cmp $file kept
    done
    is_lines '{"a": 1}\n{"b": {"c": [1, 2]}}\n'
    is_lines '["a", 1]\n["b", 2]\n'
    is_lines '[{"a": 1}, {"b": 2}]\n[{"c": 3}]\n'
    is_lines '[section]\nkey = 1\n'
    is_lines '[2026-11-23 12:00, 1] GET\n[2026\n'
    is_lines '{\nint x;\n}\n'
    is_lines '[\n\n'
    is_lines '{}\n'
}

# What has been looked at when the run begins is read when a pipe before it has ended.
test_a_file_that_changes_before_its_turn_is_told() {
    mkfifo pipe
    for change in 'seq 10 >in' 'sleep 0.05; seq 20000 | tac | cat >in' 'seq 9 >new && mv new in'; do
        seq 20000 >in
        bigshuf -o out pipe in 2>said & run=$!
        exec 7>pipe
        eval "$change"
        exec 7>&-
        fails_with 1 '' wait "$run"
        same 'bigshuf: in: file has changed while it was read' "$(<said)"
        [ ! -e out ]
    done
    bigshuf -o out pipe - <in 2>said & run=$!
    exec 7>pipe
    : >in
    exec 7>&-
    fails_with 1 '' wait "$run"
    grep -q 'bigshuf: -: file has changed while it was read' said
    seq 1000 >in
    bigshuf -o out pipe in & run=$!
    exec 7>pipe
    echo 1001 >>in
    exec 7>&-
    wait "$run"
    same_lines out <(seq 1000)
}

test_zip_archives_are_warned_of() {
    printf 'PK\3\4\n.\n' >x.zip
    hints ': a zip archive, and shuffled as it is: to shuffle lines in it: unzip -p' x.zip
    fails_with 1 'bigshuf: x.zip: a zip archive, and an output as well, *' bigshuf -Z -o x.zip x.zip
}

test_files_without_lines_are_warned_of() {
    printf 'PAR1\25\0\n.\n' >x.parquet
    hints ': a Parquet file, and shuffled as it is: its rows are no lines: convert it to text first' x.parquet
    printf 'ARROW1\0\0\n.\n' >x.arrow
    hints ': an Arrow file, and shuffled as it is: *' x.arrow
    printf 'SQLite format 3\0\n.\n' >x.db
    hints ': an SQLite database, and shuffled as it is: *' x.db
    printf '\211HDF\r\n\32\n.\n' >x.h5
    hints ': an HDF5 file, and shuffled as it is: *' x.h5
    printf 'Obj\1\n.\n' >x.avro
    hints ': an Avro file, and shuffled as it is: *' x.avro
    for file in x.parquet x.arrow x.db x.h5 x.avro; do
        cp $file kept
        fails_with 1 "bigshuf: $file: a* *, and an output as well, so that what is in it would be lost: its rows are no lines: *" \
            bigshuf -Z -o $file $file
        cmp $file kept
    done
}

test_text_is_not_warned_of() {
    for text in BZh BZhx 'BZ h9' PAR1 PAR1x ARROW1 'SQLite format 3' HDF Obj1 '\037' '(' '\0357\0273\0277a' ''; do
        printf '%b\n' "$text" >in
        bigshuf in 2>>said >>out
        bigshuf --csv --header in 2>>said >>out
    done
    if grep -v 'nothing but a header' said; then
        return 1
    fi
}

test_a_byte_order_mark_is_no_part_of_a_field() {
    printf '\357\273\277"name","x"\r\n"a",1\r\n' >in
    bigshuf --csv in 2>said >out
    bigshuf --csv --header in 2>>said >>out
    same '' "$(<said)"
    printf '\357\273\277name"\n"\n' >in
    hints ':1: a quote that neither *' in --csv
}

test_quotes_within_fields_are_warned_of() {
    printf 'id,what\n1,"3"" x\n"\n2,5" disk\n3,6" disk\n' >in
    hints ':4: a quote that neither begins nor ends a field: *' in --csv
    printf 'id,what\n1,"3"" x\n"\n2,a;5" disk\n' >in
    fails_with 1 $'bigshuf: warning: in:4: a quote *\nbigshuf: in: unclosed quote that starts in line 4' bigshuf --csv in >out
    awk 'BEGIN { for (i = 0; i < 20000; i++) printf "%d,\"\"\"a\"\" b\",\"c\nd\",%d\n", i, i }' | sed '30001s/,/"/' >large
    printf 'x"\n' >>large
    for option in -S64M -S8M --parallel=1 --header=1; do
        bigshuf --csv $option large >out 2>said
        [[ $(<said) = "bigshuf: warning: large:30001: a quote "* ]]
    done
}
