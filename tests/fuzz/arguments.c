/*
 * Arguments of options: what is taken is in range, what is refused is reported and sets no number. Patterns give the
 * names that printf gives, splits what exact arithmetic gives, and escapes their bytes back, however these were
 * written.
 */

#include "end.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "base/escape.h"
#include "base/part.h"
#include "command/argument.h"
#include "output/pattern.h"
#include "output/split.h"
#include "store/format.h"
#include "system/hardware.h"
static struct options options;
static struct parsing parsing = {.options = &options, .spelling = "--x"};

static const char blanks[] = " \t\n\v\f\r";

/* ---- Numbers ---- */

/* Blanks, perhaps a plus sign, digits, up to `end`: a number as shuf takes it, cut to 2^64. */
static bool read_shuf_number(const char *text, const char *end, fuzz_wide *value)
{
    *value = 0;
    text += strspn(text, blanks);
    text += *text == '+';
    if (text >= end)
        return false;
    for (; text < end; text++) {
        if (*text < '0' || *text > '9')
            return false;
        if (*value <= UINT64_MAX)
            *value = *value * 10 + (unsigned)(*text - '0');
    }
    return true;
}

static void check_shuf_numbers(const char *text)
{
    const char *end = text + strlen(text), *hyphen = strchr(text, '-');
    fuzz_wide low, high;
    bool good = read_shuf_number(text, end, &low);

    options.count = UINT64_MAX;
    options.range = false;
    FUZZ_CHECK(FUZZ_ENDS(argument_head_count(&parsing, text)) == !good);
    FUZZ_CHECK(options.count == (good && low < UINT64_MAX ? low : UINT64_MAX));

    good = hyphen != NULL && read_shuf_number(text, hyphen, &low) && read_shuf_number(hyphen + 1, end, &high) &&
           high <= UINT64_MAX && low <= high + 1 && low <= UINT64_MAX;
    FUZZ_CHECK(FUZZ_ENDS(argument_input_range(&parsing, text)) == !good && options.range == good);
    FUZZ_CHECK(!good || (options.range_first == low && options.range_count == (uint64_t)(high - low + 1)));
    FUZZ_CHECK(!good || options.range_full == (low == 0 && high == UINT64_MAX));
}

/* The number that digits alone make, cut to 2^64. */
static bool read_digits(const char *text, const char *end, fuzz_wide *value)
{
    return strspn(text, "0123456789") >= (size_t)(end - text) && read_shuf_number(text, end, value);
}

/* An argument of a type whose field is a number. Is it taken? */
static bool set_number(enum argument_type type, const char *text, uint64_t least)
{
    const struct argument argument = {
        .type = type, .field = offsetof(struct options, keep), .least = least, .most = UINT64_MAX};

    options.keep = 0;
    return !FUZZ_ENDS(argument_set(&parsing, &argument, text));
}

static void check_number(const char *text, uint64_t least)
{
    fuzz_wide exact;
    bool good = read_digits(text, text + strlen(text), &exact) && exact <= UINT64_MAX;
    bool taken = set_number(ARGUMENT_COUNT, text, least);

    FUZZ_CHECK(taken == (good && exact >= least));
    FUZZ_CHECK(!taken || options.keep == exact);
    taken = set_number(ARGUMENT_FIELD, text, 0);
    FUZZ_CHECK(taken == (good && exact >= 1));
    FUZZ_CHECK(!taken || options.keep == exact);
}

static void check_counts(const char *text)
{
    fuzz_wide exact;
    bool good = read_digits(text, text + strlen(text), &exact);
    bool taken = !FUZZ_ENDS(argument_parallel(&parsing, text));

    FUZZ_CHECK(taken == (good && exact >= 1));
    FUZZ_CHECK(!taken || options.parallel == (exact < UINT_MAX ? exact : UINT_MAX));
    good = good && exact >= STORE_FORMAT_PILES_MIN && exact <= STORE_FORMAT_PILES_MAX && (exact & (exact - 1)) == 0;
    FUZZ_CHECK(FUZZ_ENDS(argument_piles(&parsing, text)) == !good);
    FUZZ_CHECK(!good || options.piles == exact);
}

