#!/usr/bin/env python3
"""Read a batch of a store as bigshuf-store-format(5) has it: `batch FILE` prints its key, and the records, bytes
and checksum of each pile; `batch FILE PILE...` the bytes of these piles, `batch FILE all` of all."""

import struct
import sys

A, B, C = 11400714785074694791, 14029467366897019727, 1609587929392839161
D, E, MASK = 9650029242287828579, 2870177450012600261, (1 << 64) - 1


def turned(value, bits):
    return ((value & MASK) << bits | (value & MASK) >> 64 - bits) & MASK


def xxh64(data):
    whole, left = len(data) // 32 * 32, len(data) % 8
    lanes = [A + B, B, 0, -A]
    for words in struct.iter_unpack("<4Q", data[:whole]):
        lanes = [turned(lane + word * B, 31) * A & MASK for lane, word in zip(lanes, words)]
    value = sum(turned(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) if whole else E
    for lane in lanes if whole else ():
        value = (value ^ turned(lane * B, 31) * A) * A + D
    value += len(data)
    for (word,) in struct.iter_unpack("<Q", data[whole:len(data) - left]):
        value = turned(value ^ turned(word * B, 31) * A & MASK, 27) * A + D
    for (word,) in struct.iter_unpack("<L", data[len(data) - left:][:left & 4]):
        value = turned(value ^ word * A, 23) * B + C
    for byte in data[len(data) - left % 4:] if left % 4 else b"":
        value = turned(value ^ byte * E, 11) * A
    value = ((value & MASK) ^ (value & MASK) >> 33) * B & MASK
    value = (value ^ value >> 29) * C & MASK
    return value ^ value >> 32


def read_batch(data):
    """The key; and of each pile its row, and a function that gives what is in it."""
    magic, at, length, checksum, own = struct.unpack("<8s4Q", data[-40:])
    assert (magic, own, checksum) == (b"bigshuf3", xxh64(data[-40:-8]), xxh64(data[at:at + length])), "damaged"
    key, *_, piles = struct.unpack("<16s5Q", data[at:at + 56])
    return key, [pile + (lambda pile=pile: contents(data, *pile),)
                 for pile in struct.iter_unpack("<6Q", data[at + 56:at + 56 + 48 * piles])]


def contents(data, _, size, checksum, place, length, more):
    found = data[place:place + length]
    while len(found) < size:
        place, length = struct.unpack("<2Q", data[more:more + 16])
        found, more = found + data[place:place + length], more + 16
    assert len(found) == size and xxh64(found) == checksum, "damaged"
    return found


if __name__ == "__main__":
    name, batch = read_batch(open(sys.argv[1], "rb").read())
    for number in range(len(batch)) if "all" in sys.argv else map(int, sys.argv[2:]):
        sys.stdout.buffer.write(batch[number][-1]())
    if len(sys.argv) == 2:
        sys.stdout.writelines([name.hex(), "\n"] + ["%d %d %016x\n" % pile[:3] for pile in batch])
