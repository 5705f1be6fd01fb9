# Promise 5: disk is used only for what does not fit in memory, freed at once, and never under a name.

# Shuffle MEBIBYTES of lines with -S MIB: at most D - 0.75 S is spilled, and 1 MiB if S is less than 16 MiB.
# spills_little MEBIBYTES MIB [OPTION]...
spills_little() {
    local mebibytes=$1 mib=$2 most
    shift 2
    most=$(((4 * mebibytes - 3 * mib + 4 * (mib < 16)) * 1048576 / 4))
    [ $most -ge 0 ] || most=0
    bigshuf -v -S "${mib}M" "$@" "in.$mebibytes" 2>said >/dev/null
    if [ "$(spilled said)" -gt $most ]; then
        echo "-S ${mib}M $*: $(spilled said) bytes of $mebibytes MiB were spilled, more than $most" >&2
        return 1
    fi
}

# Make file in.MEBIBYTES of what COMMAND prints, which is more, and a newline at its end: make_input MEBIBYTES COMMAND...
make_input() {
    local bytes=$(($1 * 1048576)) file=in.$1
    shift
    { head -c $((bytes - 1)) <(exec 2>/dev/null && "$@"); echo; } >"$file"
    same $bytes "$(wc -c <"$file" | tr -d ' ')"
}

test_only_what_does_not_fit_is_spilled() {
    needs_scale small
    for mebibytes in 24 40; do
        make_input $mebibytes seq 1000000 $((1000000 + 150000 * mebibytes))
        spills_little $mebibytes 32 --parallel=8
        make_input $mebibytes long_lines $((6 * mebibytes)) 150000 250000
        spills_little $mebibytes 32 --parallel=8
    done
    make_input 72 long_lines 80000 500 1500 # twice the memory: it stays in use
    spills_little 72 32 --parallel=1
}

# However many records have one key: its pile is copied from where it is, and what was in memory stays there.
test_a_key_with_any_share_of_the_records_spills_no_more() {
    needs_scale small
    for mib in $(scale '' '8 32' '8 12 32 64 128 256'); do
        for tenths in $(scale '' '3 8 10' "$(echo {0..10})"); do # and however short they are
            make_input $((mib * 5 / 4)) awk -v tenths="$tenths" -v digits=$((tenths < 4 ? 20 : 90)) \
                'BEGIN { for (;; i++) printf "%s\t%0" digits "d\n", i % 10 < tenths ? "one" : "key" i, i }'
            spills_little $((mib * 5 / 4)) "$mib" --group-field=1 --seed=7
        done
    done
}

# A record of R bytes counts as its pile: at most D - 0.75 S + R bytes are spilled, and never more than D.
test_records_nearly_as_large_as_memory_spill_little_more_than_does_not_fit() { # tags: long
    needs_scale small
    local memory=$((32 * 1048576)) record bytes most
    for twentieths in $(scale '' '9 18' '1 3 9 12 18 40'); do
        record=$((memory * twentieths / 20))
        long_line $((record - 1)) >line
        for _ in $(seq $((twentieths < 30 ? 45 / twentieths + 1 : 3))); do cat line; done >in
        bytes=$(wc -c <in | tr -d ' ')
        most=$((bytes - memory * 3 / 4 + record))
        [ $most -le "$bytes" ] || most=$bytes
        bigshuf -v -S 32M --tune=compress-temporary=never --parallel=8 --seed=4 <in 2>said >out
        cmp out in
        if [ "$(spilled said)" -gt "$most" ]; then
            echo "$(spilled said) of $bytes bytes in records of $record were spilled, more than $most" >&2
            return 1
        fi
    done
}

test_nothing_is_spilled_when_it_fits_and_no_directory_needed() {
    more_than_memory >in
    TMPDIR=/nowhere bigshuf -v -S 2G in 2>said >out
    same 0 "$(spilled said)"
}

# 50 MiB with 32 MiB of memory spill at most 26 MiB; a file's last page is counted whole.
test_a_disk_with_room_for_what_does_not_fit_is_large_enough() {
    needs_scale small
    needs_small_disk
    make_input 50 long_lines 60000 500 1500
    on_small_disk 28 bigshuf -S 32M --seed=x -T disk in.50 2>said >out
    same "bigshuf: warning: temporary files in disk are kept in memory; name another directory with -T" "$(<said)"
    bigshuf --seed=x in.50 | cmp - out
}

