"""All ways in which an order comes about: a command of the shell for each, and the law of what it writes.

In a command, $s is the seed of the sample, and the files are those of make_files.
"""

import subprocess

from law import dealt, independent, samples, weighted

RECORDS = 112 * 256  # records: of each group of 7, and of each 16th of all, there are whole ones
DIVIDED = 112 * 2560  # so many that two piles are divided in memory
WEIGHTS = [1, 2, 4, 10]

# Scatter a store in two batches and gather it: the number of piles, the input, its first records, options of gathering.
STORE = ("st() { rm -rf store; head -n $3 $2 | bigshuf --scatter=store --seed=$s --batch=a --piles=$1; "
         "tail -n +$(($3 + 1)) $2 | bigshuf --scatter=store --seed=$s --batch=b; shift 3; "
         "bigshuf --gather=store --seed=$s $*; }; ")


def make_files(used):
    """The files of these ways; of the large ones, those that they name."""
    commands = ["seq %d >n%d" % (n, n) for n in range(2, 8)] + [
        "seq %d >small" % RECORDS, "seq -f %%012.0f %d >many" % RECORDS, "seq %d >divided" % DIVIDED,
        "awk '{ print $1 \"\\tx\"; print $1 \"\\ty\" }' many >grouped",
        "awk '{ print $1 \"\\t\" int(($1 + 2) / 3) }' many | sed '$d' >classes",
        "awk 'BEGIN { split(\"%s\", w) } { print w[($1 - 1) %% 4 + 1] }' many >weights" % " ".join(map(str, WEIGHTS)),
        "head -n 4 weights >weights4", "paste many weights >weighted", "paste n4 weights4 >weighted4",
        "sed 's/$/\\t1/' many >equal", "printf '%s\\n' 1,A 2,A 3,B 4,B >labels",
        # a store with seven records in pile 0
        "n=0; until [ \"$(bigshuf --gather=seven --seed=$n --only-piles=0-0 2>said | wc -l)\" -eq 7 ]; do n=$((n + 1))",
        "rm -rf seven; seq 14 | bigshuf --scatter=seven --seed=$n --batch=a --piles=2; done; echo $n >seven.seed",
    ] + [command for name, command in [
        ("long", "awk '{ printf \"%d %0400d\\n\", $1, 0 }' many >long"),
        ("longer", "awk '{ printf \"%d %01100d\\n\", $1, 0 }' many >longer"),
        ("weighted.long", "paste weighted long >weighted.long"),
    ] if name in used]
    subprocess.run(["sh", "-euc", "\n".join(commands)], check=True)


# Two files, each with one of the records 1 and 2 and one of 3 and 4, in any order.
HALVES = [outcome for outcome in samples(4, 4) if ("1" in outcome[:3]) != ("2" in outcome[:3])]

# Each is one sample of few records; the words that it writes are the outcome. A number as a law stands for all orders
# of so many records.
FEW = [("a file of %d" % n, "bigshuf --seed=$s n%d" % n, n) for n in range(2, 8)] + [
    ("pipe", "cat n5 | bigshuf --seed=$s", 5),
    ("-e", "bigshuf --seed=$s -e 1 2 3 4 5", 5),
    ("-i", "bigshuf --seed=$s -i 1-5", 5),
    ("-n 3", "bigshuf --seed=$s -n 3 n5", samples(5, 3)),
    ("-n 2 --keep-order", "bigshuf --seed=$s -n 2 --keep-order n5", weighted([1] * 5, 2, ascending=True)),
    ("-n 3 -i, of a large range", "bigshuf --seed=$s -n 3 -i 0-399999999 | awk '{ print int($1 / 1e8) + 1 }'",
     weighted([1] * 4, 3, again=True)),
    ("--part=2/3", "bigshuf --seed=$s --part=2/3 n6", samples(6, 2)),
    ("--part=2/3 --expect-records", "bigshuf --seed=$s --part=2/3 --expect-records=6 n6", samples(6, 2)),
    ("--skip=2 -n 3", "bigshuf --seed=$s --skip=2 -n 3 n6", samples(6, 3)),
    ("--split", "bigshuf --seed=$s --split=1:a --split=50%:b -o c n5 && cat c a b", 5),
    ("--stratify-field", "bigshuf --seed=$s -t, --stratify-field=2 --split=50%:a -o b labels; cut -d , -f 1 a b",
     dict.fromkeys(HALVES, 1 / len(HALVES))),
    ("--weights", "bigshuf --seed=$s --weights=weights4 n4", weighted(WEIGHTS, 4)),
    ("--weights -n 2 --keep-order", "bigshuf --seed=$s --weights=weights4 -n 2 --keep-order n4",
     weighted(WEIGHTS, 2, ascending=True)),
    ("--weight-field -n 2", "bigshuf --seed=$s --weight-field=2 -n 2 weighted4 | cut -f 1", weighted(WEIGHTS, 2)),
    ("--random-source=/dev/urandom", "bigshuf --random-source=/dev/urandom n5", 5),
    ("--unique of records that come again", "cat n5 n3 n5 | bigshuf --seed=$s --unique", 5),
    ("--unique=1 -n 3", "sed 's/$/\\tx/' n5 n5 | bigshuf --seed=$s --unique=1 -n 3 | cut -f 1", samples(5, 3)),
    ("--group-field of few", "sed 's/$/\\tx/' n4 n3 | bigshuf --seed=$s --group-field=1 | cut -f 1 | uniq", 4),
    ("a store of 2 piles", STORE + "st 2 n4 1", 4),
    ("one pile, its epochs", "bigshuf --gather=seven --seed=$(cat seven.seed) --only-piles=0-0 --epoch=$k", 7),
]

