# Promise 1, whatever goes wrong: let the first system call of a kind fail, the second, the third, until the run gets
# through without it. A run either succeeds, with the right output, or says once what went wrong and leaves nothing,
# but for a complete file that could not get its name.

cd "$MEMORY" || exit
mkdir -p folder/temporary
echo old >folder/file
export FAULT_NEEDED='read write preadv pwritev rename_at link_descriptor'

# The numbers of the calls that fail, of each kind: $TURNS at the usual scale, if it is set.
turns() {
    set -- {1..40} {50..500..10} {600..5000..100}
    scale '1 3' "${TURNS:-1 40}" "$*"
}

# The sweep, for some kinds of calls: sweep 'CALL...' OPTION... FILE
sweep() {
    fail_calls "$1" "$(turns)" --seed=1363 -T folder/temporary "${@:2}"
}

# The sweep, for all kinds of calls that a run makes: sweep_all OPTION... FILE
sweep_all() {
    fail_any_call "$(turns)" --seed=1363 -T folder/temporary "$@"
}

test_a_small_input_survives_any_fault() {
    seq 1000 >in
    TURNS='1 4' sweep_all in
    TURNS='1 3' FAULT_STAYS=1 sweep_all -o folder/file in
    mkdir x && mv in x/file
    TURNS='7 8 9 10 11' sweep allocate --each --split='100%:folder/%s' x/file
}

test_groups_survive_any_fault() {
    seq 1000 >in
    TURNS='1 4' sweep_all --group-field=1 -t 9 in
    TURNS='1 3' FAULT_STAYS=1 sweep_all -o folder/file --unique in
}

# Some reads only ask for the machine's limits.
test_an_input_that_fits_survives_any_fault() {
    seq 60000 >in
    FAULT_NEEDED=
    sweep_all -S 16M --parallel=1 in
    TURNS='1 4' sweep_all -o folder/file in
}

test_an_archive_that_fits_survives_any_fault() {
    tar --version 2>/dev/null | grep -q GNU || skip "no GNU tar here"
    long_lines 200 1000 3000 | split -a 3 -l 1 - s.
    tar --remove-files -cf in s.*
    FAULT_NEEDED='' sweep_all -S 16M --parallel=3 --records=tar in
}

# With keys that are found beyond a block, and many that come again.
with_keys() {
    for key in 1 2 3; do
        long_lines 230 9000 15000 | sed "s/$/\tk$key/; s/^[0-9]*/&$key/"
        long_line 600000 | sed "s/$/\tlong/"
        seq 1500 | sed 's/.*/& &\t&/'
    done
}

test_keys_of_a_spilling_input_survive_any_fault() { # tags: plain
    with_keys >in
    TURNS='1 9' sweep_all -o folder/file -S 8M --parallel=3 --group-field=2 in
    FAULT_PIPED=1 TURNS='1 9' sweep_all -o folder/file -S 8M --parallel=1 --unique=2 <in
    sweep 'allocate map preadv pwritev open_anonymous' -S 8M --parallel=3 --unique --part=2/3 in
    FAULT_PIPED=1 FAULT_DAMAGE=1 sweep preadv -o folder/file -S 8M --parallel=1 --group-field=2 <in
}

test_a_key_larger_than_memory_survives_any_fault() { # tags: plain
    { seq 1000 | sed 's/$/\tx/'; long_lines 900 9000 15000 | sed 's/$/\tk/'; } >in
    sweep 'allocate map preadv pwritev open_anonymous thread' -S 8M --parallel=3 --group-field=2 in
    sweep preadv -o folder/file -S 8M --parallel=1 --unique=2 --part=1/2 in
    FAULT_PIPED=1 FAULT_DAMAGE=1 sweep preadv -o folder/file -S 8M --parallel=1 --group-field=2 <in
}

# Small, since many runs are needed; long lines, since their number takes time and their bytes fill the memory.
spilling() {
    long_lines 700 9000 15000
    seq 5000
}

test_a_spilling_input_survives_any_fault() {
    spilling >in
    sweep_all -o folder/file -S 8M --parallel=3 in
}

test_leaves_that_are_started_over_survive_any_fault() { # tags: plain
    giants >in
    sweep 'allocate map preadv pwritev open_anonymous' -S 8M --parallel=1 in
    sweep 'allocate preadv pwritev' -S 8M --parallel=1 --tune=compress-temporary=always in
}

test_nodes_that_are_started_over_survive_any_fault() { # tags: plain
    giants >in
    sweep 'allocate map preadv pwritev open_anonymous thread' -o folder/file -S 8M --parallel=3 --tune=leaf-records=8 in
}

test_a_record_larger_than_memory_survives_any_fault() {
    { seq 100; long_line 9000000; } >in
    sweep 'allocate map preadv pwritev read write open_anonymous' -S 8M --parallel=1 in
}

test_samples_survive_any_fault() {
    export FAULT_PIPED=1
    spilling >in
    for options in '-n 700 --keep-order' '-r -n 1000' '-t \x20 --weight-field=1' '-t \x20 --weight-field=1 -n 700 --keep-order' \
        '-t \x20 --weight-field=1 -r -n 1000'; do
        # shellcheck disable=SC2086 # words
        sweep pwritev -o folder/file -S 8M --parallel=1 $options <in
    done
}

