"""Print functions of tests that stand where set -e does not hold in them: conditions.py TEST.sh...

In `f || ...`, `f && ...`, `if f`, `while f`, `until f`, `! f`, `wait_until f`, `fails_with 1 '' f` and `local x=$(f)`, also
within { } and ( ), f goes on after a command that fails. Only a function of one statement may stand there, as its status is
that statement's. A file has the functions of its own, and of those that it reads from tests/support.
"""

import os
import re
import sys

PERMITTED = {"fails_with"} # each of its statements says what becomes of a failure
NESTED = r"""\((?:[^()"]|"[^"]*"|\((?:[^()"]|"[^"]*"|\([^()]*\))*\))*\)"""
QUOTED = re.compile(r"""(?:^|(?<=[\s;]))\#[^\n]* | \$'(?:\\.|[^'\\])*' | '[^']*' | "(?:\$NESTED|\\.|[^"\\$]|\$(?!\())*"
    | \\. | \$?\(\((?:[^()]|\([^()]*\))*\)\) | \$\{[^}]*\} | \$\#""".replace("NESTED", NESTED), re.X | re.S | re.M)
TOKEN = re.compile(r"[$<>]\(|\|\||&&|;;|[()\n;|]|&(?![>\d])|(?:[<>]&|&>|[<>](?!\()|\$(?!\()|[^\s()\n;|&<>$])+")
FUNCTION = re.compile(r"^(\w+)\(\) [{(](?:([^\n]+)[})]|\n(.*?)^[})])", re.M | re.S)
# What begins a statement; setting variables and shifting arguments is none.
STATEMENT = re.compile(r"^(?!fi\b|done\b|esac\b|else\b|elif\b|then\b|do\b|[)}]|local [^(]*$|shift\b|\w+=[^(]*$)\S.*", re.M)


def plain(name):
    """The text of a file without comments, here-documents and what is quoted; a newline that ends no command is a vertical tab."""
    with open(name, encoding="utf-8") as file:
        text = re.sub(r"<<-?'?(\w+)'?([^\n]*\n)((?:.*\n)*?)[ \t]*\1(?=\n)", lambda m: m[2] + "\n" * m[3].count("\n"), file.read())
    return QUOTED.sub(lambda m: {"#": "", "\\\n": " "}.get(m[0][:1 + (m[0][0] != "#")], "Q") + "\v" * m[0].count("\n"), text)


def several(text):
    """The functions of several statements."""
    bodies = ((name, short, re.sub(r"(\||&&)\n\s*", r"\1 ", re.sub("^    ", "", long, flags=re.M)))
              for name, short, long in FUNCTION.findall(text))
    return {name for name, short, long in bodies if len(STATEMENT.findall(long or re.sub("; *", "\n", short.strip()))) > 1}


def conditions(text, known):
    """(place, function) of each that stands in a condition."""
    # Of each pair of words that belong together and is open: which it is, functions called since the last list of && and
    # || began, those before, whether `!` stands before them, and the command's name.
    levels, found, first, last = [["", [], [], False, ""]], [], True, ""

    def leave(reported=False):
        _, now, before, _, _ = levels.pop()
        (found if reported else levels[-1][1]).extend(before + now)

    for match in TOKEN.finditer(text):
        token, top = match[0], levels[-1]
        if token in ("&&", "||"):
            found += top[1]
            top[1], first = [], True
        elif token in ("\n", ";", "&", ";;"):
            if last not in ("&&", "||", "|"):
                (found if top[3] else top[2]).extend(top[1])
                top[1:2], top[3:], first = [[]], [False, ""], True
        elif token in ("(", "$(", "<(", ">("):
            kind = "declared" if top[4] in ("local", "export") else "group" if token == "(" or last.endswith("=") else "lost"
            levels.append([kind, [], [], False, ""])
            first = True
        elif token == ")":
            if top[0] == "lost":
                levels.pop()
            elif top[0] in ("declared", "group"): # else it ends a pattern of `case`
                leave(top[0] == "declared")
            first = top[0] not in ("declared", "group", "lost") or last == "(" # NAME() {
        elif token == "|":
            first = True
        elif first and token in ("if", "while", "until", "elif", "then", "do", "{", "case"):
            if token == "elif" and top[0] == "body" or token in ("then", "do") and top[0] == "test":
                leave(token != "elif")
            levels.append(["test" if token in ("if", "while", "until", "elif") else "body", [], [], False, ""])
            first = token != "case"
        elif first and token in ("}", "fi", "done", "esac"):
            if top[0] == "body":
                leave()
            first = False
        elif first and token == "!":
            top[3] = True
        elif first and not re.match(r"else$|\w+=", token):
            top[4], first = token, False
            if token in known - PERMITTED:
                top[1].append((match.start(), token))
        elif top[4] in ("wait_until", "fails_with") and token in known:
            found.append((match.start(), token))
        last = token if token != "\n" or last not in ("&&", "||", "|") else last
    return found


for path in sys.argv[1:]:
    code = plain(path)
    with open(path, encoding="utf-8") as source:
        others = ["helpers.sh"] + re.findall(r'^\. "\$TOP/tests/support/(\w+\.sh)"', source.read(), re.M)
    defined = several(code).union(*(several(plain(os.path.join(os.path.dirname(__file__), other))) for other in others))
    for place, function in sorted(conditions(code, defined)):
        line = len(re.findall("[\n\v]", code[:place])) + 1
        print(f"{path}:{line}: {function} is in a condition, where set -e does not hold")
