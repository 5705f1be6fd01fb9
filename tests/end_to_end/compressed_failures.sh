# -Z, whatever goes wrong: inputs that are cut off or of another kind, programs that are missing or fail, and faults.
# Whole outputs or none, and no process left.
# shellcheck disable=SC2154 # several options; what is in compressors.sh

. "$TOP/tests/support/compressors.sh"

files_here() (
    shopt -s globstar
    echo ** .[!s]*
)

# The run fails and leaves `out.gz` as it was, and nothing else: spoils PATTERN COMMAND...
spoils() {
    local before
    echo old >out.gz
    before=$(files_here)
    fails_with 1 "$@"
    same old "$(<out.gz)"
    same "$before" "$(files_here)"
}

# ---- Inputs ----

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

# If a format does not tell what comes next, unknown bytes may be most of the file. (bzip2 warns, and succeeds.)
test_what_follows_a_compressed_file_and_is_not_compressed_fails_the_run() { # tags: long
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

# Nothing is written of a file that begins so, from it or a pipe, in place, or when it is compressed: is_unknown WHAT BEGIN
is_unknown() {
    printf "$2\n.\n" >x
    fails_at_once "bigshuf: x: $1, which -Z does not read; *" -Z never x
    fails_with 1 "bigshuf: -: $1, which -Z does not read; *" bigshuf -Z < <(cat x)
    fails_with 1 "bigshuf: x: $1, and also the output, *" bigshuf -Z -o x x
    fails_with 1 "bigshuf: x: $1, and also the output, *" bigshuf -o x x
    gzip <x >y
    fails_with 1 "bigshuf: y: $1, which -Z does not read; *" bigshuf -Z y
    fails_with 0 "bigshuf: warning: x: $1, and shuffled as it is; *" bigshuf x >out
    fails_with 0 '' bigshuf -Z --records=bytes:1 x >out
}

test_what_it_does_not_know_is_refused() { # tags: long
    is_unknown 'compressed by lzip' 'LZIP\1'
    is_unknown 'compressed by lzop' '\211LZO\0\r\n\32\n\20'
    is_unknown 'compressed by snappy' '\377\6\0\0sNaPpY'
    is_unknown 'a 7z archive' '7z\274\257\47\34'
    is_unknown 'a rar archive' 'Rar!\32\7\1\0'
    is_unknown 'a zip archive' 'PK\3\4\24'
    is_unknown 'a Parquet file' 'PAR1\25\0'
    is_unknown 'an ORC file' 'ORC\35\0\0'
    is_unknown 'a CRAM file' 'CRAM\3\0'
    is_unknown 'a BCF file' 'BCF\2\2'
    is_unknown 'an Avro file' 'Obj\1'
    is_unknown 'an HDF5 file' '\211HDF\r\n\32\n'
    is_unknown 'an SQLite database' 'SQLite format 3\0'
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

# This is refused, and all stays: keeps FILE WHAT ADVICE.
keeps() {
    local said="$2, and also the output, so its contents would be lost; $3"
    cksum <"$1" >before
    fails_with 1 "bigshuf: $1: $said" bigshuf -Z -o "$1" "$1"
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
    (head -c 0 && bigshuf -Z -o lines.gz) <lines.gz
    unpack lines.gz | same_lines /dev/stdin <(seq 100000)
    head -c 1000 lines.gz >short.gz
    fails_with 1 "*bigshuf: short.gz: 'gzip -dc' failed: exit status 1" bigshuf -Z -o short.gz short.gz
}

# ---- Programs ----

test_a_program_that_is_missing_is_known_before_the_work() { # tags: long
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

test_a_program_that_fails_fails_the_run_and_names_the_file() { # tags: long
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

test_a_compressor_that_fails_fails_the_run_and_names_the_file() { # tags: long
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

# ---- Runs that end early ----

test_programs_that_are_not_needed_to_the_end_are_no_failure_and_go() {
    seq 300000 >in
    pack gz in
    fails_with 1 'bigshuf: missing: No such file or directory*' bigshuf -Z in.gz in.gz missing
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
    same 'in in.gz instead instead/gzip instead/pigz pipe ready .[!s]*' "$(files_here)"
}

# ---- Faults ----

# Let calls fail at these turns in a run that reads compressed files: survives fail_any_call 'TURN...', or survives
# fail_calls 'CALL...' 'TURN...'
survives() {
    needs_quick_format
    cd "$MEMORY" || exit
    seq 2000 >a
    seq 2001 3000 >b
    pack "$quick" a b
    mkdir -p folder
    echo old >folder/0."$quick"
    FAULT_OTHERS=1 "$@" --seed=x -Z --parallel=2 --shards=3 -o folder/%d."$quick" a."$quick" b b."$quick"
    unpack .with/?."$quick" | cmp - <(bigshuf --seed=x a b b)
}

test_any_fault_is_survived() {
    survives fail_any_call "$(scale 1 '1 5' "$(echo {1..40})")"
}

test_a_lack_of_descriptors_or_processes_at_any_moment_is_survived() {
    local turns
    turns=$(scale '1 4' '1 2 3 4 5 6 7 9 12' "$(echo {1..60})")
    FAULT_STAYS=1 FAULT_ERRNO=EMFILE survives fail_calls open,open_at,open_anonymous,pipe "$turns"
    FAULT_STAYS=1 FAULT_ERRNO=EAGAIN survives fail_calls spawn "$turns"
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
test_the_memory_that_is_asked_for_is_enough() { # tags: long plain
    seq 2000000 | gzip -1 >in.gz
    head -c 40000000 /dev/zero >random
    draw() { bigshuf -Z -S "$1M" -n 4000000 --random-source=random in.gz in.gz; }
    said=$(draw 8 2>&1) || asked=${said##*-S }
    asked=${asked%M*}
    same 4000000 "$(draw "$asked" | wc -l | tr -d ' ')"
    fails_with 1 'bigshuf: * needs more memory: use -S *M or more' draw $((asked * 9 / 10))
}

test_short_transfers_and_interruptions_do_no_harm_to_programs() { # tags: long
    export FAULT_SHORT=1 FAULT_EINTR=1
    more_than_memory >in
    pack gz in
    bigshuf --seed=x in in >wanted
    bigshuf-faulty -Z --seed=x -S 8M --shards=3 -o out.%d.gz in.gz - < <(cat in.gz)
    unpack out.?.gz | cmp - wanted
}
