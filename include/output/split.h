#pragma once

/* --split=N:FILE: some of the records, in a file of their own. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct split {
    const char *path;
    uint64_t amount;    /* records, or millionths of all records */
    bool is_percentage; /* the latter */
};

/* "N:FILE", "P%:FILE": a decimal number; as a percentage at most 100, with a point and up to four decimals if
 * wanted. FILE is what follows the first colon; split->path points into `text`. -1 with errno EINVAL (no such thing) or
 * ERANGE (a number that is too large). */
int split_parse(const char *text, struct split *split);

/* How many of `records` records one of the splits takes. Percentages are rounded down on their sums: the first j of
 * them together take floor(records P), with the exact sum P of these. So equal ones take equal numbers, or numbers that
 * differ by one, and nothing is left of 100 %. A count may be more than there is. */
uint64_t split_records(const struct split *splits, size_t number, uint64_t records);

/* How many records all splits take together, UINT64_MAX if that is more. */
uint64_t split_total(const struct split *splits, size_t count, uint64_t records);

/* Which of the splits takes a record, by the hash of its key; `count` for none. All are percentages, laid out in order
 * over the 2^64 hashes. */
size_t split_of_hash(const struct split *splits, size_t count, uint64_t hash);

/* How many of `records` records of one class go to each split: places[i] to splits[i]. All are percentages, or all are
 * counts. The first j of them together get floor(records P + u), with the exact sum P of their percentages, and u =
 * hash / 2^64; or as many as they count, as far as there are any. Returns how many all of them get. */
uint64_t split_class(const struct split *splits, size_t count, uint64_t records, uint64_t hash, uint64_t *places);

/* What the percentages among them make, in millionths of all records. */
enum { SPLIT_WHOLE = 1000000 };
uint64_t split_percentages(const struct split *splits, size_t count);
