# Stores of piles: --scatter, many times and by many processes, and --gather, pile by pile. A batch is in a store as a
# whole or not at all, and the order is a function of the seed, the epoch, the batches' names and their numbers of
# records.
# shellcheck shell=bash
# shellcheck disable=SC2012,SC2086 # names and numbers that tests have chosen
# shellcheck disable=SC2016 # the filter's
# shellcheck disable=SC2317 # functions that others call

# Add the batch NAME to `store`: add NAME [OPTION]... [FILE]...
add() {
    local name=$1
    shift
    bigshuf --scatter=store --seed="${SEED:-42}" --batch="$name" "$@"
}

gather() {
    bigshuf --gather=store --seed=42 "$@"
}

# Files a, B, c.d-e_f and 0.1, and a store in which they are batches of these names: make_store PILES.
make_store() {
    seq 1000 >a
    seq 1001 4000 >B
    : >c.d-e_f
    seq 4001 4500 >0.1
    rm -rf store
    for name in a B c.d-e_f 0.1; do
        add $name --piles="$1" $name
    done
}

# What model says of the same: the_model T PILES EPOCH.
the_model() {
    model gather 42 "$1" "$2" "$3" a=a B=B c.d-e_f=c.d-e_f 0.1=0.1
}

# The store has these batches and nothing unfinished: batches NAME...
batches() {
    same "$(printf '%s\n' "$@" format | sort)" "$(ls -A store)"
}

# What stands in the store, in a row, with ~N for the random numbers in names.
names() {
    ls -A store | sed 's/~[0-9a-f]\{16\}/~N/' | paste -s -d ' ' -
}

# ---- The golden orders: fixed for ever, as the others are ----

# Lines of the section of bigshuf-order about stores: golden REGEX.
golden() {
    sed -n '/^\.Sh STORES/,/^\.Sh VALUES/p' "$TOP/man/bigshuf-order.7" | grep -E "$1"
}

test_golden_orders_of_stores() {
    local epoch order
    seq 10 >a
    seq 11 20 >b
    add a --piles=4 a
    add b b
    golden '^[0-9]( +[0-9]+){20}$' >orders
    while read -r epoch order; do
        same "$order" "$(gather --epoch=$epoch | paste -s -d ' ' -)"
    done <orders
    same '0 1 2' "$(cut -d ' ' -f 1 orders | paste -s -d ' ' -)"
}

test_golden_orders_of_larger_stores() {
    local sum piles epoch
    cd "$MEMORY" || exit
    seq 1000 >a
    seq 1001 4000 >b
    golden '^[0-9a-f]{32} ' >orders
    while read -r sum piles epoch; do
        if [ ! -e store$piles ]; then
            for name in a b; do bigshuf --scatter=store$piles --seed=42 --batch=$name --piles=$piles $name; done
        fi
        same $sum "$(bigshuf --gather=store$piles --seed=42 --epoch=$epoch | md5)"
    done <orders
    same '4096 4096 512 512 8 8 8' "$(awk '{ print $2 }' orders | sort | paste -s -d ' ' -)"
}

test_any_store_is_in_the_order_of_the_model() {
    cd "$MEMORY" || exit
    local piles
    for piles in 2 4 512; do
        make_store $piles
        the_model 262144 $piles 9223372036854775808 | cmp - <(gather --epoch=9223372036854775808)
        the_model 9 $piles 1 | cmp - <(gather --epoch=1 --tune=leaf-records=9)
    done
    rm -r store
    seq 6000 >in
    add x --piles=4096 in
    model gather 42 262144 4096 3 x=in | cmp - <(gather --epoch=3)
}

# Each by itself: the batches' records in their order.
test_pile_files_are_the_models() {
    seq 5000 >in
    add some-batch --piles=8 in
    for pile in 0 5 7; do
        model pile 42 8 some-batch $pile <in | cmp - store/some-batch/pile-000$pile
    done
    same "$(printf 'pile-000%s\n' 0 1 2 3 4 5 6 7 | sed '1i manifest')" "$(ls -A store/some-batch)"
    same "key $(model identity 42)" "$(grep '^key ' store/some-batch/manifest)"
}

# ---- What does not matter ----

# Batches of `in` and `other` make the same store, to the byte, with these options as without: same_store OPTION...
same_store() {
    rm -rf store
    add in --piles=16 "$@" in
    add other "$@" other
    [ -e wanted ] || mv store wanted
    [ ! -e store ] || diff -r wanted store
}

