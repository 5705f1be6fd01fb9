#!/bin/bash
#
# Shuffle the objects of a bucket with machines that share no file system, by way of rclone:
#
#     bucket.sh list IN STORE             first: prints how many objects there are
#     bucket.sh scatter IN STORE          then so many tasks, each for one object
#     bucket.sh gather STORE OUT PARTS    when all have succeeded: PARTS tasks (at most 64), each for one part
#
# IN, STORE and OUT are paths such as s3:data/corpus; rclone's configuration says what `s3` is. A task has its number,
# from 0, in AWS_BATCH_JOB_ARRAY_INDEX (AWS Batch) or JOB_COMPLETION_INDEX (Kubernetes), and a disk for its object, or for
# its part, twice.
#
# A task that scatters makes a store in a folder of its own, and uploads each pile as an object STORE/PILE/NAME. A task
# that gathers downloads its piles of all objects, and shuffles them together. Each task can be run again: it makes the
# same objects as before, so nothing is lost or doubled.
#
# Objects have names of letters, digits, dots, dashes and underscores, which become the batches' names.

# bigshuf and rclone must be found by PATH. For other records than lines, add the options (--csv --header, -z, ...) to
# the line that scatters, and to the one that shuffles a part.

set -euo pipefail

piles=64
if [ "${1-}" != list ]; then
    task=${AWS_BATCH_JOB_ARRAY_INDEX:-${JOB_COMPLETION_INDEX:?this is no task}}
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case "${1-} $#" in
'list 3')
    in=$2 store=$3
    rclone lsf --files-only "$in" | LC_ALL=C sort >"$work/list"
    od -An -N 32 -t x1 /dev/urandom | tr -d ' \n' >"$work/seed"
    rclone copyto --ignore-existing "$work/seed" "$store.seed" # all tasks have the same one, also those that run again
    rclone copyto "$work/list" "$store.list"
    wc -l <"$work/list" | tr -d ' '
    ;;
'scatter 3')
    in=$2 store=$3
    seed=$(rclone cat "$store.seed")
    name=$(rclone cat "$store.list" | sed -n "$((task + 1))p")
    rclone copyto "$in/${name:?there are fewer objects}" "$work/$name"
    bigshuf --scatter="$work/store" --piles=$piles --seed="$seed" --batch="$name" "$work/$name"
    for ((pile = 0; pile < piles; pile++)); do
        mkdir -p "$work/piles/$pile"
        bigshuf --gather="$work/store" --only-piles=$pile-$pile --seed="$seed" -o "$work/piles/$pile/$name"
    done
    rclone copy --ignore-times "$work/piles" "$store"
    ;;
'gather 4')
    store=$2 out=$3 parts=$4
    first=$((piles * task / parts)) last=$((piles * (task + 1) / parts - 1))
    seed=$(rclone cat "$store.seed")
    rclone cat "$store.list" >"$work/list"
    seq -f '/%.0f/*' $first $last >"$work/files"
    rclone copy --include-from "$work/files" "$store" "$work/piles"
    for ((pile = first; pile <= last; pile++)); do
        if ! (cd "$work/piles/$pile" && printf '%s\n' * | LC_ALL=C sort | cmp -s - "$work/list"); then
            echo "$0: $store/$pile holds other objects than $store.list" >&2
            exit 1
        fi
    done
    find "$work/piles" -type f -print0 | LC_ALL=C sort -z |
        bigshuf --seed="$seed.$task" --files0-from=- -o "$work/part"
    rclone copyto "$work/part" "$out/part-$(printf %05d "$task")"
    ;;
*)
    sed -n 's/^#     //p' "$0" >&2
    exit 1
    ;;
esac
