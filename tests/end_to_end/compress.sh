# Compressed temporary files, by the program itself or by another: the same order, never a short output, and nothing
# left behind.
# shellcheck shell=bash

# The program, or this test makes no sense here: needs_program NAME.
needs_program() {
    command -v "$1" >/dev/null || skip "no $1 here"
}

# Let $quick be the quickest program that is here, or this test makes no sense.
needs_quick() {
    quick=lz4
    command -v $quick >/dev/null || quick=gzip
    needs_program $quick
}

# A program that compresses by COMMAND and decompresses by another, or in either place, if that is "", changes nothing:
# script COMMAND COMMAND. What goes through first, each
# way, does so well, whatever the commands do, so that the trial at the start is passed. No more processes than needed,
# since each pile has its own.
script() {
    rm -f tried tried-d
    cat >script <<-END
		#!/bin/sh
		if [ ! -e "tried\$1" ]; then
		    : >"tried\$1"
		    exec cat
		elif [ "\$1" = -d ]; then
		    ${2:-exec cat}
		else
		    ${1:-exec cat}
		fi
	END
    chmod +x script
}

# The same order through PROGRAM: same_order PROGRAM.
same_order() {
    needs_program "$1"
    more_than_memory >in
    bigshuf --seed=x in >wanted
    bigshuf -S 8M --seed=x --parallel=4 --compress-program="$1" -v in 2>said | cmp - wanted
    grep -q 'spilled: .*[1-9][0-9]* bytes' said
}

test_gzip_changes_nothing_but_the_files() {
    same_order gzip
    bigshuf -S 8M --seed=x --parallel=1 --compress-program=gzip <(cat in) | cmp - wanted
}

test_lz4_changes_nothing_but_the_files() {
    same_order lz4
}

test_zstd_changes_nothing_but_the_files() {
    same_order zstd
}

test_records_larger_than_memory_and_piles_started_over_are_compressed() {
    needs_quick
    giants >in
    bigshuf --seed=1363 in >wanted
    bigshuf -S 8M --seed=1363 --compress-program="$quick" in | cmp - wanted
}

test_samples_are_compressed() {
    needs_quick
    giants >in
    for sample in "-r -n 1000" "-n 100000 --keep-order" "--probability=0.5"; do
        # shellcheck disable=SC2086 # words, by intention
        bigshuf --seed=x $sample in >wanted
        # shellcheck disable=SC2086
        bigshuf -S 8M --seed=x $sample --compress-program="$quick" in | cmp - wanted
    done
}

test_fewer_bytes_are_written() {
    needs_scale small
    needs_quick
    more_than_memory >in
    bigshuf -v -S 8M in 2>said >/dev/null
    bigshuf -v -S 8M --compress-program="$quick" in 2>said_with >/dev/null
    [ "$(sed -n 's/.*piles, \([0-9]*\) .*/\1/p' said_with)" -lt "$(sed -n 's/.*piles, \([0-9]*\) .*/\1/p' said)" ]
}

test_a_program_is_not_started_when_nothing_is_spilled() {
    seq 100000 >in
    bigshuf --compress-program=/nowhere/program in >out
    same_lines out in
}

test_a_program_that_is_missing_is_known_before_the_work() {
    more_than_memory >in
    echo old >out
    fails_with 1 "bigshuf: compress program '/nowhere/program': No such file or directory" \
        bigshuf -S 8M -o out --compress-program=/nowhere/program in
    same old "$(<out)"
}

test_a_program_that_fails_is_known_before_the_work() {
    more_than_memory >in
    echo old >out
    fails_with 1 "bigshuf: compress program 'false': exit status 1" bigshuf -S 8M -o out --compress-program=false in
    fails_with 1 "bigshuf: compress program 'true -d': gave fewer bytes than were written" \
        bigshuf -S 8M -o out --compress-program=true in
    same old "$(<out)"
}

test_a_program_that_fails_later_fails_the_run() {
    giants >in
    for commands in 'exit 1:' 'cat; exit 1:' 'head -c 3000; exit 1:' 'kill -9 $$:' 'exec <&-:' \
        ':exit 1' ':cat; exit 1' ':head -c 3000' ':cat; echo' ':kill -9 $$' ':tr 12ab 21ba' \
        'tr 12ab 21ba:' 'head -c 1000:'; do
        script "${commands%%:*}" "${commands#*:}"
        echo old >out
        fails_with 1 "bigshuf: *'./script*" bigshuf -S 8M -o out --compress-program=./script in
        same old "$(<out)"
    done
}

# A pile is verified before its first record is written.
test_what_is_written_before_a_failure_is_right() {
    giants >in
    bigshuf --seed=x in >wanted
    # shellcheck disable=SC2016 # the script's
    script '' 'echo >>runs; cat; test $(wc -l <runs) -lt 10'
    fails_with 1 "bigshuf: compress program './script -d': exit status 1" \
        bigshuf -S 8M --seed=x --compress-program=./script in >out
    [ -s out ]
    head -c "$(wc -c <out)" wanted | cmp - out
}

