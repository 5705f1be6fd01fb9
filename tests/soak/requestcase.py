"""Cases of --requests: records, weights, and what a client asks; drawn, answered by a model, run and compared."""

import itertools
import os
import re
import select
import signal
from dataclasses import dataclass, field

import expect
import model
import shrink
from case import ERRORS, Case, Maker, draw_hostile, finish
from check import Check, difference, lacks_memory
from data import SCALES, Data
from records import BadInput
from run import LIMIT_SECONDS, run
from surroundings import Feeder, Reader
from words import Stream, labelled_key, main_key

REQUEST_BYTES = 1 << 20
ROUND = 256
PIPE_BYTES = 2 << 20  # more than a pipe holds
BAD = (b"", b"draw", b"draw ", b"draw -1", b"draw +1", b"draw 1.5", b"draw 1 ", b" draw 1", b"draw  1", b"draw\t1",
       b"DRAW 1", b"draw 1\r", b"draw 1 again", b"draw 1 repeat ", b"draw 1 repeat repeat",
       b"draw 18446744073709551616", b"draw 1e2", b"draw 1\0", b"set", b"set 0", b"set 0 ", b"set 0 nan",
       b"set 0 inf", b"set 0 -1", b"set 0 -1e-99", b"set 0 1e-10", b"set 0 2.3e-10", b"set 0 4294967296.0000001",
       b"set 0 1e400", b"set 0 1 ", b"set 0  1", b"set 0 \t1", b"set 0 1 2", b"set 0 0x10", b"set 0 1e", b"set -1 1",
       b"set 18446744073709551615 1", b"set 0 .", b"add", b"add 1", b"add x y", b"add  1 x", b"add -1 x",
       b"add nan ", b"quit", b"\0", b"\xff\xfe", b"drawn 1", b"# draw 1")


@dataclass
class RequestCase(Case):
    """A case whose standard input are requests."""

    requests: list = field(default_factory=list)  # lines without their newline

    def text(self):
        """What the client writes."""
        lines = list(self.requests)
        if "bulk" in self.circ:  # more than pipes hold, both ways
            lines += [b"draw 2000 repeat"] * 100 + [b"set 0 1"] * 200000
        if "long" in self.circ:
            lines.append(b"add 0.5 ".ljust(self.circ["long"] - 1, b"x"))
        text = b"".join(line + b"\n" for line in lines)
        return text[:-1] if "torn" in self.circ else text


# ---- The model ----


class BadRequest(Exception):
    """The run must end here."""


def steps_of(parts):
    """A weight that was read as its leading bits, in steps of 2^-32. Raises BadWeight."""
    if parts is None:
        return 0
    mantissa, exponent = parts  # mantissa 2^exponent, at least 2^63 2^exponent
    if not -95 <= exponent <= -31 or (exponent == -31 and mantissa > 1 << 63):
        raise model.BadWeight()
    half_steps = mantissa << (exponent + 33) if exponent >= -33 else mantissa >> -(exponent + 33)
    steps = (half_steps + 1) // 2
    return steps + (steps == (1 << 64) - 1)


def read_weight(text):
    """A weight of a request, without blanks around it."""
    try:
        if re.search(rb"[ \t\r]", text):
            raise model.BadWeight()
        if text.startswith(b"-"):
            if not re.match(rb"-[0-9.]", text) or model.weight(text[1:]) is not None:
                raise model.BadWeight()
            return 0
        parts = model.weight(text)
        if parts is None and re.match(rb"[^eE]*[1-9]", text):  # too small
            raise model.BadWeight()
        return steps_of(parts)
    except model.BadWeight as error:
        raise BadRequest() from error


def read_number(text):
    """A whole number below 2^64."""
    if not re.fullmatch(rb"[0-9]+", text) or int(text) >= 1 << 64:
        raise BadRequest()
    return int(text)


def shown(steps):
    """The exact decimal of so many steps."""
    whole, rest = divmod(steps, 1 << 32)
    digits = "%032d" % (rest * 5**32) if rest else ""
    return ("%d.%s" % (whole, digits.rstrip("0")) if rest else "%d" % whole).encode()