test_memory_and_threads_do_not_matter_to_a_store() {
    more_than_memory >in
    seq 1000 >other
    same_store -S 1G --parallel=1
    same_store -S 8M
    same_store -S 8M --parallel=3
}

test_neither_the_order_of_adding_matters_nor_the_division_into_files() {
    make_store 8
    mv store wanted
    for name in 0.1 c.d-e_f B a; do
        add $name --piles=8 $name
    done
    diff -r wanted store
    rm -r store
    split -l 777 B part
    add x --piles=8 part*
    model gather 42 262144 8 0 x=B | cmp - <(gather)
}

test_memory_and_threads_do_not_matter_when_it_is_gathered() {
    more_than_memory >in
    seq 1000 >other
    add in --piles=2 in # so large that all of its piles are started over
    add other other
    model gather 42 262144 2 1 in=in other=other >wanted
    gather --epoch=1 -S 1G --parallel=1 | cmp - wanted
    gather --epoch=1 -S 8M --parallel=1 | cmp - wanted
    gather --epoch=1 -S 8M --parallel=3 | cmp - wanted
    gather --epoch=1 -S 8M --tune=compress-temporary=always | cmp - wanted
    gather --epoch=1 -S 12M -T . -o out
    cmp out wanted
}

# Piles come in the same order as in the whole; and a machine may have only these piles.
test_pile_names_files_whatever_the_epoch() {
    local epoch
    make_store 8
    for epoch in 0 5; do
        gather --epoch=$epoch --piles=3-3 | same_lines /dev/stdin <(cat store/*/pile-0003)
        gather --epoch=$epoch | grep -xF -f <(cat store/*/pile-000[2-5]) >wanted
        gather --epoch=$epoch --piles=2-5 | cmp - wanted
    done
    rm store/*/pile-000[0167]
    gather --epoch=5 --piles=2-5 | cmp - wanted
    bigshuf --gather=store --epoch=5 --piles=2-5 | same_lines /dev/stdin wanted
}

# Of the batches, which two stores have, only these files are copied: copied FILE...
copied() {
    rm -rf copy
    mkdir copy
    cp one/format one/header copy
    (cd one && tar -cf - "${@/#/a\/}") | tar -xf - -C copy
    (cd two && tar -cf - "${@/#/b\/}") | tar -xf - -C copy
}

test_copies_of_some_files_are_as_good_as_the_store() {
    { echo id && seq 3000; } >a
    { echo id && seq 3001 4000; } >b
    for store in 'one a' 'two b' 'both a' 'both b'; do
        bigshuf --scatter=${store% *} --piles=8 --seed=42 --batch=${store#* } --header ${store#* }
    done
    bigshuf --gather=both --seed=42 --epoch=5 --piles=2-5 >wanted
    copied manifest pile-000{2,3,4,5}
    bigshuf --gather=copy --seed=42 --epoch=5 --piles=2-5 | cmp - wanted
    bigshuf --gather=copy --list | cmp - <(bigshuf --gather=both --list)
    bigshuf --gather=copy --seed=42 --epoch=5 --piles=2-5 --skip=10 | tail -n +2 | cmp - <(sed 1,11d wanted)
    cp -R one/a one/header one/format copy
    cp -R two/b copy
    bigshuf --gather=copy --seed=42 | cmp - <(bigshuf --gather=both --seed=42)
}

test_copies_that_are_not_complete_are_told_before_the_first_record() {
    seq 3000 | tee a >b
    for store in 'one a' 'two b'; do
        bigshuf --scatter=${store% *} --piles=8 --seed=42 --batch=${store#* } --header ${store#* }
    done
    while read -r file command; do
        copied manifest pile-000{2,3,4,5}
        (cd copy && eval "$command")
        fails_with 1 "bigshuf: copy/$file: *" bigshuf --gather=copy --seed=42 --piles=2-5 >out
        is_empty out
    done <<'END'
b/pile-0005 rm b/pile-0005
b/pile-0005 truncate -s -1 b/pile-0005
b/manifest rm b/manifest
b/manifest truncate -s 100 b/manifest
header rm header
END
    rm copy/format
    fails_with 1 'bigshuf: copy: not a store of piles*' bigshuf --gather=copy --piles=2-5
}

# ---- Nothing lost ----

# Files `one` and `two`, scattered as two batches each, come out with nothing lost or added; COMMAND turns records into
# lines for that: comes_back COMMAND [OPTION]...
comes_back() {
    local command=$1
    shift
    rm -rf store
    bigshuf --scatter=store --batch=x --piles=4 -S 8M "$@" one two
    bigshuf --scatter=store --batch=y "$@" two
    for file in one two two; do
        $command <$file
    done | sort >wanted
    bigshuf --gather=store >out
    $command <out | sort | cmp - wanted
    for file in store/[xy]/pile-*; do
        $command <$file
    done | sort | cmp - wanted
    bigshuf --gather=store -S 8M --parallel=2 -o out
    $command <out | sort | cmp - wanted
}

# Some pile files are empty. A file's last line may be without an end.
lines() {
    grep -a '' || true
}

test_lines_come_back_with_every_byte() {
    printf 'a\r\n\0\n\377\n\n\n\303\n' >one
    { long_lines 20 0 100000; printf '\0\0no end'; } >two
    comes_back lines
}

test_a_record_larger_than_memory_comes_back() {
    { seq 200; long_line 9000000; } >one
    seq 300 >two
    comes_back parts_of_lines -S 8M
}

# What sort can bear of lines: all of a short one.
parts_of_lines() {
    cut -b 1-1000,5000000-5001000,8999000-
}

test_more_names_than_a_manifest_takes_are_told_before_the_work() {
    seq 10 >"$(printf %0250d 0)"
    yes "$(echo 0*)" 2>said | head -n 34000 | tr '\n' '\0' >names || true
    fails_with 1 'bigshuf: store/x: the names of its inputs take more than 8 MiB: make several batches' \
        add x --files0-from=names
    same format "$(ls -A store)"
}

test_a_header_is_kept_once() {
    { echo id,name; seq 100; } >one
    { echo id,name; seq 101 300; } >two
    add x --piles=4 --csv --header one two
    add y --csv --header two
    printf 'id,name\n' | cmp - store/header
    same 0 "$(cat store/[xy]/pile-* | grep -c name)"
    gather >out
    same id,name "$(sed -n 1p out)"
    sed 1d out | sort | cmp - <(sed -s 1d one two two | sort)
    gather --shards=3 -o part-%d
    same 'id,name id,name id,name' "$(sed -s -n 1p part-* | paste -s -d ' ' -)"
    sed -s 1d part-* | sort | cmp - <(sed 1d out | sort)
    rm -r store
    printf 'title\n>a\n1\n' >one
    printf 'title\n>b\n2' >two
    add x --piles=4 --header --records=start:'>' one
    add y --header --records=start:'>' two
    printf 'title\n' | cmp - store/header
    grep -qx 'header of lines 1' store/format
    gather | same_lines - <(printf 'title\n>a\n1\n>b\n2\n')
}

test_another_header_is_told() {
    { echo id; seq 100; } >one
    { echo name; seq 100; } >two
    add x --piles=4 --header one
    fails_with 1 'bigshuf: store/header: *' add y --header two
    fails_with 1 'bigshuf: store/format: *header*' add y two
    batches header x
}

# Where they are many, few are open at a time.
test_4096_piles_with_few_descriptors() {
    needs_bare_program
    cd "$MEMORY" || exit
    seq 100000 >in
    (ulimit -n 256 && add x --piles=4096 -S 32M in)
    (ulimit -n 256 && gather -S 32M) | same_lines /dev/stdin in
}

# A disk that is slow, so that all threads have a file open at the same time.
test_more_threads_than_descriptors() {
    needs_strace
    seq 1000000 >in # or memory would limit the threads
    (ulimit -n 24 && exec strace -f -o /dev/null -e trace=fsync -e inject=fsync:delay_enter=20000 \
        bigshuf --scatter=store --seed=42 --batch=x --piles=256 --parallel=64 in)
    (ulimit -n 24 && gather --parallel=64) | same_lines /dev/stdin in
}

# ---- Output ----

# These options are refused, since this file would be in the store: is_outside FILE OPTION...
is_outside() {
    fails_with 1 "bigshuf: $1: is inside the store *; write to another folder" bigshuf "${@:2}"
}

test_nothing_is_gathered_into_the_store() {
    make_store 16
    ln -s store link
    mkdir store-2
    find store -type f -exec cksum {} + | sort >before
    is_outside store/new --gather=store -o store/new
    is_outside store/format --gather=link -o store/format
    is_outside link/new --gather=store -o link/new
    is_outside ./store/a/new --gather=store --split=1:./store/a/new
    is_outside store/0 --gather=store --shards=2 -o store/%d
    (cd store && is_outside new --gather=. -o new)
    rm -f store/.stderr
    find store -type f -exec cksum {} + | sort | cmp - before
    gather -o store-2/new
    gather | cmp - store-2/new
}

test_what_is_gathered_may_be_divided() {
    make_store 16
    gather >whole
    mkdir parts
    gather --shards=7 -o parts/%d
    cat parts/* | cmp - whole
    gather --split=100:first --split=10%:second >rest
    cat first second rest | cmp - whole
    gather -n 123 | cmp - <(sed 123q whole)
    gather --piles=3-4 -n 10 | cmp - <(gather --piles=3-4 | sed 10q)
    same '' "$(gather -n 0)"
    gather --shards=records:1000 -o 'shard-%d.gz' --filter='gzip >$FILE'
    cat shard-*.gz | gzip -d | cmp - whole
}

# ---- The manifest, and damage ----

# Writing the true values into its lines changes nothing.
test_the_manifest_tells_records_bytes_and_checksums() {
    seq 10000 | add x --piles=8
    cp store/x/manifest told
    for pile in 0 1 2 3 4 5 6 7; do
        file=store/x/pile-000$pile
        forge store/x/manifest $pile "$(wc -l <$file)" "$(wc -c <$file)" $file
        cmp told store/x/manifest
    done
}

# Gathering fails with one message that names FILE in the store, and makes no output: names_damage FILE.
names_damage() {
    for options in '-o out' '-S 8M --parallel=1 -o out' '-o new'; do
        echo old >out
        fails_with 1 "bigshuf: store/$1: *" gather $options
        same 1 "$(wc -l <.stderr | tr -d ' ')"
        same old "$(<out)"
    done
    [ ! -e new ]
}

# A store of two batches; tests damage pile 1 of the first.
make_sound_store() {
    seq 1000 >in
    add x --piles=4 in
    add y in
}

# File and what happens to it. The other piles can still be read.
test_what_is_not_as_it_was_is_told() {
    local file change
    while read -r file change; do
        rm -rf store moved
        { echo id; seq 1000; } >in
        add x --piles=4 --header in
        add y --header in
        (cd store && eval "$change")
        names_damage "$file"
        case $file in */pile*) gather --piles=2-3 >out ;; esac
    done <<'END'
