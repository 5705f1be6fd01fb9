# --each: parallel files, each shuffled by itself, all in one order.

# The outputs of --each in new/, of FILEs a.en and a.de, are those of a run for each with the same options.
same_as_alone() {
    mkdir -p new alone
    bigshuf --seed=7 --each -o 'new/%s' "$@" a.en a.de
    for name in a.en a.de; do
        bigshuf --seed=7 -o alone/$name "$@" $name
        cmp new/$name alone/$name
    done
    rm -r new alone
}

make_files() {
    seq "$1" | sed 's/^/e/' >a.en
    seq "$1" | sed 's/.*/  d& &/' >a.de
}

test_each_file_is_shuffled_as_alone() {
    make_files 3000
    for options in '' '-n 100' '-n 0' '-r -n 500' --part=2/3 '--skip=5 -n 7' --probability=0.1 '-n 50 --keep-order' \
        --header '--header=2 -n 0' --records=lines:3 '--csv --parallel=1' --expect-records=3000; do
        same_as_alone $options
    done
}

test_large_and_empty_files_are_shuffled_as_alone() { # tags: long
    make_files "$(scale 300000 1000000 3000000)"
    mkdir new
    runs_within 8 --each -o 'new/%s' a.en a.de <(cat a.de) <(cat a.de)
    same_as_alone -S 8M
    same_as_alone -S 8M -n 1000 --keep-order
    same_as_alone -r -n 100000
    tee a.en a.de </dev/null
    same_as_alone
    same_as_alone --probability=1
}

test_splits_get_the_same_records_of_each() {
    make_files 1000
    mkdir dev test train
    bigshuf --each --split='10:dev/%s' --split='20%:test/%s' -o 'train/%s.x' a.en a.de
    for folder in dev test train; do
        paste $folder/a.en* $folder/a.de* | sed 's/^e\(.*\)\t  d\1 \1$/fits/' | sort -u | cmp - <(echo fits)
    done
    same '10 200 790' "$(line_counts dev/a.de test/a.en train/a.de.x)"
    bigshuf --each --split='100%:dev/%s' a.en a.de
    same 1000 "$(wc -l <dev/a.en)"
}

test_without_a_seed_one_is_drawn_for_all() {
    make_files 1000
    mkdir x y
    bigshuf --each -o 'x/%s' a.en a.de
    bigshuf --each -o 'y/%s' a.en a.de
    cmp <(sed 's/^e//' x/a.en) <(sed 's/.* //' x/a.de)
    fails_with 1 '' cmp -s x/a.en y/a.en
}

test_each_output_is_compressed_as_its_name_says() {
    needs gzip
    make_files 1000
    mkdir new
    gzip a.de
    bigshuf -Z --each -o 'new/%s' a.en a.de.gz
    cmp <(sed 's/^e//' new/a.en) <(gzip -dc new/a.de.gz | sed 's/.* //')
    bigshuf -Z --each -o 'new/%s' <(cat a.en) <(gzip -dc a.de.gz)
    same 'new/a.de.gz new/a.en' "$(echo new/a.*)"
}

test_archives_of_each_have_their_own_framing() {
    needs tar
    mkdir new
    for name in a b c; do
        seq "${#name}" >$name.txt
        head -c 1000 /dev/zero >$name.png
    done
    tar cf texts.tar {a,b,c}.txt
    tar cf images.tar {a,b,c}.png
    head -c 3000000 /dev/zero >c.png
    tar cf large.tar {a,b,c}.png
    bigshuf --seed=1 --records=tar --each -o 'new/%s' large.tar texts.tar images.tar
    cmp <(tar tf new/texts.tar | cut -d . -f 1) <(tar tf new/images.tar | cut -d . -f 1)
    cmp new/images.tar <(bigshuf --seed=1 --records=tar images.tar)
}

