# The words that end-to-end tests are made of: tests/README.md has a table of them. A test runs in bash, in an empty folder
# of its own, which is removed afterwards. Any command that fails ends it, as far as `set -e` sees: `! command` and
# `a && b` fail in silence, so say `fails_with` or `if`. A part of a pipeline that fails fails the whole: `seq 1000000 |
# head -n 1` is such a one, since seq dies of SIGPIPE.

set -eEuo pipefail
trap 'echo "${BASH_SOURCE[0]##*/}:$LINENO: failed: $BASH_COMMAND" >&2' ERR

# This test makes no sense here: skip REASON. Not from within a subshell or a pipeline.
skip() {
    echo "${1//"$PWD"/.}" >"$REASON" # wherever the output goes
    exit 77
}

# Print the argument that belongs to this run's scale: scale TINY SMALL FULL.
scale() {
    case $TEST_SCALE in
    tiny) echo "$1" ;;
    small) echo "$2" ;;
    full) echo "$3" ;;
    esac
}

# The rest of this test is for this scale (small or full) and above: needs_scale SCALE.
needs_scale() {
    case $1,$TEST_SCALE in
    small,tiny | full,tiny | full,small) skip "for TEST_SCALE=$1" ;;
    esac
}

# The rest of this test looks at memory, time or descriptors, which valgrind and sanitizers take for themselves.
needs_bare_program() {
    if [ -n "$RUNNER$SANITIZE" ]; then
        skip "not with ${RUNNER%% *}$SANITIZE"
    fi
}

# The MD5 of FILE or of standard input, in hex: md5 [FILE].
md5() {
    if command -v md5sum >/dev/null; then
        md5sum "$@" | cut -d ' ' -f 1
    else
        command md5 -q "$@"
    fi
}

# FILE exists and is empty: is_empty FILE. (Processes are what most of the tests' time goes to.)
is_empty() {
    [ -e "$1" ] && [ ! -s "$1" ]
}

# The numbers of lines of files, in a row: line_counts FILE...
line_counts() {
    awk '{ lines[FILENAME]++ } END { for (i = 1; i < ARGC; i++) printf "%d%s", lines[ARGV[i]], i < ARGC - 1 ? " " : "\n" }' "$@"
}

# The names in a folder, in a row, hidden ones included: names [FOLDER].
names() (
    shopt -s dotglob nullglob
    cd "${1:-.}" || exit
    echo *
)

# Two texts are the same: same WANTED GOT.
same() {
    if [ "$1" != "$2" ]; then
        printf 'wanted: %s\ngot:    %s\n' "$1" "$2"
        return 1
    fi
}

# COMMAND fails with this exit status, and its message on standard error matches a pattern as in `case`: fails_with
# STATUS PATTERN COMMAND... Its standard output is the caller's.
fails_with() {
    local wanted=$1 pattern=$2 status=0 said
    shift 2
    "$@" 2>.stderr || status=$?
    IFS= read -r -d '' said <.stderr || true # unlike $(<.stderr), without a process
    said=${said%$'\n'}
    # shellcheck disable=SC2053 # a pattern, by intention
    if [ "$status" != "$wanted" ] || [[ $said != $pattern ]]; then
        printf '%s\nwanted: status %s, %s\ngot:    status %s, %s\n' "$*" "$wanted" "$pattern" "$status" "$said" >&2
        return 1
    fi
}

