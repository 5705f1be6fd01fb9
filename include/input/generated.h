#pragma once

/* Records that come from no file: words of the command line, and the numbers of a range. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/source.h"

/* Each word is ended by NUL, the one byte that no word contains. The words must stay. */
struct source *generated_words(const char *const *words, size_t count);

/* The numbers from `first` on, in decimal, each ended by `delimiter`. */
struct number_range {
    uint64_t first;
    uint64_t count; /* 0 also stands for 2^64 if `full` */
    bool full;
    uint8_t delimiter;
};

enum { GENERATED_NUMBER_BYTES = 21 }; /* the longest number and its delimiter */

/* Write number `i` of a range to text[0, GENERATED_NUMBER_BYTES). Returns its length, delimiter included. */
size_t generated_number(const struct number_range *range, uint64_t i, uint8_t *text);

/* The sum of the bytes of all numbers of a range, or UINT64_MAX if that is less. */
uint64_t generated_range_bytes(const struct number_range *range);

/* All numbers, ascending. */
struct source *generated_range(const struct number_range *range);
