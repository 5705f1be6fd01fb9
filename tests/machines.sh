# A program for another machine or libc writes the same bytes as the usual one, $NATIVE, and each reads the stores of the
# other. `make check-machines` runs these tests, those of golden orders, and the unit tests that concern machines.

# With either program as bigshuf, and in a folder of its own, ours or theirs, a command of the shell writes the same: on_both
# COMMAND...
on_both() {
    local command
    mkdir -p bin
    ln -sf "$NATIVE" bin/bigshuf
    for command; do
        rm -rf ours theirs
        mkdir ours theirs
        (cd ours && PATH=$OLDPWD/bin:$PATH eval "$command" >out 2>said </dev/null) || same "$command" "$(<ours/said)"
        (cd theirs && eval "$command" >out 2>said </dev/null) || same "$command" "$(<theirs/said)"
        diff -r ours theirs
    done
}

# Put a weight and a class before each line.
weigh_and_class() {
    awk '{ print NR % 10 "\tc" int(NR / 7) % 50 "\t" $0 }'
}

test_any_output_is_the_same() {
    more_than_memory | weigh_and_class >in
    giants >large
    cut -f 1 in >weights
    on_both 'bigshuf -S 8M --seed=1 --parallel=3 ../in' \
        'bigshuf -S 8M --seed=1 --parallel=1 --tune=leaf-records=8 <(cat ../in)' \
        'bigshuf -S 8M --seed=1 --parallel=2 --tune=compress-temporary=always <(cat ../in)' \
        'bigshuf -S 8M --seed=1363 --tune=compress-temporary=always ../large' \
        'bigshuf -S 64M --seed=1 --parallel=3 ../in' \
        'bigshuf -S 64M --seed=1 --parallel=3 <(cat ../in)' \
        'bigshuf -S 8M --seed=1 -r -n 30000 <(cat ../in)' \
        'bigshuf -S 8M --seed=1 -n 5000 --skip=90000 ../in' \
        'bigshuf -S 8M --seed=1 -n 5000 --keep-order ../in' \
        'bigshuf -S 8M --seed=1 --probability=0.3 <(cat ../in)' \
        'bigshuf -S 8M --seed=1 --part=2/3 ../in' \
        'bigshuf -S 8M --seed=1 --weight-field=1 ../in' \
        'bigshuf -S 64M --seed=1 --weight-field=1 -r -n 30000 ../in' \
        'bigshuf -S 64M --seed=1 --weights=../weights -n 30000 <(cat ../in)' \
        'bigshuf -S 8M --seed=1 --split-field=2 --split=10%:a --split=20%:b -o rest ../in' \
        'bigshuf -S 8M --seed=1 --stratify-field=2 --split=10%:a --split=20.5%:b -o rest <(cat ../in)' \
        'bigshuf -S 64M --seed=1 --group-field=2 --shards=3 -o part-%d ../in' \
        'bigshuf --seed=1 -n 3 -i 4294967000-99999999999999' \
        'bigshuf --seed=1 -r -n 3 --skip=4 -i 4294967000-99999999999999' \
        'bigshuf --seed=1 -i 4294967000-4294967500'
}

# With this seed, the record behind the first 4 GiB is the first of the order.
test_sizes_may_have_more_than_32_bits() {
    cd "$MEMORY" || exit
    truncate -s 4G in
    long_line 1048575 | tee last >>in
    bigshuf -S 64M --seed=7199 --records=bytes:1M -n 1 in | cmp - last
}

test_stores_are_the_same_and_read_by_the_other() {
    more_than_memory >in
    seq 1001 4000 >$'gr\303\266\303\237er' # a name with bytes that are below 0 where char has a sign
    on_both 'bigshuf -S 8M --parallel=1 --scatter=store --seed=42 --batch=a --piles=8 ../in'
    mkdir written
    mv ours theirs written
    on_both 'cp -r ../written/ours/store . && bigshuf --scatter=store --seed=42 --batch=b ../gr* && bigshuf --gather=store --seed=42' \
        'cp -r ../written/theirs/store . && bigshuf --scatter=store --seed=42 --batch=b ../gr* && bigshuf --gather=store --seed=42' \
        'cp -r ../written/theirs/store . && bigshuf -S 8M --gather=store --seed=42 --epoch=9223372036854775808 --only-piles=2-5'
}
