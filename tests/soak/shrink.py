"""Make a case that fails smaller, as long as it fails in the same way."""

import copy
import time

from case import is_valid

KEEP = {"seed", "folder"}


def _without_options(case):
    for name in [name for name in case.opts if name not in KEEP]:
        smaller = copy.deepcopy(case)
        del smaller.opts[name]
        yield smaller
    for name in [name for name in case.circ if name not in KEEP]:
        smaller = copy.deepcopy(case)
        del smaller.circ[name]
        smaller.circ.setdefault("via", "file")
        smaller.circ.setdefault("old", "none")
        if smaller.circ != case.circ:
            yield smaller


def _with_less_data(case):
    if len(case.inputs) > 1:
        for i in range(len(case.inputs)):
            smaller = copy.deepcopy(case)
            del smaller.inputs[i]
            yield smaller
    for i, data in enumerate(case.inputs):
        for less in data.smaller():
            smaller = copy.deepcopy(case)
            smaller.inputs[i] = less
            yield smaller
    if case.words:
        smaller = copy.deepcopy(case)
        smaller.words = case.words[: len(case.words) // 2]
        yield smaller
    for i in range(len(case.opts.get("split", ()))):
        if len(case.opts["split"]) > 1:
            smaller = copy.deepcopy(case)
            del smaller.opts["split"][i]
            yield smaller


def shrink(case, wrong, try_case, seconds, attempts=1):
    """The smallest case found, and what is wrong with it. try_case(case) says what is wrong with a case, or None."""
    end = time.monotonic() + seconds
    again = True
    while again:
        again = False
        for step in (_without_options, _with_less_data):
            for smaller in step(case):
                if time.monotonic() > end:
                    return case, wrong
                if not is_valid(smaller):
                    continue
                found = None
                for _ in range(attempts):
                    found = found or try_case(smaller)
                if found and found[0] == wrong[0]:
                    case, wrong, again = smaller, found, True
                    break
    return case, wrong
