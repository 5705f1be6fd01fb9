# The command line: what its words mean, and what is wrong with them. examples.sh holds the program against the manual's
# lists of options that exclude or need each other, and gnu.sh against shuf; mistakes.sh has what people are likely to
# type.

# A store, a file of 100 lines, another one called 2, and records of other kinds.
make_kinds() {
    seq 100 | tee in 2 | tr '\n' '\0' >nul
    sed 's/^/>/' in >fasta
    head -c 256 nul >sized
    sed 's/^/a:b\\n/' in >starts
    seq 100 | bigshuf --scatter=store --piles=4 --batch=a
}

# bigshuf with a seed that says nothing else.
seeded() {
    bigshuf --seed=1 "$@"
}

test_words_mean_options_in_any_order_and_spelling() {
    make_kinds
    cases <<'END'
seeded in -n 7 -z == seeded -zn7 in
seeded in --zero --head 7 == seeded --zero-terminated --head-count=7 -- in
seeded in --header 2 == seeded --header=1 -- in 2
seeded --record=lines:4 in == seeded --records=lines:4 in
seeded in nul -- == seeded -- in nul
seeded -n2 --head-count=1 -n 3 in == seeded -n1 in
seeded -n99999999999999999999999 in == seeded in
seeded --probability=0.50 --probability=0.50 in == seeded --probability=0.5 in
seeded --header=2 --header=2 in == seeded --header=2 in
seeded --weight-field=1 --weight-field=1 in == seeded --weight-field=001 in
seeded -t, --field-separator='\054' --weight-field=1 in == seeded -t , --weight-field=1 in
seeded --csv --records=csv in == seeded --csv in
seeded --filter='cat >$FILE' --filter='cat >$FILE' -o out in; cat out == seeded in
seeded --output=out -o out in; cat out == seeded in
seeded --tune=leaf-records=9 --tune=leaf-records=8 in == seeded --tune=leaf-records=8 in
seeded --tune=compress-temporary=always --tune=compress-temporary=auto in == seeded in
seeded -S 8192 --parallel=99999999999999999999 in == seeded -S8388608b --parallel=4294967295 in
seeded --header=start:9 --header in == seeded --header --header=start:9 in
seeded --records=fasta fasta == seeded --records=start:'>' fasta
seeded --records=start:'a:b\n' starts == seeded starts
seeded --records=bytes:0.125K sized == seeded --records=bytes:128 sized
seeded -z --delimiter='\0' nul == seeded --delimiter '\x00' nul
seeded -z --records=lines:4 nul == seeded --delimiter='\0' --records=lines:4 nul
seeded --gather=store --only-piles=0-3 --epoch=0 == seeded --gather=store
seeded --gather=store --epoch=1 --epoch=1 == seeded --gather=store --epoch=1
seeded -v -e a 2>&1 | sed -n 's/^bigshuf: bytes: *//p' == seeded -e 2 -n1
seeded --progress --progress=never in == seeded in
seeded --progress=always --progress=auto in == seeded in
seeded --tune=compress-temporary=always --tune=leaf-records=8 in == seeded --tune=leaf-records=8 in
END
}

test_fields_may_be_separated_by_any_byte() {
    cases <<'END'
printf '1\t0\n2\t1\n' | bigshuf -n 1 --weight-field=2 -t '\t' | tr '\t' , => 2,1
printf '1\\0\n2\\1\n' | bigshuf -n 1 --weight-field=2 -t '\' => 2\1
printf '1\\0\n2\\1\n' | bigshuf -n 1 --weight-field=2 -t '\\' => 2\1
echo 305 | bigshuf --weight-field=2 -t 0 => 305
printf '1\0000\n2\0001\n' | bigshuf -n 1 --weight-field=2 -t '\0' | tr '\0' , => 2,1
printf '1 0\n2 1\n' | bigshuf -n 1 --weight-field=2 -t ' ' => 2 1
printf '1\3770\n2\3771\n' | bigshuf -n 1 --weight-field=2 -t $'\377' | tr '\377' , => 2,1
END
}

