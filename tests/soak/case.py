"""A case of a plain shuffle: options, data and circumstances, drawn from one seed. (storecase.py has stores.)"""

import bz2
import gzip
import random
import shutil
from dataclasses import dataclass, field, replace

import model
import recipes
from combinations import go_together
from data import Data
from records import Format

STRINGS = ("<|endoftext|>", "\\n\\n", "aab", "abab", "\\r\\n", "--")
BYTES = (";", "\\0", "\\t", "\\xff", "a")
SHARDS = (("%d", (1, 3, 8, 20)), ("records:%d", (1, 7, 400)), ("bytes:%d", (1, 50, 3000, 25000)))
LIMITS = (("nofile", (16, 20, 40)), ("as", (60, 100, 200)), ("fsize", (1000, 5000, 1 << 20)))
MOST_SHARDS = 8000
MOST_DEAF = 100  # of the filter below that takes its time
ERRORS = ("EIO", "ENOSPC", "EDQUOT", "ENOMEM", "EACCES", "EMFILE", "EAGAIN", "ENOTSUP", "EXDEV")
CALLS = ("open open_anonymous stat fstat fchmod fchown link_descriptor rename_at lock unlink realpath "
         "mkstemp seek pipe poll punch_hole spawn wait map allocate random free_space thread "
         "access_mode fill_standard close read write preadv pwritev").split()
FILTERS = {
    "good": 'cat >"$FILE.part" && mv "$FILE.part" "$FILE"',
    "bad": 'cat >/dev/null; : "$FILE"; exit 3',
    "dead": ': "$FILE"; kill -9 $$',
    "deaf": ': "$FILE"; exec sleep 0.05',
}
PACKERS = {ending: (program, pack, unpack) for ending, program, pack, unpack in (
    (".gz", "gzip", lambda data: gzip.compress(data, mtime=0), gzip.decompress),
    (".bz2", "bzip2", bz2.compress, bz2.decompress),
) if shutil.which(program)}
EACH_WAYS = ("file", "fifo", "files0")  # in which FILEs have names
LENGTHS = ("tfrecord", "u32le", "u32be", "u64le", "u64be", "varint")