test_many_files_and_old_outputs() { # tags: long
    mkdir in new
    for i in {1..40}; do seq "$i" "$((i + 9))" >"in/$i"; done
    echo old >new/7
    find in -type f -print0 | bigshuf --seed=1 --files0-from=- --each -o 'new/%s'
    for i in {1..40}; do bigshuf --seed=1 "in/$i" | cmp - "new/$i"; done
    echo old >new/7
    seq 9 >in/30
    fails_with 1 'bigshuf: in/30: the number of records is 9, not 10 as in in/1' \
        bigshuf --each -o 'new/%s' in/{1..40}
    same old "$(<new/7)"
    same 40 "$(find new -type f | wc -l | xargs)"
}

test_a_failed_or_killed_run_leaves_no_output() {
    make_files 1000
    mkdir new
    fails_with 1 'bigshuf: gone: No such file or directory' bigshuf --each -o 'new/%s' a.en gone
    fails_with 1 'bigshuf: /dev/fd/*: the number of records is 999, not 1000 as in a.en' \
        bigshuf --each -o 'new/%s' a.en <(head -n 999 a.de)
    mkfifo pipe
    start bigshuf --each -o 'new/%s' a.en a.de pipe
    exec 9>pipe
    head -n 500 a.de >&9
    kill -TERM $!
    fails_with 143 '' wait $!
    exec 9>&-
    is_empty <(ls -A new)
}

test_verbose_tells_of_each() {
    make_files 10
    mkdir new
    bigshuf -v --each -o 'new/%s' a.en a.de 2>said
    same 'a.en: a.de:' "$(sed -n 's/^bigshuf: \(a.*:\)$/\1/p' said | paste -s -d ' ' -)"
    same 2 "$(grep -c 'records: *10 read, 10 written' said)"
}

test_what_goes_not_with_each_is_refused() {
    make_files 3
    mkdir new x
    cp a.en x
    cases <<'END'
bigshuf --each -o new/%s - a.en =! -: standard input has no name for --each; name FILEs, or <(COMMAND)
bigshuf --each -o new/%s =! -: standard input has no name for --each; name FILEs, or <(COMMAND)
bigshuf --each a.en a.de =! --each needs -o or --split; write -o 'new/%s'
bigshuf --each --split=1:new/%s a.en =! --each: what --split leaves has no FILE; add -o 'rest/%s', or -o /dev/null
bigshuf --each -o new/x a.en a.de =! new/x: must contain one %s, for the name of each FILE, such as 'new/%s'
bigshuf --each -o new/%s a.en x/a.en =! new/a.en: is the output of two FILEs, since both have the same name; give one of them another
bigshuf --each -o %s a.en =! a.en: is both input and output; give the outputs other names
bigshuf --each -o new/%s --shards=2 a.en =! cannot combine --each and --shards; give each FILE a run, with the same --seed
bigshuf --each -o new/%s --filter=cat a.en =! cannot combine --each and --filter; give each FILE a run, with the same --seed
bigshuf --each -o new/%s --weights=a.de a.en =! cannot combine --weights and --each; paste the FILEs, so that a field counts for all
bigshuf --each -o new/%s --split=9%:y%s --stratify-field=1 a.en =! cannot combine --each and --stratify-field; paste the FILEs, so that a field counts for all
bigshuf --each -o new/%s --random-source=a.de a.en =! cannot combine --each and --random-source; write --seed
bigshuf --each -o new/%s --header --headers-differ a.en =! cannot combine --headers-differ and --each; each FILE keeps its own
bigshuf --each -o new/%s -e a b =! cannot combine --each and -e; it takes FILEs
bigshuf --each -o new/%s --scatter=store a.en =! cannot combine --scatter and *
bigshuf --each --requests a.en =! cannot combine --requests and --each; leave it out, or draw the same numbers from each FILE
bigshuf --each -r -o new/%s a.en =! new/%s: -r would never end; add -n COUNT
END
    is_empty <(ls -A new)
}