test_arguments_are_taken() {
    cd "$MEMORY" || exit
    make_kinds
    cases <<'END'
bigshuf -ern2 a => a a
bigshuf --echo =>
bigshuf b -e -r -n 99 | sort -u => b
bigshuf -e a -- -n1 | sort => -n1 a
bigshuf -ri5-5 -n2 => 5 5
bigshuf --keep-order -n18446744073709551615 in | cmp - in =>
bigshuf -o --help in; wc -l <--help => 100
bigshuf --split=10:a --split 0.5%:b:c in 2>said | wc -l; wc -l <b:c => 90 0
bigshuf --shards=bytes:0.25KiB --keep-order -n 100 -o %d.part in; wc -c <0.part => 255
bigshuf --shards=bytes:18446744073709551615 -o %d.all in; wc -c <0.all => 292
bigshuf --scatter=other --piles=4096 --batch=2026-11-20.x_Y --keep-newest=3 in; bigshuf --list=other | grep -c x_Y => 1
bigshuf --sweep=other =>
bigshuf --list=other -z | tr '\0' '\n' | wc -l => 1
bigshuf -i0-18446744073709551615 -n 3 | wc -l => 3
bigshuf -i5-4 =>
bigshuf --records=start:'\b' <(printf '\\bx\n') => \bx
bigshuf -e -n1 --delimiter=1 a; echo => a1
bigshuf -i1-2 --delimiter=, | wc -c => 4
bigshuf -r -n 5 --shards=2 -o %d.part in; cat [01].part | wc -l => 5
bigshuf -n 0 --shards=2 -o %d.part in 2>said; cat [01].part | wc -l => 0
bigshuf --records=bytes:1 --header=bytes:6 --headers-differ <(printf 1234567) => 1234567
bigshuf --split-field=1 --split=2%:b --group-field=1 --shards=bytes:300 -o %d.one in 2>said; cat ?.one b | wc -l => 100
bigshuf --gather=store --seed=1 --part=1/1 --epoch=1 -o %d.half --shards=2; cat ?.half | wc -l => 100
bigshuf --seed=1 --skip=1 -n 0 -i 1-134217728 =>
bigshuf --header=start:"$(printf '%254s' '')" in | wc -l => 100
(exec -a other bigshuf -n1 nowhere) =! nowhere: No such file or directory
POSIXLY_CORRECT=1 bigshuf -n1 2 -n2 =! -n2: No such file or directory; options must come before --, or with POSIXLY_CORRECT before all files
bigshuf a --help -Sx | grep -c '^Usage: bigshuf \[OPTION\]... \[FILE\]...$' => 1
bigshuf -zh | grep -c '^Usage' => 1
bigshuf --help | tail -n 1 => or a number and one of these units, but not %.
bigshuf -h | grep -c -e --epoch -e '^Usage' => 1
bigshuf --help -header | grep -c -e --epoch -e '^Usage' => 2
bigshuf -V | grep -c '^bigshuf [0-9a-z.]*$' => 1
bigshuf -V | grep -c '^Copyright .* MIT License\|^Built in: LZ4\|^To .*: .*plain$' => 4
END
}

# shellcheck disable=SC1003 # backslashes that the program is to read
test_escapes_are_those_of_c_and_other_bytes_stand_for_themselves() {
    echo x | bigshuf --delimiter='<|\a\b\f\n\r\t\v\\'"\\'"'\"\?\0\0001\128\377\x1e\xFfg\xaG' 2>said | od -An -v -tx1 -w40 >bytes
    same ' 78 0a 3c 7c 07 08 0c 0a 0d 09 0b 5c 27 22 3f 00 00 31 0a 38 ff 1e ff 67 0a 47' "$(<bytes)"
    for escape in '\' 'a\q' '\8' '\x' '\xg'; do
        fails_with 1 "*invalid --delimiter argument '${escape//\\/\\\\}': *" bigshuf --delimiter="$escape" never
    done
}

# A number is digits alone, and within its range.
test_counts_are_digits_alone_and_within_their_range() {
    local option number valid
    for option in header= header=bytes: expect-records= shards= shards=records: keep-newest= epoch=; do
        case $option in
        header= | shards=) valid='a number of *' ;;
        *) valid='a whole number*' ;;
        esac
        for number in '' x -1 ' 1' 1x 1% 0x1 1K 1.5; do
            fails_with 1 "bigshuf: invalid --${option%?} argument '$number': must be $valid" bigshuf "--$option$number" never
        done
        fails_with 1 "bigshuf: --${option%?} argument '18446744073709551616' too large" \
            bigshuf --${option}18446744073709551616 never
    done
    for option in shards= shards=records: keep-newest=; do
        fails_with 1 "bigshuf: --${option%?} must be at least 1" bigshuf --${option}0 never
    done
}

# But for those that add up, and a few of which one counts. (Files are not looked for.)
test_an_option_that_is_given_again_says_the_same() {
    seq 9 >in
    bigshuf --seed=1 >right <in
    for option in --seed=1 '-S 8M -S 9M' '--parallel=1 --parallel=2' '--progress=never --progress=auto' '-n 9 -n 10' \
        -v '-T . -T /tmp' '--part=1/1 --part=1/1'; do
        bigshuf --seed=1 $option in 2>said | cmp - right
    done
    for option in --seed= --delimiter= --random-source= --weights= --weight-field= --filter= --scatter= --gather= \
        --files0-from= --header=start: --batch= -o -t; do
        fails_with 1 'bigshuf: multiple * specified; give one' bigshuf ${option}a ${option}b in
    done
    for option in --expect-records= --header= --header=bytes: --shards= --shards=bytes: --shards=records: --skip= \
        --epoch= --keep-newest= --probability=0. --part=1/ --only-piles=1-; do
        fails_with 1 "bigshuf: multiple ${option%%=*}* options specified; give one" bigshuf ${option}4 ${option}8 in
    done
}

