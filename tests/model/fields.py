"""Fields of records, and what is done by them: groups (--group-field), sides (--split-field, --stratify-field), weights."""

import json
import re
from collections import Counter
from fractions import Fraction
from hashlib import sha256

from records import BadInput, members
from words import Stream, labelled_key, main_key, siphash

KEY_MAX = 1 << 16  # bytes, of which a longer field becomes a hash
CLASSES_BYTES = 1 << 20  # for classes, below -S 64M


def _csv_fields(text, separator, fmt):
    """(field, where it ends) of a record. Quotes that begin with the field are none of it; where another separator
    than this one stands before them, they are."""
    ends, at = re.escape(fmt.separators), 0
    quoted = re.compile(rb'"((?:%s[^"]|"")*)(?:"|$)' % (rb"\\.|" if fmt.backslash else b""), re.DOTALL)
    literal = re.compile(rb"[^\r%s]*[\r%s]?" % (ends, ends))
    while True:
        value, begin = bytearray(), at
        while True:
            match = quoted.match(text, at)
            if match:
                inner = match.group(1)
                if fmt.backslash:
                    inner = re.sub(rb'\\(.)|("")', lambda m: m.group(1) or b'"', inner, flags=re.DOTALL)
                value += match.group() if at > begin else inner if fmt.backslash else inner.replace(b'""', b'"')
                at = match.end()
            part = literal.match(text, at).group()
            at += len(part)
            if at == len(text) and not part.endswith(separator):
                value += part
                yield bytes(value), at
                return
            if part.endswith(separator):
                value += part[:-1]
                yield bytes(value), at - 1
                break
            value += part


def _plain_fields(text, separator):
    end = -1
    for value in text.split(separator):
        end += 1 + len(value)
        yield value, end


def _no_such_value(text):
    raise BadInput("no JSON: " + text)


def _json_value(text, pointer):
    """The value at a pointer, of which simple ones will do."""
    try:
        value = json.loads(text.decode(), parse_int=str, parse_float=str, parse_constant=_no_such_value)
        for token in pointer.split("/")[1:]:
            value = value[int(token) if isinstance(value, list) else token.replace("~1", "/").replace("~0", "~")]
    except (ValueError, LookupError, TypeError) as error:
        raise BadInput("no such value") from error
    if value is None or isinstance(value, (dict, list)):
        raise BadInput("no value that is a key")
    return (str(value).lower() if isinstance(value, bool) else value).encode()


def fold(field):
    while len(field) > KEY_MAX:
        field = sha256(field[: KEY_MAX + 1]).hexdigest().encode() + field[KEY_MAX + 1 :]
    return field


def join(parts):
    """The key of these fields: a single one as it is, several each after its length."""
    return parts[0] if len(parts) == 1 else b"".join(len(part).to_bytes(8, "little") + part for part in parts)


def by_keys(main, label, records_, keys):
    """The units of --group-field or --unique, in their order: lists of records."""
    hashing, units = labelled_key(main, label), {}
    for record, key in zip(records_, keys):
        units.setdefault(key, []).append(record)
    order = sorted(units, key=lambda key: (siphash(hashing[:16], key), siphash(hashing[16:32], key)))
    return [units[key] if label == b"group" else units[key][:1] for key in order]


class Key:
    """What the fields of a record are, one or a list, by the options of a case."""

    def __init__(self, case, which, header):
        self.fields = [Field(case, one, header) for one in (which if isinstance(which, list) else [which])]

    def columns(self):
        """The numbers of the fields, of JSON None."""
        return [field.number for field in self.fields]

    def of(self, record):
        """(key, where its last field ends)"""
        parts, ends = zip(*(field.of(record) for field in self.fields))
        return join(parts), max(ends)