static void check_pile(const char *text)
{
    const char *hyphen = strchr(text, '-'), *end = text + strlen(text);
    fuzz_wide low = 0, high;
    bool good = read_digits(text, hyphen != NULL ? hyphen : end, &low);

    high = low;
    good = good && (hyphen == NULL || read_digits(hyphen + 1, end, &high)) && low <= high && high < UINT64_MAX;
    FUZZ_CHECK(FUZZ_ENDS(argument_pile(&parsing, text)) == !good);
    FUZZ_CHECK(!good || (options.pile_first == low && options.pile_last == high));
}

static void check_part(const char *text)
{
    const char *slash = strchr(text, '/'), *end = text + strlen(text);
    fuzz_wide low, high;
    bool good = slash != NULL && read_digits(text, slash, &low) && read_digits(slash + 1, end, &high) && low > 0 &&
                low <= high && high <= PART_MAX;

    FUZZ_CHECK(FUZZ_ENDS(argument_part(&parsing, text)) == !good);
    FUZZ_CHECK(!good || (options.part == low && options.parts == high));
}

static void check_sizes(const char *text)
{
    bool taken = !FUZZ_ENDS(argument_memory(&parsing, text));

    FUZZ_CHECK(!taken || options.memory_bytes >= HARDWARE_MEMORY_MIN);
    taken = set_number(ARGUMENT_SIZE, text, 0);
    FUZZ_CHECK(!taken || (options.keep > 0 && strchr(text, '%') == NULL));
}

/* ---- Strings ---- */

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

static void check_delimiter(const char *text)
{
    uint8_t *expected = malloc(strlen(text) + 1);
    size_t count;
    const bool taken = !FUZZ_ENDS(argument_delimiter(&parsing, text));

    FUZZ_CHECK(expected != NULL);
    count = decode(text, expected);
    FUZZ_CHECK(taken == (count >= 1 && count <= RECORD_DELIMITER_BYTES_MAX));
    FUZZ_CHECK(!taken || (parsing.delimiter_bytes == count && memcmp(parsing.delimiter, expected, count) == 0));
    free(expected);
}

static void check_strings(const char *text)
{
    const size_t bytes = strlen(text);
    const bool taken = !FUZZ_ENDS(argument_header_start(&parsing, text));

    FUZZ_CHECK(taken == (bytes >= 1 && bytes < RECORD_DELIMITER_BYTES_MAX && strchr(text, '\n') == NULL));
    options.separator_given = false;
    FUZZ_CHECK(FUZZ_ENDS(argument_separator(&parsing, text)) == !options.separator_given);
}

/* A kind with any argument: the format can be used. */
static void check_records(const char *text)
{
    const struct record_format *format = &options.format;

    parsing.kind = NULL;
    parsing.delimiter_bytes = 0;
    if (FUZZ_ENDS(argument_records(&parsing, text)))
        return;
    argument_settle_records(&parsing);
    FUZZ_CHECK(format->kind != RECORD_STRING || format->string_bytes >= 2);
    FUZZ_CHECK((format->kind != RECORD_LINES && format->kind != RECORD_SIZE) || format->count >= 1);
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
            if (digits == 0 || digits > PATTERN_DIGITS_MAX)
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

    FUZZ_CHECK(pattern_is_valid(pattern) == (format != NULL));
    if (format == NULL)
        return;
    name = pattern_name(pattern, number);
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
    check_shuf_numbers(text);
    check_number(text, number);
    check_counts(text);
    check_pile(text);
    check_part(text);
    check_sizes(text);
    check_delimiter(text);
    check_strings(text);
    check_records(text);
    check_pattern(text, number);
    check_split(text, number);
    free(text);
    return 0;
}
