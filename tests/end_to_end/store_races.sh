# Stores of piles at the wrong moment: others change a store between two calls of a task, or the file system lacks
# something. A batch is never there in part, and nothing is removed that somebody writes, reads or has not made.
# shellcheck disable=SC2010 # names that tests have chosen; commands for another shell; functions of cases

. "$TOP/tests/support/stores.sh"

cd "$MEMORY" || exit

draft=.new-d~0123456789abcdef
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
    rm -rf "store/${1-$draft}"
    cp -R store/x "store/${1-$draft}"
    find "store/${1-$draft}" -exec touch -t 202001010000 {} +
}

sweep_store() {
    bigshuf --scatter=store --sweep
}

# ---- Reading ----

test_a_batch_that_leaves_while_it_is_opened_is_there_or_gone() {
    make_pair
    both=$(cat in other | md5)
    cases <<END
        meets lock 1 'mv store/x store/.old-x' --gather=store | sort -n | md5 => $(md5 other)
        mv store/.old-x store/x =>
        meets lock 2 'mv store/x store/.old-x; rm store/.old-x/manifest' --gather=store | sort -n | md5 => $(md5 other)
        rm -r store/.old-x =>
        add x in =>
        meets 'open_at lock' 2 'rm store/x/manifest' --gather=store =! store/x/manifest: missing, so this is no batch: *
        rm -r store/x; add x in =>
        meets lock 1 'mv store/x store/z' --gather=store | sort -n | md5 => $both
        mv store/z store/x; all_gathered => $both
        meets stat_at 1 'mv store/x store/.old-x' --gather=store | sort -n | md5 => $(md5 other)
END
}

test_a_batch_that_somebody_removes_is_not_to_be_had() {
    make_pair
    local tries='mv store/.old-y~* store/y; bigshuf --gather=store 2>said >out; mv store/y store/.old-y'
    meets unlink_at 1 "$tries" --scatter=store --batch=z --seed=42 --newest=1 in || true
    same 'bigshuf: store/y/manifest: another process has locked it: try again when that has ended' "$(<said)"
}

# Replace pile 1 of x, or its line in the manifest, when the run has checked everything.
test_what_changes_after_it_was_looked_at_is_named() {
    local again="move the batch's folder out of the store, and add the batch again"
    make_pair
    cp -R store sound
    restore() { rm -rf store && cp -R sound store; }
    cases <<END
        meets preadv 1 'truncate -s 5 store/x/pile-0001' --gather=store --piles=1-1 =! store/x/pile-0001: size has changed since it was written: $again
        restore; meets preadv 1 'rm store/x/pile-0001' --gather=store --piles=1-1 =! store/x/pile-0001: missing: $again
        restore; meets preadv 1 'ln -sf ../y/pile-0001 store/x/pile-0001' --gather=store --piles=1-1 =! store/x/pile-0001: not a regular file
        restore; meets preadv 1 'rm store/x/pile-0001; mkfifo store/x/pile-0001' --gather=store --piles=1-1 =! store/x/pile-0001: not a regular file
        restore; meets preadv 1 'forge store/x/manifest 1 0 0' --gather=store --piles=1-1 =! store/y/pile-0001: contents have changed since they were written
        restore; meets preadv 1 'sed s/^0001/0002/ store/x/manifest >m; cat m >store/x/manifest' --gather=store --piles=1-1 =! store/x/manifest: contents have changed since they were written
        restore; FAULT_CALL=preadv FAULT_AT=2 FAULT_END=1 bigshuf-faulty --gather=store --piles=1-1 =! store/x/pile-0001: contents have changed since they were written
END
}

test_a_change_of_any_byte_is_found_and_named() { # tags: long
    local file at bytes
    seq -f '>>%.0f' 100 >in
    add x --piles=4 --records=start:'>>' in
    for file in store/x/pile-000[0-3]; do
        bytes=$(wc -c <"$file")
        for at in 0 1 2 $((bytes / 2)) $((bytes - 2)) $((bytes - 1)); do
            cp "$file" sound
            printf '\377' | dd of="$file" bs=1 seek=$((at)) conv=notrunc status=none
            fails_with 1 "bigshuf: $file: contents have changed since they were written" bigshuf --gather=store -o out
            cp sound "$file"
        done
    done
    bigshuf --gather=store | same_lines in /dev/stdin
}

test_what_is_no_batch_of_this_store_is_named() {
    make_pair
    bigshuf --scatter=wide --piles=8 --batch=w in
    cases <<'END'
        ln -s x store/z; bigshuf --gather=store =! store/z: is a link, and links are not followed here
        mv store/z .; mv store/x/manifest m; ln -s ../../m store/x/manifest; bigshuf --gather=store =! store/x/manifest: not a regular file
        rm store/x/manifest; mkfifo store/x/manifest; bigshuf --gather=store =! store/x/manifest: not a regular file
        rm store/x/manifest; mv m store/x/manifest; cp -R wide/w store/w; bigshuf --gather=store =! store/w/manifest: there are 8 piles in it, but 4 in the store
        rm -r store/w; sed 's/^records .*/records of start ">"/' store/format >f; cp f store/format; bigshuf --gather=store =! store: files pile-000? do not hold the records that manifests say
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
        lacks sync EIO --scatter=f in =! f/.new-format~????????????????: Input/output error
        ls -A d e | grep . => d: .hidden corpus.txt x e:
        [ ! -e f ] =>
END
}