# Each line of standard input is a case, whose COMMAND is the shell's; empty lines and those that begin with # are none:
#
#   COMMAND => WORDS     it succeeds, and writes these words: the lines of both its outputs, with a blank between them
#   COMMAND =! MESSAGE   it fails with status 1, this message, or one of this pattern, and no output
#   COMMAND =? WARNING   it succeeds with this warning, or one of this pattern; without WARNING it says nothing
#   COMMAND == COMMAND   both succeed and write the same
#
# `bigshuf: ` and `bigshuf: warning: ` go without saying. With UPDATE=1, what came stands in the place of what should have
# come, for review in the diff. A case takes no process but those of its COMMAND: cases <<'END'
cases() {
    local line command form wanted begin expected status lines got count=0
    while IFS= read -r line <&9; do
        [[ -n $line && $line != '#'* ]] || continue
        [[ $line =~ ^(.*)' '(=[!=\>?])(' '(.*))?$ ]] || same 'a case' "$line"
        command=${BASH_REMATCH[1]} form=${BASH_REMATCH[2]} wanted=${BASH_REMATCH[4]}
        begin='' expected=0 status=0
        case $form in
        '=!') begin='bigshuf: ' expected=1 ;;
        '=?') begin='bigshuf: warning: ' ;;
        esac
        if [ -n "$begin" ]; then
            eval "$command" >.out 2>.stderr || status=$?
            mapfile -t lines <.stderr
        else
            eval "$command" >.out 2>&1 || status=$?
            mapfile -t lines <.out
        fi
        got=${lines[*]}
        [[ $wanted = *'?Try '* ]] || got=${got%" Try 'bigshuf --help' for more information."}
        [ $status = $expected ] || same "$line" "status $status: $got"
        [ "$form" != '=!' ] || is_empty .out || same "$line, and no output" "$(<.out)"
        if [ "$form" = '==' ]; then
            eval "$wanted" >.other 2>&1 || same "$line" "$(<.other)"
            cmp .out .other || same "$line" 'another output'
        elif [ "$got" != "${wanted:+$begin}$wanted" ]; then
            # shellcheck disable=SC2053 # a pattern, by intention
            [[ -n $begin && $got = ${wanted:+$begin}$wanted ]] ||
                updated "$line" "$command $form${got:+ ${got#"$begin"}}" || same "$line" "$command $form $got"
        fi
        count=$((count + 1))
    done 9<&0 </dev/null
    [ $count -gt 0 ]
}

# With UPDATE=1, this case of the test that runs has another result: updated LINE NEW_LINE. (run.sh puts it there.)
updated() {
    [ -n "${UPDATE:-}" ] && printf '%s\0' "${BASH_SOURCE[2]}" "$1" "$2" >>"$SCRATCH/updates"
}

# bigshuf fails with this message before it opens the FIFO `never`, which would wait for ever, and without output:
# fails_at_once PATTERN OPTION...
fails_at_once() {
    [ -p never ] || mkfifo never
    fails_with 1 "$1" bigshuf "${@:2}" >out
    is_empty out
}

# The run fails with this message after it has read the input FILE, and writes nothing: fails_when_read PATTERN FILE
# OPTION...
fails_when_read() {
    local pattern=$1 file=$2
    shift 2
    fails_with 1 "$pattern" bigshuf "$@" < <(cat "$file") >out
    is_empty out
}

# bigshuf never has more than MIB + 16 MiB resident: runs_within MIB [OPTION]...
runs_within() {
    needs_bare_program
    peak .peak bigshuf -S "$1M" "${@:2}"
    stayed_within "$@"
}

# So did the run of which .peak tells: stayed_within MIB [OPTION]...
stayed_within() {
    local resident
    read -r resident <.peak
    if [ "$resident" -gt $((($1 + 16) * 1024)) ]; then
        echo "-S $1M ${*:2}: $resident KiB were resident" >&2
        return 1
    fi
}

# Start COMMAND in the background; $! is its number. Unlike after `COMMAND &`, which makes a child of a script ignore
# it, SIGINT reaches it. Redirections are this shell's to open: on a FIFO without a writer it would wait.
start() {
    set -m
    "$@" &
    set +m
}

# Process NUMBER runs, and has read and written less than that: moves_less NUMBER BYTES
moves_less() {
    local read written
    { read -r _ read && read -r _ written; } 2>/dev/null <"/proc/$1/io" && [ $((read + written)) -lt "$2" ] && [ -e "/proc/$1/exe" ]
}

