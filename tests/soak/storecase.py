"""Cases of stores of piles: lists of steps that add batches, gather, damage; drawn, printed, and made smaller."""

import random
from dataclasses import dataclass, field, replace

import fields
import shrink
from case import ERRORS, Case, Maker, draw_hostile, is_valid, takes_field
from data import Data
from expect import input_records

CALLS = "write read open_at mkdir_at link_at rename_at unlink_at sync lock list_next close stat_at pwritev".split()
FORGED = ("1<<61", "0", "half", "twice", "1", "more")
STORE = "../store"  # as each command finds it
OF_STORES = {"epoch", "piles", "part", "only-piles", "keep-newest", "tune", "S", "n", "skip"}  # options that are left out of a plain shuffle


@dataclass
class Step(Case):
    """A command, with the options beyond those that all have; or what happens to the store's files."""

    do: str = ""
    batch: str = ""
    damage: tuple = ()  # way, where, records


@dataclass
class StoreCase:
    """Steps on one store."""

    seed: str
    piles: int
    key: str  # the --seed of all commands, but for those that gather with one of their own
    opts: dict  # about records, of every scatter
    steps: list = field(default_factory=list)
    hostile: dict = field(default_factory=dict)  # as of Case

    def plain(self, step):
        """A plain shuffle of what a step reads or writes, as far as it is one."""
        opts = {**self.opts, **step.opts}
        if "t" not in self.opts and Case(self.seed, [], opts=self.opts).format().kind == "csv":  # the store says it
            opts.pop("t", None)
        return Case(self.seed, step.inputs, opts=opts, circ=step.circ, hostile=self.hostile)

    def command(self, step):
        """The step as a case that can be run."""
        opts = {"sweep": {"sweep": STORE}, "list": {"list": STORE, "z": None},
                "gather": {"gather": STORE, "seed": self.key},
                "scatter": {"scatter": STORE, "seed": self.key, "batch": step.batch, "piles": str(self.piles), **self.opts}}
        return replace(self.plain(step), opts={**opts[step.do], **step.opts})

    def contents(self, step):
        """What is in the inputs of a step. Raises BadInput."""
        found = input_records(self.plain(step))
        if fields.label_of(self):
            fields.order_keys(self.plain(step), found.records, found.header)
        return found

    def may_write(self, opts):
        """Do these options about outputs go with those about records?"""
        opts = {name: value for name, value in {**self.opts, **opts}.items() if name not in OF_STORES}
        return is_valid(Case(self.seed, self.inputs(), opts={**opts, "seed": "y"}, circ={"via": "file"}))

    def inputs(self):
        """All of them."""
        return [data for step in self.steps for data in step.inputs]


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
        other = head[:3] + head if self.chance(4) else head
        sizes = (0, 1, 10, 100, 1000, 3000)
        return [Data(kind, self.draw.choice(sizes), self.draw.randrange(1 << 30), end, head)
                for head in self.draw.choice(((head,), (head,), (head, head), (head, other)))]

    def _scatter(self, look, keyed):
        names = ["b%d" % self.draw.randrange(20), "day-%02d" % len(self.batches), "A.b_c"]
        step = Step("", do="scatter", batch=self.draw.choice(names), circ={"via": self.draw.choice(("file", "file", "pipe"))})
        again = step.batch in self.batches and not self.chance(4)
        step.inputs = self.batches[step.batch] if again else self._inputs(*look)
        self.batches.setdefault(step.batch, step.inputs)
        if step.circ["via"] == "pipe":
            step.inputs = step.inputs[:1]
        if self.chance(4):
            step.opts["Z"] = None
        if self.chance(3):
            step.circ["writers"] = self.draw.choice((2, 3, 8))
        elif self.chance(3):
            step.circ.update(self._trouble())
        elif self.chance(2 if keyed else 4):
            step.circ["sweeps"] = True
        if self.chance(6):
            step.opts["keep-newest"] = self.draw.choice(("1", "2", "3"))
        return step

    def _trouble(self):
        way = self.draw.randrange(6)
        if way == 5:
            return {"fault": {"FAULT_CALL": "sync", "FAULT_AT": "1", "FAULT_STAYS": "1", "FAULT_ERRNO": "EIO"}}
        if way < 2:
            return {"kill": (self.draw.choice(("TERM", "KILL", "INT")), 0.05 * self.draw.random())}
        at = str(self.draw.choice((1, 2, 3, 4, 5, 6, 8, 12, 20, 60)))
        fault = {"FAULT_AT": at, "FAULT_ERRNO": self.draw.choice(ERRORS)}
        if not self.chance(4):
            fault["FAULT_CALL"] = self.draw.choice(CALLS)
        return {"fault": fault}

    def _gather(self, case):
        step = Step("", do="gather", opts={"epoch": self.draw.choice(("0", "0", "1", "7", str((1 << 64) - 1)))})
        opts, circ = step.opts, step.circ
        if self.chance(4):
            opts["seed"] = "another"
        if self.chance(3):
            first = self.draw.randrange(case.piles)
            opts["only-piles"] = "%d-%d" % (first, self.draw.randrange(first, case.piles))
        elif self.chance(4):
            parts = self.draw.randrange(1, case.piles + 1)
            opts["part"] = "%d/%d" % (self.draw.randrange(1, parts + 1), parts)
        if self.chance(4):
            opts["n"] = self.draw.choice(("0", "1", "10", "1000"))
        if self.chance(2):
            opts.update(self._outputs(case))
            for name in ("only-piles", "part", "n") if "stratify-field" in opts else ():
                opts.pop(name, None)
        if self.chance(3) and not {"split", "shards"} & set(opts):
            opts["skip"] = self.draw.choice(("0", "1", "10", "1000"))
        if self.chance(2):
            opts["tune"] = ["leaf-records=%d" % self.draw.choice((8, 64))]
        if self.chance(2):
            opts["S"] = self.draw.choice(("8M", "32M"))
        if self.chance(3):
            opts["parallel"] = str(self.draw.randrange(1, 9))
        if self.chance(4):
            circ["fault"] = self._trouble().get("fault") or {"FAULT_SHORT": "1"}
        if self.chance(6):
            circ["fault"] = {"FAULT_AT": str(self.draw.randrange(1, 20)), "FAULT_CALL": "preadv", "FAULT_ERRNO": "EIO"}
            circ["fault"][self.draw.choice(("FAULT_DAMAGE", "FAULT_END"))] = "1"
        if self.chance(10):
            circ["nofile"] = self.draw.choice((20, 40))
        return step

    def _outputs(self, case):
        """Files, which may be compressed, shards and splits, also by a field."""
        maker = Maker(self.draw.random(), ())
        maker.pick_output()
        if maker.chance(2):
            maker.pick_fields()
            for name in ("group-field", "unique"):
                maker.case.opts.pop(name, None)
            if takes_field(maker.case.opts):
                maker.case.opts["t"] = case.opts.get("t", "," if case.plain(Step("")).format().kind == "csv" else maker.case.opts["t"])
            else:
                maker.case.opts.pop("t", None)
        maker.case.opts.pop("filter", None)
        return maker.case.opts if case.may_write(maker.case.opts) else {}

    def _damage(self):
        way = self.draw.choice(("flip", "cut", "forge", "forge", "forge", "junk", "stray"))
        return Step("", do="damage", damage=(way, self.draw.randrange(1 << 30), self.draw.choice(FORGED)))

    def _records(self, case):
        """Options about records, and how the inputs look: kind, header, end."""
        maker = Maker(self.draw.random(), ())
        kind, end = maker.pick_format()
        maker.case.inputs = [Data(kind, 1, 1, end)]
        if maker.chance(2):
            maker.pick_header()
        elif maker.chance(2):
            maker.pick_fields()
            maker.case.opts.pop("split", None)
            for name in ("split-field", "stratify-field"):
                maker.case.opts.pop(name, None)
            if not takes_field(maker.case.opts):
                maker.case.opts.pop("t", None)
        if self.chance(4) and "group-field" not in maker.case.opts:
            maker.case.opts.setdefault("unique", None)
        opts, data = maker.case.opts, maker.case.inputs[0]
        return (opts, (kind, data.head, end)) if case.may_write(opts) else ({}, ("text", b"", b"\n"))

    def make(self, seed):
        """The case."""
        draw = self.draw
        case = StoreCase(seed, draw.choice((2, 4, 16, 16, 64, 512)), draw.choice(("y", "7", "x" * 40)), {})
        case.opts, look = self._records(case)
        large = self.chance(6)
        for _ in range(draw.choice((1, 2, 3, 5))):
            case.steps.append(self._scatter(look, {"group-field", "unique"} & set(case.opts)))
            if self.chance(5):
                case.steps.append(Step("", do="sweep"))
        if large and not case.opts:
            case.piles = draw.choice((2, 4))
            case.steps[0].inputs = [Data("long", 2500, draw.randrange(1 << 30))]
            case.steps[0].circ["via"] = "file"
            case.steps[0].circ.pop("writers", None)
        for _ in range(draw.choice((1, 2))):
            case.steps.append(self._gather(case))
            if large:
                case.steps[-1].opts["S"] = "8M"
        if self.chance(3):
            last = self._gather(case)
            case.steps += [self._damage(), Step("", do="list"), last]
            for name in ("n", "skip", "part", "only-piles"):
                last.opts.pop(name, None)
            last.circ.clear()
            if self.chance(2):
                last.opts["S"] = "8M"
        elif self.chance(3):
            case.steps.append(Step("", do="list"))
        return case


def make_store_case(seed):
    """The case of this seed."""
    case = StoreMaker(seed).make(seed)
    case.hostile = draw_hostile(seed)
    return case


# ---- Shrinking ----


def smaller_cases(case):
    """Cases with less in them."""
    for i, step in enumerate(case.steps):
        yield shrink.changed(case, lambda case: case.steps.pop(i))
        for less in shrink.smaller_cases(step):
            if less.do != "gather" or case.may_write(less.opts):
                yield shrink.changed(case, lambda case: case.steps.__setitem__(i, less))
