/*
 * Lines are compared with what would be written for what was read in them (line.h). The checksum is looked at before
 * that, but it is no signature: whoever can write a text can write that, too. So what piles are said to hold must also
 * make sense, since memory and files are measured by it.
 *
 * Nobody asks which inputs a batch had, only whether they are the same. So only a digest of their lines, which may be
 * many, is kept, for manifests that were read and for those yet to be written.
 */

#include "store/manifest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xxh64.h"
#include "store/line.h"
#include "system/fault.h"

enum {
    PILES_MAX = 10000, /* what the four digits of a pile's line can tell apart */
    LINE_BYTES = 128,  /* room for any line but that of an input */
    ESCAPE_BYTES = 4,  /* \ooo */
    CHECKSUM_BYTES = sizeof "checksum 0123456789abcdef\n" - 1,
};

/* ---- Writing: each returns the end of what was written ---- */

static char *put_input(char *at, const char *end, const struct manifest_input *input)
{
    if (input->bytes == MANIFEST_UNKNOWN)
        at = line_put(at, end, "input - ");
    else
        at = line_put(at, end, "input %" PRIu64 " ", input->bytes);
    for (const char *name = input->name; *name != '\0'; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f || *name == '\\')
            at = line_put(at, end, "\\%03o", (unsigned)(unsigned char)*name);
        else
            at = line_put(at, end, "%c", *name);
    return line_put(at, end, "\n");
}

void manifest_set_inputs(struct manifest *manifest, const struct manifest_input *input, size_t inputs)
{
    struct xxh64 digest;

    manifest->input = input;
    manifest->inputs = inputs;
    manifest->known = true;
    xxh64_init(&digest, 0);
    for (size_t i = 0; i < inputs; i++) {
        const size_t room = LINE_BYTES + ESCAPE_BYTES * strlen(input[i].name);
        char *line = fault_allocate(room, 1);

        xxh64_update(&digest, line, (size_t)(put_input(line, line + room, &input[i]) - line));
        manifest->known = manifest->known && input[i].bytes != MANIFEST_UNKNOWN;
        free(line);
    }
    manifest->inputs_bytes = digest.bytes;
    manifest->digest = xxh64_value(&digest);
}

/* All that stands before the inputs. */
static char *put_head(char *at, const char *end, const struct manifest *manifest)
{
    at = line_put(at, end, "bigshuf batch 1\nkey ");
    for (int i = 0; i < MANIFEST_KEY_BYTES; i++)
        at = line_put(at, end, "%02x", manifest->key[i]);
    at = line_put(at, end, "\n%s", manifest->decompressed ? "decompressed\n" : "");
    return line_put(at, end, "header %" PRIu64 " %016" PRIx64 "\n", manifest->header_bytes, manifest->header_checksum);
}

static char *put_pile(char *at, const char *end, unsigned number, const struct manifest_pile *pile)
{
    return line_put(at, end, "%04u %20" PRIu64 " %20" PRIu64 " %016" PRIx64 "\n", number, pile->records, pile->bytes,
                    pile->checksum);
}

static char *put_checksum(char *at, const char *end, const char *text, size_t bytes)
{
    return line_put(at, end, "checksum %016" PRIx64 "\n", xxh64(text, bytes));
}

/* No less than the bytes that the text will have. */
static uint64_t text_room(const struct manifest *manifest)
{
    return 8 * LINE_BYTES + manifest->inputs_bytes + (uint64_t)manifest->piles * MANIFEST_PILE_BYTES;
}

bool manifest_fits(const struct manifest *manifest)
{
    return text_room(manifest) <= MANIFEST_BYTES_MAX && manifest->piles <= PILES_MAX;
}

char *manifest_text(struct manifest *manifest, size_t *bytes)
{
    const size_t room = (size_t)text_room(manifest); /* which fits (manifest_fits) */
    char *text = fault_allocate(room, 1);
    const char *end = text + room;
    char *at = put_head(text, end, manifest);

    for (size_t i = 0; i < manifest->inputs; i++)
        at = put_input(at, end, &manifest->input[i]);
    at = line_put(at, end, "piles %u\n", manifest->piles);
    manifest->piles_at = (size_t)(at - text);
    for (unsigned i = 0; i < manifest->piles; i++)
        at = put_pile(at, end, i, &manifest->pile[i]);
    at = put_checksum(at, end, text, (size_t)(at - text));
    *bytes = (size_t)(at - text);
    return text;
}

