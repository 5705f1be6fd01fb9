/*
 * Lines are compared with what would be written for what was read in them (line.h). The checksum is looked at before
 * that, but it is no signature: whoever can write a text can write that, too. So what piles are said to hold must also
 * make sense, since memory and files are measured by it.
 *
 * A text may be large, so its inputs are not copied but packed where they stand in it: the number takes the first eight
 * of the bytes of "input NUMBER ", which are eight or more, and the name is moved up to it.
 *
 *     input 688895 corpus/a.txt\n  ->  [688895]corpus/a.txt\0
 */

#include "store/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "store/line.h"
#include "system/sys.h"

static const char title[] = "bigshuf batch 1\n";
static const char decompressed[] = "decompressed\n";

enum {
    PILES_MAX = 10000, /* what the four digits of a pile's line can tell apart */
    LINE_BYTES = 128,  /* room for any line but that of an input */
    ESCAPE_BYTES = 4,  /* \ooo */
};

/* ---- Writing: each returns the end of what was written ---- */

static bool is_escaped(char byte)
{
    return (unsigned char)byte < ' ' || byte == 0x7f || byte == '\\';
}

static char *put_name(char *at, const char *end, const char *name)
{
    for (; *name != '\0'; name++)
        if (is_escaped(*name))
            at = line_put(at, end, "\\%03o", (unsigned)(unsigned char)*name);
        else
            *at++ = *name;
    return at;
}

static size_t name_bytes(const char *name)
{
    size_t bytes = 0;

    for (; *name != '\0'; name++)
        bytes += is_escaped(*name) ? ESCAPE_BYTES : 1;
    return bytes;
}

/* The line of an input up to its name. */
static char *put_input_bytes(char *at, const char *end, uint64_t bytes)
{
    return bytes == MANIFEST_UNKNOWN ? line_put(at, end, "input - ") : line_put(at, end, "input %" PRIu64 " ", bytes);
}

static char *put_input(char *at, const char *end, const struct manifest_input *input)
{
    return line_put(put_name(put_input_bytes(at, end, input->bytes), end, input->name), end, "\n");
}

/* All that stands before the inputs. */
static char *put_head(char *at, const char *end, const struct manifest *manifest)
{
    at = line_put(at, end, "%skey ", title);
    for (int i = 0; i < MANIFEST_KEY_BYTES; i++)
        at = line_put(at, end, "%02x", manifest->key[i]);
    at = line_put(at, end, "\n");
    if (manifest->reading.decompressed)
        at = line_put(at, end, "%s", decompressed);
    if (manifest->reading.group_field > 0)
        at = line_put(at, end, "groups %" PRIu64 " %02x\n", manifest->reading.group_field,
                      manifest->reading.group_separator);
    return line_put(at, end, "header %" PRIu64 " %016" PRIx64 "\n", manifest->header_bytes, manifest->header_checksum);
}

static char *put_piles(char *at, const char *end, unsigned piles)
{
    return line_put(at, end, "piles %u\n", piles);
}

static char *put_pile(char *at, const char *end, unsigned number, const struct manifest_pile *pile)
{
    return line_put(at, end, "%04u %20" PRIu64 " %20" PRIu64 " %016" PRIx64 "\n", number, pile->records, pile->bytes,
                    pile->checksum);
}

/* No less than the bytes that the text will have. */
static size_t text_room(const struct manifest *manifest)
{
    char line[LINE_BYTES];
    size_t bytes = 8 * (size_t)LINE_BYTES + (size_t)manifest->piles * MANIFEST_PILE_BYTES;

    for (size_t i = 0; i < manifest->inputs; i++) {
        const struct manifest_input *input = &manifest->input[i];

        bytes += (size_t)(put_input_bytes(line, line + sizeof line, input->bytes) - line) + name_bytes(input->name) + 1;
    }
    return bytes;
}

bool manifest_fits(const struct manifest *manifest)
{
    return text_room(manifest) <= MANIFEST_BYTES_MAX && manifest->piles <= PILES_MAX;
}

char *manifest_text(struct manifest *manifest, size_t *bytes)
{
    const size_t room = text_room(manifest);
    char *text, *at, *end;

    *bytes = 0;
    if (!manifest_fits(manifest)) {
        errno = EFBIG;
        return NULL;
    }
    text = sys_allocate(room, 1);
    if (text == NULL)
        return NULL;
    end = text + room;
    at = put_head(text, end, manifest);
    for (size_t i = 0; i < manifest->inputs; i++)
        at = put_input(at, end, &manifest->input[i]);
    at = put_piles(at, end, manifest->piles);
    manifest->piles_at = (size_t)(at - text);
    for (unsigned i = 0; i < manifest->piles; i++)
        at = put_pile(at, end, i, &manifest->pile[i]);
    at = line_put_checksum(at, end, text, (size_t)(at - text));
    *bytes = (size_t)(at - text);
    return text;
}

