#!/usr/bin/env bash
#
# Run tests and count them: tests/support/run.sh THING...
#
# A THING is a unit test program (cmocka), which counts for as many tests as it has functions, or a file FILE.sh of shell
# functions named test_WHAT_IS_PROMISED, each of them a test. Every program and every function runs alone: in a shell of
# its own, in a folder of its own, which is empty, with a time limit. It passes if it succeeds, every command on the way
# having succeeded (set -eu, pipefail), and if it leaves nothing in $TMPDIR and no process behind. tests/support/helpers.sh has
# the words that tests are made of; the program is there as `bigshuf`. Tests that make thousands of files go to $MEMORY,
# a folder that is in memory, if there is room: disks make them wait.
#
# From the environment:
#
#   BUILD        the folder that holds bigshuf and bigshuf-faulty, and the tools in tests/support
#   TEST_SCALE   tiny, small (if not given) or full
#   VALGRIND     not empty: run programs under valgrind
#   RUNNER       the command, with arguments, that runs programs of another machine; then MACHINE is its name
#   SANITIZE     the sanitizers that were built in
#   ONLY         run only the tests whose names match this extended regular expression
#   EXCEPT       not those that match this one
#   TAG          run only tests with this tag: a comment `# tags: WORD...` before a test, or at the head of a file for all
#                of it, and `/* tags: WORD... */` in a unit test; those with the tag `plain` do without the address
#                sanitizer, since others run the same code, with less data and fewer processes
#   JOBS         how many to run at a time; if not given, twice the number of processors, since many tests wait
#   UPDATE       not empty: write the results of `cases` anew, for review in the diff
#   TIMES        print that many of the slowest at the end: seconds, those of user and system, and the name

set -euo pipefail

skipped_status=77 # by the custom of automake

# The jobs of the things named: a line PROGRAM, or FILE.sh:FUNCTION. First one of each thing, then another one, and so
# on: so programs, which take longest, are not the last, and tests that wait for the same seldom run at the same time.
list_jobs() {
    local thing without=
    [[ ${SANITIZE:-} != *address* ]] || without=plain
    for thing; do
        [ "${thing#/}" != "$thing" ] || thing=$TOP/$thing
        case $thing in
        *.sh)
            awk -v tag="${TAG:-}" -v without="$without" '
                /^# tags: / { tags = tags substr($0, 8) " " }
                /^$/ && !seen++ { all = tags }
                /^$/ { tags = "" }
                /^test_[a-zA-Z0-9_]*\(\)/ && (tag == "" || index(all tags, " " tag " ")) &&
                    (without == "" || !index(all tags, " " without " ")) {
                    sub(/\(.*/, "")
                    print FILENAME ":" $0
                }' "$thing"
            ;;
        *) echo "$thing" ;; # make has chosen
        esac
    done | sed "s|^$TOP/||" | grep -E -e "${ONLY:-}" | grep -Ev -e "${EXCEPT:-^$}" |
        awk -F: '{ print ++jobs[$1] "\t" $0 }' | sort -s -n | cut -f 2- | sed "s|^[^/]|$TOP/&|"
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

# The processes that a test has left behind, as /proc/NUMBER/environ: they have its TMPDIR there.
processes_left() {
    grep -lsF -e "TMPDIR=$1/tmp" /proc/[0-9]*/environ || true
}

# Has the test in folder $1 left anything behind? Mostly it has not, and finding that takes only one process.
left_anything() {
    local files=("$1"/tmp/* "$1"/tmp/.[!.]*)
    [ -e "${files[0]}" ] || [ -e "${files[1]}" ] || grep -qsF -e "TMPDIR=$1/tmp" /proc/[0-9]*/environ
}

# Print what the test in folder $1 has left behind, and end it. Processes that are about to end have ten seconds.
leftovers() {
    local processes process
    for _ in {1..50}; do
        processes=$(processes_left "$1")
        [ -n "$processes" ] || break
        sleep 0.2
    done
    for process in $processes; do
        process=${process%/environ}
        echo "left behind: process ${process#/proc/}: $(tr '\0' ' ' <"$process/cmdline")"
        kill -KILL "${process#/proc/}" || true
    done 2>/dev/null
    # One name is the thread sanitizer's own, of a process that was killed while it started.
    find "$1/tmp" -mindepth 1 ! -name 'tsan.rodata.*' -exec echo "left behind:" {} +
}

# Sum up what a cmocka program said: PASSED FAILED SKIPPED. To die, or to say nothing, is to fail one test more.
count_cmocka() {
    awk -v status="$1" '
        /^\[  PASSED  \] [0-9]+ test/                      { passed += $4 }
        /^\[  FAILED  \] (.*: )?[0-9]+ test\(s\), listed/ { sub(/^.*\] (.*: )?/, ""); failed += $1 }
        /^\[  SKIPPED \] (.*: )?[0-9]+ test\(s\), listed/ { sub(/^.*\] (.*: )?/, ""); skipped += $1 }
        END { print passed + 0, failed + (!failed && (status || passed + skipped == 0)), skipped + 0 }'
}

