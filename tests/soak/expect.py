"""What a case must give: which records go to which file."""

import subprocess
from dataclasses import dataclass, field
from fractions import Fraction

import fields
import model
import records
from case import LENGTHS
from words import main_key

ENDLESS = 20000  # records of -r without -n that are looked at


@dataclass
class Expected:
    """The right result."""

    error: str = ""  # why the program must refuse, if it must
    loose: bool = False  # it may also not notice
    late: bool = False  # it notices when it has begun to write
    header: bytes = b""
    files: dict = field(default_factory=dict)  # name: records, but shards
    shards: list = None  # the records of all shards
    stdout: list = None
    input_bytes: int = 0
    input_records: int = 0
    archive: bool = False  # is each output a tar archive?
    frames: int = 0  # bytes besides in memory and temporary files
    all_header: bool = False
    counted: bool = False  # is it the number of records that is wrong?
    in_place: bool = False  # do some outputs stand where the inputs do?
    heads: int = 0  # of the records of files, those that are headers

    def text(self, which):
        """The bytes of a file of these records."""
        text = self.header + b"".join(which)
        return text + bytes(1024 + -(len(text) + 1024) % 10240) if self.archive else text


def input_records(case):
    """(Contents, records as they are written)."""
    if "e" in case.opts:
        end = case.format().string
        return records.Contents(records=[word.encode() + end for word in case.words])
    if "i" in case.opts:
        return None
    if any(case.is_cut(i) for i in range(len(case.inputs))):
        raise records.BadInput("a file is cut short")
    contents = records.read_files(case.format(), [data.make() for data in case.inputs])
    return contents


class Unsure(records.BadInput):
    """Input that is refused, if that is noticed."""

    loose = True


def refuse_packed(case):
    """Text hardly begins like a compressed file, which is refused if it is a regular one, but random bytes may."""
    text = not {"Z", "e", "i"} & set(case.opts) and case.kind()[0] not in ("bytes", "tar", *LENGTHS)
    if text and any(data.make()[:2] in (b"\x1f\x8b", b"\x1f\x9d") for data in case.inputs):
        raise Unsure("it looks compressed")


def count_records(case):
    """How many records there are, of whatever input; 0 if it is bad."""
    try:
        contents = input_records(case)
    except records.BadInput:
        return 0
    if contents is None:
        low, high = map(int, case.opts["i"].split("-"))
        return min(high - low + 1, 10**6)
    return len(contents.records)


def weights_of(case, contents, count):
    """The weights of all records, or None. Raises BadWeight."""
    if "weights" in case.opts:
        lines = case.aux["weights"].make().split(b"\n")[:-1]
        if len(lines) != count:
            raise model.BadWeight("too few or too many")
    elif "weight-field" in case.opts:
        key = fields.Key(case, case.opts["weight-field"], contents.header)
        lines = [key.of(record)[0] for record in contents.records]
    else:
        return None
    return [model.weight(line) for line in lines]


