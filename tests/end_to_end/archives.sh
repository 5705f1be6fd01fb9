# Members of tar archives: those of one sample stay together, and GNU tar and Python can read the output made from their
# archives. What is told of others is in archive_mistakes.sh.

. "$TOP/tests/support/archives.sh"

# The archive FILE is shuffled in the order of as many lines, from the file and from a pipe: come_like_lines FILE [OPTION]...
come_like_lines() {
    local archive=$1
    shift
    list_records "$archive" | bigshuf -S 1G --seed=1363 "$@" >wanted
    bigshuf -v --records=tar --seed=1363 "$@" "$archive" >out.tar 2>said
    list_records out.tar | cmp - wanted
    bigshuf --records=tar --seed=1363 "$@" < <(cat "$archive") | cmp - out.tar
}

# What tar makes of out.tar is the folder "in", or what is in it: unpacks_to_the_same [out]
unpacks_to_the_same() {
    mkdir out
    tar -C out -xf out.tar
    diff -r in "${1:-out/in}"
    rm -r out
}

# ---- Every form ----

# File in.tar, made of the folder `in`, comes like lines, and unpacks to the same, in each of these forms: in_forms FORM...
in_forms() {
    tar --version 2>/dev/null | grep -q GNU || skip "no GNU tar here"
    for format; do
        tar --sort=name --format="$format" -cf in.tar in
        come_like_lines in.tar
        unpacks_to_the_same
        same "$(tar -tvf in.tar | sort)" "$(tar -tvf out.tar | sort)"
    done
}

test_archives_of_gnu_tar_are_shuffled_like_lines() { # tags: long
    mkdir in
    for i in $(seq 100 140); do
        echo "$i" >"in/$i.cls"
        seq "$i" "$((i * 7))" >"in/$i.txt"
        : >"in/$i.empty.x"
    done
    in_forms v7 ustar oldgnu # long names need the others
}

test_long_names_stay_with_their_members() {
    for length in 40 110 240; do
        printf -v folder "in/%0${length}d/é" 7
        mkdir -p "$folder"
        for i in {10..30}; do
            printf -v name "%0${length}d" "$i"
            echo "$i" >"$folder/$name.a"
            echo "$i" >"$folder/$name.c"
        done
        ln -s "$name.a" "$folder/$name.b"
    done
    in_forms gnu pax
    craft 'for i in range(50): # samples that differ in the prefix alone, and the second name takes all of its field
    for name in ("x.a", "x.b" + 97 * "c", "y.a")[:: 1 - i % 2 * 2]: add(info("%d." % i + 120 * "p" + "/" + name), b"%d" % i, USTAR_FORMAT)
end()' >in.tar
    come_like_lines in.tar
}

test_archives_of_python_are_shuffled_like_lines() { # tags: long
    for archive in 'ustar 0' 'gnu 1' 'pax 150'; do
        make_archive $archive 0 3000 >in.tar
        come_like_lines in.tar --tune=leaf-records=8
        same 0 $(($(wc -c <out.tar) % 10240)) # whole records of a tape
        tail -c 1024 out.tar | cmp - <(head -c 1024 /dev/zero)
    done
    same 10240 "$(bigshuf --records=tar -n 0 in.tar | wc -c | tr -d ' ')"
}

# ---- Every size ----

test_archives_larger_than_memory_are_shuffled_like_lines() { # tags: long
    make_archive pax "$(scale 300 300 40000)" 10000 70000 >in.tar
    come_like_lines in.tar -S 8M --parallel=3
    grep -E 'spilled: +[1-9]' said
}

