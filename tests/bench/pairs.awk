# Compare two programs measured in the same rounds.
#
# `mine` and `theirs` are their values, one a round, separated by spaces; where one has fewer, the rounds that both have
# count, but a single one of theirs counts for all rounds. `target` is as bench.sh has it. Prints
#
#     PAIRS DROPPED MEDIAN MIN MAX (mine) MEDIAN MIN MAX (theirs) RATIO VERDICT
#
# after dropping the pairs in which theirs is over 1.5 times its median.

# Sort list[1 ... n] upwards.
function sort_up(list, n,    i, j, value) {
    for (i = 2; i <= n; i++) {
        value = list[i]
        for (j = i - 1; j > 0 && list[j] > value; j--)
            list[j + 1] = list[j]
        list[j + 1] = value
    }
}

function median(sorted, n) {
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

# Three digits that mean something.
function short(x) {
    return sprintf(x >= 100 ? "%.0f" : x >= 10 ? "%.1f" : x >= 1 ? "%.2f" : "%.3f", x)
}

BEGIN {
    n = split(mine, m)
    rounds = split(theirs, t)
    for (i = 2; rounds == 1 && i <= n; i++)
        t[i] = t[1]
    if (rounds > 1 && rounds < n)
        n = rounds
    for (i = 1; i <= n; i++) {
        m[i] += 0
        t[i] += 0
        all[i] = t[i]
    }
    sort_up(all, n)
    limit = 1.5 * median(all, n)
    for (i = 1; i <= n; i++)
        if (t[i] <= limit) {
            kept++
            kept_m[kept] = m[i]
            kept_t[kept] = t[i]
        }
    sort_up(kept_m, kept)
    sort_up(kept_t, kept)
    my = median(kept_m, kept)
    their = median(kept_t, kept)

    wanted = substr(target, 3)
    faster = substr(target, 1, 1) == ">"
    ratio = faster ? their / my : my / their
    met = faster ? ratio >= wanted + 0 : ratio <= wanted + 0
    verdict = wanted == "" || quick != "" ? "-" : met ? "met" : "MISSED"
    print kept, n - kept, short(my), short(kept_m[1]), short(kept_m[kept]), short(their), short(kept_t[1]),
        short(kept_t[kept]), short(ratio), verdict
}
