"""Cases of stores of piles: a list of steps that add batches, gather, damage, and what the store must hold after each."""

import copy
import fcntl
import os
import random
import re
import shlex
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field

import model
import records
from case import ERRORS
from data import Data
from run import LIMIT_SECONDS, end_processes, ended, limits
from words import main_key
from xxh64 import xxh64

STORE_SLACK_KIB = 16 << 10
FORGED = ("1<<61", "0", "half", "twice", "1", "more")


@dataclass
class StoreCase:
    """Steps on one store."""

    seed: str
    piles: int
    key: str  # the --seed of all commands
    opts: list  # about records, of every scatter
    fmt: records.Format
    steps: list = field(default_factory=list)  # dicts


# ---- Drawing ----


class StoreMaker:
    """Draws the steps."""

    def __init__(self, seed):
        self.draw = random.Random("store " + seed)
        self.batches = {}  # name: inputs

    def chance(self, of):
        """True once in so many times."""
        return self.draw.randrange(of) == 0

    def _inputs(self, kind, head, end):
        sizes = (0, 1, 10, 100, 1000, 3000)
        return [Data(kind, self.draw.choice(sizes), self.draw.randrange(1 << 30), end, head)
                for _ in range(self.draw.choice((1, 1, 2)))]  # fmt: skip

    def _scatter(self, case, look):
        names = ["b%d" % self.draw.randrange(20), "day-%02d" % len(self.batches), "A.b_c"]
        name = self.draw.choice(names)
        step = {"do": "scatter", "batch": name, "via": self.draw.choice(("file", "file", "pipe"))}
        if name in self.batches and not self.chance(4):
            step["inputs"] = self.batches[name]
        else:
            step["inputs"] = self._inputs(*look)
        self.batches.setdefault(name, step["inputs"])
        if step["via"] == "pipe":
            step["inputs"] = step["inputs"][:1]
        if self.chance(3):
            step["writers"] = self.draw.choice((2, 3, 8))
        elif self.chance(3):
            step.update(self._trouble())
        elif self.chance(4):
            step["sweeps"] = True
        if self.chance(6):
            step["keep"] = self.draw.choice((1, 2, 3))
        return step

    def _trouble(self):
        way = self.draw.randrange(6)
        if way == 5:
            return {"fault": {"FAULT_CALL": "sync", "FAULT_AT": "1", "FAULT_STAYS": "1", "FAULT_ERRNO": "EIO"}}
        if way < 2:
            return {"kill": (self.draw.choice(("TERM", "KILL", "INT")), 0.05 * self.draw.random())}
        calls = "write read open_at mkdir_at link_at rename_at unlink_at rmdir_at sync lock list_next close stat_at pwritev".split()
        fault = {"FAULT_AT": str(self.draw.choice((1, 2, 3, 4, 5, 6, 8, 12, 20, 60))), "FAULT_ERRNO": self.draw.choice(ERRORS)}
        if not self.chance(4):
            fault["FAULT_CALL"] = self.draw.choice(calls)
        return {"fault": fault}

    def _gather(self, case):
        step = {"do": "gather", "epoch": self.draw.choice((0, 0, 1, 7, (1 << 64) - 1))}
        if self.chance(3):
            first = self.draw.randrange(case.piles)
            step["pile"] = (first, self.draw.randrange(first, case.piles))
        if self.chance(4):
            step["n"] = self.draw.choice((0, 1, 10, 1000))
        if self.chance(2):
            step["leaf"] = self.draw.choice((8, 64))
        if self.chance(2):
            step["S"] = self.draw.choice(("8M", "32M"))
        if self.chance(3):
            step["parallel"] = self.draw.randrange(1, 9)
        if self.chance(4):
            step["fault"] = self._trouble().get("fault") or {"FAULT_SHORT": "1"}
        if self.chance(6):
            step["fault"] = {"FAULT_AT": str(self.draw.randrange(1, 20)), "FAULT_CALL": "preadv", self.draw.choice(("FAULT_DAMAGE", "FAULT_END")): "1"}
        if self.chance(10):
            step["nofile"] = self.draw.choice((20, 40))
        return step

    def _damage(self):
        way = self.draw.choice(("flip", "cut", "manifest", "forge", "forge", "forge", "junk", "stray", "lock"))
        step = {"do": "damage", "way": way, "at": self.draw.randrange(1 << 30)}
        if way == "forge":
            step["records"] = self.draw.choice(FORGED)
        return step

    def make(self, seed):
        """The case."""
        draw = self.draw
        fmt, opts, look = records.Format(), [], ("text", b"", b"\n")
        way = draw.randrange(8)
        if way == 0:
            fmt.string, opts, look = b"\0", ["-z"], ("bytes", b"", b"\0")
        elif way == 1:
            fmt.string, opts, look = b"<|>", ["--delimiter=<|>"], ("partial", b"", b"<|>")
        elif way == 2:
            fmt.kind, opts, look = "csv", ["--csv"], ("csv", b"", b"\n")
        elif way == 3:
            fmt.kind, fmt.string, opts, look = "start", b">", ["--record-start=>"], ("fasta", b"", b">")
        if way in (0, 4):
            fmt.header_records, look = 1, (look[0], b"title" + fmt.string, look[2])
            opts = opts + ["--header"]
        case = StoreCase(seed, draw.choice((2, 4, 16, 16, 64, 512)), draw.choice(("", "7", "x" * 40)), opts, fmt)
        large = self.chance(6)
        if self.chance(25):
            return self._long_manifests(case)
        for _ in range(draw.choice((1, 2, 3, 5))):
            case.steps.append(self._scatter(case, look))
            if self.chance(5):
                case.steps.append({"do": "sweep"})
        if large and not opts:
            case.piles = draw.choice((2, 4))
            case.steps[0].update(inputs=[Data("long", 2500, draw.randrange(1 << 30))], via="file")
            case.steps[0].pop("writers", None)
        for _ in range(draw.choice((1, 2))):
            case.steps.append(self._gather(case))
            if large:
                case.steps[-1].update(S="8M")
        if self.chance(3):
            case.steps += [self._damage(), {"do": "list"}, self._gather(case)]
            if case.steps[-3]["way"] == "junk":
                case.steps.insert(-2, {"do": "scatter", "batch": "after", "inputs": [Data(look[0], 10, 1, look[2], look[1])]})
            for name in ("n", "pile", "fault", "nofile"):
                case.steps[-1].pop(name, None)
            if self.chance(2):
                case.steps[-1]["S"] = "8M"
        elif self.chance(3):
            case.steps.append({"do": "list"})
        return case


    def _long_manifests(self, case):
        """Batches of many inputs, so that what is known of them takes as much memory as -S gives."""
        case.opts, case.fmt, case.piles = [], records.Format(), 16
        for name in ("a", "b"):
            case.steps.append({"do": "scatter", "batch": name, "inputs": [Data("seq", 1)], "names": 33000, "S": "8M"})
        case.steps.append({"do": "gather", "epoch": 0, "S": "8M"})
        case.steps.append({"do": "list"})
        return case


