#pragma once

/*
 * The description of a batch: a text file beside its piles, made last. Lines of a word and its value, then a line of 64
 * bytes for each pile, so that any of them can be read by itself, and the XXH64 of all that at the end:
 *
 *     bigshuf batch 1
 *     key 0123456789abcdef0123456789abcdef
 *     header 12 0123456789abcdef
 *     input 688895 corpus/a.txt
 *     input - -
 *     piles 512
 *     0000                 1234                56789 0123456789abcdef
 *     ...
 *     checksum 0123456789abcdef
 *
 * A pile's numbers are its records, its bytes, and the XXH64 (seed 0, in hexadecimal) of its file. The name of an input
 * has its control characters, and backslash, as \ and three octal digits. No name of a file is ever made of what stands
 * here.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MANIFEST_KEY_BYTES = 16,
    MANIFEST_PILE_BYTES = 64,     /* of a pile's line */
    MANIFEST_BYTES_MAX = 8 << 20, /* of all of it */
};

#define MANIFEST_UNKNOWN UINT64_MAX

struct manifest_pile {
    uint64_t records;
    uint64_t bytes;
    uint64_t checksum; /* XXH64 of the file */
};

struct manifest_input {
    const char *name;
    uint64_t bytes; /* MANIFEST_UNKNOWN if it is no regular file with a name */
};

struct manifest {
    uint8_t key[MANIFEST_KEY_BYTES]; /* tells whether two batches were scattered with the same seed */
    bool decompressed;               /* inputs that were compressed were; the format says all else */
    uint64_t header_bytes;
    uint64_t header_checksum;           /* 0 if there is no header */
    const struct manifest_input *input; /* to be written; set, with what is said of them, by manifest_set_inputs */
    size_t inputs;
    uint64_t inputs_bytes; /* of their lines */
    uint64_t digest;       /* of these; also set by manifest_parse, as is */
    bool known;            /* are all their sizes? */
    struct manifest_pile *pile;
    unsigned piles;
    size_t piles_at; /* the offset of the first pile's line in the text; set by manifest_parse and manifest_text */

    /* Set by manifest_parse: */
    uint64_t records; /* of all piles: no more than */
    uint64_t bytes;   /* these, at most INT64_MAX */
};

/* Say what the inputs were, which must stay until the text is made. */
void manifest_set_inputs(struct manifest *manifest, const struct manifest_input *input, size_t inputs);

/* Is its text not too large? Only `piles` and the inputs need to be known for that. */
bool manifest_fits(const struct manifest *manifest);

/* The text of one that fits, malloc'd, and its length. */
char *manifest_text(struct manifest *manifest, size_t *bytes);

/* Read a text, which must be as manifest_text makes it, to the byte but for the lines of inputs, and make sense: a pile
 * has records if it has bytes, at most one for each byte, and all piles together have no more bytes than a file could.
 * A NUL byte follows the text. Give the manifest back with manifest_release. False, and nothing to be given
 * back, if it is no such text, or damaged. */
bool manifest_parse(struct manifest *manifest, const char *text, size_t bytes);
void manifest_release(struct manifest *manifest);

/* Read the line of a pile, as far as that can be done without the others. */
bool manifest_parse_pile(const char line[MANIFEST_PILE_BYTES], unsigned number, struct manifest_pile *pile);

/* How the other one, with as many piles, was made differently, in words: "made %s". NULL if there is no difference.
 * Piles and headers are compared only if both are `complete`. */
const char *manifest_difference(const struct manifest *one, const struct manifest *other, bool complete);
