#!/usr/bin/env python3
"""Records that begin with their length. `lengths CODING` makes them of the lines of standard input, and `lengths CODING
FILE...` makes lines of those in files; a damaged one is an exception. As short as can be."""

import struct
import sys

NUMBERS = {"tfrecord": "<Q", "u32le": "<I", "u32be": ">I", "u64le": "<Q", "u64be": ">Q"}


def table():
    """CRC-32C of each byte alone."""
    for crc in range(256):
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        yield crc


TABLE = tuple(table())


def masked(data):
    """The checksum of TFRecord."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def varint(number):
    """7 bits in each byte."""
    text = bytearray()
    while number > 127:
        text.append(number & 127 | 128)
        number >>= 7
    return bytes(text) + bytes((number,))


def write(coding, data):
    """A record."""
    length = varint(len(data)) if coding == "varint" else struct.pack(NUMBERS[coding], len(data))
    if coding == "tfrecord":
        return length + masked(length) + data + masked(data)
    return length + data


def read_exactly(file, count):
    """So many bytes."""
    data = file.read(count)
    assert len(data) == count
    return data


def read_length(file, coding):
    """The length of the next record, None at the end."""
    first = file.read(1)
    if not first:
        return None
    if coding == "varint":
        number, shift = first[0] & 127, 0
        while first[0] > 127:
            first, shift = read_exactly(file, 1), shift + 7
            number |= (first[0] & 127) << shift
        return number
    text = first + read_exactly(file, struct.calcsize(NUMBERS[coding]) - 1)
    assert coding != "tfrecord" or read_exactly(file, 4) == masked(text)
    return struct.unpack(NUMBERS[coding], text)[0]


def read(file, coding):
    """The data of all records."""
    while (length := read_length(file, coding)) is not None:
        data = read_exactly(file, length)
        assert coding != "tfrecord" or read_exactly(file, 4) == masked(data)
        yield data


def main():
    """As said above."""
    coding, *names = sys.argv[1:]
    if not names:
        sys.stdout.buffer.writelines(write(coding, line.removesuffix(b"\n")) for line in sys.stdin.buffer)
    for name in names:
        with open(name, "rb") as file:
            sys.stdout.buffer.writelines(data + b"\n" for data in read(file, coding))


if __name__ == "__main__":
    main()
