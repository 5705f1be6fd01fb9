#!/usr/bin/env python3
"""Is every order as likely as promised? `make check-statistics` runs it, with dieharder beside it.

Samples are drawn in every way in which an order comes about (ways.py), and counted against their laws (law.py). From
the environment: SEED, a number from which all seeds are made; SCALE, the number of rounds, or SECONDS after which none
begins; ONLY ways whose names match. The same SEED and SCALE give the same samples, except those of /dev/urandom. What
is printed goes in part to the page bigshuf-order(7). Without SCALE and ONLY, dieharder runs, too, if it is here; the
argument is the program that makes words of numbers.
"""

import collections
import itertools
import math
import operator
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import law
import ways

FALSE_ALARM = 0.001  # of a run in a thousand, one of all p-values is below, after correction
FEW_RUNS = 60  # in a round
PLACES = 16
LAGS = 96  # more than there are in a pile of so many records, 56 on average


def samples_of(command, seed, name, first, count):
    """What runs of a command write, as lists of lines, with $k counted up from `first`."""
    script = "for k in $(seq %d %d); do s='%s'.$k; { %s; } || exit; echo .; done" % (
        first, first + count - 1, "%d.%s" % (seed, re.sub("[^a-z0-9]", "", name)), command)
    run = subprocess.run(["sh", "-uc", script], stdout=subprocess.PIPE, text=True, check=True)
    found = [each.split("\n")[:-1] for each in run.stdout.split(".\n")[:-1]]
    assert len(found) == count, name
    return found


class Few:
    """Samples of few records, each of a run of its own."""

    def __init__(self, name, command, of):
        self.name, self.command, self.law = name, command, of
        self.counts = collections.Counter()

    def round(self, seed, number):
        found = samples_of(self.command, seed, self.name, seed * 10**6 + number * FEW_RUNS, FEW_RUNS)
        if isinstance(self.law, int):
            assert all(len(words) == self.law for words in found), self.name
            self.counts.update(law.pattern(list(map(int, words))) for words in found)
        else:
            self.counts.update(" ".join(words) for words in found)

    def results(self):
        if isinstance(self.law, int):
            return law.compare_orders(self.counts, self.law)[::-1]
        return [law.compare(self.counts, self.law)]


class Groups(Few):
    """A run writes many samples, each of so many words."""

    def __init__(self, name, words, command, of):
        super().__init__(name, command, of)
        self.words = words

    def round(self, seed, number):
        found, = samples_of(self.command, seed, self.name, seed * 10**6 + number, 1)
        words = " ".join(found).split()
        self.counts.update(map(" ".join, zip(*[iter(words)] * self.words)))


