# Compressed temporary files: the same order, never a short output, and nothing left behind.

test_whether_temporary_files_are_compressed_changes_nothing_else() {
    more_than_memory >in
    bigshuf --seed=x in >wanted
    for when in auto always never; do
        bigshuf -S 8M --seed=x --parallel=4 --tune=compress-temporary=$when in | cmp - wanted
        bigshuf -S 8M --seed=x --parallel=1 --tune=compress-temporary=$when -v <(cat in) 2>said | cmp - wanted
        grep -q 'spilled: .*[1-9][0-9]* bytes' said
        cp said "said_$when"
    done
    grep -q 'compressed: .*[0-9] bytes to [1-9][0-9]* bytes' said_always
    fails_with 1 '' grep 'compressed:' said_never
}

test_piles_started_over_and_samples_are_the_same_whether_compressed_or_not() {
    giants >in
    for options in "--tune=leaf-records=8" "-r -n 1000" "-n 100000 --keep-order"; do
        bigshuf --seed=1363 $options in >wanted
        for when in auto always never; do
            bigshuf -S 8M --seed=1363 $options --tune=compress-temporary=$when in | cmp - wanted
        done
    done
}

# Each frame has a header.
test_random_bytes_take_hardly_more_room() {
    head -c 12000000 /dev/urandom >in
    bigshuf -v -S 8M --tune=compress-temporary=always --records=bytes:10000 in 2>said >out
    awk '/compressed:/ { exit !($6 > $3 && $6 < $3 * 1.001) }' said
}

# A disk that takes 50 MB a second is slower than compressing, also on a busy machine; that is noticed after 80 MiB.
test_a_slow_disk_is_noticed() { # tags: long
    needs_scale small
    [ -e /proc/thread-self/schedstat ] || skip "this system does not tell how long threads wait for processors"
    awk -v text="$(seq -s ' ' 100)" 'BEGIN { for (i = 0; i < 100000; i++) print i, text }' >in
    same "$(bigshuf --seed=x in in in in in | cksum)" \
        "$(FAULT_RATE=50 bigshuf-faulty -S 8M --seed=x -v in in in in in 2>said | cksum)"
    awk '/compressed:/ { less = $6 < $3 * 0.9 } END { exit !less }' said
}

test_frames_that_have_changed_are_found() {
    giants >in
    export FAULT_NEEDED=preadv FAULT_SAYS='bigshuf: temporary file in *' FAULT_PIPED=1
    for how in FAULT_DAMAGE FAULT_END; do
        export $how=1
        fail_calls preadv "$(scale '2 3' '2 31' "$(echo {2..101})")" --seed=1 -S 8M --tune=compress-temporary=always <in
        unset $how
    done
}