# ---- Causes that are treated in ways of their own ----

test_a_full_disk_and_a_lack_of_descriptors_or_memory_at_any_moment_is_survived() {
    spilling >in
    FAULT_STAYS=1 FAULT_ERRNO=ENOSPC sweep 'write pwritev open_anonymous' -o folder/file -S 8M --parallel=3 in
    FAULT_STAYS=1 FAULT_ERRNO=EMFILE sweep 'open open_anonymous' -o folder/file -S 8M --parallel=3 in
    FAULT_STAYS=1 FAULT_ERRNO=ENOMEM sweep 'allocate map' -o folder/file -S 8M --parallel=3 in
    FAULT_ERRNO=ENOSPC FAULT_SHORT=1 sweep 'write pwritev' -o folder/file -S 8M --parallel=3 in
}

# Others take the descriptors that were free at the start, soon or late; what is started over needs more.
test_descriptors_that_become_few_meanwhile_lead_to_fewer_files() { # tags: long
    { giants; more_than_memory; } >in
    bigshuf --seed=1 in >wanted
    for options in '' '-T . -T ..' --tune=compress-temporary=always; do
        for fault in EMFILE:9 EMFILE:30 ENFILE:200; do
            FAULT_STAYS=1 FAULT_CALL=open_anonymous FAULT_AT=${fault#*:} FAULT_ERRNO=${fault%:*} FAULT_LOG=failed \
                bigshuf-faulty --seed=1 -S 8M $options in >out
            cmp wanted out
        done
    done
    [ -s failed ] # or it was no test
}

test_what_to_do_is_said_where_disks_are_full_or_descriptors_few() {
    spilling >in
    cases <<'END'
FAULT_STAYS=1 FAULT_CALL=pwritev FAULT_AT=3 FAULT_ERRNO=ENOSPC bigshuf-faulty -S 8M in =! temporary file in *: No space left on device: name another directory or one more with -T, or use a larger -S
FAULT_STAYS=1 FAULT_CALL=pwritev FAULT_AT=3 FAULT_ERRNO=EDQUOT bigshuf-faulty -S 8M in =! temporary file in *: Disk quota exceeded: name another directory or one more with -T, or use a larger -S
FAULT_STAYS=1 FAULT_CALL=open_anonymous FAULT_AT=2 FAULT_ERRNO=EMFILE bigshuf-faulty -S 8M in =! temporary file in *: Too many open files: raise the limit (ulimit -n)
END
}

# No anonymous files, no links to descriptors: named files, which have further ways to fail.
test_a_simpler_system_is_survived() {
    spilling >in
    export FAULT_NEVER='open_anonymous link_descriptor punch_hole free_space' FAULT_ERRNO=ENOTSUP FAULT_NEEDED=
    sweep_all -o folder/file -S 8M in
}

test_threads_that_cannot_be_made_are_done_without() { # tags: threads
    more_than_memory >in
    bigshuf -S 8M --seed=x in >right
    for at in 1 2; do
        FAULT_CALL=thread FAULT_AT=$at FAULT_STAYS=1 FAULT_ERRNO=EAGAIN \
            bigshuf-faulty -S 8M --seed=x --parallel=4 in | cmp - right
    done
}

# ---- Half-done and interrupted calls are no faults ----

# Shuffle `in` as it is done without: unharmed OPTION...
unharmed() {
    bigshuf --seed=1363 "$@" in >right
    bigshuf-faulty --seed=1363 -o file "$@" in
    cmp file right
    bigshuf-faulty --seed=1363 "$@" <in | cmp - right
}

test_short_transfers_and_interruptions_do_no_harm() { # tags: long
    export FAULT_SHORT=1 FAULT_EINTR=1
    seq 1000 >in
    unharmed
    more_than_memory >in
    unharmed -S 8M --parallel=3
    unharmed -S 2G
    giants >in # piles are started over
    unharmed -S 8M --tune=leaf-records=8 --tune=compress-temporary=always
    { seq 100; long_line 9000000; } >in
    unharmed -S 8M
}

# The input comes, and the output is read, only after the run has waited for it: in poll, or around polls that signals
# interrupt.
test_descriptors_that_do_not_wait_do_no_harm() {
    local run=(perl -MFcntl -e 'fcntl($_, F_SETFL, O_NONBLOCK) or die for (STDIN, STDOUT); exec @ARGV' bigshuf-faulty -S 8M)
    command -v perl >/dev/null || skip "no perl here"
    more_than_memory >in
    export FAULT_AT=1 FAULT_RUN='touch waits' PATIENCE=100
    for calls in 'poll poll' 'read write'; do
        { wait_until test -e waits && cat in; } | FAULT_CALL=${calls% *} "${run[@]}" | same_lines in /dev/stdin
        rm waits
        FAULT_CALL=${calls#* } "${run[@]}" <in | { wait_until test -e waits && cat; } | same_lines in /dev/stdin
        rm waits
        export FAULT_EINTR=1 FAULT_AT=30
    done
}
