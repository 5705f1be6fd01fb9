#pragma once

/* --split=N:FILE: some of the records, in a file of their own. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct split {
    const char *path;
    uint64_t amount;    /* records, or millionths of all records */
    bool is_percentage; /* is `amount` the latter? */
};

/* "N:FILE", "P%:FILE": N is a decimal number; P is at most 100, and may have a point and up to four decimals. FILE
 * follows the first colon; split->path points into `text`. -1 with errno EINVAL (no such thing) or ERANGE (a number
 * that is too large). */
int split_parse(const char *text, struct split *split);

/* How many of `records` records one of the splits takes. Sums of percentages are rounded down: the first j of them
 * together take floor(records P), with P their exact sum. So equal shares differ by at most one, and 100 % leave no
 * rest. A count may be larger than `records`. */
uint64_t split_records(const struct split *splits, size_t number, uint64_t records);

/* How many records all splits take together; UINT64_MAX on overflow. */
uint64_t split_total(const struct split *splits, size_t count, uint64_t records);

/* The split that takes a record, by the hash of its key; `count`: none does. All are percentages, laid out in order
 * over the 2^64 hashes. */
size_t split_of_hash(const struct split *splits, size_t count, uint64_t hash);

/* How many of `records` records of one class go to each split: places[i] to splits[i]. All are percentages, or all are
 * counts. The first j of them together get floor(records P + u), with P the exact sum of their percentages and
 * u = hash / 2^64; or the sum of their counts, at most `records`. Returns how many all of them get. */
uint64_t split_class(const struct split *splits, size_t count, uint64_t records, uint64_t hash, uint64_t *places);

/* The sum of the percentages among the splits, in millionths of all records. */
enum { SPLIT_WHOLE = 1000000 };
uint64_t split_percentages(const struct split *splits, size_t count);
