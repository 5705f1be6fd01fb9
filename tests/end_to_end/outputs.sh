# Records into several files: --shards, --split, --filter. In every case, the files one
# after another are equal to a single output file, and either all of them appear, complete, or none does.
# shellcheck shell=bash
# shellcheck disable=SC2016 # the filters'
# shellcheck disable=SC2012,SC2046,SC2086 # names and numbers that tests have chosen
# shellcheck disable=SC2317 # functions that others call

# The numbers of lines of files, in a row: lengths FILE...
lengths() {
    awk 'FNR == 1 { files++ } { lines[FILENAME]++ } END { for (i = 1; i < ARGC; i++) print lines[ARGV[i]] + 0 }' "$@" |
        paste -s -d ' ' -
}

# The names in a folder, in a row, hidden ones included: names [FOLDER].
names() (
    shopt -s dotglob nullglob
    cd "${1:-.}" || exit
    echo *
)

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

test_what_fits_is_divided_as_it_would_be_written() {
    seq 20000 >in
    divides
    divides --parallel=3
}

test_what_does_not_fit_is_divided_as_it_would_be_written() {
    giants >in
    divides -S 8M --tune=leaf-records=8
    { seq 200; long_line 9000000; } >in
    divides -S 8M
}

# ---- --shards ----

