"""Cases of stores of piles: lists of steps that add batches, gather, damage; drawn, printed, and made smaller."""

import random
from dataclasses import dataclass, field

import fields
from case import ERRORS, Case, Maker, draw_hostile, is_valid
from data import Data
from expect import input_records
from run import option_words
from shrink import changed

CALLS = "write read open_at mkdir_at link_at rename_at unlink_at sync lock list_next close stat_at pwritev".split()
FORGED = ("1<<61", "0", "half", "twice", "1", "more")


@dataclass
class StoreCase:
    """Steps on one store."""

    seed: str
    piles: int
    key: str  # the --seed of all commands, but for those that gather with one of their own
    opts: dict  # about records, of every scatter
    steps: list = field(default_factory=list)  # dicts
    hostile: dict = field(default_factory=dict)  # as of Case

    def plain(self, step):
        """A plain shuffle of what a step reads or writes, as far as it is one."""
        packed = {"Z": None} if "Z" in step else {}
        return Case(self.seed, step.get("inputs", []), opts={**self.opts, **packed, **step.get("out", {})})

    def inputs(self):
        """All of them."""
        return [data for step in self.steps for data in step.get("inputs", ())]


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
        if self.chance(4):
            step["Z"] = None
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
        at = str(self.draw.choice((1, 2, 3, 4, 5, 6, 8, 12, 20, 60)))
        fault = {"FAULT_AT": at, "FAULT_ERRNO": self.draw.choice(ERRORS)}
        if not self.chance(4):
            fault["FAULT_CALL"] = self.draw.choice(CALLS)
        return {"fault": fault}

    def _gather(self, case):
        step = {"do": "gather", "epoch": self.draw.choice((0, 0, 1, 7, (1 << 64) - 1))}
        if self.chance(4):
            step["seed"] = "another"
        if self.chance(3):
            first = self.draw.randrange(case.piles)
            step["pile"] = (first, self.draw.randrange(first, case.piles))
        elif self.chance(4):
            parts = self.draw.randrange(1, case.piles + 1)
            step["part"] = (self.draw.randrange(1, parts + 1), parts)
        if self.chance(4):
            step["n"] = self.draw.choice((0, 1, 10, 1000))
        if self.chance(2):
            step["out"] = self._outputs(case)
            for name in ("pile", "part", "n") if "stratify-field" in step["out"] else ():
                step.pop(name, None)
        if self.chance(3) and not {"split", "shards"} & set(step.get("out", ())):
            step["skip"] = self.draw.choice((0, 1, 10, 1000))
        if self.chance(2):
            step["leaf"] = self.draw.choice((8, 64))
        if self.chance(2):
            step["S"] = self.draw.choice(("8M", "32M"))
        if self.chance(3):
            step["parallel"] = self.draw.randrange(1, 9)
        if self.chance(4):
            step["fault"] = self._trouble().get("fault") or {"FAULT_SHORT": "1"}
        if self.chance(6):
            step["fault"] = {"FAULT_AT": str(self.draw.randrange(1, 20)), "FAULT_CALL": "preadv"}
            step["fault"][self.draw.choice(("FAULT_DAMAGE", "FAULT_END"))] = "1"
        if self.chance(10):
            step["nofile"] = self.draw.choice((20, 40))
        return step

    @staticmethod
    def _may_write(case, opts):
        return is_valid(Case(case.seed, case.inputs(), opts={**case.opts, **opts, "seed": "y"}, circ={"via": "file"}))

    def _outputs(self, case):
        """Files, which may be compressed, shards and splits, also by a field."""
        maker = Maker(self.draw.random(), ())
        maker.pick_output()
        if maker.chance(2):
            maker.pick_fields()
            for name in ("group-field", "unique"):
                maker.case.opts.pop(name, None)
            maker.case.opts["t"] = case.opts.get("t", "," if case.plain({}).format().kind == "csv" else maker.case.opts["t"])
        maker.case.opts.pop("filter", None)
        return maker.case.opts if self._may_write(case, maker.case.opts) else {}

    def _damage(self):
        way = self.draw.choice(("flip", "cut", "forge", "forge", "forge", "junk", "stray"))
        step = {"do": "damage", "way": way, "at": self.draw.randrange(1 << 30)}
        if way == "forge":
            step["records"] = self.draw.choice(FORGED)
        return step

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
        if self.chance(4) and "group-field" not in maker.case.opts:
            maker.case.opts.setdefault("unique", None)
        opts, data = maker.case.opts, maker.case.inputs[0]
        return (opts, (kind, data.head, end)) if self._may_write(case, opts) else ({}, ("text", b"", b"\n"))

    def make(self, seed):
        """The case."""
        draw = self.draw
        case = StoreCase(seed, draw.choice((2, 4, 16, 16, 64, 512)), draw.choice(("y", "7", "x" * 40)), {})
        case.opts, look = self._records(case)
        large = self.chance(6)
        for _ in range(draw.choice((1, 2, 3, 5))):
            case.steps.append(self._scatter(case, look))
            if self.chance(5):
                case.steps.append({"do": "sweep"})
        if large and not case.opts:
            case.piles = draw.choice((2, 4))
            case.steps[0].update(inputs=[Data("long", 2500, draw.randrange(1 << 30))], via="file")
            case.steps[0].pop("writers", None)
        for _ in range(draw.choice((1, 2))):
            case.steps.append(self._gather(case))
            if large:
                case.steps[-1].update(S="8M")
        if self.chance(3):
            case.steps += [self._damage(), {"do": "list"}, self._gather(case)]
            for name in ("n", "skip", "part", "pile", "fault", "nofile"):
                case.steps[-1].pop(name, None)
            if self.chance(2):
                case.steps[-1]["S"] = "8M"
        elif self.chance(3):
            case.steps.append({"do": "list"})
        return case


