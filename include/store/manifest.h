#pragma once

/*
 * What stands at the end of a batch's file: the manifest, which says what the piles hold and where they are, and the
 * end of fixed size, which says where the manifest is. All numbers have 8 bytes, little-endian; all checksums are XXH64
 * with the seed 0:
 *
 *     manifest   key (16 bytes), flags, bytes and checksum of the header, digest of the inputs, number of piles;
 *                for each pile: records, bytes, checksum; place and bytes of its first extent; where its other extents
 *                are listed, or 0;
 *                the list of these: place and bytes of each, pile after pile
 *     end        MANIFEST_MAGIC, place, bytes and checksum of the manifest; checksum of the end up to here
 *
 * A pile is its extents, one after another. Places are offsets in the file.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MANIFEST_KEY_BYTES = 16,
    MANIFEST_HEAD_BYTES = 56,     /* what stands before the piles */
    MANIFEST_PILE_BYTES = 48,     /* of each pile */
    MANIFEST_EXTENT_BYTES = 16,   /* in the list */
    MANIFEST_END_BYTES = 40,      /* of the fixed end */
    MANIFEST_BYTES_MAX = 32 << 20 /* 4,096 piles of 256 extents, and more */
};

#define MANIFEST_MAGIC   "bigshuf3"
#define MANIFEST_UNKNOWN UINT64_MAX

struct manifest_extent {
    uint64_t place;
    uint64_t bytes;
};

struct manifest_pile {
    uint64_t records;
    uint64_t bytes;
    uint64_t checksum; /* of the whole pile */
    struct manifest_extent first;
    uint64_t more; /* where in the file the next extents are listed; 0: there are none */
};

struct manifest {
    uint8_t key[MANIFEST_KEY_BYTES]; /* tells whether two batches were scattered with the same seed */
    bool decompressed;               /* inputs that were compressed were; the format says all else */
    bool known;                      /* are the sizes of all inputs? */
    uint64_t header_bytes;
    uint64_t header_checksum; /* 0 if there is no header */
    uint64_t digest;          /* of the names and sizes of the inputs (manifest_add_input) */
    uint64_t changed;         /* when the last of the inputs was, in ns; not written */
    unsigned piles;
    struct manifest_pile *pile;

    /* Set by manifest_parse: */
    uint64_t records; /* of all piles: no more than */
    uint64_t bytes;   /* these, which are fewer than those of the file */
};

/* The next input; `bytes` are MANIFEST_UNKNOWN if it is no regular file with a name. Before the first one, `digest` is
 * 0 and `known` is true. */
void manifest_add_input(struct manifest *manifest, const char *name, uint64_t bytes);

/* An extent of a pile in work. */
struct manifest_spot {
    struct manifest_extent extent;
    unsigned pile;
};

/* What is to be written at the byte `at` of the file: the manifest, which says where the piles are (those of each pile
 * in their order), and the end. Malloc'd; *bytes in all. */
uint8_t *manifest_write(struct manifest *manifest, const struct manifest_spot *spot, size_t spots, uint64_t at,
                        size_t *bytes);

/* Where a manifest is, and its checksum, by the end of a file of `file_bytes` bytes. False if this is no such end. */
struct manifest_end {
    uint64_t at, bytes, checksum;
};
bool manifest_find(struct manifest_end *found, const uint8_t end[MANIFEST_END_BYTES], uint64_t file_bytes);

/* Read a manifest, which must be what manifest_write makes, and make sense: a pile has records if it has bytes, at most
 * one for each byte, and as many bytes as its extents; these are before the manifest, and have no more bytes together
 * than there are. Give it back with manifest_release. False, and nothing to be given back, if it is not so, or
 * damaged. */
bool manifest_parse(struct manifest *manifest, const uint8_t *data, const struct manifest_end *end);
void manifest_release(struct manifest *manifest); /* also when zeroed */

/* Read what a manifest says of one pile or extent, which has been checked as a part of the whole. */
struct manifest_pile manifest_load_pile(const uint8_t data[MANIFEST_PILE_BYTES]);
struct manifest_extent manifest_load_extent(const uint8_t data[MANIFEST_EXTENT_BYTES]);

/* How the other one, with as many piles, was made differently, in words: "made %s". NULL if there is no difference.
 * Piles and headers are compared only if both are `complete`. */
const char *manifest_difference(const struct manifest *one, const struct manifest *other, bool complete);
