# -Z: compressed inputs and outputs, by the programs that people have: the same records in the same order as without,
# whole outputs or none, and no process left.
# shellcheck shell=bash disable=SC2086 # several options
# shellcheck disable=SC2016 # scripts

declare -A program_of=([gz]=gzip [zst]=zstd [xz]=xz [bz2]=bzip2 [lz4]=lz4)

# Is the program of a format here?
has_format() {
    command -v "${program_of[$1]}" >/dev/null
}

# Those whose programs are here.
formats=
for format in gz zst xz bz2 lz4; do
    ! has_format $format || formats+=" $format"
done

# Let $quick be the format whose program is the quickest that is here, or this test makes no sense.
needs_quick_format() {
    quick=lz4
    has_format $quick || quick=gz
    needs "${program_of[$quick]}"
}

# Compress FILE to FILE.FORMAT: pack FORMAT FILE...
pack() {
    local file
    for file in "${@:2}"; do
        "${program_of[$1]}" -1 -c <"$file" >"$file.$1"
    done
}

# What is in a compressed file, by its name: unpack FILE...
unpack() {
    local file
    for file; do
        "${program_of[${file##*.}]}" -dc <"$file"
    done
}

# A script in place of a program, before all others in PATH: instead NAME COMMANDS. Not under valgrind, as that makes a
# program that cannot be started one that ends with status 127.
instead() {
    mkdir -p instead
    printf '#!/bin/sh\n%s\n' "$2" >"instead/$1"
    chmod +x "instead/$1"
    case $PATH in
    "$PWD/instead":*) ;;
    *) PATH=$PWD/instead:$PATH ;;
    esac
}

# The right program of this name: right NAME.
right() {
    PATH=${PATH#"$PWD/instead:"} command -v "$1"
}

# Run COMMAND where there are no programs but the shell's and bigshuf's own: without_programs COMMAND...
without_programs() {
    mkdir -p nothing
    ln -sf "$(command -v "$1")" "nothing/$1"
    PATH=$PWD/nothing "$@"
}

# ---- Inputs ----

# As XZ_OPT=--single-stream would, which leaves out the rest of a file; GZIP=-l and so on.
test_variables_of_the_programs_do_not_reach_them_when_they_decompress() {
    local variables='GZIP XZ_OPT XZ_DEFAULTS ZSTD_CLEVEL ZSTD_NBTHREADS BZIP2 BZIP LZ4_CLEVEL LZ4_NBWORKERS'
    seq 10 >a
    for format in $formats; do
        pack "$format" a
        cat "a.$format" "a.$format" >"two.$format"
        (
            instead "${program_of[$format]}" "env >there; exec $(right "${program_of[$format]}") \"\$@\""
            for variable in $variables; do export "$variable=--single-stream"; done
            bigshuf -Z "two.$format" >out
            bigshuf -Z <"two.$format" | same_lines - out
        )
        same_lines out <(cat a a)
        fails_with 1 '' grep -e --single-stream there
    done
}

test_compressed_inputs_are_shuffled_as_if_they_were_not() {
    seq 5000 >a
    long_lines 400 10 9000 >b
    printf 'no newline' >c
    for format in $formats; do
        pack "$format" a b c
        for options in '' '-S 8M' '-n 100 --keep-order' '-r -n 100'; do
            bigshuf --seed=x $options a b c >wanted
            bigshuf -Z --seed=x $options a."$format" b c."$format" | cmp - wanted
        done
    done
}

test_standard_input_and_fifos_are_decompressed_too() {
    seq 100000 >in
    bigshuf --seed=x in >wanted
    bigshuf --seed=x in in >twice
    for format in $formats; do
        pack "$format" in
        bigshuf -Z --seed=x <in."$format" | cmp - wanted
        bigshuf -Z --seed=x <(cat in."$format") <(cat in) | cmp - twice
        { printf 'skipped'; cat in."$format"; } >later
        { head -c 7 >/dev/null && bigshuf -Z --seed=x; } <later | cmp - wanted
    done
    for size in 0 1 2 6 7 500000; do
        head -c $size in >some
        bigshuf -Z < <(cat some) | same_lines - some
        bigshuf -Z <some >out
        same_lines out some
    done
}

test_more_than_memory_comes_through_as_it_is() {
    more_than_memory >in
    bigshuf --seed=x in >wanted
    pack gz in
    bigshuf -Z -S 8M --seed=x --parallel=1 in.gz | cmp - wanted
    bigshuf -Z -S 8M --seed=x --parallel=7 < <(cat in.gz) | cmp - wanted
}

# The files share an eighth of the memory for reading ahead.
test_the_memory_limit_holds_when_much_is_read_ahead() {
    needs_bare_program
    seq "$(scale 100000 300000 10000000)" >in
    pack gz in
    bigshuf --seed=x in in in in in in >wanted
    for size in 8 32; do
        peak .peak bigshuf -Z -S ${size}M --seed=x --parallel=6 in.gz in.gz in.gz in.gz in.gz in.gz | cmp - wanted
        [ "$(<.peak)" -le $(((size + 16) * 1024)) ]
    done
}

# The last files are read long after their programs began.
test_many_files_of_all_kinds_keep_their_order() {
    local names=()
    for i in $(seq 30); do
        case $((i % 7)) in
        0) seq -f "$i %g" 20000 >"$i" ;;
        1) : >"$i" ;;
        *) seq -f "$i %g" $((i * 10)) >"$i" ;;
        esac
        cat "$i" >>all
        for format in $formats; do
            if [ $((RANDOM % 3)) = 0 ]; then
                pack "$format" "$i"
                mv "$i.$format" "$i"
                break
            fi
        done
        names+=("$i")
    done
    bigshuf --seed=x all >wanted
    for options in --parallel=1 --parallel=2 --parallel=5 '-S 8M' '-S 2G --parallel=64'; do
        bigshuf -Z --seed=x $options "${names[@]}" | cmp - wanted
    done
    printf '%s\0' "${names[@]}" | bigshuf -Z --seed=x --files0-from=- | cmp - wanted
    (ulimit -n 20 && bigshuf -Z --seed=x "${names[@]}") | cmp - wanted
}

