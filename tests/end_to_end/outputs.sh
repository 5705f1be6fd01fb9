# Records into several files, by --shards or --split, which one after another are equal to a single output file.

# The last run made these files in folder `parts`, and they are `whole`, one after another. Begin anew.
joined() {
    (cd parts && cat -- *) | cmp - whole
    rm -r parts
    mkdir parts
}

# Divide `in` in every way, and see that nothing is lost, doubled or out of order: divides OPTION...
divides() {
    [[ ${1:-} = --random-source=* ]] || set -- --seed=1363 "$@"
    bigshuf "$@" in >whole
    mkdir -p parts
    bigshuf "$@" --shards=20 -o parts/%02d in
    same 20 "$(names parts | wc -w | tr -d ' ')"
    joined
    bigshuf "$@" --shards=records:700 -o parts/%06d in
    joined
    bigshuf "$@" --shards=bytes:100K -o parts/%06d in
    joined
    bigshuf "$@" --split=100:parts/1 --split=12.5%:parts/2 --split=0:parts/3 in >rest
    mv rest parts/4
    joined
    bigshuf "$@" --parallel=2 --shards=20 -o parts/%02d --filter='cat >$FILE' in
    joined
}

test_what_fits_is_divided_as_it_would_be_written() { # tags: long
    seq 20000 >in
    divides
    divides --parallel=3
}

test_what_does_not_fit_is_divided_as_it_would_be_written() { # tags: plain
    giants >in
    divides -S 8M --tune=leaf-records=8
    { seq 200; long_line 9000000; } >in
    divides -S 8M
}

test_records_of_several_lines_are_divided_alike_in_any_memory() {
    { seq 20000 | awk '{ print "\"" $1 "\n\"" }'; echo '"'; long_line 9000000; echo '"'; } >in
    for limit in 8M 64M; do
        mkdir $limit
        bigshuf -S $limit --seed=m --csv --shards=bytes:10K -o $limit/%03d in
    done
    diff -rq 8M 64M
}

# ---- --shards ----

test_shards_differ_by_one_record_and_are_made_in_any_case() {
    cases <<'END'
seq 1003 | bigshuf --shards=10 -o a-%d && line_counts a* && echo a* => 101 101 101 100 100 100 100 100 100 100 a-0 a-1 a-2 a-3 a-4 a-5 a-6 a-7 a-8 a-9
seq 3 | bigshuf --shards=5 -o b%d 2>said && line_counts b* => 1 1 1 0 0
bigshuf --shards=5 -o c%d /dev/null 2>said && line_counts c* => 0 0 0 0 0
bigshuf --seed=42 --shards=1 -o d%d -i 1-10 && cat d0 => 10 5 9 3 2 4 8 7 6 1
bigshuf --seed=42 --shards=3 -o e%d -i 1-10 && cat e* => 10 5 9 3 2 4 8 7 6 1
seq 11 | bigshuf --shards=11 -o f%d.x && echo f* => f0.x f1.x f10.x f2.x f3.x f4.x f5.x f6.x f7.x f8.x f9.x
seq 11 | bigshuf --shards=11 -o g%02d && echo g* => g00 g01 g02 g03 g04 g05 g06 g07 g08 g09 g10
seq 2 | bigshuf --shards=2 -o 'h%020d%%d' && echo h* => h00000000000000000000%d h00000000000000000001%d
seq 2 | bigshuf --shards=2 -o i%%%005d%% && echo i* => i%00000% i%00001%
mkdir j0 j1 && seq 10 | bigshuf --shards=2 -o j%d/part && line_counts j?/part => 5 5
END
    for pattern in part part% part%s part%n part%5d part%-5d 'part% d' 'part%1$d' part%%d part%d-%d part%d% part%d%s part%05 \
        part%0 part%0-5d part%021d part%0d part%.3d part%ld part%099999999999999999999d; do
        fails_at_once "bigshuf: $pattern: must contain one %d, or %0Nd for N digits, such as part-%05d" \
            --shards=3 -o "$pattern" never
    done
}

test_many_more_shards_than_descriptors() {
    needs_bare_program
    seq 25000 >in
    mkdir parts
    (ulimit -n 64 && bigshuf --seed=x --shards=700 -o parts/%04d in)
    bigshuf --seed=x in >whole
    same 700 "$(names parts | wc -w | tr -d ' ')"
    joined
    more_than_memory >in
    (ulimit -n 32 && bigshuf --seed=x -S 8M --shards=100 -o parts/%02d in)
    bigshuf --seed=x in >whole
    joined
}