test_wrong_arguments_are_refused() {
    cases <<'END'
bigshuf --group-field=0 =! invalid field value '0': fields are numbered from 1?Try 'bigshuf --help' for more information.
bigshuf --split-field= =! invalid --split-field argument '': must be the number of a column, its name, or a JSON Pointer
bigshuf --weight-field=/a~b =! invalid --weight-field argument '/a~b': must be a JSON Pointer, in which ~ is written as ~0, and / in a name as ~1
bigshuf --weight-field=18446744073709551616 =! field number '18446744073709551616' is too large?Try *
bigshuf -t '\q' =! multi-character tab '\\q': must be one byte, such as ',', or an escape, such as '\\t'; *FILE | bigshuf -t *
bigshuf -t, -t';' =! multiple field separators specified; give one
bigshuf -S 0% =! -S 0%: memory must be at least 8 MiB
bigshuf --buff=8388607b =! --buffer-size 8388607b: memory must be at least 8 MiB
bigshuf -S $'a\nb' =! invalid -S argument 'a\\nb': must be a number and a unit, such as 64M, 1.5G or 50%
bigshuf -S 1Z =! -S argument '1Z' too large
bigshuf --shards=bytes:9% =! invalid --shards=bytes argument '9%': *
bigshuf --shards=bytes:16E =! --shards=bytes argument '16E' too large
bigshuf --tune=compress-temporary=alway =! invalid --tune argument 'compress-temporary=alway': must be leaf-records=T or *
bigshuf --expect-records=18446744073709551615 =! --expect-records argument '18446744073709551615' too large
bigshuf --part=1 =! invalid --part argument '1': must be R/W, part R of W, from 1/W to W/W, W below 2^32
bigshuf --piles=1 =! invalid --piles argument '1': must be a power of two from 2 to 4096; to read some write --only-piles=J-K
bigshuf --piles=511 =! invalid --piles argument '511': *
bigshuf --piles=8192 =! invalid --piles argument '8192': *
bigshuf --piles=18446744073709551618 =! --piles argument '18446744073709551618' too large
bigshuf --only-piles=2-18446744073709551615 =! invalid --only-piles argument '2-18446744073709551615': *
bigshuf --tune=leaf-records=7 =! --tune=leaf-records must be at least 8
bigshuf --tune=leaf-records=2147483649 =! --tune=leaf-records argument '2147483649' too large
bigshuf --header=bytes: =! invalid --header=bytes argument '': must be a whole number, digits only
bigshuf --csv --records=tar =! multiple kinds of records specified; give one
bigshuf --records=lines:2 --records=lines:3 =! multiple kinds of records specified; give one
bigshuf --records=lines:0 =! --records=lines must be at least 1
bigshuf --records=lines:x =! invalid --records=lines argument 'x': must be a whole number, digits only
bigshuf --records=lines:18446744073709551616 =! --records=lines argument '18446744073709551616' too large
bigshuf --records=bytes:0 =! --records=bytes must be at least 1
bigshuf --records=bytes:1% =! invalid --records=bytes argument '1%': must be a number of bytes, *
bigshuf --records=start: =! --records=start must not be empty
bigshuf --records=start:$'a\nb' =! --records=start must not have a newline
bigshuf --records=start:"$(printf '%255s' '')" =! --records=start must be at most 254 bytes
bigshuf --records=end: =! --records=end must not be empty
bigshuf --delimiter='\q' =! invalid --delimiter argument '\\q': must have one of abfnrtv\\ or a byte's number behind a backslash, such as \\n or \\xff
bigshuf --records=end:"$(printf '%255s' '')" =! --records=end must be at most 254 bytes
bigshuf --records=end:'//\n' =! --records=end takes a line, without escapes; write --records=end:'//' for records whose last line is that, or --delimiter='//?n'
bigshuf --records=end:'\x1e' =! --records=end takes a line, without escapes; write --delimiter='?x1e'
bigshuf --delimiter= =! --delimiter must not be empty
bigshuf --delimiter='\400' =! --delimiter argument '\\400' too large
bigshuf --header=start: =! --header=start must not be empty
bigshuf --header=start:$'a\nb' =! --header=start must not have a newline
bigshuf --header=start:"$(printf '%255s' '')" =! --header=start must be at most 254 bytes
bigshuf --tar =! unrecognized option '--tar'; write --records=tar?Try *
# Names that stand for one option though another one begins so are not among those that a message offers.
bigshuf --r --re =! option '--r' is ambiguous; write --records, --random-source, --repeat or --requests?Try *
bigshuf -n3 -zhelp =! -h goes with no other letters, as in '-zhelp'; *
bigshuf --verbose -Sx --help =! invalid -S argument 'x': *
END
}