test_what_a_first_run_has_made_that_failed_can_be_removed() {
    seq 10 >in
    lacks mkdir_at EIO --scatter=store --piles=4 in 2>said || true
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
    ls store | grep -E -x '20[0-9]{6}T[0-9]{6}\.[0-9]{6}Z-[-._A-Za-z0-9]+-[0-9]+'
    lacks host_name EIO --scatter=s in
    ls s | grep -x '.*Z-unknown-[0-9]*'
}

# ---- On disk ----

# All of a batch is on disk before its name, and then its name is; and that of a store before its format.
test_the_order_in_which_things_come_to_disk() {
    (echo id; seq 100) >in
    local order='sync link_at rename_at unlink_at rmdir_at'
    cases <<END
        calls '$order' --scatter=store --batch=x --piles=2 --header in => sync sync link_at unlink_at sync sync sync sync link_at unlink_at sync sync sync rename_at sync
        calls '$order' --scatter=store --seed=42 --batch=y --header in => sync sync sync sync rename_at sync
        calls '$order' --scatter=store --seed=42 --batch=y --header in => bigshuf: batch y is in store already: nothing was added sync
        calls '$order' --scatter=store --batch=z --header --newest=2 in => sync sync sync sync rename_at sync rename_at sync unlink_at unlink_at unlink_at rmdir_at
        FAULT_CALL=sync FAULT_AT=6 FAULT_ERRNO=EINVAL bigshuf-faulty --scatter=store --batch=w --piles=2 --header in =>
END
    # Before removing a folder, a run closes the files in it: on network file systems, open files stay there under
    # another name.
    calls 'unlink_at close rmdir_at' --scatter=store --batch=a --seed=42 --header --newest=1 in | paste -s -d ' ' - |
        grep -q 'unlink_at close unlink_at unlink_at rmdir_at'
}

# ---- Making a batch ----

test_a_name_that_is_taken_at_the_last_moment_is_a_failure() {
    make_pair
    cases <<'END'
        meets rename_at 1 'echo precious >store/z' --scatter=store --batch=z in =! store/z: Not a directory
        cat store/z; rm store/z => precious
        cat in | meets rename_at 1 'bigshuf --scatter=store --seed=42 --batch=z <other' --scatter=store --seed=42 --batch=z =! store/z: a batch of this name is there already, made of other data
        cat other | meets rename_at 1 'mv store/z store/.old-z; bigshuf --scatter=store --seed=42 --batch=z <other' --scatter=store --seed=42 --batch=z => bigshuf: batch z is in store already: nothing was added
        store_names => format x y z
        meets rename_at 1 'rm -r store/.new-w*' --scatter=store --batch=w in =! store/.new-w~????????????????: somebody has removed it
        meets 'mkdir_at open_at' 4 'rm -r store/.new-w*' --scatter=store --batch=w in =! store/.new-w~????????????????: No such file or directory
        store_names => format x y z
END
}

# The batch of its name leaves when it was found in the way: then there is room after all.
test_a_name_that_becomes_free_is_taken() {
    local turn
    make_pair
    rm -r store/x
    add x <in
    turn=$(calls 'rename_at open_at' --scatter=store --seed=42 --batch=x <other 2>said | sed -n '/rename_at/{=;q}')
    meets 'rename_at open_at' $((turn + 1)) 'mv store/x .' --scatter=store --seed=42 --batch=x <other
    cat store/x/pile* | same_lines other /dev/stdin
}

# A network file system may say that a renamed folder is missing, when it had to repeat its request.
test_a_rename_that_is_done_twice_is_a_success() {
    make_pair
    cases <<'END'
        meets rename_at 1 'mv store/.new-z* store/z' --scatter=store --batch=z in =>
        store_names; cat store/z/pile* | sort -n | md5 | cmp - <(md5 in) => format x y z
END
}

# At any moment. Then as after an hour, and where there are no locks: so it may be taken for dead.
test_a_sweep_at_any_moment_takes_no_part_of_a_batch() { # tags: long
    local turn sweeps
    make_pair
    for sweeps in 'bigshuf --scatter=store --sweep >>swept' \
        "find store -path 'store/.*' -exec touch -t 202001010000 {} +; FAULT_CALL=lock FAULT_AT=1 FAULT_STAYS=1 \
            FAULT_ERRNO=ENOTSUP bigshuf-faulty --scatter=store --sweep >>swept"; do
        for turn in $(scale '20 62' "$(echo {14..90..6})" "$(echo {1..200})"); do
            status=0
            meets 'sync open_at close lock fstat stat_at pwritev write mkdir_at rename_at' "$turn" "$sweeps" \
                --scatter=store --seed=42 --batch=z other 2>said || status=$?
            if [ $status = 0 ]; then
                cat store/z/pile-* | same_lines other /dev/stdin
            else
                grep -q 'store/.new-z~.*: \(somebody has removed it\|No such file or directory\)' said
                [ ! -e store/z ]
                case $sweeps in bigshuf*) false ;; esac
            fi
            rm -rf store/z
            same 'format x y' "$(store_names)"
        done
    done
    grep -q '^removed .new-z' swept
    grep -q '^kept .new-z~[0-9a-f]* (being made)' swept
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

