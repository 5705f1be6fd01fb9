"""Run a case of a store of piles step by step, and see after each step that the store holds what it must."""

import os
import struct
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import fields
import model
from batch import read_batch
from check import Check
from expect import Expected, cut, cut_off
from forge import forge
from records import BadInput, members
from run import Folder, run
from storecase import Step
from words import labelled_key, main_key


class Wrong(Exception):
    """Something does not hold: (kind, wanted, seen)."""


def _stored(case, record):
    """A record as it stands in a pile: each member of a sample in a frame, and what a record starts with behind it."""
    whole = case.plain(Step(""))
    if whole.format().kind == "start":
        return record[len(whole.format().string):] + whole.format().string
    if case.opts.get("records") != "tar":
        return record
    return b"+".join(struct.pack("<Q", len(member)) + member for member in members(whole.format(), record)) + b"."


class _Sweeper(threading.Thread):
    """Calls --sweep again and again."""

    def __init__(self, tools, folder):
        super().__init__(daemon=True)
        self.words, self.folder, self.over = [tools.program, "--sweep=store"], folder, threading.Event()
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
        self.held = {}  # the records of batches that are in the store, by name
        self.inputs_of = {}  # the steps that have made them
        self.header = None
        self.damaged = ""  # how
        self.remains = False  # may something dead be left in the store?

    def run(self):
        """What is wrong, or None."""
        try:
            for number, step in enumerate(self.case.steps):
                getattr(self, "_" + step.do)(number, step)
        except Wrong as wrong:
            return wrong.args
        return None

    def _run(self, number, step, index=0):
        """The result of a step's command, which runs in a folder of its own beside the store."""
        with Folder(self.folder.at("%d.%d" % (number, index))) as folder:
            return run(self.case.command(step), self.tools, folder)

    def _see(self, step, result, expected):
        """All that holds for a plain shuffle holds here."""
        wrong = Check(self.case.plain(step), expected, result).first_wrong()
        if wrong:
            raise Wrong("store " + wrong[0], *wrong[1:])

    def _age(self):
        """As if an hour had passed since what is unfinished was written: all processes of former steps have ended."""
        for name in os.listdir(self.folder.at("store")) if os.path.isdir(self.folder.at("store")) else ():
            if name.startswith("."):
                os.utime(self.folder.at("store/" + name), (0, 0))

    # ---- Scatter ----

    def _scatter(self, number, step):
        self._age()
        sweeper = _Sweeper(self.tools, self.folder) if "sweeps" in step.circ else None
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda index: self._run(number, step, index), range(step.circ.get("writers", 1))))
        if sweeper:
            sweeper.end()
        try:
            found = self.case.contents(step)
        except BadInput:
            found = None
        fault = step.circ.get("fault", {})
        troubled = "kill" in step.circ or results[0].is_troubled(fault)
        well = not troubled and all(result.status == 0 for result in results)
        if troubled and fault.get("FAULT_CALL") == "sync" and "FAULT_STAYS" in fault and results[0].status == 0:
            raise Wrong("store not refused", "status 1: nothing gets to the disk", "status 0")
        name = step.batch
        expected = self._may_add(step, found)
        for result in results:
            self._see(step, result, Expected(error="" if expected else "another header, or bad records",
                                             loose=troubled or expected == "either", stdout=[]))
            if expected == "again" and not troubled and result.status == 0 and "already" not in result.stderr:
                raise Wrong("store scatter", "batch %s is in the store already" % name, result.stderr)
        there = name in self._batches()
        if any(result.status == 0 for result in results) and not there:
            raise Wrong("store batch", "%s is in the store, since the status is 0" % name, str(self._batches()))
        self.remains |= troubled
        if expected and there and name not in self.held:
            self.held[name] = found.records
            self.inputs_of.setdefault(name, step)
            if os.path.exists(self.folder.at("store/header")):
                self.header = self.folder.read("store/header")
        if "keep-newest" in step.opts:
            self._after_newest(name, int(step.opts["keep-newest"]), well)
        self._look(troubled, clean_now=well and expected != "again")

    def _may_add(self, step, found):
        """"new", "again", or nothing if it must fail."""
        if found is None or (self.header is not None and found.header != self.header):
            return ""
        if step.batch not in self.held:
            return "new"
        former = self.inputs_of[step.batch]
        same = [d.make() for d in former.inputs] == [d.make() for d in step.inputs]
        return "again" if same and former.circ["via"] == step.circ["via"] == "pipe" else "either"

    def _after_newest(self, name, count, well):
        """Take out of the model what --keep-newest has taken out of the store; an empty batch takes nothing out."""
        newest = set(sorted(self.held)[-count:]) | {name} if self.held.get(name) else set(self.held)
        there = self._batches()
        if well and there != newest & set(self.held):
            raise Wrong("store newest", str(sorted(newest & set(self.held))), str(sorted(there)))
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
        return fields.keyed_piles(self.case.plain(Step("")), key, held, self.header or b"", self.case.piles)

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
        result = self._run(number, step)
        if os.path.isdir(self.folder.at("store")):
            self._see(step, result, Expected(late=True, loose=not os.path.exists(self.folder.at("store/format"))))
        if os.path.isdir(self.folder.at("store")) and result.status == 0:
            self.remains = False
            self._look(False, True)

    # ---- Gather ----

    def _expected(self, step):
        plain, opts = self.case.plain(step), step.opts
        expected = Expected(header=self.header or b"", archive=plain.kind()[0] == "tar")
        key, epoch = main_key(opts.get("seed", self.case.key).encode()), int(opts.get("epoch", 0))
        numbers = cut_off({"part": opts.get("part", "1/1")}, model.epoch_order(key, self.case.piles, epoch))
        first, last = map(int, opts.get("only-piles", "0-%d" % self.case.piles).split("-"))
        leaf = int(opts.get("tune", ["=%d" % model.LEAF_RECORDS])[0].partition("=")[2])
        piles = {}
        for name in sorted(self.held, key=str.encode):
            held = self.held[name]
            for record, pile in zip(held, self._piles(name, held)):
                piles.setdefault(pile, []).append(record)
        result = []
        for pile in numbers:
            if first <= pile <= last and pile in piles and fields.label_of(self.case):
                pile_key = labelled_key(key, b"pile", model.number(epoch), model.number(pile))
                result += fields.keyed(self.case.plain(Step("")), pile_key, piles[pile], self.header or b"")
            elif first <= pile <= last and pile in piles:
                result += model.pile_order(key, epoch, pile, piles[pile], leaf)
        try:
            expected.late = "split-field" in plain.opts  # if a record has not the field
            cut(plain, cut_off({name: opts[name] for name in ("skip", "n") if name in opts}, result), expected, key)
        except BadInput as error:
            expected.error = str(error)
        return expected

    def _gather(self, number, step):
        result = self._run(number, step)
        expected = self._expected(step) if self.held else Expected(error="the store has no batches", loose=True)
        if self.damaged and result.status == 0:
            raise Wrong("store damage unseen", "status 1: " + self.damaged, "status 0")
        expected.loose |= bool(self.damaged)
        if self.damaged.startswith("forge"):  # then shares of the number of records are others, until it is found
            result.stdout = b""
        self._see(step, result, expected)

    def _list(self, number, step):
        result = self._run(number, step)
        rows = [b"%s\t%d\t%d\t%d\0" % (name.encode(), self.case.piles, len(held),
                                      sum(len(_stored(self.case, record)) for record in held))
                for name, held in sorted(self.held.items())]
        self._see(step, result, Expected(stdout=None if self.damaged else rows, loose=bool(self.damaged) or not rows))

    # ---- Damage ----

    def _damage(self, _, step):
        names = sorted(name for name, held in self.held.items() if held)
        way, at, records = step.damage
        if way == "junk" and self.held:  # what is no batch, with a name that could be that of one: all readers refuse
            os.mkdir(self.folder.at("store/junk"))
            self.damaged = "store/junk is no batch"
        elif way == "stray" and os.path.isdir(self.folder.at("store")):
            self.folder.write("store/README~", b"hello\n")
        elif names and way in ("flip", "cut", "forge"):
            path = "store/" + names[at % len(names)]
            self.damaged = "%s of %s (%s)" % (way, path, records)
            getattr(self, "_damage_" + way)(path, at, records)

    def _damage_flip(self, path, at, _):
        data = bytearray(self.folder.read(path))
        piles = [(place, size) for _, _, _, place, size, *_ in read_batch(data)[1] if size]
        place, size = piles[at % len(piles)]
        data[place + at % size] ^= 1
        self.folder.write(path, data)

    def _damage_cut(self, path, *_):
        os.truncate(self.folder.at(path), os.path.getsize(self.folder.at(path)) - 1)

    def _damage_forge(self, path, at, records):
        """Another number of records in a manifest whose checksum is right."""
        piles = [(number, *pile) for number, pile in enumerate(read_batch(self.folder.read(path))[1]) if pile[0]]
        number, count, size, *_ = piles[at % len(piles)]
        numbers = {"1<<61": 1 << 61, "half": count // 2, "twice": 2 * count, "more": min(count + 1, size)}
        new = numbers.get(records, int(records == "1"))
        forge(self.folder.at(path), number, new + (new == count), size)
