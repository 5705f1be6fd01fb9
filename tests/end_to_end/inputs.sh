# Promise 7: errors in the command line or in an input are reported before the work. How FILEs are read.

# ---- Inputs that cannot be read ----

test_what_cannot_be_read_is_told_before_the_work() {
    cd "$MEMORY" || exit
    mkfifo never
    mkdir directory files
    echo 1 >in
    touch files/{1..1000}
    cases <<'END'
bigshuf missing                   =! missing: No such file or directory
bigshuf never never missing       =! missing: No such file or directory*
bigshuf never files/* missing     =! missing: No such file or directory*
bigshuf never directory           =! directory: Is a directory; name the files in it
bigshuf never $'\033[31mred'      =! \\x1b\[31mred: No such file or directory*
bigshuf never - <&-               =! -: Bad file descriptor
bigshuf never - 0>written         =! -: Bad file descriptor
bigshuf never - <.                =! -: Is a directory
bigshuf -o file missing           =! missing: No such file or directory
bigshuf in - <&-                  =! -: Bad file descriptor
bigshuf <&-                       =! -: Bad file descriptor
bigshuf in <&-                    => 1
END
    [ ! -e file ]
}

test_a_socket_is_told_before_the_work() {
    needs python3
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
    fails_at_once 'bigshuf: socket: No such device or address' never socket
    fails_at_once 'bigshuf: socket: No such device or address' --random-source=socket never
}

test_what_may_not_be_read_is_told_before_the_work() {
    needs_ordinary_user
    mkfifo never closed
    echo secret >file
    chmod 000 file closed
    fails_with 1 'bigshuf: file: Permission denied' as_ordinary_user ./bigshuf never file
    fails_with 1 'bigshuf: closed: Permission denied' as_ordinary_user ./bigshuf never closed
}

test_a_read_error_is_told_with_the_name() {
    seq 10 >in
    FAULT_CALL=read FAULT_AT=1 fails_with 1 'bigshuf: in: Input/output error' bigshuf-faulty in
    FAULT_CALL=read FAULT_AT=1 fails_with 1 'bigshuf: -: Input/output error' bigshuf-faulty <in
}

test_a_file_as_long_as_the_beginning_that_is_read_first_is_shuffled() {
    for bytes in 262143 262144 262145; do # SMALL_BYTES in src/job/job.c
        for end in 'x\n' yz; do
            { seq 100000 | head -c $((bytes - 2)) && printf %b "$end"; } >in
            bigshuf --seed=1 in >out
            bigshuf --seed=1 < <(cat in) | cmp - out
            sort in | cmp - <(sort out)
        done
    done
}

# ---- Standard input ----

test_a_hyphen_is_standard_input_which_is_read_once_from_where_it_stands() {
    seq 10 >file
    seq 11 20 | tee ./- >rest
    cases <<'END'
bigshuf file - <rest | sort -n | cmp - <(seq 20) =>
bigshuf - - <file | wc -l => 10
{ read -r _; bigshuf; } <file | sort -n | head -n 1 => 2
bigshuf ./- </dev/null | wc -l => 10
END
}

test_dev_stdin_is_standard_input_whatever_that_is() {
    local name
    mkfifo never
    seq 10 >file
    for name in /dev/stdin /dev/fd/0; do
        { read -r _; bigshuf $name >out; } <file
        same_lines out <(seq 2 10)
        fails_with 1 "bigshuf: $name: Bad file descriptor" bigshuf -o out never $name <&-
        same_lines out <(seq 2 10)
    done
    needs python3
    python3 -c 'import socket, subprocess
ours, its = socket.socketpair()
ours.sendall(b"1\n2\n")
ours.close()
subprocess.run(["bigshuf", "/dev/stdin"], stdin=its, check=True)' >out
    same_lines out <(seq 2)
}

# On Linux these names open what stands there once more. Were it /dev/null, it would be an empty input and take any output.
test_what_leads_to_a_closed_descriptor_is_told_before_the_work() {
    [ -e /proc/self/fd ] || skip "no /proc here"
    mkfifo never
    echo old >old
    ln -s /proc/self/fd/0 input
    ln -s /proc/self/fd/1 output
    cases <<'END'
bigshuf -o old never input <&- =! input: *
bigshuf --weights=input never <&- =! input: *
bigshuf -o output never >&- =! output: Bad file descriptor
bigshuf -o /proc/self/fd/1 never >&- =! /proc/self/fd/1: Bad file descriptor
bigshuf --split=1:output -o new never >&- =! output: Bad file descriptor
bigshuf --split=1:input never <&- =! input: Bad file descriptor
END
    same 'input never old output old' "$(echo *) $(<old)"
}

test_fifos_are_opened_in_their_turn() {
    mkfifo a b
    { seq 10 >a; seq 11 20 >b; } &
    bigshuf a b >out
    wait $!
    same_lines out <(seq 20)
}

# ---- Names from a file ----

test_names_from_a_file() {
    cd "$MEMORY" || exit
    mkdir files
    for i in $(seq 3000); do echo "$i" >files/"$i"; done
    printf 'files/%d\0' $(seq 3000) >names
    bigshuf --files0-from=names | sort -n | cmp - <(seq 3000)
    head -c -1 names | bigshuf --files0-from=- | sort -n | cmp - <(seq 3000)
    printf -- '-\0' >names
    seq 10 | bigshuf --files0-from=names | sort -n | cmp - <(seq 10)
    echo x >$'a\n b\377'
    printf 'a\n b\377\0' | bigshuf --files0-from=- | cmp - <(echo x)
}

test_what_is_wrong_with_names_from_a_file_is_told_before_the_work() {
    mkfifo never
    printf 'never\0missing\0' >missing-names
    printf 'never\0\0' >empty
    printf 'never\0x\n' >newline
    seq 10000 | sed 's|$|/never|' >lines
    head -c 4095 /dev/zero | tr '\0' x >longest
    (cat longest && echo) >long
    printf -- '-' >hyphen
    cases <<'END'
bigshuf --files0-from=missing-names   =! missing: No such file or directory
bigshuf --files0-from=.               =! .: Is a directory
bigshuf --files0-from=empty           =! empty:2: invalid zero-length file name
bigshuf --files0-from=/dev/zero       =! /dev/zero:1: invalid zero-length file name
bigshuf --files0-from=/dev/null       =! /dev/null: there are no file names in it
bigshuf --files0-from=newline         =! newline:2: 'x\\n': No such file or directory: names must end with NUL, not newline; make the list with find -print0, or tr '\\n' '\\0'
bigshuf --files0-from=lines           =! lines:1: '1/never\\n2/never\\n3/never\\n4/never\\n5/never\\n6/never\\n7/never\\n8/ne...': File name too long: names must end with NUL, *
bigshuf --files0-from=long            =! long:1: 'xxx*xxx...': File name too long: names must end with NUL, *
bigshuf --files0-from=longest         =! xxx*xxx: File name too long
bigshuf --files0-from=- <hyphen       =! when reading file names from stdin, no file name of '-' allowed
bigshuf --files0-from=hyphen <hyphen  => -
bigshuf --files0-from=empty x         =! extra operand 'x'*
END
}

test_a_list_of_names_without_an_end_is_refused() {
    seq 10 >x
    fails_at_once "bigshuf: -:1: 'x\\\\nx*...': File name too long: names must end *" --files0-from=- < <(exec 2>/dev/null && yes x)
    fails_with 1 'bigshuf: -: its names take more than 16 MiB; use a larger -S' \
        bigshuf -S 32M --files0-from=- < <(exec 2>/dev/null && yes x | tr '\n' '\0')
}

# ---- The command line ----

test_options_are_as_usual() {
    seq 10 >in
    echo x >-z
    cases <<'END'
bigshuf in --seed=42 -o out && cat out              => 10 5 9 3 2 4 8 7 6 1
bigshuf -- -z                                       => x
bigshuf --se=42 --buf=8M --para=1 --temp=. in       => 10 5 9 3 2 4 8 7 6 1
bigshuf -vzoout -S8M -T. in 2>/dev/null && tr -d '\0' <out  => 1 2 3 4 5 6 7 8 9 10
bigshuf -S 99999999999999999999 never               =! -S argument '99999999999999999999' too large
bigshuf -S 7M never                                 =! -S 7M: memory must be at least 8*MiB
bigshuf -S 8191 never                               =! -S 8191: memory must be at least 8*MiB; a number alone counts KiB, so add a unit, such as 64M
bigshuf --parallel=0 never                          =! --parallel must be at least 1
bigshuf --parallel=x never                          =! invalid --parallel argument 'x': must be a whole number; all processors are the default
END
    for size in '' x -1 1Q5 1.5 0x10M 101%x; do
        fails_at_once "bigshuf: invalid -S argument '$size': must be a number and a unit, *" -S "$size" never
    done
    for size in 8192 8192K 8192k 8M 8m 1G 8388608b 50%; do
        bigshuf -S $size in | sort -n | cmp - in
    done
}