test_wrong_ways_to_divide_are_told_before_the_work() {
    mkfifo never
    ln -s 0 1
    ln -s a link
    touch b
    ln b hard
    mkdir d0
    cases <<'END'
bigshuf --shards=0 -o %d never =! --shards must be at least 1
bigshuf --shards=99999999999999999999 -o %d never =! --shards argument '99999999999999999999' too large
bigshuf --shards=1000001 -o %d never =! %d: more than 1000000 files; make fewer
bigshuf --shards=3 never =! --shards needs -o; write -o part-%05d
bigshuf --shards=records:3 never =! --shards=records needs -o; write -o part-%05d
bigshuf --shards=bytes:3 never =! --shards=bytes needs -o; write -o part-%05d
bigshuf --shards=3 --shards=records:3 -o %d never =! cannot combine --shards and --shards=records
bigshuf --shards=records:3 --shards=bytes:3 -o %d never =! cannot combine --shards=records and --shards=bytes
bigshuf --shards=bytes:0 -o %d never =! --shards=bytes must be at least 1
bigshuf --split=101%:a never =! --split argument '101%:a' too large
bigshuf --split=60%:a --split=40.0001%:b never =! --split: the percentages must not be more than 100% together
bigshuf --shards=2 -o %d never =! 0 and 1: are the same output file; give them different names
bigshuf --split=1:a --split=2:a never =! a and a: are the same output file; give them different names
bigshuf --split=1:a -o ./a never =! a and ./a: are the same output file; give them different names
bigshuf --split=1:b -o hard never =! b and hard: are the same output file; give them different names
bigshuf --split=1:c never >c =! c and standard output: are the same output file; give them different names
bigshuf --shards=2 -o d%d/a never =! d1/a: No such file or directory; make its folder first
bigshuf --split=1:a --split=1:nowhere/a never =! nowhere/a: No such file or directory; make its folder first
bigshuf --split=1:a -o d0 never =! d0: Is a directory; name a file in it
END
    for split in '' a 2 2: :a %:a -2:a +1:a 1.5:a 1.:a 1.5.5%:a 1%: 1.23456%:a 5%%:a .5%:a ' 5:a' '1 :a' 5K:a 0x1:a; do
        fails_with 1 "bigshuf: invalid --split argument '$split': must be N:FILE or P%:FILE[,;] *" bigshuf "--split=$split" never
    done
    for split in 18446744073709551616:a 100.0001%:a 999999999999999999%:a; do
        fails_with 1 "bigshuf: --split argument '$split' too large" bigshuf "--split=$split" never
    done
    rm c
    same '.stderr 1 b d0 hard link never ' "$(rm .out && names) $(names d0)"
    bigshuf --split=1:/dev/null -o /dev/null <(seq 3)
}

# For numbers this is known at the start, so even the temporary directory need not exist.
test_more_shards_than_there_may_be_are_told_before_one_is_made() {
    mkdir parts
    seq 1000001 | bigshuf --scatter=store --seed=1 --piles=2
    cases <<'END'
bigshuf --shards=records:1 -i 1-1000001 -o parts/%d =! parts/%d: more than 1000000 files; make fewer
bigshuf --shards=records:7 -i 1-18446744073709551614 -T nowhere -o parts/%d =! parts/%d: more than 1000000 files; make fewer
bigshuf --shards=records:1 -i 1-1000000 --split=0:rest -o parts/%d =! parts/%d: more than 1000000 files; make fewer
bigshuf --shards=records:1 -i 1-18446744073709551615 -n 1000001 -o parts/%d =! parts/%d: more than 1000000 files; make fewer
bigshuf --shards=records:1 -r -n 1000001 -i 1-2 -o parts/%d =! parts/%d: more than 1000000 files; make fewer
bigshuf --shards=records:2 --filter=': $FILE' -i 1-2000001 -o parts/%d =! parts/%d: more than 1000000 files; make fewer
seq 1000001 | bigshuf --shards=records:1 -o parts/%d =! parts/%d: more than 1000000 files; make fewer
seq 1000001 | bigshuf --shards=records:1 --part=1/1 --expect-records=1000001 --seed=1 -o parts/%d =! parts/%d: more than 1000000 files; make fewer
bigshuf --shards=records:1 --gather=store -o parts/%d =! parts/%d: more than 1000000 files; make fewer
bigshuf -i 1-3 --split=4:a -T nowhere -o b =! --split: the files must not take more than the 3 records there are
END
    rmdir parts
}