def cut_off(opts, order):
    """What --part, --skip and -n leave of an order, one after another."""
    part, parts = map(int, opts.get("part", "1/1").split("/"))
    order = order[len(order) * (part - 1) // parts : len(order) * part // parts]
    skip, count = int(opts.get("skip", 0)), int(opts["n"]) if "n" in opts else None
    if skip > len(order) and count != 0:
        raise records.BadInput("there are not so many to be left out")
    return order[skip:][:count]


def _chosen(case, key, count, weights):
    """The numbers of the records that are written, in order."""
    opts = case.opts
    tuned = dict(text.split("=") for text in opts.get("tune", []))
    leaf = int(tuned.get("leaf-records", model.LEAF_RECORDS))
    if "r" in opts:
        end = int(opts.get("skip", 0)) + int(opts.get("n", ENDLESS))
        if opts.get("n") == "0":
            return []
        if count == 0 or (weights and not any(weights)):
            raise records.BadInput("nothing to repeat")
        if weights is not None:
            return cut_off(opts, model.weighted_repeat(key, weights, end))
        return cut_off(opts, model.repeat(key, count, end))
    if "probability" in opts:
        return model.bernoulli(key, count, opts["probability"])
    if weights is not None:
        chosen = model.weighted(key, weights)
    elif "i" in opts and "n" in opts and model.is_drawn(count, int(opts["n"])):
        chosen = model.drawn_range(key, count, int(opts["n"]))
    else:
        chosen = model.order(key, range(count), leaf)
    chosen = cut_off(opts, chosen)
    return sorted(chosen) if "keep-order" in opts else chosen


def _by_gnu(case, contents):
    """What GNU shuf gives with the same random source, as records."""
    end = case.format().string
    command = ["shuf", "--random-source=aux/random"]
    command += ["-n", case.opts["n"]] if "n" in case.opts else []
    command += ["-r"] if "r" in case.opts else []
    texts = contents.records if contents else _range(case, end)
    lines = b"".join(b"%d\n" % i for i in range(len(texts)))
    if "i" in case.opts:
        command += ["-i", case.opts["i"]]
    run = subprocess.run(command, input=lines, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                         cwd=case.circ["folder"])
    if run.returncode:
        raise records.BadInput("shuf: " + run.stderr.decode())
    if "i" in case.opts:
        return [number + end for number in run.stdout.split(b"\n")[:-1]]
    return [texts[int(number)] for number in run.stdout.split()]


def _range(case, end):
    low, high = map(int, case.opts["i"].split("-"))

    class Numbers:
        """The records of -i, of which there may be very many."""

        def __len__(self):
            return high - low + 1 if high - low + 1 < 1 << 62 else 1

        def __getitem__(self, i):
            return b"%d" % (low + i) + end

    return Numbers()


def cut(case, chosen, result, key):
    """Deal the records over splits, shards and the rest."""
    if {"split-field", "stratify-field"} & set(case.opts):
        divide = fields.divided if "split-field" in case.opts else fields.stratified
        *parts, chosen = divide(case, key, chosen, result.header)
        for split, part in zip(case.opts["split"], parts):
            result.files[split.split(":", 1)[1]] = part
        return _leave(case, chosen, result)
    total, at = len(chosen), 0
    splits = [split.split(":", 1) for split in case.opts.get("split", [])]
    percents = _percents(case)
    sums = [int(total * sum(percents[:j]) / 100) for j in range(len(percents) + 1)]
    shares = iter([after - before for before, after in zip(sums, sums[1:])])
    counts = [next(shares) if count.endswith("%") else int(count) for count, _ in splits]
    if sum(percents) > 100 or sum(counts) > total or any(count < 0 for count in counts):
        raise records.BadInput("not enough records")
    for count, (_, name) in zip(counts, splits):
        result.files[name] = chosen[at : at + count]
        at += count
    return _leave(case, chosen[at:], result)


def _leave(case, rest, result):
    """What no split takes."""
    if case.sharded():
        result.shards = rest
    elif "o" in case.opts:
        result.files[case.opts["o"]] = rest
    elif sum(_percents(case)) == 100:
        result.stdout = None  # no header either
    else:
        result.stdout = rest


def _percents(case):
    counts = [split.split(":", 1)[0] for split in case.opts.get("split", [])]
    return [Fraction(count[:-1]) for count in counts if count.endswith("%")]


def _refuse_overlap(case, result):
    """No output is an input, but for a single one."""
    inputs = {"in/%d" % i for i in range(len(case.inputs))}
    names = [split.split(":", 1)[1] for split in case.opts.get("split", [])]
    word, number = case.form("shards")
    if number and not word:
        names += [case.opts["o"] % i for i in range(int(number))]
    elif "o" in case.opts:
        names += [case.opts["o"]]
    made = set(names)
    result.in_place = any(name.startswith("in/") for name in made)
    fmt = case.format()
    if result.in_place and fmt.kind == "csv" and any(records.csv_is_odd(fmt, data.make()) for data in case.inputs):
        raise Unsure("quotes are odd, which is refused if they are read")
    if inputs & made and fmt.kind == "csv" and "header" not in case.opts:
        raise records.BadInput("nobody says whether an input that is replaced has a header")
    if len(made) < len(names):
        raise records.BadInput("the same output twice")
    if inputs & made and (len(case.inputs) > 1 or {"shards", "split", "filter"} & set(case.opts)):
        raise records.BadInput("some of the outputs are inputs")


def _check_count(case, result):
    """--expect-records, which is checked whatever is written."""
    wanted = case.opts.get("expect-records")
    if wanted is not None and int(wanted) != result.input_records:
        result.counted = True
        raise records.BadInput("not as many records as are expected")


def _expect_each(case, seed):
    """What each FILE gives alone, if all have as many records; each with its own header."""
    alone = [expect(case.alone(i), seed) for i in range(len(case.inputs))]
    result = Expected(archive=alone[0].archive, input_bytes=max(one.input_bytes for one in alone))
    bad = sorted((one for one in alone if one.error), key=lambda one: one.loose)[:1]
    if not bad and len({one.input_records for one in alone}) > 1:
        bad = [Expected(error="not as many records", loose=case.opts.get("n") == "0")]
    for one in bad:
        result.error, result.loose, result.counted = one.error, one.loose, one.counted
    for one in alone:
        result.files.update({name: [one.header] + part for name, part in one.files.items()})
        result.input_records += one.input_records
    result.heads = len(result.files)
    return result


def expect(case, seed=None):
    """The right result. `seed` is the one that the program made up, if it had to."""
    if "each" in case.opts:
        return _expect_each(case, seed)
    result = Expected(archive=case.kind()[0] == "tar")
    try:
        _refuse_overlap(case, result)
        refuse_packed(case)
        contents = input_records(case)
        for option in ("group-field", "unique", "split-field", "stratify-field"):
            if contents and case.opts.get(option):  # before anything is written
                key = fields.Key(case, case.opts[option], contents.header)
                for header in contents.headers:
                    if fields.Key(case, case.opts[option], header).columns() != key.columns():
                        raise records.BadInput("another column")
                for record in contents.records:
                    key.of(record)
        texts = contents.records if contents else _range(case, case.format().string)
        if contents:
            result.header = contents.header
            result.all_header = contents.all_header
            result.input_bytes = sum(map(len, texts))
            result.frames = 9 * contents.members
        low, high = map(int, case.opts["i"].split("-")) if "i" in case.opts else (0, len(texts) - 1)
        result.input_records = high - low + 1
        if not contents:
            result.input_bytes = (high - low + 1) * (len(str(high)) + 1)
        _check_count(case, result)
        if "random-source" in case.opts:
            chosen, key = _by_gnu(case, contents), None
        else:
            key = main_key((seed if seed is not None else case.opts["seed"]).encode())
            weights = weights_of(case, contents, high - low + 1)
        if {"group-field", "unique"} & set(case.opts):
            chosen = cut_off(case.opts, fields.keyed(case, key, texts, result.header))
        elif "random-source" not in case.opts:
            chosen = [texts[i] for i in _chosen(case, key, high - low + 1, weights)]
        cut(case, chosen, result, key)
    except (records.BadInput, model.BadWeight) as error:
        result.error = str(error) or "bad input"
        result.loose = getattr(error, "loose", False) or (case.opts.get("n") == "0" and not result.counted)
        result.stdout = None
    return result
