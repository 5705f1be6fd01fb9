# A drop-in for GNU shuf: whatever shuf does with its own options, given the same random bytes, bigshuf does byte for
# byte: output, messages, exit status. A case is a line of shell in which $shuf stands for the one or the other; of those
# that differ, the first is printed.
#
# Where bigshuf differs on purpose, which is not compared here:
#
#   - Several FILEs are allowed, and so is -i 0-18446744073709551615.
#   - What would have been right: "bigshuf: invalid line count: 'x': must be a whole number", and whatever follows a
#     semicolon.
#   - A file at fault has a name: "bigshuf: FILE: Is a directory", "bigshuf: -: Bad file descriptor", where shuf says
#     "read error: " and the cause. Control characters in it show as \r or \x1b, and blanks are not quoted.
#   - An output that cannot be written is told before the work; shuf opens it last, after the input and the random
#     source. So of two failures another may be told, and standard output must be open even if nothing is written.
#   - A failed run leaves an existing -o FILE alone, and so does one with /dev/null as standard input and no FILE.
#   - -r without -n into a regular -o FILE is refused: it would fill the disk.
#   - -o - is refused, as no name for standard output.
#   - -r with a random source that ends too early: how many lines come before the message.
#   - Whether a random source must exist from which nothing is drawn: of empty input, and of -r -n 0.
# tags: plain

needs_shuf() {
    # shellcheck disable=SC2143 # grep -q would end it by SIGPIPE
    if [ -z "$(shuf --version 2>&1 | grep 'GNU coreutils')" ]; then
        skip "no GNU shuf here"
    fi
    ulimit -f 20000 # so that what repeats for ever by mistake does not fill the disk
    trap '' XFSZ
}

# Run these lines, with shuf and with bigshuf, and keep their outputs, messages and statuses: both LINE...
both() {
    local line shuf status
    for line; do
        for shuf in shuf bigshuf; do
            status=0
            eval "$line" >>$shuf.did 2>&1 || status=$?
            printf '\n$ %s # returns %d\n' "$line" "$status" >>$shuf.did
        done
    done
}

# shuf and bigshuf must have done the same in all cases so far, except for their names. If not, print the first case
# that differs, and its line.
is_as_shuf() {
    sed -e 's/^shuf: /bigshuf: /' -e "s/^Try 'shuf --help'/Try 'bigshuf --help'/" shuf.did >wanted
    sed -e '/^bigshuf: /s/\(: must be\|;\) .*//' bigshuf.did >got
    if ! cmp wanted got; then
        diff -a -U 100000 wanted got | sed '1,/^@@/d' | sed -n '/^[-+]/,$p' |
            sed -e '/^[ +]\$ .* # returns/q' -e '21,$d' | cat -v || true
        return 1
    fi
}

# ---- Small cases of all kinds ----

# Of no to 257 records, about as many as a byte can count among them; with counts around the number of records, and with
# another part of the digits as a random source each time, which is mostly long enough.
test_lines_words_and_numbers_are_shuffled_as_by_shuf() {
    local records zero count low at=1
    needs_shuf
    cd "$MEMORY" || exit
    seq 30000 >digits
    for records in 0 1 7 255 256 257; do
        for count in '' "-n $((records > 0 ? records - 1 : 0))" "-n $((records + 1))"; do
            numbers=$(seq $records)
            seq $records | sed $'2s/.*/-r\r/; 3s/.*/ two  words \377/; 5s/.*//' >lines
            [ $((at % 4)) -lt 2 ] || truncate -s "$((records > 0 ? -1 : 0))" lines
            zero=
            [ $((at % 2)) = 0 ] || zero=-z
            if [ "$zero" ]; then tr '\n' '\0' <lines; else cat lines; fi >in
            tail -c +$((at += 101)) digits >random
            head -c $((at % 13)) random >short
            low=$((at % 3 ? at : 0))
            both "\$shuf $zero $count --random-source=random in" "\$shuf $zero $count --random-source=random < <(cat in)" \
                "\$shuf -r $zero -n 40 --random-source=random in" "\$shuf $zero $count --random-source=short in" \
                "\$shuf -e $zero $count --random-source=random -- ${numbers//$'\n'/ }" \
                "\$shuf $zero $count -i $((low + 1))-$((low + records)) --random-source=random" \
                "\$shuf $count -n 9 -i $low-18446744073709551614 --random-source=short" \
                "\$shuf -r -n 30 -i $low-$((at * at * at * at * at)) --random-source=random" \
                "cp in out; \$shuf $zero $count --random-source=random -o out out; cat out"
        done
    done
    is_as_shuf
    grep -q "^bigshuf: 'short': end of file" wanted
}

