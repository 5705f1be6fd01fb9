"""Run a case of a store of piles step by step, and see after each step that the store holds what it must."""

import os
import struct
import subprocess
import threading

import fields
import model
from batch import read_batch
from check import Check, difference, lacks_memory
from expect import Expected, cut, cut_off
from forge import forge
from records import BadInput, members
from run import Result, contents, limits, peak_beyond, see_to_end
from storecase import command, contents_of, operands
from surroundings import Feeder
from words import labelled_key, main_key


class Wrong(Exception):
    """Something does not hold: (kind, wanted, seen)."""


def _stored(case, record):
    """A record as it stands in a pile: each member of a sample in a frame, and what a record starts with behind it."""
    whole = case.plain({})
    if whole.format().kind == "start":
        return record[len(whole.format().string):] + whole.format().string
    if case.opts.get("records") != "tar":
        return record
    return b"+".join(struct.pack("<Q", len(member)) + member for member in members(whole.format(), record)) + b"."


class _Sweeper(threading.Thread):
    """Calls --sweep again and again."""

    def __init__(self, tools, folder):
        super().__init__(daemon=True)
        self.words, self.folder, self.over = [tools.program, "--scatter=store", "--sweep"], folder, threading.Event()
        self.start()

    def run(self):
        while not self.over.is_set():
            subprocess.run(self.words, cwd=self.folder.path, capture_output=True, check=False)

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
        self.remains = False  # may something dead be left in the store?

    def run(self):
        """What is wrong, or None."""
        for name in ("in", "out", "tmp"):
            os.mkdir(self.folder.at(name))
        try:
            for number, step in enumerate(self.case.steps):
                getattr(self, "_" + step["do"])(number, step)
        except Wrong as wrong:
            return wrong.args
        return None

    def _start(self, number, step, index):
        env = dict(os.environ, TMPDIR="tmp", SOAK_CASE=self.folder.path, LC_ALL="C", **step.get("fault", {}),
                   **self.case.hostile)
        if "fault" in step:
            env["FAULT_LOG"] = "faults.%d" % number
        words = [self.tools.choose(self.case, "fault" in step)] + command(self.case, number, step)
        if self.tools.peak and not {"kill", "nofile"} & set(step):
            words = [self.tools.peak, "peak.%d.%d" % (number, index)] + words
        stdin = subprocess.DEVNULL
        if step.get("via") == "pipe":
            stdin = subprocess.PIPE
        with open(self.folder.at("out.%d.%d" % (number, index)), "wb") as out, \
                open(self.folder.at("err.%d.%d" % (number, index)), "wb") as err:
            process = subprocess.Popen(words, cwd=self.folder.path, env=env, stdin=stdin, stdout=out, stderr=err,
                                       preexec_fn=limits(step), start_new_session=True)
        if stdin == subprocess.PIPE:
            Feeder(self.case.plain(step).input_bytes(0), False, os.dup(process.stdin.fileno())).start()
            process.stdin.close()
        return process

    def _finish(self, number, step, index, process):
        """(status, standard output, standard error) of a process; ends it if it takes too long."""
        if see_to_end(process, step, self.folder.path)[1]:
            raise Wrong("store hung", "an end", "none in its time")
        status = process.returncode
        out = self.folder.read("out.%d.%d" % (number, index))
        err = self.folder.read("err.%d.%d" % (number, index)).decode(errors="replace")
        if status not in (0, 1) and not ("kill" in step and status < 0):
            raise Wrong("store crash", "status 0 or 1", "status %d: %s" % (status, err))
        limit = int(step["S"][:-1]) << 20 if "S" in step else None
        beyond = peak_beyond(self.case, self.folder, "peak.%d.%d" % (number, index), limit)
        if beyond:
            raise Wrong("store " + beyond[0], *beyond[1:])
        if status in (0, 1) and "kill" not in step:
            self._check_messages(step, status, err)
        return status, out, err

    @staticmethod
    def _check_messages(step, status, err):
        lines = [line for line in err.splitlines() if not line.startswith("bigshuf: warning: ")]
        foreign = [line for line in lines if not line.startswith("bigshuf: ")]
        if "fault" in step and ("Z" in step or "Z" in step.get("out", ())):
            return  # what gzip and others say
        if foreign or (status == 1 and len(lines) != 1):
            raise Wrong("store messages", "one of bigshuf's if it fails", err)

    def _faulted(self, number, step):
        logged = os.path.exists(self.folder.at("faults.%d" % number))
        return logged and not {"FAULT_SHORT", "FAULT_EINTR"} & set(step["fault"])

    def _age(self):
        """As if an hour had passed since what is unfinished was written: all processes of former steps have ended."""
        for name in os.listdir(self.folder.at("store")) if os.path.isdir(self.folder.at("store")) else ():
            if name.startswith("."):
                os.utime(self.folder.at("store/" + name), (0, 0))

    # ---- Scatter ----

    def _scatter(self, number, step):
        self._age()
        for i in range(len(step["inputs"])):
            self.folder.write("in/%d.%d" % (number, i), self.case.plain(step).input_bytes(i))
        writers = step.get("writers", 1)
        sweeper = _Sweeper(self.tools, self.folder) if "sweeps" in step else None
        processes = [self._start(number, step, i) for i in range(writers)]
        ends = [self._finish(number, step, i, process) for i, process in enumerate(processes)]
        if sweeper:
            sweeper.end()
        try:
            found = contents_of(self.case, step)
        except BadInput:
            found = None
        troubled = "kill" in step or ("fault" in step and self._faulted(number, step))
        fault = step.get("fault", {})
        if troubled and fault.get("FAULT_CALL") == "sync" and "FAULT_STAYS" in fault and ends[0][0] == 0:
            raise Wrong("store not refused", "status 1: nothing gets to the disk", "status 0")
        name = step["batch"]
        expected = self._may_add(step, found, operands(number, step))
        for status, _, err in ends:
            self._check_scatter(name, status, err, expected, troubled)
        there = name in self._batches()
        if any(status == 0 for status, _, _ in ends) and not there:
            raise Wrong("store batch", "%s is in the store, since the status is 0" % name, str(self._batches()))
        self.remains |= troubled
        if expected and there and name not in self.held:
            self.held[name] = found.records
            self.inputs_of.setdefault(name, (step["inputs"], operands(number, step)))
            if os.path.exists(self.folder.at("store/header")):
                self.header = self.folder.read("store/header")
        self._after_keep(name, step, troubled, all(end[0] == 0 for end in ends))
        self._look(troubled, clean_now=not troubled and all(end[0] == 0 for end in ends) and expected != "again")

    def _may_add(self, step, found, words):
        """"new", "again", or nothing if it must fail."""
        name = step["batch"]
        if found is None or (self.header is not None and found.header != self.header):
            return ""
        if name not in self.held:
            return "new"
        inputs, names = self.inputs_of[name]
        same = [d.make() for d in inputs] == [d.make() for d in step["inputs"]]
        if same and not words and not names:
            return "again"
        return "either"

    def _check_scatter(self, name, status, err, expected, troubled):
        if expected == "either" or troubled:
            return
        if status == 0 and not expected:
            raise Wrong("store not refused", "status 1: another header, or bad records", "status 0")
        if status == 1 and expected and not lacks_memory(self.case, err):
            raise Wrong("store scatter", "status 0", "status 1: " + err)
        if expected == "again" and "already" not in err:
            raise Wrong("store scatter", "batch %s is in the store already" % name, err)

    def _after_keep(self, name, step, troubled, well):
        """Take out of the model what --newest has taken out of the store; an empty batch takes nothing out."""
        if "keep" not in step:
            return
        newest = set(sorted(self.held)[-step["keep"] :]) | {name} if self.held.get(name) else set(self.held)
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
                if name not in ("format", "header") and not name.startswith(".")}

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

    def _piles(self, name, held):
        """The pile of each record of a batch."""
        if not fields.label_of(self.case):
            return model.piles_of_batch(self.key, name.encode(), len(held), self.case.piles)
        key = self.folder.read("store/format").splitlines()[-3].split(b" key ")[-1]
        return fields.keyed_piles(self.case.plain({}), key, held, self.header or b"", self.case.piles)

    def _look_at_piles(self, name, held):
        piles = [[] for _ in range(self.case.piles)]
        for record, pile in zip(held, self._piles(name, held)):
            piles[pile].append(record)
        found = read_batch(self.folder.read("store/" + name))[1]
        for number, pile in enumerate(piles):
            seen = found[number][-1]()
            wanted = b"".join(_stored(self.case, record) for record in pile)
            if seen != wanted or found[number][0] != len(pile):
                raise Wrong("store pile", "%s, pile %d: %r" % (name, number, wanted[:200]), repr(seen[:200]))

    def _sweep(self, number, step):
        self._age()
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
        key = main_key(step.get("seed", self.case.key).encode())
        numbers = model.epoch_order(key, self.case.piles, step["epoch"])
        part, parts = step.get("part", (1, 1))
        numbers = numbers[len(numbers) * (part - 1) // parts : len(numbers) * part // parts]
        first, last = step.get("pile", (0, self.case.piles))
        piles = {}
        for name in sorted(self.held, key=str.encode):
            held = self.held[name]
            for record, pile in zip(held, self._piles(name, held)):
                piles.setdefault(pile, []).append(record)
        leaf = step.get("leaf", model.LEAF_RECORDS)
        result = []
        for pile in numbers:
            if first <= pile <= last and pile in piles and fields.label_of(self.case):
                pile_key = labelled_key(key, b"pile", model.number(step["epoch"]), model.number(pile))
                result += fields.keyed(self.case.plain({}), pile_key, piles[pile], self.header or b"")
            elif first <= pile <= last and pile in piles:
                result += model.pile_order(key, step["epoch"], pile, piles[pile], leaf)
        cuts = {name: step[name] for name in ("skip", "n") if name in step}
        expected = Expected(header=self.header or b"", archive=self.case.plain(step).kind()[0] == "tar")
        try:
            plain = self.case.plain(step)
            expected.late = "split-field" in plain.opts  # if a record has not the field
            cut(plain, cut_off(cuts, result), expected, key)
        except BadInput as error:
            expected.error = str(error)
        return expected

    def _gather(self, number, step):
        status, out, err = self._finish(number, step, 0, self._start(number, step, 0))
        if not self.held and not self.damaged:
            if status == 0 and out:
                raise Wrong("store gather", "nothing from an empty store", repr(out[:200]))
            return
        expected = self._expected(step)
        wanted = b"" if expected.stdout is None else expected.text(expected.stdout)
        faulted = "fault" in step and self._faulted(number, step)
        if self.damaged and status == 0:
            output = "right" if out == wanted else "WRONG"
            raise Wrong("store damage unseen", "status 1: " + self.damaged, "status 0, %s output" % output)
        if expected.error and status == 0:
            raise Wrong("store not refused", "status 1: " + expected.error, "status 0")
        if status == 1 and not (self.damaged or faulted or "nofile" in step or expected.error
                                or lacks_memory(self.case, err)):
            raise Wrong("store gather", "status 0", "status 1: " + err)
        forged = self.damaged.startswith("forge")  # then shares of the number of records are others, until it is found
        if (status == 0 and out != wanted) or not (wanted.startswith(out) or expected.late or forged):
            raise Wrong("store output", *difference(wanted, out))
        self._check_files(step, Result(status=status, stderr=err), expected)
        if os.listdir(self.folder.at("tmp")):
            raise Wrong("store left over", "no temporary files", str(os.listdir(self.folder.at("tmp"))))

    def _check_files(self, step, result, expected):
        """Files, splits and shards are right, or none is there; they make way for those of the next step."""
        case = self.case.plain(step)
        for name in os.listdir(self.folder.at("out")):
            result.outputs["out/" + name] = contents(case, self.folder, "out/" + name)
            os.unlink(self.folder.at("out/" + name))
        check = Check(case, expected, result)
        wrong = check.files() or check.shards() or (check.left_overs() if "fault" not in step else None)
        if wrong:
            raise Wrong("store " + wrong[0], *wrong[1:])

    def _list(self, number, step):
        status, out, _ = self._finish(number, step, 0, self._start(number, step, 0))
        if status != 0:
            if self.held and not self.damaged:
                raise Wrong("store list", "status 0", "status %d" % status)
            return
        if self.damaged:
            return
        wanted = b""
        for name, held in sorted(self.held.items()):
            size = sum(len(_stored(self.case, record)) for record in held)
            wanted += b"%s\t%d\t%d\t%d\0" % (name.encode(), self.case.piles, len(held), size)
        if out != wanted:
            raise Wrong("store list", repr(wanted), repr(out))

    # ---- Damage ----

    def _damage(self, _, step):
        names = sorted(name for name, held in self.held.items() if held)
        if step["way"] == "junk":
            return self._junk(step)
        if step["way"] == "stray" and os.path.isdir(self.folder.at("store")):
            self.folder.write("store/README~", b"hello\n")
        if not names or step["way"] == "stray":
            return None
        name = names[step["at"] % len(names)]
        path = "store/" + name
        self.damaged = "%s of %s (%s)" % (step["way"], path, step.get("records", ""))
        getattr(self, "_damage_" + step["way"])(step, path)
        return None

    def _junk(self, _):
        """What is no batch, with a name that could be that of one: all readers refuse."""
        if self.held:
            os.mkdir(self.folder.at("store/junk"))
            self.damaged = "store/junk is no batch"

    def _damage_flip(self, step, path):
        data = bytearray(self.folder.read(path))
        piles = [(place, size) for _, _, _, place, size, *_ in read_batch(data)[1] if size]
        place, size = piles[step["at"] % len(piles)]
        data[place + step["at"] % size] ^= 1
        self.folder.write(path, data)

    def _damage_cut(self, _, path):
        os.truncate(self.folder.at(path), os.path.getsize(self.folder.at(path)) - 1)

    def _damage_forge(self, step, path):
        """Another number of records in a manifest whose checksum is right."""
        piles = [(number, *pile) for number, pile in enumerate(read_batch(self.folder.read(path))[1]) if pile[0]]
        number, count, size, *_ = piles[step["at"] % len(piles)]
        numbers = {"1<<61": 1 << 61, "half": count // 2, "twice": 2 * count, "more": min(count + 1, size)}
        new = numbers.get(step["records"], int(step["records"] == "1"))
        forge(self.folder.at(path), number, new + (new == count), size)
