"""Print functions of tests that stand where set -e does not hold in them: conditions.py TEST.sh...

In `f || ...`, `f && ...`, `if f`, `while f`, `until f`, `! f`, `wait_until f` and `local x=$(f)`, also within { } and ( ),
f goes on after a command that fails. Only a function of one statement may stand there, as its status is that statement's.
A file has the functions of its own, and of those that it reads from tests/support.
"""

import os
import re
import sys

SUPPORT = os.path.dirname(__file__)
# A loop that only tries again what the caller made, and words whose every statement says by `return` or `|| status=$?`
# what becomes of a failure.
PERMITTED = {"fails_with"}
NESTED = r"""\((?:[^()"]|"[^"]*"|\((?:[^()"]|"[^"]*"|\([^()]*\))*\))*\)"""
SKIPPED = re.compile(r"""(?:^|(?<=[\s;]))\#[^\n]* | \$'(?:\\.|[^'\\])*' | '[^']*' | "(?:\$NESTED|\\.|[^"\\$]|\$(?!\())*"
    | \\. | \$?\(\((?:[^()]|\([^()]*\))*\)\) | \$\{[^}]*\} | \$\#""".replace("NESTED", NESTED), re.X | re.S | re.M)
TOKEN = re.compile(r"[$<>]\(|\|\||&&|;;|[()\n;|]|&(?![>\d])|(?:[<>]&|&>|[<>](?!\()|\$(?!\()|[^\s()\n;|&<>$])+")


def plain(text):
    """The text without comments, here-documents and what is quoted."""
    text = re.sub(r"<<-?'?(\w+)'?([^\n]*\n)((?:.*\n)*?)[ \t]*\1(?=\n)", lambda m: m[2] + "\n" * m[3].count("\n"), text)
    return SKIPPED.sub(lambda m: ("" if m[0][0] == "#" else " " if m[0] == "\\\n" else "Q") + "\v" * m[0].count("\n"), text)


def several(text):
    """The functions of several statements; those that set variables, or shift arguments, are not counted."""
    found = set()
    for name, short, body in re.findall(r"^(\w+)\(\) [{(](?:([^\n]+)[})]|\n(.*?)^[})])", text, re.M | re.S):
        body = re.sub(r"(\||&&|\|\|)\n\s*", r"\1 ", re.sub("^    ", "", body, flags=re.M)) or re.sub(r"; *", "\n", short.strip())
        begun = re.findall(r"^(?!fi\b|done\b|esac\b|else\b|elif\b|then\b|do\b|[)}]|local [^(]*$|shift\b|\w+=[^(]*$)\S.*", body, re.M)
        if len(begun) > 1:
            found.add(name)
    return found


class Level:
    """Between two words that belong together: calls since the last && or || began, those before, and what it is."""

    def __init__(self, kind):
        self.kind, self.now, self.before, self.negated, self.word = kind, [], [], False, ""


def conditions(text, known):
    """(place, function) of each that stands in a condition."""
    levels, found, first, last = [Level("")], [], True, ""
    for match in TOKEN.finditer(text):
        token, top = match[0], levels[-1]

        def leave(kinds, reported=False):
            if levels[-1].kind in kinds:
                left = levels.pop()
                (found if reported else levels[-1].now).extend(left.before + left.now)

        if token in ("&&", "||"):
            found += top.now
            top.now, first = [], True
        elif token in ("\n", ";", "&", ";;"):
            if last not in ("&&", "||", "|"):
                (found if top.negated else top.before).extend(top.now)
                top.now, top.negated, top.word, first = [], False, "", True
        elif token in ("(", "$(", "<(", ">("):
            kind = "declared" if top.word in ("local", "export", "declare") else "group" if token == "(" or last.endswith("=") else "lost"
            levels.append(Level(kind))
            first = True
        elif token == ")":
            if top.kind == "lost":
                top.now, top.before = [], []
            first = top.kind not in ("declared", "group", "lost") # of a pattern of `case`
            leave(("declared", "group", "lost"), top.kind == "declared")
        elif token == "|":
            first = True
        elif first and token in ("if", "while", "until", "elif"):
            if token == "elif":
                leave(("body",))
            levels.append(Level("test"))
        elif first and token in ("then", "do"):
            leave(("test",), True)
            levels.append(Level("body"))
        elif first and token in ("{", "case"):
            levels.append(Level(token))
            first = token == "{"
        elif first and token in ("}", "fi", "done", "esac"):
            leave(("{", "body", "case"))
            first = False
        elif first and token == "!":
            top.negated = True
        elif first and not re.match(r"else$|\w+=", token):
            if token in known and token not in PERMITTED:
                top.now.append((match.start(), token))
            top.word, first = token, False
        elif top.word in ("wait_until", "fails_with") and token in known:
            found.append((match.start(), token))
        if token != "\n" or last not in ("&&", "||", "|"):
            last = token
    return found


def main():
    words = several(plain(open(os.path.join(SUPPORT, "helpers.sh"), encoding="utf-8").read()))
    for name in sys.argv[1:]:
        text = open(name, encoding="utf-8").read()
        known = set(words)
        for other in re.findall(r'^\. "\$TOP/tests/support/(\w+\.sh)"', text, re.M):
            known |= several(plain(open(os.path.join(SUPPORT, other), encoding="utf-8").read()))
        text = plain(text)
        for place, function in sorted(conditions(text, known | several(text))):
            line = len(re.findall("[\\n\\v]", text[:place])) + 1
            print(f"{name}:{line}: {function} stands in a condition, where set -e does not hold")


main()