# What shuf of coreutils 9.1 printed, where there is none: the digits of e behind the point, which have large bytes where
# it counts, and those of numbers.
test_golden_draws() {
    printf '%b' '\0267\0341\0121\0142\0212\0355\0052\0152\0277\0161\0130\0200\0234\0364\0363\0307\0142\0347\0026\0017' \
        '\0070\0264\0332\0126\0247\0204\0331\0004\0121\0220\0317\0357\0062\0116\0167\0070\0222\0154\0373\0345' >noise
    printf '\377\360\022' >tried
    seq 1000 >digits
    seq 300000 >long
    cases <<'END'
bigshuf -r -i 0-99 -n 8 --random-source=noise => 83 81 5 14 62 14 95 6
# The first number is tried again after its first byte has been pushed out, when it is larger than it could be.
bigshuf -r -i 0-6799999999999999999 -n 2 --random-source=noise => 6449961062380153450 6389892670681667239
# fff0 is beyond the only multiple of 55000, so what is left over is drawn from again with a further byte.
bigshuf -r -i 0-54999 -n 1 --random-source=tried => 53138
bigshuf -r -i 0-18446744073709551615 -n 2 --random-source=noise => 13249961062380153450 13794904443024896967
bigshuf -i 0-19 --random-source=digits => 9 10 11 3 6 16 0 15 19 1 4 12 5 8 14 7 18 17 2 13
bigshuf -i 0-19 --random-source=noise => 3 0 9 6 18 19 16 13 12 4 1 2 15 11 17 7 5 14 10 8
bigshuf -i 0-19 -n 7 --random-source=noise => 3 0 9 6 18 19 16
bigshuf -i 0-999999 -n 8 --random-source=digits => 213874 199220 668684 13581 541575 199229 669968 12599
bigshuf -i 0-9999999999 -n 4 --random-source=noise => 9759222410 8986429153 3635546298 4239159159
bigshuf -i 0-18446744073709551614 -n 2 --random-source=noise => 13249961062380153450 13794904443024896968
bigshuf -i 0-18446744073709551615 -n 1 --random-source=noise => 13249961062380153450
bigshuf -i 0-299999 --random-source=long | md5 => 9a8bb3586b4b7e62ffeb5a46f84ac110
bigshuf -n 9 --random-source=long < <(seq 1000) => 559 47 25 870 26 371 281 8 816
END
}

# Longer than the buffer; bytes are numbers below 256.
test_a_source_is_read_to_its_last_byte() {
    long_line 10000 >source
    bigshuf -r -n 10001 -i 0-255 --random-source=source | cmp - <(od -An -v -tu1 -w1 source | tr -d ' ')
    fails_with 1 "bigshuf: 'source': end of file" bigshuf -r -n 10002 -i 0-255 --random-source=source >out
    [ ! -r /proc/self/mem ] || # page 0 of a process is not mapped
        fails_with 1 "bigshuf: '/proc/self/mem': read error: Input/output error" \
            bigshuf -e a b --random-source=/proc/self/mem
}

# There is nothing to draw, but somebody waits at the other end.
test_a_fifo_is_opened_by_the_first_draw() {
    mkfifo fifo
    : >fifo &
    same a "$(bigshuf -e --random-source=fifo a)"
    wait $!
}

# ---- Cases by hand ----

# These lines do the same with shuf and with bigshuf, in a folder with a few files: same_as_shuf LINE...
same_as_shuf() {
    needs_shuf
    [ -d directory ] || mkdir directory
    seq 5 >in
    printf '\1\2' >short
    both "$@"
    is_as_shuf
}

# The same of lines whose output is large: same_sum_as_shuf LINE...
same_sum_as_shuf() {
    same_as_shuf "${@/%/ | md5}"
}

