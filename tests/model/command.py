#!/usr/bin/env python3
"""The orders of bigshuf-order(7) as the model gives them, for tests to hold the program against. Records are lines.

    model SEED T <in >out                            the lines of standard input, shuffled
    model gather SEED T PILES EPOCH NAME=FILE...     what comes out of a store of these batches
    model pile SEED PILES NAME J <in                 what of a batch stands in pile J, as it stands there
    model identity SEED                              how a batch names its key
    model group|unique SEED FIELD... <in             by columns after tabs, or without any by the whole line
    model check                                      each line of standard input is IN GOT and the words of one of these:
                                                     file GOT must have what it makes of file IN

T is the most records of a leaf.
"""

import hashlib
import itertools
import os
import pathlib
import sys

import fields
import model
from words import main_key


def lines_of(file):
    data = file.read()
    lines = data.split(b"\n")
    return [line + b"\n" for line in (lines if lines[-1] else lines[:-1])]


def in_piles(key, batch, lines, piles):
    """The lines of each pile of a batch."""
    held = [[] for _ in range(piles)]
    for line, pile in zip(lines, model.piles_of_batch(key, batch, len(lines), piles)):
        held[pile].append(line)
    return held


def gathered(key, leaf_records, piles, epoch, batches):
    held = [[] for _ in range(piles)]
    for name, file in sorted(batch.split(b"=", 1) for batch in batches):
        with open(file, "rb") as opened:
            for pile, lines in zip(held, in_piles(key, name, lines_of(opened), piles)):
                pile += lines
    for pile in model.epoch_order(key, piles, epoch):
        yield from model.pile_order(key, epoch, pile, held[pile], leaf_records)


def answer(file, what, *rest):
    """Pieces of what `model WHAT REST...` prints when standard input is `file`."""
    if what == b"identity":
        yield hashlib.sha256(main_key(rest[0]) + what).hexdigest()[:32].encode() + b"\n"
    elif what == b"pile":
        seed, piles, name, pile = rest
        yield from in_piles(main_key(seed), name, lines_of(file), int(piles))[int(pile)]
    elif what in (b"group", b"unique"):
        lines = lines_of(file)
        parts = [[line[:-1].split(b"\t")[int(field) - 1] for field in rest[1:]] for line in lines]
        keys = [fields.join(of) if of else line[:-1] for line, of in zip(lines, parts)]
        yield from itertools.chain.from_iterable(fields.by_keys(main_key(rest[0]), what, lines, keys))
    elif what == b"gather":
        seed, leaf_records, piles, epoch = rest[:4]
        yield from gathered(main_key(seed), int(leaf_records), int(piles), int(epoch), rest[4:])
    else:
        yield from model.order(main_key(what), lines_of(file), int(rest[0]))


def main(*words):
    if words != (b"check",):
        sys.stdout.buffer.writelines(answer(sys.stdin.buffer, *words))
        return
    for line in sys.stdin.buffer:
        name, got, *words = line.split()
        with open(name, "rb") as file:
            wanted = b"".join(answer(file, *words))
        if pathlib.Path(os.fsdecode(got)).read_bytes() != wanted:
            sys.exit("another order: " + os.fsdecode(line))


main(*map(os.fsencode, sys.argv[1:]))
