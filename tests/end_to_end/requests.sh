# --requests: batches drawn by weights that change. The laws of the draws are held against chi-square elsewhere.

# Requests, as a format of printf, about the file `in`: ask REQUESTS [OPTION]...
ask() {
    printf "$1" | bigshuf --requests --seed=42 "${@:2}" in
}

# Print COUNT requests of all kinds, for RECORDS records: requests COUNT RECORDS.
requests() {
    awk -v count="$1" -v records="$2" 'BEGIN {
        for (i = 1; i <= count; i++) {
            chance = (chance * 69069 + 12345) % 2147483648
            number = int(chance / 65536)
            if (i % 7 == 0)
                print "draw " number % 50 (i % 14 == 0 ? " repeat" : "")
            else if (i % 11 == 0)
                print "add " number / 1000 " new record " i
            else
                print "set " number % records " " (i % 5 == 0 ? 0 : number / 256)
        }
    }'
}

# ---- What is drawn: fixed for ever ----

test_golden_answers() {
    seq 10 >in
    seq 0 9 >weights
    cases <<'END'
ask '' =>
ask 'draw 0\n' => 0 0 10
ask 'draw 3\n' => 3 6 10 6 1 2 0 1 2 2 1 2 7 1 3
ask 'draw 3\ndraw 3\n' => 3 6 10 6 1 2 0 1 2 2 1 2 7 1 3 3 6 10 4 1 2 7 1 2 5 1 2 5 8 6
ask 'draw 4 repeat\n' => 4 8 10 6 1 2 0 1 2 2 1 2 4 1 2 7 1 3 5
ask 'draw 99\n' --weights=weights => 9 19 45 7 7 2 1 1 2 3 3 2 9 9 3 8 8 2 5 5 2 2 2 2 6 6 2 4 4 2 8 2 4 10 9 6 3 7 5
ask 'draw 2\n' --weight-field=1 => 2 4 55 6 7 2 0 1 2 7 1
ask 'set 3 1000\nset 3 0.1\nset 9 +1e3\nset 007 -0\ndraw 3\n' => 3 7 1007.1000000000931322574615478515625 9 1000 3 2 1 2 5 1 2 10 3 6
ask 'add 4294967296 eleven\ndraw 1\nset 10 4294967295.9999999999\ndraw 1\n' => 1 7 4294967306 10 4294967296 7 eleven 1 7 4294967306 10 4294967296 7 eleven
ask 'set 0 2.3283064365386962890625e-10\nset 1 4294967296\ndraw 99\n' --weights=weights => 10 21 4294967340.00000000023283064365386962890625 1 4294967296 2 7 7 2 5 5 2 4 4 2 3 3 2 6 6 2 9 9 3 8 8 2 2 2 2 0 0.00000000023283064365386962890625 2 2 8 6 5 4 7 10 9 3 1
ask 'add 1000 \nadd 2000  a b\ndraw 2\n' | tr '\n' . => 2 6 3010.11 2000 5.10 1000 1. a b..
requests 3000 10 | bigshuf --requests --seed=42 in | md5 => 10cd14c79fa05133b55bd287571b407b
END
}

test_golden_answers_of_many_records() {
    seq 100000 >in
    weigh <in | cut -f 1 >weights
    cases <<'END'
requests 3000 100000 | bigshuf --requests --seed=42 --weights=weights in | md5 => efe551f668706137cecd63099ce3993d
(requests 300 100000; echo draw 60000; echo draw 99999 repeat) | bigshuf --requests --seed=42 in | md5 => 852dd7e17ecadd7140f31a38b4e945a8
END
}