# Run one job, print how it went, and add its counts to $SCRATCH/counts.
run_one() {
    local job=$1 name folder memory status=0 line left counts reason
    name=${job##*/}
    name=${name/.sh:/: }
    folder=$SCRATCH/$$
    memory=$MEMORY/$$
    mkdir "$folder" "$folder/cwd" "$folder/tmp" "$memory"

    # shellcheck disable=SC2206 # words, by intention
    local command=($RUNNER "${job%%:*}")
    if [ "$name" != "${job##*/}" ]; then
        # shellcheck disable=SC2016 # the inner shell's
        command=(bash -c '. "$1/tests/support/helpers.sh"; . "$2"; "$3"' test "$TOP" "${job%%:*}" "${job##*:}")
        # Looking for leaks takes as long as a small run; unit tests and valgrind look for them.
        local -x ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS"
    fi
    if [ -n "${REACHED:-}" ]; then # tests/mutants
        export MUTANTS_REACHED=$REACHED/${name/: /:}
        truncate -s "$REACHED_BYTES" "$MUTANTS_REACHED"
        chmod a+rw "$MUTANTS_REACHED"
    fi
    {
        time {
            (cd "$folder/cwd" && REASON=$folder/reason MEMORY=$memory TMPDIR=$folder/tmp exec $TIMEOUT "${command[@]}") \
                </dev/null >"$folder/log" 2>&1 || status=$?
        }
    } 2>"$folder/time"
    while IFS= read -r line; do
        case $line in
        "time: "*) echo "${line#time: } $name" >>"$SCRATCH/times" ;;
        *) echo "$line" >>"$folder/log" ;; # what the shell says of a signal
        esac
    done <"$folder/time"

    left=
    if left_anything "$folder"; then
        left=$(leftovers "$folder")
    fi
    if [ -n "$left" ]; then
        echo "$left" >>"$folder/log"
    fi
    if [ $status = 124 ] || [ $status = 137 ]; then
        echo "killed, perhaps because it took longer than $TEST_SECONDS seconds" >>"$folder/log"
    fi

    if [ "$name" = "${job##*/}" ]; then
        counts=$(count_cmocka $status <"$folder/log")
        read -r passed failed skipped <<<"$counts"
        name="$name ($passed passed, $failed failed, $skipped skipped)"
    elif [ $status = 0 ]; then
        counts="1 0 0"
    elif [ $status = $skipped_status ]; then
        counts="0 0 1"
    else
        counts="0 1 0"
    fi
    if [ -n "$left" ] && [ "${counts#* 0 }" != "$counts" ]; then
        counts="0 1 0"
    fi

    name=${MACHINE:+$MACHINE: }$name
    case $counts in
    "0 0 1")
        reason=$(cat "$folder/reason" 2>/dev/null || tail -n 1 "$folder/log")
        echo "$reason" >>"$SCRATCH/skipped"
        echo "skip $name # $reason"
        ;;
    *" 0 "*) echo "ok $name" ;;
    *) printf 'not ok %s\n%s\n' "$name" "$(tail -n 200 "$folder/log" | sed 's/^/    /')" ;;
    esac
    echo "$counts" >>"$SCRATCH/counts"
    rm -rf "$folder" "$memory" 2>/dev/null || {
        chmod -R u+rwX "$folder" "$memory" || true
        rm -rf "$folder" "$memory"
    }
}

if [ "${1:-}" = --jobs ]; then
    for job in "${@:2}"; do
        run_one "$job"
    done
    exit
fi

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
BUILD=$(cd "${BUILD:-build/plain}" && pwd)
SCRATCH=$(mktemp -d "$BUILD/scratch.XXXXXX") # beside the program: /tmp is often memory, which would falsify much
MEMORY=$(mktemp -d /dev/shm/bigshuf-tests.XXXXXX 2>/dev/null || mktemp -d "$SCRATCH/memory.XXXXXX")
trap 'chmod -R u+rwX "$SCRATCH" "$MEMORY" 2>/dev/null; rm -rf "$SCRATCH" "$MEMORY"' EXIT
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
TIMEOUT=$(command -v timeout || command -v gtimeout || true)
TIMEOUT=${TIMEOUT:+$TIMEOUT -k 10 $TEST_SECONDS}
export TEST_SECONDS TIMEOUT

cd "$TOP"
: >"$SCRATCH/counts"
: >"$SCRATCH/skipped"
if ! list_jobs "$@" >"$SCRATCH/jobs"; then
    echo "run.sh: no test of the name ${ONLY:-}${TAG:+ with the tag $TAG}" >&2
    exit 1
fi
tr '\n' '\0' <"$SCRATCH/jobs" |
    xargs -0 -n 8 -P "${JOBS:-$(($(getconf _NPROCESSORS_ONLN) * 2))}" bash tests/support/run.sh --jobs || true

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

# A job that brought no counts has failed.
awk -v jobs="$(wc -l <"$SCRATCH/jobs")" '
     { passed += $1; failed += $2; skipped += $3 }
     END {
         failed += jobs - NR
         printf "%d passed, %d failed", passed, failed
         if (skipped) printf ", %d skipped", skipped
         print ""
         exit failed > 0 || !passed
     }' "$SCRATCH/counts"
