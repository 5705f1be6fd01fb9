/*
 * Texts with a grammar of their own: escapes give the bytes of which they were made, however these were written;
 * patterns the names that printf gives, splits what exact arithmetic gives.
 */

#include "fuzz.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "base/escape.h"
#include "output/plan.h"
#include "output/split.h"

/* ---- Escapes ---- */

static const char letters[] = "abfnrtv\\'\"?", meanings[] = "\a\b\f\n\r\t\v\\'\"?";

/* The number after a backslash or \x, of as many digits as belong to it. Returns what follows, or NULL. */
static const char *decode_number(const char *text, int base, uint8_t *byte)
{
    char number[4] = "";
    size_t digits = strspn(text, base == 16 ? "0123456789abcdefABCDEF" : "01234567"), most = base == 16 ? 2 : 3;
    unsigned long value;

    memcpy(number, text, digits < most ? digits : most);
    value = strtoul(number, NULL, base);
    *byte = (uint8_t)value;
    return digits > 0 && value <= UINT8_MAX ? text + strlen(number) : NULL;
}

/* The bytes that a text with escapes stands for. Returns their number, SIZE_MAX if the text is wrong. */
static size_t decode(const char *text, uint8_t *bytes)
{
    size_t count = 0;

    for (; *text != '\0'; count++) {
        const char *letter = text[0] == '\\' && text[1] != '\0' ? strchr(letters, text[1]) : NULL;

        if (text[0] != '\\') {
            bytes[count] = (uint8_t)*text++;
        } else if (letter != NULL) {
            bytes[count] = (uint8_t)meanings[letter - letters];
            text += 2;
        } else {
            text =
                text[1] == 'x' ? decode_number(text + 2, 16, &bytes[count]) : decode_number(text + 1, 8, &bytes[count]);
            if (text == NULL)
                return SIZE_MAX;
        }
    }
    return count;
}

static void check_text(const char *text)
{
    uint8_t *expected = malloc(strlen(text) + 1), *bytes = malloc(strlen(text) + 1);
    size_t count, parsed;

    FUZZ_CHECK(expected != NULL && bytes != NULL);
    count = decode(text, expected);
    FUZZ_CHECK((escape_parse(text, bytes, strlen(text), &parsed) == 0) == (count != SIZE_MAX));
    FUZZ_CHECK(count == SIZE_MAX || (parsed == count && memcmp(bytes, expected, count) == 0));
    free(bytes);
    free(expected);
}

/* The bytes written as escapes, in the way that `choices` says, are the bytes again. */
static void check_escapes(const uint8_t *data, size_t bytes, uint64_t choices)
{
    char *text = malloc(4 * bytes + 1), *at = text;
    uint8_t *back = malloc(bytes + 1);
    size_t count;

    FUZZ_CHECK(text != NULL && back != NULL);
    for (size_t i = 0; i < bytes; i++, choices = choices >> 2 | choices << 62) {
        const char *meaning = data[i] != '\0' ? strchr(meanings, data[i]) : NULL;

        if (choices % 4 == 0 && data[i] != '\0' && data[i] != '\\')
            at += sprintf(at, "%c", data[i]);
        else if (choices % 4 == 1 && meaning != NULL)
            at += sprintf(at, "\\%c", letters[meaning - meanings]);
        else if (choices % 4 == 2)
            at += sprintf(at, "\\x%02x", data[i]);
        else
            at += sprintf(at, "\\%03o", data[i]);
    }
    *at = '\0';
    FUZZ_CHECK(escape_parse(text, back, bytes, &count) == 0);
    FUZZ_CHECK(count == bytes && (bytes == 0 || memcmp(back, data, bytes) == 0));
    if (bytes > 0)
        FUZZ_CHECK(escape_parse(text, back, bytes - 1, &count) != 0 && errno == ERANGE && count == bytes - 1);
    free(text);
    free(back);
}

/* ---- Patterns ---- */

/* The pattern as printf takes it for a number of 64 bits; NULL if it is none. */
static char *printf_format(const char *pattern)
{
    char *format = malloc(2 * strlen(pattern) + sizeof PRIu64), *at = format;
    unsigned numbers = 0, digits;

    FUZZ_CHECK(format != NULL);
    while (*pattern != '\0') {
        if (pattern[0] == '%' && pattern[1] != '%') {
            size_t length = strspn(pattern + 1, "0123456789");

            digits = length == 0 ? 1 : length > 9 ? UINT_MAX : (unsigned)strtoul(pattern + 1, NULL, 10);
            if (pattern[length + 1] != 'd' || (length > 0 && pattern[1] != '0') || digits == 0 || numbers++ > 0)
                break;
            if (length > 9 && strspn(pattern + 1, "0") >= length - 2)
                digits = (unsigned)strtoul(pattern + length - 1, NULL, 10);
            if (digits == 0 || digits > OUTPUT_DIGITS_MAX)
                break;
            at += sprintf(at, "%%0%u" PRIu64, digits);
            pattern += length + 2;
            continue;
        }
        if (pattern[0] == '%')
            *at++ = *pattern++;
        *at++ = *pattern++;
    }
    *at = '\0';
    if (*pattern == '\0' && numbers == 1)
        return format;
    free(format);
    return NULL;
}

static void check_pattern(const char *pattern, uint64_t number)
{
    char *format = printf_format(pattern), *name, *expected;
    size_t room;

    FUZZ_CHECK(output_plan_is_pattern(pattern) == (format != NULL));
    if (format == NULL)
        return;
    name = output_plan_name(pattern, number);
    FUZZ_CHECK(name != NULL);
    room = strlen(name) + 2;
    expected = malloc(room);
    FUZZ_CHECK(expected != NULL);
    snprintf(expected, room, format, number);
    FUZZ_CHECK(strcmp(name, expected) == 0);
    free(expected);
    free(name);
    free(format);
}

/* ---- Splits ---- */

static void check_split(const char *text, uint64_t records)
{
    struct split split;
    const char *colon = strchr(text, ':');
    fuzz_wide part;

    errno = 0;
    if (split_parse(text, &split) != 0) {
        FUZZ_CHECK(errno == EINVAL || errno == ERANGE);
        return;
    }
    FUZZ_CHECK(colon != NULL && split.path == colon + 1 && *split.path != '\0');
    FUZZ_CHECK(split.is_percentage == (colon[-1] == '%'));
    FUZZ_CHECK(strspn(text, split.is_percentage ? "0123456789.%" : "0123456789") == (size_t)(colon - text));
    FUZZ_CHECK(!split.is_percentage || split.amount <= 1000000);
    part = split.is_percentage ? (fuzz_wide)records * split.amount / 1000000 : split.amount;
    FUZZ_CHECK(split_records(&split, 1, 0, records) == part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};
    uint64_t number = fuzz_number(&fuzz);
    char *text;

    check_escapes(fuzz.data, fuzz.bytes, number);
    text = fuzz_line(&fuzz);
    check_text(text);
    check_pattern(text, number);
    check_split(text, number);
    free(text);
    return 0;
}