def make_store_case(seed):
    """The case of this seed."""
    return StoreMaker(seed).make(seed)


# ---- Commands ----


def _operands(number, step):
    if "names" in step:
        return ["--files0-from=in/%d.names" % number]
    return ["in/%d.%d" % (number, i) for i in range(len(step["inputs"]))] if step.get("via") != "pipe" else []


def _contents(case, step):
    files = [data.make() for data in step["inputs"]]
    return records.read_files(case.fmt, files * step.get("names", 1))


def _long_name(number):
    """A name of about 240 bytes for the first input of a step."""
    return b"in/" + b"./" * 116 + b"%d.0" % number


def command(case, number, step):
    """The words of a step's command behind the program's name."""
    if step["do"] == "sweep":
        return ["--scatter=store", "--sweep"]
    if step["do"] == "list":
        return ["--gather=store", "--list", "-z"]
    if step["do"] == "gather":
        words = ["--gather=store", "--seed=" + case.key, "--epoch=%d" % step["epoch"]]
        words += ["--pile=%d-%d" % step["pile"]] if "pile" in step else []
        words += ["-n", str(step["n"])] if "n" in step else []
        words += ["--tune=leaf-records=%d" % step["leaf"]] if "leaf" in step else []
        words += ["-S", step["S"]] if "S" in step else []
        return words + (["--parallel=%d" % step["parallel"]] if "parallel" in step else [])
    words = ["--scatter=store", "--seed=" + case.key, "--batch=" + step["batch"], "--piles=%d" % case.piles] + case.opts
    words += ["--keep=%d" % step["keep"]] if "keep" in step else []
    words += ["-S", step["S"]] if "S" in step else []
    return words + _operands(number, step)


