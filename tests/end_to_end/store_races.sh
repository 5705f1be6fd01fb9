# Stores of piles at the wrong moment: others change a store between two calls of a task, or the file system lacks
# something. A batch is never there in part, and nothing is removed that somebody writes, reads or has not made.
# shellcheck disable=SC2010 # names that tests have chosen; commands for another shell; functions of cases

. "$TOP/tests/support/stores.sh"

cd "$MEMORY" || exit

draft=.draft-d~0123456789abcdef
young='written less than an hour ago; if its task is dead, remove it by hand'

# Batches x of `in` and y of `other`, with 4 piles.
make_pair() {
    seq 100 >in
    seq 101 300 >other
    rm -rf store
    add x --piles=4 in
    add y other
}

# Before the call number TURN of these names, the shell runs COMMAND: meets 'CALL...' TURN COMMAND OPTION...
meets() {
    FAULT_CALL=$1 FAULT_AT=$2 FAULT_RUN="unset FAULT_CALL FAULT_AT FAULT_RUN; $3" bigshuf-faulty "${@:4}"
}

# Calls of these names fail: lacks 'CALL...' ERROR OPTION...
lacks() {
    FAULT_CALL=$1 FAULT_AT=1 FAULT_STAYS=1 FAULT_ERRNO=$2 bigshuf-faulty "${@:3}"
}

# Print which calls of these names are made: calls 'CALL...' OPTION...
calls() {
    rm -f called
    FAULT_CALL=$1 FAULT_LOG=called bigshuf-faulty --parallel=1 "${@:2}" || true
    cat called
}

all_gathered() {
    bigshuf --gather=store | sort -n | md5
}

# Make a draft that was abandoned long ago, or anything with such a name: abandoned [NAME].
abandoned() {
    cp store/x "store/${1-$draft}"
    touch -t 202001010000 "store/${1-$draft}"
}

sweep_store() {
    bigshuf --sweep=store
}

# ---- Reading ----

test_a_batch_that_leaves_while_it_is_opened_is_there_or_gone() {
    make_pair
    both=$(cat in other | md5)
    cases <<END
        meets open_at 2 'mv store/x store/.old-x' --gather=store | sort -n | md5 => $(md5 other)
        mv store/.old-x store/x =>
        meets lock 1 'rm store/x' --gather=store | sort -n | md5 => $(md5 other)
        add x in =>
        meets lock 1 'mv store/x store/z' --gather=store | sort -n | md5 => $both
        mv store/z store/x; all_gathered => $both
        meets lock 1 'mv store/x store/z; echo >store/z' --gather=store =! store/z: no batch, or cut short: *
END
}

test_a_batch_that_somebody_removes_is_not_to_be_had() {
    make_pair
    local tries='mv store/.old-y~* store/y; bigshuf --gather=store 2>said >out; mv store/y store/.old-y'
    meets unlink_at 2 "$tries" --scatter=store --batch=z --seed=42 --keep-newest=1 in || true
    same 'bigshuf: store/y: another process has locked it: try again when that has ended' "$(<said)"
}

# Change pile 1 of x, or what is said of it, when the run has checked everything.
test_what_changes_after_it_was_looked_at_is_named() {
    local said='pile 1: contents have changed since they were written'
    make_pair
    cp -R store sound
    restore() { rm -rf store && cp -R sound store; }
    cases <<END
        meets preadv 5 'truncate -s 4100 store/x' --gather=store --only-piles=1-1 =! store/x: $said
        restore; meets preadv 5 'forge store/x 1 0 0' --gather=store --only-piles=1-1 =! store/y: $said
        restore; meets preadv 5 'forge store/x 1 1 18446744073709551615' --gather=store --only-piles=1-1 =! store/x: $said
        restore; meets preadv 5 'rm store/x' --gather=store --seed=42 --only-piles=1-1 | cmp - <(bigshuf --gather=sound --seed=42 --only-piles=1-1) =>
        restore; FAULT_CALL=preadv FAULT_AT=6 FAULT_END=1 bigshuf-faulty --gather=store --only-piles=1-1 =! store/x: $said
END
}