test_members_and_frames_that_were_put_together_are_all_read() {
    for format in $formats; do
        seq 10 >a
        seq 11 20000 >b
        pack "$format" a b
        cat a."$format" b."$format" >both
        bigshuf -Z --seed=x both | cmp - <(cat a b | bigshuf --seed=x)
        bigshuf -Z --seed=x < <(cat both) | cmp - <(cat a b | bigshuf --seed=x)
        bigshuf -Z --seed=x --shards=3 -o part.%d."$format" -e one 2>said # two of which are of nothing
        same one "$(unpack part.?."$format")"
        mv part.2."$format" empty
        seq 10 | bigshuf -Z empty - empty | same_lines - <(seq 10)
        bigshuf -Z <empty | cmp - /dev/null
    done
}

test_headers_are_those_of_what_was_compressed() {
    for file in a b c; do
        printf 'id,name\n' >$file
        seq -f "$file,%g" 2000 >>$file
    done
    printf 'other\n1\n' >d
    pack gz a c d
    bigshuf --seed=x --header a b c >wanted
    bigshuf -Z --seed=x --header a.gz b c.gz | cmp - wanted
    bigshuf -Z --seed=x --header - b c.gz < <(cat a.gz) | cmp - wanted
    bigshuf --seed=x --header b a c | cmp - <(bigshuf -Z --seed=x --header b a.gz c.gz)
    fails_with 1 'bigshuf: d.gz: header differs from that of a.gz in line *' bigshuf -Z --header a.gz b d.gz
    fails_with 1 'bigshuf: b: header differs from that of d.gz in line *' bigshuf -Z --header d.gz b
}

test_weights_may_be_compressed() {
    seq 1000 >in
    seq 1000 >weights
    bigshuf --seed=x --weights=weights in >wanted
    pack gz weights
    bigshuf -Z --seed=x --weights=weights.gz in 2>said | cmp - wanted
    same '' "$(<said)"
    fails_with 1 'bigshuf: weights.gz: compressed by gzip; add -Z *' bigshuf --weights=weights.gz in
    fails_with 1 '*-: compressed by gzip, *invalid weight: *' bigshuf --weights=- in < <(cat weights.gz)
}

