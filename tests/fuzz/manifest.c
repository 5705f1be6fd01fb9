/* Every manifest that is read makes sense. The fuzzer corrects the checksums: a wrong one would hide all later checks.
 */

#include "fuzz.h"

#include "base/arithmetic.h"
#include "base/xxh64.h"
#include "store/manifest.h"

/* Are the extents of a pile before the manifest, and have they all its bytes? */
static bool has_extents(const struct manifest_pile *pile, const uint8_t *data, uint64_t at)
{
    struct manifest_extent extent = pile->first;
    uint64_t more = pile->more, left = pile->bytes;

    while (left > 0) {
        if (extent.bytes == 0 || extent.bytes > left || extent.place > at || extent.bytes > at - extent.place)
            return false;
        left -= extent.bytes;
        if (left > 0)
            extent = manifest_load_extent(data + (more - at));
        more += MANIFEST_EXTENT_BYTES;
    }
    return true;
}

/* Do the numbers that become sizes? */
static bool makes_sense(const struct manifest *manifest, const uint8_t *data, uint64_t at)
{
    uint64_t left = at;
    bool sense = true;

    for (unsigned i = 0; i < manifest->piles; i++) {
        const struct manifest_pile *pile = &manifest->pile[i];

        sense &= (pile->records == 0) == (pile->bytes == 0) && pile->records <= pile->bytes && pile->bytes <= left;
        sense = sense && has_extents(pile, data, at);
        left -= sense ? pile->bytes : 0;
    }
    return sense;
}

static void read_only(const uint8_t *data, size_t bytes, uint64_t at)
{
    uint8_t *copy = (uint8_t *)fuzz_copy((const char *)data, bytes);
    struct manifest manifest = {.piles = 0};
    struct manifest_end end;

    if (manifest_find(&end, copy + bytes - MANIFEST_END_BYTES, at + bytes) && end.at == at &&
        manifest_parse(&manifest, copy, &end))
        FUZZ_CHECK(makes_sense(&manifest, copy, end.at));
    manifest_release(&manifest);
    free(copy);
}

/* As it stands, and with an end behind it, in a file that has so many bytes before it as the first number says. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    uint8_t *copy = malloc(bytes + MANIFEST_END_BYTES), *end = copy + bytes;
    const uint64_t at = bytes >= 8 ? load64le(data) >> 2 : 0;

    FUZZ_CHECK(copy != NULL);
    memcpy(copy, data, bytes);
    if (bytes >= MANIFEST_END_BYTES)
        read_only(copy, bytes, 0);
    memcpy(end, MANIFEST_MAGIC, 8);
    store64le(end + 8, at);
    store64le(end + 16, bytes);
    store64le(end + 24, xxh64(copy, bytes));
    store64le(end + 32, xxh64(end, MANIFEST_END_BYTES - 8));
    read_only(copy, bytes + MANIFEST_END_BYTES, at);
    free(copy);
    return 0;
}
