"""Make a case that fails smaller, as long as it fails in the same way."""

import copy
import time


def changed(case, change):
    """A copy of a case, changed."""
    case = copy.deepcopy(case)
    change(case)
    return case


def usual_cases(case, sizes):
    """Cases tried by the plain build, or by the hostile one at no drawn moments (tests/support/moments.h), or with fewer
    unusual sizes; sizes(hostile) says which it has."""
    if not case.hostile:
        return
    yield changed(case, lambda case: case.hostile.clear())
    seed = case.hostile.get("BIGSHUF_HOSTILE")
    if seed:
        drawn = {"BIGSHUF_SIZES": " ".join(sorted(set(sizes(case.hostile)) - set(sizes({}))))}
        for moments in {}, {"BIGSHUF_MOMENTS": seed}:
            yield changed(case, lambda case: setattr(case, "hostile", {**drawn, **moments}))
        return
    unusual = case.hostile["BIGSHUF_SIZES"].split()
    step = len(unusual)
    while step > 0:
        for at in range(0, len(unusual), step):
            fewer = " ".join(unusual[:at] + unusual[at + step :])
            yield changed(case, lambda case: case.hostile.update(BIGSHUF_SIZES=fewer))
        step //= 2


def smaller_cases(case):
    """Cases with less in them: options, circumstances, data."""
    for name in set(case.opts) - {"seed"}:
        yield changed(case, lambda case: case.opts.pop(name))
    for name in set(case.circ) - {"folder", "via", "old"}:
        yield changed(case, lambda case: case.circ.pop(name))
    for name, plain in ("via", "file"), ("old", "none"):
        if case.circ.get(name) != plain:
            yield changed(case, lambda case: case.circ.update({name: plain}))
    for i, data in enumerate(case.inputs):
        if len(case.inputs) > 1:
            yield changed(case, lambda case: case.inputs.pop(i))
        for less in data.smaller():
            yield changed(case, lambda case: case.inputs.__setitem__(i, less))
    if case.words:
        yield changed(case, lambda case: case.words.__delitem__(slice(len(case.words) // 2, None)))
    for i in range(len(case.opts.get("split", ()))):
        if len(case.opts["split"]) > 1:
            yield changed(case, lambda case: case.opts["split"].pop(i))


def shrink(case, wrong, smaller, try_case, seconds, attempts):
    """The smallest case found, and what is wrong with it. smaller(case) gives smaller ones, and try_case(case) says what
    is wrong with a case, or None."""
    end = time.monotonic() + seconds
    again = True
    while again:
        again = False
        for less in smaller(case):
            if time.monotonic() > end:
                return case, wrong
            found = None
            for _ in range(attempts):
                found = found or try_case(less)
            if found and found[0] == wrong[0]:
                case, wrong, again = less, found, True
                break
    return case, wrong
