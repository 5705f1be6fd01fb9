#ifndef BIGSHUF_COMMAND_ARGUMENT_H
#define BIGSHUF_COMMAND_ARGUMENT_H

/*
 * Parsing of the arguments of options. An argument that other tools take as well is taken as they take it, and refused
 * in their words, to which is added what would be valid; the models are shuf, sort and cut of GNU coreutils 9.1, in the
 * C locale.
 *
 * All return 0 and set what the last pointers point to; or -1 after a report, and then they may have been set or
 * not. `spelling` is the option as it was given, for the report.
 */

#include <stddef.h>
#include <stdint.h>

#include "record/record.h"
#include "system/fault.h"

/* A decimal number as `shuf -n` takes it: blanks and a plus sign may come first; a number above 2^64 - 1 counts as
 * 2^64 - 1. */
int argument_count(struct fault *fault, const char *text, uint64_t *count);

/* LO-HI as `shuf -i` takes it, with blanks and plus signs as above. HI may be LO - 1, for no numbers at all. Unlike
 * there, all the 2^64 numbers are a range too. */
int argument_range(struct fault *fault, const char *text, uint64_t *first, uint64_t *last);

/* A field, numbered from 1 as in `cut -f`: digits alone. */
int argument_field(struct fault *fault, const char *text, uint64_t *field);

/* What separates fields: one byte, as `sort -t` takes it, or an escape of escape.h, such as \0 and \t. */
int argument_separator(struct fault *fault, const char *text, uint8_t *separator);

/* A memory limit, as number_parse_size takes it; at least HARDWARE_MEMORY_MIN. */
int argument_memory(struct fault *fault, const char *spelling, const char *text, uint64_t *bytes);

/* A number of threads, as `sort --parallel` takes it: at least one; a number above UINT_MAX counts as UINT_MAX. */
int argument_parallel(struct fault *fault, const char *spelling, const char *text, unsigned *threads);

/* One of `count` words, which `valid` lists: "one, two or three". */
int argument_word(struct fault *fault, const char *spelling, const char *text, const char *const *words, size_t count,
                  const char *valid, int *which);

/* A number, at least `least`: digits alone. */
int argument_number(struct fault *fault, const char *spelling, const char *text, uint64_t least, uint64_t *value);

/* A size of at least one byte: a number of bytes, or with a unit as number_parse_size takes it, but not %. */
int argument_bytes(struct fault *fault, const char *spelling, const char *text, uint64_t *bytes);

/* What ends a record: 1 to RECORD_DELIMITER_BYTES_MAX bytes, as escape_parse takes them, written to `string`. */
int argument_delimiter(struct fault *fault, const char *spelling, const char *text,
                       uint8_t string[RECORD_DELIMITER_BYTES_MAX], size_t *bytes);

/* What begins a record, without the newline before it: at least one byte, no newline, at most
 * RECORD_DELIMITER_BYTES_MAX - 1 bytes, since the newline goes with it. There are no escapes: it is `text` as it
 * stands, and *bytes is its length. */
int argument_start(struct fault *fault, const char *spelling, const char *text, size_t *bytes);

/* The number of a store's piles: a power of two from STORE_FORMAT_PILES_MIN to STORE_FORMAT_PILES_MAX. */
int argument_piles(struct fault *fault, const char *spelling, const char *text, unsigned *piles);

/* Piles: J, which is both the first and the last one, or J-K with J <= K. */
int argument_pile(struct fault *fault, const char *spelling, const char *text, uint64_t *first, uint64_t *last);

/* R/W: part R of W, which are numbered from 1; at most PART_MAX. */
int argument_part(struct fault *fault, const char *spelling, const char *text, uint64_t *part, uint64_t *parts);

/* leaf-records=T of --tune. */
int argument_tune(struct fault *fault, const char *text, uint64_t *leaf_records);

/* Report that the option does not take this argument: it is too large if errno is ERANGE, else invalid, and `valid`
 * says what would not be ("it is a whole number"). Returns -1. */
int argument_refuse(struct fault *fault, const char *spelling, const char *text, const char *valid);

/* After a message about wrong usage: a line on standard error that tells of --help. */
void argument_hint(void);

#endif