# Send SIGNAL to runs of COMMAND on file `in`, later and later until one comes to its end: first PREPARE, then `JUDGE
# STATUS`, of each run. When all is spilled, a run moves four times the bytes of `in`. The first run has an input more,
# which nobody writes: so it is hit, however late the signal is.
# killed_at_any_moment SIGNAL MOMENTS PREPARE JUDGE COMMAND...
killed_at_any_moment() {
    local status moment bytes goal never=never
    [ -p never ] || mkfifo never
    bytes=$(wc -c <in)
    for moment in $(seq "$2"); do
        "$3"
        status=0
        start "${@:5}" ${never:+"$never"}
        goal=$((4 * bytes * moment / $2))
        [ -z "$never" ] || goal=$((bytes / 2)) # it waits then
        while moves_less $! $goal; do :; done
        kill -"$1" $! 2>/dev/null || true
        wait $! || status=$?
        "$4" $status
        [ $status != 0 ] || break
        [ $status = $((128 + $(kill -l "$1"))) ]
        never=
    done
    same '' "$never"
}

# The numbers of a small range, without starting a program: seq [FROM] TO.
seq() {
    if [[ $* =~ ^([0-9]{1,4}\ )?[1-9][0-9]{0,3}$ ]] && (($1 <= ${!#} || $# == 1)); then
        eval "printf '%s\n' {$(($# > 1 ? $1 : 1))..${!#}}"
    else
        command seq "$@"
    fi
}

# Print a line of so many bytes, no part of which is like another: long_line BYTES.
long_line() {
    head -c "$1" <(exec seq -s ' ' "$1" 2>/dev/null)
    echo
}

# Print a line of so many bytes, then all of it but the first byte, and so on: shorter_lines BYTES.
shorter_lines() {
    long_line "$1" | awk '{ for (i = 1; i <= length($0) + 1; i++) print substr($0, i) }'
}

# Print COUNT lines, numbered, with LEAST to MOST bytes more: long_lines COUNT LEAST MOST.
long_lines() {
    long_line "$3" | awk -v count="$1" -v least="$2" -v most="$3" '{
        for (i = 1; i <= count; i++) {
            chance = (chance * 69069 + 12345) % 2147483648
            print i, substr($0, 1, least + int(chance / 2147483648 * (most - least + 1)))
        }
    }'
}

# The bytes that a run with -v that said this has written to temporary files: spilled FILE.
spilled() {
    sed -n 's/^bigshuf: spilled: .* \([0-9]*\) bytes$/\1/p' "$1"
}

# Print what FUNCTION prints, which all tests share: shared FUNCTION.
shared() {
    local file=$SCRATCH/shared/$1
    if [ ! -e "$file" ]; then
        "$1" >"$file.$BASHPID"
        mv "$file.$BASHPID" "$file"
    fi
    cat "$file"
}

# Print what `bigshuf -S 8M` cannot hold, short lines and long ones.
more_than_memory() {
    shared short_and_long_lines
}

short_and_long_lines() {
    seq "$(scale 100000 100000 40000000)"
    long_lines "$(scale 900 900 20000)" 5000 15000
}

# Put a field before each line of standard input: a weight from 0 to 997, in no order, 0 for every tenth.
weigh() {
    awk '{ print (NR % 10 ? NR * 7919 % 997 + 1 : 0) "\t" $0 }'
}

# Print what `bigshuf -S 8M` cannot hold, about 10 MB of lines, or 4 GB at the full scale, with weights.
weighed_lines() {
    long_lines "$(scale 2000 50000 20000000)" 100 300 | weigh
}

# Print short lines and two of 5 MB, which fall into one pile with `--seed=1363`: `bigshuf -S 8M` has to start it over.
giants() {
    shared two_giants
}

two_giants() {
    long_line 5000000
    long_line 5000000 | tr 0-9 a-j
    seq 10000
}

# Start bigshuf with so much input that it has spilled and waits for more, which may be written to descriptor 7:
# start_half_fed OPTION... Its number is $!.
start_half_fed() {
    mkfifo pipe
    start bigshuf -S 8M "$@" pipe >out 2>said
    exec 7>pipe
    more_than_memory >&7
}

# Run COMMAND where it may mount, and nobody else sees it: with_mounts COMMAND...
with_mounts() {
    if [ $EUID = 0 ]; then # who may do so also where namespaces of users are forbidden
        unshare -m "$@"
    else
        unshare -rm "$@"
    fi
}

# Run COMMAND with a disk of MIB MiB at ./disk: on_small_disk MIB COMMAND...
on_small_disk() {
    local mount="mount -t tmpfs -o size=$1m none disk"
    shift
    mkdir -p disk && with_mounts sh -c "$mount"' && exec "$@"' sh "$@"
}

needs_small_disk() {
    on_small_disk 1 true 2>.stderr || skip "may not mount a tmpfs"
}

needs_user_namespaces() {
    unshare -r true 2>.stderr || skip "no user namespaces here"
}

needs_terminal() {
    terminal 80 record true 2>.stderr || skip "no pseudo-terminals here"
}

# Make the folder ./open, with a copy of the program in it, in which an ordinary user may do everything.
needs_ordinary_user() {
    if [ -n "$RUNNER" ]; then
        skip "not with ${RUNNER%% *}"
    fi
    if [ "$(id -u)" = 0 ] && ! setpriv --reuid=65534 --regid=65534 --clear-groups true 2>.stderr; then
        skip "cannot become an ordinary user"
    fi
    open=$(mktemp -d /tmp/bigshuf-test.XXXXXX) # since this folder may be one that only root can come to
    trap 'rm -rf "$open"' EXIT
    chmod 777 "$open"
    cp "$(readlink "$(command -v bigshuf)")" "$open/bigshuf"
    cd "$open"
}

# Run COMMAND as somebody who is not root.
as_ordinary_user() {
    if [ "$(id -u)" = 0 ]; then
        TMPDIR=. setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}

# This test needs a command: needs COMMAND.
needs() {
    command -v "$1" >/dev/null || skip "no $1 here"
}

# Wait for COMMAND to succeed, up to ten minutes, or PATIENCE seconds: a machine may be busy: wait_until COMMAND...
wait_until() {
    local end=$((SECONDS + ${PATIENCE:-600}))
    until "$@"; do
        if [ $SECONDS -gt $end ]; then
            echo "waited in vain for: $*" >&2
            return 1
        fi
        read -r -t 0.05 _ <>"$SCRATCH/never" || true # a sleep without a process
    done
}

# Process NUMBER waits for something, or has ended: is_asleep NUMBER
is_asleep() {
    [[ ! -e /proc/$1/stat || $(<"/proc/$1/stat") = *') '[SZ]' '* ]]
}

# Write each PIECE, as printf's %b has it, to a pipe when the one before it has been read: in_pieces PIECE... | COMMAND
in_pieces() {
    printf '%b\0' "$@" | python3 -c 'import array, fcntl, os, sys, termios, time
waiting = array.array("i", [0])
for piece in sys.stdin.buffer.read().split(b"\0")[:-1]:
    while fcntl.ioctl(1, termios.FIONREAD, waiting) or waiting[0]:
        time.sleep(0.001)
    os.write(1, piece)'
}

# The numbers of the processes that have this word on their command line: processes_with WORD. (grep itself has not.)
processes_with() {
    grep -lszxF -f <(echo "$1") /proc/[0-9]*/cmdline | cut -d/ -f3
}

# Let calls of bigshuf fail, of these kinds or of all that it makes, each at these turns. It must succeed, or fail with one
# message and leave `folder` as it was: sweep.c says more. fail_calls 'KIND...' 'TURN...' OPTION...
fail_calls() {
    FAULT_CALL=$1 FAULT_TURNS=$2 bigshuf-faulty "${@:3}"
}

# fail_any_call 'TURN...' OPTION...
fail_any_call() {
    FAULT_TURNS=$1 bigshuf-faulty "${@:2}"
}