test_plain_inputs_are_as_without() {
    long_lines 2000 500 1500 >in
    bigshuf --seed=x in >wanted
    for option in -v -Z; do
        rm -f log
        FAULT_LOG=log bigshuf-faulty $option --seed=x in 2>said | cmp - wanted
        sort log | uniq -c | grep -w 'map_file\|spawn' >"calls$option"
    done
    cmp calls-v calls-Z
}

# ---- Outputs ----

test_outputs_are_compressed_by_their_names() {
    seq 20000 >in
    bigshuf --seed=x in >wanted
    for format in $formats; do
        bigshuf -Z --seed=x -o out."$format" in
        unpack out."$format" | cmp - wanted
        bigshuf -Z --seed=x --split=5:five."$format" --split=10%:ten -o rest."$format" in
        { unpack five."$format"; cat ten; unpack rest."$format"; } | cmp - wanted
        same 5 "$(unpack five."$format" | wc -l | tr -d ' ')"
        bigshuf -Z --seed=x --shards=bytes:50000 -o part.%02d."$format" in
        unpack part.*."$format" | cmp - wanted
    done
    for name in OUT.GZ:gz out.tgz:gz out.tzst:zst out.zstd:zst out.txz:xz out.tbz2:bz2 .gz:gz; do
        ! has_format "${name#*:}" || bigshuf -Z --seed=x -o "${name%:*}" in
        ! has_format "${name#*:}" || bigshuf --keep-order -n 20000 -Z "${name%:*}" | cmp - wanted
    done
    mkdir in.gz
    for name in out gz out.gz.txt in.gz/out; do
        bigshuf -Z --seed=x -o $name in
        cmp $name wanted
    done
    bigshuf --seed=x -o plain.gz in
    cmp plain.gz wanted
    bigshuf -Z --seed=x in | cmp - wanted
    bigshuf -Z --seed=x --filter='cat >$FILE' -o filtered.gz in
    cmp filtered.gz wanted
}

test_an_input_is_replaced_by_its_own_records() {
    needs zstd
    seq 50000 >in
    pack gz in
    chmod 640 in.gz
    bigshuf -Z --seed=x -o in.gz in.gz
    unpack in.gz | cmp - <(bigshuf --seed=x in)
    same 640 "$(stat -c %a in.gz)"
    pack zst in
    ln in.zst link.zst
    bigshuf -Z --seed=x -o in.zst in.zst
    unpack link.zst | cmp - in
    unpack in.zst | cmp - <(bigshuf --seed=x in)
}

# This is refused, and all stays: keeps FILE WHAT ADVICE.
keeps() {
    local said="$2, and also the output, so its contents would be lost; $3"
    cksum <"$1" >before
    fails_with 1 "bigshuf: $1: $said" bigshuf -Z -o "$1" "$1"
    # shellcheck disable=SC2094 # refused
    fails_with 1 "bigshuf: -: $said" bigshuf -Z -o "$1" <"$1"
    cksum <"$1" | cmp - before
    test ! -e new
}

test_what_is_compressed_and_has_no_lines_is_not_replaced_by_itself() {
    seq 1000 >member
    tar -cf - member | gzip >a.tar.gz
    keeps a.tar.gz 'a tar archive' 'add -Z --records=tar to shuffle its members'
    bigshuf -Z --records=tar -o a.tar.gz a.tar.gz
    printf '\377\376a\0\n\0b\0\n\0' | gzip >text.gz
    keeps text.gz 'text in UTF-16' 'to shuffle its lines, decompress it and write iconv -f UTF-16 -t UTF-8 | bigshuf'
    seq 1000 | gzip | gzip >twice.gz
    keeps twice.gz 'compressed by gzip once more' 'decompress it once before'
    seq 100000 | gzip >lines.gz
    # shellcheck disable=SC2094 # replaced when it is complete
    (head -c 0 && bigshuf -Z -o lines.gz) <lines.gz
    unpack lines.gz | same_lines /dev/stdin <(seq 100000)
    head -c 1000 lines.gz >short.gz
    fails_with 1 "*bigshuf: short.gz: 'gzip -dc' failed: exit status 1" bigshuf -Z -o short.gz short.gz
}

