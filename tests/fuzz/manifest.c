/* Every manifest that is read makes sense. The fuzzer corrects the checksum: a wrong one would hide all later checks.
 */

#include "fuzz.h"

#include <inttypes.h>

#include "base/xxh64.h"
#include "store/manifest.h"

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
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
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
    return 0;
}
