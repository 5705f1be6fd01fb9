/*
 * Checksums are looked at before anything is read, but they are no signature: whoever can write a batch can write
 * those, too. So what piles are said to hold must also make sense, since memory and files are measured by it. Extents
 * may overlap: what is in them is right if the checksums of their piles are.
 *
 * Nobody asks which inputs a batch had, only whether they are the same. So only a digest of them is kept.
 */

#include "store/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/xxh64.h"
#include "system/fault.h"

enum { NUMBER_BYTES = 8, FLAG_DECOMPRESSED = 1, FLAG_KNOWN = 2 };

/* Number i of those that stand there. */
static uint64_t number(const uint8_t *data, size_t i)
{
    return load64le(data + i * NUMBER_BYTES);
}

void manifest_add_input(struct manifest *manifest, const char *name, uint64_t bytes)
{
    uint8_t size[NUMBER_BYTES];
    struct xxh64 digest;

    store64le(size, bytes);
    xxh64_init(&digest, manifest->digest);
    xxh64_update(&digest, size, sizeof size);
    xxh64_update(&digest, name, strlen(name));
    manifest->digest = xxh64_value(&digest);
    manifest->known = manifest->known && bytes != MANIFEST_UNKNOWN;
}

/* ---- Writing ---- */

static uint8_t *put(uint8_t *to, uint64_t value)
{
    store64le(to, value);
    return to + NUMBER_BYTES;
}

static uint8_t *put_head(uint8_t *to, const struct manifest *manifest)
{
    memcpy(to, manifest->key, MANIFEST_KEY_BYTES);
    to = put(to + MANIFEST_KEY_BYTES,
             (manifest->decompressed ? FLAG_DECOMPRESSED : 0) | (manifest->known ? FLAG_KNOWN : 0));
    to = put(to, manifest->header_bytes);
    to = put(to, manifest->header_checksum);
    to = put(to, manifest->digest);
    return put(to, manifest->piles);
}

static uint8_t *put_extent(uint8_t *to, const struct manifest_extent *extent)
{
    return put(put(to, extent->place), extent->bytes);
}

static uint8_t *put_pile(uint8_t *to, const struct manifest_pile *pile)
{
    to = put(to, pile->records);
    to = put(to, pile->bytes);
    to = put(to, pile->checksum);
    to = put_extent(to, &pile->first);
    return put(to, pile->more);
}

static void put_end(uint8_t *to, const uint8_t *data, size_t bytes, uint64_t at)
{
    uint8_t *const start = to;

    memcpy(to, MANIFEST_MAGIC, NUMBER_BYTES);
    to = put(to + NUMBER_BYTES, at);
    to = put(to, bytes);
    to = put(to, xxh64(data, bytes));
    put(to, xxh64(start, (size_t)(to - start)));
}

/* The first extent of each pile stands with it, the others in the list. Returns how long that is. `next` of each pile
 * receives where in the list its extents begin. */
static size_t place_extents(struct manifest *manifest, const struct manifest_spot *spot, size_t spots, size_t *next)
{
    size_t listed = 0;

    for (size_t i = 0; i < spots; i++)
        next[spot[i].pile]++;
    for (unsigned p = 0; p < manifest->piles; p++) {
        const size_t more = next[p] > 0 ? next[p] - 1 : 0;

        manifest->pile[p].first = (struct manifest_extent){0};
        manifest->pile[p].more = more > 0; /* so far */
        next[p] = listed;
        listed += more;
    }
    return listed;
}

uint8_t *manifest_write(struct manifest *manifest, const struct manifest_spot *spot, size_t spots, uint64_t at,
                        size_t *bytes)
{
    size_t *next = fault_allocate(manifest->piles, sizeof *next);
    const size_t listed = place_extents(manifest, spot, spots, next);
    const size_t list_at = MANIFEST_HEAD_BYTES + manifest->piles * (size_t)MANIFEST_PILE_BYTES;
    const size_t length = list_at + listed * MANIFEST_EXTENT_BYTES;
    uint8_t *data = fault_allocate(length + MANIFEST_END_BYTES, 1), *to;

    for (unsigned p = 0; p < manifest->piles; p++)
        manifest->pile[p].more = manifest->pile[p].more > 0 ? at + list_at + next[p] * MANIFEST_EXTENT_BYTES : 0;
    for (size_t i = 0; i < spots; i++) {
        struct manifest_pile *pile = &manifest->pile[spot[i].pile];

        if (pile->first.bytes == 0)
            pile->first = spot[i].extent;
        else
            put_extent(data + list_at + next[spot[i].pile]++ * MANIFEST_EXTENT_BYTES, &spot[i].extent);
    }
    to = put_head(data, manifest);
    for (unsigned p = 0; p < manifest->piles; p++)
        to = put_pile(to, &manifest->pile[p]);
    put_end(data + length, data, length, at);
    free(next);
    *bytes = length + MANIFEST_END_BYTES;
    return data;
}

/* ---- Reading ---- */

