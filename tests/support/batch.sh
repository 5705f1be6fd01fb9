#!/usr/bin/env bash
#
# Run batches of tests and print how they went: tests/support/batch.sh BATCH... A batch is one argument, `PROGRAM...` or
# `FILE.sh FUNCTION...`. For run.sh, which says what a test is, and whose environment this needs.
#
# Where a process takes 5 ms to start, processes are most of the time. So each test is a copy of a shell that has read the
# words of tests; one process makes the folders of a batch, one removes them, and one looks for processes that were left.

set -euo pipefail

skipped_status=77 # by the custom of automake

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

# Run COMMAND in the folder of a test of this name, PROGRAM or FILE.sh:FUNCTION: in_folder FOLDER NAME COMMAND... An interrupted shell waits for no
# subshell in front, but ends the test.
in_folder() {
    local -x REASON=$SCRATCH/$1/reason MEMORY=$MEMORY/$1 TMPDIR=$SCRATCH/$1/tmp
    if [ -n "${REACHED:-}" ]; then # tests/mutants
        local -x MUTANTS_REACHED=${2##*/}
        MUTANTS_REACHED=$REACHED/${MUTANTS_REACHED/.sh:/:}
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
    local -x ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" # which takes as long as a small run; unit tests and valgrind do it
    # shellcheck disable=SC1091 # it is checked by itself
    . "$TOP/tests/support/helpers.sh"
    set -- "$1" 0 "${@:2}"
    while [ $# -gt 2 ]; do
        in_folder "$$.$2" "$1:$3" run_function "$1" "$3"
        set -- "$1" $(($2 + 1)) "${@:4}"
    done
)

# The file is read in the test's own folder: it may go elsewhere, or make what all its tests need.
run_function() {
    # shellcheck disable=SC1090 # it is checked by itself
    . "$1"
    "$2"
}

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
        echo "not run" >>"$folder/log"
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
    local words number folders=() places=() names=() place last
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
        [[ ${words[0]} = /* ]] || words[0]=$TOP/${words[0]}
        run_functions "${words[@]}"
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
    if read -r _ _ _ _ last 2>/dev/null </proc/loadavg; then # the number of the process that was started last
        echo "$last" >>"$SCRATCH/last"
    fi
}

trap 'exit 130' HUP INT TERM
for batch; do
    run_batch "$batch"
done