test_a_sample_larger_than_memory_is_shuffled_like_a_line() { # tags: long
    make_archive gnu 300 0 900 >small.tar
    craft 'add(info("a/1.x"), b"1"); add(info("a/1.y"), b"23" * 5000000); add(info("a/1.z"), b"4" * 513); end()' >giant.tar
    cat small.tar giant.tar >in.tar
    for seed in 1 1363; do
        bigshuf --records=tar --seed=$seed in.tar >wanted
        bigshuf --records=tar -S 8M --seed=$seed in.tar | cmp - wanted
        bigshuf --records=tar -S 8M --seed=$seed <in.tar | cmp - wanted
    done
    list_records wanted >out
    same 301 "$(line_counts out)"
    list_records small.tar giant.tar | same_lines out /dev/stdin
}

test_samples_are_started_over() {
    craft 'for i in (1, 2):
    add(info("%d.a" % i), b"%d" % i * 5000000); add(info("%d.b" % i), b"");
for i in range(3, 503): add(info("%d" % i))
end()' >in.tar
    come_like_lines in.tar
    mv out.tar wanted.tar
    bigshuf -v --records=tar -S 8M --seed=1363 in.tar 2>said | cmp - wanted.tar
    grep -E 'started over: +[12] ' said
}

# ---- Where they stand ----

# Archives in files are written as they are from a pipe: files_as_piped FILE... -- OPTION...
files_as_piped() {
    local files=()
    while [ "$1" != -- ]; do
        files+=("$1")
        shift
    done
    shift
    bigshuf -v --records=tar --seed=m "$@" "${files[@]}" 2>said >out.tar
    grep -q 'input: *held' said
    bigshuf --records=tar --seed=m < <(cat "${files[@]}") | cmp - out.tar
}

test_archives_that_fit_are_held() { # tags: long
    make_archive pax 200 500 9000 >a.tar
    make_archive gnu 200 0 9000 >b.tar
    cat a.tar b.tar a.tar >ab.tar # with zeros between
    craft 'for i in range(2000): add(info("%d.x" % i)); add(info("%d" % i, DIRTYPE))
end()' >short.tar
    craft 'for i in range(3): add(info("%d.x" % i), b"%d" % i * (i << 20)); add(info("%d.y" % i), b"y")
end()' >long.tar # than a reference says
    for options in --parallel=1 '--parallel=3 -S 64M' --tune=leaf-records=8; do
        for files in a.tar 'ab.tar b.tar ab.tar' short.tar 'long.tar a.tar long.tar'; do
            if [ "$options" = --tune=leaf-records=8 ]; then
                bigshuf --records=tar --seed=m $options $files | cmp - <(bigshuf --records=tar --seed=m $options < <(cat $files))
            else
                files_as_piped $files -- $options
            fi
        done
    done
    cp out.tar wanted.tar # of the last ones, spilled
    bigshuf -v --records=tar --seed=m -S 8M long.tar a.tar long.tar 2>said >out.tar
    grep -E 'spilled: +[1-9]' said
    bigshuf --records=tar --seed=m long.tar a.tar long.tar | cmp - out.tar
}