test_shards_differ_by_one_record_and_are_made_in_any_case() {
    cases <<'END'
seq 1003 | bigshuf --shards=10 -o a-%d && lengths a* && echo a* => 101 101 101 100 100 100 100 100 100 100 a-0 a-1 a-2 a-3 a-4 a-5 a-6 a-7 a-8 a-9
seq 3 | bigshuf --shards=5 -o b%d 2>said && lengths b* => 1 1 1 0 0
bigshuf --shards=5 -o c%d /dev/null 2>said && lengths c* => 0 0 0 0 0
bigshuf --seed=42 --shards=1 -o d%d -i 1-10 && cat d0 => 10 5 9 3 2 4 8 7 6 1
bigshuf --seed=42 --shards=3 -o e%d -i 1-10 && cat e* => 10 5 9 3 2 4 8 7 6 1
seq 11 | bigshuf --shards=11 -o f%d.x && echo f* => f0.x f1.x f10.x f2.x f3.x f4.x f5.x f6.x f7.x f8.x f9.x
seq 11 | bigshuf --shards=11 -o g%02d && echo g* => g00 g01 g02 g03 g04 g05 g06 g07 g08 g09 g10
seq 2 | bigshuf --shards=2 -o 'h%020d%%d' && echo h* => h00000000000000000000%d h00000000000000000001%d
seq 2 | bigshuf --shards=2 -o i%%%005d%% && echo i* => i%00000% i%00001%
mkdir j0 j1 && seq 10 | bigshuf --shards=2 -o j%d/part && lengths j?/part => 5 5
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
bigshuf --shards=3K -o %d never =! invalid --shards argument '3K': must be a number of files, *
bigshuf --shards=99999999999999999999 -o %d never =! --shards argument '99999999999999999999' too large
bigshuf --shards=1000001 -o %d never =! %d: more than 1000000 files; make fewer
bigshuf --shards=3 never =! --shards needs -o
bigshuf --shards=records:3 never =! --shards=records needs -o
bigshuf --shards=bytes:3 never =! --shards=bytes needs -o
bigshuf --shards=3 --shards=records:3 -o %d never =! cannot combine --shards and --shards=records
bigshuf --shards=records:3 --shards=bytes:3 -o %d never =! cannot combine --shards=records and --shards=bytes
bigshuf --shards=bytes:0 -o %d never =! --shards=bytes must be at least 1
bigshuf --split=101%:a never =! --split argument '101%:a' too large
bigshuf --split=100.0001%:a never =! --split argument '100.0001%:a' too large
bigshuf --split=60%:a --split=40.0001%:b never =! --split: the percentages must not be more than 100% together
bigshuf --shards=2 -o %d never =! 0 and 1: are the same output file; give them different names
bigshuf --split=1:a --split=2:a never =! a and a: are the same output file; give them different names
bigshuf --split=1:a -o ./a never =! a and ./a: are the same output file; give them different names
bigshuf --split=1:a -o link never =! a and link: are the same output file; give them different names
bigshuf --split=1:b -o hard never =! b and hard: are the same output file; give them different names
bigshuf --split=1:c never >c =! c and standard output: are the same output file; give them different names
bigshuf --shards=2 -o d%d/a never =! d1/a: No such file or directory
bigshuf --split=1:a --split=1:nowhere/a never =! nowhere/a: No such file or directory
bigshuf --split=1:a -o d0 never =! d0: Is a directory; name a file in it
END
    for split in 2: :a -2:a 1.23456%:a 5%%:a ' 5:a' 5K:a; do
        fails_with 1 "bigshuf: invalid --split argument '$split': must be N:FILE or P%:FILE[,;] *" bigshuf "--split=$split" never
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

# ---- --shards=records:N, --shards=bytes:BYTES ----

test_shards_by_records_and_by_bytes_are_those_of_split() {
    split --version >/dev/null 2>&1 || skip "no GNU split here"
    { seq 400; echo; echo; } >in
    long_lines 1000 0 10000 >long
    while read -r options; do
        rm -rf ours theirs
        mkdir ours theirs
        set -- $options
        bigshuf --seed=x "$1" -S 8M -o ours/%05d "$2"
        bigshuf --seed=x "$2" | split -a 5 -d "$3" "$4" - theirs/
        diff -rq ours theirs
    done <<'END'
--shards=records:100 in -l 100
--shards=records:133 in -l 133
--shards=records:402 in -l 402
--shards=records:403 in -l 403
--shards=records:18446744073709551615 in -l 10000
--shards=bytes:6 in -C 6
--shards=bytes:100 in -C 100
--shards=bytes:4K in -C 4096
--shards=bytes:1M in -C 1048576
--shards=bytes:100K long -C 100K
END
}

test_shards_that_need_not_be_are_not_made_and_older_ones_stay() {
    bigshuf --shards=records:5 -o a%d </dev/null
    bigshuf --shards=bytes:5 -o b%d </dev/null
    echo old | tee part0 part1 part2 part3 >part9
    seq 10 | bigshuf --shards=records:5 -o part%d 2>said
    same '5 5 old old old' "$(lengths part0 part1) $(cat part2 part3 part9 | xargs)"
    same 'part0 part1 part2 part3 part9 said' "$(names)"
}

test_names_after_older_shards_need_not_be_possible() {
    mkdir 0 1 2 3
    for _ in 1 2; do
        seq 20 | bigshuf --shards=records:5 -o %d/x
    done
    same '5 5 5 5' "$(lengths [0-3]/x)"
    echo old | tee part0 part1 >part2
    mkdir part3
    fails_with 0 'bigshuf: warning: part2: left from an earlier run*' bigshuf --shards=records:5 -o part%d <(seq 10)
    fails_with 1 'bigshuf: part3: Is a directory*' bigshuf --shards=records:5 -o part%d <(seq 20)
    fails_with 1 "bigshuf: 4/x: No such file or directory" bigshuf --shards=records:5 -o %d/x <(seq 21)
    same '5 5 old' "$(lengths part0 part1) $(<part2)"
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
seq 9 | bigshuf --split=20%:{a,b,c,d,e} && lengths a b c d e => 1 2 2 2 2
seq 5 | bigshuf --split=10%:{a,b,c,d,e} -o f 2>said; lengths a b c d e f => 0 1 0 1 0 3
seq 10 | bigshuf --split=25%:a --split=3:b --split=25%:c --split=5%:d -o e 2>said; lengths a b c d e => 2 3 3 0 2
seq 1999 | bigshuf --split=0.5%:a --split=33.3333%:b --split=7:c --split=50%:d -o e && lengths a b c d e => 9 667 7 999 317
seq 3 | bigshuf --split=99.9999%:a --split=0%:b -o c && lengths a b c => 2 0 1
seq 1000 | bigshuf -n 100 --split=50%:a -o b && lengths a b => 50 50
seq 1000 | bigshuf --split=30%:a --split=700:b >c && lengths a b c => 300 700 0
seq 1000 | bigshuf --split=100%:a >c && lengths a c => 1000 0
seq 7 | bigshuf --seed=x --split=80%:a --split=20%:b >c && lengths a b c && cat a b | cmp - <(seq 7 | bigshuf --seed=x) => 5 2 0
seq 7 | bigshuf --split=33.4%:a --split=33.3%:b --split=33.3%:c --split=0%:d --shards=2 -o %d 2>said; lengths a b c d 0 1 => 2 2 3 0 0 0
printf 'id,v\n1,a\n2,b\n' | bigshuf --csv --header --split=50%:{a,b} =>
printf 'id,v\n1,a\n2,b\n' | bigshuf --csv --header --split-field=id --split=50%:{a,b} 2>said =>
printf 'id,v\n1,a\n2,b\n' | bigshuf --csv --header --stratify-field=id --split=50%:{a,b} 2>said =>
printf 'id,v\n1,a\n2,b\n' | bigshuf --csv --header --split=50%:{a,b} -o c && cat c => id,v
bigshuf --records=tar --split=100%:a /dev/null =>
seq 10 | bigshuf --split=50%:{a,b} >&- && lengths a b => 5 5
: | bigshuf --split=50%:a --split=50%:b =>
seq 10 | bigshuf --split=3:a:b >c && lengths a:b c => 3 7
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

# ---- Outputs that are inputs as well, and files that look like outputs ----

test_shards_and_splits_may_replace_the_inputs() {
    seq 1000 >in
    seq 1001 1500 >rest
    bigshuf --split=100:in -o rest rest in
    same_lines <(cat in rest) <(seq 1500)
    same '100 1400' "$(lengths in rest)"
    ln -s 0 link
    bigshuf --shards=3 -o %d in
    bigshuf --shards=3 -o %d link 2 ./1 2>said
    same_lines <(cat 0 1 2) in
    bigshuf --shards=records:40 -o %d - 1 2 <./0
    same_lines <(cat 0 1 2) in
    same '' "$(<said)"
}

# refuses MESSAGE OPTION...: and all files stay.
refuses() {
    cat ./* | cksum >../before
    fails_with 1 "bigshuf: $1; give the output other names" bigshuf "${@:2}"
    rm .stderr
    cat ./* | cksum | cmp - ../before
}

test_shards_and_splits_may_not_be_some_of_the_inputs() {
    mkdir files && cd files || exit
    seq 100 >a
    seq 10 >part0
    seq 20 >part1
    seq 30 >part3
    refuses 'part0: is both input and output, but a is only an input' --shards=2 -o part%d a part0 part1
    refuses './part1: is both input and output, but a is only an input' --shards=records:90 -o part%d a ./part1
    refuses 'part0: is both input and output, but part2 is only an output' --shards=4 -o part%d part0 part1
    refuses 'part0: is both input and output, but part1 is only an output' --shards=2 -o part%d part0
    refuses 'part0: is both input and output, but part1 is only an input' --shards=1 -o part%d part0 part1
    refuses 'part0: is both input and output, but part1 is only an input' --shards=records:30 -o part%d part0 part1
    refuses 'part0: is both input and output, but part1 is only an input' --shards=bytes:1K -o part%d part[01]
    refuses 'part0: is both input and output, but valid is only an output' --split=9:valid --shards=2 -o part%d part[01]
    refuses 'part0: is both input and output, but valid is only an output' --split=1:part0 --split=1:valid part0
    refuses 'part0: is both input and output, but a is only an input' --split=1:part0 -o rest a part0
    # shellcheck disable=SC2094 # refused
    refuses '-: is both input and output, but valid is only an output' --split=9:part0 --split=9:valid -o a <part0
    refuses 'part3: is both input and output' --shards=records:30 -o part%d a part3
    # shellcheck disable=SC2094 # refused
    refuses 'part3: is both input and output' --shards=bytes:50 -o part%d a - <part3
    bigshuf --split=10%:valid a >out
}

test_inputs_are_looked_up_a_few_times_however_many_shards_come_after_a_gap() {
    mkdir in
    (cd in && seq 200 | split -l 1 -a 3 -d -)
    seq -f old%g 199 | xargs touch
    FAULT_CALL=stat FAULT_LOG=calls bigshuf-faulty --shards=records:1 -o old%d in/*
    same_lines <(cat old*) <(seq 200)
    [ "$(wc -l <calls)" -lt 4000 ]
}

test_what_splits_leave_may_go_back_to_an_input() {
    seq 100 >a
    bigshuf --split=10%:valid -o a a
    same 10 "$(wc -l <valid)"
    same_lines <(cat a valid) <(seq 100)
    bigshuf --split=10:valid -o a a valid
    same_lines <(cat a valid) <(seq 100)
    bigshuf --split=10:valid -o rest valid
    is_empty rest
    # shellcheck disable=SC2094 # as it may be
    bigshuf --split=90:part -o a - valid <a
    same_lines <(cat a part) <(seq 100)
    fails_with 1 'bigshuf: a: is both input and output, and part may have what an earlier run took *' \
        bigshuf --split=90%:part -o a a
    : >part
    bigshuf --split=10%:part -o a a
    bigshuf --split=90%:/dev/null -o a a
}

test_an_output_that_is_one_of_several_inputs_is_warned_of() {
    local warning='bigshuf: warning: a: is the output and one of several inputs, so another run would add the others *'
    seq 10 >a
    seq 11 20 >b
    fails_with 0 "$warning" bigshuf -o a a b
    same_lines a <(seq 20)
    fails_with 0 "$warning" bigshuf --split=5:c -o a a b
    : >c
    fails_with 0 '' bigshuf -o a a
    fails_with 0 '' bigshuf -o d a b b
}

test_an_output_that_is_an_input_twice_is_refused() {
    local twice='is an output, and an input twice, so each run would double its records; name it once as an input'
    seq 10 | tee s0 >s1
    fails_with 1 "bigshuf: ./s1: $twice" bigshuf --shards=2 -o s%d s0 s1 ./s1
    ln s0 hard
    fails_with 1 "bigshuf: hard: $twice" bigshuf -o s0 s1 s0 hard
    same_lines s0 <(seq 10)
}

test_a_file_is_the_same_by_any_of_its_names() {
    mkdir files && cd files || exit
    seq 100 | bigshuf --shards=2 -o part%d
    ln part0 hard
    seq 9 >a
    refuses 'hard: is both input and output, but part1 is only an output' --shards=2 -o part%d hard
    refuses 'hard: is both input and output, but a is only an input' --shards=2 -o part%d hard part1 a
    fails_with 1 'bigshuf: part0 and hard: are the same output file; give them different names' bigshuf --split=1:part0 -o hard a
    cp part0 before
    bigshuf --shards=2 -o part%d part1 hard
    same_lines <(cat part0 part1) <(seq 100)
    cmp hard before
}

# This input, which is compressed, is refused, and all files stay: keeps NAME OPTION...
keeps() {
    cat ./* | cksum >../before
    fails_with 1 "bigshuf: $1: compressed by gzip*; add -Z to shuffle its lines" bigshuf "${@:2}"
    rm .stderr
    cat ./* | cksum | cmp - ../before
}

test_a_compressed_file_is_not_replaced_by_its_own_bytes() {
    mkdir files && cd files || exit
    printf '\37\213\10\0...\n.\n' | tee a.gz 0 >./1
    printf '\377\376a\0\n\0b\0\n' >text
    ln -s a.gz link
    ln 1 hard
    seq 9 >in
    keeps a.gz -o a.gz a.gz
    keeps a.gz -o a.gz in a.gz
    keeps link -o a.gz link
    keeps hard -o 1 hard
    keeps a.gz -o a.gz --header -n 1 a.gz
    # shellcheck disable=SC2094 # refused
    keeps - -o a.gz <a.gz
    keeps '[01]' --shards=2 -o %d 0 1
    keeps '[01]' --shards=records:1 -o %d 0 1
    keeps a.gz --split=1:new -o a.gz a.gz
    fails_with 1 'bigshuf: text: text in UTF-16, and also the output*iconv*' bigshuf -o text text
    keeps a.gz -o other a.gz
    keeps 0 --filter='cat >$FILE' -o 0 0
    bigshuf --records=bytes:1 -o a.gz a.gz
    same 'bigshuf: warning: -: compressed by gzip, and shuffled as it is; add -Z to shuffle its lines' \
        "$(bigshuf -o 0 < <(cat 0) 2>&1)"
    { head -c 5 1 && seq 9; } >both
    # shellcheck disable=SC2094 # as it may be
    { head -c 5 >skipped && bigshuf -o both; } <both
    same_lines both <(seq 9)
}

# ---- All are complete, and then get their names in order ----

# Six shards, among them an old one: have_shards.
have_shards() {
    rm -rf d
    mkdir d
    seq 600 | bigshuf --seed=x --shards=6 -o d/%d
    cat d/* >right
    sort -n right >wanted
}

# All lines of the shards in folder d are there, each in its shard or in the hidden file of that shard: none_lost.
none_lost() {
    local number hidden
    for number in 0 1 2 3 4 5; do
        hidden=$(find d -name ".$number.??????")
        cat "${hidden:-d/$number}"
    done | sort -n | cmp - wanted
}

test_a_name_that_cannot_be_given_and_sigkill_between_names_leave_all_files_complete() {
    for turn in 1 2 6; do
        have_shards
        FAULT_CALL=rename_at FAULT_AT=$turn fails_with 1 "bigshuf: d/$((turn - 1)): Input/output error: *" \
            bigshuf-faulty --shards=6 -o d/%d d/?
        none_lost
        same $((7 - turn)) "$(find d -name '.?.??????' | wc -l | tr -d ' ')"
        set -- d/.?.??????
        case $turn in
        6) same "$1" "$(sed 's/.*: the complete file is now //' .stderr)" ;;
        *) same "$# complete files are now $1 to ${!#}" "$(sed 's/.*error: //' .stderr)" ;;
        esac
        have_shards
        FAULT_CALL=rename_at FAULT_AT=$turn FAULT_RUN='kill -KILL $PPID' fails_with 137 '*' \
            bigshuf-faulty --shards=6 -o d/%d d/?
        none_lost
        same $((7 - turn)) "$(find d -name '.?.??????' | wc -l | tr -d ' ')"
    done
}

test_a_directory_that_is_replaced_between_two_names_is_told() {
    for signal in 0 TERM; do # which comes while death is held off
        have_shards
        FAULT_CALL=rename_at FAULT_AT=2 FAULT_RUN="mv d e; mkdir d; kill -$signal \$PPID" fails_with 1 \
            'bigshuf: d/2: its directory has been replaced meanwhile; in the old one: 4 complete files are now d/.2.* to d/.5.*' \
            bigshuf-faulty --shards=6 -o d/%d d/?
        same '' "$(ls -A d)"
        rmdir d
        mv e d
        none_lost
    done
}

test_what_others_put_in_the_place_of_an_output_that_is_no_input_is_replaced() {
    seq 100 >in
    for i in 0 1 2 3 4 5 6 7; do
        echo old >old$i
    done
    FAULT_CALL=link_descriptor FAULT_AT=1 FAULT_RUN='echo theirs >t; mv t old7; rm old2; echo more >>old1' \
        bigshuf-faulty --shards=8 -o old%d in
    same_lines <(cat old?) in
}

# ---- Outputs that are inputs are this run's alone ----

# Others do something to a shard when files are complete: loses_to MESSAGE WHAT.
loses_to() {
    have_shards
    FAULT_CALL=link_descriptor FAULT_AT=1 FAULT_RUN=$2 fails_with 1 "bigshuf: d/5: $1" \
        bigshuf-faulty --shards=6 -o d/%d d/?
    same '0 1 2 3 4' "$(find d -type f ! -name 5 -printf '%f\n' | sort | xargs)"
    cat d/[0-4] | cmp - <(head -n 500 right)
}

test_shards_that_others_have_changed_meanwhile_are_not_replaced() {
    loses_to 'somebody else has changed it meanwhile, so it is left alone' 'echo more >>d/5'
    loses_to 'somebody else has changed it meanwhile, so it is left alone' 'sleep 0.01; touch d/5'
    loses_to 'somebody else has replaced it meanwhile, so it is left alone' 'cp d/5 t; mv t d/5'
    loses_to 'No such file or directory' 'rm d/5'
}

test_shards_that_are_written_in_place_may_be_shuffled_into_themselves() {
    needs_ordinary_user
    mkdir closed
    seq 600 | ./bigshuf --shards=6 -o closed/%d
    chmod 666 closed/?
    chmod 555 closed
    as_ordinary_user ./bigshuf --shards=6 -o closed/%d closed/?
    same_lines <(cat closed/?) <(seq 600)
}

# From the moment when the run sees that it is also the input.
test_what_others_put_in_the_place_of_standard_input_is_not_replaced() {
    local failed='' status
    for turn in $(seq 100); do
        seq 50 >file
        seq 51 100 | tee right >theirs
        rm -f log
        status=0
        # shellcheck disable=SC2094 # on purpose
        FAULT_CALL='open lock stat' FAULT_AT=$turn FAULT_LOG=log FAULT_RUN='mv theirs file' \
            bigshuf-faulty -o file <file 2>said || status=$?
        [ -e log ] || break
        if [ $status = 0 ]; then
            same '' "$failed"
        else
            failed=yes
            cmp file right
            grep -q '^bigshuf: file: somebody else has replaced it meanwhile, so it is left alone$' said
        fi
    done
    same yes "$failed"
}

# Also by their hard links; the second run begins when the first one reads, or gives a file its name.
test_shards_are_shuffled_in_place_by_one_run_at_a_time() {
    for case in 'a read 1' 'a rename_at 1' 'a rename_at 4' 'a rename_at 6' 'b read 1'; do
        rm -f a? b?
        seq 600 | bigshuf --shards=6 -o a%d
        for i in 0 1 2 3 4 5; do
            ln a$i b$((5 - i))
        done
        cp a3 before
        set -- $case
        FAULT_CALL=$2 FAULT_AT=$3 FAULT_RUN="bigshuf --shards=6 -o $1%d $1?; echo \$?" \
            bigshuf-faulty --shards=6 -o a%d a? >out 2>said
        same 1 "$(<out)"
        grep -q 'is being shuffled by another run' said
        same_lines <(cat a?) <(seq 600)
        cmp b2 before
    done
}

test_without_locks_shards_may_be_shuffled_into_themselves() {
    have_shards
    FAULT_CALL=lock FAULT_AT=1 FAULT_STAYS=1 FAULT_ERRNO=ENOTSUP bigshuf-faulty --shards=6 -o d/%d d/?
    none_lost
}

test_files_are_not_emptied_by_a_forgotten_input() {
    seq 9 | tee a >./0
    for options in '-o a' '-o a -' '--shards=2 -o %d' '--split=0:new -o a' '--split=0:a -o new' \
        '--split=0:a --shards=records:2 -o %d'; do
        fails_with 1 'bigshuf: [a0]: left alone, since no input is named, and standard input is /dev/null; name the input, *' \
            bigshuf $options </dev/null
    done
    bigshuf --shards=records:2 -o %d </dev/null # which would empty none
    same '.stderr 0 a' "$(names)"
    same 18 "$(cat 0 a | wc -l | tr -d ' ')"
    bigshuf -o new </dev/null
    bigshuf -o new </dev/null
    bigshuf --filter='cat >$FILE' -o 0 </dev/null
    : | bigshuf -o a
    cmp a 0
    seq 9 >a
    bigshuf -o a /dev/null
    cmp a new
}

test_older_shards_are_warned_of() {
    bigshuf --shards=5 -o part%02d -i 1-100
    cases <<END
bigshuf --shards=5 -o part%02d -i 1-100 =>
bigshuf --shards=4 -o part%02d -i 1-100 => bigshuf: warning: part04: left from an earlier run; a glob will include it; delete it
bigshuf --split=10:part09 --shards=records:60 -o part%02d -i 1-100 => bigshuf: warning: part02 to part04: left from an earlier run; a glob will include them; delete them
bigshuf --shards=records:60 -o part%02d /dev/null => bigshuf: warning: part00 to part04: left from an earlier run; a glob will include them; delete them
bigshuf --shards=1 -o part%02d --filter='cat >\$FILE' -i 1-100 =>
END
}

test_misleading_names_are_warned_of() {
    seq 2 >in
    cases <<'END'
bigshuf --split=1:a.gz --shards=1 -o b%d.zst in => bigshuf: warning: a.gz: will be plain text despite its name; add -Z bigshuf: warning: b0.zst: will be plain text despite its name; add -Z
bigshuf --filter='cat >$FILE' --shards=1 -o c%d.zst in =>
bigshuf -o part-%02d in && sort part-%02d => bigshuf: warning: part-%02d: will be one file of just this name; add --shards for numbered files 1 2
bigshuf --shards=2 -o part-%02d in =>
bigshuf -o 100%.txt in =>
END
}

# ---- --filter ----

# A shell makes the file empty before the first record comes.
test_a_filter_may_write_to_an_input() {
    seq -f '%060.0f' 50000 >a
    cp a before
    bigshuf -o a --filter='cat > "$FILE"' a
    same_lines a before
    bigshuf --split=100:a -o rest --filter='cat > "$FILE"' a
    same_lines <(cat a rest) before
    cp before a
    bigshuf -r -n 1000 -o a --filter='cat > "$FILE"' a
    same 1000 "$(wc -l <a)"
}

test_every_kind_of_file_goes_through_the_filter_but_standard_output() {
    cases <<'END'
bigshuf --filter='wc -l >$FILE' -o a -i 1-100 && cat a | xargs => 100
bigshuf --filter='wc -l >$FILE' --shards=records:30 -o b%d -i 1-100 && cat b? | xargs => 30 30 30 10
bigshuf --filter='wc -l >$FILE' --split=30:c -o d -i 1-100 && cat c d | xargs => 30 70
bigshuf --filter='wc -l >$FILE' --split=30:e -i 1-100 >f && cat e | xargs && lengths f => 30 70
mkdir 'a b'; bigshuf --filter='cat >"$FILE"' --shards=2 -o "a b/\$(x)'%d" -i 1-9 && ls 'a b' => $(x)'0 $(x)'1
bigshuf --filter='wc -c >$FILE' --shards=2 -o g%d /dev/null 2>said && cat g? | xargs => 0 0
END
}

test_a_filter_that_fails_fails_the_run_which_names_what_filters_may_have_left() {
    seq 1000 >in
    cases <<'END'
bigshuf --filter='exit 3 # $FILE' -o a in =! a: 'exit 3 # $FILE' failed: exit status 3?bigshuf: warning: what was made with FILE=a may be incomplete
bigshuf --filter='cat >/dev/null; exit 3' -o a in =! a: 'cat >/dev/null; exit 3' failed: exit status 3?*
bigshuf --filter='kill -KILL $$ # $FILE' -o a in =! a: 'kill -KILL $$ # $FILE' failed: killed by signal 9?*
bigshuf --filter='cat >/dev/null; kill -PIPE $$' -o a in =! a: 'cat >/dev/null; kill -PIPE $$' failed: killed by signal 13?*
bigshuf --filter='no-such-command 2>/dev/null' -o a in =! a: 'no-such-command *' failed: exit status 127?*
bigshuf --parallel=1 --shards=9 --filter='cat >$FILE; [ $FILE != 2 ]' -o %d in =! 2: * failed: exit status 1?bigshuf: warning: what was made with FILE=0 to FILE=2 may be incomplete
bigshuf --filter='touch made' -o a missing =! missing: No such file or directory
END
    same '0 1 2 in' "$(echo *)"
}

test_a_filter_that_reads_enough_is_content() {
    more_than_memory >in
    fails_with 0 'bigshuf: warning: with FILE=0, the command did not read all of its records' \
        bigshuf --seed=x -S 8M --shards=3 -o %d --filter='head -n 5 >$FILE' in
    bigshuf --seed=x -S 8M --shards=3 -o whole%d in
    for i in 0 1 2; do
        cmp $i <(sed -n '1,5p' whole$i)
    done
    fails_with 0 'bigshuf: warning: with FILE=none0, the command did not read all of its records' \
        bigshuf --shards=3 -o none%d --filter=': $FILE' in
}

# Success is exit status 0: whoever dies of a broken pipe has lost records.
test_a_filter_dies_of_a_broken_pipe_as_usual_which_is_a_failure() {
    [ -z "$(trap -p PIPE)" ] || skip "SIGPIPE is ignored here"
    echo | bigshuf -o a --filter='cat >/dev/null; yes | head -n 1 >$FILE' 2>said
    same 'y ' "$(cat a said) "
    mkfifo pipe
    exec 8<>pipe 9>pipe 8<&-
    fails_with 1 "*bigshuf: x: 'exec cat' failed: killed by signal 13?*" bigshuf --filter='exec cat' -o x -i 1-1000 >&9
    fails_with 1 "*bigshuf: x: 'cat; exit' failed: exit status 141?*" bigshuf --filter='cat; exit' -o x -i 1-1000 >&9
    exec 9>&-
}

test_a_filter_has_the_descriptors_that_bigshuf_was_given() {
    needs_bare_program
    more_than_memory >in
    sh -c 'ls /proc/self/fd >usual' # and whatever this shell has inherited
    bigshuf -S 8M --parallel=3 --shards=3 -o %d --filter='ls /proc/self/fd >$FILE; cat >/dev/null' in
    cmp 0 usual
    cmp 2 usual
}

test_shards_that_get_no_record_are_warned_of() {
    seq 10 >in
    mkdir new && cd new || exit
    for options in '--shards=12' '--split=5:test --shards=7' '-n 2 --shards=4' '-r -n 9 --shards=11' '--probability=1 --shards=12'; do
        # shellcheck disable=SC2086 # options
        same "bigshuf: warning: part.%02d: 2 of the ${options##*=} shards are empty; --shards=records:N makes only as many as are needed" \
            "$(bigshuf $options -o part.%02d ../in 2>&1)"
        same "$((${options##*=}))" "$(printf '%s\n' part.* | wc -l | xargs)"
        rm -- *
    done
    same '' "$(bigshuf --shards=10 -o part.%02d ../in 2>&1)"
    bigshuf --scatter=../store --piles=2 ../in
    bigshuf --gather=../store --shards=11 -o part.%02d 2>&1 | grep 'part.%02d: 1 of the 11 shards are empty'
}

test_more_than_ten_thousand_shards_without_a_record_are_refused() {
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

test_a_filter_for_several_files_that_does_not_mention_file_is_refused() {
    local message="bigshuf: --filter='cat > .gz': must mention \$FILE, which names each file; write it in single quotes, so that the shell leaves \$FILE alone"
    for options in '--shards=2 -o %d' '--shards=bytes:2 -o %d' '--split=0:a -o b'; do
        fails_with 1 "$message" bigshuf $options --filter='cat > .gz' -i 1-9
        fails_with 0 '' bigshuf $options --filter='cat > $FILE.gz' -i 1-9
    done
    fails_with 0 '' bigshuf --shards=1 -o %d --filter='cat > .gz' -i 1-9
    fails_with 0 '' bigshuf --split=0:a --filter='cat > .gz' -i 1-9
}

test_no_more_filters_than_parallel_at_a_time() {
    for most in 1 2 3; do
        rm -f count
        bigshuf --parallel=$most --shards=8 -o %d --filter='mkdir on-$FILE; ls -d on-* | wc -l >>count; cat >/dev/null
            sleep 0.05; rmdir on-$FILE' -i 1-1000
        same 8 "$(lengths count)"
        [ "$(sort -n count | tail -n 1)" -le $most ]
    done
}

test_a_filter_may_go_on_while_the_next_is_fed() {
    seq 1000 | bigshuf --parallel=2 --shards=2 -o %d --filter='
        touch begun-$FILE
        cat >/dev/null
        until [ -e begun-1 ]; do sleep 0.05; done'
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
    same '335 334 334 101 1 901' "$(lengths a? b c d)"
    for files in 'a?' '[bcd]' 'e?' 'f?'; do
        for file in $files; do same name,value "$(head -n 1 $file)"; done
        { head -n 1 in && tail -q -n +2 $files; } | same_lines in -
    done
    head -n 1 in | bigshuf --header --shards=2 -o %d 2>said
    head -n 1 in | bigshuf --header=1 --split=100%:a >b
    same 'name,value name,value name,value name,value' "$(cat 0 1 a b | xargs)"
}

# ---- All or none ----

# Fill `folder` with old files: have_old NAME...
have_old() {
    rm -rf folder
    mkdir folder
    for name; do
        echo old >"folder/$name"
    done
}

# The folder has the old files and no other: all_old NAME...
all_old() {
    same "$*" "$(names folder)"
    for name; do
        same old "$(<"folder/$name")"
    done
}

# All files of the folder, which bear numbers, one after another are file `right`: all_new COUNT.
all_new() {
    set -- "$1" $(names folder)
    same "$1" $(($# - 1))
    (cd folder && cat -- *) | cmp - right
}

test_no_file_is_seen_before_all_are_complete() {
    local run
    have_old 1
    mkfifo pipe
    exec 8<>pipe
    more_than_memory >in
    start bigshuf -S 8M --split=10:folder/0 --split=10:folder/1 -o pipe in 2>said
    run=$!
    head -c 1000000 <&8 >out
    all_old 1
    cat <&8 >rest & # which never ends, since this shell could write
    wait $run
    kill $!
    same '0 1 10 10' "$(names folder) $(lengths folder/0 folder/1)"
}

# As where case is ignored. (The name comes into being with the first file's.)
test_two_names_that_are_one_to_the_file_system_lose_nothing() {
    FAULT_CALL=rename_at FAULT_AT=1 FAULT_RUN='echo theirs >A' fails_with 1 \
        "bigshuf: A: its file system takes it for another output's name: the complete file is now ./.A.*" \
        bigshuf-faulty --split=5:a -o A <<<"$(seq 10)"
    same theirs "$(<A)"
    cat a .A.?????? | same_lines /dev/stdin <(seq 10)
}

# Send SIGNAL to runs into some files, later and later, until one comes to its end: killed_at_any_moment SIGNAL.
# The first run waits for an input that nobody writes: so it is hit, however late the signal is.
killed_at_any_moment() {
    local signal=$1 moment files status never=never
    [ -p never ] || mkfifo never
    more_than_memory >in
    for files in $(scale 20 20 '3 20'); do
        rm -f new*
        bigshuf -S 8M --seed=x --shards=$files -o new%02d in
        for moment in $(seq "$(scale 3 5 12)"); do
            have_old $(seq -f %02g 0 $((files - 1)))
            status=0
            start bigshuf -S 8M --seed=x --shards=$files -o folder/%02d in ${never:+"$never"}
            sleep "0.$(printf %03d $((6 * moment * moment)))"
            kill -"$signal" $! 2>/dev/null || true
            wait $! || status=$?
            judge_killed
            [ $status != 0 ] || break
            never=
        done
    done
    same '' "$never"
}

# Look at the folder that a killed run leaves: all files are old, or all are new. A SIGKILL may come while files get
# their names, and may leave hidden files; but every file with its name is whole.
judge_killed() {
    local old=0 file first
    same "$(echo new* | sed 's/new//g')" "$(cd folder && echo *)"
    for file in folder/*; do
        IFS= read -r -n 3 first <"$file"
        if [ "$first" = old ]; then
            old=$((old + 1))
        else
            cmp "$file" "new${file#folder/}"
        fi
    done
    [ $signal = KILL ] || [ $old = 0 ] || [ $old = $files ]
    [ $signal = KILL ] || same $files "$(names folder | wc -w | tr -d ' ')"
}

test_sigterm_at_any_moment_leaves_all_files_old_or_all_new_and_sigkill_whole_files() {
    killed_at_any_moment TERM
    killed_at_any_moment KILL
}

# Kill a run by a signal while its filter has read only a part and is busy: killed_in_filter SIGNAL. The filter must be
# dead before it could see its input end and take that for the end of the file.
killed_in_filter() {
    seq 1000000 >in
    rm -f began go complete
    # shellcheck disable=SC2094 # a word to find the processes by
    start bigshuf --filter="head -c 1000 >begun; mv begun began; until [ -e go ]; do sleep 0.02; done
        cat >/dev/null; touch complete # $PWD" -o a in 2>said
    local process=$!
    until [ -e began ]; do sleep 0.02; done
    kill -"$1" $process
    fails_with $((128 + $(kill -l "$1"))) '*' wait $process
    same '' "$(<said)"
    touch go
    wait_until no_filter
    [ ! -e complete ]
}

no_filter() {
    ! pgrep -f "touch complete # $PWD" >/dev/null
}

test_killed_it_tells_filters_before_their_input_ends() {
    needs_bare_program
    needs pgrep
    for signal in TERM INT HUP USR2; do
        killed_in_filter $signal
    done
}

gone() { ! kill -0 "$(<began)" 2>/dev/null; }

test_killed_or_without_a_reader_it_ends_what_the_filter_has_started() {
    local filter='cat >/dev/null; sleep 1000 & echo $! >child; mv child began; wait'
    needs_bare_program
    [ -z "$(trap -p PIPE)" ] || skip "SIGPIPE is ignored here"
    seq 100000 >in
    start bigshuf --filter="$filter" -o a in 2>said
    wait_until test -e began
    kill -TERM $!
    fails_with 143 '*' wait $!
    wait_until gone
    rm began
    mkfifo pipe
    exec 8<>pipe
    start bigshuf --split=10:a --filter="$filter" in >pipe 8>&-
    wait_until test -e began
    exec 8<&-
    fails_with 141 '*' wait $!
    wait_until gone
}

# A full disk, a limit to sizes, a directory for which there is no permission

test_a_full_disk_leaves_all_old_files() {
    needs_small_disk
    more_than_memory >in
    for files in 3 20; do
        fails_with 0 '*' on_small_disk 4 sh -c "
            echo old | tee disk/00 >disk/02
            cat in | bigshuf -S 8M --shards=$files -o disk/%02d
            echo \$? >status
            cat disk/00 disk/02 >left
            ls -A disk >>left"
        same '1 old old 00 02' "$(cat status left | paste -s -d ' ' -)"
    done
}

test_a_directory_that_is_closed_meanwhile_leaves_all_old_files() {
    needs_ordinary_user
    cp "$(readlink "$(command -v bigshuf-faulty)")" faulty
    as_ordinary_user mkdir folder
    seq 200000 | as_ordinary_user ./bigshuf --shards=6 -o folder/%d # enough to be mapped
    md5 folder/? >wanted
    for turn in 7 8; do # when number 4 and 5 are opened again
        FAULT_CALL=open_anonymous FAULT_AT=$turn FAULT_RUN='chmod 555 folder' \
            fails_with 1 "bigshuf: folder/$((turn - 3)): cannot be replaced any more, so it is left alone*" \
            as_ordinary_user ./faulty --shards=6 -o folder/%d folder/?
        md5 folder/? | cmp - wanted
        as_ordinary_user chmod 755 folder
    done
}

test_a_file_that_may_not_be_written_is_told_before_the_work() {
    needs_ordinary_user
    mkfifo never
    mkdir open closed
    echo old >old
    chmod 777 open
    chmod 666 old
    chmod 555 closed
    echo old | tee open/0 >open/15
    chmod 666 open/0
    chmod 444 open/15
    cases <<'END'
as_ordinary_user ./bigshuf --split=1:old --split=1:open/a -o closed/b never =! closed/b: Permission denied
as_ordinary_user ./bigshuf --shards=records:5 -o closed/%d never =! closed/0: Permission denied
as_ordinary_user ./bigshuf --shards=20 -o open/%d never =! open/15: Permission denied
END
    same 'old old old 0 15' "$(cat old open/* | xargs) $(names open)"
}

# ---- Faults ----

# Divide file `in` under the environment's FAULT_..., and judge what is left: survives FILES OPTION...
survives() {
    local files=$1 status=0 name old=()
    shift
    for name in 00 02 04 06 08 10 12 14 16 18; do # every other one
        [ "$((10#$name))" -ge "$files" ] || old+=("$name")
    done
    have_old "${old[@]}"
    [ ! -e failed ] || rm failed
    echo "FAULT_CALL=${FAULT_CALL:-} FAULT_AT=${FAULT_AT:-} $*:"
    FAULT_LOG=failed bigshuf-faulty --seed=x -T temporary "$@" in 2>said || status=$?
    echo "status $status: $(<said)"
    if [ "${FAULT_CALL:-}" = unlink ]; then
        rm -f folder/.[!.]* # hidden names, which the run could not take away
    fi
    if [ $status = 0 ]; then
        all_new "$files"
    else
        same '1 1' "$status $(grep -v -c '^bigshuf: warning: ' said)"
        if grep -q 'complete file' said; then
            all_kept "$files"
        else
            all_old "${old[@]}"
        fi
    fi
    same '' "$(names temporary)"
}

# Not all files could get their names; but each is complete, under one name or the other: all_kept FILES.
all_kept() {
    local number name
    for number in $(seq -f %02g 0 $(($1 - 1))); do
        name=$(find folder -name ".$number.*")
        cat "${name:-folder/$number}"
    done | cmp - right
}

# Let calls of every kind that is made fail, at these turns: sweep 'TURN...' FILES OPTION...
sweep() {
    cd "$MEMORY" || exit
    mkdir temporary
    ${input:-seq 1000} >in
    bigshuf --seed=x in >right
    fail_any_call "$1" survives "${@:2}"
}

test_many_shards_survive_any_fault() {
    sweep "$(scale '1 9' '1 11' "$(seq 300)")" 12 --parallel=1 --shards=12 -o folder/%02d
}

test_splits_survive_any_fault() {
    sweep "$(scale '1 4' '1 4' "$(seq 200)")" 3 --split=10:folder/00 --split=50%:folder/01 -o folder/02
}

test_shards_by_bytes_survive_any_fault() {
    input='seq 3000' sweep "$(scale 3 3 "$(seq 40) $(seq 50 10 500)")" 3 -S 8M --parallel=1 --shards=bytes:5K -o folder/%02d
}

test_shards_survive_calls_that_fail_from_some_time_on() {
    FAULT_STAYS=1 sweep "$(scale 9 9 "$(seq 200)")" 12 --parallel=1 --shards=12 -o folder/%02d
}

test_filters_survive_any_fault() {
    cd "$MEMORY" || exit
    seq 1000 >in
    bigshuf --seed=x in >right
    mkdir temporary
    for call in pipe spawn wait write close allocate; do
        for turn in 1 2 4 6; do
            status=0
            have_old
            FAULT_CALL=$call FAULT_AT=$turn bigshuf-faulty --seed=x --shards=3 -o folder/%d --filter='cat >$FILE' in \
                2>said || status=$?
            if [ $status = 0 ]; then
                all_new 3
            else
                same '1 1' "$status $(grep -v -c '^bigshuf: warning: ' said)"
                [ -z "$(names folder)" ] || grep -q '^bigshuf: warning: what was made with FILE=folder/0' said
            fi
        done
    done
}

# ---- Splits and shards at once ----

test_shards_hold_what_the_splits_leave() {
    bigshuf --seed=x -i 1-1000 >wanted
    cases <<'END'
bigshuf --seed=x -i 1-1000 --split=100:a --split=10%:b --shards=3 -o c.%d && lengths a b c.* && cat a b c.? | cmp - wanted => 100 100 267 267 266
bigshuf --seed=x -i 1-1000 --split=990:a --shards=records:4 -o d.%d && lengths a d.* && cat a d.? | cmp - wanted => 990 4 4 2
bigshuf --seed=x -i 1-1000 --split=0:a --shards=bytes:1000 -o e.%d && lengths a e.* && cat e.? | cmp - wanted => 0 255 256 256 233
bigshuf --seed=x --header --split=999:a --shards=records:4 -o f.%d wanted && lengths a && echo f.* => 1000 f.*
END
}

# ---- The same file twice ----

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

# ---- The reader of the rest goes away ----

test_a_reader_that_goes_away_leaves_no_hidden_file() {
    local splits
    splits=$(seq -f '--split=1:a%g' 11)
    seq 100000 >in
    # shellcheck disable=SC2086 # words, by intention
    { bigshuf $splits in || true; } | head -n 1 >first
    same 'first in' "$(ls -A | paste -s -d ' ' -)"
}