test_the_same_records_make_the_same_file() {
    seq 20000 >in
    for format in $formats; do
        bigshuf -Z --seed=x -o one."$format" in
        touch -d 2001-01-01 in
        bigshuf -Z --seed=x -o other."$format" in
        cmp one."$format" other."$format"
    done
}

# ---- What goes wrong ----

files_here() {
    find . -mindepth 1 ! -name .stderr | sort
}

# The run fails and leaves `out.gz` as it was, and nothing else: spoils PATTERN COMMAND...
spoils() {
    local before
    echo old >out.gz
    before=$(files_here)
    fails_with 1 "$@"
    same old "$(<out.gz)"
    same "$before" "$(files_here)"
}

test_a_truncated_input_fails_the_run() {
    for format in $formats; do
        seq 20000 >in
        pack "$format" in
        local said="'${program_of[$format]} -dc' failed: exit status *"
        rm in
        for size in 20 $(($(wc -c <in."$format") - 3)); do
            head -c "$size" in."$format" >cut."$format"
            spoils "*bigshuf: cut.$format: $said" bigshuf -Z -o out.gz in."$format" cut."$format" in."$format"
            spoils "*bigshuf: -: $said" bigshuf -Z -o out.gz < <(cat cut."$format")
        done
        rm cut."$format" in."$format"
    done
}

test_what_older_programs_made_is_read() {
    needs xz
    needs lz4
    seq 1000 >in
    printf '\037\235\220\141\024\000' >a.Z # by compress(1): the line "a", in two codes of 9 bits
    same a "$(bigshuf -Z a.Z)"
    xz --format=lzma -c <in >in.lzma
    bigshuf -Z in.lzma | same_lines in /dev/stdin
    lz4 -lqc <in >in.lz4
    bigshuf -Z in.lz4 | same_lines in /dev/stdin
}

# If a format does not tell what comes next, unknown bytes may be most of the file. (bzip2 warns, and succeeds.)
test_what_follows_a_compressed_file_and_is_not_compressed_fails_the_run() {
    seq 1000 >in
    for format in $formats; do
        local said="'${program_of[$format]} -dc' failed: exit status *"
        pack "$format" in
        (cat in."$format" && tail -c +2 in."$format" && cat in."$format") >all."$format"
        spoils "*bigshuf: all.$format: $said" bigshuf -Z -o all."$format" all."$format"
        cat in."$format" in in."$format" >all."$format"
        spoils "*bigshuf: all.$format: $said" bigshuf -Z -o out.gz all."$format"
        spoils "*bigshuf: -: $said" bigshuf -Z -o out.gz < <(cat all."$format")
        rm all."$format" in."$format"
    done
}

# As the programs have it: zeros of a tape, padding of xz, a frame to be skipped.
test_what_pads_a_compressed_file_passes() {
    seq 1000 >in
    head -c 512 /dev/zero >padding.gz
    cp padding.gz padding.xz
    printf 'P*M\30\4\0\0\0four' | tee padding.zst >padding.lz4
    for format in gz xz zst lz4; do
        has_format $format || continue
        pack "$format" in
        cat "padding.$format" >>"in.$format"
        bigshuf -Z "in.$format" | same_lines - in
    done
}

# A skippable frame: skipped FIRST-BYTE-IN-HEX BYTES
skipped() {
    printf '%b' "\x$1*M\x18\x$(printf %x $(($2 % 256)))\x$(printf %x $(($2 / 256 % 256)))\x$(printf %x $(($2 / 65536)))\0"
    head -c "$2" /dev/zero
}

# What follows them says which program it is for. Only zstd is asked what comes after more than is seen of a pipe.
test_frames_to_be_skipped_may_come_first() {
    seq 1000 >in
    for format in zst lz4; do
        has_format $format || continue
        pack $format in
        for magic in $(scale '50 5f' '50 57 5a 5f' "$(printf '%x ' {80..95})"); do
            for size in 0 4 4096 131072; do
                { skipped "$magic" 4; skipped 51 $size; cat in.$format; } >all
                fails_with 1 "bigshuf: all: compressed by ${program_of[$format]}; add -Z *" bigshuf all
                bigshuf -Z all | same_lines - in
                [ $size$format = 131072lz4 ] || bigshuf -Z < <(cat all) | same_lines - in
            done
            skipped "$magic" 9 >nothing
            bigshuf -Z nothing nothing >out
            is_empty out
        done
    done
    { skipped 50 4; cat in; } >text
    fails_with 1 "*bigshuf: text: 'zstd -dc' failed: *" bigshuf -Z text
}

