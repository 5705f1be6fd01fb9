# Promise 1: the output is the input's records, each exactly once, every byte, or the exit status is 1.

# The records of files, in any order, which no option changes: records_of CONTENTS...
records_of() {
    local contents files=()
    for contents; do
        files+=("file.${#files[@]}")
        printf '%b' "$contents" >"${files[-1]}"
    done
    bigshuf "${files[@]}" | sort | tee records
    for options in '-S 8M --parallel=1' -n9 '--keep-order -n9'; do
        bigshuf $options "${files[@]}" | sort | cmp records -
    done
}

test_small_files_have_their_records_and_each_file_ends_its_last_one() {
    cases <<'END'
records_of '' == :
records_of only == printf 'only\n'
records_of 'a\nb\nc' == printf 'a\nb\nc\n'
records_of '\n\n\nx\n\n' == printf '\n\n\n\nx\n'
records_of 'a\nb' c 'd\n' == printf 'a\nb\nc\nd\n'
records_of '' 'a\n' '' '' b '' == printf 'a\nb\n'
records_of 'x\ny' 'x\ny' 'x\ny' == printf 'x\nx\nx\ny\ny\ny\n'
END
}

test_every_pair_of_bytes_survives() {
    printf '%b' "$(awk 'BEGIN {
        for (i = 0; i < 256; i++)
            for (j = 0; j < 256; j++)
                printf "\\0%03o\\0%03o\\n", i, j
    }')" >in
    bigshuf in >out
    same_lines in out
    tr '\0\n' '\n\0' <in | bigshuf -z | tr '\0\n' '\n\0' >out
    same_lines in out
    printf '\303\n\355\240\200\n\377\376\n\300\257\r\n\r\r\n\357\273\277x\n' >in # which is no UTF-8
    LC_ALL=C.UTF-8 bigshuf in >out
    same_lines in out
}

test_a_pipe_in_small_pieces() {
    needs python3
    in_pieces '1\n2\n' 3 '4\n5\n' "$(seq 6 9999)" | bigshuf >out
    same_lines out <(seq 2; echo 34; seq 5 9999)
}

test_words_across_the_ends_of_reads() {
    local word words
    word=$(long_line 120000)
    words=("$word"{0..9})
    bigshuf -e "${words[@]}" >out
    printf '%s\n' "${words[@]}" | same_lines /dev/stdin out
}

test_lengths_around_every_block_size() {
    awk 'BEGIN {
        for (text = "x"; length(text) < 1100000;)
            text = text text
        for (bits = 12; bits < 21; bits++)
            for (i = -2; i <= 2; i++)
                print substr(text, 1, 2 ^ bits + i)
    }' >in
    bigshuf in >out
    same_lines in out
    bigshuf < <(cat in) >out
    same_lines in out
    bigshuf -S 8M in in >out
    same_lines out <(cat in in)
}

# ---- Few records, which are looked for among all ----

# The three parts of `in` that follow from the number of its records are the whole, and any number of first records are
# its beginning: looks_for_few OPTION...
looks_for_few() {
    local said='records: +([0-9]+) read, ([0-9]+) written' records count part
    bigshuf -v --seed=x "$@" in 2>said >whole
    [[ $(<said) =~ $said ]]
    records=${BASH_REMATCH[1]}
    same "$records" "${BASH_REMATCH[2]}"
    for part in 1 2 3; do
        bigshuf --seed=x --part=$part/3 --expect-records="$records" "$@" in
    done | cmp - whole
    for count in 1 $((records / 5)) $((records - 1)); do
        head -n "$count" whole >wanted
        for threads in 1 3; do
            bigshuf -v --seed=x --parallel=$threads -n "$count" "$@" < <(cat in) 2>said | cmp - wanted
            [[ $(<said) =~ $said ]]
            same "$records $count" "${BASH_REMATCH[*]:1}"
        done
    done
}

test_few_lines_are_found_among_many() { # tags: long plain
    seq 15000 >in
    looks_for_few
    seq 10000 24999 >in # of one length
    looks_for_few -S 8M
    { seq 20000; head -c 60000 /dev/zero | tr '\0' '\n'; long_lines 300 10 30000; } >in
    looks_for_few
    long_lines 400 10 30000 >in # few of which end where a block does
    looks_for_few
    { seq 50; long_line 9000000; seq 51 100; } >in # one of which is larger than memory
    looks_for_few -S 8M
    long_lines 5000 100 200 >in # which are referred to
    looks_for_few
}