test_every_output_of_archives_that_are_held() { # tags: long
    make_archive pax 150 500 9000 >in.tar
    for options in --shards=3 --shards=records:40 --shards=bytes:100K --shards=bytes:10K '--shards=2 --split=10%:%/s.tar'; do
        mkdir file pipe
        bigshuf --records=tar --seed=m ${options/\%\//file\/} -o file/%d.tar in.tar
        bigshuf --records=tar --seed=m ${options/\%\//pipe\/} -o pipe/%d.tar < <(cat in.tar)
        diff -rq file pipe
        rm -r file pipe
    done
    for part in 1 2 3; do
        bigshuf --records=tar --seed=m --part=$part/3 in.tar | cmp - <(bigshuf --records=tar --seed=m --part=$part/3 < <(cat in.tar))
    done
}

test_an_archive_on_standard_input_is_taken_from_its_position() {
    make_archive gnu 200 500 9000 >rest.tar
    (echo && cat rest.tar) >odd
    (head -c 512 rest.tar && cat rest.tar) >even
    bigshuf --records=tar --seed=m rest.tar >wanted.tar
    (read -r && bigshuf --records=tar --seed=m) <odd | cmp - wanted.tar
    (python3 -c 'import os; os.lseek(0, 512, 0)' && bigshuf --records=tar --seed=m) <even | cmp - wanted.tar
}

test_an_archive_that_is_cut_short_meanwhile_is_a_failed_read() { # tags: long
    local status failures=0
    make_archive gnu 200 500 9000 >whole.tar
    bigshuf --records=tar --seed=m whole.tar >wanted.tar
    for turn in $(scale '30 60 90' "$(seq 10 10 200)" "$(seq 500)"); do
        cp whole.tar in.tar
        status=0
        FAULT_RUN='truncate -s 0 in.tar' FAULT_AT=$turn FAULT_LOG=called \
            bigshuf-faulty --records=tar --seed=m -S 20M -o out.tar in.tar 2>said || status=$?
        if [ $status = 0 ]; then
            cmp out.tar wanted.tar
            rm out.tar
        else
            same 1 $status
            [[ $(<said) = 'bigshuf: in.tar: '@(file has changed while it was read|empty, and so no tar archive) ]]
            [ ! -e out.tar ]
            failures=$((failures + 1))
        fi
    done
    [ $failures -gt 0 ]
}

# ---- What records are ----

test_samples_that_are_torn_are_warned_of_once() {
    craft 'for kind in "jpg", "cls":
    for i in range(30): add(info("td/%d.%s" % (i, kind)), b"x" * 3000)
end()' >in.tar
    torn="members of 'td/0' are not neighbours, so they are several records; make the archive with tar --sort=name"
    for options in -S1G -S8M '--parallel=1 -S8M' --keep-order\ -n9 '--shards=2 -o out-%d.tar'; do
        bigshuf --records=tar $options in.tar in.tar 2>said >out
        same "bigshuf: warning: in.tar: $torn" "$(<said)"
        bigshuf --records=tar $options < <(cat in.tar in.tar) 2>said >out
        same "bigshuf: warning: -: $torn" "$(<said)"
    done
    craft 'for i in range(30):
    for kind in "jpg", "cls": add(info("td/%d.%s" % (i, kind)), b"x" * 3000)
end()' >in.tar
    bigshuf --records=tar -r -n 90 in.tar >repeated.tar
    bigshuf --records=tar repeated.tar 2>said >out
    is_empty said
}

test_a_key_in_two_archives_is_warned_of_once() { # tags: long
    local said="has the key of another one in one.tar, and readers take two neighbours with one key for one sample; "
    said+="give each archive's samples other keys"
    craft 'for i in range(3000): add(info("%08d.txt" % i), b"1")
end()' >one.tar
    craft 'for i in range(3000, 24000): add(info("%08d.txt" % i), b"1")
end()' >other.tar
    craft 'for i in range(6000): add(info("%08d.txt" % i), b"2"); add(info("%08d.cls" % i), b"2")
end()' >both.tar
    for options in -S1G -S8M '--shards=2 -o out-%d.tar' '-n 9'; do
        bigshuf --records=tar $options one.tar other.tar both.tar 2>said >out
        same "$said" "$(grep -o 'has the key.*' said)"
        grep "^bigshuf: warning: both.tar: sample '0000[0-2]" said
    done
    bigshuf --records=tar < <(cat one.tar one.tar) 2>&1 >out | grep "warning: -: sample '.*' has the key of another one in -, "
    bigshuf --records=tar -S8M one.tar other.tar 2>said >out
    is_empty said
}

test_each_directory_is_a_record() {
    craft '
add(info("a", DIRTYPE)); add(info("a/", DIRTYPE)); add(info("a.x"), b"1"); add(info("a.y"), b"2"); add(info("a.d", DIRTYPE))
add(info("a.z"), b"3"); add(info("n" * 4096), b"the longest name")
end()' >in.tar
    bigshuf --records=tar --expect-records=6 in.tar >out.tar
    tar -tvf out.tar | same_lines <(tar -tvf in.tar) /dev/stdin
}

test_links_within_a_sample_stay() {
    craft '
for i in range(50):
    add(info("%d.a" % i), b"%d" % i)
    add(info("%d.b" % i, LNKTYPE, linkname="%d.a" % i))
    add(info("%d.c" % i, SYMTYPE, linkname="%d.a" % (i ^ 1)))
end()' >in.tar
    come_like_lines in.tar
    mkdir in
    tar -C in -xf in.tar
    unpacks_to_the_same out
}

# ---- Outputs ----

test_shards_are_archives_of_a_limited_size() { # tags: long
    make_archive gnu 250 0 9000 >in.tar
    list_records in.tar >all
    for limit in 10240 25000 1048576; do
        bigshuf --records=tar --shards=bytes:$limit -o out-%06d.tar in.tar
        list_records out-*.tar | same_lines all /dev/stdin
        [ $limit = 10240 ] || same '' "$(find . -name 'out-*' -size +${limit}c)" # than which one sample may be larger
        rm out-*
    done
}

test_a_limit_is_used_up() {
    craft 'for i in range(36): add(info("%d.x" % i))
end()' >in.tar
    bigshuf --records=tar --shards=bytes:10240 -o out-%d.tar in.tar # 18 blocks and 2 of zeros
    same '10240 10240' "$(wc -c <out-0.tar | tr -d ' ') $(wc -c <out-1.tar | tr -d ' ')"
    same 'out-0.tar out-1.tar' "$(echo out-*)"
    rm out-*
    bigshuf --records=tar --shards=bytes:10239 -o out-%02d.tar in.tar # each alone is too large
    same 36 "$(printf '%s\n' out-* | wc -l | tr -d ' ')"
}

test_shards_splits_and_samples_are_of_whole_records() { # tags: long
    make_archive pax 200 0 3000 >in.tar
    list_records in.tar >all
    bigshuf --seed=x all >wanted
    bigshuf --records=tar --seed=x --split=10%:valid.tar --shards=3 -o out-%d.tar in.tar
    bigshuf --records=tar --seed=x --shards=records:150 -o two-%d.tar in.tar
    list_records valid.tar out-?.tar two-?.tar | cmp - <(cat wanted wanted)
    same '20 60 60 60' "$(for file in valid out-0 out-1 out-2; do tar -tf $file.tar | grep -c '[.]cls$'; done | paste -s -d ' ' -)"
    bigshuf --records=tar --seed=x -n 7 in.tar >few.tar
    bigshuf --records=tar --seed=x --keep-order -n 70 in.tar >some.tar
    bigshuf --records=tar --seed=x --probability=0.5 in.tar >half.tar
    bigshuf --records=tar --seed=x -r -n 300 in.tar >drawn.tar
    list_records few.tar some.tar half.tar drawn.tar | tr -d '\n' | # of those that were drawn twice in a row it makes one
        cmp - <({ head -n 7 wanted && bigshuf --seed=x --keep-order -n 70 all && bigshuf --seed=x --probability=0.5 all &&
            bigshuf --seed=x -r -n 300 all; } | tr -d '\n')
}

test_stores_keep_samples() {
    make_archive gnu 50 0 3000 >a.tar
    make_archive pax 100 0 3000 >b.tar
    bigshuf --records=tar --scatter=store --seed=7 --batch=a --piles=4 a.tar
    bigshuf --records=tar --scatter=store --seed=7 --batch=b b.tar
    bigshuf --gather=store --seed=7 >out.tar
    list_records out.tar >wanted
    list_records a.tar b.tar | same_lines wanted /dev/stdin
    for part in 1 2; do
        bigshuf --gather=store --seed=7 --part=$part/2 >part-$part.tar
    done
    bigshuf --gather=store --seed=7 --shards=bytes:50K -o shard-%02d.tar
    list_records part-?.tar shard-*.tar | cmp - <(cat wanted wanted)
    grep -x 'frames of tar' store/format
    fails_with 1 '*frames of tar*' bigshuf --scatter=store --batch=c --seed=7 a.tar
}
