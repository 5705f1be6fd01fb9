#pragma once

/* Records that are no lines of files: words of the command line, and the numbers of a range. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/source.h"

/* Each word, and NUL after it, the one byte that no word contains. The words must stay. */
struct source *generated_words(const char *const *words, size_t count);

/* The numbers from `first` on, in decimal, each ended by `delimiter`. */
struct number_range {
    uint64_t first;
    uint64_t count; /* 0 also stands for 2^64 if `full` */
    bool full;
    uint8_t delimiter;
};

enum { GENERATED_NUMBER_BYTES = 21 }; /* the longest number and its delimiter */

/* Write number `i` of a range to `text`, GENERATED_NUMBER_BYTES long. Returns how many bytes it takes. */
size_t generated_number(const struct number_range *range, uint64_t i, uint8_t *text);

/* How many bytes the numbers of a range are; UINT64_MAX if they are more than that. */
uint64_t generated_range_bytes(const struct number_range *range);

/* All numbers, ascending. */
struct source *generated_range(const struct number_range *range);
