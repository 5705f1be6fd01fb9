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
#
# Where a process takes 5 ms to start, processes are most of the time. So tests come in batches: a shell reads the words
# and a file of tests once, and each test is a copy of that shell; one process makes the folders of a batch, one removes
# them, and one looks for what was left behind.
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
#   MOST_PROCESSES  fail if the tests start more, where others' can be told from theirs

set -euo pipefail

skipped_status=77 # by the custom of automake

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
    ln -s "$BUILD"/tests/support/{forge,json_values,lengths,model,peak,same_lines,terminal} "$SCRATCH/bin"
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

# The processes that tests in folders whose names begin like this have left behind, as /proc/NUMBER/environ: they have
# TMPDIR there.
processes_left() {
    grep -lsF -e "TMPDIR=$1" /proc/[0-9]*/environ || true
}

# Print which processes the test in folder $1 has left behind, and end them. Those that are about to end have ten seconds.
end_processes() {
    local processes process
    for _ in {1..50}; do
        processes=$(processes_left "$1/")
        [ -n "$processes" ] || break
        sleep 0.2
    done
    for process in $processes; do
        process=${process%/environ}
        echo "left behind: process ${process#/proc/}: $(tr '\0' ' ' <"$process/cmdline")"
        kill -KILL "${process#/proc/}" || true
    done 2>/dev/null
}

# Print what files the test in folder $1 has left behind. One name is the thread sanitizer's own, of a process that was killed
# while it started.
left_files() {
    local files=("$1"/tmp/* "$1"/tmp/.[!.]*)
    if [ -e "${files[0]}" ] || [ -e "${files[1]}" ]; then
        find "$1/tmp" -mindepth 1 ! -name 'tsan.rodata.*' -exec echo "left behind:" {} +
    fi
}

# Sum up what a cmocka program said: PASSED FAILED SKIPPED. To die, or to say nothing, is to fail one test more.
count_cmocka() {
    awk -v status="$1" '
        /^\[  PASSED  \] [0-9]+ test/                      { passed += $4 }
        /^\[  FAILED  \] (.*: )?[0-9]+ test\(s\), listed/ { sub(/^.*\] (.*: )?/, ""); failed += $1 }
        /^\[  SKIPPED \] (.*: )?[0-9]+ test\(s\), listed/ { sub(/^.*\] (.*: )?/, ""); skipped += $1 }
        END { print passed + 0, failed + (!failed && (status || passed + skipped == 0)), skipped + 0 }'
}

# Run COMMAND in the folder of a test of this name: in_folder FOLDER NAME COMMAND... An interrupted shell waits for no
# subshell in front, but ends the test.
in_folder() {
    local -x REASON=$SCRATCH/$1/reason MEMORY=$MEMORY/$1 TMPDIR=$SCRATCH/$1/tmp
    if [ -n "${REACHED:-}" ]; then # tests/mutants
        local -x MUTANTS_REACHED=$REACHED/${2/: /:}
        truncate -s "$REACHED_BYTES" "$MUTANTS_REACHED"
        chmod a+rw "$MUTANTS_REACHED"
    fi
    trap 'kill -KILL -- "-$!" 2>/dev/null; exit 130' HUP INT TERM
    {
        time {
            set -m # in a process group of its own
            (
                cd "$SCRATCH/$1/cwd"
                exec </dev/null >"$SCRATCH/$1/log" 2>&1
                "${@:3}"
            ) &
            set +m
            echo $! >"$SCRATCH/$1/group"
            if wait $!; then
                echo 0
            else
                echo $?
            fi >"$SCRATCH/$1/status"
            : >"$SCRATCH/$1/group"
        }
    } 2>"$SCRATCH/$1/time"
}

# Run each FUNCTION of FILE in a copy of this shell, in folders numbered from 0 on: run_functions FILE FUNCTION... It has no
# variables but its arguments, since the tests would see them.
run_functions() (
    # shellcheck disable=SC2030,SC2031 # here alone
    local -x ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" # which takes as long as a small run; unit tests and valgrind do it
    # shellcheck disable=SC1090,SC1091 # files that are checked by themselves
    . "$TOP/tests/support/helpers.sh" && . "$1"
    set -- "${1##*/}" 0 "${@:2}"
    while [ $# -gt 2 ]; do
        in_folder "$$.$2" "${1%.sh}: $3" "$3"
        set -- "$1" $(($2 + 1)) "${@:4}"
    done
)

# Print how the test NAME in $SCRATCH/FOLDER went, and add its counts to $SCRATCH/counts: judge FOLDER NAME
judge() {
    local folder=$SCRATCH/$1 name=$2 status=1 line counts reason='' log
    if [ -e "$folder/status" ]; then
        read -r status <"$folder/status"
        while IFS= read -r line; do
            case $line in
            "time: "*) echo "${line#time: } $name" >>"$SCRATCH/times" ;;
            *) echo "$line" >>"$folder/log" ;; # what the shell says of a signal
            esac
        done <"$folder/time"
    else
        echo "not run: $(<"$SCRATCH/$$.said")" >>"$folder/log"
    fi
    if [ -e "$folder/late" ]; then
        echo "ended because it took longer than $TEST_SECONDS seconds" >>"$folder/log"
    fi
    left_files "$folder" >>"$folder/left"

    if [[ $name != *': '* ]]; then
        counts=$(count_cmocka "$status" <"$folder/log")
        read -r passed failed skipped <<<"$counts"
        name="$name ($passed passed, $failed failed, $skipped skipped)"
    elif [ "$status" = 0 ]; then
        counts="1 0 0"
    elif [ "$status" = $skipped_status ]; then
        counts="0 0 1"
    else
        counts="0 1 0"
    fi
    if [ -s "$folder/left" ] && [[ $counts = *' 0 '* ]]; then
        counts="0 1 0"
    fi

    name=${MACHINE:+$MACHINE: }$name
    case $counts in
    "0 0 1")
        mapfile -t log <"$folder/log"
        read -r reason 2>/dev/null <"$folder/reason" || reason=${log[*]: -1}
        echo "$reason" >>"$SCRATCH/skipped"
        echo "skip $name # $reason"
        ;;
    *" 0 "*) echo "ok $name" ;;
    *) printf 'not ok %s\n%s\n' "$name" "$(cat "$folder/log" "$folder/left" | tail -n 200 | sed 's/^/    /')" ;;
    esac
    echo "$counts" >>"$SCRATCH/counts"
}

