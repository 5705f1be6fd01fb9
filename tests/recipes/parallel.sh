#!/bin/bash
#
# Shuffle files together with GNU parallel: parallel.sh STORE OUTPUT PARTS FILE...
#
# The FILEs are scattered into the new folder STORE, and gathered from there into OUTPUT/part-00000 and so on, PARTS
# files (at most as many as there are piles); JOBS files at a time (4, if the variable is not set), which share half of
# the memory. On one machine that is worth it where the FILEs come from commands that take long, or where they are to be
# shuffled again with `--epoch`.
#
# On several machines that share the file system, each with JOBS jobs at a time:
#
#     PARALLEL='--sshlogin node1,node2,node3 --workdir .' parallel.sh STORE OUTPUT PARTS FILE...
#
# After a failure, the same command runs again what has failed, and what has not been run, and nothing else. Nothing is
# lost or doubled: a FILE's batch is in STORE as a whole or not at all, and a part appears when it is complete.
#
# FILEs have different names, of letters, digits, dots, dashes and underscores, whatever their folders: these become
# the batches' names.

# bigshuf must be found by PATH. For other records than lines, add the options (--csv --header, -z, ...) to the line
# that scatters.

set -euo pipefail

if [ $# -lt 4 ] || ! [ "$3" -ge 1 ]; then
    echo "usage: $0 STORE OUTPUT PARTS FILE..." >&2
    exit 1
fi
store=${1%/} output=${2%/} parts=$3 jobs=${JOBS:-4}
shift 3

# Parts of a run with other PARTS would be taken for parts of this one.
mkdir -p "$output"
for part in "$output"/part-*; do
    number=${part##*-}
    if [ -e "$part" ] && ! [ "$((10#$number))" -lt "$parts" ]; then
        echo "$0: $part is there from another run: remove it" >&2
        exit 1
    fi
done
if [ ! -s "$store.seed" ]; then # all must have the same one, also those that run again
    od -An -N 32 -t x1 /dev/urandom | tr -d ' \n' >"$store.seed"
fi
seed=$(cat "$store.seed")

# The logs know what is done by its number, so they are good for the same FILEs and PARTS only, and as long as it is there.
if [ ! -e "$store" ]; then
    rm -f "$store.scatter.log"
fi
for ((part = 0; part < parts; part++)); do
    [ -e "$output/part-$(printf %05d $part)" ] || rm -f "$store.gather.log"
done
if ! printf '%s\n' "$output" "$parts" "$@" | cmp -s - "$store.list"; then
    rm -f "$store.scatter.log" "$store.gather.log"
    printf '%s\n' "$output" "$parts" "$@" >"$store.list"
fi

parallel --quote --jobs "$jobs" --joblog "$store.scatter.log" --resume-failed \
    bigshuf --scatter="$store" --seed="$seed" --batch='{/}' -S "$((50 / jobs))%" --parallel=2 {} ::: "$@"

if ! bigshuf --list="$store" -z | tr '\0' '\n' | cut -f 1 | sort | cmp -s - <(basename -a "$@" | sort); then
    echo "$0: $store holds other batches than those of the files" >&2
    exit 1
fi
for ((part = 0; part < parts; part++)); do
    printf '%05d %d/%d\n' $part $((part + 1)) "$parts"
done |
    parallel --quote --jobs "$jobs" --joblog "$store.gather.log" --resume-failed --colsep ' ' \
        bigshuf --gather="$store" --seed="$seed" --part='{2}' -S "$((50 / jobs))%" --parallel=2 -o "$output/part-{1}"
