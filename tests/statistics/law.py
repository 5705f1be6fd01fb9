"""How likely outcomes are, and how well counts agree with that."""

import itertools
import math

EXPECTED_MIN = 5  # so many samples make the distribution of chi-square good enough
EVEN_DEGREES = 20  # from so many on, chi-square is hardly ever very small by chance


def chi_square_tails(x, degrees):
    """How likely chi-square is at most x, and at least x: the incomplete gamma function (Abramowitz and Stegun,
    Handbook of Mathematical Functions, 6.5.29). What is below 10^-13 is not known exactly."""
    a, x = degrees / 2, x / 2
    first = a * math.log(x) - x - math.lgamma(a + 1) if x > 0 else -math.inf
    if first < -700:
        return (1.0, 0.0) if x > a else (0.0, 1.0)
    term = total = math.exp(first)
    while term > total * 1e-16:  # they become larger up to the one of x
        a += 1
        term *= x / a
        total += term
    return min(total, 1.0), max(1 - total, 0.0)


def check_tails():
    """Against percentage points that are in every table (NIST, Engineering Statistics Handbook, 1.3.6.7.4)."""
    for degrees, x, upper in ((1, 3.841, 0.05), (5, 20.515, 0.001), (10, 18.307, 0.05), (10, 3.940, 0.95),
                              (30, 50.892, 0.01), (100, 124.342, 0.05), (100, 149.449, 0.001), (100, 70.065, 0.99)):
        assert abs(chi_square_tails(x, degrees)[1] / upper - 1) < 0.002, (degrees, x)


def both_sides(x, degrees):
    """Counts may be too uneven, or more even than chance makes them; a few cells are often quite even."""
    lower, upper = chi_square_tails(x, degrees)
    return min(1.0, 2 * (upper if degrees < EVEN_DEGREES else min(lower, upper)))


def holm(p):
    """What each of these is as one of so many, by Holm (1979): the least becomes as many times as large, and so on."""
    adjusted, least = {}, 0
    for i, k in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        least = adjusted[k] = max(least, min(1.0, (len(p) - i) * p[k]))
    return [adjusted[k] for k in range(len(p))]


def pattern(group):
    """The order of some numbers as a number. Modulo m!, it is that of the first m of them."""
    return sum(math.factorial(j) * sum(x < group[j] for x in group[:j]) for j in range(1, len(group)))


def pattern7(a, b, c, d, e, f, g):
    """The same of seven, in a tenth of the time."""
    return ((a < b) + 2 * ((a < c) + (b < c)) + 6 * ((a < d) + (b < d) + (c < d)) +
            24 * ((a < e) + (b < e) + (c < e) + (d < e)) + 120 * ((a < f) + (b < f) + (c < f) + (d < f) + (e < f)) +
            720 * ((a < g) + (b < g) + (c < g) + (d < g) + (e < g) + (f < g)))


# ---- Laws: probabilities by outcome, which is what is written ----


def samples(records, count):
    """So many different records, in any order."""
    return weighted([1] * records, count)


def weighted(weights, count, again=False, ascending=False):
    """Each next one in proportion to weight, among those that are left if none may come again."""
    law = {}
    numbers = range(len(weights))
    for drawn in itertools.product(numbers, repeat=count) if again else itertools.permutations(numbers, count):
        left, p = sum(weights), 1.0
        for i in drawn:
            p *= weights[i] / left
            left -= 0 if again else weights[i]
        outcome = " ".join(str(i + 1) for i in (sorted(drawn) if ascending else drawn))
        law[outcome] = law.get(outcome, 0) + p
    return {outcome: p for outcome, p in law.items() if p > 0}


def dealt(records, shares):
    """The files of so many records of a class, if each file but the last gets its share, of quarters, as the sentences
    at the head of strata.c say: the ends of all shares are rounded with one random number."""
    law = {}
    for quarter in range(4):
        ends = [int(records * sum(shares[: i + 1]) + quarter / 4 + 0.125) for i in range(len(shares))] + [records]
        files = "".join(name * (end - begin) for name, begin, end in zip("abc", [0] + ends, ends))
        orders = set(itertools.permutations(files))
        for order in orders:
            law["".join(order)] = law.get("".join(order), 0) + 0.25 / len(orders)
    return law


def independent(law, count):
    """So many outcomes of a law, one after another, without blanks."""
    return {"".join(each): math.prod(law[one] for one in each) for each in itertools.product(law, repeat=count)}


class Result:
    def __init__(self, total, cells, degrees, chi_square):
        self.samples, self.cells, self.degrees, self.chi_square = total, cells, degrees, chi_square
        self.p = both_sides(chi_square, degrees) if chi_square < math.inf else 0.0

    def finds(self):
        """The relative error of probabilities (root mean square) that is found in 19 cases of 20: the samples add on
        average the square of it, times their number, to chi-square, for which 132 must be added with 120 cells, 72 with
        20 and 53 with 6; this is an estimate of that. (A shuffle of five that exchanges each with any of all, instead of
        those that are left, has 0.22.)"""
        return math.sqrt((6.4 * math.sqrt(2 * self.degrees) + 35) / self.samples)


def compare(counts, law, degrees=None):
    """Counts by outcome with their law; those that are expected too seldom count as one."""
    total = sum(counts.values())
    if any(outcome not in law for outcome in counts):
        return Result(total, len(law), len(law) - 1, math.inf)
    cells, seldom = [], [0, 0.0]
    for outcome, p in law.items():
        if total * p < EXPECTED_MIN:
            seldom = [seldom[0] + counts.get(outcome, 0), seldom[1] + total * p]
        else:
            cells.append((counts.get(outcome, 0), total * p))
    if seldom[1] >= EXPECTED_MIN:
        cells.append(seldom)
    if len(cells) < 2:
        return None
    chi_square = sum((counted - expected)**2 / expected for counted, expected in cells)
    return Result(total, len(cells), degrees or len(cells) - 1, chi_square)


def compare_orders(counts, most):
    """Counts by pattern: of 2, 3 and so on up to `most` records, as far as there are enough samples."""
    results = []
    for m in range(2, most + 1):
        orders = math.factorial(m)
        if sum(counts.values()) < EXPECTED_MIN * orders:
            break
        of_first = dict.fromkeys(range(orders), 0)
        for index, count in counts.items():
            of_first[index % orders] += count
        results.append(compare(of_first, dict.fromkeys(range(orders), 1 / orders)))
    return results