/* ---- Reading: each returns what follows, or NULL ---- */

/* All that stands before the inputs. */
static const char *read_head(const char *text, struct manifest *manifest)
{
    uint64_t key[2] = {0};
    char again[8 * LINE_BYTES];
    const char *next;
    const char *at = line_read(text, "bigshuf batch 1\nkey %x%x\n", &key[0], &key[1]);

    for (int i = 0; i < MANIFEST_KEY_BYTES; i++)
        manifest->key[i] = (uint8_t)(key[i / 8] >> (56 - i % 8 * 8));
    next = line_read(at, "decompressed\n");
    manifest->decompressed = next != NULL;
    at = next != NULL ? next : at;
    at = line_read(at, "header %d %x\n", &manifest->header_bytes, &manifest->header_checksum);
    (void)put_head(again, again + sizeof again, manifest);
    return at != NULL ? line_read(text, again) : NULL;
}

static const char *read_inputs(const char *at, struct manifest *manifest)
{
    const char *next = at;

    manifest->known = true;
    while (line_read(next, "input ") != NULL) {
        manifest->known = manifest->known && line_read(next, "input - ") == NULL;
        next += strcspn(next, "\n");
        next = line_read(next, "\n");
    }
    if (next != NULL)
        manifest->digest = xxh64(at, (size_t)(next - at));
    return next;
}

/* A pile must make sense, as far as can be said without the others. */
bool manifest_parse_pile(const char line[MANIFEST_PILE_BYTES], unsigned number, struct manifest_pile *pile)
{
    char text[MANIFEST_PILE_BYTES + 1], again[LINE_BYTES];
    uint64_t found; /* is compared with `number` when the line is written again */

    memcpy(text, line, MANIFEST_PILE_BYTES);
    text[MANIFEST_PILE_BYTES] = '\0';
    if (line_read(text, "%d %d %d %x\n", &found, &pile->records, &pile->bytes, &pile->checksum) == NULL)
        return false;
    (void)put_pile(again, again + sizeof again, number, pile);
    return strcmp(again, text) == 0 && (pile->records == 0) == (pile->bytes == 0) && pile->records <= pile->bytes &&
           pile->bytes <= INT64_MAX;
}

/* `at` is in the text, of which as many bytes come before the checksum. */
static const char *read_piles(const char *at, const char *text, size_t bytes, struct manifest *manifest)
{
    char again[LINE_BYTES];
    uint64_t count = 0;
    const char *next = line_read(at, "piles %d\n", &count);

    (void)line_put(again, again + sizeof again, "piles %" PRIu64 "\n", count);
    if (next == NULL || line_read(at, again) == NULL || count > PILES_MAX ||
        (uint64_t)(next - text) + count * MANIFEST_PILE_BYTES != bytes)
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

static bool has_checksum(const char *text, size_t bytes)
{
    char again[CHECKSUM_BYTES + 1];

    if (bytes < CHECKSUM_BYTES)
        return false;
    bytes -= CHECKSUM_BYTES;
    (void)put_checksum(again, again + sizeof again, text, bytes);
    return memcmp(again, text + bytes, CHECKSUM_BYTES) == 0;
}

bool manifest_parse(struct manifest *manifest, const char *text, size_t bytes)
{
    const char *at = NULL;

    *manifest = (struct manifest){.piles = 0};
    if (bytes <= MANIFEST_BYTES_MAX && has_checksum(text, bytes))
        at = read_inputs(read_head(text, manifest), manifest);
    if (at != NULL && read_piles(at, text, bytes - CHECKSUM_BYTES, manifest) != NULL)
        return true;
    manifest_release(manifest);
    return false;
}

void manifest_release(struct manifest *manifest)
{
    free(manifest->pile);
    *manifest = (struct manifest){.piles = 0};
}

/* ---- Comparing ---- */

const char *manifest_difference(const struct manifest *one, const struct manifest *other, bool complete)
{
    if (memcmp(one->key, other->key, sizeof one->key) != 0)
        return "with another seed";
    if (one->digest != other->digest)
        return "of other inputs";
    if (!complete || (one->header_bytes == other->header_bytes && one->header_checksum == other->header_checksum &&
                      memcmp(one->pile, other->pile, one->piles * sizeof *one->pile) == 0))
        return NULL;
    if (one->decompressed != other->decompressed)
        return other->decompressed ? "with -Z" : "without -Z";
    return "of other data";
}