def shell_lines(case):
    """Shell commands that do the same."""
    lines = ['cd "$(mktemp -d)" && mkdir in # data.py is that of tests/soak']
    for number, step in enumerate(case.steps):
        if step["do"] == "damage":
            lines.append("# damage: %s" % step)
            continue
        for i, data in enumerate(step.get("inputs", ())):
            lines.append("%s >in/%d.%d" % (data.shell("data.py"), number, i))
        words = ["%s=%s" % pair for pair in step.get("fault", {}).items()]
        words.append("bigshuf-faulty" if "fault" in step else "bigshuf")
        words += [shlex.quote(word) for word in command(case, number, step)]
        if step.get("via") == "pipe":
            words.append("< <(cat in/%d.0)" % number)
        if step.get("writers", 1) > 1:
            words = ["for i in $(seq %d); do" % step["writers"]] + words + ["& done; wait"]
        rest = {k: v for k, v in step.items() if k in ("kill", "nofile")}
        if "names" in step:
            lines.append("yes %s | head -n %d | tr '\\n' '\\0' >in/%d.names" % (_long_name(number).decode(), step["names"], number))
        if "sweeps" in step:
            lines.append("while sleep 0; do bigshuf --scatter=store --sweep; done & # until the next command has ended")
        lines.append(" ".join(words) + (" # %s" % rest if rest else ""))
    return lines


# ---- Running and checking ----


class Wrong(Exception):
    """Something does not hold: (kind, wanted, seen)."""


