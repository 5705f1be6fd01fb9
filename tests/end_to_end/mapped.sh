# Files that fit in memory are mapped, not read, and input from a pipe that fits is held where it was read. That changes
# only time and memory: whatever happens to a file meanwhile, a run succeeds or fails as if it had read it.

# Lines of 100 to 300 bytes, as long as records that are referred to; half a MB and more.
paragraphs() {
    long_lines "$(scale 3000 3000 60000)" 100 300
}

# The input is mapped, and the output is what it is when it is read: same_as_read OPTION...
same_as_read() {
    same_with --seed=m "$@"
}

# The same in an order of another kind: same_with ORDER OPTION...
same_with() {
    rm -f mappings
    FAULT_CALL=map_file FAULT_LOG=mappings bigshuf-faulty "$@" >out
    FAULT_CALL=map_file FAULT_AT=1 FAULT_STAYS=1 bigshuf-faulty "$@" >wanted
    cmp wanted out
    [ -s mappings ]
}

# The output is the same when FILE comes through a pipe, where it is held if it fits, and else copied: same_piped FILE
# OPTION...
same_piped() {
    same_as_read "$@"
    bigshuf --seed=m "${@:2}" < <(cat "$1") | cmp - wanted
}

# The input is not mapped, and the output is that of OPTIONS: reads OPTION...
reads() {
    rm -f mappings
    FAULT_CALL=map_file FAULT_LOG=mappings bigshuf-faulty --seed=m "$@" >out
    [ ! -e mappings ]
}

# ---- The same output ----

test_lines_of_any_length() { # tags: long
    paragraphs >in
    same_piped in
    same_lines in out
    same_piped in --parallel=1
    same_piped in --parallel=4 -S 64M
    seq 100000 >in
    same_piped in
    same_lines in out
    (seq 100000; long_line 3000000; echo; paragraphs) >in
    same_piped in
    same_lines in out
    bigshuf --seed=m -S 8M --parallel=3 < <(cat in) | cmp - out
}

# Most need few records, which are copied: it is faster to read the others than to map them.
test_every_kind_of_sample() {
    paragraphs >in
    for options in '-n 100' '-n 10 --keep-order' '-n 3000 --keep-order' --probability=0.1 \
        '--weight-field=1 -t \  -n 100' '--weight-field=1 -t \  -r -n 100'; do
        eval "reads $options in"
        eval "bigshuf --seed=m $options" < <(cat in) | cmp - out
    done
    same_piped in -r -n 5000
}

test_every_kind_of_output() {
    paragraphs >in
    same_as_read --shards=3 -o 'shard.%d' in
    cat shard.* | same_lines in /dev/stdin
    same_as_read --split=10%:part -o rest in
    cat part rest | same_lines in /dev/stdin
    reads --shards=2 --filter='cat >$FILE' -o 'filtered.%d' in # which might write to an input
    cat filtered.* | same_lines in /dev/stdin
    cp in inplace
    bigshuf --seed=m -o inplace inplace
    bigshuf --seed=m in | cmp - inplace
}

# Lines that are too short to be referred to are read, after a look at the first ones where they are mapped.
test_short_lines() {
    seq 800000 >in
    (cat in; long_line 3000000; echo) >mixed
    for options in '' '-S 24M -T .' '--part=2/3' '-r -n 100000'; do
        bigshuf --seed=m $options mixed in >out
        bigshuf --seed=m $options < <(cat mixed in) | cmp out -
    done
}

test_several_files_with_and_without_last_newlines() {
    paragraphs >a
    head -c -1 a >b
    head -c 400000 a >c
    printf 'end' >d
    : >empty
    same_as_read a b c d empty a c
    awk 1 a b c d a c | same_lines out /dev/stdin
    for file in a b c d empty a c; do printf '%s\0' "$file"; done >names
    bigshuf --seed=m --files0-from=names | cmp - out
    same_as_read empty b empty empty c
}