test_what_chance_chooses_is_divided_when_all_has_been_read() {
    more_than_memory >in
    bigshuf --seed=x --probability=0.7 in >whole
    mkdir parts
    bigshuf --seed=x --probability=0.7 --split=10%:parts/a --split=7:parts/b --shards=3 -o parts/c%d in
    (cd parts && cat -- *) | cmp - whole
    awk -v all="$(wc -l <whole)" '{ n[FILENAME]++ } END { a = n["parts/a"]; c = n["parts/c0"] - n["parts/c2"]
        exit a != int(all / 10) || c < 0 || c > 1 }' parts/*
    joined
    for options in --shards=3 --shards=records:700 --shards=bytes:100K; do
        bigshuf -S 8M --seed=x --probability=0.7 $options -o parts/%06d - < <(cat in)
        joined
    done
    fails_with 1 'bigshuf: --split: the files must not take more than the * records there are' \
        bigshuf --seed=x --probability=0.5 --split=9:parts/0 -o parts/1 -e 1 2 3 4 5 6 7 8 9
    same '' "$(names parts)"
}

test_shards_that_get_no_record_are_warned_of() {
    seq 10 >in
    mkdir new && cd new || exit
    for options in '--shards=12' '--split=5:test --shards=7' '-n 2 --shards=4' '-r -n 9 --shards=11' '--probability=1 --shards=12'; do
        same "bigshuf: warning: part.%02d: 2 of the ${options##*=} shards are empty; --shards=records:N makes only as many as are needed" \
            "$(bigshuf $options -o part.%02d ../in 2>&1)"
        same "$((${options##*=}))" "$(printf '%s\n' part.* | wc -l | xargs)"
        rm -- *
    done
    same '' "$(bigshuf --shards=10 -o part.%02d ../in 2>&1)"
    bigshuf --scatter=../store --piles=2 ../in
    bigshuf --gather=../store --shards=11 -o part.%02d 2>&1 | grep 'part.%02d: 1 of the 11 shards are empty'
}

test_more_than_ten_thousand_shards_without_a_record_are_refused() { # tags: plain
    local message='bigshuf: %d: more than 10000 of the 10011 shards would be empty; use fewer, or --shards=records:N'
    cd "$MEMORY" || exit
    seq 10 >in
    mkdir new && cd new || exit
    for options in '--filter=:$FILE -e 1 2 3 4 5 6 7 8 9 10' '--header=0 -'; do
        fails_with 1 "$message" bigshuf --shards=10011 -o %d $options < <(cat ../in)
    done
    FAULT_CALL=write FAULT_AT=1 fails_with 1 'bigshuf: warning: %d: 10000 of the 10010 shards are empty; *Input/output error' \
        bigshuf-faulty --shards=10010 -o %d ../in # which need not be made
    same .stderr "$(ls -A)"
}

# ---- --shards=records:N, --shards=bytes:BYTES ----

# Shards are as of split: are_of_split OPTION FILE SPLIT_OPTION ARGUMENT
are_of_split() {
    rm -rf ours theirs
    mkdir ours theirs
    bigshuf --seed=x "$1" -S 8M -o ours/%05d "$2"
    bigshuf --seed=x "$2" | split -a 5 -d "$3" "$4" - theirs/
    diff -rq ours theirs
}

test_shards_by_records_and_by_bytes_are_those_of_split() {
    split --version >/dev/null 2>&1 || skip "no GNU split here"
    { seq 400; echo; echo; } >in
    long_lines 1000 0 10000 >long
    are_of_split --shards=records:100 in -l 100
    are_of_split --shards=records:133 in -l 133
    are_of_split --shards=records:402 in -l 402
    are_of_split --shards=records:403 in -l 403
    are_of_split --shards=records:18446744073709551615 in -l 10000
    are_of_split --shards=bytes:6 in -C 6
    are_of_split --shards=bytes:100 in -C 100
    are_of_split --shards=bytes:4K in -C 4096
    are_of_split --shards=bytes:1M in -C 1048576
    are_of_split --shards=bytes:100K long -C 100K
}

