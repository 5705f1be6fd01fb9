# Threads at hostile moments: in the hostile build a seed decides who runs when (tests/support/moments.c), so each test
# is done with many seeds. One that fails names its seed, which does it again: SEED=S ROUNDS=1.

: "${ROUNDS:=10}" "${SEED:=1}"

# These sizes of the hostile build are so (hostile.h), and it has all of them: sizes NAME=SIZE...
sizes() {
    local size known
    known=$(BIGSHUF_SIZES='?' command bigshuf --version 2>&1)
    for size; do
        grep -q "^${size%=*}=" <<<"$known"
    done
    export BIGSHUF_SIZES="$*"
}

# Little memory, small blocks, and no input too small for that: small inputs are spilled by several threads.
SMALL=(shuffle/engine:ENGINE_{BLOCK_BITS=10,UNITS=16} shuffle/engine:QUEUE_BLOCK_{MIN,MANY}"=64"
    shuffle/gather:CLAIM_BYTES=4096 job/supply:SUPPLY_SMALL_BYTES=1)
sizes "${SMALL[@]}"

cd "$MEMORY" || exit

# Do COMMAND with one seed after another. Who hangs is ended, which fails.
rounds() {
    trap '[ $? = 0 ] || { cat said && echo "failed with SEED=$BIGSHUF_MOMENTS"; } >&2' EXIT
    for BIGSHUF_MOMENTS in $(seq "$SEED" $((SEED + ROUNDS - 1))); do
        export BIGSHUF_MOMENTS
        "$@"
    done
}

bigshuf() {
    timeout -k 1 60 bigshuf --parallel=4 --seed=42 "$@"
}

# Every command of a row succeeds, and they print what they do without a seed.
is_as_ever() {
    eval "$1" >.out 2>said
    same "$1: $wanted" "$1: $(md5 .out)"
}

# Each line of standard input is a command, which prints the same whoever runs when.
same_in_all_rounds() {
    local command wanted
    while IFS= read -r command <&9; do
        unset BIGSHUF_MOMENTS
        eval "$command" >.out 2>said
        wanted=$(md5 .out)
        rounds is_as_ever "$command"
    done 9<&0 </dev/null
}

test_orders_in_memory() {
    seq 30000 >in
    long_lines 30 5000 50000 >long
    same_in_all_rounds <<'END'
        bigshuf -S 64M in
        cat in | bigshuf -S 64M
        bigshuf -S 64M -n 1000 in long
        bigshuf --records=csv in long in
        bigshuf --tune=leaf-records=8 in
        bigshuf --progress=always in
END
}

test_orders_of_what_is_spilled() {
    seq 160000 >in
    long_lines 30 5000 50000 >long
    same_in_all_rounds <<'END'
        bigshuf -S 8M in long
        cat in | bigshuf -S 8M --tune=compress-temporary=always -T . -T /dev/shm
        (ulimit -n 22; bigshuf -S 8M in)
        bigshuf -S 8M --tune=leaf-records=8 in
        bigshuf -S 8M -n 155000 --progress=always in
        bigshuf -S 8M -r -n 100000 in
        bigshuf -S 8M -t 5 --group-field=1 in long
        sed 's/^/key\t/' in long | bigshuf -S 8M --group-field=1
END
}

test_programs_beside_threads() {
    seq 20000 >in
    seq 9000 | gzip -1 >a.gz
    seq 200 | gzip -1 >b.gz
    same_in_all_rounds <<'END'
        bigshuf -S 8M -Z in a.gz b.gz
        bigshuf --shards=3 --filter='cat >$FILE' -o f%d in; cat f?
        bigshuf -Z --shards=3 -o z%d.gz a.gz b.gz; zcat z?.gz
        bigshuf -Z --progress=always in b.gz
END
}

test_several_files_and_classes() {
    seq 9000 | sed 's/\(.\).*/&\t\1/' >in
    same_in_all_rounds <<'END'
        bigshuf --split=10%:t --split=20%:v -o r in; cat t v r
        bigshuf -S 8M --stratify-field=2 --split=20%:t -o r in; cat t r
        bigshuf --split-field=2 --split=20%:t -o r in; cat t r
        bigshuf --shards=20 -o s%02d in; cat s??
        bigshuf -t 5 --group-field=1 --shards=3 -o g%d in; cat g?
END
}

# A signal comes at a moment of the seed, or just before a file gets its name for the time being.
is_ended() {
    local status=0
    echo old >out/s3
    export FAULT_AT=$((BIGSHUF_MOMENTS % 5 + 1))
    bigshuf --shards=100 -o out/s%d in 2>said || status=$?
    if [ $status = 0 ]; then
        cat out/* | same_lines in /dev/stdin
    else
        same "143 s3 old" "$status $(ls -A out) $(cat out/s3)"
    fi
    same '' "$(sed '/^Terminated$/d' said)"
    rm out/*
}

test_sigterm_at_any_moment_leaves_all_files_or_none() {
    bigshuf() {
        timeout -k 1 60 bigshuf-faulty --parallel=4 --seed=42 "$@"
    }
    sizes "${SMALL[@]/CLAIM_BYTES=4096/CLAIM_BYTES=50}"
    mkdir out
    seq 600 >in
    FAULT_CALL=list_next BIGSHUF_SIGNAL=15 rounds is_ended # a call for stores alone
    FAULT_CALL=link_descriptor FAULT_RUN='kill -TERM $PPID' rounds is_ended
}

# Several processes, each with moments of its own, at some of which those that fill it leave the others time.
fill_a_store() {
    local batch jobs=() BIGSHUF_MOMENTS=$BIGSHUF_MOMENTS.
    rm -rf store
    for batch in 1 2 3; do
        BIGSHUF_MOMENTS+=$batch
        BIGSHUF_OTHERS=1 bigshuf --scatter=store --piles=8 --batch=$batch "in$batch" &
        jobs+=($!)
    done
    wait_until test -e store/format
    until [ -e store/1 ] && [ -e store/2 ] && [ -e store/3 ]; do
        BIGSHUF_MOMENTS+=.
        bigshuf --sweep=store >swept
        bigshuf --gather=store >some 2>said || grep -q 'the store has no batches' said
        case $(wc -l <some) in 0 | 300 | 2700 | 3000 | 6000 | 6300 | 8700 | 9000) ;; *) false ;; esac
    done
    wait "${jobs[0]}"
    wait "${jobs[1]}"
    wait "${jobs[2]}"
    same '1 2 3 format' "$(ls -A store | paste -s -d ' ' -)"
    bigshuf --gather=store | same_lines all /dev/stdin
}

test_batches_come_whole_while_others_look() {
    seq 300 >in1
    seq 301 3000 >in2
    seq 3001 9000 >in3
    cat in? >all
    rounds fill_a_store
}