# The disk holds the spilled bytes and the output: if space were not given back, nearly 40 MiB would be needed, and nearly
# 60 for a single record.
test_space_is_given_back_while_output_is_written() {
    needs_scale small
    needs_small_disk
    make_input 20 long_lines 40000 100 1000
    bigshuf --seed=x in.20 >wanted
    for to in '--parallel=1 in.20 >disk/out' '--parallel=4 -o disk/out in.20'; do
        on_small_disk 28 sh -c "bigshuf --seed=x -S 8M -T disk $to && cp disk/out ." 2>said
        cmp wanted out
    done
    long_line 30000000 >in
    on_small_disk 40 sh -c "bigshuf -S 8M -T disk in >disk/out && cp disk/out ." 2>said
    cmp in out
}

# Neither to root, who may be root of a container only.
test_blocks_that_are_reserved_for_root_are_promised_to_nobody() {
    local size free available said
    stat -f -c '%S %f %a' . >numbers 2>.stderr || skip "no stat -f here"
    read -r size free available <numbers
    free=$((free * size / 1048576)) available=$((available * size / 1048576))
    [ $((free - available)) -gt 1000 ] || skip "no blocks are reserved here"
    said=$(bigshuf -i 1-9 -r -n 1000000000000000000 -o out 2>&1) || said=${said##*needed, }
    awk -v most=$((available + (free - available) / 2)) '{ exit !($1 * ($2 == "GiB" ? 1024 : 1) < most) }' <<<"$said"
}

# ---- Several directories ----

test_every_directory_is_used() {
    [ -e /proc/self/fd ] || skip "no /proc here"
    needs_bare_program
    mkdir 1 2 3
    start_half_fed -T 1 -T 2 -T 3
    for directory in 1 2 3; do
        readlink /proc/$!/fd/* >files
        [ "$(grep -c -F "$PWD/$directory/" files)" -gt 20 ]
    done
    exec 7>&-
    wait $!
}

# A write may get half-way before the disk is full.
test_a_directory_that_is_full_at_any_moment_goes_on_in_the_next() { # tags: long
    mkdir 1 2 3
    giants >in
    export FAULT_ERRNO=ENOSPC FAULT_SHORT=1 FAULT_SAYS='it succeeds'
    for how in never always; do
        fail_calls pwritev "$(scale '2 3' '2 3 40 41' "$(echo {2..100})")" \
            -S 8M --seed=1363 -T 1 -T 2 -T 3 --tune=compress-temporary=$how in
    done
}

# What does not shrink, and is more than 8 MiB of memory and a small disk hold.
more_than_a_disk() {
    head -c 12000000 /dev/urandom | base64 -w 99
}

test_all_full_is_one_message_that_names_the_directory_and_leaves_nothing() { # tags: long
    needs_small_disk
    more_than_a_disk >in
    for keys in '' --unique --group-field=1; do
        fails_with 1 'bigshuf: *temporary file in disk: No space left on device: name another directory *' \
            on_small_disk 2 bigshuf -S 8M -T disk $keys -o out < <(cat in)
        same 1 "$(grep -v -c warning .stderr)"
        fails_with 2 '*' ls out
        fails_with 1 'bigshuf: *disk/out: No space left on device' on_small_disk 2 \
            sh -c '"$@" || { ls -A disk >left; exit 1; }' sh bigshuf -S 8M -T . $keys -o disk/out < <(cat in)
        same 1 "$(grep -v -c warning .stderr)"
        is_empty left
    done
}

test_too_small_a_directory_is_told_before_the_work() {
    needs_small_disk
    more_than_memory >in
    mkfifo never
    for how in auto never; do
        fails_with 1 "bigshuf: temporary file in disk: No space left on device: about * MiB are needed, * KiB are free: *\
-T, or use a larger -S" with_mounts \
            timeout 60 sh -c 'mount -t tmpfs -o size=64k none disk && exec bigshuf -S 8M -T disk "$@" in never' \
            sh --tune=compress-temporary="$how"
    done
}

# What is spilled first does shrink.
test_a_disk_that_is_filled_by_what_does_not_shrink_is_told_as_too_small() {
    needs_small_disk
    seq -f 'and this is line number %.0f of all' 1000000 1199999 >in
    more_than_a_disk >>in
    fails_with 1 "*temporary file in disk: No space left on device: about 1[67]* MiB are needed without compression, \
which does not suffice, [89]* MiB are free: name another directory or one more with -T, or use a larger -S" \
        on_small_disk 9 bigshuf -S 8M -T disk -o out in
    fails_with 2 '*' ls out
}

# ---- Samples ----

# The bytes that a sample of what comes through a pipe spills: sample_spills MIB OPTION...
sample_spills() {
    local mib=$1
    shift
    # shellcheck disable=SC2002 # it must be a pipe
    cat in | bigshuf -v -S "${mib}M" --seed=1 "$@" 2>said >out
    spilled said
}

test_samples_of_what_fits_spill_nothing() { # tags: long
    seq "$(scale 20000 600000 600000)" >in
    same 0 "$(sample_spills 20 --weight-field=1)"
    same 0 "$(sample_spills 20 --weight-field=1 -n 1000)"
    same 0 "$(sample_spills 20 --weight-field=1 -n 300000 --keep-order)"
    same 0 "$(sample_spills 80 --weight-field=1 -r -n 1000)"
    same 0 "$(sample_spills 8 -r -n 1000)"
    same 0 "$(sample_spills 8 -n 570000 --keep-order)"
    same 0 "$(sample_spills 8 --probability=.99 --split=1:b -o a)"
}

test_samples_spill_no_more_than_does_not_fit() {
    needs_scale small
    long_lines 240000 100 300 >in # 48 MiB
    for sample in '-r -n 1000' '-n 238000 --keep-order' '--probability=.99 --split=1:b -o a'; do
        [ "$(sample_spills 32 $sample)" -le $((24 * 1048576)) ]
    done
}

# The bytes that an order of random bytes spills, which is left in `out`: order_spills MIB INPUT
order_spills() {
    bigshuf -v -S "$1M" --random-source=<(yes 42) "$2" 2>said >out
    spilled said
}

# 4 bytes for each record are in memory beside them. Input from a pipe is spilled twice.
test_orders_of_random_bytes_spill_only_what_does_not_fit() { # tags: long
    local most
    seq "$(scale 20000 4000000 4000000)" >in
    same 0 "$(order_spills 64 <(cat in))"
    mv out wanted
    needs_scale small
    most=$(($(wc -c <in) + 4 * $(wc -l <in) - 18 * 1048576))
    [ "$(order_spills 24 in)" -le $most ]
    cmp out wanted
    [ "$(order_spills 24 <(cat in))" -le $((2 * most)) ]
    cmp out wanted
}

# But weights, of 16 bytes for each record.
test_what_can_be_read_again_is_not_spilled() { # tags: long
    local most=0 records
    records=$(scale 20000 1200000 2000000)
    seq "$records" >in
    for sample in '-r -n 1000' '--weight-field=1 -r -n 1000'; do
        bigshuf -v -S 8M --seed=1 $sample in 2>said >out
        [ "$(spilled said)" -le $most ]
        most=$((16 * records))
        # shellcheck disable=SC2002
        cat in | bigshuf -S 64M --seed=1 $sample | cmp - out
        bigshuf -S 8M --seed=1 $sample <in | cmp - out
    done
}

# ---- Room for the output ----

# On a disk of 4 MiB a run fails at once, with NAME in front of the message, and keeps the old file: no_room NAME
# COMMAND...
no_room() {
    local name=$1
    shift
    [ -e never ] || mkfifo never
    fails_with 1 "bigshuf: $name: No space left on device: about * are needed, [1234]* MiB are free; write to another disk" \
        on_small_disk 4 sh -c 'echo old >disk/old && timeout 60 "$@" && exit 9; status=$?; ls -A disk >left; exit $status' sh "$@"
    same old "$(paste -s -d ' ' left)"
}

test_an_output_without_room_is_told_before_the_work() { # tags: long
    needs_small_disk
    more_than_memory >in
    no_room disk/new bigshuf -o disk/new in never
    no_room disk/old bigshuf -o disk/old in never
    no_room disk/new bigshuf --random-source=in -o disk/new in never
    no_room 'disk/0 and the other files' bigshuf --shards=3 -o disk/%d in never
    no_room 'disk/00 and the other files' bigshuf --shards=20 -o disk/%02d in never
    no_room disk/0 bigshuf --shards=records:10 -o disk/%d in never
    no_room 'disk/a and the other files' bigshuf --split=1%:disk/a -o disk/new in never
    no_room disk/new bigshuf -i 1-10000000 -o disk/new
    no_room disk/new bigshuf -i 1-10000000 -n 1000000 -o disk/new
    no_room disk/new bigshuf -i 100-10000000 -r -n 2000000 -o disk/new
    no_room disk/new bigshuf -i 0-18446744073709551615 -o disk/new
    fails_with 1 'bigshuf: write error: No space left on device: about * MiB are needed, 4* MiB are free; write to another disk' \
        on_small_disk 4 timeout 60 sh -c 'bigshuf in never >disk/out'
    fails_with 1 'bigshuf: disk/out: No space left on device' on_small_disk 4 bigshuf -S 8M -o disk/out < <(cat in)
    fails_with 1 'bigshuf: write error: No space left on device' \
        on_small_disk 4 sh -c 'cat in | bigshuf -S 8M >disk/out'
}

test_what_may_be_shorter_than_the_input_is_not_refused() {
    needs_small_disk
    more_than_memory >in
    on_small_disk 4 bigshuf -n 10 -o disk/new in
    on_small_disk 4 bigshuf -r -n 10 -o disk/new in
    seq 3000000 | tr 0-9 y >alike
    on_small_disk 4 bigshuf --unique -S 8M -T disk --tune=compress-temporary=never -o disk/new alike
    on_small_disk 4 bigshuf --probability=0.001 -o disk/new in
    on_small_disk 4 bigshuf --shards=3 --filter='tail -n 1 >$FILE' -o disk/%d in
    on_small_disk 4 bigshuf --split=10:disk/a in >out
    bigshuf --scatter=store --piles=4 --batch=x in
    on_small_disk 4 bigshuf --gather=store -n 10 -o disk/new
    no_room disk/new bigshuf --gather=store -o disk/new
}

test_numbers_that_will_not_fit_a_temporary_directory_are_told_before_the_work() {
    needs_small_disk
    advice='name another directory or one more with -T, or use a larger -S'
    fails_with 1 "bigshuf: temporary file in disk: No space left on device: about 1[56]* MiB are needed, 5* MiB are free: $advice" \
        on_small_disk 5 bigshuf -S 8M -T disk -i 1-3000000 --tune=compress-temporary=never
    fails_with 1 "bigshuf: temporary file in disk: No space left on device: about 1[56]* MiB are needed, 3* MiB are free: $advice" \
        on_small_disk 3 bigshuf -S 8M -T disk -i 1-3000000
    # by what is written first; another thread may warn just then
    fails_with 1 "*bigshuf: temporary file in disk: No space left on device: about 1[56]* MiB are needed without compression, \
which does not suffice, 5* MiB are free: $advice*" \
        on_small_disk 5 bigshuf -S 8M -T disk -i 1-3000000
}

# Nobody knows beforehand how much compressing leaves. Lines of 100 bytes that repeat shrink to a tenth.
test_what_fits_only_compressed_is_not_refused() {
    needs_small_disk
    awk -v text="$(seq -s ' ' 40)" 'BEGIN { for (i = 0; i < 180000; i++) print i, text }' >in
    bigshuf --seed=x in >wanted
    on_small_disk 12 bigshuf -S 8M --seed=x -T disk -v in 2>said | cmp - wanted
    grep -q '^bigshuf: compressed: ' said
    on_small_disk 8 bigshuf -S 8M --seed=x -T disk --tune=compress-temporary=always in 2>said | cmp - wanted
    on_small_disk 8 bigshuf -S 8M --seed=x -T disk < <(cat in) 2>said | cmp - wanted
    fails_with 1 'bigshuf: temporary file in disk: No space left on device: *' \
        on_small_disk 12 bigshuf -S 8M --seed=x -T disk --tune=compress-temporary=never in
}

test_a_directory_that_cannot_be_used_is_told_before_the_work() {
    : >file
    fails_at_once 'bigshuf: temporary file in file: Not a directory' -T file never
    needs_ordinary_user
    mkfifo never
    mkdir read-only
    chmod 555 read-only
    fails_with 1 'bigshuf: temporary file in read-only: Permission denied' as_ordinary_user ./bigshuf -T read-only never
}

test_a_directory_that_vanished_is_one_message() {
    mkdir vanishing
    mkfifo pipe
    start bigshuf -S 8M -T vanishing pipe >out 2>said
    exec 7>pipe
    seq 1000 >&7
    rmdir vanishing
    more_than_memory >&7 2>/dev/null || true
    exec 7>&-
    fails_with 1 '' wait $!
    same 'bigshuf: temporary file in vanishing: No such file or directory' "$(<said)"
}

test_tmpdir_is_used_and_t_goes_before_it() {
    more_than_memory >in
    fails_with 1 'bigshuf: temporary file in /nowhere: *' env TMPDIR=/nowhere bigshuf -S 8M in
    mkfifo pipe
    exec 7<>pipe # from which nothing comes
    fails_with 1 'bigshuf: temporary file in /nowhere: *' env TMPDIR=/nowhere timeout 60 bigshuf <&7
    same 3 "$(seq 9 | TMPDIR=/nowhere bigshuf -n 3 | wc -l | xargs)"
    fails_with 1 'bigshuf: temporary file in /never: *' env TMPDIR="$PWD" bigshuf -S 8M -T /never in
    TMPDIR=/nowhere bigshuf -S 8M -T . in >out
}

# ---- No names ----

test_temporary_files_have_no_names() {
    mkdir temporary
    start_half_fed -T temporary
    same '' "$(ls -A temporary)"
    exec 7>&-
    wait $!
    same '' "$(ls -A temporary)"
    more_than_memory >in # and without O_TMPFILE, none for long
    FAULT_CALL=open_anonymous FAULT_AT=1 FAULT_STAYS=1 FAULT_ERRNO=ENOTSUP bigshuf-faulty -S 8M -T temporary in >out
    same_lines in out
    same '' "$(ls -A temporary)"
}
