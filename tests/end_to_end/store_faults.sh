# Stores of piles, whatever goes wrong: let the first system call of a kind fail, the second, the third, until the run
# gets through without it. A batch is there whole or not at all, a later --scatter removes leftovers, and a gather
# either succeeds with the right output or reports the failure once.
# shellcheck shell=bash disable=SC2154 # status is that of try_faulty

cd "$MEMORY" || exit

# At which calls of a kind to fail.
turns() {
    scale '1 3' '1 8' "$(seq 60)"
}

keys='' # what a test's stores are keyed by

# All batches in the store are whole, each as the file of its name.
whole() {
    local batches=(store/[a-c])
    batches=("${batches[@]#store/}")
    cat "${batches[@]/%/.in}" | same_lines <(bigshuf --gather=store) -
}

# Add the batch c, an hour after what is unfinished was written: then there is nothing that does not belong there.
an_hour_later() {
    [ ! -d store ] || touch -c -t 202001010000 store/.[!.]*
    bigshuf --seed=1 --scatter=store --piles=4 --batch=c ${keys:+"$keys"} c.in 2>later
    same 'store/.[!.]*' "$(echo store/.[!.]*)"
    [ ! -d before ] || [ -e store/a ]
    whole
}

# Add the batch b to a store that has the batch a, if it is there before, while calls fail; then the batch c, which
# sweeps.
scatter_survives() {
    rm -rf store
    [ ! -d before ] || cp -Rp before store
    try_faulty --seed=1 --scatter=store --piles=4 --batch=b ${keys:+"$keys"} -S 8M --parallel="$1" b.in
    if [ "$status" = 0 ]; then
        test -e store/b
    fi
    [ -d store ] || [ ! -d before ]
    an_hour_later # what could not be removed goes
}

# Beside a there is a batch that has left, and a draft that was given up.
make_store() {
    seq 100 >a.in
    long_lines "$1" 9000 15000 >b.in
    seq 200 300 >c.in
    bigshuf --seed=1 --scatter=before --piles="${2:-4}" --batch=a ${keys:+"$keys"} a.in
    cp before/a before/.old-d
    cp before/a before/.draft-d~0123456789abcdef
    touch -t 202001010000 before/.[!.]*
}

test_a_store_and_a_batch_are_there_whole_or_not_at_all_whatever_call_fails() {
    make_store 20
    fail_any_call "$(turns)" scatter_survives 1
    rm -r before
    fail_any_call "$(scale '1 3' 1 "$(seq 60)")" scatter_survives 1
}

# tags: plain
test_a_batch_larger_than_memory_is_there_whole_or_not_at_all() {
    make_store 700
    FAULT_STAYS=1 fail_calls 'allocate map open_at pwritev write thread' "$(scale 3 2 "$(seq 60)")" scatter_survives 3
}

test_a_disk_that_is_full_at_any_moment_leaves_no_part_of_a_batch() {
    local turn
    make_store 800
    for turn in $(turns); do
        FAULT_ERRNO=ENOSPC FAULT_STAYS=1 FAULT_CALL=pwritev FAULT_AT=$turn scatter_survives 3
        FAULT_ERRNO=ENOSPC FAULT_STAYS=1 FAULT_CALL=write FAULT_AT=$turn scatter_survives 1
    done
}

test_short_and_interrupted_calls_lose_nothing_of_a_batch() {
    make_store 200
    FAULT_SHORT=1 FAULT_EINTR=1 scatter_survives 1
    same 0 "$status"
    rm -rf before
    mv store before
    rm before/c
    FAULT_SHORT=1 FAULT_EINTR=1 try_faulty --seed=1 --gather=before -S 8M >out
    same 0 "$status"
    same_lines out <(cat a.in b.in)
}

# Kill runs at each of the given turns, until a run ends before its turn: killed_at_any_call [OPTION].
killed_at_any_call() {
    local turn status=137
    make_store 20
    for turn in $(scale '8 40 300 5000' "$(seq 5 20 2000)" "$(seq 2000)"); do
        [ "$status" = 137 ] || break
        rm -rf store
        cp -Rp before store
        status=0
        # shellcheck disable=SC2016 # of the shell that is run
        FAULT_RUN='kill -KILL $PPID' FAULT_AT=$turn bigshuf-faulty --seed=1 --scatter=store --batch=b "$@" b.in 2>said ||
            status=$?
        echo "turn $turn: status $status: $(<said)"
        whole
        bigshuf --seed=1 --scatter=store --batch=b b.in 2>said
        [ -e store/b ]
        whole
        touch -c -t 202001010000 store/.[!.]*
        bigshuf --scatter=store --sweep >said
        same 'store/.[!.]*' "$(echo store/.[!.]*)"
    done
}

test_a_task_that_is_killed_at_any_call_loses_nothing_and_can_run_again_also_while_old_batches_go() {
    killed_at_any_call
    [ -e store/a ]
    rm -r before
    killed_at_any_call --newest=1
    [ ! -e store/a ]
}

# Into a file that is there, and stays unless the gather succeeds.
gather_survives() {
    echo old >file
    mkdir -p temporary
    try_faulty --seed=1 --gather=before -S 8M -T temporary --parallel="$1" -o file
    if [ "$status" = 0 ]; then
        cmp file right
    else
        same old "$(<file)"
    fi
    same '' "$(ls -A temporary)"
}

test_a_gather_survives_any_fault() {
    make_store 20
    bigshuf --seed=1 --scatter=before --batch=b b.in
    bigshuf --seed=1 --gather=before >right
    fail_any_call "$(turns)" gather_survives 1
}

# One of two piles is larger than the memory.
test_stores_with_keys_survive_any_fault() {
    keys=--unique
    make_store 20
    fail_any_call "$(scale '1 3' '1 4' "$(seq 60)")" scatter_survives 1
    bigshuf --seed=1 --scatter=before --batch=b $keys b.in
    bigshuf --seed=1 --gather=before >right
    fail_any_call "$(scale '1 3' '1 4' "$(seq 60)")" gather_survives 1
    rm -r before
    make_store 700 2
    bigshuf --seed=1 --scatter=before --batch=b $keys b.in
    bigshuf --seed=1 --gather=before >right
    fail_calls 'allocate map preadv pwritev open_anonymous thread' "$(turns)" gather_survives 3
}

# tags: plain
test_a_gather_that_starts_over_survives_any_fault() {
    make_store 800 2
    bigshuf --seed=1 --scatter=before --batch=b b.in
    bigshuf --seed=1 --gather=before >right
    fail_calls 'allocate map preadv pwritev open_anonymous thread' "$(turns)" gather_survives 3
}

test_damage_at_any_moment_is_found_and_named() {
    local turn
    make_store 300
    bigshuf --seed=1 --scatter=before --batch=b b.in
    bigshuf --seed=1 --gather=before >right
    for turn in $(turns); do
        FAULT_DAMAGE=1 FAULT_CALL=preadv FAULT_AT=$turn gather_survives 1
        if [ -e failed ]; then
            same 1 "$status"
            grep -E '^bigshuf: before/[ab]: ' said
        fi
    done
}