class Field:
    """What one of them is."""

    def __init__(self, case, which, header):
        self.format = case.format()
        self.csv = self.format.kind == "csv"
        self.end = case.format().string
        self.which = which
        default = "," if self.csv else "\t"
        self.separator = (case.opts.get("t") or default).replace("\\t", "\t").encode()
        self.number = int(which) if which.isdigit() else None
        if not which.isdigit() and not which.startswith("/") and header:
            self.number = self.find(which, header)

    def find(self, name, header):
        """The number of the only column of this name."""
        line = re.sub(b"\r?\n$", b"", header)
        names = [value for value, _ in self.fields(line)]
        if name.startswith('"'):
            name = name[1:-1].replace('""', '"')
        if names.count(name.encode()) != 1:
            raise BadInput("no such column, or several")
        return names.index(name.encode()) + 1

    def fields(self, text):
        """(field, where it ends) of a record, without a byte-order mark."""
        marked = 3 if text.startswith(b"\xef\xbb\xbf") else 0
        fields = _csv_fields(text[marked:], self.separator, self.format) if self.csv else _plain_fields(text[marked:], self.separator)
        return ((value, end + marked) for value, end in fields)

    def of(self, record):
        """(key, where it ends)"""
        text = record[: -len(self.end)]
        if self.which.startswith("/"):
            return fold(_json_value(text, self.which)), len(text)
        for number, (value, end) in enumerate(self.fields(text), 1):
            if number == self.number:
                if end == len(text) and self.end == b"\n" and text.endswith(b"\r") and value.endswith(b"\r"):
                    value = value[:-1]
                return fold(value), end
        raise BadInput("no such field")


def label_of(case):
    """What the keys of a case are for, if they say the order."""
    return b"group" if "group-field" in case.opts else b"unique" if "unique" in case.opts else None


def order_keys(case, texts, header):
    """These keys. Raises BadInput."""
    which = case.opts.get("group-field", case.opts.get("unique"))
    if which:
        key = Key(case, which, header)
        return [key.of(text)[0] for text in texts]
    start = len(case.format().string) if case.format().kind == "start" else 0
    end = len(case.format().before) if start else len(case.format().string) if case.format().kind in ("delimiter", "csv", "lines") else 0
    return [text[start : len(text) - end] for text in texts]


def keyed(case, main, texts, header):
    """The same of a case, each unit in one piece."""
    return [b"".join(unit) for unit in by_keys(main, label_of(case), texts, order_keys(case, texts, header))]


def keyed_piles(case, key, texts, header, piles):
    """The pile of each record in a store that has this key."""
    hashing = labelled_key(main_key(key), label_of(case))
    return [siphash(hashing[:16], text) * piles >> 64 for text in order_keys(case, texts, header)]


def divided(case, main, chosen, header):
    """The records for each split, and what is left, as a list of lists."""
    key, label = Key(case, case.opts["split-field"], header), labelled_key(main, b"split")
    ends, sum_ = [], 0
    for split in case.opts["split"]:
        sum_ += round(float(split.split("%")[0]) * 10**4)
        ends.append(sum_)
    if sum_ > 10**6:
        raise BadInput("more than 100%")
    sides = [[] for _ in ends] + [[]]
    fmt, grouped = case.format(), label_of(case)
    for record in chosen:
        # a row that was read with one separator may be split by another, and is no row with that
        first = members(fmt, record)[0] if grouped or fmt.kind != "csv" else record
        place = siphash(label[:16], key.of(first)[0]) * 10**6 >> 64
        sides[sum(place >= end for end in ends)].append(record)
    return sides


def _places(splits, count, u):
    """How many of `count` records of a class each split gets, and what is left."""
    places, part, before = [], Fraction(0), 0
    for share in (split.split(":")[0] for split in splits):
        if share.endswith("%"):
            part += Fraction(share[:-1]) / 100
            end = int(count * part + u)
        else:
            end = min(count, before + int(share))
        places.append(end - before)
        before = end
    if part > 1:
        raise BadInput("more than 100%")
    return places + [count - before]


def stratified(case, main, chosen, header):
    """The same as divided, where each class is split by itself."""
    key, label = Key(case, case.opts["stratify-field"], header), labelled_key(main, b"strata")
    stream, splits = Stream(labelled_key(main, b"deal"), 0, 8), case.opts["split"]
    keys = [key.of(record)[0] for record in chosen]
    counts = Counter(keys)
    if case.opts.get("S") in ("8M", "9M") and len(counts) > CLASSES_BYTES // (40 + 8 * len(splits)):
        raise BadInput("too many classes")
    left = {text: _places(splits, count, Fraction(siphash(label[:16], text), 1 << 64)) for text, count in counts.items()}
    sides = [[] for _ in splits] + [[]]
    for text, record in zip(keys, chosen):
        place, side = stream.draw(sum(left[text])), 0
        while place >= left[text][side]:
            place -= left[text][side]
            side += 1
        left[text][side] -= 1
        sides[side].append(record)
    return sides