# ---- What was written to temporary files is checked when it is read ----

# Spoil each of the first reads of temporary files in turn, as FAULT_WHAT says, with `in` from a pipe: bigshuf never
# writes a wrong byte, names the error, and fails. fails_when_spoilt FAULT_WHAT WORD OPTION...
fails_when_spoilt() {
    export "$1=1" FAULT_PIPED=1 FAULT_NEEDED=preadv FAULT_SAYS="bigshuf: temporary file in $TMPDIR: *$2*"
    fail_calls preadv "$(scale '1 3' '1 2 34' "$(echo {1..50})")" -S 8M --seed=1363 "${@:3}" <in
    unset "$1"
}

test_a_changed_or_shortened_temporary_file_is_found_before_its_first_record_is_written() {
    more_than_memory >in
    fails_when_spoilt FAULT_DAMAGE changed
    fails_when_spoilt FAULT_END short
    giants >in # piles are started over
    fails_when_spoilt FAULT_DAMAGE changed
    fails_when_spoilt FAULT_END short --tune=leaf-records=8
}

test_a_changed_temporary_file_of_a_sample_is_found() { # tags: long
    long_lines "$(scale 750 750 4000)" 9000 15000 >in
    for options in '-n 700 --keep-order' '-r -n 1000' '-t \x20 --weight-field=1' '-t \x20 --weight-field=1 -n 700 --keep-order' \
        '-t \x20 --weight-field=1 -r -n 1000'; do
        fails_when_spoilt FAULT_DAMAGE changed --parallel=1 $options
    done
}

test_a_changed_temporary_file_is_found_when_a_record_is_larger_than_memory() { # tags: long
    { long_line 9000000; seq 1000; } >in
    fails_when_spoilt FAULT_DAMAGE changed
    long_line 9000000 >in # which is written after it was read once
    FAULT_DAMAGE=1 FAULT_NEEDED=preadv FAULT_SAYS='*changed*' fail_calls preadv '1 2 5' -S 8M <in
    is_empty .out
}

# It is read to be checked, and again to be written.
test_a_temporary_file_that_is_not_the_same_when_it_is_read_again_is_found() {
    seq 11000 | sed "s/.*/key\t$(printf '%0950d' 0)&/" >in
    for at in 1 $(scale 20 '15 20 24' "$(echo {2..24})"); do
        fails_with 1 'bigshuf: temporary file in *' env FAULT_DAMAGE=1 FAULT_CALL=preadv FAULT_AT=$at \
            bigshuf-faulty -S 8M --parallel=1 --group-field=1 < <(cat in) >out
        cmp -n "$(wc -c <out)" out in
    done
}

# What is kept until it is known to which file it belongs may go to standard output, too.
test_a_changed_temporary_file_is_found_when_a_record_is_kept_for_its_field() {
    printf '%s,x\n' "$(long_line 400000)" >in
    for at in 1 2 4; do
        fails_with 1 'bigshuf: temporary file in *' env FAULT_DAMAGE=1 FAULT_CALL=preadv FAULT_AT=$at bigshuf-faulty \
            -S 8M -t , --split-field=2 --split=0%:a < <(cat in) >out
        cmp -n "$(wc -c <out)" out in
    done
}

# Do something to all temporary files of a run, which fails and says as much: loses COMMAND PATTERN
loses() {
    local file files run
    start_half_fed
    run=$! # as it is before a substitution
    mapfile -t files < <(find "/proc/$run/fd" -lname "$TMPDIR/*")
    # shellcheck disable=SC2034 # the command's
    for file in "${files[@]}"; do
        eval "$1"
    done
    exec 7>&-
    fails_with 1 '' wait $run
    grep -E "^bigshuf: temporary file in $TMPDIR: ($2)" said
    rm pipe
}

test_temporary_files_truly_changed_or_cut_short_on_disk_are_found() {
    [ -e /proc/self/fd ] || skip "no /proc here"
    needs_bare_program
    loses 'printf X 1<>"$file"' 'contents have changed since they were written$'
    loses ': >"$file"' 'contents have changed|file is shorter'
}