test_a_record_that_waits_for_its_shard_takes_no_other_with_it() {
    awk 'BEGIN { for (; i < 20000; i++) printf "%d %d %0*d\n", i, i % 5000, i % 200 ? 60 : 100000, i }' >in
    bigshuf --seed=x -t ' ' --split-field=2 --split=50%:whole -o /dev/null in
    bigshuf -S 8M --parallel=3 --seed=x -t ' ' --split-field=2 --split=50%:a --shards=bytes:1M -o b%d in
    cmp a whole
}

test_shards_that_need_not_be_are_not_made_and_older_ones_stay() {
    bigshuf --shards=records:5 -o a%d </dev/null
    bigshuf --shards=bytes:5 -o b%d </dev/null
    echo old | tee part0 part1 part2 part3 >part9
    seq 10 | bigshuf --shards=records:5 -o part%d 2>said
    same '5 5 old old old' "$(line_counts part0 part1) $(cat part2 part3 part9 | xargs)"
    same 'part0 part1 part2 part3 part9 said' "$(names)"
}

test_names_after_older_shards_need_not_be_possible() {
    mkdir 0 1 2 3
    for _ in 1 2; do
        seq 20 | bigshuf --shards=records:5 -o %d/x
    done
    same '5 5 5 5' "$(line_counts [0-3]/x)"
    echo old | tee part0 part1 >part2
    mkdir part3
    fails_with 0 'bigshuf: warning: part2: left from an earlier run*' bigshuf --shards=records:5 -o part%d <(seq 10)
    fails_with 1 'bigshuf: part3: Is a directory*' bigshuf --shards=records:5 -o part%d <(seq 20)
    fails_with 1 "bigshuf: 4/x: No such file or directory; make its folder first" bigshuf --shards=records:5 -o %d/x <(seq 21)
    same '5 5 old' "$(line_counts part0 part1) $(<part2)"
}

test_shards_after_a_gap_are_no_links_to_others() {
    seq 70 >in
    for link in 'ln d/4 d/6' 'ln -s 4 d/6' 'ln d/0 d/6' 'ln -s ../d/0 d/6'; do
        mkdir d
        for i in 0 1 2 3 4; do
            echo old >d/$i
        done
        $link
        fails_with 1 '*bigshuf: d/[04] and d/6: are the same output file; give them different names' bigshuf --shards=records:10 -o d/%d in
        [[ $link = 'ln d'* ]] || same 'old old old old old' "$(cat d/[0-4] | paste -s -d ' ' -)"
        rm -r d
    done
}

# ---- --split ----

test_splits_take_counts_and_percentages_of_all_records_rounded_on_their_sums() {
    cases <<'END'
seq 9 | bigshuf --split=20%:{a,b,c,d,e} && line_counts a b c d e => 1 2 2 2 2
seq 5 | bigshuf --split=10%:{a,b,c,d,e} -o f 2>said; line_counts a b c d e f => 0 1 0 1 0 3
seq 10 | bigshuf --split=25%:a --split=3:b --split=25%:c --split=5%:d -o e 2>said; line_counts a b c d e => 2 3 3 0 2
seq 1999 | bigshuf --split=0.5%:a --split=33.3333%:b --split=7:c --split=50%:d -o e && line_counts a b c d e => 9 667 7 999 317
seq 3 | bigshuf --split=99.9999%:a --split=0%:b -o c && line_counts a b c => 2 0 1
seq 1000 | bigshuf -n 100 --split=50%:a -o b && line_counts a b => 50 50
seq 1000 | bigshuf --split=30%:a --split=700:b >c && line_counts a b c => 300 700 0
seq 1000 | bigshuf --split=100%:a >c && line_counts a c => 1000 0
seq 7 | bigshuf --seed=x --split=80%:a --split=20%:b >c && line_counts a b c && cat a b | cmp - <(seq 7 | bigshuf --seed=x) => 5 2 0
seq 7 | bigshuf --split=33.4%:a --split=33.3%:b --split=33.3%:c --split=0%:d --shards=2 -o %d 2>said; line_counts a b c d 0 1 => 2 2 3 0 0 0
printf 'id,v\n1,a\n2,b\n' | bigshuf --csv --header --split=50%:{a,b} =>
printf 'id,v\n1,a\n2,b\n' | bigshuf --csv --header --split-field=id --split=50%:{a,b} 2>said =>
printf 'id,v\n1,a\n2,b\n' | bigshuf --csv --header --stratify-field=id --split=50%:{a,b} 2>said =>
printf 'id,v\n1,a\n2,b\n' | bigshuf --csv --header --split=50%:{a,b} -o c && cat c => id,v
bigshuf --records=tar --split=100%:a /dev/null =! /dev/null: empty, and so no tar archive
seq 10 | bigshuf --split=50%:{a,b} >&- && line_counts a b => 5 5
: | bigshuf --split=50%:a --split=50%:b =>
seq 10 | bigshuf --split=3:a:b >c && line_counts a:b c => 3 7
seq 7 | bigshuf --split=80%:a --split=20%:b --split=1:e =! --split: the files must not take more than the 7 records there are
END
}

