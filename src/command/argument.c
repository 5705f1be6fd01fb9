/*
 * strtoull reads numbers as shuf does, since the program stays in the C locale, except that it takes a minus sign too:
 * a number with a hyphen in it is refused.
 */

#include "command/argument.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/number.h"
#include "base/part.h"
#include "store/format.h"
#include "system/hardware.h"

/* What an argument should be. */
#define WHOLE_NUMBER "it is a whole number, in digits alone"
#define UNITS        "K, M, G, T (powers of 1024) or KB, MB, GB, TB (of 1000)"

/* Read the text up to `end` as one number. 0; or -1 with errno: EINVAL if it is not a number, ERANGE if the number is
 * too large, and *value is UINT64_MAX. */
static int read_number(const char *text, const char *end, uint64_t *value)
{
    char *stop;

    errno = 0;
    *value = strtoull(text, &stop, 10);
    if (stop == text || stop != end || memchr(text, '-', (size_t)(end - text)) != NULL)
        errno = EINVAL;
    return errno == 0 ? 0 : -1;
}

/* Report that a range is refused because of the part of it from `text` to `end`, and that this is too large if errno is
 * ERANGE. Returns -1. */
static int refuse_range(struct fault *fault, const char *text, const char *end)
{
    return fault_say(fault, "invalid input range: '%.*s': %s", (int)(end - text), text,
                     errno == ERANGE ? strerror(EOVERFLOW)
                                     : "it is LO-HI, two whole numbers, the smaller one first, such as 1-100");
}

int argument_count(struct fault *fault, const char *text, uint64_t *count)
{
    uint64_t value;

    if (read_number(text, text + strlen(text), &value) != 0 && errno != ERANGE)
        return fault_say(fault, "invalid line count: '%s': " WHOLE_NUMBER "%s", text,
                         strchr(text, '%') == NULL ? "" : "; a sample of about 1% is --probability=0.01");
    *count = value;
    return 0;
}

int argument_range(struct fault *fault, const char *text, uint64_t *first, uint64_t *last)
{
    const char *hyphen = text + strcspn(text, "-"), *end = text + strlen(text);
    uint64_t low, high;

    if (read_number(text, hyphen, &low) != 0 || hyphen == end)
        return refuse_range(fault, text, hyphen);
    if (read_number(hyphen + 1, end, &high) != 0)
        return refuse_range(fault, hyphen + 1, end);
    if (low > high && low - high > 1)
        return refuse_range(fault, text, end);
    *first = low;
    *last = high;
    return 0;
}

int argument_field(struct fault *fault, const char *text, uint64_t *field)
{
    uint64_t number;
    int result = number_parse(text, &number);

    if (result == 0 && number > 0) {
        *field = number;
        return 0;
    }
    if (result == 0)
        fault_say(fault, "fields are numbered from 1");
    else if (errno == ERANGE)
        fault_say(fault, "field number '%s' is too large", text);
    else
        fault_say(fault, "invalid field value '%s': " WHOLE_NUMBER, text);
    argument_hint();
    return -1;
}

int argument_separator(struct fault *fault, const char *text, uint8_t *separator)
{
    uint8_t byte = (uint8_t)text[0];
    size_t bytes = 1;

    if (text[0] == '\0')
        return fault_say(fault, "empty tab");
    if (text[1] != '\0' && (escape_parse(text, &byte, 1, &bytes) != 0 || bytes != 1))
        return fault_say(fault, "multi-character tab '%s': it is one byte, or an escape such as \\t", text);
    *separator = byte;
    return 0;
}

int argument_memory(struct fault *fault, const char *spelling, const char *text, uint64_t *bytes)
{
    const uint64_t whole_bytes = strchr(text, '%') != NULL ? hardware_whole_memory() : 0;
    char least[32];
    uint64_t value;

    if (number_parse_size(text, whole_bytes, &value) != 0)
        return argument_refuse(fault, spelling, text,
                               "it is a number and a unit, such as 64M or 1.5G: " UNITS ", or % of memory");
    if (value < HARDWARE_MEMORY_MIN)
        return fault_say(fault, "%s %s: memory must be at least %s%s", spelling, text,
                         number_format_size(HARDWARE_MEMORY_MIN, least),
                         text[strspn(text, "0123456789")] == '\0' ? ": a number without a unit is KiB" : "");
    *bytes = value;
    return 0;
}

int argument_parallel(struct fault *fault, const char *spelling, const char *text, unsigned *threads)
{
    uint64_t value;

    if (number_parse(text, &value) != 0) {
        if (errno != ERANGE)
            return argument_refuse(fault, spelling, text, WHOLE_NUMBER);
        value = UINT64_MAX; /* no error, since it is only a maximum */
    }
    if (value == 0)
        return fault_say(fault, "number in parallel must be nonzero");
    *threads = value < UINT_MAX ? (unsigned)value : UINT_MAX;
    return 0;
}

int argument_number(struct fault *fault, const char *spelling, const char *text, uint64_t least, uint64_t *value)
{
    uint64_t number;

    if (number_parse(text, &number) != 0)
        return argument_refuse(fault, spelling, text, WHOLE_NUMBER);
    if (number < least)
        return fault_say(fault, "%s must be at least %llu", spelling, (unsigned long long)least);
    *value = number;
    return 0;
}