test_a_large_window_of_zstd_is_passed_on() {
    needs zstd
    seq 1000 | zstd --long=31 -1qc >in.zst
    bigshuf -Z in.zst | same_lines - <(seq 1000)
    bigshuf -Z < <(cat in.zst) | same_lines - <(seq 1000)
}

# Nothing is written of these, from a file or a pipe, in place, or from a compressed file.
test_what_it_does_not_know_is_refused() {
    local what contents
    while IFS=: read -r what contents; do
        # shellcheck disable=SC2059 # a format
        printf "$contents\n.\n" >x
        fails_at_once "bigshuf: x: $what, which -Z does not read; *" -Z never x
        fails_with 1 "bigshuf: -: $what, which -Z does not read; *" bigshuf -Z < <(cat x)
        fails_with 1 "bigshuf: x: $what, and also the output, *" bigshuf -Z -o x x
        fails_with 1 "bigshuf: x: $what, and also the output, *" bigshuf -o x x
        gzip <x >y
        fails_with 1 "bigshuf: y: $what, which -Z does not read; *" bigshuf -Z y
        bigshuf x 2>said >out
        grep -q "^bigshuf: warning: x: $what, and shuffled as it is; " said
        fails_with 0 '' bigshuf -Z --records=bytes:1 x >out
    done <<'END'
compressed by lzip:LZIP\1
compressed by lzop:\211LZO\0\r\n\32\n\20
compressed by snappy:\377\6\0\0sNaPpY
a 7z archive:7z\274\257\47\34
a rar archive:Rar!\32\7\1\0
a zip archive:PK\3\4\24
a Parquet file:PAR1\25\0
an ORC file:ORC\35\0\0
a CRAM file:CRAM\3\0
a BCF file:BCF\2\2
an Avro file:Obj\1
an HDF5 file:\211HDF\r\n\32\n
an SQLite database:SQLite format 3\0
END
    gzip -c x | gzip >twice.gz
    fails_with 1 'bigshuf: twice.gz: compressed by gzip once more, which -Z does not read; *' bigshuf -Z twice.gz
    head -c 300 /dev/urandom >x.br
    fails_at_once "bigshuf: x.br: compressed by brotli, which -Z does not read; *" -Z never x.br
    mv x.br x.gz
    fails_at_once "bigshuf: x.gz: neither text nor compressed as its name says, which -Z does not read; *" -Z never x.gz
    seq 9 | tee plain.gz >train.br
    bigshuf -Z plain.gz train.br | same_lines - <(seq 9; seq 9)
}

test_no_plain_text_gets_the_name_of_a_compressed_file() {
    local made='would be plain text despite its name; -Z makes .gz, .zst, .xz, .bz2 and .lz4'
    seq 9 >in
    for name in x.br x.zip x.7z x.Z x.lzma x.bgz x.gzip x.rar x.lz x.lzo x.SZ; do
        fails_at_once "bigshuf: $name: $made" -Z -o $name never
        fails_at_once "bigshuf: $name: $made" -Z --split=1:$name never
        fails_with 1 "bigshuf: $name: $made" bigshuf -Z in >$name
        is_empty $name
        bigshuf -Z --filter='cat >$FILE' -o $name in
        bigshuf -o $name in 2>&1 | grep -q "warning: $name: will be plain text"
    done
    fails_with 1 "bigshuf: 0.br: $made" bigshuf -Z --shards=2 -o %d.br in
    fails_with 1 'bigshuf: out.gz: would be plain text despite its name; write -o out.gz' bigshuf -Z in >out.gz
    fails_with 1 'bigshuf: out.gz: would be *' bigshuf -Z in >>out.gz
    fails_with 1 'bigshuf: out.gz: would be *' bigshuf -Z -o /dev/stdout in >out.gz
    ln -s out.gz link
    fails_with 1 'bigshuf: out.gz: would be *' bigshuf -Z -o link in
    bigshuf in 2>&1 >out.gz | grep 'warning: out.gz: will be plain text despite its name; write -Z -o out.gz'
    bigshuf -Z --split=100%:all in 2>said >out.gz
    bigshuf -Z in 2>>said >out
    is_empty said
}