# Each is one order of many records, whose groups of seven are samples that do not depend on each other, and so are the
# groups of seven in a row in the output. Input of at most 256 KiB has a way of its own: `many` is longer.
MANY = [
    ("small input", "bigshuf --seed=$s small"),
    ("file of short lines", "bigshuf --seed=$s many"),
    ("file of long lines", "bigshuf -S 64M --seed=$s long | cut -d ' ' -f 1"),
    ("pipe of short lines", "cat many | bigshuf --seed=$s"),
    ("pipe of long lines", "cat long | bigshuf -S 64M --seed=$s | cut -d ' ' -f 1"),
    ("-i, more", "bigshuf --seed=$s -i 100000000001-1000000%d | cut -b 8-" % RECORDS),
    ("spilled", "bigshuf -S 8M --seed=$s long | cut -d ' ' -f 1"),
    ("spilled, from a pipe", "cat long | bigshuf -S 8M --seed=$s | cut -d ' ' -f 1"),
    ("piles started over", STORE + "st 2 longer 9000 -S 8M | cut -d ' ' -f 1"),
    ("trees started over", STORE + "st 2 longer 9000 -S 8M --tune=leaf-records=64 | cut -d ' ' -f 1"),
    ("deep tree", "bigshuf --seed=$s --tune=leaf-records=8 many"),
    ("divided in memory", STORE + "st 2 divided 100000 -S 64M --tune=leaf-records=2048"),
    ("--part=1/2, then 2/2", "for r in 1 2; do bigshuf --seed=$s --part=$r/2 many; done"),
    ("the same, expected", "for r in 1 2; do bigshuf --seed=$s --part=$r/2 --expect-records=%d many; done" % RECORDS),
    ("-n, then --skip", "bigshuf --seed=$s -n 10000 many; bigshuf --seed=$s --skip=10000 many"),
    ("--random-source=/dev/urandom", "bigshuf --random-source=/dev/urandom many"),
    ("--group-field", "bigshuf --seed=$s --group-field=1 grouped | cut -f 1 | uniq"),
    ("--unique, spilled", "cat long long | bigshuf -S 8M --seed=$s --unique | cut -d ' ' -f 1"),
    ("--split and --shards", "bigshuf --seed=$s --split=30%:a --split=1000:b --shards=2 -o c%d many; cat c0 b a c1"),
    ("store of 2 piles", STORE + "st 2 many 10000"),
    ("store of 4 piles, epoch 1", STORE + "st 4 many 10000 --epoch=1"),
    ("store of 512 piles", STORE + "st 512 many 10000"),
    ("store of 4096 piles, epoch 7", STORE + "st 4096 many 10000 --epoch=7"),
    ("store in two --part", STORE + "st 8 many 10000 --part=1/2; bigshuf --gather=store --seed=$s --part=2/2"),
    ("shuffled again", "bigshuf --seed=$s many | bigshuf --seed=$s.again"),
]

# Each is two orders that must not depend on each other, with an empty line between them: in the order of the first, the
# places of the records in the second are random.
PAIRS = [
    ("seeds s and s + 1", "bigshuf --seed=$k many; echo; bigshuf --seed=$((k + 1)) many"),
    ("a seed and its repetition", "bigshuf --seed=$s many; echo; bigshuf --seed=$s$s many"),
    ("epochs e and e + 1 of a pile", STORE + "st 2 many 10000 --only-piles=0-0 --epoch=$k; echo; "
     "bigshuf --gather=store --seed=$s --only-piles=0-0 --epoch=$((k + 1))"),
    ("piles of a store", STORE + "st 2 many 10000 >a; bigshuf --gather=store --seed=$s --only-piles=0-0 >b; "
     "for is in 1 0; do awk -v is=$is 'NR == FNR { b[$1] } NR != FNR && ($1 in b) == is' b a; echo; done"),
    ("seeds of a store", STORE + "st 2 many 10000 --only-piles=1-1; echo; bigshuf --gather=store --seed=$s.b --only-piles=1-1"),
    ("--unique and the order", "bigshuf --seed=$s many; echo; bigshuf --seed=$s --unique many"),
    ("--weights and the order", "bigshuf --seed=$s many; echo; bigshuf --seed=$s --weight-field=2 equal | cut -f 1"),
]

