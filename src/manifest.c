/*
 * There is one way to write a manifest and so one way to read it: take the words apart without much ado, write the
 * manifest anew from what was found, and compare. Whatever is not as it must be to the byte shows there, the checksum
 * included. Nothing of a text is believed before: numbers in it are never used as sizes, but for that of the piles,
 * which is bounded.
 */

#include "manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "sys.h"
#include "xxh64.h"

static const char title[] = "bigshuf batch 1\n";

enum {
    PILES_MAX = 10000, /* what the four digits of a pile's line can tell apart */
    LINE_BYTES = 128,  /* room for any line but that of an input */
    CHECKSUM_BYTES = sizeof "checksum 0123456789abcdef\n" - 1,
    ESCAPE_BYTES = 4, /* \ooo */
};

/* ---- Writing ---- */

static bool is_escaped(char byte)
{
    return (unsigned char)byte < ' ' || byte == 0x7f || byte == '\\';
}

static size_t name_bytes(const char *name)
{
    size_t bytes = 0;

    for (; *name != '\0'; name++)
        bytes += is_escaped(*name) ? ESCAPE_BYTES : 1;
    return bytes;
}

/* The line of an input up to its name. Returns its length. */
static size_t begin_input(const struct manifest_input *input, char line[LINE_BYTES])
{
    if (input->bytes == MANIFEST_UNKNOWN)
        return (size_t)snprintf(line, LINE_BYTES, "input - ");
    return (size_t)snprintf(line, LINE_BYTES, "input %" PRIu64 " ", input->bytes);
}

static char *put_input(char *at, const struct manifest_input *input)
{
    char line[LINE_BYTES];

    (void)begin_input(input, line);
    at = stpcpy(at, line);
    for (const char *byte = input->name; *byte != '\0'; byte++) {
        if (!is_escaped(*byte)) {
            *at++ = *byte;
            continue;
        }
        snprintf(line, sizeof line, "\\%03o", (unsigned)(unsigned char)*byte);
        at = stpcpy(at, line);
    }
    *at = '\n';
    return at + 1;
}

static char *put_key(char *at, const uint8_t key[MANIFEST_KEY_BYTES])
{
    char digits[3];

    at = stpcpy(at, "key ");
    for (int i = 0; i < MANIFEST_KEY_BYTES; i++) {
        snprintf(digits, sizeof digits, "%02x", key[i]);
        at = stpcpy(at, digits);
    }
    return stpcpy(at, "\n");
}

static char *put_pile(char *at, unsigned number, const struct manifest_pile *pile)
{
    char line[LINE_BYTES];

    snprintf(line, sizeof line, "%04u %20" PRIu64 " %20" PRIu64 " %016" PRIx64 "\n", number, pile->records, pile->bytes,
             pile->checksum);
    return stpcpy(at, line);
}

/* No less than the text will have. */
static size_t text_room(const struct manifest *manifest)
{
    char line[LINE_BYTES];
    size_t bytes = 8 * (size_t)LINE_BYTES + (size_t)manifest->piles * MANIFEST_PILE_BYTES;

    for (size_t i = 0; i < manifest->inputs; i++)
        bytes += begin_input(&manifest->input[i], line) + name_bytes(manifest->input[i].name) + 1;
    return bytes;
}

bool manifest_fits(const struct manifest *manifest)
{
    return text_room(manifest) <= MANIFEST_BYTES_MAX && manifest->piles <= PILES_MAX;
}

