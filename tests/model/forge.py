#!/usr/bin/env python3
"""Make a batch say what it should not, as somebody could who knows the format: `forge BATCH PILE RECORDS BYTES` puts
these numbers into the row of a pile. If its first extent has as many bytes, that then has just these, and their
checksum is right; if the file has not, it gets a hole that is the pile. The checksums of manifest and end are right.
`forge FORMAT` makes the checksum of a changed format right."""

import struct
import sys

from batch import xxh64

HEAD, ROW, END = 56, struct.Struct("<6Q"), struct.Struct("<8s3Q")


def forge_pile(data, pile, records, wanted):
    """Where a manifest and an end belong in the file, and their bytes."""
    magic, at, length, _ = END.unpack(data[-40:-8])
    row = HEAD + ROW.size * pile
    _, _, checksum, place, extent, more = ROW.unpack_from(data, at + row)
    if wanted <= extent:
        checksum = xxh64(data[place:place + wanted])
    if wanted <= extent or wanted > len(data):
        extent = wanted
    moved = len(data) < wanted < (1 << 63) - 1
    manifest = bytearray(data[at:at + length])
    ROW.pack_into(manifest, row, records, wanted, checksum, 0 if moved else place, extent, more)
    at = wanted if moved else at
    end = END.pack(magic, at, length, xxh64(manifest))
    return at, manifest + end + struct.pack("<Q", xxh64(end))


def forge(name, *numbers):
    """Change the file: PILE RECORDS BYTES, or nothing of a format."""
    with open(name, "r+b") as file:
        data = file.read()
        at, new = forge_pile(data, *numbers) if numbers else (len(data) - 26, b"checksum %016x\n" % xxh64(data[:-26]))
        file.seek(at)
        file.write(new)


if __name__ == "__main__":
    forge(sys.argv[1], *map(int, sys.argv[2:]))