class Memory:
    """Records with weights, in steps, and the answers to requests."""

    def __init__(self, records, steps, seed, end):
        self.records, self.steps = list(records), list(steps)
        self.end = end  # of a record that is added, or None
        self.words = Stream(labelled_key(main_key(seed), b"requests"), 0, 8)

    def _named(self, steps, count):
        """The records that `count` numbers below the sum name."""
        sums = list(itertools.accumulate(steps))
        total = sums[-1] if sums else 0
        bits = max(0, total - 1).bit_length()
        drawn = (model.below(self.words, total, bits, (bits + 63) // 64) for _ in range(count if total else 0))
        return [model.first_above(sums, number) for number in drawn]

    def _batch(self, count, repeat):
        if repeat:
            return self._named(self.steps, count)
        batch, left = [], list(self.steps)
        while len(batch) < count and any(left):
            different = list(dict.fromkeys(self._named(left, min(count - len(batch), ROUND))))
            batch += different
            for i in different:
                left[i] = 0
        return batch

    def answer(self, line):
        """The answer to a request. Raises BadRequest."""
        if len(line) + 1 > REQUEST_BYTES:
            raise BadRequest()
        words = line.split(b" ")
        if words[0] == b"draw" and (len(words) == 2 or words[2:] == [b"repeat"]):
            batch = self._batch(read_number(words[1]), len(words) == 3)
            texts = [self.records[i] for i in batch]
            head = b"%d %d %s\n" % (len(batch), sum(map(len, texts)), shown(sum(self.steps)))
            lines = [b"%d %s %d\n" % (i, shown(self.steps[i]), len(text)) for i, text in zip(batch, texts)]
            return b"".join([head, *lines, *texts])
        if words[0] == b"set" and len(words) == 3:
            i = read_number(words[1])
            if i >= len(self.records):
                raise BadRequest()
            self.steps[i] = read_weight(words[2])
        elif words[0] == b"add" and len(words) > 2 and self.end:
            record = line.split(b" ", 2)[2]
            if self.end in record:
                raise BadRequest()
            self.steps.append(read_weight(words[1]))
            self.records.append(record + self.end)
        else:
            raise BadRequest()
        return b""


@dataclass
class Answers:
    """What must come."""

    parts: list = field(default_factory=list)  # the answer to each request, up to the first bad one
    bad: int = 0  # its number, from 1
    refused: str = ""  # why there are no answers at all
    unsure: bool = False  # the input may be refused, or not


def answers_to(case):
    """The right answers."""
    right = Answers()
    try:
        expect.refuse_packed(case)
        contents = expect.input_records(case)
        weights = expect.weights_of(case, contents, len(contents.records))
        steps = [steps_of(parts) for parts in weights] if weights is not None else [1 << 32] * len(contents.records)
        if int(case.opts.get("expect-records", len(steps))) != len(steps):
            raise BadInput("not as many records as are expected")
    except (BadInput, model.BadWeight) as error:
        right.refused = str(error) or "weight"
        right.unsure = isinstance(error, expect.Unsure)
        return right
    fmt = case.format()
    lines = fmt.kind == "delimiter" and len(fmt.string) == 1 and "records" not in case.opts
    memory = Memory(contents.records, steps, case.opts["seed"].encode(), fmt.string if lines else None)
    *whole, tail = case.text().split(b"\n")
    for number, line in enumerate(whole, 1):
        try:
            right.parts.append(memory.answer(line))
        except BadRequest:
            right.bad = number
            return right
    right.bad = len(whole) + 1 if tail else 0
    return right


# ---- Drawing ----


class RequestMaker(Maker):
    """Draws a case of requests."""

    def _weight(self):
        draw = self.draw
        return draw.choice((draw.choice(SCALES), "-0", "%.6g" % draw.random(), "%.1f" % (9 * draw.random()),
                            "%d" % draw.randrange(1 << 33) if self.chance(8) else "1")).encode()

    def _request(self, count, lines):
        draw, number = self.draw, self.draw.randrange(max(count, 1))
        way = draw.randrange(8)
        if way < 3:
            return b"draw %d" % draw.choice((0, 1, 2, 5, 32, 256, 300, 1000, 1 << 63))
        if way == 3:
            return b"draw %d repeat" % draw.choice((0, 1, 3, 32, 257, 1000))
        if way == 4 and lines:
            noise = draw.randbytes(draw.randrange(40)).replace(b"\n", b"")
            return b"add %s %s" % (self._weight(), draw.choice((b"", b"new", b" two words ", b"\r", noise)))
        return b"set %d %s" % (number, self._weight()) if count else b"draw 1"

    def _changed(self, request):
        """One byte more, less or another; mostly one that may stand there."""
        at = self.draw.randrange(len(request) + 1)
        more = self.draw.choice((b" ", b" ", b"0", b".", b"-", b"r", b"\0", b"\xe9", b""))
        return request[:at] + more + request[at + self.draw.randrange(2) :]

    def _pick_requests(self):
        draw, count = self.draw, min(expect.count_records(self.case), self.draw.choice((40, 1 << 30)))
        lines = not {"records", "csv", "delimiter", "z"} & set(self.case.opts) or self.chance(8)
        many = (0, 1, 5) if self.case.opts.get("S") == "8M" else (0, 1, 5, 30, 100)  # answers of some MB each
        self.case.requests = [self._request(count, lines) for _ in range(draw.choice(many))]
        at = draw.randrange(len(self.case.requests) + 1)
        if self.chance(3):
            self.case.requests[at:] = [draw.choice(BAD), b"draw 3"]
        elif self.chance(3) and at < len(self.case.requests):
            self.case.requests[at] = self._changed(self.case.requests[at])
        if self.chance(8):
            self.case.circ["torn"] = True
        elif self.chance(8):
            self.case.circ["long"] = REQUEST_BYTES + draw.choice((-1, 0, 1, 70000))

    def _pick_weights(self):
        if self.chance(2):
            self.case.aux["weights"] = Data("scales", 0, self.draw.randrange(1 << 30))
            self.case.opts["weights"] = "aux/weights"
        elif not {"z", "delimiter", "csv", "records", "header"} & set(self.case.opts):
            self.case.inputs = [Data("scale-table", d.count, d.seed) for d in self.case.inputs]
            self.case.opts["weight-field"] = "2"

    def _pick_trouble(self):
        circ, draw, way = self.case.circ, self.draw, self.draw.randrange(10)
        circ["talk"] = draw.choice(("all", "all", "bits", "late", "turns", "turns"))
        if circ["talk"] == "late" and sum(len(d.make()) for d in self.case.inputs) < 10000:
            circ["bulk"] = True
        if way == 0:
            circ["fault"] = {draw.choice(("FAULT_SHORT", "FAULT_EINTR")): "1"}
        elif way == 1:
            circ["fault"] = {"FAULT_AT": str(draw.randrange(1, 200)), "FAULT_ERRNO": draw.choice(ERRORS)}
        elif way == 2:
            circ["kill"] = (draw.choice(("TERM", "INT", "HUP")), 0.1 * draw.random())
            circ["talk"] = "all"
        elif way == 3:
            circ["reader"] = ("dies", draw.choice((0, 1, 100, 5000)))
            circ["talk"] = "all"

    def make(self):
        """The case."""
        case, draw = self.case, self.draw
        case.opts.update({"requests": None, "seed": draw.choice(("x", "1", "42", str(draw.randrange(10**9))))})
        if self.chance(10):
            self.pick_large()
            if case.inputs[0].kind == "seq":  # so many records would take the model long
                case.inputs[0] = Data("long", 1500, draw.randrange(1 << 30))
        else:
            self.pick_inputs(*self.pick_format())
            if self.chance(3) and "tar" not in case.kind():
                self.pick_header()
        if self.chance(2):
            self._pick_weights()
        if self.chance(6) and case.kind()[0] != "tar" and "S" not in case.opts:
            case.opts["Z"] = None
        case.circ["via"] = draw.choice(("file", "file", "files0", "fifo"))
        if "S" in case.opts or case.kind()[0] == "tar":
            case.circ["via"] = "file"
        elif self.chance(2):
            case.opts["S"] = "64M"
        if self.chance(8):
            case.opts["expect-records"] = "right"  # see finish()
        self._pick_requests()
        self._pick_trouble()
        return case


def make_request_case(seed):
    """The case of this seed."""
    maker = RequestMaker("requests " + seed, ())
    maker.case = RequestCase(seed)
    case = maker.make()
    finish(case)
    case.hostile = draw_hostile(seed)
    return case


def smaller_cases(case):
    """Cases with less in them."""
    size = len(case.requests)
    while size:
        for at in range(0, len(case.requests), size):
            yield shrink.changed(case, lambda case: case.requests.__delitem__(slice(at, at + size)))
        size //= 2
    kept = {"requests", "weights", "weight-field", "z", "delimiter", "csv", "records"}
    yield from (less for less in shrink.smaller_cases(case)
                if less.inputs and kept & set(less.opts) == kept & set(case.opts))


# ---- Running ----


class Client:
    """Writes requests and reads answers, as the case has it."""

    def __init__(self, case, right):
        self.case, self.right, self.wrong = case, right, None

    def talk(self, process):
        """Returns who reads the last answers."""
        to, back = os.dup(process.stdin.fileno()), os.dup(process.stdout.fileno())
        process.stdin.close()
        process.stdout.close()
        reader, way = Reader(back, *self.case.circ.get("reader", ("all", 0))), self.case.circ.get("talk")
        if way == "turns":
            reader.parts, self.wrong = _in_turns(to, back, self.case, self.right)
            os.close(to)
        else:
            feeder = Feeder(self.case.text(), way == "bits", to)
            feeder.start()
            if way == "late":
                feeder.join(LIMIT_SECONDS)
                self.wrong = ("requests deadlock", "all requests read", "not all") if feeder.is_alive() else None
                feeder.stop.set()
        reader.start()
        return reader


def _in_turns(to, back, case, right):
    """Each request is written when all answers before it have come."""
    parts = []
    requests = re.findall(rb"[^\n]*\n|[^\n]+", case.text())
    for request, answer in itertools.zip_longest(requests, right.parts, fillvalue=b""):
        try:
            while request:
                request = request[os.write(to, request):]
        except BrokenPipeError:
            break
        left = len(answer)
        while left:
            if not select.select([back], [], [], LIMIT_SECONDS)[0]:
                return parts, ("requests flush", "an answer before the next request", "none in its time")
            parts.append(os.read(back, left))
            if not parts[-1]:
                break
            left -= len(parts[-1])
    return parts, None


def run_requests(case, tools, folder):
    """What is wrong with a run, or None."""
    client = Client(case, answers_to(case))
    result = run(case, tools, folder, client.talk)
    check = Check(case, expect.Expected(), result)
    return client.wrong or check.ends() or _wrong_answers(case, client.right, result) or check.memory()


def _wrong_answers(case, right, result):
    circ, whole, seen, status, said = case.circ, b"".join(right.parts), result.stdout, result.status, result.stderr
    fault = {"FAULT_AT"} & set(circ.get("fault", ()))
    lines = [line for line in said.splitlines() if not line.startswith("bigshuf: warning: ")]
    if any(not line.startswith("bigshuf: ") for line in lines) or len(lines) != (status == 1):
        return "requests messages", "one, if it fails", said
    if status == 1 and (fault or right.unsure or lacks_memory(case, said)):
        good = whole.startswith(seen)
    elif "kill" in circ and status in (-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP):
        good = whole.startswith(seen)
    elif "reader" in circ and status == -signal.SIGPIPE:
        good = whole.startswith(seen) and len(seen) <= circ["reader"][1]
    elif "reader" in circ:
        good = whole.startswith(seen) and len(whole) < PIPE_BYTES + circ["reader"][1]
    elif right.refused and not right.unsure:
        good = status == 1 and not seen and "request " not in said
    elif right.bad:
        good = seen == whole and status == 1 and lines[0].startswith("bigshuf: request %d: " % right.bad)
    else:
        good = right.unsure or (seen == whole and status == 0)
    if good:
        return None
    wanted, found = difference(whole, seen)
    return ("requests answers", "%s, bad request: %d, refused: %s" % (wanted, right.bad, right.refused),
            "%s, status %d: %s" % (found, status, said))