test_where_fewer_weigh_something_fewer_come() {
    seq 3 >in
    printf '0\n0\n0\n' >nothing
    printf '0\n2\n0\n' >one
    cases <<'END'
ask 'draw 5\n' --weights=nothing => 0 0 0
ask 'draw 5 repeat\n' --weights=nothing => 0 0 0
ask 'draw 5\ndraw 5\n' --weights=one => 1 2 2 1 2 2 2 1 2 2 1 2 2 2
ask 'draw 2 repeat\n' --weights=one => 2 4 2 1 2 2 1 2 2 2 2
ask 'set 1 0\ndraw 9\nset 2 1\ndraw 9\n' --weights=one => 0 0 0 1 2 1 2 1 2 3
END
    : >in
    cases <<'END'
ask 'draw 5\nadd 0.5 x\ndraw 2\n' => 0 0 0 1 2 0.5 0 0.5 2 x
ask 'set 0 1\n' =! request 1: 'set 0 1': there are * records, numbered from 0
END
}

# A pipe, whole files in memory, and files that are read from where they are; requests in one piece or one by one.
test_answers_depend_on_seed_input_and_requests_alone() {
    local line
    long_lines "$(scale 2000 60000 60000)" 100 300 >in
    requests 3000 2000 >log
    bigshuf --requests --seed=x -S 1G in <log >wanted
    [ -s wanted ]
    bigshuf --requests --seed=x -S 9M --parallel=1 in <log | cmp - wanted
    bigshuf --requests --seed=x -S 64M <(cat in) <log | cmp - wanted
    (while IFS= read -r line; do echo "$line"; done <log) | bigshuf --requests --seed=x in | cmp - wanted
}

test_records_of_all_kinds() {
    printf 'a,w\n"x\ny",1\nz,0\n' >in.csv
    printf '>a\nA\n>b\nBB\n' >in.fasta
    printf 'a\0b' >in.zero
    printf 'a;b;' >in.semi
    seq 100000 | gzip >in.gz
    printf 'in.zero\0in.zero\0' >names
    echo x | tee x.txt >y.txt
    tar cf in.tar x.txt y.txt
    head -c 12000000 /dev/zero >z.txt
    tar cf large.tar x.txt z.txt
    cases <<'END'
echo draw 9 | bigshuf --requests --csv --header --weight-field=w in.csv => 1 8 1 0 1 8 "x y",1
printf 'set 1 0\ndraw 1\n' | bigshuf --requests --records=fasta in.fasta => 1 5 1 0 1 5 >a A
printf 'set 1 0\nset 0 0\nadd 1 a\ndraw 1\n' | bigshuf --requests -z in.zero | tr '\0' . => 1 2 1 2 1 2 a.
printf 'set 0 0\nadd 0 a\ndraw 1\n' | bigshuf --requests --delimiter=';' in.semi => 1 2 1 1 1 2 b;
printf 'set 0 0\ndraw 1\n' | bigshuf --requests --records=bytes:2 in.semi => 1 2 1 1 1 2 b;
printf 'set 7 1e9\ndraw 1\n' | bigshuf --seed=1 --requests -Z in.gz => 1 2 1000099999 7 1000000000 2 8
printf 'draw 0\n' | bigshuf --requests -z --files0-from=names => 0 0 4
printf 'draw 0\n' | bigshuf --requests --header --expect-records=99999 -Z in.gz => 0 0 99999
printf 'set 0 0\ndraw 2\n' | bigshuf --requests --records=tar in.tar | tail -n +3 | tar tf - => y.txt
echo draw 1 | bigshuf --requests --records=tar <(cat in.tar) | tail -n +3 | tar tf - | wc -l => 1
bigshuf --requests -S 8M --records=tar large.tar </dev/null =! --requests for 2 records of archives, which it holds in memory, needs more memory: use -S *M or more
echo add 1 x | bigshuf --requests --csv in.csv =! request 1: 'add 1 x': only lines can be added
echo add 1 x | bigshuf --requests --delimiter=,1 in.csv =! request 1: 'add 1 x': only lines can be added
echo 'add 1 x;y' | bigshuf --requests --delimiter=';' in.semi =! request 1: 'add 1 x;y': the record contains its delimiter
END
}