x/pile-0001 truncate -s -1 x/pile-0001
x/pile-0001 printf X | dd of=x/pile-0001 bs=1 seek=50 conv=notrunc 2>/dev/null
x/pile-0001 echo more >>x/pile-0001
x/pile-0001 rm x/pile-0001
x/pile-0001 mv x/pile-0001 ../moved && ln -s ../../moved x/pile-0001
x/pile-0001 rm x/pile-0001 && mkfifo x/pile-0001
x/pile-0001 rm x/pile-0001 && mkdir x/pile-0001
x/manifest sed 's/^0001 /0011 /' x/manifest >m && cat m >x/manifest && rm m
x/manifest rm x/manifest
header echo ID >header
header rm header
format sed 's/4 piles/5 piles/' format >f && cat f >format && rm f
END
}

test_nothing_of_a_damaged_pile_is_written() {
    make_sound_store
    gather >sound
    cat store/*/pile-0001 >damaged
    printf X | dd of=store/y/pile-0001 bs=1 seek=50 conv=notrunc 2>.stderr
    fails_with 1 'bigshuf: store/y/pile-0001: *' gather --parallel=1 >out
    cmp out <(head -c "$(wc -c <out)" sound)
    fails_with 1 '' grep -xF -f damaged out
}

# ---- Many writers ----

# The batch NAME of `store` is whole, as the pile files say: whole NAME FILE.
whole() {
    cat store/"$1"/pile-* | same_lines /dev/stdin "$2"
}

# There are so many drafts of the batch: has_drafts NUMBER [NAME].
has_drafts() {
    [ "$1" = "$(find store -name ".new-${2-x}~*" -type d | wc -l)" ]
}

# As if an hour had passed since unfinished things in the store were written.
an_hour_passes() {
    find store -path 'store/.*' -exec touch -h -t 202001010000 {} +
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
    bigshuf --scatter=store --sweep >swept
    same 8 "$(grep -c '^kept .new-x~.* (being made)$' swept)"
    : >go
    for writer in 1 2 3 4 5 6 7 8; do
        wait "${pids[writer]}"
    done
    same 7 "$(cat said* | grep -c '^bigshuf: batch x is in store already: nothing was added$')"
    same 7 "$(cat said* | wc -l | tr -d ' ')"
    batches x
    whole x in
}

needs_strace() {
    needs_bare_program
    needs strace
    strace -o /dev/null -e inject=mkdirat:delay_exit=1 true 2>.stderr || skip "strace cannot hold calls up here"
}

# Is somebody at work on the batch NAME, or was: is_begun NAME.
is_begun() {
    ls store/.new-"$1"~*/manifest >/dev/null 2>&1
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
    bigshuf --scatter=store --sweep >swept
    grep '^kept .new-x~[0-9a-f]* (being made)$' swept
    gather | same_lines /dev/stdin <(seq 10 && seq 10)
    exec 7>&-
    wait $!
    batches a x y
    whole x <(seq 10000)
}