test_what_is_no_batch_of_this_store_is_named() {
    make_pair
    bigshuf --scatter=wide --piles=8 --batch=w in
    cases <<'END'
        ln -s x store/z; bigshuf --gather=store =! store/z: not a regular file
        rm store/z; cp wide/w store/w; bigshuf --gather=store =! store/w: there are 8 piles in it, but 4 in the store
        rm store/w; sed 's/^records .*/records of start ">"/' store/format >f; forge f; cp f store/format; bigshuf --gather=store =! store: pile ? does not hold the records that its batches say
        lacks list_next EIO --gather=store =! store: Input/output error
        meets read 1 'echo more >>store/format' --gather=store =! store/format: changes while it is read
        meets read 1 ': >store/format' --gather=store =! store/format: changes while it is read
END
}

test_a_header_that_no_batch_has_is_none() {
    make_pair
    echo 'x,y' >store/header # its task was killed
    same "$(cat in other | md5)" "$(all_gathered)"
}

# ---- Making a store ----

test_who_comes_at_the_same_time_agrees_or_fails() {
    (echo id; seq 100) >in
    sed 's/id/ID/' in >IN
    cases <<'END'
        meets link_at 1 'bigshuf --scatter=store --header --batch=y in' --scatter=store --header --batch=x in =>
        meets link_at 1 'bigshuf --scatter=s --piles=8 --batch=y in' --scatter=s --piles=4 --batch=x in =! s/format: the store has 8 piles, not 4 piles
        meets link_at 2 'bigshuf --scatter=t --header --batch=y in' --scatter=t --header --batch=x in =>
        meets link_at 2 'bigshuf --scatter=u --header --batch=y IN' --scatter=u --header --batch=x in =! u/header: the header of these inputs is another one
        meets mkdir_at 1 'mkdir v' --scatter=v --batch=x in =>
        meets list_open 1 'bigshuf --scatter=w --batch=y in' --scatter=w --batch=x in =>
        ls -A store s t u v w | grep . => s: format y store: format header x y t: format header x y u: format header y v: format x w: format x y
END
}

test_a_directory_that_did_not_become_a_store_is_as_it_was() {
    seq 10 >in
    mkdir d e
    : >d/.hidden
    : >d/corpus.txt
    : >d/x
    cases <<'END'
        bigshuf --scatter=d in =! d: not a store of piles, and not empty, since it holds 'corpus.txt'; name a new folder
        lacks link_at EIO --scatter=e in =! e/format: Input/output error
        lacks link_at EIO --scatter=f in =! f/format: Input/output error
        lacks link_at ENOTSUP --scatter=f in =! f/format: cannot be made in one step: the file system has no hard links
        lacks link_at EPERM --scatter=f in =! f/format: cannot be made in one step: the file system has no hard links
        lacks sync EIO --scatter=f in =! f/.draft-format~????????????????: Input/output error
        meets link_at 1 'rm f/.draft-format*' --scatter=f in =! f/.draft-format~????????????????: somebody has removed it
        ls -A d e | grep . => d: .hidden corpus.txt x e:
        [ ! -e f ] =>
END
}

test_what_a_first_run_has_made_that_failed_can_be_removed() {
    seq 10 >in
    bigshuf --scatter=s --piles=4 /dev/null
    mv s/2* .
    fails_with 1 'bigshuf: s/format: the store has 4 piles, not 8 piles: it has no batches, so remove it, unless others are about to write some' \
        bigshuf --scatter=s/ --piles=8 in
}

test_headers_may_be_as_small_and_as_large_as_those_of_inputs() {
    { echo; seq 10; } | bigshuf --scatter=small --header
    echo | cmp - small/header
    { head -c 1048575 /dev/zero | tr '\0' a; echo; seq 10; } >in
    cases <<'END'
        bigshuf --scatter=store --header --batch=x in =>
        bigshuf --scatter=store --header --batch=y in =>
        bigshuf --scatter=store --header --batch=z /dev/null =>
        bigshuf --gather=store | wc -c | tr -d ' ' => 1048618
        truncate -s 1048832 store/header; bigshuf --gather=store =! store/header: larger than 1048831 bytes
END
}

test_a_batch_without_a_name_is_called_by_time_host_and_process() {
    seq 10 >in
    bigshuf --scatter=store in
    ls store | grep -E -x '20[0-9]{6}T[0-9]{6}\.[0-9]{6}Z-[-._A-Za-z0-9]+-[0-9]+-[0-9a-f]{8}'
    lacks host_name EIO --scatter=s in
    ls s | grep -x '.*Z-unknown-[0-9]*-[0-9a-f]*'
}

# ---- On disk ----