test_a_program_inherits_no_descriptor() {
    [ -e /proc/self/fd ] || skip "no /proc here"
    needs_bare_program
    giants >in
    ls /proc/self/fd >usual
    script 'ls /proc/self/fd >>inherited; exec cat' 'ls /proc/self/fd >>inherited; exec cat'
    bigshuf -S 8M --compress-program=./script in >/dev/null
    cmp <(sort -u inherited) <(sort -u usual)
}

test_few_descriptors_suffice() {
    needs_quick
    needs_bare_program
    giants >in
    bigshuf --seed=x in >wanted
    (ulimit -n 64 && bigshuf -S 8M --seed=x --parallel=4 --compress-program="$quick" in) | cmp - wanted
}

test_a_parent_that_does_not_care_for_its_children_is_no_obstacle() {
    needs_quick
    giants >in
    (trap '' CHLD && bigshuf -S 8M --compress-program="$quick" in) >out
    same_lines out in
}

test_a_full_directory_goes_on_in_the_next_in_the_middle_of_a_frame() {
    needs_quick
    mkdir 1 2 3
    giants >in
    bigshuf --seed=1363 in >wanted
    for at in $(scale '2' '2 20' "$(seq 2 60)"); do
        FAULT_CALL=pwritev FAULT_AT="$at" FAULT_ERRNO=ENOSPC FAULT_SHORT=1 \
            bigshuf-faulty -S 8M --seed=1363 -T 1 -T 2 -T 3 --compress-program="$quick" in | cmp - wanted
    done
}

test_reads_and_writes_by_halves_and_interruptions_change_nothing() {
    needs_quick
    giants >in
    bigshuf --seed=1363 in >wanted
    FAULT_SHORT=1 FAULT_EINTR=1 bigshuf-faulty -S 8M --seed=1363 --compress-program="$quick" in | cmp - wanted
}

# The N-th call of each kind that belongs to processes fails, for a few N.
test_a_call_that_fails_is_reported_and_nothing_is_written_that_is_wrong() {
    needs_quick
    giants >in
    for call in pipe set_nonblocking spawn wait preadv pwritev; do
        for at in $(scale 1 "1 3" "1 2 3 7"); do
            rm -f log
            echo old >out
            if FAULT_CALL=$call FAULT_AT=$at FAULT_LOG=log \
                bigshuf-faulty -S 8M --compress-program="$quick" -o out in 2>said; then
                if [ -e log ]; then
                    echo "$call $at: failed, yet the run went well" >&2
                    return 1
                fi
            else
                same 1 "$(grep -c '^bigshuf: ' said)"
                same old "$(<out)"
            fi
        done
    done
}

test_a_temporary_file_that_has_changed_is_found() {
    needs_quick
    giants >in
    for how in FAULT_DAMAGE FAULT_END; do
        for at in $(scale 1 "1 4" "1 2 5"); do
            echo old >out
            fails_with 1 '*bigshuf: *' env $how=1 FAULT_CALL=preadv FAULT_AT="$at" \
                bigshuf-faulty -S 8M --compress-program="$quick" -o out in
            same old "$(<out)"
        done
    done
}

test_a_run_that_is_killed_leaves_nothing() {
    needs_program gzip
    mkdir folder temporary
    echo old >folder/file
    start_half_fed -T temporary -o folder/file --compress-program=gzip
    kill -TERM $!
    fails_with 143 '*' wait $!
    exec 7>&-
    same 'old file ' "$(<folder/file) $(ls -A folder) $(ls -A temporary)"
}

test_only_one_program_can_be_given() {
    bigshuf --compress-program=gzip --compress-program=gzip </dev/null
    fails_with 1 'bigshuf: multiple compress programs specified' \
        bigshuf --compress-program=gzip --compress-program=lz4 </dev/null
}

# The program ends what comes and fails, by when somebody mostly waits for more; the pipe does not end.
test_a_failed_run_does_not_wait_for_an_input_that_stalls() {
    # shellcheck disable=SC2016 # the program's
    script 'kill $(cat feeder) 2>/dev/null; touch began; until [ -e stalled ]; do sleep 0.02; done; exit 3' ''
    mkfifo pipe
    start bigshuf -S 8M --parallel=2 --compress-program=./script pipe >out 2>said
    local process=$!
    exec 7>pipe
    while :; do seq 100000; done >&7 &
    echo $! >feeder
    until [ -e began ]; do sleep 0.02; done
    touch stalled
    fails_with 1 '*' wait $process
    same "bigshuf: compress program './script': exit status 3" "$(<said)"
}

