#pragma once

/*
 * What the fuzzers share. Each is one file, tests/fuzz/SUBJECT.c: the function that libFuzzer calls takes an input
 * apart, with the functions here, and hands the parts to a module, of which it checks what the headers promise. It runs
 * in a folder of its own (run.sh), with standard error out of sight, so that reports cost little. Inputs to begin with
 * are the lines of tests/fuzz/seeds/SUBJECT. `make check` tries each without libFuzzer, on what is made of these
 * (support/fuzz_test.c), except those that include end.h.
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/record.h"

#define FUZZ_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* What is left of an input. Where nothing is left, everything taken is 0 or empty. */
struct fuzz {
    const uint8_t *data;
    size_t bytes;
};

static inline uint8_t fuzz_byte(struct fuzz *fuzz)
{
    if (fuzz->bytes == 0)
        return 0;
    fuzz->bytes--;
    return *fuzz->data++;
}

/* A number of any size: how many bytes it has, and these. */
static inline uint64_t fuzz_number(struct fuzz *fuzz)
{
    uint64_t number = 0;

    for (unsigned left = fuzz_byte(fuzz) % 9; left > 0; left--)
        number = number << 8 | fuzz_byte(fuzz);
    return number;
}

/* A number from `least` to `most`, of two bytes. */
static inline size_t fuzz_from_to(struct fuzz *fuzz, size_t least, size_t most)
{
    size_t number = fuzz_byte(fuzz);

    number = number << 8 | fuzz_byte(fuzz);
    return least + number % (most - least + 1);
}

/* Lines, any string, or a kind that is one of its own and no archive. */
static inline const struct record_kind *fuzz_kind(struct fuzz *fuzz)
{
    enum { KINDS = 64 };
    const struct record_kind *own[KINDS] = {NULL, &string_delimiter_kind};
    size_t count = 2;

    for (size_t i = 0; record_kinds[i] != NULL && count < KINDS; i++)
        if (record_kinds[i]->stands_for == NULL && (record_kinds[i]->traits & RECORD_GROUP) == 0)
            own[count++] = record_kinds[i];
    return own[fuzz_byte(fuzz) % count];
}

/* Any format. `string` receives the string of it. */
static inline struct record_format fuzz_format(struct fuzz *fuzz, uint8_t string[RECORD_DELIMITER_BYTES_MAX])
{
    const struct record_kind *kind = fuzz_kind(fuzz);
    struct record_format format = {.kind = kind, .delimiter = fuzz_byte(fuzz)};

    format.count = fuzz_number(fuzz);
    format.count += format.count == 0;
    if (kind == &csv_kind) {
        format.quotes.separator = format.delimiter;
        format.quotes.separated = strchr("\n\r\"\\", format.delimiter) == NULL;
        format.quotes.backslash = format.count % 2 == 0;
        format.delimiter = '\n';
    }
    if (kind != NULL)
        record_take(&format, kind, string);
    if (kind != &string_delimiter_kind && (kind == NULL || kind->takes != RECORD_LINE))
        return format;
    format.string_bytes = 2 + fuzz_byte(fuzz) % (RECORD_DELIMITER_BYTES_MAX - 1);
    for (size_t i = 0; i < format.string_bytes; i++)
        string[i] = fuzz_byte(fuzz);
    string[0] = kind->takes == RECORD_LINE ? '\n' : string[0];
    for (size_t i = 1; kind->takes == RECORD_LINE && i < format.string_bytes; i++)
        string[i] ^= string[i] == '\n';
    return format;
}

/* The next bytes, one after another as often as there is room: short inputs would miss what comes by the window or the
 * block. Returns how many that makes. */
static inline size_t fuzz_repeat(struct fuzz *fuzz, size_t bytes, size_t times, uint8_t *to, size_t room)
{
    size_t used = 0;

    bytes = bytes < fuzz->bytes ? bytes : fuzz->bytes;
    for (; times > 0 && bytes > 0 && bytes <= room - used; times--, used += bytes)
        memcpy(to + used, fuzz->data, bytes);
    fuzz->data += bytes;
    fuzz->bytes -= bytes;
    return used;
}

/* Memory of just this size, so that the address sanitizer sees every step out of it. Free it. */
static inline void *fuzz_copy(const void *data, size_t bytes)
{
    void *copy = calloc(bytes > 0 ? bytes : 1, 1);

    FUZZ_CHECK(copy != NULL);
    if (bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

/* What comes up to a newline, which is taken too, or a NUL byte, as a string. Free it. */
static inline char *fuzz_line(struct fuzz *fuzz)
{
    size_t length = 0;
    char *line;

    while (length < fuzz->bytes && fuzz->data[length] != '\n' && fuzz->data[length] != '\0')
        length++;
    line = length > 0 ? strndup((const char *)fuzz->data, length) : strdup("");
    FUZZ_CHECK(line != NULL);
    length += length < fuzz->bytes;
    fuzz->data += length;
    fuzz->bytes -= length;
    return line;
}

/* Write a file in the current directory. */
static inline void fuzz_put(const char *name, const void *data, size_t bytes)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    FUZZ_CHECK(fd >= 0);
    FUZZ_CHECK(write(fd, data, bytes) == (ssize_t)bytes);
    close(fd);
}