test_large_inputs_are_shuffled_as_by_shuf() { # tags: long
    needs_scale small
    seq 300000 >many
    tr '\n' '\0' <many >zeros
    same_sum_as_shuf '$shuf --random-source=<(yes 42) many' '$shuf --random-source=<(yes 42) <many' \
        '$shuf --random-source=<(yes 42) < <(cat many)' '$shuf -n 100000 --random-source=<(yes 42) many' \
        '$shuf -n 100000 --random-source=<(yes 42) < <(cat many)' '$shuf -z --random-source=<(yes 42) zeros' \
        '$shuf -r -n 400000 --random-source=<(yes 42) many'
}

# With 8 MiB for bigshuf; in the last case there is hardly room for the numbers alone.
test_what_does_not_fit_into_memory_is_shuffled_as_by_shuf() { # tags: long
    needs_scale small
    more_than_memory >many
    { seq 3; long_line 9000000; seq 4 6; long_line 8500000; } >large
    seq -f '%.0f numbers' 400000 >numbers
    same_sum_as_shuf '${shuf/#bigshuf/bigshuf -S 8M} --random-source=<(yes 42) many' \
        '${shuf/#bigshuf/bigshuf -S 8M --parallel=1} --random-source=<(yes 42) < <(cat many)' \
        '${shuf/#bigshuf/bigshuf -S 8M} -n 50000 --random-source=<(yes 42) < <(cat many)' \
        '${shuf/#bigshuf/bigshuf -S 8M} -n 75000 -r --random-source=<(yes 42) < <(cat many)' \
        '${shuf/#bigshuf/bigshuf -S 8M} --random-source=<(yes 42) large' \
        '${shuf/#bigshuf/bigshuf -S 8M} -n 9 -r --random-source=<(yes 42) large' \
        '${shuf/#bigshuf/bigshuf -S 8M} -n 390000 --random-source=<(yes 42) < <(cat numbers)'
}

# Two MiB less than what is asked for are not enough; the reservoir's entries, then the numbers of a range. Numbers of
# records take 4 bytes, where references would take 8, and a reservoir stores hardly more than it draws.
test_samples_and_orders_take_little_memory_and_tell_how_much() {
    seq 600000 >numbers
    long_lines "$(scale 2000 100000 20000000)" 100 300 >lines
    cases <<'END'
bigshuf -S 8M -n 1000000 --random-source=numbers < <(seq 1800000) =! a sample of 1000000 records needs more memory: use -S 18M or more
bigshuf -S 8M -n 209716 -i 1-10000000 --random-source=numbers =! a sample of 209716 numbers needs more memory: use -S 9M or more
bigshuf -S 8M -n 209715 -i 1-10000000 --random-source=numbers | wc -l => 209715
bigshuf -S 9M -n 209716 -i 1-10000000 --random-source=numbers | wc -l => 209716
bigshuf -v -S 8M --random-source=numbers numbers 2>said >out; spilled said => 0
bigshuf -v -S 8M -n 1000 --random-source=numbers < <(cat lines) 2>said >out; spilled said => 0
END
}

test_large_ranges_are_shuffled_as_by_shuf() { # tags: long
    needs_scale small
    same_sum_as_shuf '$shuf -i 1-65536 --random-source=<(yes 42)' '$shuf -i 1-65537 --random-source=<(yes 42)' \
        '$shuf -i 1-300000 --random-source=<(yes 42)' '$shuf -i 1-300000 -n 299999 --random-source=<(yes 42)' \
        '$shuf -i 1-16777217 -n 1000 --random-source=<(yes 42)' '$shuf -i 1-300000 -n 5000 --random-source=<(yes 42)' \
        '$shuf -i 0-18446744073709551614 -n 300000 --random-source=<(yes 42)' \
        '$shuf -i 0-18446744073709551614 -r -n 300000 --random-source=<(yes 42)'
}

# shuf takes another way to the first lines of a pipe, or of a file of which more than 8 MiB are left, and comes to
# another order.
test_the_first_lines_of_more_than_8_mib_are_those_of_shuf() { # tags: long
    needs_scale small
    seq 1200000 >many
    for size in 8388607 8388608 8388609; do
        head -c $size many >in.$size
        same_as_shuf "\$shuf -n 3 --random-source=<(yes 42) <in.$size"
    done
    for bytes in 100000 9000000; do # from where the input stands
        same_as_shuf "{ head -c $bytes >/dev/null && \$shuf -n 3 --random-source=<(yes 42); } <many"
    done
    same_sum_as_shuf '$shuf -n 0 many' \
        '$shuf -n 100000 --random-source=<(yes 42) many' \
        '$shuf -n 3 --random-source=short many' \
        '$shuf -n 3 --random-source=<(yes 42) -o out many && cat out'
}

