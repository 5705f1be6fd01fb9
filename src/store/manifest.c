/*
 * There is one way to write a manifest and so one way to read it: take the words of a line apart without much ado,
 * write the line anew from what was found, and compare. The checksum comes first, but is no signature: whoever can
 * write a text can write that, too. So what piles are said to hold must also make sense, as their numbers become sizes.
 *
 * A text may be large, so inputs are read in its own place: the eight bytes or more of "input NUMBER " become the
 * number, and the name is moved up to it.
 *
 *     input 688895 corpus/a.txt\n  ->  [688895]corpus/a.txt\0
 */

#include "store/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/xxh64.h"
#include "system/sys.h"

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

/* All that stands before the inputs. Returns its end. */
static char *put_head(char *at, const struct manifest *manifest)
{
    char line[LINE_BYTES];

    at = put_key(stpcpy(at, title), manifest->key);
    snprintf(line, sizeof line, "header %" PRIu64 " %016" PRIx64 "\n", manifest->header_bytes,
             manifest->header_checksum);
    return stpcpy(at, line);
}

static char *put_piles(char *at, unsigned piles)
{
    char line[LINE_BYTES];

    snprintf(line, sizeof line, "piles %u\n", piles);
    return stpcpy(at, line);
}

/* The checksum of all that stands from `text` to `at`. */
static char *put_checksum(char *at, const char *text, size_t bytes)
{
    char line[LINE_BYTES];
    struct xxh64 checksum;

    xxh64_init(&checksum, 0);
    xxh64_update(&checksum, text, bytes);
    snprintf(line, sizeof line, "checksum %016" PRIx64 "\n", xxh64_value(&checksum));
    return stpcpy(at, line);
}

