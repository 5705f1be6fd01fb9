"""Which options go together, as the rows of the program's table say (--tune=options)."""

import functools
import os
import subprocess


@functools.lru_cache(maxsize=None)
def _table():
    """What each option excludes, and of what it needs one."""
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    build = os.path.join(top, os.environ.get("BUILD") or "build/plain", "bigshuf")
    program = os.environ.get("BIGSHUF") or build
    excludes, needs = {}, {}
    for line in subprocess.run([program, "--tune=options"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        name, word, rest = line.split(" ", 2)
        if word == "excludes":
            excludes.setdefault(name, set()).add(rest)
        else:
            needs[name] = set(rest.replace(" or ", ", ").split(", "))
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
