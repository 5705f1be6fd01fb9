# Many tasks write to a store of piles, are killed, come again, and let old batches go: a batch is there as a whole or not
# at all, and a task that comes again adds nothing.

. "$TOP/tests/support/stores.sh"

# ---- Many writers ----

# The batch NAME of `store` is whole: is_whole NAME FILE.
is_whole() {
    batch store/"$1" all | same_lines /dev/stdin "$2"
}

# There are so many drafts of the batch: has_drafts NUMBER [NAME].
has_drafts() {
    [ "$1" = "$(find store -name ".draft-${2-x}~*" | wc -l)" ]
}

# As if an hour had passed since unfinished things in the store were written.
an_hour_passes() {
    touch -c -h -t 202001010000 store/.[!.]*
}

# All of them have begun before one of them ends, and others sweep meanwhile.
test_any_number_may_be_at_work_on_one_batch() {
    seq 10000 >in
    for writer in 1 2 3 4 5 6 7 8; do
        { wait_until test -e go && cat in; } | add x --piles=4 2>said$writer &
        pids[writer]=$!
    done
    wait_until test -e store/format
    wait_until has_drafts 8
    bigshuf --sweep=store >swept
    same 8 "$(grep -c '^kept .draft-x~.* (being made)$' swept)"
    : >go
    for writer in 1 2 3 4 5 6 7 8; do
        wait "${pids[writer]}"
    done
    same 7 "$(cat said* | grep -c '^bigshuf: batch x is in store already: nothing was added$')"
    same 7 "$(cat said* | wc -l | tr -d ' ')"
    batches x
    is_whole x in
}

# Is somebody at work on the batch NAME, or was: is_begun NAME.
is_begun() {
    ls store/.draft-"$1"~* >/dev/null 2>&1
}

# Start to scatter batch NAME, which waits for input on descriptor 7: start_waiting NAME. Its number is $!.
start_waiting() {
    mkfifo "pipe-$1"
    start bigshuf --scatter=store --seed=42 --batch="$1" --piles=4 "pipe-$1" 2>said
    exec 7>"pipe-$1"
    seq 10000 >&7
    wait_until is_begun "$1"
}

# Start to scatter batch x, and be killed.
killed_at_x() {
    start_waiting x
    kill -KILL $!
    fails_with 137 '*' wait $!
    exec 7>&-
}

test_a_batch_in_work_is_not_there_and_not_swept() {
    seq 10 | add a --piles=4
    start_waiting x
    an_hour_passes
    seq 10 | add y
    bigshuf --sweep=store >swept
    grep '^kept .draft-x~[0-9a-f]* (being made)$' swept
    gather | same_lines /dev/stdin <(seq 10 && seq 10)
    exec 7>&-
    wait $!
    batches a x y
    is_whole x <(seq 10000)
}

test_a_writer_whose_draft_somebody_removed_says_so() {
    start_waiting x
    rm store/.draft-x~*
    exec 7>&-
    fails_with 1 '' wait $!
    grep '^bigshuf: store/.draft-x~[0-9a-f]*: somebody has removed it$' said
    batches
}

test_what_a_killed_writer_left_is_removed_by_the_next_one_on_its_machine() {
    killed_at_x
    seq 10 | add y
    same 'format y' "$(store_names)"
}

test_what_a_writer_that_was_killed_elsewhere_left_is_removed_by_another_after_an_hour_or_by_sweep() {
    seq 1000 >in
    add other --piles=4 in
    killed_at_x
    mv store/.draft-x~* store/.draft-x~0123456789abcdef
    add x in # beside what was left
    same '.draft-x~N format other x' "$(store_names)"
    gather | same_lines /dev/stdin <(cat in in)
    bigshuf --sweep=store >swept
    grep '^kept .draft-x~[0-9a-f]* (written less than an hour ago; if its task is dead, remove it by hand)$' swept
    an_hour_passes
    cp -a store copy
    seq 10 | add z
    batches other x z
    rm -r store
    mv copy store
    bigshuf --sweep=store >>swept
    grep '^removed .draft-x~[0-9a-f]* ([0-9a-zA-Z. ]*)$' swept
    same 2 "$(wc -l <swept | tr -d ' ')"
    batches other x
    same '' "$(bigshuf --sweep=store)"
}

test_batches_are_taken_out_by_hand() {
    seq 10 | add x
    seq 10 | add y
    seq 10 | add z
    rm store/x
    mv store/y store/.old-y
    bigshuf --sweep=store >swept
    grep '^removed .old-y (' swept
    batches z
}

# ---- Signals ----

# Whatever ends it, but SIGKILL: also if it has made the store, and if others have given that another name meanwhile.
test_a_writer_that_a_signal_ends_leaves_nothing() { # tags: long
    local signal folder=store
    # A sanitizer has caught these before the program, which leaves it so.
    for signal in HUP INT ABRT $([ -n "$SANITIZE" ] || echo BUS SEGV) SYS TRAP TERM RTMIN; do
        start_waiting x
        [ $signal != HUP ] || { mv store moved && folder=moved; }
        kill -$signal $!
        fails_with $((128 + $(kill -l $signal))) '*' wait $!
        exec 7>&-
        same format "$(ls -A $folder)"
        rm -r pipe-x $folder
        folder=store
    done
}

test_a_signal_when_old_batches_go_comes_too_late() {
    seq 10 >in
    add x --piles=4 in
    FAULT_CALL=rename_at FAULT_AT=1 FAULT_KILLS=TERM bigshuf-faulty --scatter=store --batch=y --keep-newest=1 in
    [ -e store/y ]
}

