"""The orders and samples that bigshuf-order(7) defines, as lists of the numbers of records, counted from 0."""

import re
from fractions import Fraction

from words import Stream, labelled_key, name, number, words_of_many
from words import words as stream_words

LEAF_RECORDS = 262144
DRAWN_RANGE = 1 << 27
NODES = 1 << 64


def _scatter_bits(count, leaf_records):
    bits = 2
    while bits < 9 and 2 * count > leaf_records << bits:
        bits += 1
    return bits


def _shuffle_leaf(records, stream):
    for i in range(len(records) - 1):
        other = i + stream.draw(len(records) - i)
        records[i], records[other] = records[other], records[i]


def _scattered(node, records, bits, node_words):
    children = [[] for _ in range(1 << bits)]
    shift = 16 - bits
    for record, word in zip(records, node_words):
        children[word >> shift].append(record)
    return [(512 * node + j + 1) % NODES for j in range(1 << bits)], children


def order(key, records, leaf_records=LEAF_RECORDS, root=True):
    """The records, a list, as the tree puts them: node 0 is the root or, in stores, is not."""
    nodes = [(0, list(records))]
    while True:
        bits = [9 if root else _scatter_bits(len(held), leaf_records) if len(held) > leaf_records else 0
                for _, held in nodes]
        if not any(bits):
            break
        root = False
        wanted = [(node, len(held)) for (node, held), k in zip(nodes, bits) if k]
        found = words_of_many(key, wanted, 2)
        below = []
        for (node, held), k in zip(nodes, bits):
            if k:
                below.extend(zip(*_scattered(node, held, k, next(found))))
            else:
                below.append((node, held))
        nodes = [(node, held) for node, held in below if held]
    wanted = [(node, len(held) - 1) for node, held in nodes]
    for (node, held), known in zip(nodes, words_of_many(key, wanted, 4)):
        _shuffle_leaf(held, Stream(key, node, 4, known))
    return [record for _, held in nodes for record in held]


# ---- Other draws ----


def repeat(key, records, count):
    """-r: the first `count` draws from `records` records."""
    stream = Stream(labelled_key(key, b"repeat"), 0, 8)
    return [stream.draw(records) for _ in range(count)]


