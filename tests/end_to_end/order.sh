# Promise 3: the order is a function of the seed and the number of records alone.
# tags: plain

# The golden orders: fixed for ever, since people pin seeds in papers.

test_golden_orders() { # tags: bytes
    cases <<'END'
seq 10 | bigshuf --seed=42 => 10 5 9 3 2 4 8 7 6 1
seq 20 | bigshuf --seed=42 => 19 10 5 9 13 3 2 4 15 8 14 7 16 18 11 12 17 6 20 1
seq 100000 | bigshuf --seed=42 --tune=leaf-records=8 | md5 => bff3e53e870389f75b2c9c8306970bd5
seq 200000 | bigshuf --seed=42 --tune=leaf-records=64 | md5 => 0f875d3e4e9e727b341fe7459903256c
# The hash of the seed, whose last block is full, or needs one more.
for n in 1 32 55 56 57 63 64 65 119 120 128; do bigshuf --seed=$(printf %0${n}d) -i 1-30; done | md5 => aefe54eb4a4f4c676d96ff9362a210e0
# So rare that it was looked for: a random word is rejected, without which some results would be likelier than others by
# about 1 in 2^20.
seq 1000000 | bigshuf --seed=2 | md5 => 9fbc22727e217aba9013a77c1981c9db
END
}

test_golden_orders_of_many() {
    needs_scale full
    cases <<'END'
seq 30000000 | bigshuf --seed=42 | md5 => c1b075a5695cae13f3365a1ae972264e
seq 200000000 | bigshuf --seed=42 -S 256M -T . | md5 => e95dcfe67be62801d09419311f8ea871
END
}

# ---- The model ----

test_any_order_is_the_models() {
    local row most
    most=$(scale 5000 65537 70000)
    for row in '0 8' '1 8' '2 8' '3 8' '8 8' '9 8' '9 9' '10 9' '100 8' '511 9' '512 262144' '513 8' '1025 9' '4096 262144' \
        '4097 8' "$most 8" "$most 262144"; do
        set -- $row
        seq $1 >in$1
        bigshuf --seed=42 --tune=leaf-records=$2 in$1 >out$1.$2
        echo in$1 out$1.$2 42 $2
    done >plan
    model check <plan
    for seed in $'-\377\n' 'a longer seed than one block of the hash, which is sixty-four bytes, would ever hold'; do
        bigshuf --seed="$seed" --tune=leaf-records=100 in$most | cmp - <(model "$seed" 100 <in$most)
    done
}

test_the_order_of_piles_that_are_started_over_is_the_models() { # tags: long threads
    local seed leaf
    giants >in
    for seed in 1363 1520; do # for each of them some piles are started over twice
        for leaf in 8 262144; do
            bigshuf -v -S 8M --seed=$seed --tune=leaf-records=$leaf in 2>said | cmp - <(model $seed $leaf <in)
            grep -E 'started over: +[12] ' said
        done
    done
}

# Of a store of two piles, since others are so large only with very large inputs. In memory, piles of short records are
# divided, those of long ones are not; they are started over where they do not fit.
test_golden_order_of_piles_larger_than_a_leaf() { # tags: long
    local file
    needs_scale small
    seq 600000 >short
    sed 's/$/ and as much more as it takes not to be copied once more/' short >long
    for file in short long; do
        bigshuf --scatter=$file.store --piles=2 --batch=a --seed=1 $file
        same 1fb34bb6f6ae9121d05f5a12032917c4 \
            "$(bigshuf --gather=$file.store --seed=1 -S 64M --parallel=3 | sed 's/ .*//' | md5)"
    done
    same 1fb34bb6f6ae9121d05f5a12032917c4 \
        "$(bigshuf --gather=long.store --seed=1 -S 8M --parallel=1 | sed 's/ .*//' | md5)"
    same f77ceb7ceb992441a0ff80b4b93e4930 \
        "$(bigshuf --tune=leaf-records=64 --gather=short.store --seed=1 -S 64M | md5)"
}

# ---- What does not matter ----

# The order of file `in` is the same with these options as without: same_order OPTION...
same_order() {
    [ -e wanted ] || bigshuf -S 2G --parallel=1 --seed=x in >wanted
    bigshuf --seed=x "$@" in | cmp - wanted
}

test_memory_does_not_matter() { # tags: threads
    more_than_memory >in
    for size in 8M 9M 16M 64M 100M 2G; do
        same_order -S $size
    done
    same_order
    bigshuf -S 8M --seed=7 --tune=leaf-records=64 in | cmp - <(bigshuf -S 2G --seed=7 --tune=leaf-records=64 in)
}

test_threads_do_not_matter() { # tags: threads
    more_than_memory >in
    for threads in 1 2 3 4 8 100; do
        same_order -S 8M --parallel=$threads
    done
    for threads in 2 3; do
        same_order -S 32M --parallel=$threads
        same_order -S 2G --parallel=$threads
    done
}

test_temporary_directories_pipes_and_files_do_not_matter() { # tags: threads
    more_than_memory >in
    mkdir 1 2 3 4
    same_order -S 8M -T 1
    same_order -S 8M -T 1 -T 2 -T 3 -T 4
    same_order -S 8M -T 1 -T 1 -T 2 --parallel=3
    for size in 8M 2G; do
        bigshuf -S $size --seed=x <in | cmp - wanted
        more_than_memory | bigshuf -S $size --seed=x | cmp - wanted
    done
    bigshuf -S 8M --seed=x -o out <in
    cmp out wanted
    split -l 1234567 in part
    bigshuf -S 8M --seed=x part* | cmp - wanted
}

test_record_lengths_and_the_delimiter_do_not_matter() { # tags: threads
    long_lines "$(scale 1500 4000 20000)" 1000 10000 >long
    sed 's/ .*//' long >short
    bigshuf --seed=x short >wanted
    bigshuf -S 8M --seed=x long | sed 's/ .*//' | cmp - wanted
    tr '\n' '\0' <short | bigshuf -z --seed=x | tr '\0' '\n' | cmp - wanted
}

# ---- The seed ----

test_a_run_is_repeated_with_the_seed_that_v_prints() {
    seq 100000 >in
    bigshuf -v in >out 2>said
    seed=$(sed -n 's/^bigshuf: seed: *//p' said)
    same 64 ${#seed}
    bigshuf -v --seed="$seed" in 2>again | cmp - out
    grep -E "^bigshuf: seed: +$seed\$" again
}

# ---- Every order is equally likely ----

# With fixed seeds, so it passes always or never; the right program would fail with one seed in a thousand. With more
# samples, and in all ways: make check-statistics.
test_orders_samples_and_stores_are_as_likely_as_promised() { # tags: long
    needs python3
    needs_scale small
    SEED=1 SCALE=1 ONLY='^(piles of two|seeds s|epochs|--strat.*quarters|--requests, set)' \
        python3 "$TOP/tests/statistics/check.py"
}
