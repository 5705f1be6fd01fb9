#!/usr/bin/env bash
#
# Run tests and count them: tests/support/run.sh THING...
#
# A THING is a unit test program (cmocka), which counts for as many tests as it has functions, or a file FILE.sh of shell
# functions named test_WHAT_IS_PROMISED, each of them a test. Every program and every function runs alone: in a process
# group of its own, in a folder of its own, which is empty, with a time limit. It passes if it succeeds, every command on
# the way having succeeded (set -eu, pipefail), and if it leaves nothing in $TMPDIR and no process behind.
# tests/support/helpers.sh has the words that tests are made of; the program is there as `bigshuf`. Tests that make
# thousands of files go to $MEMORY, a folder that is in memory, if there is room: disks make them wait.
# batch.sh runs them, some at a time.
#
# From the environment:
#
#   BUILD        the folder that holds bigshuf and bigshuf-faulty, and the tools in tests/support
#   TEST_SCALE   tiny, small (if not given) or full
#   VALGRIND     not empty: run programs under valgrind
#   RUNNER       the command, with arguments, that runs programs of another machine; then MACHINE is its name
#   SANITIZE     the sanitizers that were built in
#   SLOW         not empty: also run tests with the tag `long`
#   ONLY         run only the tests whose names match this extended regular expression, and of these the long ones, too
#   EXCEPT       not those that match this one
#   TAG          run only tests with this tag: a comment `# tags: WORD...` before a test or on its first line, or at the head
#                of a file for all of it, and `/* tags: WORD... */` in a unit test; those with the tag `plain` do without the address
#                sanitizer, since others run the same code, with less data and fewer processes; those with the
#                tag `slurm` run only if it is asked for
#   LIST         not empty: print the names of these tests and run none
#   JOBS         how many to run at a time; if not given, twice the number of processors, since many tests wait
#   UPDATE       not empty: write the results of `cases` anew, for review in the diff
#   TIMES        print that many of the slowest at the end: seconds, those of user and system, and the name
#   MOST_PROCESSES  fail if the tests start more processes and threads, where others' can be told from theirs and no more
#                than four processors share the threads

set -euo pipefail

# The tests of the things named: a line PROGRAM, or FILE.sh:FUNCTION.
list_tests() {
    local thing without=slurm
    [[ ${TAG:-} != slurm ]] || without=none
    [[ ${SANITIZE:-} != *address* ]] || without+='|plain'
    [ -n "${SLOW:-}${ONLY:-}" ] || without+='|long'
    for thing; do
        [ "${thing#/}" != "$thing" ] || thing=$TOP/$thing
        case $thing in
        *.sh)
            awk -v tag="${TAG:-}" -v without=" ($without) " '
                /^# tags: / { tags = tags substr($0, 8) " " }
                /^$/ && !seen++ { all = tags }
                /^$/ { tags = "" }
                /^test_.* # tags: / { tags = tags substr($0, index($0, " # tags: ") + 8) " " }
                /^test_[a-zA-Z0-9_]*\(\)/ && (tag == "" || index(all tags, " " tag " ")) &&
                    (all tags) !~ without {
                    sub(/\(.*/, "")
                    print FILENAME ":" $0
                }' "$thing"
            ;;
        *) echo "$thing" ;; # make has chosen
        esac
    done | sed "s|^$TOP/||" | grep -E -e "${ONLY:-}" | grep -Ev -e "${EXCEPT:-^$}"
}

# Batches of the tests on standard input: a line `PROGRAM...` or `FILE.sh FUNCTION...`. First one of each file, then
# another one, and so on: so tests that wait for the same seldom run at the same time. At the full scale a batch is one
# test, since its files are large.
batches() {
    awk -F : -v top="$TOP/" -v most="$([ "$TEST_SCALE" = full ] && echo 1 || echo 8)" '
        {
            file = NF > 1 ? $1 " " : ""
            number = tests[file]++
            batch = int(number / most) "\t" file
            if (!(batch in words))
                order[++count] = batch
            words[batch] = words[batch] (NF > 1 || /^\// ? "" : top) $NF " "
        }
        END {
            for (i = 1; i <= count; i++)
                print order[i] words[order[i]]
        }' | sort -s -n -k 1,1 | cut -f 2-
}

# Where tests find the programs: a folder at the head of PATH, in which $RUNNER stands before each.
make_tools() {
    local tool
    mkdir "$SCRATCH/bin" "$SCRATCH/shared"
    for tool in bigshuf bigshuf-faulty; do
        if [ -n "$RUNNER" ]; then
            printf '#!/bin/sh\nexec %s %q "$@"\n' "$RUNNER" "$BUILD/$tool" >"$SCRATCH/bin/$tool"
            chmod +x "$SCRATCH/bin/$tool"
        else
            ln -s "$BUILD/$tool" "$SCRATCH/bin/$tool"
        fi
    done
    ln -s "$BUILD"/tests/support/{batch,forge,json_values,lengths,model,peak,same_lines,terminal} "$SCRATCH/bin"
    # A wrapper that chooses between several versions of the interpreter takes ten times as long as starting it, and the
    # site's packages, which tests do not use, five times.
    if tool=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null); then
        printf '#!/bin/sh\nexec %q -S "$@"\n' "$tool" >"$SCRATCH/bin/python3"
        chmod +x "$SCRATCH/bin/python3"
    fi
}