# All of a batch is on disk before its name, and then its name is; and that of a store before its format.
test_the_order_in_which_things_come_to_disk() {
    (echo id; seq 100) >in
    local order='sync link_at rename_at unlink_at'
    cases <<END
        calls '$order' --scatter=store --batch=x --piles=2 --header in => sync sync link_at unlink_at sync sync link_at unlink_at sync sync link_at unlink_at sync
        calls '$order' --scatter=store --seed=42 --batch=y --header in => sync link_at unlink_at sync
        calls '$order' --scatter=store --seed=42 --batch=y --header in => bigshuf: batch y is in store already: nothing was added sync
        calls '$order' --scatter=store --batch=z --header --keep-newest=2 in => sync link_at unlink_at sync rename_at unlink_at
        FAULT_CALL=sync FAULT_AT=2 FAULT_ERRNO=EINVAL bigshuf-faulty --scatter=store --batch=w --piles=2 --header in =>
END
}

# ---- Making a batch ----

test_a_name_that_is_taken_at_the_last_moment_is_a_failure() {
    make_pair
    cases <<'END'
        meets link_at 1 'echo precious >store/z' --scatter=store --batch=z in =! store/z: no batch, or cut short: *
        cat store/z; rm store/z => precious
        cat in | meets link_at 1 'bigshuf --scatter=store --seed=42 --batch=z <other' --scatter=store --seed=42 --batch=z =! store/z: a batch of this name is there already, made of other data*
        cat other | meets link_at 1 'mv store/z store/.old-z; bigshuf --scatter=store --seed=42 --batch=z <other' --scatter=store --seed=42 --batch=z => bigshuf: batch z is in store already: nothing was added
        store_names => format x y z
        meets link_at 1 'rm store/.draft-w*' --scatter=store --batch=w in =! store/.draft-w~????????????????: somebody has removed it
        store_names => format x y z
END
}

# The batch of its name leaves when it was found in the way: then there is room after all.
test_a_name_that_becomes_free_is_taken() {
    local turn
    make_pair
    rm store/x
    add x <in
    turn=$(calls 'link_at open_at' --scatter=store --seed=42 --batch=x <other 2>said | sed -n '/link_at/{=;q}')
    meets 'link_at open_at' $((turn + 1)) 'mv store/x .' --scatter=store --seed=42 --batch=x <other
    batch store/x all | same_lines other /dev/stdin
}

# A network file system may say that there is a file of its name already, when it had to repeat its request.
test_a_link_that_is_made_twice_is_a_success() {
    make_pair
    cases <<'END'
        meets link_at 1 'ln store/.draft-z* store/z' --scatter=store --batch=z in =>
        store_names; batch store/z all | sort -n | md5 | cmp - <(md5 in) => format x y z
END
}

# At any moment. Then as after an hour, and where there are no locks: so it may be taken for dead.
test_a_sweep_at_any_moment_takes_no_part_of_a_batch() { # tags: long
    local turn sweeps
    make_pair
    for sweeps in 'bigshuf --sweep=store >>swept' \
        "touch -c -t 202001010000 store/.[!.]*; FAULT_CALL=lock FAULT_AT=1 FAULT_STAYS=1 \
            FAULT_ERRNO=ENOTSUP bigshuf-faulty --sweep=store >>swept"; do
        for turn in $(scale "$(echo {14..90..6})" "$(echo {14..90..6})" "$(echo {1..200})"); do
            status=0
            meets 'sync open_at close lock fstat stat_at pwritev write link_at unlink_at' "$turn" "$sweeps" \
                --scatter=store --seed=42 --batch=z other 2>said || status=$?
            if [ $status = 0 ]; then
                batch store/z all | same_lines other /dev/stdin
            else
                grep -q 'store/.draft-z~.*: somebody has removed it' said
                [ ! -e store/z ]
                case $sweeps in bigshuf*) false ;; esac
            fi
            rm -f store/z
            same 'format x y' "$(store_names)"
        done
    done
    grep -q '^removed .draft-z' swept
    grep -q '^kept .draft-z~[0-9a-f]* (being made)' swept
}

# When a run fails, its other threads make no more piles of the draft.
test_a_draft_that_fails_goes_while_others_write_it() {
    needs gzip
    make_pair
    gzip -c in | head -c -4 >short.gz
    fails_with 1 '*bigshuf: short.gz: *' bigshuf --parallel=4 --scatter=store -Z --batch=z short.gz
    same 'format x y' "$(store_names)"
}

