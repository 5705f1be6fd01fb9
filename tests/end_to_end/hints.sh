# Inputs that are hardly what was meant are refused or warned of, with what to write instead; others are not.

# Nothing is said of this: is_silent COMMAND...
is_silent() {
    "$@" 2>&1 >out | cmp - /dev/null
}

# A file compressed by PROGRAM, with any name, is refused as lines before anything is read; from a pipe it is shuffled
# unchanged, after a warning: is_packed FILE PROGRAM
is_packed() {
    local advice='; add -Z to shuffle its lines'
    cp "$1" copy
    fails_at_once "bigshuf: copy: compressed by $2$advice" never copy
    fails_at_once "bigshuf: $1: compressed by $2$advice" --header -S 8M --parallel=1 -o new "$1"
    fails_at_once "bigshuf: -: compressed by $2$advice" --probability=1 - never <"$1"
    for option in -z --csv --delimiter=ab --records=lines:2 --records=start:x; do
        fails_with 1 "bigshuf: $1: compressed by $2; add -Z to shuffle its *" bigshuf "$option" "$1"
    done
    fails_with 1 "bigshuf: $1: compressed by $2$advice" bigshuf --scatter=store --piles=2 "$1"
    [ ! -e store ]
    [ ! -e new ]
    same "bigshuf: warning: -: compressed by $2, and shuffled as it is$advice" "$(bigshuf < <(cat "$1") 2>&1 >out)"
    same_lines out "$1"
    is_silent bigshuf --records=bytes:1 "$1"
}

test_compressed_files_are_refused_as_lines_and_pipes_are_warned_of() { # tags: long
    for packed in 'gzip \37\213\10\0' 'gzip \37\235' 'zstd (\265\57\375' 'zstd P*M\30' 'zstd _*M\30' 'zstd \47\265\57\375' 'xz \3757zXZ\0' \
        'xz ]\0\0\200\0\377' 'xz ]\0\0\0\4\377' 'bzip2 BZh9' 'bzip2 BZh1' 'lz4 \4"M\30' 'lz4 \2!L\30'; do
        printf "${packed#* }...\n.\n" >x
        is_packed x "${packed%% *}"
    done
    needs gzip
    seq 100000 | gzip >large.gz
    printf '\n' >>large.gz
    is_packed large.gz gzip
}

test_an_input_that_the_shell_has_emptied_is_told() {
    local why='is also the output, so the shell has emptied it; write -o'
    for options in '' -S8M '-n 1' --header '--header --csv' -z --probability=1 '--keep-order -n9' -Z --records=bytes:3; do
        seq 9 | tee in >other
        fails_with 1 "bigshuf: in: $why in" bigshuf $options in >in
        fails_with 1 "bigshuf: in: ${why/write -o/give the output another name}" bigshuf $options other in >in
        fails_with 1 "bigshuf: -: $why FILE" bigshuf $options <in >in
        is_empty in
    done
    ln -s in link
    fails_with 1 "bigshuf: in: $why in" bigshuf --scatter=store --piles=2 in >in
    [ ! -e new ]
    [ ! -e store ]
    same '' "$(bigshuf in 2>&1 >>in)"
    seq 9 >in
    bigshuf in >>in
    same 18 "$(line_counts in)"
    : >empty
    bigshuf empty >out
    bigshuf <empty >out
}

test_a_terminal_that_is_waited_for_is_told() {
    needs_terminal
    local wait='for i in $(seq 2000); do grep -q Ctrl record && break; sleep 0.05; done; kill $!; wait'
    for words in '' '-n 1 -' --files0-from=-; do
        rm -f record
        TERMINAL_CONTROLS=1 terminal 80 record sh -c "bigshuf $words </dev/tty & $wait" >screen || :
        same 'bigshuf: standard input: waiting for input from the terminal: Ctrl-D ends it' "$(<screen)"
    done
    same '' "$(TERMINAL_CONTROLS=1 terminal 80 record sh -c 'seq 9 | bigshuf >out')"
    TERMINAL_CONTROLS=1 terminal 80 record sh -c 'bigshuf -o out </dev/tty' >screen || :
    same 'bigshuf: out: left alone, since no input is named, and standard input is a terminal; name the input, or /dev/null to empty it' "$(<screen)"
}