test_mistakes_are_told_as_by_shuf() {
    same_as_shuf '$shuf -y' '$shuf --nonsense' '$shuf --nonsense=1' '$shuf -n' '$shuf -i' '$shuf -o' '$shuf --output' \
        '$shuf --head-count' '$shuf --input-range' '$shuf --random-source' '$shuf --echo=1' '$shuf --repeat=1' \
        '$shuf --zero-terminated=1' '$shuf --rep=1' '$shuf -eny a' '$shuf -rzy' '$shuf -e -i 1-2' '$shuf -i 1-2 -e' \
        '$shuf -i 1-2 -e a' '$shuf -e -i 1-2 -n 0 a' '$shuf -i 1-2 -i 1-2' '$shuf -i 1-2 -i x' '$shuf -i x -i 1-2' \
        '$shuf -i 0-9 -n 10 -i 8-90' '$shuf -o a -o b in' '$shuf -o a -e --output=b x' \
        '$shuf --random-source=a --random-source=b in' '$shuf -o a -o b -n x' '$shuf -n x -o a -o b' \
        '$shuf -e -i 1-2 -i 1-2' '$shuf -e -i 1-2 -n x' '$shuf -i 0-0 1' '$shuf -i 1-2 a b' '$shuf -i 1-2 -n 0 in' \
        '$shuf a -i 1-2' '$shuf -i 1-2 -- -z' '$shuf -i 1-2 ""' '$shuf missing' '$shuf -n 1 missing' \
        '$shuf -r missing' '$shuf ""' '$shuf -- --help' '$shuf ./missing/' '$shuf in/x' \
        '$shuf --random-source=missing in' '$shuf --random-source=- in <in' '$shuf --random-source= in' \
        '$shuf --random-source=missing -e a' '$shuf --random-source=missing -r -i 1-2' '$shuf -o missing/out in' \
        '$shuf -o "" in' '$shuf -o directory in' '$shuf -o missing/out -n 0 in'
}

test_counts_and_ranges_are_understood_or_not_as_by_shuf() { # tags: long
    local count range lines=()
    for count in '' x -1 - 1x 1K 1k '1 ' '1 2' 1.5 1e3 0x1 99999999999999999999x -99999999999999999999; do
        lines+=("\$shuf -n '$count' in" "\$shuf -n 1 --head-count='$count' in" "\$shuf -n '$count' missing")
    done
    for count in 03 010 +3 ' 3' $'\t3' 00 +0 -0 18446744073709551615 18446744073709551616 99999999999999999999999; do
        lines+=("\$shuf -n '$count' --random-source=short in")
    done
    for range in '' - -- 1 a a-b 1- 1-a a-1 -1 -1-2 1--2 =1-2 1-2x 1x-2 1-2-3 1:2 1..2 '1 - 2' '1-2 ' 1-2K 0x1-2 5-3 \
        2-0 0-18446744073709551616 18446744073709551616-1 18446744073709551615-18446744073709551613 \
        99999999999999999999-99999999999999999999 18446744073709551615-0; do
        lines+=("\$shuf -i '$range'" "\$shuf -n 0 --input-range='$range'")
    done
    for range in 01-03 010-011 ' 1-3' '1- 3' +1-+3 0-0 1-0 5-4 18446744073709551615-18446744073709551614 \
        18446744073709551615-18446744073709551615 18446744073709551613-18446744073709551615; do
        lines+=("\$shuf -i '$range' --random-source=short" "\$shuf -i '$range' -r -n 2 --random-source=short")
    done
    same_as_shuf "${lines[@]}"
}

