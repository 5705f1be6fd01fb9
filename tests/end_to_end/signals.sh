# Promises 5 and 6 when the run is killed: nothing is left, the old file is intact, and the parent sees the true cause.
# tags: threads

an_old_file() {
    echo old >folder/file
}

# What a killed run leaves is the old file and nothing else; one that SIGKILL ends, or the new one: old_file_or_new STATUS.
old_file_or_new() {
    same file "$(ls -A folder)"
    [ "$program" = bigshuf-faulty ] || same '' "$(ls -A temporary)" # there, a moment lies between making and unlinking
    case $1 in
    0) same_lines folder/file in ;;
    137) same_lines folder/file in >differs || same old "$(<folder/file)" ;;
    *) same old "$(<folder/file)" ;;
    esac
}

# Runs that spill and replace folder/file are killed at any moment: killed SIGNAL PROGRAM OPTION...
killed() {
    program=$2
    mkdir -p folder temporary
    more_than_memory >in
    killed_at_any_moment "$1" "$(scale 3 7 14)" an_old_file old_file_or_new \
        "$program" -S 8M --seed=x -T temporary -o folder/file "${@:3}" in
}

test_sigkill_at_any_moment() {
    killed KILL bigshuf
}

test_sigterm_of_groups_at_any_moment() {
    killed TERM bigshuf -t 1 --group-field=1
}

test_sigint_at_any_moment_also_where_the_new_file_has_a_name() {
    killed INT bigshuf
    rm -r temporary
    export FAULT_CALL=open_anonymous FAULT_AT=1 FAULT_STAYS=1 FAULT_ERRNO=ENOTSUP
    killed INT bigshuf-faulty
}

# Shard NUMBER has its hidden name: has_shard NUMBER
has_shard() {
    compgen -G "folder/.$(printf %06d "$1").*" >/dev/null
}

# Workers make a hidden name for each shard while the signal comes.
test_sigterm_while_shards_are_made_leaves_no_name() {
    mkdir folder
    seq 100000 >in
    for moment in $(seq "$(scale 1 3 1000)"); do
        start bigshuf --parallel=8 --shards=records:1 -o folder/%06d in
        wait_until has_shard $((moment * 100))
        kill -TERM $!
        fails_with 143 '*' wait $!
        same '' "$(ls -A folder)"
    done
}

test_a_run_that_was_started_with_signals_blocked_can_be_ended() {
    env --block-signal true 2>.stderr || skip "env blocks no signals here"
    mkfifo pipe
    for signal in INT TERM HUP; do
        start env --block-signal bigshuf -o out pipe
        exec 7>pipe # which succeeds when the run has begun
        kill -$signal $!
        exec 7>&-
        fails_with "$(kill -l $signal | awk '{ print 128 + $1 }')" '*' wait $!
    done
}

# That has read and spilled a lot and waits for more, and that waits for the reader of its output.
test_any_signal_while_it_reads_or_writes() {
    mkdir folder temporary
    echo old >folder/file
    for signal in INT TERM HUP KILL XCPU; do
        rm -f pipe
        start_half_fed -T temporary -o folder/file
        kill -$signal $!
        fails_with $((128 + $(kill -l $signal))) '*' wait $!
        exec 7>&-
        same 'old file  ' "$(<folder/file) $(ls -A folder) $(ls -A temporary) $(<said)"
    done
    more_than_memory >in
    exec 8<>pipe
    start bigshuf -S 8M -T temporary in >pipe
    head -c 1000000 <&8 >out
    kill -INT $!
    fails_with 130 '*' wait $!
    same '' "$(ls -A temporary)"
}

test_any_signal_but_sigkill_takes_away_a_new_file_that_has_a_name() {
    local signal
    export FAULT_CALL=open_anonymous FAULT_AT=1 FAULT_STAYS=1 FAULT_ERRNO=ENOTSUP
    mkdir folder
    more_than_memory >in
    for signal in HUP INT QUIT TERM ALRM USR2 VTALRM PROF XCPU; do
        FAULT_RATE=1 start bigshuf-faulty -S 8M -o folder/file in
        wait_until has_a_file folder
        kill -$signal $!
        fails_with $((128 + $(kill -l $signal))) '*' wait $!
        same '' "$(ls -A folder)"
    done
}

has_a_file() {
    [ -n "$(ls -A "$1")" ]
}

# A signal never makes a complete output a failure: it comes too late while files get their names.
test_sigterm_at_any_call_leaves_old_files_or_all_new_ones() {
    mkdir folder
    echo old | tee folder/file >folder/s1
    seq 10 >in
    FAULT_KILLS=TERM fail_any_call "$(scale 1 '1 2' "$(echo {1..40})")" --seed=1 -o folder/file in 2>log
    FAULT_KILLS=TERM fail_any_call "$(scale 2 '1 2 3' "$(echo {1..80})")" --seed=1 --shards=3 -o folder/s%01d in 2>>log
    grep '^rename_at, turn 2: status 0: ' log
    grep '^link_descriptor, turn 2: status 143: ' log
    FAULT_CALL=rename_at FAULT_AT=1 FAULT_KILLS=TERM bigshuf-faulty --progress -o made in 2>said
    same_lines made in
}

# What is to be said of the files that are complete waits for a reader.
test_sigterm_when_a_file_got_no_name_and_nobody_reads_why() {
    seq 10 >in
    mkfifo said
    exec 8<>said
    head -c 65536 /dev/zero >said
    mkdir folder
    FAULT_CALL=rename_at FAULT_AT=1 start bigshuf-faulty -o folder/made in 2>said
    wait_until has_a_file folder
    kill -TERM $!
    PATIENCE=200 wait_until has_ended $!
    fails_with 143 '*' wait $!
    same_lines folder/.made.* in
}

has_ended() {
    if kill -0 "$1" 2>.stderr; then return 1; fi
}

test_an_ignored_signal_stays_ignored() {
    mkfifo pipe
    (trap '' HUP INT && exec bigshuf pipe >out) &
    exec 7>pipe
    seq 10 >&7
    kill -HUP $!
    kill -INT $!
    seq 11 20 >&7
    exec 7>&-
    wait $!
    same_lines out <(seq 20)
}

test_a_parent_that_ignores_its_children_does_no_harm() {
    env --ignore-signal=CHLD true 2>.stderr || skip "env cannot ignore signals here"
    seq 10 >in
    env --ignore-signal=CHLD bigshuf --filter='cat >"$FILE"' -o out in
    same_lines out in
}