@dataclass
class Case:
    """What is run: all that run.py and expect.py need to know."""

    seed: str
    inputs: list = field(default_factory=list)  # of Data
    aux: dict = field(default_factory=dict)  # files beside the inputs, by name
    opts: dict = field(default_factory=dict)  # by name: None for a flag, a text, or a list of texts
    words: list = field(default_factory=list)  # of -e
    circ: dict = field(default_factory=dict)  # circumstances, see run.py
    hostile: dict = field(default_factory=dict)  # what the hostile build finds in its environment; of none, it is not run

    def format(self):
        """The record format that the options ask for."""
        opts = self.opts
        fmt = Format(may_differ="headers-differ" in opts)
        word, text = self.form("header")
        if word == "start":
            fmt.header_start = text.encode()
            fmt.header_records = int(opts["header"][1]) if isinstance(opts["header"], list) else 0
        elif word == "bytes":
            fmt.header_bytes = int(text)
        elif "header" in opts:
            fmt.header_records = int(text or 1)
        end = b"\0" if "z" in opts else b"\n"
        if "delimiter" in opts:
            end = unescape(opts["delimiter"])
        fmt.string = end
        kind, _, argument = self.kind()
        if kind in ("csv", "tar"):
            fmt.kind = kind
            fmt.backslash = opts.get("csv") == "backslash"
            if "t" in opts:
                fmt.separators = opts["t"].replace("\\t", "\t").encode()
        elif kind in ("lines", "fastq"):
            fmt.kind, fmt.count, fmt.reads = "lines", int(argument or 4), kind == "fastq"
        elif kind == "bytes":
            fmt.kind, fmt.count = "size", int(argument)
        elif kind in LENGTHS:
            fmt.kind, fmt.string = "length", kind.encode()
        elif kind in ("start", "fasta"):
            fmt.kind, fmt.string = "start", (argument or ">").encode()
        elif kind in ("mbox", "pgn"):
            fmt.kind, fmt.before, fmt.string = "start", b"\n\n", b"From " if kind == "mbox" else b"[Event "
        elif kind in ("end", "paragraph"):
            fmt.kind, fmt.string = "last", argument.encode()
        return fmt

    def form(self, name):
        """The first argument of --header, or that of --shards: its word, which may be none, and what follows it."""
        value = self.opts.get(name) or ""
        word, colon, text = (value[0] if isinstance(value, list) else value).partition(":")
        return (word, text) if colon else ("", word)

    def kind(self):
        """The kind of records: its name, a colon, and what stands behind it; or nothing."""
        return ("csv" if "csv" in self.opts else self.opts.get("records", "")).partition(":")

    def output_names(self):
        """The files that are named by options, but for shards."""
        names = [split.split(":", 1)[1] for split in self.opts.get("split", [])]
        if "o" in self.opts and not self.sharded():
            names.append(self.opts["o"])
        if "each" in self.opts:
            names = [name % i for name in names for i in range(len(self.inputs))]
        return names

    def alone(self, i):
        """What --each does with one of its FILEs, as a case by itself."""
        opts = {name: value for name, value in self.opts.items() if name != "each"}
        if "o" in opts:
            opts["o"] %= i
        if "split" in opts:
            opts["split"] = [split.replace("%s", str(i)) for split in opts["split"]]
        return replace(self, inputs=[self.inputs[i]], opts=opts)

    def sharded(self):
        """Are there shards?"""
        return "shards" in self.opts

    def to_stdout(self):
        """Does anything go to standard output?"""
        return "o" not in self.opts

    def has_children(self):
        """Can the program start others?"""
        return bool({"filter", "Z"} & set(self.opts))

    def packer(self, i):
        """The ending of what an input is compressed as, or none: with -Z some are."""
        return ("", *PACKERS)[self.inputs[i].seed % (1 + len(PACKERS))] if "Z" in self.opts else ""

    def is_cut(self, i):
        """Does an input that is compressed lack its end?"""
        return "cut" in self.circ and self.packer(i) != ""

    def input_bytes(self, i):
        """An input as it stands in its file."""
        data, ending = self.inputs[i].make(), self.packer(i)
        data = PACKERS[ending][1](data) if ending else data
        return data[:-1] if self.is_cut(i) else data


def unescape(text):
    """A string with the escapes of C."""
    return text.encode("latin-1").decode("unicode_escape").encode("latin-1")