test_compressed_files_of_records_that_are_no_text_are_refused() {
    printf '\37\213\10\0...\n' >x.gz
    printf '\50\265\57\375.\n.\n' >x.zst
    for option in --records=bytes:3 --records=u32le --records=tfrecord --records=varint \
        --records=start:'>' '--header --records=start:>'; do
        fails_at_once 'bigshuf: x.gz: compressed by gzip; add -Z to shuffle its records' $option never x.gz
    done
    fails_at_once 'bigshuf: x.zst: compressed by zstd; add -Z to shuffle its records' --records=bytes:5 x.zst never
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

# Shuffle a file with these contents, a format of printf: given FORMAT [NAME [OPTION]...]
given() {
    printf "$1" >"${2:-text}"
    bigshuf "${@:3}" "${2:-text}"
}

test_files_that_are_not_of_lines_are_warned_of() {
    cases <<'END'
given '\377\376a\0\n\0b\0\n\0' =? text: text in UTF-16, and shuffled as it is; to shuffle its lines, write iconv -f UTF-16 -t UTF-8 'text' | bigshuf
given '\376\377\0a\0\n' =? text: text in UTF-16, and *
given 'PK\3\4\n.\n' =? text: a zip archive, and shuffled as it is; write unzip -p FILE | bigshuf to shuffle lines in it
given 'LZIP\1\n' =? text: compressed by lzip, and shuffled as it is; to shuffle its lines, write lzip -dc 'text' | bigshuf
given '\201\13\0\n' x.br =? x.br: compressed by brotli, and *
given '\201\13\0\n' x.gz =? x.gz: neither text nor compressed as its name says, and *
given 'PAR1\25\0\n.\n' =? text: a Parquet file, and shuffled as it is; its rows are not lines; convert it to text first
given 'ARROW1\0\0\n.\n' =? text: an Arrow file, and shuffled as it is; *
given '\223NUMPY\1\0v\0\n' =? text: a NumPy file, and shuffled as it is; *
given 'BAM\1\n' =? text: a BAM file, and shuffled as it is; *
given '@read 1\nACGTN\n+\nIIIII\n@read 2\nAC\n+\nII\n' =? text: a FASTQ file, and shuffled as it is; add --records=fastq to shuffle its reads
given '@read 1\r\nACGTN\r\n+\r\nIIIII\r\n' =? text: a FASTQ file, and *
given '>gene 1\nMKVLAAGIVLLLAAGC*MKVLAA\nMK\n>gene 2\nMK\n' =? text: a FASTA file, and shuffled as it is; add --records=fasta to shuffle its sequences
given '>g1\r\nACGT\r\nGGTA\r\n' =? text: a FASTA file, and *
given '>a\nAC\nT\n>b\nG\n' =? text: a FASTA file, and *
given '##fileformat=VCFv4.2\n#CHROM\n1\n' =? text: a VCF file, and shuffled as it is; add --header=start:'#' to keep its header at the top
given '##gff-version 3\nc\n' =? text: a GFF file, and shuffled as it is; add --header=start:'#' *
given '@HD\tVN:1\nr\n' =? text: a SAM file, and shuffled as it is; add --header=start:'@' *
given '@SQ\tSN:1\nr\n' =? text: a SAM file, and *
given 'LOCUS       a\nb\n//\n' =? text: a GenBank file, and shuffled as it is; add --records=end:// to shuffle its records
given '<?xml version="1.0"?>\n<a/>\n' =? text: an XML file, and *
given '\5\0\0\0\0\0\0\0\352\262\004\076hello....\n' =? text: a TFRecord file, and shuffled as it is; add --records=tfrecord to shuffle its records
given 'id,text\n1,"a\nb ""c"""\n2,d\n' =? text: a CSV file with newlines in fields, and shuffled as it is; add --csv --header to shuffle its records, or --header=0 if line 1 is one
given '"id";"text"\r\n1;"a\r\nb"\r\n' =? text: a CSV file *; add --csv -t ';' *
given 'id\ttext\n1\t"a\nb"\n' =? text: a CSV file *; add --csv -t '?t' *
given 'id|text\n1|"a\nb"\n' =? text: a CSV file *
given '\357\273\277>a\nACGT\n>b\nGGGG\n' =? text: a FASTA file, and *
given '\357\273\277##fileformat=VCFv4.2\n#CHROM\n1\n' =? text: a VCF file, and *
given '[\n  {"a": "]"},\n  {"b": 2}\n]\n' =? text: a JSON array, and shuffled as it is; to shuffle its elements, write jq -c '.\[\]' 'text' | bigshuf
given '[{"a": "\\"\\n]"},{"b": 2}]\n' =? text: a JSON array, and *
given '\357\273\277{\n  "a": {"b": 1}\n}\n{\n  "a": 2\n}\n' =? text: JSON with several lines for a value, and shuffled as it is; to shuffle its values, write jq -c . 'text' | bigshuf
given '@read 1\nACGTN\n+\nIIIII\n' text -n 1000000 =? text: a FASTQ file, and *
given 'id,text\n1,"a\nb"\n2,"c\nd"\n' text --header =? text: a CSV file *
given '@read 1\nACGTN\n+\nIIIII\n' text --records=start:@ =? text: a FASTQ file, and *
END
    { printf '[{"a": "' && seq 100000 | tr '\n' ' ' && printf '"}]\n'; } >long
    bigshuf long 2>&1 >out | grep 'warning: long: a JSON array, and'
}

test_text_is_not_warned_of() { # tags: long
    cases <<'END'
given 'a,b\n1,"c"\n2,"d, e"\n' =?
given '"Hello, you\nthere," he said\n' =?
given '"Hello, you\nthere"\nhe said, so\n' =?
given 'said, "hello\nyou"\nI, too\n' =?
given 'one "\ntwo"\n' =?
given 'a title\n1,"a\nb"\n' =?
given 'a,b\n1,"c\nd' =?
given '{"a": 1}\n{"b": {"c": [1, 2]}}\n' =?
given '["a", 1]\n["b", 2]\n' =?
given '[{"a": 1}, {"b": 2}]\n[{"c": 3}]\n' =?
given '[section]\nkey = 1\n' =?
given '[2026-11-23 12:00, 1] GET\n[2026\n' =?
given '{\nint x;\n}\n' =?
given '[\n\n' =?
given '{}\n' =?
given '@home\nA\n+\n' =?
given '@home\nACGT\n+\nIII\n' =?
given '@home\nACGT\n-\nIIII\n' =?
given '@\nA\n+\nI\n' =?
given '@home\nA1\n+\nII\n' =?
given '>quoted text\nand\n' =?
given '>quoted\nCAT\n' =?
given '>quoted\nACTS\n' =?
given 'ACGTACGT\nGGTACC\n' =?
given '>\nthe\n' =?
given '>quoted\nand what was written about it\n' =?
given '>Title\n-----------------------\n' =?
given '>log\nsome.host.example.org.uk\n' =?
given '\6\0\0\0\0\0\0\0\352\262\004\076hello....\n' =?
given 'BZh\n' =?
given 'BZhx\n' =?
given 'BZh0x\n' =?
given 'BZh:\n' =?
given '(\265\57' =?
given '\4"M' =?
given ']\0\0\0{"\n' =?
given ']\0\0\0\0\377\n' =?
given ']\0\0\200\0' =?
given 'BZ h9\n' =?
given '>yes\nno\n>really\nyes, I think\n' =?
given 'PAR1\n' =?
given 'ORCHID\nb\n' =?
given '7z\n' =?
given '<?xml version="1.0"?><a/>\n<?xml version="1.0"?><b/>\n' =?
given '#!/bin/sh\n' =?
given 'text\n' train.br =?
given 'PAR1x\n' =?
given 'ARROW1\n' =?
given 'SQLite format 3\n' =?
given 'HDF\n' =?
given 'Obj1\n' =?
given '\037\n' =?
given '\3757zXZ\n' =?
given '\357\273\277a\n' =?
given '\n' =?
given 'id\ttext\n1\t"a\nb"\n' text --csv =?
given '@read 1\nACGTN\n+\nIIIII\n@read 2\nAC\n+\nII\n' text --records=lines:8 =?
given '>gene 1\nMKVLAAGIVLLLAAGC*MKVLAA\nMK\n' text --records=start:'>' =?
END
}

# Both files and pipes, once.
test_archives_are_warned_of() {
    local said=': a tar archive, and shuffled as it is; add --records=tar to shuffle its members'
    seq 1000 >member
    tar -cf archive.tar member
    printf '\n' >>archive.tar # as lines, its last one has no end
    same "bigshuf: warning: archive.tar$said" "$(bigshuf archive.tar archive.tar 2>&1 >out)"
    same_lines out <(cat archive.tar archive.tar)
    same "bigshuf: warning: -$said" "$(bigshuf -S 8M --parallel=1 <archive.tar 2>&1 >out)"
    same "bigshuf: warning: -$said" "$(bigshuf --keep-order -n 1000000 < <(cat archive.tar) 2>&1 >out)"
    cmp archive.tar out
    is_silent bigshuf --records=bytes:1 archive.tar
    gzip <archive.tar >a.tgz
    bigshuf -Z a.tgz 2>said >out
    same "bigshuf: warning: a.tgz${said/--records/-Z --records}" "$(<said)"
}

# Shuffling their lines would make these files unreadable, and they may be the only copy.
test_what_is_no_text_is_not_replaced_by_its_own_lines() {
    seq 1000 >member
    tar -cf tar member
    printf '@read 1\nACGTN\n+\nIIIII\n' >FASTQ
    printf '[\n  {"a": "]"},\n  {"b": 2}\n]\n' >JSON
    printf '{\n  "a": {"b": 1}\n}\n' >JS
    printf 'PK\3\4\n.\n' >zip
    printf 'PAR1\25\0\n.\n' >Parquet
    for file in tar FASTQ JSON JS zip Parquet; do
        cp $file kept
        fails_with 1 "bigshuf: $file: *$file*, and also the output, so its contents would be lost; *" \
            bigshuf -o $file $file
        cmp $file kept
    done
    printf 'id,text\n1,"a\nb"\n2,"c\nd' >cut.csv
    fails_with 1 'bigshuf: cut.csv: a CSV file with newlines in fields, *, so its records would be torn; add --csv *' \
        bigshuf -o cut.csv cut.csv
    # Also after a header, and where little comes first.
    printf '>gene 1\nMKVLAAGIVLLLAAGC*MKVLAA\nMK\n' >genes
    { seq -f '%g,x' 999 && printf '1,"a\nb"\n2,"c\nd"\n'; } >late
    fails_with 1 'bigshuf: late: a CSV file *, and also the output, *' bigshuf --header -o late late
    if lz4 -q late late.lz4; then
        fails_with 1 'bigshuf: late.lz4: a CSV file *, and also the output, *' bigshuf -Z -o late.lz4 late.lz4
    fi
    fails_with 1 '*bigshuf: genes: a FASTA file, and also the output, *' bigshuf -o genes genes
    # What may be text as well is.
    echo '[{"a": 1},{"b": 2}]' >line
    bigshuf -o line line 2>&1 | grep 'line: a JSON array, and shuffled as it is'
}

# Shuffle a copy of file KIND in place; it stays as it is, or has its header again: in_place KIND [OPTION]...
in_place() {
    local lines
    lines=$(grep -c '^[#@][#@A-Z]' "$1")
    cp "$1" in
    bigshuf "${@:2}" -o in in || { cmp "$1" in && return 1; }
    head -n "$lines" "$1" | cmp - <(head -n "$lines" in)
}

test_text_with_a_header_is_replaced_only_if_that_stays() { # tags: long
    printf '##fileformat=VCFv4.2\n##a\n#CHROM\n1\n' >vcf
    printf '@HD\tVN:1\n@PG\ta\nr1\n' >sam
    printf '##gff-version 3\n##a\n1\n#c\n' >gff
    cases <<'END'
in_place vcf -v =! in: a VCF file, and also the output, so its contents would be lost; add --header=*
in_place vcf --header =! in: a VCF file, and also the output, *; add --header=*
in_place vcf --header=2 =! in: a VCF file, and also the output, *; add --header=*
in_place vcf --header=start:## =! in: a VCF file, and also the output, *; add --header=*
in_place vcf --csv =! in: a VCF file, and also the output, *; add --header=*
in_place vcf --records=lines:1 =! in: a VCF file, and also the output, *; add --header=*
in_place vcf --header=3 =?
in_place vcf --header=start:# =?
in_place sam -v =! in: a SAM file, and also the output, so its contents would be lost; add --header=*
in_place sam --header=start:@HD =! in: a SAM file, and also the output, *; add --header=*
in_place sam --header=start:@ =?
in_place gff -v =! in: a GFF file, and also the output, so its contents would be lost; add --header=*
in_place gff --header =! in: a GFF file, and also the output, *; add --header=*
in_place gff --header=start:# =?
in_place gff --header=start:## =?
END
    { printf '##fileformat=VCFv4.2\n'; seq -f '##contig=%g' 9999; printf '#CHROM\n1\n'; } >in
    fails_with 1 'bigshuf: in: a VCF file, and also the output, *' bigshuf --header=start:'##' -o in in
    is_silent bigshuf --header=10001 -o in in
    is_silent bigshuf --header=start:'#' -o in in
    printf '>a\nAC\n' >short
    fails_with 1 "bigshuf: short: a FASTA file, and also the output, *; add --records=fasta to shuffle its sequences, or --records=lines:1 its lines" \
        bigshuf -o short short
    is_silent bigshuf --records=fasta -o short short
    is_silent bigshuf --records=lines:1 -o short short
    printf '>a\n> b\n' >quoted
    is_silent bigshuf -o quoted quoted
}

test_files_that_begin_with_the_same_row_are_told_without_header() {
    local said="begins with 'id,v' as all FILEs do; if that is a header, add --header"
    printf 'id,v\n1,a\n' >a.csv
    { printf 'id,v\n'; seq 100000; } >b.csv
    printf '5,e\n6,f\n' | tee c.csv >d.csv
    for options in --csv '--csv -S 8M' '--csv -n 2' '' /dev/null; do
        same "bigshuf: warning: a.csv: $said" "$(bigshuf $options a.csv b.csv 2>&1 >out)"
        same "bigshuf: warning: -: $said" "$(bigshuf --csv $options - b.csv < <(cat a.csv) 2>&1 >out)"
    done
    same "bigshuf: warning: c.csv: ${said/id,v/5,e}" "$(bigshuf --csv c.csv d.csv 2>&1 >out)"
    for options in '--csv --header a.csv b.csv' '--csv a.csv b.csv c.csv' '--csv a.csv a.csv' 'c.csv d.csv' \
        '-z a.csv b.csv' '--records=lines:2 a.csv a.csv'; do
        same '' "$(bigshuf $options 2>&1 >out | grep begins)"
    done
    printf 'id\tv\n1\t2\n' | tee e >f
    bigshuf e f 2>&1 >out | grep "e: begins with 'id.tv' as all"
}

test_a_delimiter_that_is_nowhere_is_warned_of() {
    local delimiter='the input does not contain the delimiter, so each file is one record'
    local zero='-z: the input does not contain NUL, so each file is one record; leave -z out to shuffle lines'
    seq 100000 >in
    printf '5<|' >halves
    printf 'one' >name
    for way in "--delimiter=<|e|> $delimiter" "--delimiter=, $delimiter" "-z $zero"; do
        for options in '' '-n 1' '--keep-order -n 1' '-r -n 3' '-S 8M --parallel=1' --header=0 '-n 1 --random-source=in'; do
            same "bigshuf: warning: ${way#* }" "$(bigshuf ${way%% *} $options in halves in 2>&1 >out)"
            same "bigshuf: warning: ${way#* }" "$(bigshuf ${way%% *} $options < <(cat in) 2>&1 >out)"
        done
        is_silent bigshuf "${way%% *}" /dev/null
        is_silent bigshuf "${way%% *}" in <(printf '<|e|>,\0')
    done
    same "bigshuf: warning: $zero" "$(bigshuf --delimiter='\0' in 2>&1 >out)"
    same "bigshuf: warning: $zero" "$(bigshuf --scatter=store --piles=2 -z in 2>&1)"
    is_silent bigshuf --delimiter='\n10\n' in
    is_silent bigshuf --delimiter=9 in
    is_silent bigshuf --records=start:'>' <(printf '>a\nb')
    is_silent bigshuf -z name
    is_silent bigshuf -z -e $'a\nb'
    is_silent bigshuf name
}

test_a_byte_order_mark_is_no_part_of_a_field() {
    printf '\357\273\277"name","x"\r\n"a",1\r\n' >in
    bigshuf --csv in 2>said >out
    bigshuf --csv --header in 2>>said >>out
    same '' "$(<said)"
    printf 'id,what\n1,"3"" x\n"\n2,a;"5 disk\n' >in
    fails_with 1 'bigshuf: in: unclosed quote that starts in line 4' bigshuf --csv in >out
}

test_a_byte_order_mark_is_no_part_of_a_key() {
    printf '\357\273\277a,1\n' >a
    printf 'b,1\na,2\n' >b
    printf '\357\273\2771,1\n' >c
    for options in '-t ,' --csv; do
        bigshuf $options --seed=1 --split-field=1 --split=50%:side -o other a b
        same 1 "$(grep -l a side other | grep -c '')"
        bigshuf $options --stratify-field=1 --split=1:each a b
        same 2 "$(grep -c '' each)"
        same 2 "$(bigshuf $options --group-field=1 -n 1 a <(echo a,2) | grep -c '')"
        same 1 "$(bigshuf $options --weight-field=1 c | grep -c '')"
    done
    same 3 "$(seq 3 | bigshuf --weights=<(printf '\357\273\2771\n2\n3\n') - | grep -c '')"
}