def make_store_case(seed):
    """The case of this seed."""
    case = StoreMaker(seed).make(seed)
    case.hostile = draw_hostile(seed)
    return case


# ---- Commands ----


def operands(number, step):
    return ["in/%d.%d" % (number, i) for i in range(len(step["inputs"]))] if step.get("via") != "pipe" else []


def contents_of(case, step):
    """What is in the inputs of a step. Raises BadInput."""
    found = input_records(case.plain(step))
    if fields.label_of(case):
        fields.order_keys(case.plain(step), found.records, found.header)
    return found


def command(case, number, step):
    """The words of a step's command behind the program's name."""
    if step["do"] == "sweep":
        return ["--scatter=store", "--sweep"]
    if step["do"] == "list":
        return ["--gather=store", "--list", "-z"]
    if step["do"] == "gather":
        words = ["--gather=store", "--seed=" + step.get("seed", case.key), "--epoch=%d" % step["epoch"]]
        words += ["--piles=%d-%d" % step["pile"]] if "pile" in step else []
        words += ["--part=%d/%d" % step["part"]] if "part" in step else []
        words += ["--skip=%d" % step["skip"]] if "skip" in step else []
        words += ["-n", str(step["n"])] if "n" in step else []
        words += ["--tune=leaf-records=%d" % step["leaf"]] if "leaf" in step else []
        words += ["-S", step["S"]] if "S" in step else []
        words += option_words(step.get("out", {}))
        return words + (["--parallel=%d" % step["parallel"]] if "parallel" in step else [])
    words = ["--scatter=store", "--seed=" + case.key, "--batch=" + step["batch"], "--piles=%d" % case.piles]
    words += option_words(case.plain(step).opts)
    words += ["--newest=%d" % step["keep"]] if "keep" in step else []
    words += ["-S", step["S"]] if "S" in step else []
    return words + operands(number, step)


# ---- Shrinking ----


def smaller_cases(case):
    """Cases with less in them."""
    for i, step in enumerate(case.steps):
        yield changed(case, lambda case: case.steps.pop(i))
        for name in set(step) - {"do", "batch", "inputs", "via", "epoch", "way", "at", "records"}:
            yield changed(case, lambda case: case.steps[i].pop(name))
        for j, data in enumerate(step.get("inputs", ())):
            for less in data.smaller():
                yield changed(case, lambda case: case.steps[i]["inputs"].__setitem__(j, less))
