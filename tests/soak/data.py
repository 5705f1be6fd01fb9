"""Inputs, as a function of a few words, so that a case that fails can be printed with its data."""

import json
import random
import tarfile
from dataclasses import dataclass, replace

import lengths

GIANT_BYTES = 9_000_000
WEIGHTS = ("1", "2", "0.5", "0", "3e2", "1e-3", "10", "7.25", ".125", "12345678901234567890", "1e300", "5e-324")
SCALES = ("1", "1", "2", "0.5", "0", "3e2", "1e-3", "10", "7.25", ".125", "+1.", "2.3283064365386963e-10", "4294967296",
          "4294967295.9999999998", "0.3333333333333333333", "1e-9", "4294967295")  # weights of requests


@dataclass(frozen=True)
class Data:
    """An input: `count` records of a kind, between a head and a tail."""

    kind: str
    count: int
    seed: int = 0
    end: bytes = b"\n"  # of each record
    head: bytes = b""
    tail: bytes = b""  # a last record without its end, or with a part of it

    def make(self):
        """Its bytes."""
        return self.head + b"".join(_KINDS[self.kind](self.count, random.Random(self.seed), self.end)) + self.tail

    def smaller(self):
        """Inputs like it that are smaller, the smallest first."""
        if self.count > 1:
            yield replace(self, count=self.count // 2)
            yield replace(self, count=self.count * 7 // 8)
        if 0 < self.count < 20:
            yield replace(self, count=self.count - 1)
        if self.tail:
            yield replace(self, tail=b"")


def _seq(count, _, end):
    return (b"%d%s" % (i, end) for i in range(1, count + 1))


def _blank(count, draw, end):
    return (b"x" * (draw.randrange(8) == 0) + end for _ in range(count))


def _bytes(count, draw, end):
    for _ in range(count):
        yield draw.randbytes(draw.choice((0, 1, 2, 7, 30, 200))).replace(end, b"") + end


def _text(count, draw, end):
    for i in range(count):
        yield b"%d %s" % (i, b"lorem ipsum dolor sit amet "[: draw.randrange(27)]) + end


def _noise(draw):
    return draw.randbytes(1 << 16).replace(b"\n", b"").replace(b"\0", b"") * 4


def _long(count, draw, end):
    noise = _noise(draw).replace(end, b"")
    for i in range(count):
        begin = draw.randrange(1 << 15)
        yield b"%d " % i + noise[begin : begin + draw.choice((10, 500, 3000, 9000, 30000))] + end


def _wide(count, draw, end):
    """Lines of about 1 kB, quick to make."""
    noise = _noise(draw).replace(end, b"")
    for i in range(count):
        yield b"%d %s%s" % (i, noise[i % 50000 : i % 50000 + 1000], end)


def _giant(count, draw, end):
    """Short records, and two that are larger than 8 MiB together or alone."""
    places = {draw.randrange(count + 1), draw.randrange(count + 1)}
    for i in range(count):
        yield b"%d%s" % (i, end)
        if i in places:
            yield b"%d" % i * (GIANT_BYTES // len(str(i))) + end


def _giant_people(count, draw, end):
    """Rows of people, some of which are larger than 8 MiB."""
    giant = {draw.randrange(count + 1) for _ in range(draw.choice((1, 2, 3)))}
    for i, row in enumerate(_people(count, draw, b"")):
        yield row + b",x" * (i in giant) * (GIANT_BYTES // 2) + end


def _partial(count, draw, end):
    """Records with parts of the delimiter in them, the delimiter at last."""
    for i in range(count):
        for _ in range(draw.randrange(4)):
            yield end[: draw.randrange(len(end))] + draw.choice((b"", b"a", b"%d" % i))
        yield end


def _csv(count, draw, end):
    for i in range(count):
        cell = draw.choice((b"", b"plain", b'"quoted, text"', b'"two\nlines"', b'"a ""word"""', b'"\r\n"', b'"\n\n,"'))
        yield b"%d,%s,%s" % (i, cell, draw.choice((b"", b"x", cell))) + end


def _odd_csv(count, draw, end):
    """With quotes that are literal, backslashes, other separators, and rows that end in the midst of quotes."""
    for _ in range(count):
        yield b"".join(draw.choices((b'"', b",", b"a", b";", b"\n", b"\r", b"\\", b'""', b',"', b'",', b'" deep'),
                                    k=draw.randrange(12))) + end
    yield b'"' * draw.randrange(2) + b'",' * draw.randrange(2) + end


def _fasta(count, draw, end):
    """Records that start with `end` here, of 0 to 5 lines more."""
    for i in range(count):
        yield end + b"%d\n" % i
        for _ in range(draw.randrange(6)):
            yield b"-" + b"".join(draw.choices((b"ACGT", b"ac", b" ", end), k=draw.randrange(4))) + b"\n"


def _ended(count, draw, end):
    """Lines and blank lines up to one that is `end`; or any, if that is empty."""
    for i in range(count):
        returns = b"\r\n" if draw.randrange(8) == 0 else b"\n"
        for _ in range(draw.randrange(4)):
            yield draw.choice((b"", b"%d" % i, b"x", end[:-1], end + b" ")) + returns
        yield end + returns


def _fastq(count, draw, end):
    for i in range(count):
        letters = draw.randrange(20)
        returns = b"\r" * draw.choice((0, 0, 0, 1))
        cut = draw.randrange(2000) == 0  # now and then a read is damaged
        lines = (b"@%d" % i, b"A" * letters, b"+", b"I" * (letters + cut))
        yield (returns + end).join(lines) + returns + end


def _column(weights):
    """A weight in each line."""
    return lambda count, draw, end: (draw.choice(weights).encode() + end for _ in range(count))


def _table(weights, after):
    """A number, a weight, and maybe more."""
    return lambda count, draw, end: (
        b"%d\t%s" % (i, draw.choice(weights).encode()) + draw.choice(after) + end for i in range(count))


def _far_table(count, draw, end):
    """A weight far behind the beginning of its record."""
    far = {draw.randrange(count + 1): b"x" * 300000, draw.randrange(count + 1): b"y" * 600000}
    for i in range(count):
        yield b"%d%s\t%s" % (i, far.get(i, b""), draw.choice(WEIGHTS).encode()) + end


def _people(count, draw, end):
    """Rows of id, who, w; the second one often as in the row before, so that there are groups."""
    who = b"p0"
    for i in range(count):
        who = draw.choice((who, b"p%d" % draw.randrange(9), b'"p%d"' % draw.randrange(3)))
        yield b"%d,%s,%d" % (i, who, draw.randrange(4)) + end


def _objects(count, draw, end):
    """The same in JSON, in several ways."""
    who = "p0"
    for i in range(count):
        who = draw.choice((who, "p%d" % draw.randrange(9), "\u00e9\U0001f600", "\\/\"\t", "", True, 7))
        value = {"id": i, "m/n": {"who": who, "w": [None, draw.randrange(4)]}, "text": "{\"x\": [1]}" * draw.randrange(3)}
        text = json.dumps(value, ensure_ascii=draw.random() < 0.5, separators=draw.choice(((",", ":"), (" , ", ": "))))
        yield draw.choice(("", "", "", " ")).encode() + text.encode() + draw.choice((b"", b"", b"\r")) + end


def _tar(count, draw, _):
    """An archive of samples of up to three members."""
    form = draw.choice((tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    for i in range(count):
        prefix = "\u00e4" * draw.choice((0, 0, 0, 130)) if form != tarfile.USTAR_FORMAT else ""
        for extension in (".a", ".b.c", "")[: draw.randrange(1, 4)]:
            member = tarfile.TarInfo("d.e/%s%d%s" % (prefix, i, extension))
            data = draw.randbytes(draw.choice((0, 0, 1, 30, 512, 700, 5000)))
            member.size = len(data)
            yield member.tobuf(form) + data + bytes(-len(data) % 512)
    yield bytes(512 * draw.choice((1, 2, 20)))


def _raw(count, draw, end):
    """Just bytes, `end` is not used."""
    return (draw.randbytes(min(65536, count - at)) for at in range(0, count, 65536))


def _lengths(count, draw, end):
    """Records that begin with their length; `end` is the coding."""
    for i in range(count):
        yield lengths.write(end.decode(), b"%d" % i * draw.choice((0, 1, 1, 7, 30)))


_KINDS = {
    "seq": _seq, "blank": _blank, "bytes": _bytes, "text": _text, "long": _long, "wide": _wide, "giant": _giant,
    "partial": _partial, "csv": _csv, "odd-csv": _odd_csv, "fasta": _fasta, "fastq": _fastq, "ended": _ended, "table": _table(WEIGHTS, (b"\t", b"\txx")),
    "crlf-table": _table(WEIGHTS, (b"\r",)), "far-table": _far_table, "weights": _column(WEIGHTS),
    "scales": _column(SCALES), "scale-table": _table(SCALES, (b"",)),
    "people": _people, "giant-people": _giant_people, "objects": _objects, "raw": _raw, "lengths": _lengths, "tar": _tar,
}