# Anything in it may have been written last; an empty pile is none.
test_every_file_of_a_draft_tells_its_age() {
    local file
    make_pair
    for file in . manifest pile-0000 pile-0001 pile-0002 pile-0003; do
        abandoned
        touch store/$draft/$file
        add x in 2>said
        same "kept $draft ($young)" "$(sweep_store)"
    done
    abandoned
    touch -d '-59 minutes' store/$draft
    add x in 2>said
    same "kept $draft ($young)" "$(sweep_store)"
    touch -d '-61 minutes' store/$draft
    add x in 2>said
    same 'format x y' "$(store_names)"
    mkdir store/$draft # killed before it had a manifest
    touch -t 202001010000 store/$draft
    add x in 2>said
    same 'format x y' "$(store_names)"
}

test_what_is_young_or_of_others_stays() {
    [ "$(id -u)" = 0 ] || skip "needs to give files to others"
    make_pair
    : >store/.new-header~0123456789abcdef
    abandoned
    chown 12345 store/.new-*
    cases <<'END'
        add x in => bigshuf: batch x is in store already: nothing was added
        store_names => .new-d~N .new-header~N format x y
        sweep_store | sed 's/([0-9].*)/(size)/' => removed .new-d~0123456789abcdef (size) kept .new-header~0123456789abcdef (written less than an hour ago; if its task is dead, remove it by hand)
        touch -t 202001010000 store/.new-header*; add x in => bigshuf: batch x is in store already: nothing was added
        sweep_store => removed .new-header~0123456789abcdef (0 bytes)
END
}

test_what_is_not_the_stores_stays_however_old_it_is() {
    local number=~0123456789abcdef name
    make_pair
    for name in .new-format$number .new-a .new-a$number.other .new-a$'\033'$number .new-.a$number .new-a${number}0 \
        .old-format .old-a~1 .old-a$number.other .other .new-format~host-1-2.3; do
        abandoned "$name"
    done
    mkdir elsewhere
    cp -R store/x/. elsewhere
    ln -s ../elsewhere store/$draft
    ln -s ../elsewhere store/.old-x
    ln -s ../elsewhere/manifest store/.new-header$number
    ls -AR store elsewhere >before
    same '' "$(add x in 2>&1 | grep -v 'nothing was added')"
    same '' "$(sweep_store)"
    ls -AR store elsewhere | cmp - before
}

test_a_folder_with_other_files_in_it_stays_with_a_warning() {
    make_pair
    abandoned .old-z
    mkdir elsewhere
    rm store/.old-z/pile-0000
    ln -s ../../elsewhere store/.old-z/pile-0000
    echo precious | tee store/.old-z/pile-0004 >store/.old-z/notes
    cases <<'END'
        bigshuf --scatter=store --batch=w other => bigshuf: warning: store/.old-z: cannot be removed: there are other files in it
        (sweep_store || :) => kept .old-z (there are other files in it) bigshuf: store/.old-z: cannot be removed: there are other files in it
        ls store/.old-z; cat store/.old-z/pile-0004 => notes pile-0000 pile-0004 precious
END
}

test_a_sweep_that_fails_warns_and_goes_on() {
    make_pair
    abandoned
    abandoned .old-z
    cases <<END
        lacks touch EROFS --scatter=store --batch=w --seed=42 in => bigshuf: warning: store/$draft: cannot be removed: Read-only file system
        abandoned .old-z; lacks unlink_at EIO --scatter=store --batch=t --seed=42 in 2>&1 | tail -n 1 => bigshuf: warning: store/.old-z: cannot be removed: Input/output error
        store_names => .old-d~N .old-z format t w x y
        add v in =>
        store_names => format t v w x y
        abandoned; meets rename_at 1 'rm -r store/$draft' --scatter=store --batch=u in =>
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
        lacks lock ENOTSUP --scatter=store --batch=z --seed=42 --newest=2 in => $warning
        store_names => .new-d~N .old-x~N .old-z format y z
        lacks lock ENOTSUP --gather=store | wc -l => 300
        lacks lock EIO --gather=store =! store/y/manifest: Input/output error
        lacks lock ENOTSUP --scatter=store --batch=z --seed=42 in => $warning bigshuf: batch z is in store already: nothing was added
        lacks lock ENOTSUP --scatter=store --sweep | sed 's/ (.*//; s/~.*/~N/' => removed .new-d~N removed .old-x~N removed .old-z
        mkdir store/$draft; lacks lock ENOTSUP --scatter=store --sweep => kept $draft ($young)
END
}
