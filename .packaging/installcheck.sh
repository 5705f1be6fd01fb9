#!/bin/sh
#
# Does this program give the orders that are fixed for ever, one of each kind? installcheck.sh [PROGRAM]: without it, the
# bigshuf in PATH. A POSIX shell and awk are all that it takes, and less than two seconds.

set -eu
if ! program=$(command -v "${1:-bigshuf}"); then
    echo "installcheck: ${1:-bigshuf}: not there: run make install first" >&2
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
ln -s "$(cd "$(dirname "$program")" && pwd)/${program##*/}" "$folder/bigshuf"
cd "$folder"
PATH=$folder:$PATH

awk 'BEGIN { for (i = 1; i <= 10; i++) print i "\t" i % 3 }' >in
awk 'BEGIN { for (i = 1; i <= 1000000; i++) print i }' >many

count=0
while IFS= read -r line <&3; do
    wanted=${line#* => }
    got=$(eval "${line%% => *}" 2>&1 | tr '\n\t' ' /')
    if [ "${got% }" != "$wanted" ]; then
        printf 'installcheck: %s:\nwanted: %s\ngot:    %s\n' "${line%% => *}" "$wanted" "$got" >&2
        exit 1
    fi
    count=$((count + 1))
done 3<<'END'
bigshuf --seed=42 -i 1-20 => 19 10 5 9 13 3 2 4 15 8 14 7 16 18 11 12 17 6 20 1
bigshuf --seed=42 many | cksum => 3018480857 6888896
cat many | bigshuf -S 8M -T . --seed=42 | cksum => 3018480857 6888896
bigshuf --seed=42 -n 5 -i 1-1000000000 => 630534407 914470329 266319650 617398065 65878309
bigshuf --seed=42 -r -n 10 -i 1-10 => 8 8 6 1 8 7 4 3 2 4
bigshuf --seed=42 --weight-field=1 in => 10/1 7/1 9/0 2/2 4/1 8/2 5/2 3/0 6/0 1/1
bigshuf --seed=42 --group-field=2 in => 2/2 5/2 8/2 1/1 4/1 7/1 10/1 3/0 6/0 9/0
bigshuf --seed=42 --unique=2 in => 2/2 1/1 3/0
bigshuf --scatter=store --seed=1 --batch=x in && bigshuf --gather=store --seed=42 => 9/0 3/0 8/2 4/1 7/1 2/2 10/1 6/0 1/1 5/2
bigshuf --random-source=many in => 10/1 6/0 5/2 3/0 4/1 2/2 9/0 1/1 7/1 8/2
END
echo "installcheck: $program: $count orders are right"