test_a_writer_whose_draft_somebody_removed_says_so() {
    start_waiting x
    rm -r store/.new-x~*
    exec 7>&-
    fails_with 1 '' wait $!
    grep '^bigshuf: store/.new-x~[0-9a-f]*/pile-000[0-3]: somebody has removed it$' said
    batches
}

test_what_a_killed_writer_left_is_removed_by_the_next_one_on_its_machine() {
    killed_at_x
    seq 10 | add y
    same 'format y' "$(names)"
}

test_what_a_writer_that_was_killed_elsewhere_left_is_removed_by_another_after_an_hour_or_by_sweep() {
    seq 1000 >in
    add other --piles=4 in
    killed_at_x
    mv store/.new-x~* store/.new-x~0123456789abcdef
    add x in # beside what was left
    same '.new-x~N format other x' "$(names)"
    gather | same_lines /dev/stdin <(cat in in)
    bigshuf --scatter=store --sweep >swept
    grep '^kept .new-x~[0-9a-f]* (written less than an hour ago; if its task is dead, remove it by hand)$' swept
    an_hour_passes
    cp -a store copy
    seq 10 | add z
    batches other x z
    rm -r store
    mv copy store
    bigshuf --scatter=store --sweep >>swept
    grep '^removed .new-x~[0-9a-f]* ([0-9a-zA-Z. ]*)$' swept
    same 2 "$(wc -l <swept | tr -d ' ')"
    batches other x
    same '' "$(bigshuf --scatter=store --sweep)"
}

