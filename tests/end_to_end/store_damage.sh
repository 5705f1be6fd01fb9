# Stores that are not as they were written, and what is none: named in one line, and nothing of it comes out.

. "$TOP/tests/support/stores.sh"

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

# File and what happens to it.
test_what_is_not_as_it_was_is_told() {
    local file change
    { echo id; seq 1000; } >in
    add x --piles=4 --header in
    add y --header in
    mv store sound
    while read -r file change; do
        rm -rf store moved
        cp -R sound store
        (cd store && eval "$change")
        names_damage "$file"
    done <<'END'
x truncate -s -1 x
x truncate -s 4200 x
x echo more >>x
x : >x
x mv x ../moved && ln -s ../moved x
x rm x && mkfifo x
x rm x && mkdir x
header echo ID >header
header rm header
format sed 's/4 piles/8 piles/' format >f && cat f >format && rm f
END
}

# Print where a byte of a pile of a small batch is in its file: byte_of NAME PILE NUMBER.
byte_of() {
    batch store/$1 | awk -v pile=$2 -v at=$((4096 + $3)) 'NR > 1 && NR < pile + 2 { at += $2 } END { print at }'
}

# The other piles can still be read.
test_nothing_of_a_damaged_pile_is_written() {
    make_sound_store
    gather >sound
    piles 1 >damaged
    printf X | dd of=store/y bs=1 seek="$(byte_of y 1 50)" conv=notrunc 2>.stderr
    fails_with 1 'bigshuf: store/y: pile 1: contents have changed since they were written' gather --parallel=1 >out
    cmp out <(head -c "$(wc -c <out)" sound)
    fails_with 1 '' grep -xF -f damaged out
    gather --only-piles=2-3 >out
}

# In a format with keys, a manifest, an end or a pile. What stands before the first pile is not looked at.
test_a_flipped_bit_of_any_byte_is_told_or_has_no_effect() {
    local file at bit bytes
    cd "$MEMORY" || exit
    seq 9 | add x --piles=2 --group-field=1
    gather >sound
    for file in x format; do
        cp store/$file true
        read -r -d '' -a bytes < <(od -An -v -tu1 true) || true
        for ((at = ${#bytes[@]} - 1; at >= 0; at--)); do
            [ $file$at != x4095 ] || at=15
            for bit in $(scale 1 1 '1 2 4 8 16 32 64 128'); do
                printf %b "\\x$(printf %x $((bytes[at] ^ bit)))" | dd of=store/$file bs=1 seek=$at conv=notrunc status=none
                if gather >out 2>said; then
                    cmp out sound
                    same x $file
                    [ $at -lt 16 ]
                else
                    grep -q "^bigshuf: store/$file: " said
                    is_empty out
                fi
            done
            cp true store/$file
        done
    done
}

test_a_batch_that_is_damaged_is_not_taken_for_there() {
    make_sound_store
    truncate -s -1 store/x
    refused 'bigshuf: store/x: no batch, or cut short: *' x in
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
        bigshuf --list=folder =! folder: not a store of piles; --scatter makes one
        bigshuf --scatter=file file =! file: *
        bigshuf --scatter=none/store file =! none/store: No such file or directory
        ls => file folder
END
}

# All that read batch x say the same of it, in one line: all_say MESSAGE.
all_say() {
    for command in 'bigshuf --list=store' 'gather -o out' 'add x in'; do
        fails_with 1 "$1" $command
        [[ $(<.stderr) != *$'\n'* ]]
    done
    [ ! -e out ]
}

test_a_name_that_is_no_batch_is_told_by_all() {
    seq 100 >in
    add x --piles=4 in
    echo junk >store/x
    all_say 'bigshuf: store/x: no batch, or cut short: move it out of the store, and add the batch again if it was one'
    rm store/x
    mkdir store/x
    all_say 'bigshuf: store/x: not a regular file'
    mv store/x store/junk
    add y in # which does not look at it
    fails_with 0 'bigshuf: warning: store/junk: not a regular file' add z --keep-newest=1 in
    batches junk z
}

test_a_store_of_another_version_is_told() {
    seq 10 | add x --piles=4
    sed -i 's/store 3/store 2/' store/format
    fails_with 1 'bigshuf: store/format: a store of an earlier version: scatter again, or gather it with that version and *' gather
    sed -i 's/store 2/store 4/' store/format
    fails_with 1 'bigshuf: store/format: a store of a later version' gather
}

test_a_batch_that_may_not_be_read_is_told_by_all() {
    needs_ordinary_user
    seq 100 >in
    ./bigshuf --scatter=store --seed=42 --batch=x --piles=4 in
    chmod 777 store
    chmod 000 store/x
    for command in '--list=store' '--gather=store' '--scatter=store --seed=42 --batch=x in'; do
        fails_with 1 'bigshuf: store/x: Permission denied' as_ordinary_user ./bigshuf $command
    done
}

test_a_lock_of_somebody_who_may_only_read_hinders_nobody() {
    needs flock
    [ "$(uname)" = Linux ] || skip "its locks are those of readers, too"
    seq 100 >in
    add x --piles=4 in
    exec 9<store/x
    flock -x -n 9
    bigshuf --list=store | grep '^x '
    gather | same_lines in /dev/stdin
    nothing_added x in
    exec 9<&-
}

test_a_folder_of_too_many_names_is_told_by_all() {
    cd "$MEMORY" || exit
    seq 100 >in
    add x --piles=4 in
    (cd store && seq -f %.0f~ 32767 | xargs touch)
    for command in 'bigshuf --list=store' 'gather' 'bigshuf --sweep=store'; do
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
    mkdir -p store/.a/b store/.c
    for inner in store/day2 store/.c store/.a/b link/day3; do
        fails_with 1 "bigshuf: $inner/..*: is a store, in which there can be no other; name a folder elsewhere" \
            bigshuf --scatter=$inner in
        case $inner in */day?) [ ! -e "$inner" ] || false ;; esac
    done
    (cd store/.c && fails_with 1 'bigshuf: ./..: is a store, *' bigshuf --scatter=. ../../in)
    fails_with 1 'bigshuf: *' bigshuf --scatter=store/../store/day4 in
    rm -r store/.a store/.c
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
    for option in --piles={3,0,1,8192,-2,x,,4K} --keep-newest={0,-1,x,} --batch={../x,.x,,a/b,'a b',header,format} \
        --batch=$'a\nb' --batch="$(printf %0201d 0)"; do
        fails_at_once "bigshuf: *${option%%=*}*" --scatter=store "$option" never
    done
    seq 10 | add x --piles=64
    for option in --only-piles={9-3,-1,x,3-,-3,1-2-3,,1K,64,64-64,63-64,0-512,0-18446744073709551616} \
        --epoch={-1,x,,18446744073709551616} in; do
        name=${option%%=*} name=${name#--only-}
        fails_with 1 "bigshuf: *${name%s}*" gather -o out "$option"
    done
    is_empty out
    same 'never out store' "$(ls | paste -s -d ' ' -)"
}

test_another_header_is_told() {
    { echo id; seq 100; } >one
    { echo name; seq 100; } >two
    add x --piles=4 --header one
    fails_with 1 'bigshuf: store/header: *' add y --header two
    fails_with 1 'bigshuf: store/format: *header*' add y two
    batches header x
}