char *manifest_text(struct manifest *manifest, size_t *bytes)
{
    char line[LINE_BYTES], *text, *at;
    size_t room = text_room(manifest);
    struct xxh64 checksum;

    *bytes = 0;
    if (!manifest_fits(manifest)) {
        errno = EFBIG;
        return NULL;
    }
    text = sys_allocate(room, 1);
    if (text == NULL)
        return NULL;
    at = put_key(stpcpy(text, title), manifest->key);
    snprintf(line, sizeof line, "header %" PRIu64 " %016" PRIx64 "\n", manifest->header_bytes,
             manifest->header_checksum);
    at = stpcpy(at, line);
    for (size_t i = 0; i < manifest->inputs; i++)
        at = put_input(at, &manifest->input[i]);
    snprintf(line, sizeof line, "piles %u\n", manifest->piles);
    at = stpcpy(at, line);
    manifest->piles_at = (size_t)(at - text);
    for (unsigned i = 0; i < manifest->piles; i++)
        at = put_pile(at, i, &manifest->pile[i]);
    xxh64_init(&checksum, 0);
    xxh64_update(&checksum, text, (size_t)(at - text));
    snprintf(line, sizeof line, "checksum %016" PRIx64 "\n", xxh64_value(&checksum));
    at = stpcpy(at, line);
    *bytes = (size_t)(at - text);
    return text;
}

/* ---- Reading: each returns what follows, or NULL ---- */

static const char *skip(const char *at, const char *text)
{
    size_t length = strlen(text);

    return at != NULL && strncmp(at, text, length) == 0 ? at + length : NULL;
}

static const char *read_number(const char *at, uint64_t *number)
{
    *number = 0;
    return at == NULL ? NULL : number_digits(at + strspn(at, " "), number);
}

static const char *read_hexadecimal(const char *at, size_t digits, uint64_t *number)
{
    static const char digit[] = "0123456789abcdef";

    *number = 0;
    if (at == NULL)
        return NULL;
    for (; digits > 0; digits--) {
        const char *found = *at != '\0' ? strchr(digit, *at) : NULL;

        if (found == NULL)
            return NULL;
        *number = *number << 4 | (uint64_t)(found - digit);
        at++;
    }
    return at;
}

static const char *read_key(const char *at, uint8_t key[MANIFEST_KEY_BYTES])
{
    uint64_t byte;

    at = skip(at, "key ");
    for (int i = 0; i < MANIFEST_KEY_BYTES; i++) {
        at = read_hexadecimal(at, 2, &byte);
        key[i] = (uint8_t)byte;
    }
    return skip(at, "\n");
}

static const char *read_header(const char *at, struct manifest *manifest)
{
    at = skip(read_number(skip(at, "header "), &manifest->header_bytes), " ");
    return skip(read_hexadecimal(at, 16, &manifest->header_checksum), "\n");
}

static const char *read_input_bytes(const char *at, uint64_t *bytes)
{
    const char *unknown = skip(at, "-");

    if (unknown == NULL)
        return read_number(at, bytes);
    *bytes = MANIFEST_UNKNOWN;
    return unknown;
}

/* Write the name to *copy, which is moved behind its end. */
static const char *read_name(const char *at, char **copy)
{
    while (at != NULL && *at != '\n' && *at != '\0') {
        if (*at != '\\') {
            *(*copy)++ = *at++;
            continue;
        }
        if (strspn(at + 1, "01234567") < ESCAPE_BYTES - 1)
            return NULL;
        *(*copy)++ = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
        at += ESCAPE_BYTES;
    }
    *(*copy)++ = '\0';
    return skip(at, "\n");
}

static size_t count_inputs(const char *at)
{
    size_t count = 0;

    for (; at != NULL && skip(at, "input ") != NULL; at = skip(strchr(at, '\n'), "\n"))
        count++;
    return count;
}

/* All names stand in one piece of memory, which begins with the first one: they are no longer than their text. */
static const char *read_inputs(const char *at, struct manifest *manifest)
{
    const size_t count = count_inputs(at);
    struct manifest_input *input;
    char *names;

    if (count == 0)
        return at;
    input = sys_allocate(count, sizeof *input);
    if (input == NULL)
        return NULL;
    names = sys_allocate(strlen(at), 1);
    manifest->input = input;
    manifest->inputs = count;
    input[0].name = names;
    if (names == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        input[i].name = names;
        at = skip(read_input_bytes(skip(at, "input "), &input[i].bytes), " ");
        at = read_name(at, &names);
    }
    return at;
}

static const char *read_pile(const char *at, struct manifest_pile *pile)
{
    uint64_t number; /* is compared when the line is written again */

    at = skip(read_number(at, &number), " ");
    at = skip(read_number(at, &pile->records), " ");
    at = skip(read_number(at, &pile->bytes), " ");
    return skip(read_hexadecimal(at, 16, &pile->checksum), "\n");
}

