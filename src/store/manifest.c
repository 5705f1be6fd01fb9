/*
 * The checksum is looked at before a text is read, but it is no signature: whoever can write a text can write that,
 * too. So what piles are said to hold must also make sense, since memory and files are measured by it.
 *
 * Nobody asks which inputs a batch had, only whether they are the same. So only a digest of their lines, which may be
 * many, is kept, for manifests that were read and for those yet to be written.
 */

#include "store/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/xxh64.h"
#include "store/line.h"
#include "system/fault.h"

enum {
    PILES_MAX = 10000, /* what the four digits of a pile's line can tell apart */
    LINE_BYTES = 128,  /* room for any line but that of an input */
    ESCAPE_BYTES = 4,  /* \ooo */
    CHECKSUM_BYTES = sizeof "checksum 0123456789abcdef\n" - 1,
};

/* ---- What is written or read (line.h) ---- */

/* All that stands before the inputs. */
static void pass_head(struct line *line, struct manifest *manifest)
{
    uint64_t key[2] = {0};

    for (int i = 0; i < MANIFEST_KEY_BYTES; i++)
        key[i / 8] = key[i / 8] << 8 | manifest->key[i];
    line_pass(line, "bigshuf batch 1\nkey %x%x\n", &key[0], &key[1]);
    for (int i = 0; i < MANIFEST_KEY_BYTES; i++)
        manifest->key[i] = (uint8_t)(key[i / 8] >> (56 - i % 8 * 8));
    manifest->decompressed = line_has(line, manifest->decompressed, "decompressed\n");
    line_pass(line, "header %d %x\n", &manifest->header_bytes, &manifest->header_checksum);
}

static void pass_pile(struct line *line, unsigned number, struct manifest_pile *pile)
{
    char name[16];

    snprintf(name, sizeof name, "%04u", number);
    line_pass(line, "%s %p %p %x\n", name, &pile->records, &pile->bytes, &pile->checksum);
}

/* That of the text before it. */
static void pass_checksum(struct line *line, const char *text, size_t bytes)
{
    uint64_t checksum = xxh64(text, bytes);
    const uint64_t right = checksum;

    line_pass(line, "checksum %x\n", &checksum);
    line_must(line, checksum == right);
}

/* ---- Writing ---- */

static void put_input(struct line *line, const struct manifest_input *input)
{
    uint64_t bytes = input->bytes;

    line_pass(line, bytes == MANIFEST_UNKNOWN ? "input - " : "input %d ", &bytes);
    for (const char *name = input->name; *name != '\0'; name++) {
        const bool plain = (unsigned char)*name >= ' ' && *name != 0x7f && *name != '\\';
        char text[ESCAPE_BYTES + 1];

        snprintf(text, sizeof text, plain ? "%c" : "\\%03o", (unsigned char)*name);
        line_pass(line, "%s", text);
    }
    line_pass(line, "\n");
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
        char *text = fault_allocate(room, 1);
        struct line line = {.to = text, .end = text + room};

        put_input(&line, &input[i]);
        xxh64_update(&digest, text, (size_t)(line.to - text));
        manifest->known = manifest->known && input[i].bytes != MANIFEST_UNKNOWN;
        free(text);
    }
    manifest->inputs_bytes = digest.bytes;
    manifest->digest = xxh64_value(&digest);
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
    struct line line = {.to = text, .end = text + room};
    uint64_t piles = manifest->piles;

    pass_head(&line, manifest);
    for (size_t i = 0; i < manifest->inputs; i++)
        put_input(&line, &manifest->input[i]);
    line_pass(&line, "piles %d\n", &piles);
    manifest->piles_at = (size_t)(line.to - text);
    for (unsigned i = 0; i < manifest->piles; i++)
        pass_pile(&line, i, &manifest->pile[i]);
    pass_checksum(&line, text, (size_t)(line.to - text));
    *bytes = (size_t)(line.to - text);
    return text;
}

/* ---- Reading ---- */

static void read_inputs(struct line *line, struct manifest *manifest)
{
    const char *first = line->from;

    manifest->known = true;
    while (line_has(line, true, "input ")) {
        manifest->known = manifest->known && !line_begins(line, true, "- ");
        line->from += strcspn(line->from, "\n");
        line_pass(line, "\n");
    }
    if (line->from != NULL)
        manifest->digest = xxh64(first, (size_t)(line->from - first));
}

/* A pile must make sense, as far as can be said without the others. */
static void read_pile(struct line *line, unsigned number, struct manifest_pile *pile)
{
    pass_pile(line, number, pile);
    line_must(line,
              (pile->records == 0) == (pile->bytes == 0) && pile->records <= pile->bytes && pile->bytes <= INT64_MAX);
}

bool manifest_parse_pile(const char text[MANIFEST_PILE_BYTES], unsigned number, struct manifest_pile *pile)
{
    char copy[MANIFEST_PILE_BYTES + 1];
    struct line line = {.from = copy};

    memcpy(copy, text, MANIFEST_PILE_BYTES);
    copy[MANIFEST_PILE_BYTES] = '\0';
    read_pile(&line, number, pile);
    return line.from == copy + MANIFEST_PILE_BYTES;
}

/* As many bytes of the text come before the checksum. */
static void read_piles(struct line *line, const char *text, size_t bytes, struct manifest *manifest)
{
    uint64_t count = 0;

    line_pass(line, "piles %d\n", &count);
    line_must(line, line->from != NULL && count <= PILES_MAX &&
                        (uint64_t)(line->from - text) + count * MANIFEST_PILE_BYTES == bytes);
    if (line->from == NULL)
        return;
    manifest->piles_at = (size_t)(line->from - text);
    manifest->pile = fault_allocate((size_t)count + 1, sizeof *manifest->pile);
    for (; manifest->piles < count && line->from != NULL; manifest->piles++) {
        struct manifest_pile *pile = &manifest->pile[manifest->piles];

        read_pile(line, manifest->piles, pile);
        line_must(line, pile->bytes <= INT64_MAX - manifest->bytes);
        manifest->records += pile->records;
        manifest->bytes += pile->bytes;
    }
}

bool manifest_parse(struct manifest *manifest, const char *text, size_t bytes)
{
    const size_t before = bytes - least_size(bytes, CHECKSUM_BYTES);
    struct line end = {.from = text + before}, line = {.from = text};

    *manifest = (struct manifest){.piles = 0};
    if (bytes <= MANIFEST_BYTES_MAX)
        pass_checksum(&end, text, before);
    if (bytes <= MANIFEST_BYTES_MAX && end.from == text + bytes) {
        pass_head(&line, manifest);
        read_inputs(&line, manifest);
        read_piles(&line, text, before, manifest);
        if (line.from == text + before)
            return true;
    }
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
