# -Z: compressed inputs and outputs, by the programs that people have: the same records in the same order as without.
# shellcheck disable=SC2154 # several options; what is in compressors.sh

. "$TOP/tests/support/compressors.sh"

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

test_standard_input_and_fifos_are_decompressed_too() { # tags: long
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

# Each program ends only when both have written more than a pipe holds.
test_a_file_is_read_ahead_while_another_is_read() {
    seq 400000 >in
    pack gz in
    cat in in >both
    instead gzip "$(command -v gzip) \"\$@\"; : >done.\$\$; while [ \$(ls done.* | wc -l) -lt 2 ]; do sleep 0.05; done"
    bigshuf -Z --parallel=2 in.gz in.gz | same_lines both -
}

# The last files are read long after their programs began.
test_many_files_of_all_kinds_keep_their_order() {
    local names=() RANDOM=7
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

test_members_and_frames_that_were_put_together_are_all_read() { # tags: long
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
        FAULT_CALL=spawn FAULT_LOG=log bigshuf-faulty -v $option --seed=x in 2>said | cmp - wanted
        [ ! -e log ]
        grep 'input: *held, 1.9 MiB' said
    done
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

test_the_same_records_make_the_same_file() {
    seq 20000 >in
    for format in $formats; do
        bigshuf -Z --seed=x -o one."$format" in
        touch -d 2001-01-01 in
        bigshuf -Z --seed=x -o other."$format" in
        cmp one."$format" other."$format"
    done
}

# ---- What the programs have of their own ----

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
    local frame
    printf -v frame '\\x%s*M\\x18\\x%x\\x%x\\x%x\\0' "$1" $(($2 % 256)) $(($2 / 256 % 256)) $(($2 / 65536))
    printf %b "$frame"
    head -c "$2" /dev/zero
}

# What follows them says which program it is for. Only zstd is asked what comes after more than is seen of a pipe.
test_frames_to_be_skipped_may_come_first() { # tags: long
    seq 1000 >in
    for format in zst lz4; do
        has_format $format || continue
        pack $format in
        for magic in $(scale '50 5f' '50 5f' "$(printf '%x ' {80..95})"); do
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