test_several_pipes_without_last_newlines_are_those_files() {
    paragraphs >all
    head -c 500001 all >a
    printf 'end' >b
    : >empty
    bigshuf --seed=m a b empty a >wanted
    bigshuf --seed=m <(cat a) b empty - < <(cat a) | cmp - wanted
    bigshuf --seed=m a <(cat b) <(:) <(cat a) | cmp - wanted
}

test_standard_input_is_taken_from_its_position_and_left_at_its_end() {
    paragraphs >in
    tail -n +2 in >rest
    bigshuf --seed=m rest in >right
    (read -r && bigshuf --seed=m - in) <in | cmp - right
    (read -r && bigshuf --seed=m >out && wc -c >left) <in
    same_lines out rest
    same 0 "$(($(<left)))"
    bigshuf --seed=m - - <in >out
    same_lines in out
    for start in 1 4095 4096 12293 "$(wc -c <in)"; do # wherever in a page
        tail -c +$((start + 1)) in >rest
        (head -c "$start" >skipped && bigshuf --seed=m) <in | cmp - <(bigshuf --seed=m rest)
    done
}

test_an_input_that_just_fits() { # tags: long
    paragraphs >in
    for mib in 8 9 10 12 20; do same_as_read -S "${mib}M" in; done
    long_lines 40000 100 300 >in # 8 MB
    for mib in 8 10 11 12 14; do bigshuf --seed=m -S "${mib}M" < <(cat in) | cmp - <(bigshuf --seed=m in); done
    (seq 300000 && cat in) >longer
    for memory in 1G 8M; do bigshuf --seed=m -S $memory < <(cat longer) | cmp - <(bigshuf --seed=m longer); done
}

test_records_that_get_shorter_after_the_first_ones() { # tags: long plain
    (paragraphs | head -c 2000000 && head -c 2000000 /dev/zero | tr '\0' '\n') >in
    same_piped in
    for memory in 8M '14M --parallel=1'; do bigshuf --seed=m -S $memory < <(cat in) | cmp - wanted; done
    same_as_read -S 14M --parallel=1 in
    same_as_read -S 14M -r -n 1000 in
}

test_a_file_with_holes() {
    (paragraphs && echo) >in
    truncate -s 3M in
    paragraphs >>in
    same_as_read in
    same_as_read -z in
}

test_a_file_above_4_gib() {
    needs_scale full
    needs_bare_program
    paragraphs >in
    truncate -s 4300M in
    paragraphs >>in
    bigshuf -S 6G --seed=m in | cksum >mapped
    bigshuf -S 64M --seed=m in | cksum | cmp - mapped
}

test_memory_and_disk_of_a_pipe_are_those_of_a_file() {
    long_lines 100000 100 300 >in # 20 MB
    for mib in 8 16; do
        runs_within $mib -v < <(cat in) >out 2>said
        same_lines in out
        # Less memory than 64 MiB has a larger part of it in buffers: promise 5 with a half in place of 3/4.
        spilled=$(sed -n 's/.*spilled: .* \([0-9]*\) bytes/\1/p' said)
        [ "$spilled" -le $(($(wc -c <in) - (mib << 20) / 2)) ]
    done
}

# ---- What is read as before ----

test_small_files_are_read() {
    long_lines 500 100 300 | split -a 3 -l 1 - small.
    reads small.*
    cat small.* | same_lines out /dev/stdin
}

test_an_input_that_is_written_to_is_read() {
    paragraphs >in
    cp in file
    bigshuf --seed=m file 1<>file
    bigshuf --seed=m in | cmp - file
    cp in file
    bigshuf --seed=m file >>file
    (cat in && bigshuf --seed=m in) | cmp - file
    fails_with 1 'bigshuf: file: is both input and output; *' bigshuf -o /dev/stdout file 1<>file
}

test_what_is_not_regular_is_read() {
    paragraphs >in
    mkfifo fifo
    cat in >fifo &
    reads in fifo
    cat in in | same_lines out /dev/stdin
}

test_what_shows_no_size_is_read() {
    [ -e /proc/self/status ] || skip "no /proc here"
    paragraphs >in
    same_as_read in
    bigshuf --seed=m in /proc/version >out
    cat in /proc/version | same_lines out /dev/stdin
    same 9 "$(bigshuf -S 8M -r -n 9 /proc/version | wc -l | tr -d ' ')" # if it is read twice, too
}