# The first is longer than the room for answers, the second one's length does not fit into a reference.
test_records_of_any_length() {
    local size first
    long_line 3000000 >long
    long_line 1048575 >less
    long_line 1000000 >added
    cat long less less >in
    (printf 'set 0 1000\ndraw 1\nset 0 0\nset 2 1000\ndraw 1\nset 2 0\nadd 1e6 ' && cat added && echo draw 1) >log
    for size in 9M 64M; do
        bigshuf --requests --seed=1 -S $size in <log >out
        (printf '1 3000001 1002\n0 1000 3000001\n' && cat long && printf '1 1048576 1001\n2 1000 1048576\n' && cat less &&
            printf '1 1000001 1000001\n3 1000000 1000001\n' && cat added) | cmp - out
    done
}

# ---- What is no request ----

test_a_bad_request_ends_the_run_with_its_number_after_all_earlier_answers() {
    local wanted syntax='write draw K, draw K repeat, set I W or add W RECORD'
    local draw='write draw K or draw K repeat, K a whole number below 2^64'
    local weight='a weight is 0, or from 2^-32 to 2^32'
    local half='the input ends within a request; each ends with a newline'
    seq 3 >in
    head -c 2000000 /dev/zero >zeros
    cases <<END
ask '\n' =! request 1: '': $syntax
ask 'set 0 1\nset 1 1\nfoo\n' =! request 3: 'foo': $syntax
ask 'draw\n' =! request 1: 'draw': $syntax
ask 'draw 1\r\n' =! request 1: 'draw 1*': $draw: * is a carriage return, *
ask 'draw 18446744073709551616\n' =! request 1: 'draw 18446744073709551616': $draw
ask 'draw 18446744073709551615 repeat\n' =! request 1 needs more memory: use -S *
ask 'set 0\n' =! request 1: 'set 0': write set I W, *
ask 'set 0 1 2\n' =! request 1: 'set 0 1 2': nothing comes behind a weight
ask 'set 3 1\n' =! request 1: 'set 3 1': there are 3 records, numbered from 0
ask 'set 18446744073709551615 1\n' =! request 1: *: there are * records, numbered from 0
ask 'set 0 -1\n' =! request 1: 'set 0 -1': $weight
ask 'set 0 1e-10\n' =! request 1: 'set 0 1e-10': $weight
ask 'add 1\n' =! request 1: 'add 1': write add W RECORD, *
ask 'set 0 1' =! request 1: 'set 0 1': $half
ask 'set 0 2\nset 0 1' =! request 2: 'set 0 1': $half
bigshuf --requests in < <(yes . | tr -d '\n') =! request 1: '*': a request has at most 1048576 bytes
(printf 'add 1 ' && head -c 1048570 zeros && echo) | bigshuf --requests in =! request 1: '*': a request has at most *
(printf 'add 1 ' && head -c 1048569 zeros && echo) | bigshuf --requests in =>
END
    wanted=$(ask 'draw 2\ndraw 3 repeat\n')
    fails_with 1 "bigshuf: request 3: 'x': *" ask 'draw 2\ndraw 3 repeat\nx\ndraw 1\n' >out
    same "$wanted" "$(<out)"
}

# Good ones of which a few bytes are others. What their answers are, the soak knows.
test_requests_of_any_bytes_have_the_same_answers_from_a_file_and_in_pieces() { # tags: long
    needs python3
    seq 300 >in
    python3 -c '
import random, re, subprocess, sys

def answers(source, *pieces):
    run = subprocess.Popen(["bigshuf", "--requests", "--seed=1", "in"], stdin=source, stdout=-1, stderr=-1)
    try:
        for piece in pieces:
            run.stdin.write(piece)
            run.stdin.flush()
    except BrokenPipeError:
        pass
    return *run.communicate(), run.returncode

draw = random.Random(7)
for number in range(int(sys.argv[1])):
    forms = draw.choices(("draw %d", "draw %d repeat", "add 1e-3 %d", "set 7 %d", "set 2 0.%d"), k=9)
    text = bytearray("".join(form % draw.randrange(300) + "\n" for form in forms).encode())
    for _ in range(draw.randrange(3)):
        text[draw.randrange(len(text))] = draw.choice(b" \n\0.-e9r\xff")
    open("log", "wb").write(text)
    whole = answers(open("log"))
    assert len(re.findall(rb"^bigshuf: request \d*: ", whole[1], re.M)) == whole[2], whole
    assert answers(-1, *(text[i : i + 7] for i in range(0, 63, 7)), text[63:]) == whole, text' "$(scale 20 100 1000)"
}