bool manifest_find(struct manifest_end *found, const uint8_t end[MANIFEST_END_BYTES], uint64_t file_bytes)
{
    const size_t checked = MANIFEST_END_BYTES - NUMBER_BYTES;

    *found = (struct manifest_end){.at = number(end, 1), .bytes = number(end, 2), .checksum = number(end, 3)};
    return memcmp(end, MANIFEST_MAGIC, NUMBER_BYTES) == 0 && load64le(end + checked) == xxh64(end, checked) &&
           found->bytes >= MANIFEST_HEAD_BYTES && found->bytes <= MANIFEST_BYTES_MAX && found->at <= file_bytes &&
           found->at + found->bytes + MANIFEST_END_BYTES == file_bytes;
}

struct manifest_extent manifest_load_extent(const uint8_t data[MANIFEST_EXTENT_BYTES])
{
    return (struct manifest_extent){.place = number(data, 0), .bytes = number(data, 1)};
}

struct manifest_pile manifest_load_pile(const uint8_t data[MANIFEST_PILE_BYTES])
{
    return (struct manifest_pile){.records = number(data, 0),
                                  .bytes = number(data, 1),
                                  .checksum = number(data, 2),
                                  .first = manifest_load_extent(data + 3 * (size_t)NUMBER_BYTES),
                                  .more = number(data, 5)};
}

/* The extent is before the manifest, and one of those that together have `left` bytes. */
static bool is_extent(const struct manifest_extent *extent, uint64_t left, const struct manifest_end *end)
{
    return extent->bytes > 0 && extent->bytes <= left && extent->bytes <= end->at &&
           extent->place <= end->at - extent->bytes;
}

/* Does the pile make sense, with the extents that are listed from data[*listed] on? Passes these. */
static bool is_pile(const struct manifest_pile *pile, const uint8_t *data, size_t *listed,
                    const struct manifest_end *end)
{
    const uint64_t more = end->at + *listed;
    uint64_t left = pile->bytes;
    struct manifest_extent extent = pile->first;

    if (left == 0)
        return pile->records == 0 && extent.place == 0 && extent.bytes == 0 && pile->more == 0;
    if (pile->records == 0 || pile->records > left)
        return false;
    while (is_extent(&extent, left, end)) {
        left -= extent.bytes;
        if (left == 0)
            return pile->more == (end->at + *listed > more ? more : 0);
        if (end->bytes - *listed < MANIFEST_EXTENT_BYTES)
            return false;
        extent = manifest_load_extent(data + *listed);
        *listed += MANIFEST_EXTENT_BYTES;
    }
    return false;
}

static bool read_piles(struct manifest *manifest, const uint8_t *data, const struct manifest_end *end)
{
    size_t listed = MANIFEST_HEAD_BYTES + manifest->piles * (size_t)MANIFEST_PILE_BYTES;

    for (unsigned p = 0; p < manifest->piles; p++) {
        struct manifest_pile *pile = &manifest->pile[p];

        *pile = manifest_load_pile(data + MANIFEST_HEAD_BYTES + p * (size_t)MANIFEST_PILE_BYTES);
        if (!is_pile(pile, data, &listed, end) || pile->bytes > end->at - manifest->bytes)
            return false;
        manifest->records += pile->records;
        manifest->bytes += pile->bytes;
    }
    return listed == end->bytes;
}

bool manifest_parse(struct manifest *manifest, const uint8_t *data, const struct manifest_end *end)
{
    const uint64_t flags = number(data, 2), piles = number(data, 6);

    *manifest = (struct manifest){.decompressed = (flags & FLAG_DECOMPRESSED) != 0,
                                  .known = (flags & FLAG_KNOWN) != 0,
                                  .header_bytes = number(data, 3),
                                  .header_checksum = number(data, 4),
                                  .digest = number(data, 5)};
    memcpy(manifest->key, data, MANIFEST_KEY_BYTES);
    if (xxh64(data, (size_t)end->bytes) != end->checksum || flags > (FLAG_DECOMPRESSED | FLAG_KNOWN) ||
        piles > (end->bytes - MANIFEST_HEAD_BYTES) / MANIFEST_PILE_BYTES)
        return false;
    manifest->piles = (unsigned)piles;
    manifest->pile = fault_allocate((size_t)piles + 1, sizeof *manifest->pile);
    if (read_piles(manifest, data, end))
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

static bool have_same_piles(const struct manifest *one, const struct manifest *other)
{
    bool same = true;

    for (unsigned p = 0; p < one->piles; p++)
        same = same && one->pile[p].records == other->pile[p].records && one->pile[p].bytes == other->pile[p].bytes &&
               one->pile[p].checksum == other->pile[p].checksum;
    return same;
}

const char *manifest_difference(const struct manifest *one, const struct manifest *other, bool complete)
{
    if (memcmp(one->key, other->key, sizeof one->key) != 0)
        return "with another seed";
    if (one->digest != other->digest)
        return "of other inputs";
    if (!complete || (one->header_bytes == other->header_bytes && one->header_checksum == other->header_checksum &&
                      have_same_piles(one, other)))
        return NULL;
    if (one->decompressed != other->decompressed)
        return other->decompressed ? "with -Z" : "without -Z";
    return "of other data";
}