int argument_bytes(struct fault *fault, const char *spelling, const char *text, uint64_t *bytes)
{
    bool has_unit = text[strspn(text, "0123456789")] != '\0';
    uint64_t value;

    errno = EINVAL;
    if (strchr(text, '%') != NULL || (has_unit ? number_parse_size(text, 0, &value) : number_parse(text, &value)) != 0)
        return argument_refuse(fault, spelling, text, "it is a number of bytes, or a number and a unit: " UNITS);
    if (value == 0)
        return fault_say(fault, "%s must be at least 1", spelling);
    *bytes = value;
    return 0;
}

/* Has a string a length at which it fits into a delimiter in which `others` more bytes stand? */
static int check_string(struct fault *fault, const char *spelling, size_t bytes, size_t others)
{
    if (bytes == 0)
        return fault_say(fault, "%s must not be empty", spelling);
    if (bytes > RECORD_DELIMITER_BYTES_MAX - others)
        return fault_say(fault, "%s must be at most %zu bytes", spelling, RECORD_DELIMITER_BYTES_MAX - others);
    return 0;
}

int argument_delimiter(struct fault *fault, const char *spelling, const char *text,
                       uint8_t string[RECORD_DELIMITER_BYTES_MAX], size_t *bytes)
{
    int result = escape_parse(text, string, RECORD_DELIMITER_BYTES_MAX, bytes);

    if (result != 0 && errno == ERANGE && *bytes == RECORD_DELIMITER_BYTES_MAX)
        *bytes = RECORD_DELIMITER_BYTES_MAX + 1; /* the string is so long or longer */
    else if (result != 0)
        return argument_refuse(
            fault, spelling, text,
            "after a backslash there is one of abfnrtv, a second one, or a byte's number: \\xff, \\0");
    return check_string(fault, spelling, *bytes, 0);
}

int argument_start(struct fault *fault, const char *spelling, const char *text, size_t *bytes)
{
    *bytes = strlen(text);
    if (strchr(text, '\n') != NULL)
        return fault_say(fault, "%s must not have a newline", spelling);
    return check_string(fault, spelling, *bytes, 1);
}

int argument_piles(struct fault *fault, const char *spelling, const char *text, unsigned *piles)
{
    uint64_t number;

    if (number_parse(text, &number) != 0 || number < STORE_FORMAT_PILES_MIN || number > STORE_FORMAT_PILES_MAX ||
        (number & (number - 1)) != 0)
        return fault_say(fault, "invalid %s argument '%s': it is a power of two from %d to %d", spelling, text,
                         STORE_FORMAT_PILES_MIN, STORE_FORMAT_PILES_MAX);
    *piles = (unsigned)number;
    return 0;
}

int argument_pile(struct fault *fault, const char *spelling, const char *text, uint64_t *first, uint64_t *last)
{
    uint64_t from = 0;
    uint64_t to;
    const char *rest = number_digits(text, &from);

    to = from;
    if (rest != NULL && *rest == '-')
        rest = number_digits(rest + 1, &to);
    if (rest != NULL && (*rest != '\0' || to < from)) {
        errno = EINVAL;
        rest = NULL;
    } else if (to == UINT64_MAX) { /* which stands for the last pile there is, if the option is not given */
        errno = ERANGE;
        rest = NULL;
    }
    if (rest == NULL)
        return argument_refuse(fault, spelling, text, "it is J or J-K, whole numbers from 0, K not below J");
    *first = from;
    *last = to;
    return 0;
}

int argument_word(struct fault *fault, const char *spelling, const char *text, const char *const *words, size_t count,
                  const char *valid, int *which)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            *which = (int)i;
            return 0;
        }
    }
    return fault_say(fault, "invalid %s argument '%s': it is %s", spelling, text, valid);
}

int argument_part(struct fault *fault, const char *spelling, const char *text, uint64_t *part, uint64_t *parts)
{
    uint64_t number, all = 0;
    const char *rest = number_digits(text, &number);

    if (rest != NULL && *rest == '/')
        rest = number_digits(rest + 1, &all);
    if (rest == NULL || *rest != '\0' || number == 0 || number > all || all > PART_MAX)
        return fault_say(fault, "invalid %s argument '%s': it is R/W, part R of W: from 1/W to W/W, W below 2^32",
                         spelling, text);
    *part = number;
    *parts = all;
    return 0;
}

int argument_tune(struct fault *fault, const char *text, uint64_t *leaf_records)
{
    static const char name[] = "leaf-records=";
    const uint64_t most = (uint64_t)1 << 31;

    if (strncmp(text, name, strlen(name)) != 0)
        return fault_say(fault, "invalid --tune argument '%s': it is leaf-records=T", text);
    if (number_parse(text + strlen(name), leaf_records) != 0 || *leaf_records < 8 || *leaf_records > most)
        return fault_say(fault, "invalid --tune argument '%s': leaf-records must be from 8 to %llu", text,
                         (unsigned long long)most);
    return 0;
}

int argument_refuse(struct fault *fault, const char *spelling, const char *text, const char *valid)
{
    if (errno == ERANGE)
        return fault_say(fault, "%s argument '%s' too large", spelling, text);
    return fault_say(fault, "invalid %s argument '%s': %s", spelling, text, valid);
}

void argument_hint(void)
{
    fputs("Try 'bigshuf --help' for more information.\n", stderr);
}