# End tests that take longer than TEST_SECONDS, ten seconds later so that they cannot help it. Each has written the number of
# its process group to its folder, or nothing if it is over.
watch_tests() {
    local file group now
    local -A seconds
    while kill -0 $$ 2>/dev/null; do
        read -r -t 1 _ <>"$SCRATCH/never" || true # sleeps, without a process
        for file in "$SCRATCH"/*/group; do
            read -r group 2>/dev/null <"$file" || continue
            now=$((${seconds[$file]:-0} + 1))
            seconds[$file]=$now
            if [ $now = "$TEST_SECONDS" ]; then
                : >"${file%group}late"
                kill -TERM -- "-$group" || true
            elif [ $now = $((TEST_SECONDS + 10)) ]; then
                kill -KILL -- "-$group" || true
            fi
        done
    done 2>/dev/null
}

# The number of processes and threads that were started since the system was; nothing where that is not known.
started() {
    awk '$1 == "processes" { print $2 }' /proc/stat 2>/dev/null || true
}

# Root may have processes numbered for these tests alone: so they are counted, and none outlives them.
if [ -z "${OWN_NUMBERS:-}" ] && [ "$EUID" = 0 ] && unshare --pid --fork --mount-proc true 2>/dev/null; then
    OWN_NUMBERS=1 exec unshare --pid --fork --kill-child=TERM --mount-proc bash "$0" "$@"
fi
own_numbers=${OWN_NUMBERS:-}
unset OWN_NUMBERS

export TIMEFORMAT='time: %2R %2U %2S'
export RUNNER=${RUNNER:-} VALGRIND=${VALGRIND:-} SANITIZE=${SANITIZE:-} TEST_SCALE=${TEST_SCALE:-small}
case $TEST_SCALE in
tiny | small | full) ;;
*)
    echo "run.sh: TEST_SCALE is tiny, small or full, not '$TEST_SCALE'" >&2
    exit 1
    ;;
esac

TOP=$(cd "$(dirname "$0")/../.." && pwd)
if [ -n "${LIST:-}" ]; then
    list_tests "$@" | sed 's|.*/||; s|[.]sh:|: |'
    exit
fi
BUILD=$(cd "${BUILD:-build/plain}" && pwd)
SCRATCH=$(mktemp -d "$BUILD/scratch.XXXXXX") # beside the program: /tmp is often memory, which would falsify much
MEMORY=$(mktemp -d /dev/shm/bigshuf-tests.XXXXXX 2>/dev/null || mktemp -d "$SCRATCH/memory.XXXXXX")

# End all that still runs after an interruption, and remove the folders.
clean_up() {
    trap '' HUP INT TERM
    kill "${watchdog:-}" 2>/dev/null || true
    [ -z "${running:-}" ] || grep -lsF -e "TMPDIR=$SCRATCH" /proc/[0-9]*/environ | while IFS=/ read -r _ _ process _; do
        kill -KILL "$process"
    done 2>/dev/null || true
    chmod -R u+rwX "$SCRATCH" "$MEMORY" 2>/dev/null || true
    rm -rf "$SCRATCH" "$MEMORY"
}
trap clean_up EXIT
trap 'exit 130' HUP INT TERM
if [ "$(df -Pk "$MEMORY" | awk 'NR == 2 { print $4 }')" -lt 1000000 ]; then
    rmdir "$MEMORY"
    MEMORY=$(mktemp -d "$SCRATCH/memory.XXXXXX")
fi
export TOP BUILD SCRATCH MEMORY

# An instrument's complaint must not look like the program's own exit status 1.
export ASAN_OPTIONS="exitcode=99:${ASAN_OPTIONS:-}" LSAN_OPTIONS="exitcode=99:${LSAN_OPTIONS:-}"
export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:${UBSAN_OPTIONS:-}" TSAN_OPTIONS="exitcode=99:${TSAN_OPTIONS:-}"
if [ -n "$VALGRIND" ]; then
    RUNNER="valgrind -q --vgdb=no --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite"
fi
make_tools

# A hint, for ext4, that the tests' folders lie apart. Without a journal it looks, for each new file, at all nearby that
# were deleted in the last minutes, and hundreds are in each of thousands of runs.
chattr +T "$SCRATCH" 2>/dev/null || true
export PATH="$SCRATCH/bin:$PATH" LC_ALL=C
unset POSIXLY_CORRECT

# Only a test that hangs should be stopped by this, however busy the machine is.
if [ -z "${TEST_SECONDS:-}" ]; then
    TEST_SECONDS=300
    [ -n "$VALGRIND$SANITIZE" ] && TEST_SECONDS=900
    [ "$TEST_SCALE" = full ] && TEST_SECONDS=7200
fi
export TEST_SECONDS

cd "$TOP"
: >"$SCRATCH/counts"
: >"$SCRATCH/skipped"
before=$(started)
: >"$SCRATCH/last"
if ! list_tests "$@" >"$SCRATCH/tests"; then
    echo "run.sh: no test of the name ${ONLY:-}${TAG:+ with the tag $TAG}" >&2
    exit 1
fi
mkfifo "$SCRATCH/never"
watch_tests &
watchdog=$! running=1
# A program that was started with a signal ignored, as by nohup, leaves it so, and tests send all.
defaults="env --default-signal"
$defaults true 2>/dev/null || defaults=
batches <"$SCRATCH/tests" | tr '\n' '\0' |
    xargs -0 -n 1 -P "${JOBS:-$(($(getconf _NPROCESSORS_ONLN) * 2))}" $defaults bash tests/support/batch.sh || true
running=

# What UPDATE has found, into the tests. Lines in which the shell had put values are not there, and are named.
if [ -s "$SCRATCH/updates" ]; then
    python3 -c '
import sys
words = open(sys.argv[1], encoding="utf-8", errors="surrogateescape").read().split("\0")[:-1]
for name, old, new in zip(words[::3], words[1::3], words[2::3]):
    with open(name, "r+", encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
        if "\n" + old + "\n" not in text:
            print("not updated in", name + ":", old)
        file.seek(0)
        file.write(text.replace("\n" + old + "\n", "\n" + new + "\n"))
        file.truncate()
' "$SCRATCH/updates"
fi

if [ -n "${TIMES:-}" ]; then
    sort -rn -o "$SCRATCH/times" "$SCRATCH/times" # not through a pipe, whose reader would leave early
    head -n "$TIMES" "$SCRATCH/times"
fi

# Why tests were skipped, and how many for each reason.
sort "$SCRATCH/skipped" | uniq -c | sed 's/^ *\([0-9]*\) /skipped: \1: /'

# Numbers begin again after the largest; batches may have written theirs a little late.
if [ -n "$own_numbers" ]; then
    processes=$(awk -v most="$(cat /proc/sys/kernel/pid_max)" '
        $1 < last - most / 4 { turns++ }
        { last = $1 }
        END { print last + turns * (most - 300) }' "$SCRATCH/last")
else
    processes=$(started)
    processes=${processes:+$((processes - before))}
fi
echo "$SECONDS seconds${processes:+, $processes processes and threads started$([ -n "$own_numbers" ] || echo " on this machine")}"
too_many=
if [ -n "$processes" ] && [ -n "$own_numbers" ] && [ "$(getconf _NPROCESSORS_ONLN)" -le 4 ] &&
    [ "$processes" -gt "${MOST_PROCESSES:-$processes}" ]; then
    too_many=1
    echo "run.sh: that is more than $MOST_PROCESSES: make tests cheaper, or give some the tag long"
fi

# A test that brought no counts has failed.
awk -v tests="$(wc -l <"$SCRATCH/tests")" -v too_many="$too_many" '
     { passed += $1; failed += $2; skipped += $3 }
     END {
         failed += tests - NR
         printf "%d passed, %d failed", passed, failed
         if (skipped) printf ", %d skipped", skipped
         print ""
         exit failed > 0 || !passed || too_many
     }' "$SCRATCH/counts"