char *manifest_text(struct manifest *manifest, size_t *bytes)
{
    size_t room = text_room(manifest);
    char *text, *at;

    *bytes = 0;
    if (!manifest_fits(manifest)) {
        errno = EFBIG;
        return NULL;
    }
    text = sys_allocate(room, 1);
    if (text == NULL)
        return NULL;
    at = put_head(text, manifest);
    for (size_t i = 0; i < manifest->inputs; i++)
        at = put_input(at, &manifest->input[i]);
    at = put_piles(at, manifest->piles);
    manifest->piles_at = (size_t)(at - text);
    for (unsigned i = 0; i < manifest->piles; i++)
        at = put_pile(at, i, &manifest->pile[i]);
    at = put_checksum(at, text, (size_t)(at - text));
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

/* All that stands before the inputs. */
static const char *read_head(const char *text, struct manifest *manifest)
{
    const char *at = read_header(read_key(skip(text, title), manifest->key), manifest);
    char again[4 * LINE_BYTES];

    (void)put_head(again, manifest);
    return at != NULL ? skip(text, again) : NULL;
}

static const char *read_input_bytes(const char *at, uint64_t *bytes)
{
    const char *unknown = skip(at, "-");

    if (unknown == NULL)
        return read_number(at, bytes);
    *bytes = MANIFEST_UNKNOWN;
    return unknown;
}

/* A byte of a name that stands as \ooo; it is never NUL. */
static const char *read_escaped(const char *at, char *byte)
{
    unsigned value;

    if (strspn(at + 1, "01234567") < ESCAPE_BYTES - 1)
        return NULL;
    value = (unsigned)(at[1] - '0') << 6 | (unsigned)(at[2] - '0') << 3 | (unsigned)(at[3] - '0');
    *byte = (char)value;
    return value != 0 && value <= UCHAR_MAX && is_escaped(*byte) ? at + ESCAPE_BYTES : NULL;
}

/* Write the name to *to, which is moved behind its end, and comes not past `at`. */
static const char *read_name(const char *at, char **to)
{
    while (at != NULL && *at != '\n') {
        if (*at == '\\')
            at = read_escaped(at, (*to)++);
        else if (is_escaped(*at)) /* the end of the text, too */
            at = NULL;
        else
            *(*to)++ = *at++;
    }
    *(*to)++ = '\0'; /* perhaps in the place of the newline */
    return at != NULL ? at + 1 : NULL;
}

static const char *read_input(const char *at, char **to)
{
    struct manifest_input input;
    const char *name = skip(read_input_bytes(skip(at, "input "), &input.bytes), " ");
    char again[LINE_BYTES];

    if (name == NULL)
        return NULL;
    (void)begin_input(&input, again);
    if (skip(at, again) != name)
        return NULL;
    memcpy(*to, &input.bytes, sizeof input.bytes);
    *to += sizeof input.bytes;
    return read_name(name, to);
}

static const char *read_inputs(char *at, struct manifest *manifest)
{
    const char *next = at;
    char *to = at;

    manifest->packed = at;
    for (; next != NULL && skip(next, "input ") != NULL; manifest->inputs++)
        next = read_input(next, &to);
    return next;
}

static const char *read_pile(const char *at, struct manifest_pile *pile)
{
    uint64_t number; /* is compared when the line is written again */

    at = skip(read_number(at, &number), " ");
    at = skip(read_number(at, &pile->records), " ");
    at = skip(read_number(at, &pile->bytes), " ");
    return skip(read_hexadecimal(at, 16, &pile->checksum), "\n");
}

/* As far as can be said of a pile by itself. */
static bool is_possible(const struct manifest_pile *pile)
{
    return (pile->records == 0) == (pile->bytes == 0) && pile->records <= pile->bytes && pile->bytes <= INT64_MAX;
}

int manifest_parse_pile(const char line[MANIFEST_PILE_BYTES], unsigned number, struct manifest_pile *pile)
{
    char text[MANIFEST_PILE_BYTES + 1], again[LINE_BYTES];

    memcpy(text, line, MANIFEST_PILE_BYTES);
    text[MANIFEST_PILE_BYTES] = '\0';
    if (read_pile(text, pile) != NULL && put_pile(again, number, pile) == again + MANIFEST_PILE_BYTES &&
        memcmp(again, line, MANIFEST_PILE_BYTES) == 0 && is_possible(pile))
        return 0;
    errno = EINVAL;
    return -1;
}

/* `rest` bytes of the text begin at `at`. */
static const char *read_piles(const char *at, size_t rest, struct manifest *manifest)
{
    char again[LINE_BYTES];
    const char *next;
    uint64_t count;

    next = read_number(skip(at, "piles "), &count);
    if (next == NULL || count > PILES_MAX)
        return NULL;
    (void)put_piles(again, (unsigned)count);
    next = skip(at, again);
    if (next == NULL || (uint64_t)(next - at) + count * MANIFEST_PILE_BYTES != rest)
        return NULL;
    manifest->piles_at = (size_t)(next - manifest->text);
    manifest->pile = sys_allocate((size_t)count + 1, sizeof *manifest->pile);
    if (manifest->pile == NULL)
        return NULL;
    for (; manifest->piles < count; manifest->piles++, next += MANIFEST_PILE_BYTES) {
        struct manifest_pile *pile = &manifest->pile[manifest->piles];

        if (manifest_parse_pile(next, manifest->piles, pile) != 0 || pile->bytes > INT64_MAX - manifest->bytes)
            return NULL;
        manifest->bytes += pile->bytes;
    }
    return next;
}

static bool has_checksum(const char *text, size_t bytes)
{
    char again[LINE_BYTES];

    if (bytes < CHECKSUM_BYTES)
        return false;
    (void)put_checksum(again, text, bytes - CHECKSUM_BYTES);
    return memcmp(again, text + bytes - CHECKSUM_BYTES, CHECKSUM_BYTES) == 0;
}

int manifest_parse(struct manifest *manifest, char *text, size_t bytes)
{
    const char *at;

    *manifest = (struct manifest){.text = text};
    errno = EINVAL;
    if (bytes > MANIFEST_BYTES_MAX || !has_checksum(text, bytes))
        return -1;
    bytes -= CHECKSUM_BYTES;
    at = read_head(text, manifest);
    if (at != NULL)
        at = read_inputs(text + (at - text), manifest);
    if (at != NULL && read_piles(at, bytes - (size_t)(at - text), manifest) != NULL)
        return 0;
    if (errno != ENOMEM)
        errno = EINVAL;
    return -1;
}

void manifest_release(struct manifest *manifest)
{
    free(manifest->text);
    free(manifest->pile);
    *manifest = (struct manifest){0};
}

/* ---- Comparing ---- */

/* The input of a manifest that follows, where `packed` stands if it was parsed. */
static struct manifest_input next_input(const struct manifest *manifest, size_t i, const char **packed)
{
    struct manifest_input input;

    if (manifest->packed == NULL)
        return manifest->input[i];
    memcpy(&input.bytes, *packed, sizeof input.bytes);
    input.name = *packed + sizeof input.bytes;
    *packed = input.name + strlen(input.name) + 1;
    return input;
}

static bool is_same_input(struct manifest_input one, struct manifest_input other)
{
    bool known = one.bytes != MANIFEST_UNKNOWN && other.bytes != MANIFEST_UNKNOWN;

    return strcmp(one.name, other.name) == 0 && (!known || one.bytes == other.bytes);
}

bool manifest_is_same(const struct manifest *one, const struct manifest *other)
{
    const char *at = one->packed, *other_at = other->packed;

    if (memcmp(one->key, other->key, sizeof one->key) != 0 || one->inputs != other->inputs)
        return false;
    for (size_t i = 0; i < one->inputs; i++)
        if (!is_same_input(next_input(one, i, &at), next_input(other, i, &other_at)))
            return false;
    return true;
}

bool manifest_is_known(const struct manifest *manifest)
{
    const char *at = manifest->packed;

    for (size_t i = 0; i < manifest->inputs; i++)
        if (next_input(manifest, i, &at).bytes == MANIFEST_UNKNOWN)
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