test_options_and_words_in_any_order_are_understood_as_by_shuf() {
    same_as_shuf '$shuf -o out -o out --random-source=short --random-source=short in; cat out' \
        '$shuf in -n 2 --random-source=short' '$shuf -en2 a b c --random-source=short' \
        '$shuf a b -e c --random-source short' '$shuf -e --random-source=short -- -n 2' \
        '$shuf -zei --random-source=short' '$shuf -ezn3 a b c d --random-source=short -o out; cat out' \
        '$shuf - --random-source=short <in' '$shuf --random-source=short -- - <in' \
        '$shuf -e --random-source=/dev/stdin a b c < <(yes 42)' '$shuf -i 1-9 --random-source=/dev/stdin < <(yes 42)' \
        'POSIXLY_CORRECT=1 $shuf -e --random-source=short a -n 1' '$shuf --head-c=2 --ra=short in' \
        '$shuf --in=1-5 --rand=short' '$shuf --i=1-5 --re --ra=short --hea=3' \
        '$shuf --i=1-5 --rep --ra=short --head=3' '$shuf --ec --zero a b --rand=short' \
        '$shuf --out=out --ra=short in; cat out'
}

# ---- Of count 0 ----

test_a_count_of_0_opens_and_writes_nothing_as_by_shuf() {
    mkfifo never
    same_as_shuf '$shuf -n 0 missing' '$shuf -n 0 never' '$shuf -n 0 directory' '$shuf -n 0 ""' '$shuf -n 0 <&-' \
        '$shuf -n 0 <directory' '$shuf -n 0 --random-source=never in' '$shuf -n 0 --random-source=missing in' \
        '$shuf -n 0 --random-source=missing -i 1-2' '$shuf -n 0 --random-source=missing -e a b' \
        '$shuf -r -n 0 missing' '$shuf -r -n 0 never' '$shuf -r -n 0 in <&-' '$shuf -n 3 -n 0 never' \
        '$shuf -n 0 -n 3 never' '{ $shuf -n 0 && cat; } <in' '{ $shuf -r -n 0 && cat; } < <(cat in)' \
        '{ $shuf -n 0 - && cat; } <in' '$shuf -n 0 -o new missing && cat new && rm new' \
        'seq 3 >old; $shuf -n 0 -o old in && cat old' '$shuf -r -n 0 -i 1-2 -o new && cat new && rm new' \
        '$shuf -e -n 0 -o new a && cat new' 'seq 3 >old; $shuf -r -n 0 -o old old && cat old' '$shuf -r -n 0 in' \
        '$shuf -r -n 0 -i 1-2' '$shuf -r -n 0 -i 5-4' '$shuf -er -n 0' '$shuf -er -n 0 a' '$shuf -r -n 0 </dev/null'
}

test_files_that_may_not_be_read_are_told_but_for_a_count_of_0() {
    needs_ordinary_user
    echo secret >file
    chmod 000 file
    same '' "$(as_ordinary_user ./bigshuf -n 0 file)"
    fails_with 1 'bigshuf: file: Permission denied' as_ordinary_user ./bigshuf -n 1 file
    mkfifo never # which would be opened by the first draw
    mkfifo -m 000 forbidden
    for source in file forbidden; do
        fails_with 1 "bigshuf: $source: Permission denied" as_ordinary_user ./bigshuf --random-source=$source never
    done
}

# ---- Of nothing, and of one ----

test_nothing_and_one_line_are_shuffled_and_repeated_as_by_shuf() {
    same_as_shuf '$shuf -e' '$shuf -ez' '$shuf -e -n 1' '$shuf /dev/null' '$shuf -n 1 /dev/null' '$shuf -z </dev/null' \
        '$shuf -i 5-4' '$shuf -i 5-4 -n 1' '$shuf -i 5-4 -o out; cat out' \
        '$shuf -e --random-source=short -o out; cat out' '$shuf --random-source=/dev/null < <(:)' \
        '$shuf -n 3 --random-source=/dev/null < <(:)' '$shuf -er' '$shuf -er -n 1' '$shuf -r /dev/null' \
        '$shuf -r </dev/null' '$shuf -r -n 1 < <(:)' '$shuf -r -i 5-4' '$shuf -r -n 3 -i 5-4' '$shuf -rz /dev/null' \
        '$shuf -r --random-source=short /dev/null' '$shuf --random-source=/dev/null -e a' \
        '$shuf --random-source=/dev/null -r -n 3 -e a' '$shuf --random-source=/dev/null -i 7-7' \
        '$shuf --random-source=/dev/null -i 7-7 -n 9 -r' '$shuf --random-source=/dev/null < <(echo a)' \
        '$shuf -n 3 --random-source=/dev/null < <(echo a)' '$shuf --random-source=/dev/null -e a b' \
        '$shuf -n 1 --random-source=/dev/null in' '$shuf -n 5 --random-source=/dev/null < <(cat in)' \
        '$shuf --random-source=/dev/null -n 1 -r in' "\$shuf -e \$'a\\nb'" "\$shuf -ez \$'a\\nb'" "\$shuf -e ''" \
        "\$shuf -ez '' ''" "\$shuf -e \$'a\\n' --random-source=short x" '$shuf --zero-terminated -i 1-1' \
        '$shuf -z -i 9-11 --random-source=short' '$shuf -zr -n 3 -i 7-7'
}