test_batches_are_taken_out_by_hand() {
    seq 10 | add y
    seq 10 | add z
    mv store/y store/.old-y
    bigshuf --scatter=store --sweep >swept
    grep '^removed .old-y (' swept
    batches z
}

# Whatever ends it, but SIGKILL: also if it has made the store, and if others have given that another name meanwhile.
test_a_writer_that_a_signal_ends_leaves_nothing() {
    local signal folder=store
    for signal in HUP INT ABRT BUS SEGV SYS TRAP TERM RTMIN; do
        start_waiting x
        [ $signal != HUP ] || { mv store moved && folder=moved; }
        kill -$signal $!
        fails_with $((128 + $(kill -l $signal))) '*' wait $!
        exec 7>&-
        same format "$(ls -A $folder)"
        rm -r pipe-x $folder
        folder=store
    done
    seq 10 >in
    FAULT_CALL=open_at FAULT_AT=1 FAULT_RUN='kill -TERM $PPID' fails_with 143 '*' bigshuf-faulty --scatter=store in
    [ ! -e store ]
}

test_a_writer_that_somebody_kills_with_many_threads_leaves_nothing() {
    local moment status
    long_lines 300 9000 10000 >in
    seq 10 | add a --piles=64
    for moment in $(seq "$(scale 2 10 100)"); do
        start bigshuf --scatter=store --batch=x --parallel=4 in 2>said
        sleep "0.0$((moment % 10))"
        kill -TERM $! 2>.stderr || true
        status=0
        wait $! || status=$?
        [ ! -e store/x ] || { same 0 $status && rm -r store/x; }
        same 'a format' "$(names | paste -s -d ' ' -)"
    done
}

# The batch is in its store: whatever comes then, the run has succeeded.
test_a_signal_when_the_batch_is_in_its_store_comes_too_late() {
    seq 10 | add a --piles=4
    seq 10 >in
    for call in rename_at sync; do
        at=$(rm -f called && cp -r store copy && FAULT_CALL=$call FAULT_LOG=called bigshuf-faulty --scatter=copy --batch=x in && wc -l <called)
        rm -r copy
        FAULT_CALL=$call FAULT_AT=$((at)) FAULT_RUN='kill -TERM $PPID' bigshuf-faulty --scatter=store --batch=x in
        batches a x
        rm -r store/x
    done
    add x in
    FAULT_CALL=rename_at FAULT_AT=2 FAULT_RUN='kill -TERM $PPID' bigshuf-faulty --scatter=store --batch=y --newest=1 in
    [ -d store/y ]
}