def bernoulli(key, records, probability):
    """--probability, which is a text."""
    least_out = -((-Fraction(probability) * (1 << 64)) // 1)
    found = stream_words(labelled_key(key, b"bernoulli"), 0, records, 8)
    return [i for i, word in enumerate(found) if word < least_out]


def is_drawn(numbers, count):
    """Is -n count of so many numbers of -i drawn number by number?"""
    return numbers > DRAWN_RANGE and count <= numbers // 2


def drawn_range(key, numbers, count):
    """-i of very many numbers, of which -n wants no more than half."""
    stream = Stream(labelled_key(key, b"range"), 0, 8)
    drawn = {}
    while len(drawn) < count:
        drawn[stream.draw(numbers)] = True
    return list(drawn)


# ---- Weights ----


class BadWeight(Exception):
    """What stands there is no weight."""


def weight(text):
    """A weight as its leading 64 bits: (m, x) for m 2^x, or None for zero. Blanks around it are no part of it."""
    if text.isdigit() and 0 < len(text) < 19:  # the most common ones, quickly
        value = int(text)
        shift = 64 - value.bit_length()
        return (value << shift, -shift) if value else None
    match = re.fullmatch(rb"[ \t\r]*\+?((\d*)\.?(\d*)(?:[eE]([+-]?\d+))?)[ \t\r]*", text)
    if not match or not (match[2] or match[3]):
        raise BadWeight(text)
    digits = match[2] + match[3]
    exponent = int(match[4] or b"0") - len(match[3])
    significant = digits.lstrip(b"0")
    if not significant:
        return None
    if len(significant) > 64:
        exponent += len(significant) - 64
        significant = significant[:64]
    exponent = max(-5000, min(5000, exponent))
    value = Fraction(int(significant)) * Fraction(10) ** exponent
    if value < Fraction(1, 1 << 1074):
        return None
    if value >= 1 << 1024:
        raise BadWeight(text)
    x = value.numerator.bit_length() - value.denominator.bit_length() - 64
    while value >= Fraction(2) ** (x + 64):
        x += 1
    while value < Fraction(2) ** (x + 63):
        x -= 1
    return int(value / Fraction(2) ** x), x


_LN2 = 199786072581291495


def _minus_log(word):
    """-ln((word + 1/2) / 2^64) is `over` / 2^`under`: a pair of these."""
    if word == 0:
        return 65 * _LN2, 58
    e = 64 - word.bit_length()
    d = (1 << 65) - ((2 * word + 1) << e)
    c = 64 - d.bit_length()
    z = (d << (c + 62)) // ((1 << 63) - d // 8)
    y = z * z // (1 << (66 + 2 * c))
    p = (1 << 63) // 35
    for k in range(33, 0, -2):
        p = (1 << 63) // k + p * y // (1 << 64)
    r = z * p // (1 << 64)
    if e == 0:
        return r, c + 63
    return e * _LN2 + r // (1 << (c + 5)), 58


def _key_of(word, weight_parts):
    over, under_bits = _minus_log(word)
    m, x = weight_parts
    # over / 2^under_bits / (m 2^x) = (over / m) 2^-(under_bits + x)
    a = over.bit_length() - m.bit_length()
    if (over << max(0, -a)) < (m << max(0, a)):
        a -= 1
    # (1 + f) = over / (m 2^a)
    fraction = ((over << max(0, 52 - a)) // (m << max(0, a - 52))) - (1 << 52)
    return (a - under_bits - x + 2048) * (1 << 52) + fraction


def weighted(key, weights):
    """All records above weight zero in the order in which they are drawn; weights are as weight() gives them."""
    found = stream_words(labelled_key(key, b"weight"), 0, len(weights), 8)
    keys = [(_key_of(word, parts), i) for i, (word, parts) in enumerate(zip(found, weights)) if parts]
    return [i for _, i in sorted(keys)]


def weighted_repeat(key, weights, count):
    """-r: `count` draws in proportion to weights, of which one is above zero."""
    greatest = max(x for x in (parts[1] for parts in weights if parts))
    sums, total = [], 0
    for parts in weights:
        if parts:
            m, x = parts
            shift = x - greatest + 24
            total += m << shift if shift >= 0 else m >> -shift
        sums.append(total)
    bits = (total - 1).bit_length()
    each = (bits + 63) // 64
    stream = Stream(labelled_key(key, b"weight"), 0, 8)
    return [first_above(sums, below(stream, total, bits, each)) for _ in range(count)]


def below(stream, total, bits, each):
    """A number below the total, of so many bits from so many words."""
    while True:
        drawn = sum(stream.next() << (64 * i) for i in range(each)) & ((1 << bits) - 1)
        if drawn < total:
            return drawn


def first_above(sums, drawn):
    """The place of the first sum that is greater."""
    low, high = 0, len(sums) - 1
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > drawn:
            high = middle
        else:
            low = middle + 1
    return low


# ---- Stores ----


def piles_of_batch(key, batch, records, piles):
    """The pile of each record of a batch."""
    shift = 16 - (piles.bit_length() - 1)
    found = stream_words(labelled_key(key, b"batch", name(batch)), 0, records, 2)
    return [word >> shift for word in found]


def epoch_order(key, piles, epoch):
    """The numbers of the piles in the order of an epoch."""
    numbers = list(range(piles))
    _shuffle_leaf(numbers, Stream(labelled_key(key, b"epoch", number(epoch)), 0, 4))
    return numbers


def pile_order(key, epoch, pile, records, leaf_records=LEAF_RECORDS):
    """The records of a pile as they are written."""
    return order(labelled_key(key, b"pile", number(epoch), number(pile)), records, leaf_records, root=False)
