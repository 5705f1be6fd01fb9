# Stores of piles: --scatter, and --gather, pile by pile: the order is a function of the seed, the epoch, the batches'
# names and their numbers of records, and nothing is lost.

. "$TOP/tests/support/stores.sh"

# Files a, B, c.d-e_f and 0.1, and a store in which they are batches of these names: make_four_batches PILES.
make_four_batches() {
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

# ---- The golden orders: fixed for ever, as the others are ----

# Lines of the section of bigshuf-order about stores: golden_lines REGEX.
golden_lines() {
    sed -n '/^\.Sh STORES/,/^\.Sh VALUES/p' "$TOP/man/bigshuf-order.7" | grep -E "$1"
}

test_golden_orders_of_stores() { # tags: bytes
    local epoch order
    seq 10 >a
    seq 11 20 >b
    add a --piles=4 a
    add b b
    golden_lines '^[0-9]( +[0-9]+){20}$' >orders
    while read -r epoch order; do
        same "$order" "$(gather --epoch=$epoch | paste -s -d ' ' -)"
    done <orders
    same '0 1 2' "$(cut -d ' ' -f 1 orders | paste -s -d ' ' -)"
    shorter_lines 70 | bigshuf --scatter=sums --seed=42 --batch=c --piles=64
    same 93d9dd91070eeb97661a949f8673369a "$(batch sums/c | md5)" # checksums of 0 to 140 bytes
}

test_golden_orders_of_larger_stores() { # tags: long
    local sum piles epoch
    cd "$MEMORY" || exit
    seq 1000 >a
    seq 1001 4000 >b
    golden_lines '^[0-9a-f]{32} ' >orders
    while read -r sum piles epoch; do
        if [ ! -e store$piles ]; then
            for name in a b; do bigshuf --scatter=store$piles --seed=42 --batch=$name --piles=$piles $name; done
        fi
        same $sum "$(bigshuf --gather=store$piles --seed=42 --epoch=$epoch | md5)"
    done <orders
    same '4096 4096 512 512 8 8 8' "$(awk '{ print $2 }' orders | sort | paste -s -d ' ' -)"
}

test_any_store_is_in_the_order_of_the_model() { # tags: plain
    cd "$MEMORY" || exit
    local piles
    for piles in 2 4 512; do
        make_four_batches $piles
        the_model 262144 $piles 9223372036854775808 | cmp - <(gather --epoch=9223372036854775808)
        the_model 9 $piles 1 | cmp - <(gather --epoch=1 --tune=leaf-records=9)
    done
    rm -r store
    seq 6000 >in
    add x --piles=4096 in
    model gather 42 262144 4096 3 x=in | cmp - <(gather --epoch=3)
}

# Each by itself: the batches' records in their order.
test_piles_are_the_models() {
    local name=a-batch-whose-name-goes-over-the-end-of-a-block-of-the-hash
    seq 5000 >in
    add $name --piles=8 in
    for pile in 0 5 7; do
        model pile 42 8 $name $pile <in | cmp - <(batch store/$name $pile)
    done
    same "$(model identity 42)" "$(batch store/$name | sed -n 1p)"
}

# ---- What does not matter ----

# Batches of `in` and `other` have the same piles with these options as without: same_store OPTION...
same_store() {
    rm -rf store
    add in --piles=16 "$@" in
    add other "$@" other
    { batch store/in && batch store/other && gather | md5; } >made
    [ -e wanted ] || cp made wanted
    cmp made wanted
}

test_memory_and_threads_do_not_matter_to_a_store() { # tags: threads
    more_than_memory >in
    seq 1000 >other
    same_store -S 1G --parallel=1
    same_store -S 8M
    same_store -S 8M --parallel=3
}

test_neither_the_order_of_adding_matters_nor_the_division_into_files() {
    make_four_batches 8
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

test_memory_and_threads_do_not_matter_when_it_is_gathered() { # tags: long threads
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

# They come in the same order as in the whole.
test_piles_are_named_whatever_the_epoch() {
    local epoch
    make_four_batches 8
    for epoch in 0 5; do
        gather --epoch=$epoch --only-piles=3-3 | same_lines /dev/stdin <(piles 3)
        gather --epoch=$epoch | grep -xF -f <(piles 2 3 4 5) >wanted
        gather --epoch=$epoch --only-piles=2-5 | cmp - wanted
    done
    bigshuf --gather=store --epoch=5 --only-piles=2-5 | same_lines /dev/stdin wanted
}

# Batches of two stores, and both in a third one; `copy` has copies of them.
make_copies() {
    { echo id && seq 3000; } >a
    { echo id && seq 3001 4000; } >b
    for store in 'one a' 'two b' 'both a' 'both b'; do
        bigshuf --scatter=${store% *} --piles=8 --seed=42 --batch=${store#* } --header ${store#* }
    done
    cp -R one copy
    cp two/b copy
}

test_copies_of_batches_are_as_good_as_the_store() {
    make_copies
    bigshuf --list=copy | cmp - <(bigshuf --list=both)
    bigshuf --gather=copy --seed=42 | cmp - <(bigshuf --gather=both --seed=42)
    rm copy/b
    bigshuf --gather=copy | same_lines a /dev/stdin
}

test_copies_that_are_not_complete_are_told_before_the_first_record() {
    make_copies
    while read -r file command; do
        cp two/b one/header copy
        (cd copy && eval "$command")
        fails_with 1 "bigshuf: copy/$file: *" bigshuf --gather=copy --seed=42 --only-piles=2-5 >out
        is_empty out
    done <<'END'
b truncate -s -1 b
b truncate -s -16 b
b truncate -s 100 b
b : >b
header rm header
END
    rm copy/format
    fails_with 1 'bigshuf: copy: not a store of piles*' bigshuf --gather=copy --only-piles=2-5
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
    bigshuf --gather=store -S 8M --parallel=2 -o out
    $command <out | sort | cmp - wanted
}

# Some piles are empty. A file's last line may be without an end.
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

test_a_header_is_kept_once() {
    { echo id,name; seq 100; } >one
    { echo id,name; seq 101 300; } >two
    add x --piles=4 --csv --header one two
    add y --csv --header two
    printf 'id,name\n' | cmp - store/header
    same 0 "$(piles all | grep -c name)"
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

test_many_piles_and_threads_with_few_descriptors() {
    needs_bare_program
    cd "$MEMORY" || exit
    seq 1000000 >in # or memory would limit the threads
    (ulimit -n 24 && add x -S 1G -v --piles=4096 --parallel=64 in 2>said)
    bigshuf --scatter=store --batch=y -S 1G -v --parallel=64 in 2>&1 | grep '^bigshuf: besides:' | cmp - <(grep besides: said)
    (ulimit -n 24 && gather --parallel=64) | same_lines /dev/stdin <(cat in in)
}

# ---- Output ----

test_no_output_may_be_in_a_store() {
    make_four_batches 16
    ln -s store link
    cases <<'END'
bigshuf --gather=store -o store/new =! store/new: is inside the store store; write to another folder
bigshuf -o store/B store/B =! store/B: is inside the store store; write to another folder
bigshuf --gather=store -o link/new =! link/new: is inside the store link; *
bigshuf --shards=2 -o store/%d a =! store/0: is inside the store *
(cd store && bigshuf --split=1:../new --split=1:new -o ../rest ../a) =! new: is inside the store .; *
END
    same '0.1 B a c.d-e_f format' "$(ls store | paste -s -d ' ' -)"
    rm store/format
    bigshuf -o store/B B
}

test_what_is_gathered_may_be_divided() {
    make_four_batches 16
    gather >whole
    mkdir parts
    gather --shards=7 -o parts/%d
    cat parts/* | cmp - whole
    gather --split=100:first --split=10%:second >rest
    cat first second rest | cmp - whole
    gather -n 123 | cmp - <(sed 123q whole)
    gather --only-piles=3-4 -n 10 | cmp - <(gather --only-piles=3-4 | sed 10q)
    same '' "$(gather -n 0)"
    gather --shards=records:1000 -o 'shard-%d.gz' --filter='gzip >$FILE'
    cat shard-*.gz | gzip -d | cmp - whole
}

# ---- Lists, seeds, permissions ----

test_list_is_a_table_or_for_programs_with_z() {
    make_four_batches 8
    bigshuf --list=store >list
    for line in 'a .* 1000 ' 'B .* 3000 ' '0.1 .* 500 ' 'c.d-e_f .* 0 '; do
        grep "^ *$line" list
    done
    for name in 0.1 B a c.d-e_f; do
        read -r records bytes < <(wc -lc <$name)
        printf '%s\t8\t%s\t%s\0' $name $records $bytes
    done | cmp - <(bigshuf --list=store -z)
}

test_list_advises_memory_for_the_pile_that_needs_most_not_for_the_largest() {
    (long_line 4000000; seq 1000000 | sed "s/.*/y/") | bigshuf --scatter=store --piles=2 --group-field=1 --seed=3 --batch=a
    [ "$(bigshuf --list=store | sed -n 's/.* -S \([0-9]*\)M .*/\1/p')" -gt 16 ]
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
