"""Hold the program's JSON against Python's: json_objects.py TOOL SEED COUNT

Makes COUNT random texts of JSON, some of them damaged, and a JSON Pointer for each, and compares what json_values finds
there with what Python's json does.
"""

import json
import random
import re
import subprocess
import sys

NAMES = ("", "a", "b", "id", "user", "user_id", "a/b", "m~n", "0", "1", "2", "01", "-", "né", "\u6f22", "\U0001f600", '"', "\\", "x" * 40)
RAW = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f", b"\x80\x80")
CHARACTERS = "ab\"\\/\b\n\t\x00\x1f\x7f é\u20ac\U0001d11e"
HIGH, LOW = 0x10FF00, 0x80  # where bytes from LOW on are put while Python looks at them

# What seldom comes at random: a pointer and a text, with a blank between.
CASES = rb"""
/00 [5,6]
/01 [5,6]
/18446744073709551616 [5,6]
/- [5,6]
/~01~1~0 {"~1/~":1}
/0/1 [[5],6]
/0/1 [[5],[7,8]]
/0/0 [[],5]
/0/0 [{},5,[6]]
/0/3 [[5],[1,2,3,4]]
/2/1 [[0,1],[2,3],[4,5],[6,7]]
/1/0/a [5,[{"a":7},{"a":8}],6]
/a/0 {"a":[],"b":5}
/a/b {"b":2,"a":{"a":{"b":3},"b":1}}
/a/b {"a":{"b":1},"a":7}
/a/b {"a":{"b":1},"a":{}}
/a/b {"a":{"bb":1},"b":2}
/a {"a":"\ud800x\udc00\ud800\ud800\udc00\ud800\n"}
/a {"a":"\ud800\n\udc00"}
/a {"a":"\u12G4"}
/a {"a":"1234"}
/a {"a":-}
/a {"a":1.}
/a {"a":1e}
/a {"a":1e+}
/a {"a":01}
/a {"a":1.5.5}
/a {"a":truex}
/a {"a":-Infinit}
/a {"a":1,}
/a {"b":[1,],"a":1}
/a {"b":[1},"a":1}
/a {"a":1}}
/a {"a":1} 2
/a 1.
/a -
"""