test_mistakes_before_the_first_request() {
    local names='--requests: standard input is for requests; name the FILEs of records and weights'
    seq 3 >in
    echo 1 >short
    seq 4 >long
    printf '1\n1e-10\n1\n' >small
    printf 'in\0-\0' >names
    cases <<END
bigshuf --requests =! $names
bigshuf --requests - =! $names
bigshuf --requests in - =! $names
bigshuf --requests --weights=- in =! $names
bigshuf --requests --files0-from=- =! $names
bigshuf --requests --files0-from=names =! $names
bigshuf --requests /dev/stdin =! $names
bigshuf --requests in /dev/fd/0 =! $names
bigshuf --requests --weights=/dev/stdin in =! $names
bigshuf --requests --files0-from=/dev/stdin =! $names
bigshuf --requests missing =! missing: No such file or directory
bigshuf --requests --weights=short in =! short: too few weights: there are more than 1 records
bigshuf --requests --weights=long in =! long: too many weights: there are 3 records
bigshuf --requests --weights=small in =! small:2: weight is not 0 or from 2^-32 to 2^32: '1e-10'
bigshuf --requests --weight-field=1 <(printf '1\n1e-400\n') =! *:2: weight is not 0 or from 2^-32 to 2^32: '1e-400'
bigshuf --requests --weight-field=1 <(printf '1\n5e9\n') =! *:2: weight is not 0 or from 2^-32 to 2^32: '5e9'
bigshuf --requests --expect-records=4 in =! in: the number of records is 3, not 4 as --expect-records says
END
}

# ---- Two who wait for each other ----

test_an_answer_is_written_before_more_is_waited_for() {
    local first drawn
    seq 3 >in
    mkfifo questions answers
    bigshuf --requests in <questions >answers &
    exec 3>questions 4<answers
    for _ in 1 2 3; do
        printf 'dra' >&3
        printf 'w 1\nset 0 ' >&3
        IFS= read -r -t 200 first <&4
        IFS= read -r -t 200 drawn <&4
        IFS= read -r -t 200 <&4
        same '1 2 3 1 2' "$first ${drawn#* }"
        echo 1 >&3
    done
    exec 3>&- 4<&-
    wait $!
}

# Places in a file that is read again are those of its own bytes, though blank lines at its end are left out.
test_paragraphs_that_are_read_again_are_those_that_were_held() {
    { seq -f '%0999.0f' 9000 | sed G && printf '\n\n'; } >in
    same "$(ask 'draw 99' --records=paragraph in | md5)" "$(ask 'draw 99' --records=paragraph -S 8M in | md5)"
}

# Ask without reading, then read, and print how many bytes have come: asks_first COUNT [OPTION]...
asks_first() {
    mkfifo questions answers
    bigshuf --requests "${@:2}" in <questions >answers 2>said &
    exec 3>questions 4<answers
    (trap '' PIPE && yes 'draw 3' 2>said.yes | head -n "$1" >&3 2>said.head) || true
    exec 3>&-
    wc -c <&4
    exec 4<&-
    wait $! || echo "status $?"
}

test_who_asks_without_reading_is_answered_as_far_as_there_is_memory() {
    local count
    seq 3 >in
    count=$(scale 20000 200000 200000)
    same "$((count * 30))" "$(asks_first "$count" -S 8M)"
}

test_beyond_that_the_run_fails_instead_of_waiting_for_ever() {
    seq 3 >in
    same 'status 1' "$(asks_first 2000000 -S 8M | tail -n 1)"
    [[ $(<said) = 'bigshuf: standard output: nobody reads the answers, and '*'MiB of requests wait; '* ]]
}

test_requests_in_a_file_wait_for_a_slow_reader() {
    local count
    seq 3 >in
    count=$(scale 20000 700000 700000)
    (yes 'draw 3' || true) 2>said | head -n "$count" >log
    mkfifo answers
    exec 4<>answers
    bigshuf --requests -S 8M in <log >answers 4<&- &
    wait_until is_asleep $!
    exec 5<answers 4<&-
    same $((count * 7)) "$(wc -l <&5 | tr -d ' ')"
    wait $!
}

