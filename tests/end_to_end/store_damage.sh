# Stores that are not as they were written, and what is none: named in one line, and nothing of it comes out.

. "$TOP/tests/support/stores.sh"

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
        [[ $(<.stderr) != *$'\n'* ]]
        same old "$(<out)"
    done
    [ ! -e new ]
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

# ---- What is no store, or no batch ----

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
        [[ $(<.stderr) != *$'\n'* ]]
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

# ---- Words ----

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

test_more_names_than_a_manifest_takes_are_told_before_the_work() { # tags: long
    seq 10 >"$(printf %0250d 0)"
    yes "$(echo 0*)" 2>said | head -n 34000 | tr '\n' '\0' >names || true
    fails_with 1 'bigshuf: store/x: the names of its inputs take more than 8 MiB: make several batches' \
        add x --files0-from=names
    same format "$(ls -A store)"
}

test_another_header_is_told() {
    { echo id; seq 100; } >one
    { echo name; seq 100; } >two
    add x --piles=4 --header one
    fails_with 1 'bigshuf: store/header: *' add y --header two
    fails_with 1 'bigshuf: store/format: *header*' add y two
    batches header x
}