test_what_is_wrong_with_old_batches_is_a_warning_when_a_batch_was_added() {
    seq 10 >in
    add 1 --piles=4 in
    add 2 in
    for error in EPERM EROFS; do
        FAULT_CALL=rename_at FAULT_AT=1 FAULT_ERRNO=$error fails_with 0 'bigshuf: warning: store/2: cannot be removed: *' \
            bigshuf-faulty --scatter=store --batch=3$error --keep-newest=1 in
        batches 2 3$error
        rm store/3$error
        add 1 in
    done
    FAULT_CALL=list_next FAULT_AT=$(rm -rf copy called; cp -r store copy; FAULT_CALL=list_next FAULT_LOG=called bigshuf-faulty --scatter=copy --batch=4 --keep-newest=1 in; wc -l <called) \
        fails_with 0 'bigshuf: warning: store: Input/output error' bigshuf-faulty --scatter=store --batch=4 --keep-newest=1 in
    batches 1 2 4
}

test_a_full_disk_leaves_no_part_of_a_batch() {
    needs_small_disk
    long_lines 300 9000 10000 >in
    cat >on_disk <<'END'
    seq 10 | bigshuf --scatter=disk/store --batch=x --piles=4
    bigshuf --scatter=disk/store --batch=y in 2>said && exit 1
    grep -q '^bigshuf: disk/store: No space left on device: [0-9.]* MiB are needed, [0-9.]* KiB are free$' said || exit 5
    cat in | bigshuf --scatter=disk/store --batch=y 2>said && exit 1
    grep -q '^bigshuf: disk/store/.*: No space left on device$' said || exit 2
    bigshuf --gather=disk/store | sort -n | cmp - numbers || exit 3
    [ "$(ls -A disk/store | paste -s -d ' ' -)" = 'format x' ] || exit 4
    head -c 2000000 /dev/zero 2>said >disk/full && exit 5
    seq 10 | bigshuf --scatter=disk/new 2>said && exit 1
    grep -q '^bigshuf: disk/new/.*: No space left on device$' said || exit 6
    [ ! -e disk/new ] || exit 7
END
    seq 10 >numbers
    on_small_disk 1 sh on_disk
}

# ---- The same again ----

test_the_same_task_again_adds_nothing() {
    seq 1000 >a
    seq 2000 >b
    add x --piles=4 a b
    nothing_added x --piles=4 a b
    nothing_added x -S 8M --parallel=1 a b
    add y <a
    nothing_added y < <(cat a)
    refused 'bigshuf: *y: *' y < <(sed s/777/778/ a)
    refused 'bigshuf: *y: *' y < <(sed 1d a)
}

test_another_task_of_the_same_name_is_refused() {
    seq 1000 >a
    seq 2000 >b
    add x --piles=4 a b
    refused "bigshuf: store/x: a batch of this name is there already, made of other inputs*" x a
    refused 'bigshuf: *x: *' x b a
    refused 'bigshuf: *x: *' x a b b
    STORE_SEED=43 refused 'bigshuf: *x: *' x a b
    refused 'bigshuf: *x: *' x ./a b
    echo more >>a
    refused 'bigshuf: *x: *' x a b
}

test_the_same_inputs_read_in_another_way_are_refused() {
    seq 1000 | tee a | gzip >a.gz
    add x --piles=4 < <(cat a.gz) 2>said # with a warning, which is heeded now
    refused 'bigshuf: store/x: a batch of this name is there already, made without -Z*' x -Z < <(cat a.gz)
    add y -Z < <(cat a.gz)
    fails_with 1 '*bigshuf: store/y: a batch of this name is there already, made with -Z*' add y < <(cat a.gz)
    nothing_added y -Z < <(cat a.gz)
    add w a
    nothing_added w -Z a # the same records
    gather >out
}

test_the_records_that_are_expected_are_counted_in_a_batch_that_is_there() {
    seq 1000 >a
    add x --piles=4 a
    nothing_added x --expect-records=1000 a
    fails_with 1 $'*nothing was added\nbigshuf: a: the number of records is 1000, not 77 as --expect-records says' \
        add x --expect-records=77 a
}

test_batches_without_a_name_are_all_added_and_sort_by_age() {
    for i in 1 2 3 4 5 6; do
        echo $i | bigshuf --scatter=store --piles=2
    done
    same '1 2 3 4 5 6' "$(piles all | paste -s -d ' ' -)"
    same 6 "$(printf '%s\n' store/20[0-9]*T[0-9]*Z-* | grep -c .)"
}

# ---- The moving window ----

test_the_batch_just_added_stays_whatever_its_name() {
    for i in 1 2 3 0; do
        echo $i | add $i --piles=2 --keep-newest=2
    done
    batches 0 2 3
    echo 4 | add 4 --keep-newest=2
    batches 3 4
    echo 5 | add 5 --keep-newest=18446744073709551615
    batches 3 4 5
    same 'bigshuf: warning: store: the batch 6 is empty, so --keep-newest removes no other' \
        "$(: | add 6 --keep-newest=1 2>&1)"
    batches 3 4 5 6
}

# A reader gets the batches that were there when it began, and then these are removed.
test_a_reader_keeps_what_it_reads() {
    more_than_memory >in
    add 1 --piles=16 in
    gather >wanted
    mkfifo pipe
    exec 7<>pipe # so that neither end waits for the other
    start bigshuf --gather=store --seed=42 -S 8M >pipe
    exec 8<pipe 7>&-
    head -c 1000 <&8 >out
    seq 10 | add 2 --keep-newest=1
    seq 10 | add 3 --keep-newest=1
    same '.old-1~N 3 format' "$(store_names)"
    bigshuf --sweep=store | grep '^kept .old-1~[0-9a-f]* (being read)$'
    cat <&8 >>out
    wait $!
    cmp out wanted
    seq 10 | add 4 --keep-newest=1
    batches 4
}