test_a_reader_that_goes_away_ends_the_run() {
    local status=0
    seq 3 >in
    ( (yes 'draw 3' || true) 2>said | bigshuf --requests in | head -n 1 >out) || status=$?
    same 141 $status
    if [ -c /dev/full ]; then
        fails_with 1 'bigshuf: write error: No space left on device' ask 'draw 1\n' >/dev/full
    fi
    mkfifo never
    fails_with 1 'bigshuf: standard input: Bad file descriptor' bigshuf --requests never <&-
    fails_with 1 'bigshuf: write error: Bad file descriptor' bigshuf --requests never </dev/null >&-
}

# ---- Memory, and what others do to the input ----

test_memory_is_kept() {
    long_lines "$(scale 2000 100000 1000000)" 100 300 >in
    (requests 2000 2000 && echo 'draw 5000' && echo 'draw 9000 repeat') >log
    runs_within "$(scale 8 12 64)" --requests in <log >out
    [ -s out ]
}

# The file `in` needs more memory than -S 8M, and what the message says is enough: needs_more INPUT
needs_more() {
    local enough
    fails_with 1 'bigshuf: --requests for 1000000 records needs more memory: use -S *M or more' \
        bigshuf --requests -S 8M "$1" </dev/null
    enough=$(sed 's/.* -S \([0-9]*M\) .*/\1/' .stderr)
    if [ "$1" != in ]; then
        (cat in >"$1") &
    fi
    same '0 0 1000000' "$(echo draw 0 | bigshuf --requests -S "$enough" "$1")"
}

test_where_memory_is_short_a_message_says_how_much_is_enough() {
    seq 1000000 >in
    needs_more in
    mkfifo fifo
    (cat in >fifo) &
    needs_more fifo
    head -n 360000 in >many
    same '0 0 360000' "$(echo draw 0 | bigshuf --requests -S 8M many)"
    seq 3 >in
    yes "add 1 $(long_line 1000)" 2>said | head -n 10000 >log || true
    fails_with 1 'bigshuf: request * needs more memory: use -S *M or more' bigshuf --requests -S 8M in <log
    bigshuf --requests -S "$(sed 's/.* -S \([0-9]*M\) .*/\1/' .stderr)" in < <(head -n 5000 log)
}

test_a_limit_on_addresses_leaves_less_memory() {
    local wanted
    needs_bare_program
    seq 10000 >in
    wanted=$(ask 'draw 3\n')
    for kib in 30000 200000 1000000; do
        same "$wanted" "$(ulimit -v $kib && ask 'draw 3\n')"
        same "$wanted" "$(ulimit -v $kib && bigshuf --requests --seed=42 <(cat in) <<<'draw 3')"
    done
}

test_an_input_that_changes_fails_the_run() {
    local change
    for change in 'truncate -s 0 in' 'touch -d 2001-02-03 in' 'truncate -s 1000 in'; do
        seq 100000 >in
        FAULT_CALL=read FAULT_AT=1 FAULT_RUN=$change fails_with 1 'bigshuf: in: file has changed while it was read' \
            bigshuf-faulty --requests in < <(echo 'draw 1000') >out
    done
}

test_an_input_larger_than_memory_that_changes_gives_no_more_answers() {
    long_lines 900 5000 15000 >in
    mkfifo pipe
    exec 7<>pipe
    start sh -c 'exec bigshuf --requests -S 8M in <pipe' >out 2>said
    echo 'draw 1' >&7
    wait_until test -s out
    cp out before
    touch -d 2001-02-03 in
    echo 'draw 1' >&7
    fails_with 1 '' wait $!
    exec 7>&-
    same 'bigshuf: in: file has changed while it was read' "$(<said)"
    cmp out before
}

test_a_call_that_fails_ends_the_run_with_a_message() {
    seq 50000 >in
    requests 200 1000 >log
    fail_any_call '1 2 5' --requests --seed=1 in <log
}
