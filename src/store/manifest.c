/*
 * Checksums are verified before anything is used, but they are no signature: who can write a batch can write these,
 * too. So the sizes of piles must also make sense, since memory and files are measured by them. Extents may overlap:
 * their bytes are right if the checksums of their piles are.
 *
 * Only a digest of the inputs is kept: it tells whether they are the same.
 */

#include "store/manifest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/xxh64.h"
#include "system/fault.h"

enum { NUMBER_BYTES = 8, FLAG_DECOMPRESSED = 1, FLAG_KNOWN = 2 };

/* The part of a manifest after the key, before the piles. */
struct head {
    uint64_t flags, header_bytes, header_checksum, digest, piles;
};

static_assert(MANIFEST_KEY_BYTES + sizeof(struct head) == MANIFEST_HEAD_BYTES &&
                  sizeof(struct manifest_pile) == MANIFEST_PILE_BYTES,
              "no gaps between numbers");

/* Write a struct head, a pile, an extent or an end, which are all 8-byte numbers. Returns the place after it. */
static uint8_t *put_numbers(uint8_t *to, const void *numbers, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += NUMBER_BYTES) {
        uint64_t number;

        memcpy(&number, (const uint8_t *)numbers + i, sizeof number);
        store64le(to + i, number);
    }
    return to + bytes;
}

static void get(void *numbers, const uint8_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += NUMBER_BYTES) {
        const uint64_t number = load64le(from + i);

        memcpy((uint8_t *)numbers + i, &number, sizeof number);
    }
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

/* The first extent of each pile stands with it, the others in the list. Returns the list's length. next[p] receives the
 * index in the list where the extents of pile p begin. */
static size_t place_extents(struct manifest *manifest, const struct manifest_spot *spot, size_t spots, size_t *next)
{
    size_t listed = 0;

    for (size_t i = 0; i < spots; i++)
        next[spot[i].pile]++;
    for (unsigned p = 0; p < manifest->piles; p++) {
        const size_t more = next[p] > 0 ? next[p] - 1 : 0;

        manifest->pile[p].first = (struct manifest_extent){0};
        manifest->pile[p].more = more > 0; /* for now */
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
    uint8_t *data = fault_allocate(length + MANIFEST_END_BYTES, 1), *end = data + length, *to;
    const struct head head = {.flags =
                                  (manifest->decompressed ? FLAG_DECOMPRESSED : 0) | (manifest->known ? FLAG_KNOWN : 0),
                              .header_bytes = manifest->header_bytes,
                              .header_checksum = manifest->header_checksum,
                              .digest = manifest->digest,
                              .piles = manifest->piles};
    struct manifest_end found = {.at = at, .bytes = length};

    for (unsigned p = 0; p < manifest->piles; p++)
        manifest->pile[p].more = manifest->pile[p].more > 0 ? at + list_at + next[p] * MANIFEST_EXTENT_BYTES : 0;
    for (size_t i = 0; i < spots; i++) {
        struct manifest_pile *pile = &manifest->pile[spot[i].pile];

        if (pile->first.bytes == 0)
            pile->first = spot[i].extent;
        else
            put_numbers(data + list_at + next[spot[i].pile]++ * MANIFEST_EXTENT_BYTES, &spot[i].extent,
                        MANIFEST_EXTENT_BYTES);
    }
    memcpy(data, manifest->key, MANIFEST_KEY_BYTES);
    to = put_numbers(data + MANIFEST_KEY_BYTES, &head, sizeof head);
    for (unsigned p = 0; p < manifest->piles; p++)
        to = put_numbers(to, &manifest->pile[p], MANIFEST_PILE_BYTES);
    found.checksum = xxh64(data, length);
    memcpy(end, MANIFEST_MAGIC, NUMBER_BYTES);
    to = put_numbers(end + NUMBER_BYTES, &found, sizeof found);
    store64le(to, xxh64(end, (size_t)(to - end)));
    free(next);
    *bytes = length + MANIFEST_END_BYTES;
    return data;
}

/* ---- Reading ---- */

bool manifest_find(struct manifest_end *found, const uint8_t end[MANIFEST_END_BYTES], uint64_t file_bytes)
{
    const size_t checked = MANIFEST_END_BYTES - NUMBER_BYTES;

    get(found, end + NUMBER_BYTES, sizeof *found);
    return memcmp(end, MANIFEST_MAGIC, NUMBER_BYTES) == 0 && load64le(end + checked) == xxh64(end, checked) &&
           found->bytes >= MANIFEST_HEAD_BYTES && found->bytes <= MANIFEST_BYTES_MAX && found->at <= file_bytes &&
           found->at + found->bytes + MANIFEST_END_BYTES == file_bytes;
}

struct manifest_extent manifest_load_extent(const uint8_t data[MANIFEST_EXTENT_BYTES])
{
    struct manifest_extent extent;

    get(&extent, data, sizeof extent);
    return extent;
}

struct manifest_pile manifest_load_pile(const uint8_t data[MANIFEST_PILE_BYTES])
{
    struct manifest_pile pile;

    get(&pile, data, sizeof pile);
    return pile;
}

/* Is the extent before the manifest, and not larger than the `left` bytes of its pile? */
static bool is_extent(const struct manifest_extent *extent, uint64_t left, const struct manifest_end *end)
{
    return extent->bytes > 0 && extent->bytes <= left && extent->bytes <= end->at &&
           extent->place <= end->at - extent->bytes;
}

/* Does the pile make sense, with its extents in the list at data[*listed]? Moves *listed on past these. */
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
    struct head head;

    get(&head, data + MANIFEST_KEY_BYTES, sizeof head);
    *manifest = (struct manifest){.decompressed = (head.flags & FLAG_DECOMPRESSED) != 0,
                                  .known = (head.flags & FLAG_KNOWN) != 0,
                                  .header_bytes = head.header_bytes,
                                  .header_checksum = head.header_checksum,
                                  .digest = head.digest};
    memcpy(manifest->key, data, MANIFEST_KEY_BYTES);
    if (xxh64(data, (size_t)end->bytes) != end->checksum || head.flags > (FLAG_DECOMPRESSED | FLAG_KNOWN) ||
        head.piles > (end->bytes - MANIFEST_HEAD_BYTES) / MANIFEST_PILE_BYTES)
        return false;
    manifest->piles = (unsigned)head.piles;
    manifest->pile = fault_allocate((size_t)head.piles + 1, sizeof *manifest->pile);
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