test_what_is_wrong_with_old_batches_is_a_warning_when_a_batch_was_added() {
    seq 10 >in
    add 1 --piles=4 in
    add 2 in
    for error in EPERM EROFS; do
        FAULT_CALL=rename_at FAULT_AT=2 FAULT_ERRNO=$error fails_with 0 'bigshuf: warning: store/2: cannot be removed: *' \
            bigshuf-faulty --scatter=store --batch=3$error --newest=1 in
        batches 2 3$error
        rm -r store/3$error
        add 1 in
    done
    FAULT_CALL=list_next FAULT_AT=$(rm -rf copy called; cp -r store copy; FAULT_CALL=list_next FAULT_LOG=called bigshuf-faulty --scatter=copy --batch=4 --newest=1 in; wc -l <called) \
        fails_with 0 'bigshuf: warning: store: Input/output error' bigshuf-faulty --scatter=store --batch=4 --newest=1 in
    batches 1 2 4
}

test_no_store_is_made_within_another() {
    local inner
    seq 10 >in
    add a --piles=4 in
    ln -s store link
    mkdir -p store/a/b store/.c
    for inner in store/day2 store/.c store/a/b link/day3; do
        fails_with 1 "bigshuf: $inner/..*: is a store, in which there can be no other; name a folder elsewhere" \
            bigshuf --scatter=$inner in
        case $inner in */day?) [ ! -e "$inner" ] || false ;; esac
    done
    (cd store/.c && fails_with 1 'bigshuf: ./..: is a store, *' bigshuf --scatter=. ../../in)
    fails_with 1 'bigshuf: *' bigshuf --scatter=store/../store/day4 in
    rm -r store/a/b store/.c
    batches a
    mkdir -p plain/inner
    echo text >plain/format
    bigshuf --scatter=plain/inner/store in
}

# ---- The same again ----

# This adds nothing, and says so: nothing_added NAME [OPTION]... [FILE]...
nothing_added() {
    cp -a store before
    fails_with 0 "bigshuf: batch $1 is in store already: nothing was added" add "$@"
    diff -r before store
    rm -r before
}

# This is refused, and the store is as it was: refused PATTERN NAME [OPTION]... [FILE]...
refused() {
    cp -a store before
    fails_with 1 "$1" add "${@:2}"
    same 1 "$(wc -l <.stderr | tr -d ' ')"
    diff -r before store
    rm -r before
}

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

test_a_batch_without_all_of_its_piles_is_not_taken_for_there() {
    local remedy="move the batch's folder out of the store, and add the batch again"
    make_sound_store
    truncate -s -1 store/x/pile-0003
    refused "bigshuf: store/x/pile-0003: size has changed since it was written: $remedy" x in
    rm store/x/pile-0001
    refused "bigshuf: store/x/pile-0001: missing: $remedy" x in
    mv store/x .
    add x in
    diff -r x store/x >changed || true
    same 2 "$(grep -c 'pile-000[13]' changed)"
    seq 10 | add pipe
    rm store/pipe/pile-0002
    seq 10 | refused 'bigshuf: store/pipe/pile-0002: missing: *' pipe
    rm -r store
    add x --piles=4 --header in
    nothing_added x --header in
    mv store/header kept
    refused 'bigshuf: store/header: No such file or directory' x --header in
    echo ID >store/header
    refused 'bigshuf: store/header: contents have changed since they were written' x --header in
    mv kept store/header
    nothing_added x --header in
}

test_another_task_of_the_same_name_is_refused() {
    seq 1000 >a
    seq 2000 >b
    add x --piles=4 a b
    refused 'bigshuf: *x: *' x a
    refused 'bigshuf: *x: *' x b a
    refused 'bigshuf: *x: *' x a b b
    SEED=43 refused 'bigshuf: *x: *' x a b
    refused 'bigshuf: *x: *' x ./a b
    echo more >>a
    refused 'bigshuf: *x: *' x a b
}

