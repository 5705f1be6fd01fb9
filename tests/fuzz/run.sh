#!/usr/bin/env bash
#
# Run the fuzzers, so many seconds each, two at a time, up to the first failure: tests/fuzz/run.sh SECONDS
#
# From the environment:
#
#   BUILD   the folder of the build that has them in tests/fuzz; there they also keep what they learn, in corpus/NAME,
#           and inputs that fail, in failures/
#   ONE     run only the fuzzer of this name
#   INPUT   show what it does with this file, and nothing else

set -euo pipefail

# The lines of a file of seeds, in which bytes may be written as in C, as files in folder $2.
make_seeds() {
    local line number=0
    mkdir -p "$2"
    while IFS= read -r line; do
        number=$((number + 1))
        printf -- "${line//%/%%}" >"$2/seed-$number"
    done <"$1"
}

# Run the fuzzer $1 in a folder of its own and say how that went. Memory is the place for the many small files that some
# of them make.
run_one() {
    local name=$1 seconds=$2 folder=$SCRATCH/$1 log=$BUILD/failures/$1.log fuzzer status=0
    mkdir "$folder" "$folder/cwd"
    mkdir -p "$BUILD/corpus/$name" "$BUILD/failures"
    make_seeds "tests/fuzz/seeds/$name" "$folder/seeds"
    cd "$folder/cwd"
    "$BUILD/tests/fuzz/$name" -max_total_time="$seconds" -timeout=60 -close_fd_mask=3 \
        -artifact_prefix="$BUILD/failures/$name-" "$BUILD/corpus/$name" "$folder/seeds" >"$log" 2>&1 &
    fuzzer=$!
    trap 'kill $fuzzer; exit 1' TERM
    wait $fuzzer || status=$?
    if [ $status = 0 ]; then
        echo "ok $name ($(sed -n 's/^Done \([0-9]*\) runs in.*/\1 runs/p' "$log"))"
        rm "$log"
        return 0
    fi
    echo "not ok $name"
    grep -Ev '^(#|INFO:)|fuzzer::|libFuzzer' "$log" | sed 's/^/    /'
    sed -n "s|.*Test unit written to |again: make fuzz ONE=$name INPUT=|p" "$log"
    return 1
}

seconds=$1
cd "$(dirname "$0")/../.."
BUILD=$(cd "$BUILD" && pwd)
SCRATCH=$(mktemp -d /dev/shm/bigshuf-fuzz.XXXXXX 2>/dev/null || mktemp -d "$BUILD/scratch.XXXXXX")
trap 'kill $(jobs -rp) 2>/dev/null || true; wait; rm -rf "$SCRATCH"' EXIT
trap 'exit 130' HUP INT TERM

export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}" LC_ALL=C
unset POSIXLY_CORRECT

if [ -n "${INPUT:-}" ]; then
    INPUT=$(realpath "$INPUT")
    (cd "$SCRATCH" && "$BUILD/tests/fuzz/$ONE" "$INPUT")
    exit
fi

fuzzers=(tests/fuzz/*.c)
[ -z "${ONE:-}" ] || fuzzers=("tests/fuzz/$ONE.c")
if [ ! -e "${fuzzers[0]}" ]; then
    echo "run.sh: no fuzzer of the name $ONE" >&2
    exit 1
fi

passed=0 failed=0 running=0
for fuzzer in "${fuzzers[@]}" "" ""; do
    if [ $running = 2 ] || { [ $running -gt 0 ] && [ -z "$fuzzer" ]; }; then
        wait -n || { failed=1 && break; }
        passed=$((passed + 1)) running=$((running - 1))
    fi
    [ -z "$fuzzer" ] && continue
    run_one "$(basename "$fuzzer" .c)" "$seconds" &
    running=$((running + 1))
done
echo "$passed passed, $failed failed"
exit $failed
