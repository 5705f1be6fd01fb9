#pragma once

/*
 * A batch's file ends with the manifest, which says what the piles hold and where they are, and an end of fixed size,
 * which says where the manifest is. All numbers have 8 bytes, little-endian; all checksums are XXH64 with the seed 0:
 *
 *     manifest   key (16 bytes), flags, bytes and checksum of the header, digest of the inputs, number of piles;
 *                for each pile: records, bytes, checksum; place and bytes of its first extent; place of its other
 *                extents in the list, or 0;
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
    MANIFEST_HEAD_BYTES = 56,     /* before the piles */
    MANIFEST_PILE_BYTES = 48,     /* for each pile */
    MANIFEST_EXTENT_BYTES = 16,   /* for each extent in the list */
    MANIFEST_END_BYTES = 40,      /* end of fixed size */
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
    uint64_t more; /* place in the file of the list of its next extents; 0: none */
};

struct manifest {
    uint8_t key[MANIFEST_KEY_BYTES]; /* the same only if the seed is the same */
    bool decompressed;               /* were compressed inputs decompressed? The format has the other options */
    bool known;                      /* are the sizes of all inputs known? */
    uint64_t header_bytes;
    uint64_t header_checksum; /* 0 if there is no header */
    uint64_t digest;          /* of names and sizes of the inputs (manifest_add_input) */
    uint64_t changed;         /* time of the last change of an input, in ns; not in the file */
    unsigned piles;
    struct manifest_pile *pile;

    /* Set by manifest_parse: */
    uint64_t records; /* of all piles; at most `bytes` */
    uint64_t bytes;   /* of all piles; fewer than those of the file */
};

/* Add an input; `bytes` is MANIFEST_UNKNOWN unless it is a regular file with a name. Before the first one, `digest` is
 * 0 and `known` is true. */
void manifest_add_input(struct manifest *manifest, const char *name, uint64_t bytes);

/* An extent of a pile in a draft. */
struct manifest_spot {
    struct manifest_extent extent;
    unsigned pile;
};

/* The manifest and the end, malloc'd, to be written at offset `at` of the file; *bytes is their length. `spot` has the
 * extents of each pile in order. */
uint8_t *manifest_write(struct manifest *manifest, const struct manifest_spot *spot, size_t spots, uint64_t at,
                        size_t *bytes);

/* Where a manifest is, and its checksum, from the end of a file of `file_bytes` bytes. False if that is no such end. */
struct manifest_end {
    uint64_t at, bytes, checksum;
};
bool manifest_find(struct manifest_end *found, const uint8_t end[MANIFEST_END_BYTES], uint64_t file_bytes);

/* Read a manifest of manifest_write, and check it: a pile has records if it has bytes, at most one for each byte, and
 * has the bytes of its extents; extents are before the manifest, and together have no more bytes than there are. True:
 * give it back with manifest_release. False: it is damaged or makes no sense, and there is nothing to give back. */
bool manifest_parse(struct manifest *manifest, const uint8_t *data, const struct manifest_end *end);
void manifest_release(struct manifest *manifest); /* also when zeroed */

/* Read one pile or extent of a manifest that has been checked as a whole. */
struct manifest_pile manifest_load_pile(const uint8_t data[MANIFEST_PILE_BYTES]);
struct manifest_extent manifest_load_extent(const uint8_t data[MANIFEST_EXTENT_BYTES]);

/* What is different about how the other one was made, in words for "made %s"; NULL: nothing. Both must have the same
 * number of piles. Piles and headers are compared only if `complete`. */
const char *manifest_difference(const struct manifest *one, const struct manifest *other, bool complete);