class Many:
    """An order of many records. All that is looked at is as if each run drew a random one."""

    def __init__(self, name, command):
        self.name, self.command = name, command
        self.groups = collections.Counter(), collections.Counter()  # the patterns of groups of seven in the input, and in the output
        self.places = collections.Counter()  # from which sixteenth of the input to which one of the output
        self.lagged = [0.0] * LAGS  # sums of products of places that are so far apart
        self.products = 0

    def order(self, lines):
        order = list(map(int, lines))
        assert sorted(order) == list(range(1, len(order) + 1)), self.name
        return order

    def round(self, seed, number):
        found, = samples_of(self.command, seed, self.name, seed * 10**6 + number, 1)
        order = self.order(found)
        records = len(order) // (7 * PLACES) * 7 * PLACES
        place = [0] * (len(order) + 1)
        for i, record in enumerate(order):
            place[record] = i
        for numbers, counts in zip((place[1:], order), self.groups):
            counts.update(itertools.starmap(law.pattern7, zip(*[iter(numbers)] * 7)))
        self.places.update((i * PLACES // records, (record - 1) * PLACES // records) for i, record in enumerate(order))
        spread = math.sqrt((records**2 - 1) / 12)
        centred = [(record - (records + 1) / 2) / spread for record in order]
        for lag in range(1, LAGS + 1):
            apart = sum(map(operator.mul, centred, centred[lag:])) + (records - lag) / (records - 1)
            self.lagged[lag - 1] += apart / math.sqrt(records - lag)
        self.products += 1

    def results(self):
        both = [law.compare_orders(counts, 7)[::-1] for counts in self.groups]
        cells = itertools.product(range(PLACES), repeat=2)
        table = law.compare(self.places, dict.fromkeys(cells, PLACES**-2), (PLACES - 1)**2)
        lags = law.Result(self.products, LAGS, LAGS, sum(each**2 for each in self.lagged) / self.products)
        return both[0] + both[1] + [table, lags]


class Pair(Many):
    """Two orders: that of the second's places, record by record in the order of the first, is random."""

    def order(self, lines):
        end = lines.index("")
        first, second = (list(map(int, filter(None, each))) for each in (lines[:end], lines[end:]))
        both = min(len(first), len(second)) // (7 * PLACES) * 7 * PLACES
        ranks = []
        for order in first, second:  # of the records by which each begins, in the order of entry
            rank = {record: i for i, record in enumerate(sorted(order)[:both])}
            ranks.append([rank[record] for record in order if record in rank])
        place = dict(zip(ranks[1], range(1, both + 1)))
        return [place[record] for record in ranks[0]]


def table(tried, seed, rounds):
    """Print lines of mdoc: of each way the result with the most cells, how many p-values it has in all, and the
    relative error of probabilities that such a result finds. How many p-values are too small?"""
    results = [(way, result) for way in tried for result in way.results() if result is not None]
    adjusted = law.holm([result.p for _, result in results])
    version = subprocess.run(["bigshuf", "-V"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[1]
    print("Version %s, %s, seed %d, %d rounds: %d values of p, the least %.3f after correction." % (
        version, time.strftime("%B %d, %Y"), seed, rounds, len(results), min(adjusted)))
    print(".Bd -literal -offset 2n\n%-29s %8s %5s %6s %6s %3s %6s" % (
        "way", "samples", "cells", "chi^2", "p", "all", "finds"))
    for way in tried:
        own = [result for each, result in results if each is way]
        name = way.name.ljust(29).replace("-", "\\-")
        if own:
            print("%s %8d %5d %6.0f %6.4f %3d %5.1f%%" % (
                name, own[0].samples, own[0].cells, own[0].chi_square, own[0].p, len(own), 100 * own[0].finds()))
        else:
            print("%s too few samples" % name)
    print(".Ed")
    wrong = [(p, way.name, result) for p, (way, result) in zip(adjusted, results) if p < FALSE_ALARM]
    for p, name, result in sorted(wrong, key=lambda each: each[:2]):
        print("not as likely: %s: chi-square %.1f of %d cells, %d samples: p %.0e after correction" % (
            name, result.chi_square, result.cells, result.samples, p), file=sys.stderr)
    return len(wrong)


class Dieharder:
    """All its tests, of the words of -r, beside the samples."""

    def __init__(self, seed, words):
        command = "bigshuf --seed=%d -r -i 0-4294967295 2>&- | %s | exec dieharder -a -g 200" % (seed, words)
        self.said = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(["sh", "-c", command], stdout=self.said, start_new_session=True)

    def end(self, seconds):
        """Wait so long, or until the end (two hours in all); the number of tests that failed."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait()
        self.said.seek(0)
        verdicts = re.findall(r"(\w+)\|.*\| *(PASSED|WEAK|FAILED) *$", self.said.read(), re.M)
        count = [sum(verdict == each for _, verdict in verdicts) for each in ("PASSED", "WEAK", "FAILED")]
        print("dieharder: %d of its tests: %d passed, %d weak, %d failed%s" % (
            len(verdicts), *count, "".join(", %s %s" % each for each in verdicts if each[1] != "PASSED")))
        return count[2]


def main():
    law.check_tails()
    seed = int(os.environ.get("SEED") or time.time())
    rounds = int(os.environ.get("SCALE") or 10**6)
    limit = os.environ.get("SECONDS")
    end = time.monotonic() + int(limit or 3600)
    only = re.compile(os.environ.get("ONLY") or "")
    rows = ((Few, ways.FEW), (Groups, ways.GROUPS), (Many, ways.MANY), (Pair, ways.PAIRS))
    chosen = [(kind, row) for kind, all_ in rows for row in all_ if only.search(row[0])]
    tried = [kind(*row) for kind, row in chosen]
    part = os.environ.get("SCALE") or os.environ.get("ONLY")
    dieharder = Dieharder(seed, sys.argv[1]) if not part and shutil.which("dieharder") else None
    with tempfile.TemporaryDirectory(dir=os.environ.get("MEMORY")) as folder:
        os.chdir(folder)
        ways.make_files(str(chosen))
        done = 0
        while done < rounds and (done == 0 or time.monotonic() < end):
            for way in tried:
                way.round(seed, done)
            done += 1
        os.chdir("/")
    wrong = table(tried, seed, done)
    if dieharder is not None:
        wrong += dieharder.end(max(0, end - time.monotonic()) if limit else None)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
