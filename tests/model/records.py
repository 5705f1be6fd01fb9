"""What a record is: files are divided into a header and records, as the man page has it."""

import functools
import io
import itertools
import re
import tarfile
from dataclasses import dataclass, field

import lengths

HEADER_MAX = 1 << 20  # bytes


class BadInput(Exception):
    """The files are such that the program must refuse them."""


@dataclass
class Format:
    """One of the options about records, and those about headers."""

    kind: str = "delimiter"  # or csv, lines, size, length, start, last, tar
    string: bytes = b"\n"  # delimiter, end of a line, coding of a length, start of a record, or its last line
    before: bytes = b"\n"  # a start, but for the first one of a file
    count: int = 1  # lines or bytes of a record
    header_records: int = 0
    header_bytes: int = 0
    header_start: bytes = b""  # of the lines of the header
    may_differ: bool = False
    reads: bool = False  # lines are those of FASTQ
    separators: bytes = b",;\t|"  # of fields of CSV
    backslash: bool = False  # in quotes of CSV, it takes the next byte literally


@dataclass
class Contents:
    """What files hold."""

    header: bytes = b""
    records: list = field(default_factory=list)
    members: int = 0  # of all records, if they are groups
    headers: list = field(default_factory=list)  # of all files that are not empty
    all_header: bool = False  # of a file: which is worth a warning
    row: bytes = b""  # of a file: the first of the header that is a record


def _delimited(data, delimiter):
    """Split behind every delimiter; what is left at the end is a record that lacks its own."""
    pieces = data.split(delimiter)
    records = [piece + delimiter for piece in pieces[:-1]]
    if pieces[-1]:
        last = pieces[-1] + delimiter  # whole, unless less of it makes a delimiter with what stands there
        records.append(last[: last.index(delimiter) + len(delimiter)])
    return records


@functools.cache
def _csv_row(separators, backslash):
    """A row of CSV: a quote opens as the first byte of a field; in quotes, two are one; then all is literal."""
    quoted = rb'"(?:[^"\\]|""|\\.)*"(?!")' if backslash else rb'"(?:[^"]|"")*"(?!")'
    field_ = rb"(?:%s|(?!\"))[^\r\n%s]*" % (quoted, re.escape(separators))
    return re.compile(rb"(?:\xef\xbb\xbf)?%s(?:[\r%s]%s)*\n" % (field_, re.escape(separators), field_), re.DOTALL)


def csv_is_odd(fmt, data):
    """Is a quote literal, or does text follow one that closes?"""
    ends = re.escape(fmt.separators)
    field_ = rb'(?:"(?:%s[^"]|"")*"|[^"\r\n%s]*)' % (rb"\\.|" if fmt.backslash else b"", ends)
    row = rb"(?:\xef\xbb\xbf)?%s(?:[\r%s]%s)*" % (field_, ends, field_)
    return not re.fullmatch(rb"(?:%s\n)*%s" % (row, row), data, re.DOTALL)


def _csv(data, end, fmt):
    """Rows; what lacks its end gets `end`."""
    records, row, at = [], _csv_row(fmt.separators, fmt.backslash), 0
    while match := row.match(data, at):
        records.append(match.group())
        at = match.end()
    last = data[at:]
    if last and not row.fullmatch(last + b"\n"):
        raise BadInput("unclosed quote")
    if last:
        if not records and end is None:
            end = b"\n"
        end = end or (b"\r\n" if records[0].endswith(b"\r\n") else b"\n")
        records.append(last + (b"\n" if last.endswith(b"\r") else end))
    return records


def _reads(records, end):
    """Each has a name after @, letters, a plus sign, and as many qualities."""
    for record in records:
        name, letters, plus, qualities = (line.removesuffix(b"\r") for line in record.split(end)[:4])
        if name[:1] + plus[:1] != b"@+" or len(letters) != len(qualities):
            raise BadInput("no read")
    return records


def _lines(data):
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


def _grouped(lines, count):
    if len(lines) % count:
        raise BadInput("lines are left over")
    return [b"".join(lines[i : i + count]) for i in range(0, len(lines), count)]


def _sized(data, size):
    if len(data) % size:
        raise BadInput("not a multiple of the size")
    return [data[i : i + size] for i in range(0, len(data), size)]


def _lengthy(data, coding):
    try:
        return [lengths.write(coding, record) for record in lengths.read(io.BytesIO(data), coding)]
    except (AssertionError, OverflowError) as error:
        raise BadInput("a record is damaged or cut short") from error


def _started(data, start, before):
    if not data:
        return []
    if not data.startswith(start):
        raise BadInput("text before the first start")
    rest = data[len(start) :]
    there = next(n for n in range(len(before), -1, -1) if rest.endswith(before[:n]))
    pieces = (rest + before[there:] + start).split(before + start)
    return [start + piece + before for piece in pieces[:-1]]


def _with_last_lines(data, line, end):
    """Each ends with the line; or with a blank one, if that is empty. Blank lines after the last one are of none."""
    records, record = [], b""
    for part in _lines(data):
        record += part
        if re.fullmatch(re.escape(line) + rb"\r?\n", part) and (line or record.strip(b"\r\n")):
            records.append(record)
            record = b""
    if not record.strip(b"\r\n"):
        return records
    if line and re.sub(rb"\r$", b"", _lines(record)[-1]) != line:
        raise BadInput("no last line")
    if not records and end is None:
        end = b"\n"
    end = end or (b"\r\n" if records[0].endswith(b"\r\n") else b"\n")
    missing = end if line or re.search(rb"\n\r?$", record) else end + end
    return [*records, record + (missing.removeprefix(b"\r") if record.endswith(b"\r") else missing)]


