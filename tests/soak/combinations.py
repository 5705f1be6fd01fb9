"""Which options go together, as tests/README.md says; examples.sh holds the program's table against the same list."""

import functools
import pathlib
import re


@functools.lru_cache(maxsize=None)
def _table():
    """What each option excludes, and of what it needs one."""
    page = pathlib.Path(__file__).resolve().parents[1] / "README.md"
    rows = page.read_text().split("## Which options go together")[1].split("```")[1]
    excludes, needs = {}, {}
    for row in rows.replace("\n  ", " ").splitlines()[1:]:
        names, word, others = re.fullmatch("(.*) (excludes|needs) (.*)", row).groups()
        for name in names.split():
            (needs if word == "needs" else excludes).setdefault(name, set()).update(others.split())
    return excludes, needs


def spelled(case):
    """The options of a case as the table has them: -n, --shards=bytes, --records=csv."""
    names = {("-" if len(name) == 1 else "--") + name for name in case.opts}
    names -= {"--csv", "--records"}
    for name in ("header", "shards"):
        if case.form(name)[0]:
            names ^= {"--" + name, "--%s=%s" % (name, case.form(name)[0])}
    return names | ({"--records=" + case.kind()[0]} if case.kind()[0] else set())


def go_together(case):
    """Does none exclude another one, and has each what it needs?"""
    names = spelled(case)
    rows = {name.split("=")[0] for name in names}
    excludes, needs = _table()
    return not any(excludes.get(name, set()) & names - {name} or (name in needs and not needs[name] & rows)
                   for name in names)
