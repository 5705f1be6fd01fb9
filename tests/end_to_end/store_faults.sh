# Stores of piles, whatever goes wrong: let the first system call of a kind fail, the second, the third, until the run
# gets through without it. A batch is there whole or not at all, a later --scatter removes leftovers, and a gather
# either succeeds with the right output or reports the failure once.

cd "$MEMORY" || exit
mkdir -p folder/temporary
scatter='--parallel=1 --seed=1 --scatter=folder/store --piles=4'
gather='--parallel=1 --seed=1 --gather=folder/store'

# At which calls of a kind to fail.
store_turns() {
    set -- {1..60}
    scale '1 3' '1 8' "$*"
}

# Files of three batches, LINES long lines in the second, and a store with the first. Beside it there is a batch that has
# left, and a draft that was given up. make_store LINES [OPTION]...
make_store() {
    seq 100 >a.in
    long_lines "$1" 9000 15000 >b.in
    seq 200 300 >c.in
    bigshuf $scatter "${@:2}" --batch=a a.in
    cp folder/store/a folder/store/.old-d
    cp folder/store/a folder/store/.draft-d~0123456789abcdef
    touch -t 202001010000 folder/store/.[!.]*
}

# Add the batch b, and make all of both what an old file becomes.
make_all() {
    bigshuf $scatter --batch=b b.in
    echo old >folder/all
}

# Let calls fail while the batch b is added, which is there whole or not at all when c has been added, and nothing that
# does not belong there: add_faulty fail_any_call 'TURN...', or add_faulty fail_calls 'CALL...' 'TURN...'. Where in its file
# each pile stands depends on the threads.
add_faulty() {
    FAULT_NAMED='*/store/b' FAULT_LATER="$scatter --batch=c c.in ; $gather -o folder/all" "$@" $scatter --batch=b -S 8M b.in
}

test_a_store_and_a_batch_are_there_whole_or_not_at_all_whatever_call_fails() {
    make_store 20
    add_faulty fail_any_call "$(store_turns)"
    rm -r folder/store
    add_faulty fail_any_call "$(scale '1 3' 1 '1 2 3 4 5 9 14 30')"
}

test_a_batch_larger_than_memory_is_there_whole_or_not_at_all() { # tags: plain
    local scatter=${scatter/=1/=3}
    make_store 700
    FAULT_STAYS=1 add_faulty fail_calls 'allocate map open_at pwritev thread' "$(scale 3 2 '1 2 3 4 5 9 14 30')"
}

test_a_disk_that_is_full_at_any_moment_leaves_no_part_of_a_batch() {
    local scatter=${scatter/=1/=3}
    make_store 800
    FAULT_ERRNO=ENOSPC FAULT_STAYS=1 add_faulty fail_calls pwritev "$(store_turns)"
}

test_short_and_interrupted_calls_lose_nothing_of_a_batch() {
    make_store 200
    export FAULT_SHORT=1 FAULT_EINTR=1
    bigshuf-faulty $scatter -S 8M --batch=b b.in
    bigshuf-faulty $gather -S 8M >out
    same_lines out <(cat a.in b.in)
}

# What is there after a kill can be read, and a task that runs again adds what is missing.
test_a_task_that_is_killed_at_any_call_loses_nothing_and_can_run_again_also_while_old_batches_go() {
    export FAULT_KILLS=KILL
    make_store 20
    FAULT_LATER="$gather -o folder/all ; $scatter --batch=b b.in ; $gather -o folder/again" \
        fail_any_call "$(store_turns)" $scatter --batch=b b.in
    same 'a b format' "$(names .with/store | sed 's/\.[^ ]* //g')"
    FAULT_LATER="$gather -o /dev/null ; $scatter --batch=b --keep-newest=1 b.in ; $gather -o folder/all" \
        fail_any_call "$(store_turns)" $scatter --batch=b --keep-newest=1 b.in
    same 'b format' "$(names .with/store)"
}

# The batch is in its store: whatever comes then, the run has succeeded. Long lines are written by several threads.
test_a_task_that_is_told_to_end_at_any_call_leaves_nothing_or_the_batch() {
    local scatter=${scatter/=1/=4}
    export FAULT_KILLS=TERM FAULT_NAMED='*/store/b'
    make_store 1500
    fail_calls open_at 1 $scatter --batch=c c.in 2>log
    rm folder/store/.[!.]*
    fail_calls pwritev '1 20 60' $scatter -S 8M --batch=b b.in 2>>log
    grep -c ': status 143: ' log | grep -x 4
    fail_any_call "$(store_turns)" $scatter --batch=b c.in 2>log
    for call in link_at unlink_at; do grep "^$call, turn 1: status 0: " log; done
}

test_a_gather_survives_any_fault() {
    make_store 20
    make_all
    fail_any_call "$(store_turns)" $gather -S 8M -T folder/temporary -o folder/all
}

# Piles are larger than the memory in the end.
test_stores_with_keys_survive_any_fault() {
    scatter+=' --unique'
    make_store 20
    add_faulty fail_any_call "$(scale '1 3' '1 4' '1 2 3 4 5 9 14 30')"
    make_all
    fail_any_call "$(scale '1 3' '1 4' '1 2 3 4 5 9 14 30')" $gather -S 8M -T folder/temporary -o folder/all
    rm -r folder/store
    scatter=${scatter/=4/=2} gather=${gather/=1/=3}
    make_store 1500
    make_all
    fail_calls 'allocate map preadv pwritev open_anonymous thread' "$(store_turns)" $gather -S 8M -T folder/temporary -o folder/all
}

test_a_gather_that_starts_over_survives_any_fault() { # tags: plain
    scatter=${scatter/=4/=2} gather=${gather/=1/=3}
    make_store 1500
    make_all
    fail_calls 'allocate map preadv pwritev open_anonymous thread' "$(store_turns)" $gather -S 8M -T folder/temporary -o folder/all
}

test_damage_at_any_moment_is_found_and_named() {
    make_store 300
    make_all
    FAULT_DAMAGE=1 FAULT_NEEDED=preadv FAULT_SAYS='bigshuf: folder/store/[ab]: *' fail_calls preadv "$(store_turns)" \
        $gather -S 8M -T folder/temporary -o folder/all
}
