/*
 * Every manifest that is written is read back the same, and every one that is read makes sense. The fuzzer corrects the
 * checksum: a wrong one would hide all later checks.
 */

#include "fuzz.h"

#include <inttypes.h>

#include "base/xxh64.h"
#include "store/manifest.h"

enum { PILES_MAX = 40, INPUTS_MAX = 8, NAME_BYTES = 32 };

/* ---- Texts ---- */

static void check_piles(const struct manifest *manifest, const char *text)
{
    struct manifest_pile pile;

    for (unsigned i = 0; i < manifest->piles; i++) {
        char *line = fuzz_copy(text + manifest->piles_at + (size_t)i * MANIFEST_PILE_BYTES, MANIFEST_PILE_BYTES);

        FUZZ_CHECK(manifest_parse_pile(line, i, &pile));
        FUZZ_CHECK(memcmp(&pile, &manifest->pile[i], sizeof pile) == 0);
        free(line);
    }
}

/* Do the numbers that become sizes? */
static bool makes_sense(const struct manifest *manifest)
{
    uint64_t left = INT64_MAX;
    bool sense = true;

    for (unsigned i = 0; i < manifest->piles; i++) {
        const struct manifest_pile *pile = &manifest->pile[i];

        sense &= (pile->records == 0) == (pile->bytes == 0) && pile->records <= pile->bytes && pile->bytes <= left;
        left -= sense ? pile->bytes : 0;
    }
    return sense;
}

static void read_only(const char *text, size_t bytes)
{
    char *copy = fuzz_copy(text, bytes + 1);
    struct manifest manifest;

    if (manifest_parse(&manifest, copy, bytes)) {
        FUZZ_CHECK(makes_sense(&manifest));
        check_piles(&manifest, text);
    }
    manifest_release(&manifest);
    free(copy);
}

/* As it stands, and with a checksum behind it. */
static void read_text(const uint8_t *data, size_t bytes)
{
    static const char form[] = "checksum %016" PRIx64 "\n";
    char *text = malloc(bytes + sizeof form + 16);
    struct xxh64 checksum;

    FUZZ_CHECK(text != NULL);
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    read_only(text, bytes);
    xxh64_init(&checksum, 0);
    xxh64_update(&checksum, data, bytes);
    read_only(text, bytes + (size_t)sprintf(text + bytes, form, xxh64_value(&checksum)));
    free(text);
}

/* ---- Manifests ---- */

struct made {
    struct manifest manifest;
    struct manifest_input input[INPUTS_MAX];
    char name[INPUTS_MAX][NAME_BYTES + 1];
    struct manifest_pile pile[PILES_MAX];
};

static void take_input(struct fuzz *fuzz, struct manifest_input *input, char name[NAME_BYTES + 1])
{
    size_t length = fuzz_byte(fuzz) % NAME_BYTES;

    input->bytes = fuzz_number(fuzz);
    input->name = name;
    for (size_t i = 0; i < length; i++) {
        name[i] = (char)fuzz_byte(fuzz);
        if (name[i] == '\0')
            name[i] = '\n';
    }
    name[length] = '\0';
}

/* One that makes sense, but for a few piles. */
static void take_manifest(struct fuzz *fuzz, struct made *made)
{
    struct manifest *manifest = &made->manifest;
    size_t inputs;

    memset(made, 0, sizeof *made);
    for (int i = 0; i < MANIFEST_KEY_BYTES; i++)
        manifest->key[i] = fuzz_byte(fuzz);
    manifest->header_bytes = fuzz_byte(fuzz);
    manifest->header_checksum = manifest->header_bytes > 0 ? fuzz_number(fuzz) : 0;
    inputs = fuzz_byte(fuzz) % (INPUTS_MAX + 1);
    for (size_t i = 0; i < inputs; i++)
        take_input(fuzz, &made->input[i], made->name[i]);
    manifest_set_inputs(manifest, made->input, inputs);
    manifest->pile = made->pile;
    manifest->piles = fuzz_byte(fuzz) % (PILES_MAX + 1);
    for (size_t i = 0; i < manifest->piles; i++) {
        struct manifest_pile *pile = &made->pile[i];

        pile->bytes = fuzz_number(fuzz);
        pile->records = fuzz_number(fuzz);
        if (fuzz_byte(fuzz) % 8 != 1) {
            pile->bytes >>= 8;
            pile->records = pile->bytes > 0 ? 1 + pile->records % pile->bytes : 0;
        }
        pile->checksum = fuzz_number(fuzz);
    }
}

/* The text with a few bytes changed to such as may stand there, but for its checksum. */
static void read_edited(struct fuzz fuzz, const char *text, size_t bytes)
{
    static const char likely[] = "0123456789abcdef \\-\n";
    uint8_t *edited = fuzz_copy(text, bytes);

    bytes -= sizeof "checksum 0123456789abcdef\n" - 1;
    for (unsigned edits = fuzz_byte(&fuzz) % 4; edits > 0; edits--)
        edited[fuzz_from_to(&fuzz, 0, bytes - 1)] = (uint8_t)likely[fuzz_byte(&fuzz) % sizeof likely];
    read_text(edited, bytes);
    free(edited);
}

static void write_and_read(struct fuzz *fuzz)
{
    static struct made made;
    struct manifest again;
    char *text;
    size_t bytes;

    take_manifest(fuzz, &made);
    FUZZ_CHECK(manifest_fits(&made.manifest));
    text = manifest_text(&made.manifest, &bytes);
    FUZZ_CHECK(text != NULL && strlen(text) == bytes);
    read_edited(*fuzz, text, bytes);
    if (!manifest_parse(&again, text, bytes)) {
        FUZZ_CHECK(!makes_sense(&made.manifest));
    } else {
        FUZZ_CHECK(makes_sense(&made.manifest) && made.manifest.known == again.known);
        FUZZ_CHECK(manifest_difference(&made.manifest, &again, true) == NULL);
    }
    manifest_release(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};

    read_text(data, bytes);
    write_and_read(&fuzz);
    return 0;
}