test_a_file_that_has_lost_all_but_its_name_is_told_before_the_work() {
    mkfifo pipe
    for format in gz xz bz2 lz4; do
        for text in '' '\37' 12345; do
            printf '%b' "$text" >none.$format
            spoils "bigshuf: none.$format: too short for a compressed file; it may be cut off" bigshuf -Z -o out.gz pipe none.$format
        done
        rm none.$format
    done
    mkfifo none.lz4
    : >none.lz4 &
    spoils 'bigshuf: none.lz4: too short for a compressed file; it may be cut off' bigshuf -Z -o out.gz none.lz4
    bigshuf -Z <<<1 | cmp - <(echo 1)
}

test_a_program_that_is_missing_is_known_before_the_work() {
    local options
    declare -A options=([gz]=-nc [zst]='-c -T3' [xz]='-c -T3' [bz2]=-c [lz4]=-c)
    without_programs bigshuf -V
    touch "nothing/gzip" # which cannot be executed
    seq 10 >in
    for format in $formats; do
        pack "$format" in
        program=${program_of[$format]}
        mkfifo pipe # which would be waited for, if it were opened
        for output in "-o in.$format" "--split=1:in.$format"; do
            spoils "bigshuf: in.$format: cannot run '$program ${options[$format]}': No such file or directory" \
                without_programs bigshuf -Z --parallel=3 $output pipe
        done
        spoils "bigshuf: in.$format: cannot run '$program -dc': No such file or directory" \
            without_programs bigshuf -Z pipe in."$format"
        spoils "bigshuf: -: cannot run '$program -dc': No such file or directory" \
            without_programs bigshuf -Z <in."$format"
        rm pipe
    done
}

# As the system does it: an empty folder in PATH is the current one.
test_programs_are_looked_for_in_path() {
    seq 10 >in
    printf '#!/bin/sh\necho 7\n' >lz4
    chmod +x lz4
    printf '\4"M\30.' >in.lz4
    program=$(command -v bigshuf)
    for path in nowhere::elsewhere nowhere: :nowhere "$PWD"; do
        same 7 "$(PATH=$path "$program" -Z in.lz4)"
    done
    fails_with 1 "bigshuf: in.lz4: cannot run 'lz4 -dc': No *" env PATH=nowhere:elsewhere "$program" -Z in.lz4
    if [ -x /bin/gzip ] || [ -x /usr/bin/gzip ]; then
        gzip -c in >in.gz
        (unset PATH && "$program" --seed=x -Z in.gz) | cmp - <(bigshuf --seed=x in)
    fi
}

# Each line is a script in place of zstd, and how it fails, for $commands and $cause.
failures() {
    cat <<-END
		exit 1:exit status 1
		cat >/dev/null; exit 3:exit status 3
		$real "\$@"; exit 3:exit status 3
		$real "\$@" | head -c 1000; exit 1:exit status 1
		kill -9 \$\$:killed by signal 9
		$real "\$@"; kill -TERM \$\$:killed by signal 15
		echo trouble >&2; exit 2:exit status 2
	END
}

test_a_program_that_fails_fails_the_run_and_names_the_file() {
    needs zstd
    seq 100000 >in
    pack zst in
    cp in.zst other.zst
    real=$(command -v zstd)
    while IFS=: read -r commands cause; do
        instead zstd "$commands"
        spoils "*bigshuf: in.zst: 'zstd -dc' failed: $cause" bigshuf -Z -o out.gz in.zst other.zst
        spoils "*bigshuf: -: 'zstd -dc' failed: $cause" bigshuf -Z -o out.gz < <(cat in.zst)
    done < <(failures)
    # only that of the second file
    instead zstd "x=\$($real \"\$@\"); echo \"\$x\"; test \${#x} -gt 10"
    seq 2 | "$real" -c >other.zst
    spoils "*bigshuf: other.zst: 'zstd -dc' failed: exit status 1" bigshuf -Z -S 8M -o out.gz in.zst other.zst in.zst
}