# Rules that no list of the manual has, about several options together or about the contents of an argument; and their
# messages.
test_what_does_not_go_together_is_refused() {
    cases <<'END'
bigshuf -e -i1-2 =! cannot combine -e and -i options?Try *
bigshuf --seed=1 --random-source=a =! cannot combine --seed and --random-source; each of them decides the order
bigshuf --random-source=a --seed=1 =! cannot combine --seed and --random-source; each of them decides the order
bigshuf -n1 --probability=1 =! cannot combine --probability and -n; one takes a share, the other a number
bigshuf --csv -i1-2 =! cannot combine -i and --csv; each word or number is a record
bigshuf --records=tar --header=2 =! cannot combine --header and --records=tar
bigshuf -z --delimiter=a =! cannot combine -z and --delimiter other than '\\0'
bigshuf --delimiter='\0\0' -z =! cannot combine -z and --delimiter other than '\\0'
bigshuf --records=lines:2 --delimiter=ab =! cannot combine --records=lines and --delimiter of several bytes
bigshuf --delimiter=ab -e =! cannot combine -e and --delimiter of several bytes
bigshuf --weight-field=1 --delimiter=ab =! cannot combine --weight-field and --delimiter of several bytes
bigshuf --delimiter=ab --split-field=1 =! cannot combine --split-field and --delimiter of several bytes
bigshuf -i1-2 --delimiter=0 =! cannot combine -i and a digit as --delimiter
bigshuf -i1-2 --delimiter=9 =! cannot combine -i and a digit as --delimiter
bigshuf --shards=bytes:2 -r =! cannot combine --shards=bytes and -r without -n
bigshuf -r --split=2:a =! cannot combine --split and -r without -n
bigshuf -z --gather=a =! cannot combine --gather and -z
bigshuf --skip=1 --seed=1 --split=5%:a =! cannot combine --skip and --split
bigshuf --skip=1 --seed=1 --shards=2 -o %d =! cannot combine --skip and --shards
bigshuf --skip=1 --random-source=a =! cannot combine --skip and --random-source
bigshuf --skip=1 --seed=1 --keep-order -n 2 =! cannot combine --keep-order and --skip
bigshuf --skip=1 --seed=1 --probability=1 =! cannot combine --probability and --skip
bigshuf --skip=1 --seed=1 --scatter=a =! cannot combine --skip and --scatter
bigshuf --skip=1 --seed=1 --list=a =! cannot combine --list and --skip
bigshuf --skip=1 --seed=1 -n 1 -i 0-134217728 =! cannot combine --skip and -n of an -i range over 2^27
bigshuf --part=1/2 --seed=1 -n 1 -i 0-18446744073709551615 =! cannot combine --part and -n of an -i range over 2^27
bigshuf --filter=a =! --filter needs -o or --split
bigshuf --headers-differ =! --headers-differ needs --header
bigshuf --header=2 --header=bytes:2 =! cannot combine --header=bytes and --header
bigshuf --header=start:a --header=bytes:2 =! cannot combine --header=bytes and --header=start
bigshuf --piles=4 =! --piles needs --scatter; with --gather write --only-piles=J-K
bigshuf --gather=a --piles=4 =! --piles needs --scatter; with --gather write --only-piles=J-K
bigshuf --scatter=a --only-piles=0-1 =! --only-piles needs --gather
bigshuf --part=1/2 =! --part needs --seed, so that all parts are of one order
bigshuf --gather=a b =! extra operand 'b'; a store that is read takes no files?Try *
bigshuf --sweep=a b =! extra operand 'b'; a store that is read takes no files?Try *
bigshuf --files0-from=names x y =! extra operand 'x'; file operands cannot be combined with --files0-from?Try *
bigshuf -i1-2 -- -b a =! extra operand '-b'; -i takes no files?Try *
# Errors in a single option come first, then those of several together, then those of operands.
bigshuf -e -i1-2 -nx =! invalid line count: 'x': *
bigshuf -oa -ob --random-source=c --random-source=d =! multiple output files specified; give one
bigshuf -i1-2 -e --seed=1 --random-source=a x =! cannot combine -e and -i options*
bigshuf -i1-2 --seed=1 --random-source=a x =! cannot combine --seed and --random-source; each of them decides the order
bigshuf -i1-2 --keep-order x =! --keep-order needs -n
END
}