# Each writes samples of so many words.
FOURS = "awk '{ g = int(($1 - 1) / 4); o[g] = o[g] \" \" ($1 - 1) % 4 + 1 } END { for (g in o) print o[g] }'"
THREES = "awk '{ o[$1 + 0] = FILENAME } END { for (i = 1; i + 2 in o; i += 3) print o[i] o[i + 1] o[i + 2] }'"
# Requests, a draw that often, options and the file; the records of the answers. Weights of a few steps of 2^-32.
ASK = ("awk 'BEGIN { printf \"%s\"; for (i = 0; i < %d; i++) print \"%s\" }' | bigshuf --requests --seed=$s %s | "
       "awk '{ n = $1; for (i = 0; i < 2 * n; i++) { getline; if (i >= n) print } }'")
SET = "".join("set %d %.30g\\n" % (i, w / 2**32) for i, w in enumerate(WEIGHTS[:3])) + "add %.30g 4\\n" % (WEIGHTS[3] / 2**32)
GROUPS = [
    ("-r", 3, "bigshuf --seed=$s -r -n 12000 n5", weighted([1] * 5, 3, again=True)),
    ("-r -i", 3, "bigshuf --seed=$s -r -n 12000 -i 1-7", weighted([1] * 7, 3, again=True)),
    ("-r, seeds s and s + 1", 2, "bigshuf --seed=$k -r -n 12000 -i 1-16 >a; "
     "bigshuf --seed=$((k + 1)) -r -n 12000 -i 1-16 | paste a -", weighted([1] * 16, 2, again=True)),
    ("-r --weight-field", 3, "bigshuf --seed=$s -r -n 12000 --weight-field=2 weighted4 | cut -f 1",
     weighted(WEIGHTS, 3, again=True)),
    ("-r --weights", 3, "bigshuf --seed=$s -r -n 12000 --weights=weights4 n4", weighted(WEIGHTS, 3, again=True)),
    ("--weight-field", 4, "bigshuf --seed=$s --weight-field=2 weighted | " + FOURS, weighted(WEIGHTS, 4)),
    ("--weight-field, spilled", 4, "bigshuf -S 8M --seed=$s --weight-field=2 weighted.long | " + FOURS,
     weighted(WEIGHTS, 4)),
    ("--probability=0.25", 1, "bigshuf --seed=$s --probability=0.25 many | awk '{ chosen[$1 + 0] } END { "
     "for (i = 1; i + 4 <= %d; i += 5) { for (j = i; j < i + 5; j++) printf j in chosen; print \"\" } }'" % RECORDS,
     independent({"0": 0.75, "1": 0.25}, 5)),
    ("--split-field", 1, "bigshuf --seed=$s --split-field=1 --split=20%:a --split=30%:b -o c equal; " + THREES +
     " a b c", independent({"a": 0.2, "b": 0.3, "c": 0.5}, 3)),
    ("--stratify-field, two classes", 2, "bigshuf --seed=$s --stratify-field=2 --split=50%:a -o b classes; " + THREES +
     " a b", {x + " " + y: p * q for x, p in dealt(3, [0.5]).items() for y, q in dealt(3, [0.5]).items()}),
    ("--stratify-field, quarters", 1, "bigshuf --seed=$s --stratify-field=2 --split=25%:a --split=25%:b -o c classes; " +
     THREES + " a b c", dealt(3, [0.25, 0.25])),
    ("--stratify-field, counts", 1, "bigshuf --seed=$s --stratify-field=2 --split=1:a --split=1:b -o c classes; " + THREES +
     " a b c", dict.fromkeys(("abc", "acb", "bac", "bca", "cab", "cba"), 1 / 6)),
    ("--requests", 3, ASK % ("", 6000, "draw 3", "n5"), samples(5, 3)),
    ("--requests, repeat", 3, ASK % ("", 6000, "draw 3 repeat", "--weights=weights4 n4"), weighted(WEIGHTS, 3, again=True)),
    ("--requests, set and added", 3, ASK % (SET, 6000, "draw 3", "n3"), weighted(WEIGHTS, 3)),
    ("piles of two batches", 2, STORE + "st 4 many %d -n 0; for p in 1 2 3 4; do "
     "bigshuf --gather=store --piles=$((p - 1))-$((p - 1)) | sed \"s/$/ $p/\"; done | "
     "awk '{ pile[$1 + 0] = $2 } END { for (i = 1; i <= NR / 2; i++) print pile[i], pile[i + NR / 2] }'" %
     (RECORDS // 2), weighted([1] * 4, 2, again=True)),
]