test_a_compressor_that_fails_fails_the_run_and_names_the_file() {
    needs zstd
    seq 300000 >in
    real=$(command -v zstd)
    while IFS=: read -r commands cause; do
        instead zstd "$commands"
        for output in '-o new.zst' '--split=5:new.zst -o out.gz' '--shards=records:99999 -o new.%d.zst'; do
            spoils "*bigshuf: new.*zst: 'zstd -c -T2' failed: $cause*" bigshuf -Z --parallel=2 $output in
        done
    done < <(failures && echo 'kill -PIPE $$:killed by signal 13')
    instead zstd 'exec <&-' # and all would be lost
    spoils "bigshuf: new.zst: 'zstd -c -T2' failed: did not read all that it was given" \
        bigshuf -Z --parallel=2 -o new.zst in
}

test_a_disk_that_is_full_is_told() {
    needs_small_disk
    long_lines 3000 500 1500 | tr 0-9 a-j >in
    head -c 3000000 /dev/urandom >>in
    fails_with 1 "*bigshuf: disk/out.gz: '* failed: exit status *" on_small_disk 1 bigshuf -Z -o disk/out.gz in
}

test_a_program_that_is_there_and_better_is_taken() {
    seq 1000 >in
    pack gz in
    real=$(command -v gzip)
    instead pigz "echo \"\$@\" >>runs; for word; do case \$word in -p*) set -- -nc ;; esac; done; exec $real \"\$@\""
    bigshuf -Z --parallel=3 -o out.gz in.gz
    unpack out.gz | same_lines in /dev/stdin
    same '-nc -p3' "$(<runs)"
    needs bzip2
    for program in lbzip2 pbzip2; do
        rm -rf runs there
        mkdir there
        printf '#!/bin/sh\necho "$0 $*" >runs\nexec bzip2 -c\n' >there/$program
        chmod +x there/$program
        for tool in sh bzip2 bigshuf; do ln -s "$(command -v $tool)" there; done
        PATH=$PWD/there bigshuf -v -Z --parallel=3 -o out.bz2 in 2>said
        unpack out.bz2 | same_lines in /dev/stdin
        same "$PWD/there/$program -c -${program:0:1}3" "$(sed 's/ -n3$/ -l3/' runs)"
        grep "out.bz2: compressed by '$program -c -.3'$" said
        rm there/$program
    done
    PATH=$PWD/there bigshuf -v -Z --parallel=3 -o out.bz2 in 2>said
    grep "out.bz2: compressed by 'bzip2 -c', which takes one processor; if it were there, lbzip2 would take all" said
}

# ---- Runs that end early ----

test_programs_that_are_not_needed_to_the_end_are_no_failure_and_go() {
    seq 300000 >in
    pack gz in
    fails_with 1 'bigshuf: missing: No such file or directory' bigshuf -Z in.gz in.gz missing
    mkfifo pipe
    head -c 1000 in.gz >bad
    fails_with 1 "*bigshuf: bad: '* failed: exit status *" bigshuf -Z --parallel=8 bad in.gz in.gz in.gz in.gz
    fails_with 1 'bigshuf: in.gz: 1 line* left over *' \
        bigshuf -Z --parallel=8 --records=lines:299999 in.gz in.gz in.gz in.gz
    { bigshuf -Z --parallel=8 in.gz in.gz in.gz in.gz || true; } | head -n 1 >first
    [ -s first ]
    { bigshuf -Z --parallel=8 --probability=0.9 in.gz in.gz in.gz in.gz || true; } | head -n 1 >second
    [ -s second ]
}