def ways(c):
    """How a character may be written in a string."""
    units = c.encode("utf-16-be")
    escaped = "".join("\\u%04x" % int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    short = json.dumps(c)[1:-1] if c != "/" else "\\/"
    plain = c if c >= " " and c not in '"\\' else short
    return [way.encode() for way in (plain, escaped, escaped.upper().replace("U", "u"), short)]


WAYS = {c: ways(c) for c in set("".join(NAMES) + CHARACTERS)}


class Number(str):
    """A number or another word, as it stands."""


def a_string(draw, text):
    """A string that stands for this text, its characters escaped or not; or for anything, if that is None."""
    out = bytearray(b'"')
    plain = draw.randrange(3)
    for c in text if text is not None else draw.choices(CHARACTERS, k=draw.choice((0, 1, 3, 5, 20))):
        out += WAYS[c][0] if plain else draw.choice(WAYS[c])
        if text is None and not plain and draw.randrange(30) == 0:
            out += draw.choice((b"\\ud800", b"\\udc00", b"\\uDBFF\\u0041", b"\\ud83d\\ude00", b"\\ud83d\\ud83d\\ude00", *RAW))
    return bytes(out + b'"')


def a_name(draw):
    return draw.choice(NAMES if draw.randrange(3) == 0 else NAMES[:5])


def a_number(draw):
    whole = draw.choice(("0", "7", "-0", "-12", "123456789012345678901", "10"))
    return (whole + draw.choice(("", "", ".0", ".50", ".001")) + draw.choice(("", "", "e1", "E+05", "e-300"))).encode()


def a_value(draw, depth):
    """JSON, and sometimes blanks in it."""
    kind = draw.randrange(12)
    blank = lambda: draw.choice((b"", b"", b"", b" ", b"\t \r"))
    if kind < 3 and depth < 4:
        members = [blank() + a_string(draw, a_name(draw)) + blank() + b":" + blank() + a_value(draw, depth + 1) + blank()
                   for _ in range(draw.choice((0, 1, 2, 3, 5)))]
        return b"{" + (b",".join(members) or blank()) + b"}"
    if kind < 5 and depth < 4:
        return b"[" + (b",".join(blank() + a_value(draw, depth + 1) + blank() for _ in range(draw.choice((0, 1, 3, 4)))) or blank()) + b"]"
    if kind < 8:
        return a_string(draw, None)
    if kind < 10:
        return a_number(draw)
    return draw.choice((b"true", b"false", b"null", b"null", b"NaN", b"-Infinity", b"Infinity"))


def a_text(draw):
    members = [a_string(draw, a_name(draw)) + draw.choice((b":", b": ")) + a_value(draw, 1) for _ in range(draw.randrange(1, 9))]
    text = bytearray(b"{" + b", ".join(members) + b"}" if draw.randrange(10) else a_value(draw, 0))
    if draw.randrange(20) == 0:
        text[:0] = draw.choice((b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf", b" \xef\xbb\xbf", b" ", b"\xef\xbb"))
    for _ in range(draw.choice((0, 0, 0, 0, 0, 1, 3))):
        at = draw.randrange(len(text) + 1)
        text[at : at + draw.randrange(3)] = draw.choice((b"", b"", b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"0", b"-", b".", b"e", b"\x00", b"\x1f", b"x", b"\\u12"))
    return bytes(text.replace(b"\n", b" "))


def a_pointer(draw, text):
    """Mostly one that leads somewhere, or nearly."""
    tokens, value = [], read(text) if draw.randrange(4) else None
    while isinstance(value, (dict, list)) and value and draw.randrange(5):
        tokens.append(draw.choice(list(value)) if isinstance(value, dict) else b"%d" % draw.randrange(len(value) + 1))
        value = value[tokens[-1]] if isinstance(value, dict) else value[int(tokens[-1]) - 1]
    if draw.randrange(4) == 0:
        tokens.append(draw.choice(NAMES).encode())
    if tokens and not any(set(token) & {0, 10} for token in tokens):
        return b"".join(b"/" + token.replace(b"~", b"~0").replace(b"/", b"~1") for token in tokens)
    tokens = draw.choices(NAMES if draw.randrange(3) == 0 else NAMES[:5], k=draw.choice((1, 1, 1, 1, 2, 3)))
    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens).encode()


def to_bytes(text):
    """Characters that stand for bytes become these; half surrogate pairs their three bytes."""
    return b"".join(bytes([ord(c) - HIGH]) if HIGH + LOW <= ord(c) < HIGH + 256 else c.encode("utf-8", "surrogatepass") for c in text)


def read(text):
    """What Python makes of it; find if it is no JSON."""
    if text.startswith(b"\xef\xbb\xbf"):
        text = text[3:]
    mapped = "".join(chr(byte if byte < LOW else HIGH + byte) for byte in text)
    try:
        return json.loads(mapped, parse_int=Number, parse_float=Number, parse_constant=lambda _: None,
                           object_pairs_hook=lambda pairs: {to_bytes(name): member for name, member in pairs})
    except ValueError:
        return find


def find(pointer, text):
    """As json_values prints it."""
    value = read(text)
    if value is find:
        return "!"
    for token in pointer[1:].split(b"/"):
        token = token.replace(b"~1", b"/").replace(b"~0", b"~")
        if isinstance(value, dict):
            value = value.get(token, find)
        elif isinstance(value, list) and re.fullmatch(b"0|[1-9][0-9]*", token) and int(token) < len(value):
            value = value[int(token)]
        else:
            value = find
    if value is find or value is None:
        return "?" if value is find else "0"
    if isinstance(value, (dict, list)):
        return "{" if isinstance(value, dict) else "["
    return "=" + (to_bytes(value) if isinstance(value, str) else b"true" if value else b"false").hex()


def main(tool, seed, count):
    """All of it, some at a time."""
    draw = random.Random(seed)
    seen = {}
    for begin in range(0, int(count), 10000):
        texts = [a_text(draw) for _ in range(min(10000, int(count) - begin))]
        cases = [(a_pointer(draw, text), text) for text in texts]
        cases += [tuple(case.split(b" ", 1)) for case in CASES.split(b"\n")[1:-1]]
        lines = b"".join(pointer + b"\n" + text + b"\n" for pointer, text in cases)
        found = subprocess.run([tool], input=lines, stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")
        for (pointer, text), got in zip(cases, found):
            wanted = find(pointer, text)
            seen[wanted[0]] = seen.get(wanted[0], 0) + 1
            if got != wanted:
                sys.exit("%r in %r: wanted %s, got %s" % (pointer, text, wanted, got))
    print(" ".join("%s %d" % row for row in sorted(seen.items())))


main(*sys.argv[1:])