static const char *read_piles(const char *at, struct manifest *manifest)
{
    uint64_t count;

    at = skip(read_number(skip(at, "piles "), &count), "\n");
    if (at == NULL || count > PILES_MAX)
        return NULL;
    manifest->pile = sys_allocate((size_t)count + 1, sizeof *manifest->pile);
    if (manifest->pile == NULL)
        return NULL;
    manifest->piles = (unsigned)count;
    for (unsigned i = 0; i < manifest->piles; i++)
        at = read_pile(at, &manifest->pile[i]);
    return at;
}

/* `text` ends with a NUL byte. */
static const char *read_all(const char *text, struct manifest *manifest)
{
    const char *at = read_header(read_key(skip(text, title), manifest->key), manifest);

    if (at == NULL)
        return NULL;
    at = read_inputs(at, manifest);
    return read_piles(at, manifest);
}

int manifest_parse(struct manifest *manifest, const char *text, size_t bytes)
{
    char *copy = NULL, *again = NULL;
    size_t again_bytes;
    int result = -1;

    *manifest = (struct manifest){0};
    errno = EINVAL;
    if (bytes > MANIFEST_BYTES_MAX)
        return -1;
    copy = sys_allocate(bytes + 1, 1);
    if (copy == NULL)
        return -1;
    memcpy(copy, text, bytes);
    if (read_all(copy, manifest) == NULL)
        goto out;
    again = manifest_text(manifest, &again_bytes);
    if (again == NULL)
        goto out;
    errno = EINVAL;
    if (again_bytes == bytes && memcmp(again, text, bytes) == 0)
        result = 0;
out:
    if (errno != ENOMEM)
        errno = EINVAL;
    free(again);
    free(copy);
    return result;
}

void manifest_release(struct manifest *manifest)
{
    if (manifest->inputs > 0)
        free((char *)manifest->input[0].name); /* and all others */
    free((struct manifest_input *)manifest->input);
    free(manifest->pile);
    *manifest = (struct manifest){0};
}

int manifest_parse_pile(const char line[MANIFEST_PILE_BYTES], unsigned number, struct manifest_pile *pile)
{
    char text[MANIFEST_PILE_BYTES + 1], again[LINE_BYTES];

    memcpy(text, line, MANIFEST_PILE_BYTES);
    text[MANIFEST_PILE_BYTES] = '\0';
    if (read_pile(text, pile) != NULL && put_pile(again, number, pile) == again + MANIFEST_PILE_BYTES &&
        memcmp(again, line, MANIFEST_PILE_BYTES) == 0)
        return 0;
    errno = EINVAL;
    return -1;
}

/* ---- Comparing ---- */

static bool is_same_input(const struct manifest_input *one, const struct manifest_input *other)
{
    bool known = one->bytes != MANIFEST_UNKNOWN && other->bytes != MANIFEST_UNKNOWN;

    return strcmp(one->name, other->name) == 0 && (!known || one->bytes == other->bytes);
}

bool manifest_is_same(const struct manifest *one, const struct manifest *other)
{
    if (memcmp(one->key, other->key, sizeof one->key) != 0 || one->inputs != other->inputs)
        return false;
    for (size_t i = 0; i < one->inputs; i++)
        if (!is_same_input(&one->input[i], &other->input[i]))
            return false;
    return true;
}

bool manifest_is_known(const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->inputs; i++)
        if (manifest->input[i].bytes == MANIFEST_UNKNOWN)
            return false;
    return true;
}

bool manifest_holds_same(const struct manifest *one, const struct manifest *other)
{
    if (one->header_bytes != other->header_bytes || one->header_checksum != other->header_checksum ||
        one->piles != other->piles)
        return false;
    for (unsigned i = 0; i < one->piles; i++)
        if (one->pile[i].records != other->pile[i].records || one->pile[i].bytes != other->pile[i].bytes ||
            one->pile[i].checksum != other->pile[i].checksum)
            return false;
    return true;
}