test_with_few_descriptors_fewer_programs_run_or_none_is_begun() {
    needs_bare_program
    needs_quick
    more_than_memory >in
    bigshuf --seed=x in >wanted
    (ulimit -n 16 && bigshuf -S 8M --seed=x --compress-program="$quick" in) | cmp - wanted
    (ulimit -n 24 && bigshuf -S 8M --seed=x --parallel=4 --compress-program="$quick" -o out in)
    cmp out wanted
    fails_with 1 'bigshuf: --compress-program needs more open files: raise the limit (ulimit -n)' \
        bash -c 'ulimit -n 12 && exec bigshuf -S 8M --compress-program=gzip in' >out
    is_empty out
}

test_a_program_has_the_limit_to_descriptors_that_bigshuf_was_given() {
    needs_bare_program
    [ "$(uname)" = Linux ] || skip "a child's limit cannot be changed here"
    script 'ulimit -S -n >limit; exec cat' ''
    more_than_memory >in
    (ulimit -S -n 100 && bigshuf -S 8M --compress-program=./script in >out)
    same 100 "$(<limit)"
}

# ---- By itself ----

test_whether_temporary_files_are_compressed_changes_nothing_else() {
    more_than_memory >in
    bigshuf --seed=x in >wanted
    for when in auto always never; do
        bigshuf -S 8M --seed=x --parallel=4 --compress-temporary=$when in | cmp - wanted
        bigshuf -S 8M --seed=x --parallel=1 --compress-temporary=$when -v <(cat in) 2>said | cmp - wanted
        grep -q 'spilled: .*[1-9][0-9]* bytes' said
        cp said "said_$when"
    done
    grep -q 'compressed: .*[0-9] bytes to [1-9][0-9]* bytes' said_always
    fails_with 1 '' grep 'compressed:' said_never
}

test_piles_started_over_and_samples_are_the_same_whether_compressed_or_not() {
    giants >in
    for options in "" "--tune=leaf-records=8" "-r -n 1000" "-n 100000 --keep-order" "--probability=0.5"; do
        # shellcheck disable=SC2086 # words, by intention
        bigshuf --seed=1363 $options in >wanted
        for when in auto always never; do
            # shellcheck disable=SC2086
            bigshuf -S 8M --seed=1363 $options --compress-temporary=$when in | cmp - wanted
        done
    done
}

test_golden_orders_are_the_same_whether_compressed_or_not() {
    needs_scale small
    for when in auto always never; do
        same 45c0cfd543c52ba0298378bebf864a03 "$(seq 1000000 | bigshuf --seed=42 -S 8M --compress-temporary=$when | md5)"
        same e36ccc79075ad8c75561f4b15f86a50d \
            "$(seq 2000000 | bigshuf --seed=42 -S 8M --tune=leaf-records=9 --compress-temporary=$when | md5)"
    done
}

test_text_takes_less_room() {
    needs_scale small
    more_than_memory >in
    bigshuf -v -S 8M --compress-temporary=never in 2>said >/dev/null
    bigshuf -v -S 8M --compress-temporary=always in 2>said_with >/dev/null
    [ "$(sed -n 's/.*piles, \([0-9]*\) .*/\1/p' said_with)" -lt "$(sed -n 's/.*piles, \([0-9]*\) .*/\1/p' said)" ]
}

# Each frame has a header.
test_random_bytes_take_hardly_more_room() {
    head -c 12000000 /dev/urandom >in
    bigshuf -v -S 8M --compress-temporary=always --record-size=10000 in 2>said >out
    awk '/compressed:/ { exit !($6 > $3 && $6 < $3 * 1.001) }' said
}

# A disk that takes 50 MB a second is slower than compressing; that is noticed after 32 MiB.
test_a_slow_disk_is_noticed() {
    needs_scale small
    [ -e /proc/thread-self/schedstat ] || skip "this system does not tell how long threads wait for processors"
    awk -v text="$(seq -s ' ' 100)" 'BEGIN { for (i = 0; i < 250000; i++) print i, text }' >in
    bigshuf --seed=x in >wanted
    FAULT_RATE=50 bigshuf-faulty -S 8M --seed=x -v in 2>said | cmp - wanted
    awk '/compressed:/ { exit !($6 < $3 * 0.7) }' said
}

test_frames_that_have_changed_are_found() {
    giants >in
    for how in FAULT_DAMAGE FAULT_END; do
        for at in $(scale '1 2' '1 2 3 4 5 10 30' "$(seq 100)"); do
            echo old >out
            fails_with 1 '*bigshuf: temporary file in *' env $how=1 FAULT_CALL=preadv FAULT_AT="$at" \
                bigshuf-faulty -S 8M --compress-temporary=always -o out in
            same old "$(<out)"
        done
    done
}

test_it_is_one_way_or_the_other() {
    fails_with 1 "bigshuf: cannot combine --compress-program and --compress-temporary" \
        bigshuf --compress-program=gzip --compress-temporary=always </dev/null
    fails_with 1 "bigshuf: invalid --compress-temporary argument 'often': it is auto, always or never" \
        bigshuf --compress-temporary=often </dev/null
}