def _members(data):
    """(where it begins, where it ends, what it has in common with others of its sample) of each member."""
    members, after = [], 0
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:", ignore_zeros=True) as archive:
            for member in archive:
                after = member.offset_data + (member.size + 511) // 512 * 512
                key = re.match(r"(?:.*/)?[^/][^/.]*", member.name).group()
                members.append((member.offset, after, key))
    except tarfile.TarError as error:
        raise BadInput(str(error)) from error
    if len(data) % 512 or after >= len(data) or data[after:].strip(b"\0"):
        raise BadInput("not a whole archive")
    return members


def _samples(members, data):
    samples, last = [], None
    for begin, end, key in members:
        if (begin, key) == last:
            samples[-1] += data[begin:end]
        else:
            samples.append(data[begin:end])
        last = (end, key)
    return samples


def _units(fmt, data, csv_end):
    """What --header counts: the records, or, where records are made of lines, lines."""
    if fmt.kind == "csv":
        return _csv(data, csv_end, fmt)
    if fmt.kind == "size":
        return [data[i : i + fmt.count] for i in range(0, len(data), fmt.count)]
    if fmt.kind in ("start", "last"):
        return _delimited(data, b"\n")
    return _delimited(data, fmt.string)


def _records(fmt, data, csv_end):
    if fmt.kind == "delimiter":
        return _delimited(data, fmt.string)
    if fmt.kind == "csv":
        return _csv(data, csv_end, fmt)
    if fmt.kind == "lines":
        grouped = _grouped(_delimited(data, fmt.string), fmt.count)
        return _reads(grouped, fmt.string) if fmt.reads else grouped
    if fmt.kind == "size":
        return _sized(data, fmt.count)
    if fmt.kind == "length":
        return _lengthy(data, fmt.string.decode())
    if fmt.kind == "last":
        return _with_last_lines(data, fmt.string, csv_end)
    return _started(data, fmt.string, fmt.before)


def members(fmt, record):
    """The records of which a group consists, or the members of a sample; another record is one itself."""
    if fmt.kind == "tar":
        return [record[begin:end] for begin, end, _ in _members(record + bytes(1024))]
    return _records(fmt, record, None)


def read_file(fmt, data, csv_end=None):
    """The contents of one file. csv_end is the end of the first record of all, if that was in a file before."""
    contents = Contents(header=data[: fmt.header_bytes])
    if fmt.kind == "tar":
        archive = _members(data)
        return Contents(records=_samples(archive, data), members=len(archive))
    if not data:
        return contents
    if len(data) < fmt.header_bytes:
        raise BadInput("shorter than the header's bytes")
    data = data[fmt.header_bytes :]
    if fmt.header_start:
        units = _delimited(data, b"\n" if fmt.kind in ("csv", "start", "last") else fmt.string)
        mark = b"\xef\xbb\xbf"
        after = len(mark) if data.startswith(mark + fmt.header_start) else 0
        lines = [units[0][after:], *units[1:]] if after else units
        head = units[: sum(1 for _ in itertools.takewhile(lambda line: line.startswith(fmt.header_start), lines))]
        contents.header = b"".join(head)
        data = data[len(contents.header) :]
        contents.all_header = not data
    if fmt.header_records:
        units = _units(fmt, data, csv_end)
        if len(units) < fmt.header_records:
            raise BadInput("fewer records than the header has")
        head = units[: fmt.header_records]
        if fmt.kind == "size" and len(head[-1]) < fmt.count:
            raise BadInput("not a multiple of the size")
        contents.header += b"".join(head)
        if fmt.kind == "csv" and csv_end is None:
            csv_end = b"\r\n" if head[0].endswith(b"\r\n") else b"\n"
        contents.row = head[0]
        data = data[sum(map(len, head)) :]
        contents.all_header = not data
    contents.records = _records(fmt, data, csv_end)
    return contents


def _csv_end(fmt, contents, data):
    """How the first record of a file ends, which those that lack their end are given. Its own end must be there."""
    first = [contents.row] if fmt.kind == "csv" and contents.row else contents.records[:1]
    if not first or first[0] not in data:
        return None
    return b"\r\n" if first[0].endswith(b"\r\n") else b"\n"


def read_files(fmt, files):
    """The contents of all files together. Raises BadInput."""
    whole, known, csv_end = Contents(), False, None
    for data in files:
        contents = read_file(fmt, data, csv_end)
        whole.members += contents.members
        if len(contents.header) > HEADER_MAX:
            raise BadInput("header too large")
        if not data:
            continue
        if known and contents.header != whole.header and not fmt.may_differ:
            raise BadInput("headers differ")
        if not known:
            whole.header = contents.header
        known = True
        whole.headers.append(contents.header)
        whole.records += contents.records
        whole.all_header |= contents.all_header
        if fmt.kind in ("csv", "last") and csv_end is None:
            csv_end = _csv_end(fmt, contents, data)
    return whole