# Run the tests of a batch, a line of `batches`, and print how they went.
run_batch() {
    local words number folders=() places=() names=() place
    read -ra words <<<"$1"
    if [[ ${words[0]} = *.sh ]]; then
        place=${words[0]##*/}
        names=("${words[@]:1}")
        names=("${names[@]/#/${place%.sh}: }")
    else
        names=("${words[@]##*/}")
    fi
    for number in "${!names[@]}"; do
        folders+=("$SCRATCH/$$.$number" "$MEMORY/$$.$number")
        places+=("$SCRATCH/$$.$number"/{cwd,tmp})
    done
    mkdir "${folders[@]}" "${places[@]}"
    for number in "${!names[@]}"; do
        : >"$SCRATCH/$$.$number/log"
    done

    set +e # which a condition would take from the tests
    if [[ ${words[0]} = *.sh ]]; then
        run_functions "${words[@]}" >"$SCRATCH/$$.said" 2>&1
    else
        for number in "${!words[@]}"; do
            # shellcheck disable=SC2086 # words, by intention
            in_folder "$$.$number" "${names[number]}" exec $RUNNER "${words[number]}"
        done
    fi
    set -e

    processes=$(processes_left "$SCRATCH/$$.")
    for number in "${!names[@]}"; do
        [ -z "$processes" ] || end_processes "$SCRATCH/$$.$number" >"$SCRATCH/$$.$number/left"
        judge "$$.$number" "${names[number]}"
    done
    rm -rf "${folders[@]}" 2>/dev/null || {
        chmod -R u+rwX "${folders[@]}" || true
        rm -rf "${folders[@]}"
    }
    count_processes
}

# Write down the number of the process that was started last, where numbers go up.
count_processes() {
    local last
    if read -r _ _ _ _ last 2>/dev/null </proc/loadavg; then
        echo "$last" >>"$SCRATCH/last"
    fi
}

if [ "${1:-}" = --batches ]; then
    trap 'exit 130' HUP INT TERM
    for batch in "${@:2}"; do
        run_batch "$batch"
    done
    exit
fi

# Root may have processes numbered for these tests alone: so they are counted, and none outlives them.
if [ -z "${OWN_NUMBERS:-}" ] && [ "$EUID" = 0 ] && unshare --pid --fork --mount-proc true 2>/dev/null; then
    OWN_NUMBERS=1 exec unshare --pid --fork --kill-child --mount-proc bash "$0" "$@"
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
    kill "${watchdog:-}" 2>/dev/null || true
    if [ -n "${running:-}" ]; then
        end_processes "$SCRATCH" >/dev/null
    fi
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
count_processes
if ! list_tests "$@" >"$SCRATCH/tests"; then
    echo "run.sh: no test of the name ${ONLY:-}${TAG:+ with the tag $TAG}" >&2
    exit 1
fi
mkfifo "$SCRATCH/never"
watch_tests &
watchdog=$! running=1
batches <"$SCRATCH/tests" | tr '\n' '\0' |
    xargs -0 -n 1 -P "${JOBS:-$(($(getconf _NPROCESSORS_ONLN) * 2))}" bash tests/support/run.sh --batches || true
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

# Numbers begin again after the largest.
processes=
count_processes
if [ -s "$SCRATCH/last" ]; then
    processes=$(awk -v most="$(cat /proc/sys/kernel/pid_max)" '
        NR == 1 { first = $1 }
        $1 < last - most / 2 { turns++ }
        { last = $1 }
        END { print last - first + turns * (most - 300) }' "$SCRATCH/last")
fi
echo "$SECONDS seconds${processes:+, $processes processes and threads started${own_numbers:+ by these tests}}"
too_many=
if [ -n "$processes" ] && [ -n "$own_numbers" ] && [ "$processes" -gt "${MOST_PROCESSES:-$processes}" ]; then
    too_many=1
    echo "run.sh: the tests start more than $MOST_PROCESSES: make one cheaper, or give it the tag long"
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