test_more_splits_than_records_fail_before_any_output() {
    echo old | tee a >b
    seq 1000 >in
    cases <<'END'
bigshuf --split=600:a --split=401:b in =! --split: the files must not take more than the 1000 records there are
bigshuf --split=50%:a --split=501:b in =! --split: the files must not take more than the 1000 records there are
bigshuf --split=18446744073709551615:a --split=2:b in =! --split: the files must not take more than the 1000 records there are
bigshuf -n 10 --split=11:a in =! --split: the files must not take more than the 10 records there are
bigshuf --split=1:a /dev/null =! --split: the files must not take more than the 0 records there are
END
    same 'old old .out .stderr a b in' "$(cat a b | xargs) $(names)"
}

# ---- The formats ----

test_every_kind_of_sample_may_be_divided() {
    seq 20000 >in
    divides -n 3000 --keep-order
    divides -r -n 3000
    divides --random-source=in
    seq 20000 | awk -v OFS='\t' '{ print $1, $1 % 5 }' >in
    divides --weight-field=2 -n 3000
}

test_every_file_has_the_header() {
    { echo name,value; seq -f 'n%g,1' 1000; } >in
    bigshuf --header --shards=3 -o a%d in
    bigshuf --header --split=10%:b --split=0:c in >d
    bigshuf --header --shards=bytes:1000 -o e%d in
    bigshuf --header --shards=2 --filter='cat >$FILE' -o f%d in
    same '335 334 334 101 1 901' "$(line_counts a? b c d)"
    for files in 'a?' '[bcd]' 'e?' 'f?'; do
        for file in $files; do same name,value "$(head -n 1 $file)"; done
        { head -n 1 in && tail -q -n +2 $files; } | same_lines in -
    done
    head -n 1 in | bigshuf --header --shards=2 -o %d 2>said
    same 'name,value name,value' "$(cat 0 1 | xargs)"
}

# ---- Splits and shards at once ----

test_shards_hold_what_the_splits_leave() {
    bigshuf --seed=x -i 1-1000 >wanted
    cases <<'END'
bigshuf --seed=x -i 1-1000 --split=100:a --split=10%:b --shards=3 -o c.%d && line_counts a b c.* && cat a b c.? | cmp - wanted => 100 100 267 267 266
bigshuf --seed=x -i 1-1000 --split=990:a --shards=records:4 -o d.%d && line_counts a d.* && cat a d.? | cmp - wanted => 990 4 4 2
bigshuf --seed=x -i 1-1000 --split=0:a --shards=bytes:1000 -o e.%d && line_counts a e.* && cat e.? | cmp - wanted => 0 255 256 256 233
bigshuf --seed=x --header --split=999:a --shards=records:4 -o f.%d wanted && line_counts a && echo f.* => 1000 f.*
END
}

test_a_shard_found_late_may_not_be_a_splits_file() {
    fails_with 1 'bigshuf: p3 and p3: are the same output file; give them different names' bigshuf --split=10:p3 --shards=records:10 -o p%d < <(seq 100)
    same '' "$(ls)"
    seq 100 >in
    bigshuf --split=10:p30 --shards=records:10 -o p%d in
    same_lines in <(cat p*)
}

test_splits_are_looked_up_once_however_many_shards_are_found_late() {
    seq 130 >in
    FAULT_CALL=open_directory FAULT_LOG=calls bigshuf-faulty $(seq -f '--split=1:a%g' 30) --shards=records:1 -o b%d in
    same_lines in <(cat a* b*)
    [ "$(wc -l <calls)" -lt 1000 ]
}