class _Sweeper(threading.Thread):
    """Calls --sweep again and again."""

    def __init__(self, tools, folder):
        super().__init__(daemon=True)
        self.words, self.folder, self.over = [tools.program, "--scatter=store", "--sweep"], folder, threading.Event()
        self.start()

    def run(self):
        while not self.over.is_set():
            subprocess.run(self.words, cwd=self.folder.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    def end(self):
        """The last one has ended."""
        self.over.set()
        self.join()


class StoreRun:
    """Runs the steps of a case in a folder."""

    def __init__(self, case, tools, folder):
        self.case, self.tools, self.folder = case, tools, folder
        self.key = main_key(case.key.encode())
        self.held = {}  # batches that are in the store: name: (inputs, records)
        self.inputs_of = {}  # name: how it was made: (inputs, via)
        self.header = None
        self.damaged = ""  # how
        self.lock = None
        self.remains = False  # may something dead be left in the store?

    def run(self):
        """What is wrong, or None."""
        os.mkdir(self.folder.at("in"))
        os.mkdir(self.folder.at("tmp"))
        try:
            for number, step in enumerate(self.case.steps):
                getattr(self, "_" + step["do"])(number, step)
        except Wrong as wrong:
            return wrong.args
        finally:
            if self.lock:
                self.lock.close()
        return None

    def _start(self, number, step, index):
        env = dict(os.environ, TMPDIR="tmp", SOAK_CASE=self.folder.path, LC_ALL="C", **step.get("fault", {}))
        program = self.tools.faulty if "fault" in step else self.tools.program
        if "fault" in step:
            env["FAULT_LOG"] = "faults.%d" % number
        words = [program] + command(self.case, number, step)
        if self.tools.peak and not {"kill", "nofile"} & set(step):
            words = [self.tools.peak, "peak.%d.%d" % (number, index)] + words
        stdin = subprocess.DEVNULL
        if step.get("via") == "pipe":
            stdin = subprocess.PIPE
        with open(self.folder.at("out.%d.%d" % (number, index)), "wb") as out, \
                open(self.folder.at("err.%d.%d" % (number, index)), "wb") as err:  # fmt: skip
            process = subprocess.Popen(words, cwd=self.folder.path, env=env, stdin=stdin, stdout=out, stderr=err,
                                       preexec_fn=limits(step), start_new_session=True)  # fmt: skip
        if stdin == subprocess.PIPE:
            threading.Thread(target=self._feed, args=(process.stdin, step["inputs"][0].make()), daemon=True).start()
        return process

    @staticmethod
    def _feed(pipe, data):
        try:
            with pipe:
                pipe.write(data)
        except OSError:
            pass

    def _finish(self, number, step, index, process):
        """(status, standard output, standard error) of a process; ends it if it takes too long."""
        if "kill" in step:
            name, delay = step["kill"]
            if not ended(process, delay):
                process.send_signal(getattr(signal, "SIG" + name))
        if not ended(process, LIMIT_SECONDS):
            process.kill()
            process.wait()
            end_processes(self.folder.path, 0)
            raise Wrong("store hung", "an end", "none in its time")
        status = process.returncode
        out = self.folder.read("out.%d.%d" % (number, index))
        err = self.folder.read("err.%d.%d" % (number, index)).decode(errors="replace")
        if status not in (0, 1) and not ("kill" in step and status < 0):
            raise Wrong("store crash", "status 0 or 1", "status %d: %s" % (status, err))
        self._check_memory(number, step, index)
        if status in (0, 1) and "kill" not in step:
            self._check_messages(status, err)
        return status, out, err

    def _check_memory(self, number, step, index):
        path = "peak.%d.%d" % (number, index)
        if "S" in step and os.path.exists(self.folder.at(path)):
            peak, most = int(self.folder.read(path) or 0), (int(step["S"][:-1]) << 10) + STORE_SLACK_KIB
            if peak > most:
                raise Wrong("store memory", "at most %d KiB" % most, "%d KiB" % peak)

    @staticmethod
    def _check_messages(status, err):
        lines = [line for line in err.splitlines() if not line.startswith("bigshuf: warning: ")]
        foreign = [line for line in lines if not line.startswith("bigshuf: ")]
        if foreign or (status == 1 and len(lines) != 1):
            raise Wrong("store messages", "one of bigshuf's if it fails", err)

    def _faulted(self, number, step):
        return os.path.exists(self.folder.at("faults.%d" % number)) and not {"FAULT_SHORT", "FAULT_EINTR"} & set(step["fault"])

    # ---- Scatter ----

    def _scatter(self, number, step):
        for i, data in enumerate(step["inputs"]):
            self.folder.write("in/%d.%d" % (number, i), data.make())
        if "names" in step:
            self.folder.write("in/%d.names" % number, (_long_name(number) + b"\0") * step["names"])
        writers = step.get("writers", 1)
        sweeper = _Sweeper(self.tools, self.folder) if "sweeps" in step else None
        processes = [self._start(number, step, i) for i in range(writers)]
        ends = [self._finish(number, step, i, process) for i, process in enumerate(processes)]
        if sweeper:
            sweeper.end()
        contents = _contents(self.case, step)
        troubled = "kill" in step or ("fault" in step and self._faulted(number, step))
        if "junk" in self.damaged:
            if ends[0][0] == 0:
                raise Wrong("store not refused", "status 1: " + self.damaged, "status 0")
            return
        if troubled and step.get("fault", {}).get("FAULT_CALL") == "sync" and "FAULT_STAYS" in step["fault"] and ends[0][0] == 0:
            raise Wrong("store not refused", "status 1: nothing gets to the disk", "status 0")
        name = step["batch"]
        expected = self._may_add(step, contents, _operands(number, step))
        for status, _, err in ends:
            self._check_scatter(name, status, err, expected, troubled)
        there = os.path.isdir(self.folder.at("store/" + name))
        if any(status == 0 for status, _, _ in ends) and not there:
            raise Wrong("store batch", "%s is in the store, since the status is 0" % name, str(os.listdir(self.folder.at("store"))))
        self.remains |= troubled
        if expected and there and name not in self.held:
            self.held[name] = contents.records
            self.inputs_of.setdefault(name, (step["inputs"], _operands(number, step)))
            if os.path.exists(self.folder.at("store/header")):
                self.header = self.folder.read("store/header")
        self._after_keep(name, step, troubled, all(end[0] == 0 for end in ends))
        self._look(troubled, clean_now=not troubled and all(end[0] == 0 for end in ends) and expected != "again")

    def _may_add(self, step, contents, operands):
        """"new", "again", or nothing if it must fail."""
        name = step["batch"]
        if self.header is not None and contents.header != self.header:
            return ""
        if name not in self.held:
            return "new"
        inputs, names = self.inputs_of[name]
        same = [d.make() for d in inputs] == [d.make() for d in step["inputs"]]
        if same and not operands and not names:
            return "again"
        return "either"

    def _check_scatter(self, name, status, err, expected, troubled):
        if expected == "either" or troubled:
            return
        if status == 0 and not expected:
            raise Wrong("store not refused", "status 1: another header", "status 0")
        if status == 1 and expected:
            raise Wrong("store scatter", "status 0", "status 1: " + err)
        if expected == "again" and "already" not in err:
            raise Wrong("store scatter", "batch %s is in the store already" % name, err)

    def _after_keep(self, name, step, troubled, well):
        """Take out of the model what --keep has taken out of the store."""
        if "keep" not in step:
            return
        newest = set(sorted(self.held)[-step["keep"] :]) | {name}
        there = self._batches()
        if well and not troubled and there != newest & set(self.held):
            raise Wrong("store keep", str(sorted(newest & set(self.held))), str(sorted(there)))
        for gone in set(self.held) - there:
            del self.held[gone]
            self.inputs_of.pop(gone, None)

    def _batches(self):
        if not os.path.isdir(self.folder.at("store")):
            return set()
        return {name for name in os.listdir(self.folder.at("store"))
                if os.path.isdir(self.folder.at("store/" + name)) and not name.startswith(".")}  # fmt: skip

    def _look(self, troubled, clean_now):
        """The store holds the batches, whole, and nothing else."""
        if not os.path.isdir(self.folder.at("store")):
            return
        names = set(os.listdir(self.folder.at("store"))) - {"format", "header"}
        hidden = {name for name in names if name.startswith(".")}
        if names - hidden != set(self.held):
            raise Wrong("store batches", str(sorted(self.held)), str(sorted(names)))
        if clean_now:
            self.remains = False
        if hidden and not troubled and not self.remains:
            raise Wrong("store left over", "no hidden files", str(sorted(hidden)))
        for name, held in self.held.items():
            self._look_at_piles(name, held)

    def _look_at_piles(self, name, held):
        piles = [[] for _ in range(self.case.piles)]
        for record, pile in zip(held, model.piles_of_batch(self.key, name.encode(), len(held), self.case.piles)):
            piles[pile].append(record)
        for number, pile in enumerate(piles):
            seen = self.folder.read("store/%s/pile-%04d" % (name, number))
            if seen != b"".join(pile):
                raise Wrong("store pile", "%s/pile-%04d: %r" % (name, number, b"".join(pile)[:200]), repr(seen[:200]))

    def _sweep(self, number, step):
        status, _, err = self._finish(number, step, 0, self._start(number, step, 0))
        if not os.path.isdir(self.folder.at("store")):
            return
        if status != 0 and os.path.exists(self.folder.at("store/format")):
            raise Wrong("store sweep", "status 0", err)
        if status == 0:
            self.remains = False
            self._look(False, True)

    # ---- Gather ----

    def _expected(self, step):
        first, last = step.get("pile", (0, self.case.piles - 1))
        piles = {}
        for name in sorted(self.held, key=str.encode):
            held = self.held[name]
            for record, pile in zip(held, model.piles_of_batch(self.key, name.encode(), len(held), self.case.piles)):
                piles.setdefault(pile, []).append(record)
        leaf = step.get("leaf", model.LEAF_RECORDS)
        result = []
        for pile in model.epoch_order(self.key, self.case.piles, step["epoch"])[first : last + 1]:
            if piles.get(pile):
                result += model.pile_order(self.key, step["epoch"], pile, piles[pile], leaf)
        return (self.header or b"") + b"".join(result[: step.get("n")])

    def _gather(self, number, step):
        status, out, err = self._finish(number, step, 0, self._start(number, step, 0))
        if not self.held and not self.damaged:
            if status == 0 and out:
                raise Wrong("store gather", "nothing from an empty store", repr(out[:200]))
            return
        wanted = self._expected(step)
        faulted = "fault" in step and self._faulted(number, step)
        if self.damaged and status == 0:
            raise Wrong("store damage unseen", "status 1: " + self.damaged, "status 0, %s output" % ("right" if out == wanted else "WRONG"))
        if status == 1 and not (self.damaged or faulted or "nofile" in step):
            raise Wrong("store gather", "status 0", "status 1: " + err)
        if status == 0 and out != wanted or not wanted.startswith(out):
            at = next((i for i, (a, b) in enumerate(zip(wanted, out)) if a != b), min(len(wanted), len(out)))
            raise Wrong("store output", "at byte %d of %d: %r" % (at, len(wanted), wanted[at : at + 80]),
                        "at byte %d of %d: %r" % (at, len(out), out[at : at + 80]))  # fmt: skip
        if os.listdir(self.folder.at("tmp")):
            raise Wrong("store left over", "no temporary files", str(os.listdir(self.folder.at("tmp"))))

    def _list(self, number, step):
        status, out, _ = self._finish(number, step, 0, self._start(number, step, 0))
        if status != 0:
            if self.held and not self.damaged:
                raise Wrong("store list", "status 0", "status %d" % status)
            return
        if self.damaged and "manifest" not in self.damaged and "lock" not in self.damaged:
            return
        wanted = [(name, self.case.piles, len(held), sum(map(len, held))) for name, held in sorted(self.held.items(), key=lambda i: i[0].encode())]
        wanted_text = b"".join(b"%s\t%d\t%d\t%d\0" % (n.encode(), p, r, b) for n, p, r, b in wanted)
        if out != wanted_text:
            raise Wrong("store list", repr(wanted_text), repr(out))

    # ---- Damage ----

    def _damage(self, _, step):
        names = sorted(name for name, held in self.held.items() if held)
        if step["way"] == "junk":
            return self._junk(step)
        if step["way"] == "stray" and os.path.isdir(self.folder.at("store")):
            self.folder.write("store/README", b"hello\n")
        if not names or step["way"] == "stray":
            return None
        name = names[step["at"] % len(names)]
        files = [f for f in sorted(os.listdir(self.folder.at("store/" + name)))
                 if f.startswith("pile") and os.path.getsize(self.folder.at("store/%s/%s" % (name, f)))]  # fmt: skip
        path = "store/%s/%s" % (name, files[step["at"] % len(files)])
        self.damaged = "%s of %s (%s)" % (step["way"], path, step.get("records", ""))
        getattr(self, "_damage_" + step["way"])(step, path, "store/%s/manifest" % name)
        return None

    def _junk(self, _):
        """A folder that is no batch, with a name that could be that of one: all commands refuse."""
        if self.held:
            os.mkdir(self.folder.at("store/junk"))
            self.damaged = "store/junk is no batch"

    def _damage_flip(self, step, path, _):
        data = bytearray(self.folder.read(path))
        data[step["at"] % len(data)] ^= 1
        self.folder.write(path, data)

    def _damage_cut(self, _, path, __):
        os.truncate(self.folder.at(path), os.path.getsize(self.folder.at(path)) - 1)

    def _damage_manifest(self, _, __, manifest):
        os.unlink(self.folder.at(manifest))

    def _damage_lock(self, _, __, manifest):
        self.lock = open(self.folder.at(manifest), "rb")  # pylint: disable=consider-using-with
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.damaged = ""  # a reader may wait, or refuse, or get through, but must not leave the batch out
        self._check_locked()

    def _check_locked(self):
        words = [self.tools.program, "--gather=store", "--list", "-z"]
        try:
            done = subprocess.run(words, cwd=self.folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=10, check=False)
        except subprocess.TimeoutExpired:
            done = None
        self.lock.close()
        self.lock = None
        if done and done.returncode == 0 and done.stdout.count(b"\0") != len(self.held):
            raise Wrong("store list", "all %d batches, or status 1, while one is locked" % len(self.held), repr(done.stdout))

    def _damage_forge(self, step, path, manifest):
        """Another number of records in a manifest whose checksum is right."""
        text = self.folder.read(manifest)
        pattern = rb"(?m)^(%s +)(\d+)( +\d+ )" % path[-4:].encode()
        found = re.search(pattern, text)
        count = int(found[2])
        size = os.path.getsize(self.folder.at(path))
        new = {"1<<61": 1 << 61, "0": 0, "half": count // 2, "twice": 2 * count, "1": 1, "more": min(count + 1, size)}[step["records"]]
        if new == count:
            new += 1
        field_text = b"%*d" % (len(found[1]) + len(found[2]) - 4, new)
        text = text[: found.start()] + found[1][:4] + field_text + found[3] + text[found.end() :]
        body = text[: text.rindex(b"checksum ")]
        self.folder.write(manifest, body + b"checksum %016x\n" % xxh64(body))


# ---- Shrinking ----


def smaller_cases(case):
    """Cases with less in them."""
    for i in range(len(case.steps)):
        smaller = copy.deepcopy(case)
        del smaller.steps[i]
        yield smaller
    for i, step in enumerate(case.steps):
        for name in ("writers", "kill", "fault", "keep", "sweeps", "names", "pile", "n", "leaf", "S", "parallel", "nofile"):
            if name in step:
                smaller = copy.deepcopy(case)
                del smaller.steps[i][name]
                yield smaller
        for j, data in enumerate(step.get("inputs", ())):
            for less in data.smaller():
                smaller = copy.deepcopy(case)
                smaller.steps[i]["inputs"][j] = less
                yield smaller


def shrink_store(case, wrong, try_case, seconds, attempts):
    """The smallest case found that fails in the same way, and what is wrong with it."""
    end = time.monotonic() + seconds
    again = True
    while again:
        again = False
        for smaller in smaller_cases(case):
            if time.monotonic() > end:
                return case, wrong
            found = None
            for _ in range(attempts):
                found = found or try_case(smaller)
            if found and found[0] == wrong[0]:
                case, wrong, again = smaller, found, True
                break
    return case, wrong
