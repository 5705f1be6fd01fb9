#!/bin/bash
#
# Shuffle files together on a Slurm cluster whose nodes share a file system: slurm.sh STORE OUTPUT PARTS FILE...
#
# A job array scatters the FILEs, one per task, into the new folder STORE; a second array, which waits for the first,
# gathers what is there into OUTPUT/part-00000 and so on, PARTS files (at most as many as there are piles). The numbers of
# both jobs are printed.
#
# Should a node fail, Slurm runs its tasks again, and nothing is lost or doubled: a task's batch is in STORE as a whole
# or not at all, and a task that finds its batch there already has nothing to do. For the same reason, after a failure,
# the same command goes on where it stopped. What tasks that were killed have left in STORE is removed an hour later by
# the next task or `bigshuf --sweep=STORE`, and STORE itself by you, when the parts are there.
#
# FILEs have different names, of letters, digits, dots, dashes and underscores, whatever their folders: these become
# the batches' names. A cluster takes arrays of up to MaxArraySize tasks (scontrol show config): usually 1000.

# bigshuf must be found by PATH on the nodes. For other records than lines, add the options (--csv --header, -z, ...) to
# the line that scatters.

set -euo pipefail

if [ $# -lt 4 ] || ! [ "$3" -ge 1 ]; then
    echo "usage: $0 STORE OUTPUT PARTS FILE..." >&2
    exit 1
fi
store=${1%/} output=${2%/} parts=$3
shift 3
here=$(dirname "$0")

# Parts of a run with other PARTS would be taken for parts of this one.
mkdir -p "$output"
for part in "$output"/part-*; do
    number=${part##*-}
    if [ -e "$part" ] && ! [ "$((10#$number))" -lt "$parts" ]; then
        echo "$0: $part is there from another run: remove it" >&2
        exit 1
    fi
done
printf '%s\n' "$@" >"$store.list"
if [ ! -s "$store.seed" ]; then # all tasks must have the same one, also those that run again
    od -An -N 32 -t x1 /dev/urandom | tr -d ' \n' >"$store.seed"
fi

scatter=$(sbatch --parsable --array="1-$#" "$here/slurm-scatter.sbatch" "$store")
gather=$(sbatch --parsable --array="0-$((parts - 1))" --dependency="afterok:${scatter%;*}" --kill-on-invalid-dep=yes \
    "$here/slurm-gather.sbatch" "$store" "$output" "$parts")
echo "${scatter%;*} ${gather%;*}"