# ---- Closed and failing descriptors ----

test_closed_descriptors_matter_where_they_are_used_as_by_shuf() {
    same_as_shuf '$shuf /dev/null <&-' '$shuf --random-source=short in <&-' '$shuf -n 3 --random-source=short in <&-' \
        '$shuf -e a <&-' '$shuf -i 1-3 --random-source=short <&-' '$shuf -r -n 2 --random-source=short in <&-' \
        '$shuf -o out --random-source=short in <&- && cat out' '$shuf in >&-' '$shuf -n 1 in >&-' '$shuf -e a >&-' \
        '$shuf -i 1-3 >&-' '$shuf -r -n 1 in >&-' '$shuf -o out -e a >&- && cat out'
}

test_a_full_device_is_told_as_by_shuf() {
    [ -c /dev/full ] || skip "no /dev/full here"
    same_as_shuf '$shuf in >/dev/full' '$shuf -n 1 in >/dev/full' '$shuf -e a >/dev/full' '$shuf -i 1-3 >/dev/full' \
        '$shuf -r -n 3 in >/dev/full' '$shuf </dev/null >/dev/full' '$shuf -n 0 in >/dev/full' '$shuf -e >/dev/full' \
        '$shuf -i 5-4 >/dev/full'
    fails_with 1 'bigshuf: write error: No space left on device' bigshuf -r -i 1-9 >/dev/full
    fails_with 1 'bigshuf: /dev/full: No space left on device' bigshuf -r -i 1-9 -o /dev/full
}

# ---- Repeats for ever ----

# head closes its input before it writes the last of its output, so the status is shown when both have ended.
test_repeats_go_on_until_the_reader_goes_away_as_by_shuf() {
    [ -z "$(trap -p PIPE)" ] || skip "SIGPIPE is ignored here"
    same_as_shuf '{ $shuf -r -e a || echo $? >status; } | head -n 100000; cat status' \
        '{ $shuf -r -i 7-7 || echo $? >status; } | head -n 3; cat status' \
        '{ $shuf --rep -i 1-1000 --random-source=<(yes 42) || echo $? >status; } | head -n 30000; cat status' \
        '{ $shuf -r --random-source=<(yes 42) in || echo $? >status; } | head -n 30000; cat status' \
        '{ $shuf -rz --random-source=<(yes 42) < <(printf "a\0b\n\0") || echo $? >status; } | head -c 30000; cat status'
}

test_a_source_that_ends_leaves_the_output_file_as_by_shuf() {
    echo old >file
    printf '\1\2' >short
    fails_with 1 "bigshuf: 'short': end of file" bigshuf -r -n 100000 -i 1-1000 --random-source=short -o file
    same old "$(<file)"
    same_as_shuf 'seq 3 >old; $shuf -o old --random-source=/dev/null in; echo $?; cat old' \
        'seq 3 >old; $shuf -o old -n 1 --random-source=/dev/null -i 1-9; echo $?; cat old' \
        'seq 3 >old; $shuf -o old -n 1 --random-source=/dev/null old; echo $?; cat old' \
        '$shuf -o new --random-source=/dev/null -e a b; cat new'
}

# What is added to it is not drawn from.
test_the_output_does_not_change_the_source() {
    seq 1000 >in
    seq 100000 | tee source >wanted
    bigshuf -r -n 30000 --random-source=wanted in >right
    bigshuf -r -n 30000 --random-source=source in >>source
    cat wanted right | cmp - source
    cp wanted source
    fails_with 1 'bigshuf: source: file has changed while it was read' bigshuf -r -n 30000 --random-source=source in 1<>source
    cp wanted source
    bigshuf -r -n 30000 --random-source=source -o source in
    cmp source right
}
