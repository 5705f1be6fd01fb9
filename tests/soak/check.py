"""What must hold after a run. Each check returns the first thing that is wrong, as (kind, wanted, seen), or None."""

import os
import re
import signal

from records import members
from recipes import NEEDED_CALLS
from run import OLD, SLACK_KIB

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def _shown(data):
    """Enough of some bytes to see what they are."""
    return repr(data) if len(data) < 200 else "%r... (%d bytes)" % (data[:120], len(data))


def difference(wanted, seen):
    """Where some bytes begin to differ, and how: as (wanted, seen)."""
    at = next((i for i, (a, b) in enumerate(zip(wanted, seen)) if a != b), min(len(wanted), len(seen)))
    begin = max(0, at - 40)
    return tuple("at byte %d of %d: %s" % (at, len(d), _shown(d[begin : begin + 120])) for d in (wanted, seen))


def _same(kind, wanted, seen):
    if wanted == seen:
        return None
    lines = "lost or added" if sorted(wanted.split(b"\n")) != sorted(seen.split(b"\n")) else "order"
    return ("%s: %s" % (kind, lines), *difference(wanted, seen))


def memory_limit(case):
    """-S in bytes, or None."""
    text = case.opts.get("S", "")
    return int(text[:-1]) * UNITS[text[-1]] if text and text[-1] in UNITS else None


def made_up_seed(result):
    """The seed that -v printed."""
    found = re.search(r"^bigshuf: seed: +([0-9a-f]{64})$", result.stderr, re.MULTILINE)
    return found[1] if found else None


def lacks_memory(case, said):
    """Where sizes are drawn, so is what memory suffices for."""
    return bool(case.hostile) and re.search("needs more memory|not enough memory", said) is not None


