#!/usr/bin/env python3
"""How many small changes of the program do the tests notice? `make mutants` runs it.

One small change of the program is a mutant: a condition negated, a statement left out, < for <=, && for ||, a number one
larger. A mutant is killed if a test fails with it. Those that survive show what no test looks at.

All mutants that are tried are compiled into one program, each behind a question whether it acts (mutant.c), so that
nothing is built twice. First all tests run once with none acting, which tells which test reaches which mutant. Then each
mutant acts alone, in the tests that reach it, those of `make check` before those of `make check-all`, quickest first,
until one fails.

From the environment: SECONDS of trying; SEED of the choice, so that the same mutants can be tried again; MOST mutants;
ONLY those whose FILE:LINE: matches, such as record/key.c or record/key.c:31:.
"""

import os
import pathlib
import random
import re
import secrets
import shutil
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
TREE = TOP / "build" / "mutants"  # a copy, which is changed
TESTS = "tests/support/run.sh"
BATCHES = [3, 10, 30, 1e9]  # seconds of tests that run together, until one of a batch fails
PATIENCE = 10  # a test that takes so many times as long as it did hangs,
PATIENCE_SECONDS = 20  # and not before that

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-",
         "-": "+"}
TOKEN = re.compile(r"""
    (?P<blank>\s+|/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?[uUlL]*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.X | re.S | re.M)
DECLARES = re.compile(r"(const|static|struct|enum|union|unsigned|signed|int|char|long|short|bool|void|float|double|"
                      r"_Atomic|volatile|\w+_t)\b(?!\s*\()|\w+\s+\**\w+\b|\w+ \*+\w")
BRACKETS = {"(": ")", "[": "]", "{": "}"}


class Token:
    def __init__(self, kind, text, begin):
        self.kind, self.text, self.begin, self.end = kind, text, begin, begin + len(text)


class Mutant:
    """A stretch of a file and what stands there instead if the mutant acts. `kind` is "value" or "statement"."""

    def __init__(self, file, line, begin, end, kind, instead, what):
        self.file, self.line, self.begin, self.end = file, line, begin, end
        self.kind, self.instead, self.what = kind, instead, what
        self.number = 0

    def __str__(self):
        return f"{self.file}:{self.line}: {self.what}"


class Parser:
    """Finds what can be changed in the functions of a file. It knows the language as far as this program uses it."""

    def __init__(self, file, source):
        self.file, self.source, self.mutants = file, source, []
        self.tokens = [Token(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(source)
                       if m.lastgroup != "blank"]
        self.at = 0
        while self.at < len(self.tokens):
            if self.text() == "{" and self.at > 0 and self.tokens[self.at - 1].text == ")":
                self.statement()
            elif self.text() in BRACKETS:
                self.skip()
            else:
                self.at += 1

    def text(self):
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def skip(self):
        """Pass a bracket and all that is in it."""
        depth = 0
        while True:
            depth += (self.text() in "([{") - (self.text() in ")]}")
            self.at += 1
            if depth == 0:
                return

    def until(self, *ends):
        """Pass all up to one of these, which is not in brackets; the tokens that were passed."""
        first = self.at
        while self.text() not in ends:
            if self.text() in BRACKETS:
                self.skip()
            else:
                self.at += 1
        return self.tokens[first:self.at]

    def in_brackets(self):
        first = self.at
        self.skip()
        return self.tokens[first + 1:self.at - 1]

    def statement(self):
        word = self.text()
        if word == "{":
            self.at += 1
            while self.text() != "}":
                self.statement()
            self.at += 1
        elif word in ("if", "while", "switch"):
            self.at += 1
            condition = self.in_brackets()
            if word != "switch":
                self.value(condition, negate=word == "if")
            self.statement()
        elif word == "do":
            self.at += 1
            self.statement()
            self.at += 1
            self.value(self.in_brackets())
            self.at += 1
        elif word == "for":
            self.at += 1
            parts, tokens = [[]], self.in_brackets()
            depth = 0
            for token in tokens:
                depth += (token.text in BRACKETS) - (token.text in ")]}")
                if token.text == ";" and depth == 0:
                    parts.append([])
                else:
                    parts[-1].append(token)
            self.value(parts[1])
            self.statement()
        elif word == "else":
            self.at += 1
            self.statement()
        elif word in ("case", "default"):
            self.until(":")
            self.at += 1
        elif word in ("goto", "break", "continue", ";"):
            self.until(";")
            self.at += 1
        elif word == "return":
            self.at += 1
            self.value(self.until(";"))
            self.at += 1
        elif self.tokens[self.at].kind == "word" and self.tokens[self.at + 1].text == ":":
            self.at += 2
        else:
            self.simple(self.until(";"))
            self.at += 1

    def simple(self, tokens):
        """A declaration or an expression."""
        text = self.source[tokens[0].begin:tokens[-1].end]
        if not DECLARES.match(text):
            # Left out, or changed: with its semicolon.
            self.add("statement", tokens, ";", f"left out: {' '.join(text.split())}", 1)
            for instead, what in self.changes(tokens):
                self.add("statement", tokens, instead + ";", what, 1)
            return
        if tokens[0].text == "static":
            return
        # What each of its names begins with.
        depth, first = 0, None
        for i, token in enumerate(tokens + [Token("sign", ",", 0)]):
            depth += (token.text in BRACKETS) - (token.text in ")]}")
            if depth == 0 and token.text == "=" and first is None:
                first = i + 1
            elif depth == 0 and token.text == "," and first is not None:
                if tokens[first].text != "{" and tokens[first].kind != "text":
                    self.value(tokens[first:i])
                first = None

    def value(self, tokens, negate=False):
        if not tokens:
            return
        if negate:
            text = self.source[tokens[0].begin:tokens[-1].end]
            self.add("value", tokens, f"!({text})", f"negated: {' '.join(text.split())}")
        for instead, what in self.changes(tokens):
            self.add("value", tokens, instead, what)

    def changes(self, tokens):
        """(text with one change, what it is) of these tokens."""
        begin, end = tokens[0].begin, tokens[-1].end
        for i, token in enumerate(tokens):
            after = None
            if token.kind == "number" and (i == 0 or tokens[i - 1].text != "."):
                after = f"({token.text} + 1)"
            elif token.text in SWAPS:
                before = tokens[i - 1] if i > 0 else None
                binary = before is not None and (before.kind in ("word", "number", "text") or before.text in ")]")
                after = SWAPS[token.text] if binary and before.text not in ("return", "sizeof") else None
            if after is not None:
                near = tokens[max(0, i - 4):i + 5]
                shown = self.source[near[0].begin:token.begin] + "[" + token.text + " -> " + after + "]" + \
                    self.source[token.end:near[-1].end]
                yield self.source[begin:token.begin] + after + self.source[token.end:end], " ".join(shown.split())

    def add(self, kind, tokens, instead, what, more=0):
        begin, end = tokens[0].begin, tokens[-1].end + more
        line = self.source.count("\n", 0, begin) + 1
        self.mutants.append(Mutant(self.file, line, begin, end, kind, instead, what))


def with_mutants(source, mutants):
    """The file with all of these in it."""
    places = {}
    for mutant in mutants:
        places.setdefault((mutant.begin, mutant.end, mutant.kind), []).append(mutant)
    for (begin, end, kind), here in sorted(places.items(), reverse=True):
        text = source[begin:end]
        for mutant in here:
            if kind == "value":
                text = f"(mutant_is({mutant.number}) ? ({mutant.instead}) : ({text}))"
            else:
                text = f"{{ if (mutant_is({mutant.number})) {{ {mutant.instead} }} else {{ {text} }} }}"
        source = source[:begin] + text + source[end:]
    return "#include <stdbool.h>\nbool mutant_is(unsigned number);\n#line 1\n" + source


def choose(seed, most, only):
    """Mutants, so many, spread evenly over the program. Which they are depends on the seed and the program alone."""
    files = sorted(str(path.relative_to(TOP)) for path in TOP.glob("src/**/*.c"))
    mutants = [m for file in files for m in Parser(file, (TOP / file).read_text()).mutants if re.search(only, str(m))]
    chosen = random.Random(seed).sample(mutants, min(most, len(mutants)))
    print(f"{len(chosen)} of {len(mutants)} mutants, SEED={seed}", flush=True)
    chosen.sort(key=lambda m: (m.file, m.begin))
    for number, mutant in enumerate(chosen, 1):
        mutant.number = number
    return chosen


def make(*words):
    return subprocess.run(["make", "-s", "-j", str(os.cpu_count()), "CFLAGS=-O1 -g0 -w", *words], cwd=TREE,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def compiles(file, mutants):
    (TREE / file).write_text(with_mutants((TOP / file).read_text(), mutants))
    if make("build/plain/" + file[:-1] + "o").returncode != 0:
        return False
    # What is there for other processors or systems has not been compiled.
    said = subprocess.run(["cc", "-E", "-D_GNU_SOURCE", "-Iinclude", file], cwd=TREE, stdout=subprocess.PIPE,
                          text=True, check=False)
    return all(f"mutant_is({mutant.number})" in said.stdout for mutant in mutants)


def build(mutants):
    """A copy of the tree with all of them in it, but for those that do not compile, which are returned."""
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    names = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, stdout=subprocess.PIPE, check=True).stdout
    for name in filter(None, names.decode().split("\0")):
        if (TOP / name).is_file():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, TREE / name)
    shutil.copy(TOP / "tests/mutants/mutant.c", TREE / "src/system/mutant.c")
    broken = []
    for file in sorted({m.file for m in mutants}):
        here = [m for m in mutants if m.file == file]
        if not compiles(file, here):
            wrong = [m for m in here if not compiles(file, [m])]
            broken += wrong
            compiles(file, [m for m in here if m not in wrong])
    said = make("check", "ONLY=/number_test$$")  # which builds what all tests need
    if said.returncode == 0:
        units = [str(path.relative_to(TREE))[:-2] for path in TREE.glob("tests/unit/*/*_test.c")]
        units += ["tests/fuzz/%s_fuzz_test" % path.stem for path in TREE.glob("tests/fuzz/*.c") if "end.h" not in path.read_text()]
        said = make(*["build/plain/" + unit for unit in units])
    if said.returncode != 0:
        sys.exit(f"the tests cannot be built:\n{said.stdout[-3000:]}")
    return broken


def things():
    units = sorted(TREE.glob("build/plain/tests/*/**/*_test"))
    return [str(path.relative_to(TREE)) for path in [*sorted(TREE.glob("tests/end_to_end/*.sh")), *units]]


def run(tests, **more):
    """Run tests (all if None); what the runner printed."""
    env = dict(os.environ, BUILD=str(TREE / "build/plain"), TEST_SCALE="tiny", **more)
    env.pop("ONLY", None)
    if tests is not None:
        names = [re.sub(r"^(\S+): ", r"/\1[.]sh:", t) if ":" in t else f"/{t}" for t in tests]
        env["ONLY"] = f"({'|'.join(names)})$"
    said = subprocess.run(["bash", TESTS, *things()], cwd=TREE, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return said.stdout.decode(errors="replace")


def names_of(said, verdict):
    """The tests of which the runner said this, `ok` or `not ok`."""
    return [m.group(1) for m in re.finditer(rf"^{verdict} (\w+(?:: \w+)?)", said, re.M)]


def look_who_reaches(mutants):
    """For each mutant the tests that reach it, in the order in which they are tried, of those that pass when none acts;
    their seconds; and the names of all in the fast set."""
    folder = TREE / "build" / "reached"
    folder.mkdir()
    folder.chmod(0o777)
    size = max(mutant.number for mutant in mutants) + 1  # more than there are, if some were not built
    said = run(None, SLOW="1", REACHED=str(folder), REACHED_BYTES=str(size), TIMES="100000")
    fast = set(run(None, LIST="1").splitlines())
    passed = set(names_of(said, "ok"))
    for name in names_of(said, "not ok"):
        print(f"{name} fails without any, so it is left out", flush=True)
    seconds = {m.group(2): float(m.group(1)) for m in re.finditer(r"^([\d.]+) [\d.]+ [\d.]+ (\w+(?:: \w+)?)", said, re.M)}
    reaching = {mutant.number: [] for mutant in mutants}
    for name in sorted(passed & seconds.keys(), key=lambda name: (name not in fast, seconds[name])):
        marks = (folder / name.replace(": ", ":")).read_bytes().ljust(size, b"\0")
        for mutant in mutants:
            if marks[mutant.number]:
                reaching[mutant.number].append(name)
    return reaching, seconds, fast


def killer(mutant, tests, seconds, fast):
    """A test that fails if this mutant acts, one of the fast set if there is one, or None."""
    tests = list(tests)
    for limit in BATCHES:
        batch, total = [], 0.0
        while tests and total < limit:
            total += seconds[tests[0]] + 0.05
            batch.append(tests.pop(0))
        if not batch:
            break
        patience = str(int(max(PATIENCE_SECONDS, PATIENCE * seconds[batch[-1]])))
        failed = names_of(run(batch, MUTANT=str(mutant.number), TEST_SECONDS=patience), "not ok")
        if failed:
            return min(failed, key=lambda name: name not in fast)
    return None


def main():
    begin = time.monotonic()
    seed = os.environ.get("SEED") or secrets.token_hex(4)
    mutants = choose(seed, int(os.environ.get("MOST") or 300), os.environ.get("ONLY") or "")
    broken = build(mutants)
    mutants = [m for m in mutants if m not in broken]
    print(f"built after {time.monotonic() - begin:.0f} s", flush=True)
    reaching, seconds, fast = look_who_reaches(mutants)
    print(f"all tests ran once after {time.monotonic() - begin:.0f} s", flush=True)
    random.Random(seed).shuffle(mutants)  # so that what is tried before the time is over is a fair sample
    killed = killed_fast = survived = 0
    for mutant in mutants:
        if time.monotonic() - begin > float(os.environ.get("SECONDS") or 1e9):
            break
        by = killer(mutant, reaching[mutant.number], seconds, fast)
        killed_fast += by in fast
        killed, survived = killed + (by is not None), survived + (by is None)
        how = f"killed    {mutant} (by {by})" if by else f"SURVIVES  {mutant} ({len(reaching[mutant.number])} tests reach it)"
        print(how, flush=True)
    tried = killed + survived
    print(f"{killed} of {tried} mutants killed, {100 * killed / max(tried, 1):.1f} %, {killed_fast} of them by `make check`; {len(broken)} not built; "
          f"{len(mutants) - tried} not tried; {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