test_the_same_inputs_read_in_another_way_are_refused() {
    seq 1000 | tee a | gzip >a.gz
    add x --piles=4 < <(cat a.gz) 2>said # with a warning, which is heeded now
    refused 'bigshuf: store/x: a batch of this name is there already, made without -Z' x -Z < <(cat a.gz)
    add y -Z < <(cat a.gz)
    fails_with 1 '*bigshuf: store/y: a batch of this name is there already, made with -Z' add y < <(cat a.gz)
    nothing_added y -Z < <(cat a.gz)
    add w a
    nothing_added w -Z a # the same records
    grep -x decompressed store/y/manifest
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
    for batch in store/*/; do
        cat "$batch"pile-*
    done | paste -s -d ' ' - >order
    same '1 2 3 4 5 6' "$(<order)"
    same 6 "$(printf '%s\n' store/20[0-9]*T[0-9]*Z-* | grep -c .)"
}

# ---- The moving window ----

test_the_batch_just_added_stays_whatever_its_name() {
    for i in 1 2 3 0; do
        echo $i | add $i --piles=2 --newest=2
    done
    batches 0 2 3
    echo 4 | add 4 --newest=2
    batches 3 4
    echo 5 | add 5 --newest=18446744073709551615
    batches 3 4 5
    same 'bigshuf: warning: store: the batch 6 is empty, so --newest removes no other' \
        "$(: | add 6 --newest=1 2>&1)"
    batches 3 4 5 6
}

# A reader gets the batches that were there when it began, and then their files are removed.
test_a_reader_keeps_what_it_reads() {
    more_than_memory >in
    add 1 --piles=16 in
    gather >wanted
    mkfifo pipe
    exec 7<>pipe # so that neither end waits for the other
    start bigshuf --gather=store --seed=42 -S 8M >pipe
    exec 8<pipe 7>&-
    head -c 1000 <&8 >out
    seq 10 | add 2 --newest=1
    seq 10 | add 3 --newest=1
    same '.old-1~N 3 format' "$(names)"
    bigshuf --scatter=store --sweep | grep '^kept .old-1~[0-9a-f]* (being read)$'
    cat <&8 >>out
    wait $!
    cmp out wanted
    seq 10 | add 4 --newest=1
    batches 4
}

# ---- Lists ----

test_list_is_a_table_or_for_programs_with_z() {
    make_store 8
    bigshuf --gather=store --list >list
    for line in 'a .* 1000 ' 'B .* 3000 ' '0.1 .* 500 ' 'c.d-e_f .* 0 '; do
        grep "^ *$line" list
    done
    for name in 0.1 B a c.d-e_f; do
        read -r records bytes < <(wc -lc <$name)
        printf '%s\t8\t%s\t%s\0' $name $records $bytes
    done | cmp - <(bigshuf --gather=store --list -z)
}

# ---- What goes wrong ----

test_a_strange_name_in_the_place_of_a_store_gives_no_orders() {
    mkdir folder
    : >$'folder/a\033[2Jb'
    fails_with 1 "bigshuf: folder: not a store of piles, and not empty, since it holds 'a\\\\x1b[[]2Jb'; name a new folder" \
        bigshuf --scatter=folder /dev/null
}

test_what_is_no_store_is_told() {
    mkdir folder
    echo >file
    cases <<'END'
        bigshuf --gather=none =! none: No such file or directory
        bigshuf --gather=folder =! folder: not a store of piles; --scatter makes one
        bigshuf --gather=file =! file: Not a directory
        bigshuf --gather=folder --list =! folder: not a store of piles; --scatter makes one
        bigshuf --scatter=file file =! file: *
        bigshuf --scatter=none/store file =! none/store: No such file or directory
        ls => file folder
END
}

# All that read batch x say the same of it, in one line: all_say MESSAGE.
all_say() {
    for command in 'bigshuf --gather=store --list' 'gather -o out' 'add x in'; do
        fails_with 1 "$1" $command
        same 1 "$(wc -l <.stderr | tr -d ' ')"
    done
    [ ! -e out ]
}

test_a_batch_with_a_bad_manifest_is_told_by_all() {
    seq 100 >in
    add x --piles=4 in
    echo junk >store/x/manifest
    all_say 'bigshuf: store/x/manifest: contents have changed since they were written'
    rm store/x/manifest
    mkdir store/x/manifest
    all_say 'bigshuf: store/x/manifest: not a regular file'
}

test_a_batch_that_may_not_be_read_is_told_by_all() {
    needs_ordinary_user
    seq 100 >in
    ./bigshuf --scatter=store --seed=42 --batch=x --piles=4 in
    chmod 777 store
    for what in store/x/manifest store/x; do
        chmod 000 $what
        for command in '--gather=store --list' '--gather=store' '--scatter=store --seed=42 --batch=x in'; do
            fails_with 1 "bigshuf: $what*: Permission denied" as_ordinary_user ./bigshuf $command
        done
        chmod 755 $what
    done
}

test_a_lock_of_somebody_who_may_only_read_hinders_nobody() {
    needs flock
    [ "$(uname)" = Linux ] || skip "its locks are those of readers, too"
    seq 100 >in
    add x --piles=4 in
    exec 9<store/x/manifest
    flock -x -n 9
    bigshuf --gather=store --list | grep '^x '
    gather | same_lines in /dev/stdin
    nothing_added x in
    exec 9<&-
}

test_a_folder_that_is_no_batch_is_told_by_all() {
    local said='bigshuf: store/junk/manifest: missing, so this is no batch: move its folder out of the store, *'
    seq 100 >in
    add x --piles=4 in
    mkdir store/junk
    all_say "$said"
    fails_with 1 "$said" add y in
    fails_with 1 "$said" add z --newest=1 in
    mkdir store/.old-w
    fails_with 1 "$said" bigshuf --scatter=store --sweep >swept
    grep '^removed .old-w ' swept
    batches x junk
    mv store/junk .
    gather | same_lines in /dev/stdin
}

test_a_folder_of_too_many_names_is_told_by_all() {
    cd "$MEMORY" || exit
    seq 100 >in
    add x --piles=4 in
    (cd store && seq -f %.0f~ 32767 | xargs touch)
    for command in 'bigshuf --gather=store --list' 'gather' 'bigshuf --scatter=store --sweep'; do
        fails_with 1 'bigshuf: store: there are more than 32768 names in it' $command
    done
    rm store/1~
    gather | same_lines in /dev/stdin
}

test_another_format_is_told() {
    seq 10 >in
    add x --piles=4 in
    refused 'bigshuf: store/format: the store has 4 piles, not 8 piles' y --piles=8 in
    refused 'bigshuf: store/format: the store has records *, not records *' y -z in
    refused 'bigshuf: store/format: the store has records *, not records *' y --records=bytes:1 in
    refused 'bigshuf: store/format: the store has no header, not header of lines 1' y --header in
    refused 'bigshuf: store/format: *' y --csv in
    refused 'bigshuf: missing: No such file or directory' y missing
}

test_wrong_words_of_stores_are_told_before_the_work() {
    local option
    for option in --piles={3,0,1,8192,-2,x,,4K} --newest={0,-1,x,} --batch={../x,.x,,a/b,'a b',header,format} \
        --batch=$'a\nb' --batch="$(printf %0201d 0)"; do
        fails_at_once "bigshuf: *${option%%=*}*" --scatter=store "$option" never
    done
    seq 10 | add x --piles=64
    for option in --piles={9-3,-1,x,3-,-3,1-2-3,,1K,64,64-64,63-64,0-512,0-18446744073709551616} \
        --epoch={-1,x,,18446744073709551616} in; do
        fails_with 1 "bigshuf: *$(echo "${option%%=*}" | tr -d s-)*" gather -o out "$option"
    done
    is_empty out
    same 'never out store' "$(ls | paste -s -d ' ' -)"
}

test_a_full_disk_leaves_no_part_of_a_batch() {
    needs_small_disk
    long_lines 300 9000 10000 >in
    cat >on_disk <<'END'
    seq 10 | bigshuf --scatter=disk/store --batch=x --piles=4
    bigshuf --scatter=disk/store --batch=y in 2>said && exit 1
    grep -q '^bigshuf: disk/store: No space left on device: [0-9]* MiB are needed, 0 MiB are free$' said || exit 5
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

test_who_may_only_read_a_store_may_gather_it() {
    needs_ordinary_user
    seq 100 >in
    ./bigshuf --scatter=store --seed=42 --batch=x --piles=4 in
    chmod -R a-w,a+rX store
    as_ordinary_user ./bigshuf --gather=store --seed=42 | cmp - <(model gather 42 262144 4 0 x=in)
    fails_with 1 'bigshuf: store*: Permission denied' as_ordinary_user ./bigshuf --scatter=store in
    chmod -R u+w store
}

test_what_is_said_with_v_can_be_repeated() {
    seq 1000 >in
    bigshuf -v --scatter=store --batch=x --piles=4 in 2>said
    seed=$(sed -n 's/^bigshuf: seed: *//p' said)
    same 64 ${#seed}
    bigshuf --scatter=again --seed="$seed" --batch=x --piles=4 in
    diff -r store again
    bigshuf -v --gather=store 2>said >out
    seed=$(sed -n 's/^bigshuf: seed: *//p' said)
    same 64 ${#seed}
    bigshuf --gather=store --seed="$seed" | cmp - out
}
