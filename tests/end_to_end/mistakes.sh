# What people are likely to type, and what they are told: every message says what would be right.
# shellcheck shell=bash

test_likely_mistakes_are_told_with_what_would_be_right() {
    echo 1 >in
    printf '\37\213\n' >zipped
    printf '1,2\r\n' >crlf
    printf '1\n2\n1\n' >torn
    bigshuf --scatter=store --piles=2 --batch=a in
    cases <<'END'
bigshuf -S 64mb in =! invalid -S argument '64mb': it is a number and a unit, such as 64M or 1.5G: *MB*
bigshuf -S '64 MB' in =! invalid -S argument '64 MB': it is a number and a unit, *
bigshuf -S 4M in =! -S 4M: memory must be at least 8 MiB
bigshuf -S 64 in =! -S 64: memory must be at least 8 MiB: a number without a unit is KiB
bigshuf --shards=bytes:100megs -o %d in =! invalid --shards=bytes argument '100megs': it is a number of bytes, or a number and a unit: K, M, *
bigshuf --shards=4 -o out in =! out: a name with one %d, or %0Nd for N digits, is needed, such as part-%05d
bigshuf --shards=4 -o s%1d in =! s%1d: a name with one %d, or %0Nd for N digits, is needed, such as part-%05d
bigshuf --shards=4 in =! --shards needs -o
bigshuf --split=v:1% in =! invalid --split argument 'v:1%': it is N:FILE or P%:FILE, such as 100:test or 2.5%:test; P has at most four decimals
bigshuf --split=10 in =! invalid --split argument '10': it is N:FILE or P%:FILE, *
bigshuf --probability=1% in =! invalid probability: '1%': it is a number from 0 to 1, such as 0.01
bigshuf --probability=5 in =! invalid probability: '5': it is a number from 0 to 1, such as 0.01
bigshuf -n 10k in =! invalid line count: '10k': it is a whole number, in digits alone
bigshuf -n 1% in =! invalid line count: '1%': it is a whole number, in digits alone; a sample of about 1% is --probability=0.01
bigshuf -n -5 in =! invalid line count: '-5': it is a whole number, in digits alone
bigshuf -i 100 =! invalid input range: '100': it is LO-HI, two whole numbers, the smaller one first, such as 1-100
bigshuf -i 1..6 =! invalid input range: '1..6': it is LO-HI, two whole numbers, the smaller one first, such as 1-100
bigshuf -i 6-1 =! invalid input range: '6-1': it is LO-HI, two whole numbers, the smaller one first, such as 1-100
bigshuf -t '||' --weight-field=2 in =! multi-character tab '||': it is one byte, or an escape such as \\t
bigshuf --weight-field=price in =! invalid field value 'price': it is a whole number, *
bigshuf --delimiter='\d' in =! invalid --delimiter argument '\\d': after a backslash there is one of abfnrtv, *
bigshuf --gather=store --piles=3 =! invalid --piles argument '3': it is a power of two *, or J-K with --gather, such as 3-3 for pile 3
bigshuf --tune=fast in =! invalid --tune argument 'fast': it is leaf-records=T or compress-temporary=auto|always|never
bigshuf --filter= -o out in =! invalid --filter argument '': it is a command, such as 'gzip > $FILE.gz'
bigshuf -o results/out in =! results/out: No such file or directory: there is no folder 'results'
bigshuf -o results/ in =! results/: Is a directory: name a file in it
bigshuf -o . in =! .: Is a directory: name a file in it
bigshuf -o in </dev/null =! in: left as it is, as no input is named, and standard input is /dev/null: name the input, or /dev/null to empty it
bigshuf -o in in ./in =! ./in: an output, and an input twice: each run would double its records: name it once
bigshuf zipped =! zipped: compressed by gzip: to shuffle its lines: bigshuf -Z
bigshuf -o zipped zipped =! zipped: compressed by gzip, and an output as well, so that what is in it would be lost: to shuffle its lines: bigshuf -Z
bigshuf --csv <zipped =! -: compressed by gzip: to shuffle its records: bigshuf -Z
bigshuf --scatter=store zipped =! zipped: compressed by gzip: to shuffle its lines: bigshuf -Z
bigshuf --group-field=1 --split=1:test -o rest torn =! torn: the records of group '1' are not all neighbours, so that --split would divide it: sort by field 1 first
bigshuf -i 1-10 --shards=1000000 -o %d =! %d: more than 10000 of the 1000000 shards would be empty: use fewer, or --shards=records:N
bigshuf --gather=store -o store/out =! store/out: in the store store, where nothing else belongs: write to another folder
bigshuf --expect-records=2 in =! in: the number of records is 1, not 2 as --expect-records says
bigshuf --expect-records=3 in in =! 2 input files: the number of records is 2, not 3 as --expect-records says
bigshuf --weight-field=2 in =! in:1: no such field for the weight: '1': -t says what separates fields, and --csv that commas do
bigshuf --split-field=2 --split=9%:a -o out crlf =! --split-field: a record has no field 2: '1,2': -t says what separates fields, and --csv that commas do
bigshuf --csv --group-field=3 in =! in: record 1 of the input has no field 3: -t says what separates fields
bigshuf --scatter=store --batch=b </dev/null =! store: nothing is added, as no input is named, and standard input is /dev/null: name the input, or /dev/null for an empty batch
bigshuf --gather=store --expect-records=2 =! store: the number of records is 1, not 2 as --expect-records says
bigshuf --expect-records=2 <in =! standard input: the number of records is 1, not 2 as --expect-records says
bigshuf data/2026/in =! data/2026/in: No such file or directory: there is no folder 'data'
bigshuf -o in/out in =! in/out: Not a directory: there is no folder 'in'
bigshuf --scatter=new/store in =! new/store: No such file or directory: there is no folder 'new'
bigshuf -T scratch in =! temporary file in scratch: No such file or directory
bigshuf -T scratch/here in =! temporary file in scratch/here: No such file or directory
bigshuf -n $'10\r' in =! invalid line count: '10\\r': *: \\r is a carriage return, as in lines that end with CRLF
bigshuf $'in\r' =! in\\r: No such file or directory: \\r is a carriage return, as in lines that end with CRLF
bigshuf $'a\tb' =! a\\tb: No such file or directory
bigshuf $'\e[31m' =! \\x1b\[31m: No such file or directory
END
    same 'crlf in store torn zipped' "$(echo *)"
    same 'a format' "$(cd store && echo *)"
}

# Names and seeds from a script with Windows line ends are accepted, since they may be intended.
test_a_carriage_return_at_the_end_is_warned_of() {
    local hint="': \\\\r is a carriage return, as in lines that end with CRLF"
    seq 9 >in
    fails_with 0 "bigshuf: warning: -o 'out\\\\r$hint" bigshuf -o $'out\r' in
    fails_with 0 "bigshuf: warning: --split '1:part\\\\r$hint" bigshuf --split=$'1:part\r' -o rest in
    fails_with 0 "bigshuf: warning: --seed '42\\\\r$hint" bigshuf --seed=$'42\r' in >rest
    fails_with 0 "bigshuf: warning: --scatter 'store\\\\r$hint" bigshuf --scatter=$'store\r' --piles=2 in
    fails_with 0 "bigshuf: warning: --filter 'cat >\$FILE\\\\r$hint" bigshuf --filter=$'cat >$FILE\r' -o new in
    tr '\n' '\r' <in >returns
    fails_with 0 '' bigshuf --seed=$'4\r2' --delimiter=$'\r' returns >rest
}

test_sizes_are_also_as_in_split() {
    seq 1000 >in
    for size in 64MB 64MiB 10000KB 0.5G 1.5GiB; do
        bigshuf --seed=42 -S $size in >out
        cmp out <(bigshuf --seed=42 in)
    done
    bigshuf --shards=bytes:1KB -o decimal.%d in
    bigshuf --shards=bytes:1KiB -o binary.%d in
    bigshuf --records=bytes:0.001KB --output=out in
    cat decimal.0 decimal.1 decimal.2 decimal.3 | sort -n | cmp - in
    [ "$(wc -c <decimal.0)" -le 1000 ]
}