def _many_records(case):
    """About how many records there are at most."""
    if "r" in case.opts:
        return int(case.opts.get("n", 0))
    if "i" in case.opts:
        low, high = map(int, case.opts["i"].split("-"))
        return min(high - low + 1, int(case.opts.get("n", 1 << 64)))
    size = case.format().count if case.kind()[0] == "bytes" else 1
    return sum(data.count // (size if data.kind == "raw" else 1) for data in case.inputs)


def takes_field(opts):
    """Does an option take a field, as -t needs it?"""
    return bool({"group-field", "split-field", "stratify-field", "weight-field"} & set(opts) or opts.get("unique"))


def is_valid(case):
    """May these options stand together? (As far as a case can get there; the rows of the table are known.)"""
    o = case.opts

    def several(*names):
        return sum(name in o for name in names) > 1

    weighted = "weights" in o or "weight-field" in o
    many = case.sharded() or "split" in o
    line_like = case.format().kind == "delimiter" and len(case.format().string) == 1
    words = "e" in o or "i" in o
    word, text = case.form("shards")
    most = MOST_DEAF if o.get("filter") == "deaf" else MOST_SHARDS
    if word and _many_records(case) > most * (int(text) if word == "records" else 1):
        return False
    low, high = map(int, o.get("i", "0-0").split("-"))
    prefix = "n" in o and not weighted and not {"probability", "keep-order", "random-source"} & set(o)
    if high - low > (4_000_000 if "tmpfs-tmp" in case.circ else 10_000) and not prefix:
        return False
    kind = case.kind()[0]
    percentages = {"%" in split.split(":")[0] for split in o.get("split", [])}
    fields = {"group-field", "split-field", "stratify-field", "weight-field"} & set(o)
    return go_together(case) and not (
        ({"part", "skip"} & set(o) and "n" in o and high - low >= model.DRAWN_RANGE)
        or ("seed" not in o and 2 in case.circ.get("close", ()))
        or ("seed" not in o and "v" not in o and "random-source" not in o)
        or (fields and not kind and not line_like)
        or ("t" in o and kind != "csv" and not takes_field(o))
        or ("unique" in o and (kind == "tar" or "i" in o or (o["unique"] and not line_like and kind != "csv")))
        or ("stratify-field" in o and len(percentages) > 1)
        or ("split-field" in o and o.get("group-field", o["split-field"]) != o["split-field"])
        or ("split-field" in o and False in percentages)
        or (case.sharded() and "%" not in o.get("o", ""))
        or (not case.sharded() and "each" not in o and "%" in o.get("o", ""))
        or ("each" in o and ("o" not in o or case.circ["via"] not in EACH_WAYS))
        or ("r" in o and "n" not in o and ("o" in o or many))
        or ("r" in o and "n" not in o and case.circ.get("reader", ("", 0))[0] != "dies")
        or (words and (len(case.format().string) > 1 or "weight-field" in o))
        or (kind and len(unescape(o.get("delimiter", "\n"))) > 1)
        or several("z", "delimiter")
        or several("csv", "records")
    )


def draw_hostile(seed):
    """Half of all cases try the hostile build (tests/support/hostile.h), each with a seed of its own."""
    draw = random.Random("hostile " + seed)
    return {"BIGSHUF_HOSTILE": str(draw.randrange(1 << 30))} if draw.randrange(2) else {}


class Maker:
    """Draws a case."""

    def __init__(self, seed, can):
        self.draw = random.Random(seed)
        self.case = Case(seed)
        self.can = can  # what this machine and user can do: a set of "mount", "shuf", "peak"

    def chance(self, of):
        """True once in so many times."""
        return self.draw.randrange(of) == 0

    def small(self):
        """A number of records."""
        return self.draw.choice((0, 1, 2, 3, 10, 50, 300, 1000, 2000, self.draw.randrange(4000)))

    # ---- What is shuffled ----

    def pick_format(self):
        """A record format; returns (kind of data, end of records)."""
        opts, draw = self.case.opts, self.draw
        plain = draw.choice(("seq", "seq", "blank", "bytes", "text"))
        way = draw.randrange(18)
        if way < 6:
            return plain, b"\n"
        if way == 6:
            opts["z"] = None
            return plain, b"\0"
        if way == 7:
            opts["delimiter"] = draw.choice(BYTES)
            return plain, unescape(opts["delimiter"])
        if way in (8, 9):
            opts["delimiter"] = draw.choice(STRINGS)
            return "partial", unescape(opts["delimiter"])
        if way == 10:
            if self.chance(2):
                opts["csv"] = draw.choice((None, "backslash"))
            else:
                opts["records"] = "csv"
            return draw.choice(("csv", "csv", "odd-csv")), draw.choice((b"\n", b"\r\n"))
        if way == 11:
            opts["records"] = draw.choice(("fastq", "lines:4", "lines:2", "lines:1"))
            if self.chance(3):
                opts["z"] = None
            elif self.chance(3):
                opts["delimiter"] = ";"
            return "fastq", self.case.format().string
        if way == 12:
            opts["records"] = "tar"
            return "tar", b""
        if way == 13:
            opts["records"] = "bytes:%d" % draw.choice((1, 3, 16, 100))
            return "raw", b""
        if way == 14:
            opts["records"] = draw.choice(LENGTHS)
            return "lengths", opts["records"].encode()
        if way in (15, 16):
            opts["records"] = draw.choice(("end://", "end:END IONS", "paragraph", "paragraph"))
            return "ended", self.case.format().string
        opts["records"] = draw.choice(("fasta", "start:>", "start:LOCUS ", "start:##", "mbox", "pgn"))
        return "fasta", self.case.format().string

    def pick_inputs(self, kind, end):
        """The inputs, most of which are small."""
        draw, case = self.draw, self.case
        count = draw.choice((1, 1, 1, 2, 3, 6))
        for _ in range(count):
            records = self.small()
            if kind == "raw":
                records *= case.format().count
                if self.chance(30):
                    records += 1
            tail = b""
            if kind == "tar":
                tail = b"x" * draw.choice((1, 512)) if self.chance(20) else b""
            elif kind == "ended":
                tail = b"" if self.chance(2) else draw.choice((b"x", b"\n\n", b"\r\n\n", b"x\r\n", b"\n" + end, b"x\n" + end + b"\r", b"\n\nx\n\n\n"))
            elif kind == "fasta" and self.chance(3):
                tail = draw.choice((b"-last", b"\n" + end[:1], end + b"last"))
            elif kind == "lengths":
                tail = b"\x03\0\0\0"[: draw.randrange(1, 5)] if self.chance(20) else b""
            elif kind != "raw" and self.chance(3):
                part = end[: draw.randrange(len(end) + 1)]
                tail = draw.choice((b"last", b"x\n" if kind == "partial" else b"-", part or b"1"))
                tail += end[: draw.randrange(len(end))]
                if kind == "fastq":
                    tail = end.join((b"@last", b"AC", b"+", b"II"))
                if kind in ("csv", "odd-csv"):
                    tail = draw.choice((b"1,2", b'1,"', b'1,"\n"', b"1\r"))
            case.inputs.append(Data(kind, records, draw.randrange(1 << 30), end, tail=tail))

    def pick_large(self):
        """Inputs that do not fit in -S 8M."""
        kind = self.draw.choice(("long", "long", "wide", "giant", "seq"))
        count = {"long": 2000, "wide": 14000, "giant": 500, "seq": 400000}[kind]
        end = b"\n"
        if kind != "seq" and self.chance(4):
            self.case.opts["z"] = None
            end = b"\0"
        self.case.inputs.append(Data(kind, count + self.draw.randrange(count // 4), self.draw.randrange(1 << 30), end))
        self.case.opts["S"] = "8M"

    def pick_header(self):
        """A header for all inputs; sometimes not the same for all."""
        case, draw = self.case, self.draw
        fmt = case.format()
        head = b""
        line = b"h" * fmt.count if fmt.kind == "size" else b"title" + (b"\n" if fmt.kind in ("start", "last") else fmt.string)
        if fmt.kind == "csv":
            line = b'a,"b\nc"\n'
        if self.chance(3):
            head = b"#bytes"[: draw.randrange(1, 7)]
            case.opts["header"] = "bytes:%d" % len(head)
        elif fmt.kind not in ("size", "length") and self.chance(3):
            case.opts["header"] = "start:" + draw.choice(("#", "##"))
            head = b"".join(b"##%d" % i + (b"\n" if fmt.kind in ("csv", "start", "last") else fmt.string)
                            for i in range(draw.choice((0, 1, 3, 700))))
            if self.chance(2):
                case.opts["header"] = [case.opts["header"], "2"]
                head += line * 2
        elif fmt.kind != "length":
            lines = draw.choice((1, 1, 2, 5))
            case.opts["header"] = None if lines == 1 else str(lines)
            head = line * lines
        case.inputs = [Data(d.kind, d.count, d.seed, d.end, head, d.tail) for d in case.inputs]
        if self.chance(12) and "header" in case.opts:
            d = case.inputs[-1]
            other = head + head[:5] if case.form("header")[0] == "start" and self.chance(2) else b"X" + head[1:]
            case.inputs[-1] = Data(d.kind, d.count, d.seed, d.end, other, d.tail)
            if self.chance(2):
                case.opts["headers-differ"] = None

    def pick_words(self):
        """-e or -i."""
        opts, draw = self.case.opts, self.draw
        if self.chance(2):
            opts["e"] = None
            self.case.words = ["w%d" % draw.randrange(10**6) for _ in range(draw.choice((0, 1, 5, 300)))]
        elif self.chance(3):
            low = draw.randrange(10)
            opts["i"] = "%d-%d" % (low, low + draw.choice((10**9, 1 << 62)))
            opts["n"] = str(draw.choice((0, 1, 10, 3000)))
        else:
            low = draw.choice((0, 1, 99990, (1 << 64) - 3000))
            opts["i"] = "%d-%d" % (low, low + draw.choice((-1 if low else 0, 0, 9, 2999)))
        if self.chance(4):
            opts["z"] = None

    # ---- What is done with it ----

    def pick_part(self):
        """The share of a worker, and what of it has been done."""
        parts = self.draw.choice((1, 2, 3, 8, 600))
        if self.chance(2):
            self.case.opts["part"] = "%d/%d" % (self.draw.randrange(parts) + 1, parts)
        if self.chance(2):
            self.case.opts["skip"] = str(self.draw.choice((0, 1, 2, 10, 100, 1000, 100000)))

    def pick_sample(self):
        """Samples and weights."""
        opts, draw = self.case.opts, self.draw
        way = draw.randrange(9)
        count = str(draw.choice((0, 1, 2, 10, 100, 1000, 100000)))
        if way < 3:
            opts.setdefault("n", count)
            if way == 1:
                opts["keep-order"] = None
        elif way == 3 and (self.case.inputs or self.case.words or "i" in opts):
            opts["r"] = None
            opts.setdefault("n", str(min(2000, int(count))))
        elif way == 4:
            opts.pop("n", None)
            opts["probability"] = draw.choice(("0", "1", "0.5", "0.01", ".999", "0.3333333333333333333333"))
        elif way == 5 and "shuf" in self.can:
            opts.pop("seed")
            self.case.aux["random"] = Data("raw", 100_000, draw.randrange(1 << 30))
            opts["random-source"] = "aux/random"
        elif way == 6:
            self.case.aux["weights"] = Data("weights", 0, draw.randrange(1 << 30))
            opts["weights"] = "aux/weights"  # as many as there are records: see finish()
        elif way >= 7 and self.case.inputs:
            kind = draw.choice(("table", "table", "table", "crlf-table", "far-table"))
            self.case.inputs = [Data(kind, d.count, d.seed) for d in self.case.inputs]
            for name in ("z", "delimiter", "csv", "records"):
                opts.pop(name, None)
            opts["weight-field"] = "2"
            if self.chance(4):
                opts["t"] = draw.choice(("\t", "\\t"))
        if "weight-field" in opts or "weights" in opts:
            for name in draw.choice(((), (), ("n",), ("n", "keep-order"), ("n", "r"))):
                opts[name] = str(min(2000, int(count))) if name == "n" else None

    def pick_output(self):
        """Files, splits, shards, filters."""
        opts, draw = self.case.opts, self.draw
        if self.chance(2):
            opts["o"] = "out/res"
        if self.chance(5):
            opts["Z"] = None
            if "o" in opts and self.chance(2):
                opts["o"] += draw.choice(tuple(PACKERS))
        if self.chance(3):
            splits = []
            for letter in "abc"[: draw.choice((1, 2, 3))]:
                share = draw.choice(("0", "1", "10", "50%", "20%", "10.5%", "0.1%"))
                splits.append("%s:out/split.%s" % (share, letter))
            if self.chance(4):
                first = draw.choice((80, 10, 50))
                splits = ["%d%%:out/split.a" % first, "%d%%:out/split.b" % (100 - first)]
            opts["split"] = splits
            self.pack_some_splits()
        if self.chance(3):
            opts["o"] = "out/res.%s" % draw.choice(("%d", "%03d", "%%%d"))
            form, choices = draw.choice(SHARDS)
            opts["shards"] = form % draw.choice(choices)
            if "Z" in opts and self.chance(2):
                opts["o"] += draw.choice(tuple(PACKERS))
            if draw.choice(choices) == 1 or opts["o"].endswith(tuple(PACKERS)):
                self.have_few_records()
        if ("o" in opts or "split" in opts) and self.chance(8):
            opts["filter"] = draw.choice(list(FILTERS) + ["good"] * 4)
            self.have_few_records()  # there may be a process for each

    def pack_some_splits(self):
        """With -Z, some of the splits are compressed."""
        if "Z" in self.case.opts:
            endings = ("", *PACKERS)
            self.case.opts["split"] = [split + self.draw.choice(endings) for split in self.case.opts["split"]]

    def pick_fields(self):
        """Groups, and splits by a field, of which there are few where the separator is a byte that is often there."""
        opts, draw = self.case.opts, self.draw
        opts["t"] = draw.choice((" ", "1", "5", "e", ",", "x"))
        if self.chance(2):
            opts["group-field"] = draw.choice(("1", "1", "1", "2", ["2", "1"]))
        elif self.chance(3):
            opts["unique"] = draw.choice(("1", "2", ["1", "2"]))
        if self.chance(2):
            opts["split-field"] = opts.get("group-field", "1")
            opts["split"] = draw.choice((["10%:out/split.a"], ["30%:out/split.a", "20.5%:out/split.b"],
                                         ["50%:out/split.a", "0%:out/split.b", "50%:out/split.c"],
                                         ["15%%:out/split.%s" % letter for letter in "abcdef"]))
            self.pack_some_splits()
        elif self.chance(2):
            for name in ("n", "group-field", "unique", "part", "filter", "shards"):
                opts.pop(name, None)
            opts.update({"o": "out/res"} if "o" in opts else {})
            opts["stratify-field"] = draw.choice(("1", "1", "2", ["1", "2"]))
            opts["split"] = draw.choice((["10%:out/split.a"], ["0.5%:out/split.a", "33.3333%:out/split.b"],
                                         ["50%:out/split.a", "0%:out/split.b", "50%:out/split.c"],
                                         ["1:out/split.a"], ["3:out/split.a", "0:out/split.b", "20:out/split.c"]))
            self.pack_some_splits()
        if not takes_field(opts):
            del opts["t"]

    def have_few_records(self):
        """Make the inputs small."""
        for i, d in enumerate(self.case.inputs):
            self.case.inputs[i] = Data(d.kind, min(d.count, 150), d.seed, d.end, d.head, d.tail)

    def pick_resources(self):
        """-S, threads, leaf size, folders."""
        opts, circ, draw = self.case.opts, self.case.circ, self.draw
        if "S" not in opts and self.chance(2):
            opts["S"] = draw.choice(("8M", "8M", "9M", "64M", "1G", "10%"))
        if self.chance(2):
            opts["parallel"] = str(draw.randrange(1, 9))
        if self.chance(2) and "random-source" not in opts:
            opts["tune"] = ["leaf-records=%d" % draw.choice((8, 9, 12, 64, 100))]
        circ["tmps"] = draw.choice((1, 1, 1, 2, 3))
        if self.chance(12) and "mount" in self.can:
            circ["tmpfs-tmp"] = "size=%dm" % draw.choice((1, 3, 12))
        if self.chance(3):
            opts.setdefault("tune", []).append("compress-temporary=" + draw.choice(("auto", "always", "always", "never")))
        if self.chance(4):
            opts["v"] = None
        if self.chance(6):
            opts["progress"] = draw.choice((None, "auto", "always", "never"))
        if self.chance(6) and "i" not in opts:
            opts["expect-records"] = draw.choice(("right", "right", "wrong"))  # see finish()

    def pick_input_way(self):
        """How the data reach the program."""
        circ, draw = self.case.circ, self.draw
        ways = ["file", "file", "dash", "pipe", "slow", "fifo", "files0"]
        if len(self.case.inputs) == 1:
            ways += ["stdin", "pipe"]
        circ["via"] = draw.choice(ways) if self.case.inputs else "file"

    def pick_output_way(self):
        """What is in the place of the outputs."""
        circ, draw = self.case.circ, self.draw
        names = self.case.output_names()
        circ["old"] = draw.choice(("none", "old", "old", "link", "sticky")) if names else "none"
        if "filter" in self.case.opts:
            circ["old"] = "none"
        elif self.chance(6) and "mount" in self.can and ("o" in self.case.opts or names):
            circ["tmpfs-out"] = draw.choice(("size=100k", "size=4k", "size=1m", "size=20m,nr_inodes=2"))
        if self.case.to_stdout() and self.chance(10):
            circ["reader"] = draw.choice((("slow", 0), ("dies", draw.choice((0, 1, 100, 5000)))))

    def pick_trouble(self):
        """One thing that goes wrong, at most."""
        circ, draw = self.case.circ, self.draw
        way = draw.randrange(20)
        if way in (0, 1, 8):
            circ["fault"] = {"FAULT_AT": str(draw.choice((1, 2, 3, 5, 8, 13, 30, 100, draw.randrange(1, 400)))),
                             "FAULT_ERRNO": draw.choice(ERRORS)}
            if self.chance(2):
                circ["fault"]["FAULT_CALL"] = draw.choice(CALLS)
            if self.chance(4) and circ["fault"]["FAULT_ERRNO"] != "EAGAIN":  # for which it would wait for ever
                circ["fault"]["FAULT_STAYS"] = "1"
            # Parts of files that are looked at are read in this way too, and have no checksum.
            if circ["via"] in ("pipe", "slow") and len(self.case.inputs) == 1 and self.chance(2):
                circ["fault"] = {"FAULT_AT": str(draw.randrange(1, 40)), "FAULT_CALL": "preadv",
                                 draw.choice(("FAULT_DAMAGE", "FAULT_END")): "1"}
        elif way == 2:
            circ["fault"] = {draw.choice(("FAULT_SHORT", "FAULT_EINTR")): "1"}
        elif way in (3, 4):
            delay = draw.choice((0.004, 0.02, 0.1, 0.4)) * draw.random()
            circ["kill"] = (draw.choice(("TERM", "INT", "KILL", "HUP", "STOP")), delay)
        elif way == 5:
            name, values = draw.choice(LIMITS)
            circ[name] = draw.choice(values)
        elif way == 6:
            circ["close"] = draw.choice(((0,), (1,), (2,), (0, 1, 2), (0, 2)))
        elif way in (9, 10) and "Z" in self.case.opts:
            circ["cut"] = None

    def make(self):
        """The case."""
        case, draw = self.case, self.draw
        case.opts["seed"] = draw.choice(("1", "42", "x" * 70, str(draw.randrange(10**9))))
        if self.chance(5):
            recipes.change(self)
            return case
        size = draw.randrange(12)
        if size == 0:
            self.pick_words()
        elif size == 1:
            self.pick_large()
        else:
            self.pick_inputs(*self.pick_format())
        if self.chance(3):
            self.pick_sample()
        if case.inputs and size != 1 and self.chance(4):
            self.pick_header()
        if self.chance(4):
            self.pick_part()
        self.pick_output()
        if case.inputs and "weight-field" not in case.opts and self.chance(5):
            self.pick_fields()
        if "group-field" not in case.opts and self.chance(12):
            case.opts.setdefault("unique", None)
        self.pick_resources()
        self.pick_input_way()
        self.pick_output_way()
        self.pick_trouble()
        if "seed" in case.opts and self.chance(12):
            del case.opts["seed"]
            case.opts["v"] = None
        return case


def make_case(seed, can):
    """A valid case of this seed."""
    for attempt in range(1000):
        case = Maker("%s/%d" % (seed, attempt), can).make()
        case.seed = seed
        if is_valid(case):
            finish(case)
            case.hostile = draw_hostile(seed)
            return case
    raise AssertionError("no valid case of seed " + seed)


def finish(case):
    """Fit what depends on the other parts: as many weights as records, mostly, and how many records are expected."""
    from expect import count_records  # expect.py needs what stands above

    if "weights" in case.aux:
        weights = case.aux["weights"]
        extra = 1 if int(weights.seed) % 30 == 0 else 0
        case.aux["weights"] = Data(weights.kind, count_records(case) + extra, weights.seed)
    if "expect-records" in case.opts:
        wrong = case.opts["expect-records"] == "wrong"
        case.opts["expect-records"] = str(count_records(case.alone(0) if "each" in case.opts else case) + wrong)