# While it reads, and while it writes: nothing is left, and the programs go too (as run.sh looks).
test_death_by_signal_takes_the_programs_with_it() {
    seq 300000 >in
    pack gz in
    mkfifo pipe
    real=$(command -v gzip)
    instead gzip "echo >ready-\$\$; exec $real -dc"
    start bigshuf -Z -o out.gz --parallel=4 in.gz in.gz pipe
    wait_until sh -c 'ls ready-* >/dev/null 2>&1'
    kill -TERM $!
    fails_with 143 '' wait $!
    instead pigz 'cat >/dev/null & echo >ready; wait; while :; do sleep 1; done'
    start bigshuf -Z --shards=3 -o out.%d.gz in
    wait_until test -e ready
    kill -INT $!
    fails_with 130 '' wait $!
    rm ready-* # one may have come after the first run was over
    same './in ./in.gz ./instead ./instead/gzip ./instead/pigz ./pipe ./ready' "$(files_here | paste -s -d ' ' -)"
}

# ---- Faults ----

# Run the faulty program: it gives the right output, or a message and keeps the old file: survives OPTION... FILE...
# (Files that cannot be renamed are in publish.sh.)
survives() {
    local status=0
    echo "FAULT_CALL=${FAULT_CALL:-} FAULT_AT=${FAULT_AT:-} $*:"
    rm -f failed out.?."$quick" .out*
    echo old >out.0."$quick"
    FAULT_LOG=failed bigshuf-faulty --seed=x -Z --parallel=2 --shards=3 -o out.%d."$quick" "$@" 2>said || status=$?
    if [ $status = 0 ]; then
        unpack out.?."$quick" | cmp - wanted
    else
        same '1 1' "$status $(grep -c '^bigshuf: [^w]' said)"
        case ${FAULT_CALL:-} in
        rename_at | unlink) ;; # what is complete is kept, or could not be taken away
        *) same "old ./out.0.$quick" "$(<out.0."$quick") $(find . -name '*out*' | paste -s -d ' ' -)" ;;
        esac
    fi
}

test_any_fault_is_survived() {
    needs_quick_format
    cd "$MEMORY" || exit
    seq 2000 >a
    seq 2001 3000 >b
    pack "$quick" a b
    bigshuf --seed=x a b b >wanted
    fail_any_call "$(scale 1 '1 5' "$(seq 40)")" survives a.$quick b b.$quick
}

test_a_lack_of_descriptors_or_processes_at_any_moment_is_survived() {
    needs_quick_format
    cd "$MEMORY" || exit
    seq 2000 >a
    pack "$quick" a
    bigshuf --seed=x a a a >wanted
    for turn in $(scale '1 4' '1 2 3 4 5 6 7 9 12' "$(seq 60)"); do
        FAULT_CALL='open open_at open_anonymous pipe' FAULT_STAYS=1 FAULT_ERRNO=EMFILE FAULT_AT=$turn survives a.$quick a.$quick a
        FAULT_CALL=spawn FAULT_STAYS=1 FAULT_ERRNO=EAGAIN FAULT_AT=$turn survives a.$quick a.$quick a
    done
}

# The second call is for the second file, while the first one is read.
test_what_cannot_be_decompressed_ahead_is_decompressed_in_its_turn() {
    needs_quick_format
    seq 2000 >a
    pack "$quick" a
    bigshuf --seed=x a a >wanted
    for call in pipe spawn set_nonblocking; do
        FAULT_CALL=$call FAULT_AT=2 bigshuf-faulty -Z --seed=x --parallel=2 a.$quick a.$quick | cmp - wanted
    done
}

# An eighth is set aside for what is read ahead, from 64 MiB on.
test_the_memory_that_is_asked_for_is_enough() {
    seq 2000000 | gzip -1 >in.gz
    head -c 40000000 /dev/zero >random
    draw() { bigshuf -Z -S "$1M" -n 4000000 --random-source=random in.gz in.gz; }
    said=$(draw 8 2>&1) || asked=${said##*-S }
    asked=${asked%M*}
    same 4000000 "$(draw "$asked" | wc -l | tr -d ' ')"
    fails_with 1 'bigshuf: * needs more memory: use -S *M or more' draw $((asked * 9 / 10))
}

test_short_transfers_and_interruptions_do_no_harm() {
    export FAULT_SHORT=1 FAULT_EINTR=1
    more_than_memory >in
    pack gz in
    bigshuf --seed=x in in >wanted
    bigshuf-faulty -Z --seed=x -S 8M --shards=3 -o out.%d.gz in.gz - < <(cat in.gz)
    unpack out.?.gz | cmp - wanted
}
