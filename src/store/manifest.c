/*
 * Lines are compared with what would be written for what was read in them (line.h). The checksum is looked at before
 * that, but it is no signature: whoever can write a text can write that, too. So what piles are said to hold must also
 * make sense, since memory and files are measured by it.
 *
 * Nobody asks which inputs a batch had, but only whether they are the same. So of their lines, which may be many, a
 * digest is kept, whether they were read or are yet to be written.
 */

#include "store/manifest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xxh64.h"
#include "store/line.h"
#include "system/fault.h"

static const char title[] = "bigshuf batch 1\n";
static const char decompressed[] = "decompressed\n";

enum {
    PILES_MAX = 10000, /* what the four digits of a pile's line can tell apart */
    LINE_BYTES = 128,  /* room for any line but that of an input */
    ESCAPE_BYTES = 4,  /* \ooo */
};

/* ---- Writing: each returns the end of what was written ---- */

/* The line of an input, malloc'd. */
static char *input_line(const struct manifest_input *input)
{
    const size_t room = LINE_BYTES + ESCAPE_BYTES * strlen(input->name);
    char *line = fault_allocate(room, 1);
    const char *end = line + room;
    char *at = line;

    if (input->bytes == MANIFEST_UNKNOWN)
        at = line_put(at, end, "input - ");
    else
        at = line_put(at, end, "input %" PRIu64 " ", input->bytes);
    for (const char *name = input->name; *name != '\0'; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f || *name == '\\')
            at = line_put(at, end, "\\%03o", (unsigned)(unsigned char)*name);
        else
            at = line_put(at, end, "%c", *name);
    (void)line_put(at, end, "\n");
    return line;
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
    return 8 * (size_t)LINE_BYTES + manifest->inputs_bytes + (size_t)manifest->piles * MANIFEST_PILE_BYTES;
}

bool manifest_fits(const struct manifest *manifest)
{
    return text_room(manifest) <= MANIFEST_BYTES_MAX && manifest->piles <= PILES_MAX;
}

char *manifest_text(struct manifest *manifest, size_t *bytes)
{
    const size_t room = text_room(manifest);
    char *text = fault_allocate(room, 1);
    const char *end = text + room;
    char *at = put_head(text, end, manifest);

    for (size_t i = 0; i < manifest->inputs; i++) {
        char *line = input_line(&manifest->input[i]);

        at = line_put(at, end, "%s", line);
        free(line);
    }
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

/* The line of an input, whose size may be unknown. */
static const char *read_input(const char *at, bool *known)
{
    const char *name = line_skip(at, "input - ");
    uint64_t bytes;

    if (name != NULL)
        *known = false;
    else
        name = line_skip(line_number(line_skip(at, "input "), &bytes), " ");
    return name == NULL ? NULL : line_skip(name + strcspn(name, "\n"), "\n");
}

static const char *read_inputs(const char *at, struct manifest *manifest)
{
    const char *next = at;

    manifest->known = true;
    for (; line_skip(next, "input ") != NULL; manifest->inputs++)
        next = read_input(next, &manifest->known);
    if (next != NULL)
        manifest->digest = xxh64(at, (size_t)(next - at));
    return next;
}

/* Does it make sense, as far as can be said without the other piles? */
static bool is_possible(const struct manifest_pile *pile)
{
    return (pile->records == 0) == (pile->bytes == 0) && pile->records <= pile->bytes && pile->bytes <= INT64_MAX;
}

bool manifest_parse_pile(const char line[MANIFEST_PILE_BYTES], unsigned number, struct manifest_pile *pile)
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
    return at != NULL && strcmp(again, text) == 0 && is_possible(pile);
}

/* `at` is in the text, of which as many bytes come before the checksum. */
static const char *read_piles(const char *at, const char *text, size_t bytes, struct manifest *manifest)
{
    char again[LINE_BYTES];
    const char *next;
    uint64_t count;

    if (line_number_within(line_skip(at, "piles "), 0, PILES_MAX, &count) == NULL)
        return NULL;
    (void)put_piles(again, again + sizeof again, (unsigned)count);
    next = line_skip(at, again);
    if (next == NULL || (uint64_t)(next - text) + count * MANIFEST_PILE_BYTES != bytes)
        return NULL;
    manifest->piles_at = (size_t)(next - text);
    manifest->pile = fault_allocate((size_t)count + 1, sizeof *manifest->pile);
    for (; manifest->piles < count; manifest->piles++, next += MANIFEST_PILE_BYTES) {
        struct manifest_pile *pile = &manifest->pile[manifest->piles];

        if (!manifest_parse_pile(next, manifest->piles, pile) || pile->bytes > INT64_MAX - manifest->bytes)
            return NULL;
        manifest->records += pile->records;
        manifest->bytes += pile->bytes;
    }
    return next;
}

bool manifest_parse(struct manifest *manifest, const char *text, size_t bytes)
{
    const char *at = NULL;

    *manifest = (struct manifest){.inputs = 0};
    if (bytes <= MANIFEST_BYTES_MAX && line_has_checksum(text, bytes))
        at = read_inputs(read_head(text, manifest), manifest);
    if (at != NULL && read_piles(at, text, bytes - LINE_CHECKSUM_BYTES, manifest) != NULL)
        return true;
    manifest_release(manifest);
    return false;
}

void manifest_release(struct manifest *manifest)
{
    free(manifest->pile);
    *manifest = (struct manifest){0};
}

/* ---- Comparing ---- */

void manifest_set_inputs(struct manifest *manifest, const struct manifest_input *input, size_t inputs)
{
    struct xxh64 digest;

    manifest->input = input;
    manifest->inputs = inputs;
    manifest->inputs_bytes = 0;
    manifest->known = true;
    xxh64_init(&digest, 0);
    for (size_t i = 0; i < inputs; i++) {
        char *line = input_line(&input[i]);
        const size_t bytes = strlen(line);

        manifest->known = manifest->known && input[i].bytes != MANIFEST_UNKNOWN;
        manifest->inputs_bytes += bytes;
        xxh64_update(&digest, line, bytes);
        free(line);
    }
    manifest->digest = xxh64_value(&digest);
}

bool manifest_reads_same(const struct manifest *one, const struct manifest *other)
{
    return one->reading.decompressed == other->reading.decompressed &&
           one->reading.group_field == other->reading.group_field &&
           one->reading.group_separator == other->reading.group_separator;
}

bool manifest_is_same(const struct manifest *one, const struct manifest *other)
{
    return memcmp(one->key, other->key, sizeof one->key) == 0 && one->inputs == other->inputs &&
           one->digest == other->digest;
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