class Check:
    """All checks of a run."""

    def __init__(self, case, expected, result):
        self.case, self.expected, self.result = case, expected, result

    # ---- What may go wrong ----

    def may_fail(self):
        """Are there circumstances in which a run that should succeed may fail, if it says so?"""
        circ, opts = self.case.circ, self.case.opts
        return bool(
            self.result.is_troubled(circ.get("fault", ()))
            or ("nofile" in circ and "epoch" in opts)  # batches that are gathered stay open
            or {"as", "fsize", "tmpfs-out"} & set(circ)
            or ("tmpfs-tmp" in circ and self.expected.input_bytes > 1 << 20)
            or (circ.get("nofile", 99) < 40 and ("filter" in opts or self.case.sharded() or len(opts.get("split", "")) > 4))
            or self._closed()
            or opts.get("filter") == "deaf"
            or lacks_memory(self.case, self.result.stderr)
            or ("Z" in opts and {"nofile", "kill"} & set(circ))
        )

    def _closed(self):
        closed = self.case.circ.get("close", ())
        return (0 in closed and self.case.circ["via"] not in ("file", "files0")) or 1 in closed

    def must_fail(self):
        """Why the run must fail, or nothing."""
        circ, opts = self.case.circ, self.case.opts
        if self.expected.error:
            return self.expected.error
        if self._needed_call_fails(circ.get("fault", {})):
            return "every %s fails" % circ["fault"]["FAULT_CALL"]
        files = self.expected.files or self.expected.shards or opts.get("shards", "").isdigit()  # so many even without records
        if opts.get("filter") in ("bad", "dead") and files:
            return "the filter fails"
        if "nr_inodes" in circ.get("tmpfs-out", "") and circ["old"] == "old" and self.case.output_names():
            return "no other file can be made"
        if 1 in circ.get("close", ()) and self.expected.stdout:
            return "standard output is closed"
        if 0 in circ.get("close", ()) and circ["via"] in ("stdin", "dash", "pipe", "slow") and opts.get("n") != "0":
            return "standard input is closed"
        return ""

    def _needed_call_fails(self, fault):
        """All calls of a kind without which there is no output. (With -S and --parallel nothing is read but inputs.)"""
        always = "FAULT_STAYS" in fault and fault["FAULT_AT"] == "1" and fault["FAULT_ERRNO"] == "EIO"
        named = {"S", "parallel"} <= set(self.case.opts)
        return self.result.faulted and always and named and fault.get("FAULT_CALL") in NEEDED_CALLS

    def died_as_told(self):
        """By our signal, or because its reader went away."""
        if self.case.circ.get("reader", ("",))[0] == "dies" and self.result.status in (-13, 141):
            return True
        return self.result.killed and self.result.status < 0

    # ---- The checks ----

    def ends(self):
        """It ends, and leaves no process."""
        if self.result.hung:
            return "hung", "an end", "none in its time"
        if self.result.stalled and self.result.status == 1:
            return "late", "a failed run ends at once", "it waited for its input"
        if self.result.processes:
            return "processes", "none left", "\n".join(self.result.processes)
        return None

    def status(self):
        """0, 1, or the signal."""
        status, told = self.result.status, self.died_as_told()
        if status not in (0, 1) and not told:
            return "crash", "status 0 or 1", "status %d: %s" % (status, self.result.stderr)
        must = self.must_fail()
        if status == 0 and must and not self.expected.loose:
            return "not refused", "status 1: " + must, "status 0"
        if status == 1 and not must and not self.may_fail() and not self.expected.loose:
            return "failed", "status 0", "status 1: " + self.result.stderr
        return None

    def messages(self):
        """One message for a failure, and none else."""
        if 2 in self.case.circ.get("close", ()):
            return None
        lines = self.result.stderr.split("\n")[:-1]
        summary = r"bigshuf: (input|records|groups|bytes|seed|spilled|started over|besides|peak memory|seconds|batch|compressed|classes|missing|output|left out):? .*|bigshuf: .*: compressed by '.*|bigshuf: in/\d:"
        foreign = [line for line in lines if not line.startswith("bigshuf: ")]
        errors = [line for line in lines if line not in foreign and not line.startswith("bigshuf: warning: ")]
        errors = [line for line in errors if not re.fullmatch(r"bigshuf: (pass [12] of [12]|done), .*/s(, .*)?", line)]
        if self.result.status == 0 or "each" in self.case.opts:  # of which some may be done
            errors = [line for line in errors if not re.fullmatch(summary, line)]
        elif "bigshuf: done, " in self.result.stderr and self.result.status != -signal.SIGKILL:
            return "done", "a failure", self.result.stderr
        children = self.case.has_children()
        if foreign and not children and self.result.status in (0, 1):
            return "message", "messages of bigshuf", self.result.stderr
        return self._details() or self._number(errors, children)

    def _details(self):
        """What messages say, as far as that is known."""
        said, expected = self.result.stderr, self.expected
        if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udc9f]", said):
            return "control bytes", "none in messages", repr(said)
        only_header = expected.all_header and not expected.input_records and not expected.error
        if only_header and self.result.status == 0 and "warning" not in said:
            return "warning", "one that the input is all header", said
        return None

    def _number(self, errors, children):
        wanted = 1 if self.result.status == 1 else 0
        if (len(errors) != wanted and not (wanted and children and errors)) and self.result.status in (0, 1):
            return "messages", "%d" % wanted, self.result.stderr
        return None

    def standard_output(self):
        """All of it, or its beginning."""
        if self.expected.stdout is None or 1 in self.case.circ.get("close", ()):
            return None if self.expected.stdout is not None or not self._unexpected() else (
                "output", "nothing on standard output", _shown(self.result.stdout))
        wanted = self.expected.text(self.expected.stdout)
        seen = self.result.stdout
        if self.result.status == 0 and not self._endless() and self.case.circ.get("reader", ("",))[0] != "dies":
            return _same("output", wanted, seen)
        if not wanted.startswith(seen) and not (self._endless() and seen.startswith(wanted)):
            return _same("output of a failed run", wanted[: len(seen)], seen)
        return None

    def _unexpected(self):
        unnoticed = self.expected.loose and self.result.status == 0  # with -n 0, of which a header may come
        waits = "probability" not in self.case.opts or "expect-records" in self.case.opts
        return self.result.stdout and waits and not unnoticed and not self.expected.late

    def _endless(self):
        return "r" in self.case.opts and "n" not in self.case.opts

    def files(self):
        """The new contents after success, else the old ones."""
        wrong = None
        for name in self.case.output_names():
            wrong = wrong or self._file(name)
        return wrong

    def _file(self, name):
        seen = self.result.outputs.get(name)
        old = OLD if name in self.result.laid else None
        if self.expected.error and (self.result.status == 0 or self.expected.in_place):
            return None
        new = None if self.expected.error else self.expected.text(self.expected.files[name])
        if self.result.status == 0:
            return self._success(name, new, seen, old)
        if seen == old or (seen == new and (self.result.status == -signal.SIGKILL or "filter" in self.case.opts)):
            return None
        if seen == new and self._told_as_kept():
            return None
        if self._filter_ends() and None not in (seen, new) and new.startswith(seen):
            return None
        kind = "old output" if old is not None else "output left"
        wanted = _shown(old) if old is not None else "no %s after a failure" % name
        return kind, wanted, "nothing" if seen is None else _shown(seen)

    def _success(self, name, new, seen, old):
        if "filter" in self.case.opts and self.case.opts["filter"] != "good":
            return None
        if seen is None:
            return "output", name, "no such file"
        if old is not None and self.result.modes[name] != 0o640 and "fault" not in self.case.circ:
            return "mode", "0640", oct(self.result.modes[name])
        return _same("output", new, seen)

    def _filter_ends(self):
        """A filter sees its input end when the program dies of SIGKILL, and cannot end the filter first."""
        return "filter" in self.case.opts and self.result.status == -9

    def _told_as_kept(self):
        """A file could not get its name: those before it have theirs, and it is told where the others are."""
        return re.search(r": (the|\d+) complete files? (is|are) now ", self.result.stderr) is not None

    def shards(self):
        """All shards together are the records; each is as large as it should be."""
        if not self.case.sharded() or self.expected.error:
            return None
        files = self._shard_files()
        filtered = "filter" in self.case.opts
        if self.result.status != 0:
            whole = self._cut()
            if filtered or self.result.status < 0 or self._told_as_kept():
                bad = [n for n, d in files.items()
                       if d not in whole and not (self._filter_ends() and any(w.startswith(d) for w in whole))]
                return ("part of a shard", "whole files", str(bad)) if bad else None
            return ("shards left", "none after a failure", str(list(files))) if files else None
        if filtered and self.case.opts["filter"] != "good":
            return None
        wanted = self._cut()
        seen = [files[name] for name in sorted(files, key=lambda n: int(re.search(r"\d+", n)[0]))]
        if wanted != seen:
            at = next((i for i, (a, b) in enumerate(zip(wanted, seen)) if a != b), -1)
            if at < 0:
                return "shards", "%d files" % len(wanted), "%d files" % len(seen)
            return _same("shard %d" % at, wanted[at], seen[at])
        return None

    def _shard_files(self):
        name = re.compile(r"(out/res\.%?|in/)\d+(\.gz|\.bz2|\.xz)?")
        return {n: d for n, d in self.result.outputs.items() if name.fullmatch(n) and n not in self.expected.files}

    def _cut(self):
        """The texts of the shards. The first ones are the larger ones, where sizes differ."""
        left, parts = self.expected.shards, []
        word, number = self.case.form("shards")
        if not word:
            count = int(number)
            sizes = [len(left) // count + (i < len(left) % count) for i in range(count)]
        elif word == "records":
            each = int(number)
            sizes = [min(each, len(left) - at) for at in range(0, len(left), each)]
        else:
            most = int(number)
            if self.case.kind()[0] == "tar":
                most = max(0, most // 10240 * 10240 - 1024)
            sizes = _sizes_by_bytes(left, most)
        at = 0
        for size in sizes:
            parts.append(self.expected.text(left[at : at + size]))
            at += size
        return parts

    def inputs(self):
        """Inputs that are outputs as well are as they were, if that was refused."""
        if not self.expected.in_place or not self.expected.error:
            return None
        bad = [n for n, data in enumerate(self.case.inputs) if self.result.outputs["in/%d" % n] != data.make()]
        return ("inputs", "as they were", str(bad)) if bad else None

    def records(self):
        """How many -v says were read."""
        found = re.findall(r"^bigshuf: records: +(\d+) read, (\d+) written$", self.result.stderr, re.MULTILINE)
        known = not self.expected.error and self.case.opts.get("n") != "0"
        if self.result.status or not found or not known or "i" in self.case.opts or self._endless():
            return None
        parts = [*self.expected.files.values(), self.expected.shards or [], self.expected.stdout or []]
        written = sum(map(len, parts))
        if "group-field" in self.case.opts:
            written = sum(len(members(self.case.format(), group)) for part in parts for group in part)
        wanted = (self.expected.input_records, written - self.expected.heads)
        seen = tuple(sum(map(int, numbers)) for numbers in zip(*found))
        return ("records", str(wanted), str(seen)) if wanted != seen else None

    def left_overs(self):
        """Nothing else is in any folder."""
        names = set(self.case.output_names()) | (set(self._shard_files()) if self.case.sharded() else set())
        if self.expected.in_place:
            names |= {"in/%d" % i for i in range(len(self.case.inputs))}
        left = self.result.left + [name for name in self.result.outputs if name not in names]
        if "filter" in self.case.opts and self.result.status:
            left = [name for name in left if not name.endswith(".part")]
        if self.result.killed and self.case.circ["kill"][0] == "KILL":
            left = [name for name in left if not os.path.basename(name).startswith(".")]
        call = self.case.circ.get("fault", {}).get("FAULT_CALL", "unlink")
        if self.result.faulted and (call.startswith("unlink") or self._told_as_kept()):
            left = [name for name in left if not os.path.basename(name).startswith(".")]
        return ("left over", "nothing", str(left)) if left else None

    def memory(self):
        """The peak is within -S and 16 MiB, with the usual sizes. It is also that of programs that are started, of which
        lbzip2 and pbzip2 take more."""
        limit = memory_limit(self.case)
        if limit is None or not self.result.peak_kib or self.case.hostile or "bz2" in repr(self.case):
            return None
        most = (limit >> 10) + SLACK_KIB + 700 * len(self.expected.shards or ()) // 1024
        if self.result.peak_kib > most:
            return "memory", "at most %d KiB" % most, "%d KiB" % self.result.peak_kib
        return None

    def disk(self):
        """Only what does not fit is written to temporary files, with the usual sizes."""
        found = re.search(r"^bigshuf: spilled: .*?(\d+) bytes", self.result.stderr, re.MULTILINE)
        limit = memory_limit(self.case)
        late = "far-table" in repr(self.case.inputs)  # a record whose weight comes late is written
        if not found or limit is None or limit < 64 << 20 or self.result.status or self.case.hostile or late:
            return None
        spilled, size = int(found[1]), self.expected.input_bytes + self.expected.frames
        fits = size + 16 * self.expected.input_records < limit * 3 // 4 and size < limit // 2
        most = 0 if fits else max(0, size - limit * 3 // 4)
        return ("spilled", "at most %d bytes" % most, "%d bytes" % spilled) if spilled > most else None

    def first_wrong(self):
        """The first thing that is wrong, or None."""
        for check in (self.ends, self.status, self.messages, self.standard_output, self.files,
                      self.shards, self.inputs, self.records, self.left_overs, self.memory, self.disk):
            wrong = check()
            if wrong:
                return wrong
        return None


def _sizes_by_bytes(left, most):
    sizes, room = [], 0
    for record in left:
        if sizes and len(record) <= room:
            sizes[-1] += 1
            room -= len(record)
        else:
            sizes.append(1)
            room = most - len(record)
    return sizes