# ---- Sweeping ----

test_a_draft_is_dead_after_an_hour() {
    make_pair
    abandoned
    touch -d '-59 minutes' store/$draft
    add x in 2>said
    same "kept $draft ($young)" "$(sweep_store)"
    touch -d '-61 minutes' store/$draft
    add x in 2>said
    same 'format x y' "$(store_names)"
}

# Its maker died when it had both names; a reader has it open.
test_a_draft_that_became_a_batch_loses_only_its_first_name() {
    make_pair
    ln store/x "store/${draft/-d/-x}"
    exec 9<store/x
    flock -s 9
    same 'removed' "$(sweep_store | cut -d ' ' -f 1)"
    exec 9<&-
    all_gathered >sums
    ln store/x store/$draft
    touch -t 202001010000 store/x
    sweep_store | grep '^removed'
    all_gathered | cmp - sums
}

test_what_is_young_or_of_others_stays() {
    [ "$(id -u)" = 0 ] || skip "needs to give files to others"
    make_pair
    : >store/.draft-header~0123456789abcdef
    abandoned
    chown 12345 store/.draft-*
    cases <<'END'
        add x in => bigshuf: batch x is in store already: nothing was added
        store_names => .draft-d~N .draft-header~N format x y
        sweep_store | sed 's/([0-9].*)/(size)/' => removed .draft-d~0123456789abcdef (size) kept .draft-header~0123456789abcdef (written less than an hour ago; if its task is dead, remove it by hand)
        touch -t 202001010000 store/.draft-header*; add x in => bigshuf: batch x is in store already: nothing was added
        sweep_store => removed .draft-header~0123456789abcdef (0 bytes)
END
}

test_what_is_not_the_stores_stays_however_old_it_is() {
    local number=~0123456789abcdef name
    make_pair
    for name in .draft-a .draft-a$number.other .draft-a$'\033'$number .draft-.a$number .draft-a${number}0 \
        .old-format .old-a~1 .old-a$number.other .other .draft-format~host-1-2.3; do
        abandoned "$name"
    done
    mkdir elsewhere store/.old-y
    cp -R store/x elsewhere
    ln -s ../elsewhere/x store/$draft
    ln -s ../elsewhere/x store/.old-x
    mkfifo store/.draft-header$number
    ls -AR store elsewhere >before
    same '' "$(add x in 2>&1 | grep -v 'nothing was added')"
    same '' "$(sweep_store)"
    ls -AR store elsewhere | cmp - before
}

test_a_sweep_that_fails_warns_and_goes_on() {
    make_pair
    abandoned
    abandoned .old-z
    cases <<END
        lacks touch EROFS --scatter=store --batch=w --seed=42 in => bigshuf: warning: store/$draft: cannot be removed: Read-only file system
        abandoned .old-z; lacks unlink_at EIO --scatter=store --batch=t --seed=42 in 2>&1 | grep -c 'bigshuf: warning: store/.*: cannot be removed: Input/output error' => 3
        store_names => .draft-d~N .draft-t~N .old-z format t w x y
        add v in =>
        store_names => format t v w x y
        abandoned; meets unlink_at 1 'rm store/$draft' --scatter=store --batch=u in =>
        abandoned; sweep_store >/dev/full =! write error: No space left on device
        store_names => format t u v w x y
END
}

test_where_there_are_no_locks_only_the_user_sweeps() {
    local warning='bigshuf: warning: store: files cannot be locked there: what is abandoned stays until --sweep'
    make_pair
    abandoned
    abandoned .old-z
    cases <<END
        lacks lock ENOTSUP --scatter=store --batch=z --seed=42 --keep-newest=2 in => $warning
        store_names => .draft-d~N .old-x~N .old-z format y z
        lacks lock ENOTSUP --gather=store | wc -l => 300
        lacks lock EIO --gather=store =! store/y: Input/output error
        lacks lock ENOTSUP --scatter=store --batch=z --seed=42 in => $warning bigshuf: batch z is in store already: nothing was added
        lacks lock ENOTSUP --sweep=store | sed 's/ (.*//; s/~.*/~N/' => removed .draft-d~N removed .old-x~N removed .old-z
        : >store/$draft; lacks lock ENOTSUP --sweep=store => kept $draft ($young)
END
}