/* ---- Reading: each returns what follows, or NULL ---- */

static const char *read_key(const char *at, uint8_t key[MANIFEST_KEY_BYTES])
{
    uint64_t byte;

    for (int i = 0; i < MANIFEST_KEY_BYTES; i++) {
        at = line_hexadecimal(at, 2, &byte);
        key[i] = (uint8_t)byte;
    }
    return at;
}

/* The lines that are not there if inputs were read as they are. */
static const char *read_reading(const char *at, struct manifest_reading *reading)
{
    const char *next = line_skip(at, decompressed);
    uint64_t separator = 0;

    *reading = (struct manifest_reading){.decompressed = next != NULL};
    at = next != NULL ? next : at;
    next = line_skip(at, "groups ");
    if (next == NULL)
        return at;
    next = line_hexadecimal(line_skip(line_number(next, &reading->group_field), " "), 2, &separator);
    reading->group_separator = (uint8_t)separator;
    return line_skip(next, "\n");
}

/* All that stands before the inputs. */
static const char *read_head(const char *text, struct manifest *manifest)
{
    const char *at = read_key(line_skip(line_skip(text, title), "key "), manifest->key);
    char again[4 * LINE_BYTES];

    at = read_reading(line_skip(at, "\n"), &manifest->reading);
    at = line_number(line_skip(at, "header "), &manifest->header_bytes);
    at = line_hexadecimal(line_skip(at, " "), 16, &manifest->header_checksum);
    (void)put_head(again, again + sizeof again, manifest);
    return at != NULL ? line_skip(text, again) : NULL;
}

static const char *read_input_bytes(const char *at, uint64_t *bytes)
{
    const char *unknown = line_skip(at, "-");

    if (unknown == NULL)
        return line_number(at, bytes);
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

/* Copy the name to *to, without escapes and with a NUL byte at its end. *to, which is moved behind that, is never
 * behind `at`. */
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
    *(*to)++ = '\0'; /* at the latest in the place of the newline */
    return at != NULL ? at + 1 : NULL;
}

static const char *read_input(const char *at, char **to)
{
    char again[LINE_BYTES];
    uint64_t bytes;
    const char *name = line_skip(read_input_bytes(line_skip(at, "input "), &bytes), " ");

    if (name == NULL)
        return NULL;
    (void)put_input_bytes(again, again + sizeof again, bytes);
    if (line_skip(at, again) != name)
        return NULL;
    memcpy(*to, &bytes, sizeof bytes);
    *to += sizeof bytes;
    return read_name(name, to);
}

static const char *read_inputs(char *at, struct manifest *manifest)
{
    const char *next = at;
    char *to = at;

    manifest->packed = at;
    for (; next != NULL && line_skip(next, "input ") != NULL; manifest->inputs++)
        next = read_input(next, &to);
    return next;
}

/* Does it make sense, as far as can be said without the other piles? */
static bool is_possible(const struct manifest_pile *pile)
{
    return (pile->records == 0) == (pile->bytes == 0) && pile->records <= pile->bytes && pile->bytes <= INT64_MAX;
}

int manifest_parse_pile(const char line[MANIFEST_PILE_BYTES], unsigned number, struct manifest_pile *pile)
{
    char text[MANIFEST_PILE_BYTES + 1], again[LINE_BYTES];
    const char *at = text;
    uint64_t found; /* is compared with `number` when the line is written again */

    memcpy(text, line, MANIFEST_PILE_BYTES);
    text[MANIFEST_PILE_BYTES] = '\0';
    at = line_number(at, &found);
    at = line_number(line_blanks(at), &pile->records);
    at = line_number(line_blanks(at), &pile->bytes);
    at = line_hexadecimal(line_blanks(at), 16, &pile->checksum);
    (void)put_pile(again, again + sizeof again, number, pile);
    if (at != NULL && strcmp(again, text) == 0 && is_possible(pile))
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

    if (line_number_within(line_skip(at, "piles "), 0, PILES_MAX, &count) == NULL)
        return NULL;
    (void)put_piles(again, again + sizeof again, (unsigned)count);
    next = line_skip(at, again);
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
        manifest->records += pile->records;
        manifest->bytes += pile->bytes;
    }
    return next;
}

int manifest_parse(struct manifest *manifest, char *text, size_t bytes)
{
    const char *at;

    *manifest = (struct manifest){.text = text};
    errno = EINVAL;
    if (bytes > MANIFEST_BYTES_MAX || !line_has_checksum(text, bytes))
        return -1;
    bytes -= LINE_CHECKSUM_BYTES;
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

/* The input of number `i`. If the manifest was parsed, inputs are asked for in turn, and *packed is where this one
 * stands; it is moved to the next one. */
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

bool manifest_reads_same(const struct manifest *one, const struct manifest *other)
{
    return one->reading.decompressed == other->reading.decompressed &&
           one->reading.group_field == other->reading.group_field &&
           one->reading.group_separator == other->reading.group_separator;
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
