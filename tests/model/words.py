"""Random words, from bigshuf-order(7): keys are SHA-256, words are ChaCha with 8 rounds.

A block is a few hundred operations on words of 32 bits. Python is slow at those, but not at long whole numbers: all
blocks that are wanted together are computed at once, each in a lane of 64 bits of numbers as long as that takes.
"""

import hashlib
import struct
import sys
from array import array

_MASK = (1 << 64) - 1
LANE = 8  # bytes; the upper half is for carries and for what is shifted out


def main_key(seed):
    """The key of a seed, which is a string of bytes."""
    return hashlib.sha256(seed).digest()


def number(value):
    """An argument of a key: a number."""
    return value.to_bytes(8, "little")


def name(text):
    """An argument of a key: a string of bytes."""
    return number(len(text)) + text


def labelled_key(key, label, *arguments):
    """The key of another kind of randomness."""
    return hashlib.sha256(key + label + b"\0" + b"".join(arguments)).digest()


def _turn(x, bits):
    return (x << bits | x >> (64 - bits)) & _MASK


def _sip_rounds(v, count):
    for _ in range(count):
        for a, b, c, d, left, right in (0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21):
            v[a], v[c] = (v[a] + v[b]) & _MASK, (v[c] + v[d]) & _MASK
            v[b], v[d] = _turn(v[b], left) ^ v[a], _turn(v[d], right) ^ v[c]
            v[a] = _turn(v[a], 32)


def siphash(key, data):
    """SipHash-2-4 under a key of 16 bytes."""
    halves = 2 * struct.unpack("<2Q", key)
    v = [x ^ k for x, k in zip(struct.unpack(">4Q", b"somepseudorandomlygeneratedbytes"), halves)]
    data += bytes(7 - len(data) % 8) + bytes([len(data) % 256])
    for (word,) in struct.iter_unpack("<Q", data):
        v[3] ^= word
        _sip_rounds(v, 2)
        v[0] ^= word
    v[2] ^= 255
    _sip_rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _every_lane(value, count):
    return int.from_bytes(value.to_bytes(LANE, "little") * count, "little")


def _lanes(values):
    return int.from_bytes(array("Q", values).tobytes(), "little")


def _quarter_round(x, a, b, c, d, mask):
    for to, add, mix, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[to] = (x[to] + x[add]) & mask
        mixed = x[mix] ^ x[to]
        x[mix] = ((mixed << turn) & mask) | ((mixed >> (32 - turn)) & mask)


def blocks(key, places):
    """The blocks of 64 bytes at places, pairs (stream, counter), one after another, as an array of 32-bit words."""
    count = len(places)
    if count == 0:
        return array("I")
    fixed = [int.from_bytes(part[i : i + 4], "little") for part in (b"expand 32-byte k", key)
             for i in range(0, len(part), 4)]
    begin = [_every_lane(word, count) for word in fixed]
    for at, shift in ((1, 0), (1, 32), (0, 0), (0, 32)):
        begin.append(_lanes((place[at] >> shift) & 0xFFFFFFFF for place in places))
    mask = _every_lane(0xFFFFFFFF, count)
    x = list(begin)
    for _ in range(4):
        for i in range(4):
            _quarter_round(x, i, 4 + i, 8 + i, 12 + i, mask)
        for i in range(4):
            _quarter_round(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, mask)
    words = array("I", bytes(64 * count))
    for i in range(16):
        lanes = array("I", ((x[i] + begin[i]) & mask).to_bytes(LANE * count, "little"))
        words[i::16] = lanes[::2]
    return words


def _as(kind, words):
    """The same bytes as words of another width."""
    assert sys.byteorder == "little", "the model is for little-endian machines"
    return memoryview(words).cast("B").cast(kind)


def words_of_many(key, wanted, bytes_each):
    """The beginnings of several streams: for each pair (stream, words wanted) a view of 16- or 32-bit words."""
    kind = {2: "H", 4: "I", 8: "Q"}[bytes_each]
    each_block = 64 // bytes_each
    places = [(stream, counter) for stream, count in wanted for counter in range(-(-count // each_block))]
    view = _as(kind, blocks(key, places))
    at = 0
    for _, count in wanted:
        yield view[at : at + count]
        at += (count + each_block - 1) // each_block * each_block


def words(key, stream, count, bytes_each):
    """The first words of a stream."""
    return next(words_of_many(key, [(stream, count)], bytes_each)) if count else []


class Stream:
    """The words of a stream, one after another, without end. The first ones may be known already."""

    def __init__(self, key, stream, bytes_each, known=()):
        self.key, self.stream, self.bytes_each = key, stream, bytes_each
        self.known, self.at = known, 0

    def next(self):
        """The next word."""
        if self.at == len(self.known):
            self.known = words(self.key, self.stream, 2 * self.at + 64, self.bytes_each)
        self.at += 1
        return self.known[self.at - 1]

    def draw(self, bound):
        """A number from 0 to bound - 1, each as likely as any other."""
        bits = 8 * self.bytes_each
        while True:
            product = self.next() * bound
            if product % (1 << bits) >= (1 << bits) % bound:
                return product >> bits