test_without_addresses_to_map_it_to_it_is_read() {
    needs_bare_program
    long_lines 100000 100 200 >in
    bigshuf --seed=m -S 64M in >out
    for kib in 80000 90000 100000; do (ulimit -v $kib && bigshuf --seed=m -S 64M in) | cmp - out; done
}

# ---- Files that change ----

changed='bigshuf: in: file has changed while it was read'

# Before each call that bigshuf makes, in turn, the shell changes file `in`, a fresh copy of `original`. The run
# succeeds with one of the outputs `right.*`, or says so and the old output stays. during_each_call COMMAND OPTION...
during_each_call() {
    local change=$1 status right files found failures=0
    shift
    mkdir -p temporary
    touch in out said called
    files="$(names) "
    for turn in $(scale '5 45 60 90 120' "$(echo {1..160..24} {170..1000..180})" "$(echo {1..3000})"); do
        cp original in
        echo old >out
        : >called
        status=0
        FAULT_RUN="$change" FAULT_AT=$turn FAULT_LOG=called \
            bigshuf-faulty --seed=m -S 20M -T temporary "$@" -o out in 2>said || status=$?
        [ -s called ] || break
        if [ $status = 0 ]; then
            found=
            for right in right.whole right.short right.empty; do
                if cmp -s $right out; then found=1 && break; fi
            done
            same 1 "$found"
        else
            same 1 $status
            same "$changed" "$(<said)"
            same old "$(<out)"
            failures=$((failures + 1))
        fi
        same "$files" "$(names) $(names temporary)"
    done
    [ $failures -gt 0 ]
}

test_a_file_that_is_cut_short_is_a_failed_read_at_every_stage() {
    paragraphs >original
    : >right.empty
    bigshuf --seed=m original >right.whole
    bigshuf --seed=m <(head -c 1000 original) >right.short
    for threads in 1 2; do
        during_each_call 'truncate -s 1000 in' --parallel=$threads
    done
    during_each_call 'truncate -s 0 in' --parallel=2
    during_each_call 'touch -d 2001-02-03 in'
}

test_a_sample_of_a_file_that_is_cut_short_is_a_failed_read() { # tags: long
    paragraphs >original
    : >right.empty
    for options in '-n 1000' '-n 1000 --keep-order' '-r -n 10000'; do
        bigshuf --seed=m $options original >right.whole
        bigshuf --seed=m $options <(head -c 1 original) >right.short
        during_each_call 'truncate -s 1 in' $options
    done
}

# Which nobody writes to: so it is not waited for.
test_a_file_that_a_fifo_replaces_is_a_failed_read() {
    for options in '' '-S 8M -T .'; do
        for turn in 1 2 3; do
            more_than_memory >in
            FAULT_CALL=open FAULT_AT=$turn FAULT_RUN='rm in; mkfifo in' \
                fails_with 1 "$changed" bigshuf-faulty $options -o out in
            rm in
        done
    done
    same '.stderr' "$(ls -A)"
}

test_a_file_that_is_cut_short_when_output_has_begun_leaves_no_part_of_several() {
    long_lines 10000 1000 2000 >original
    cp original in
    mkfifo pipe
    FAULT_CALL=write FAULT_AT=3 FAULT_RUN='truncate -s 100 in' \
        fails_with 1 "$changed" bigshuf-faulty --parallel=1 --shards=3 -o 'shard.%d' in
    same 'in original pipe' "$(echo *)"
}

test_a_file_that_is_cut_short_is_told_by_a_run_that_was_started_with_its_signal_blocked() {
    env --block-signal=BUS true 2>.stderr || skip "env blocks no signals here"
    long_lines 10000 1000 2000 >in
    echo old >out
    FAULT_CALL=write FAULT_AT=3 FAULT_RUN='truncate -s 100 in' \
        fails_with 1 "$changed" env --block-signal=BUS bigshuf-faulty --parallel=1 -o out in
    same old "$(<out)"
}
