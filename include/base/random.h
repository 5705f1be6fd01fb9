#pragma once

/* The random words of a run: ChaCha with 8 rounds under a key that is the SHA-256 of the seed. A key has 2^64 streams
 * of 2^64 blocks of 64 bytes, in Bernstein's original layout (D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008).
 * Any block can be computed without the ones before it, which is what makes threads and reading again possible. */

#include <stddef.h>
#include <stdint.h>

#include "base/siphash.h"

struct random_key {
    uint32_t word[8]; /* the 32 key bytes as little-endian numbers */
};

enum {
    RANDOM_BLOCK_WORDS = 16, /* 32-bit words in a block */
    RANDOM_AHEAD = 64,       /* blocks that are computed at a time when words are read in order */
};

/* The key of a seed of any length: SHA-256 of its bytes. */
void random_key_init(struct random_key *key, const void *seed, size_t seed_bytes);

/* A key for random words other than the order's: SHA-256 of the key's 32 bytes, the label, NUL, and the arguments. */
void random_key_derive(struct random_key *derived, const struct random_key *key, const char *label,
                       const void *arguments, size_t arguments_bytes);

/* Tells whether two keys are the same, and nothing else of them: the first bytes of SHA-256(key, "identity"). */
enum { RANDOM_IDENTITY_BYTES = 16 };
void random_key_identity(const struct random_key *key, uint8_t identity[RANDOM_IDENTITY_BYTES]);

/* A key for hashes, derived by a label without arguments. */
struct siphash_key random_hashing(const struct random_key *key, const char *label);

/* Compute `blocks` blocks of stream `stream` from block number `first` on. `words` receives RANDOM_BLOCK_WORDS numbers
 * a block: number i of the stream is the little-endian 32-bit word at byte 4i of the key stream, as a number, so that
 * machines of either byte order see the same. */
void random_blocks(const struct random_key *key, uint64_t stream, uint64_t first, uint32_t *words, size_t blocks);

/* The i-th 16-bit word (at byte 2i) of a key stream whose 32-bit words are given. */
static inline uint16_t random_u16(const uint32_t *words, size_t i)
{
    return (uint16_t)(words[i / 2] >> (16 * (i % 2)));
}

/* The 64-bit words of a key's stream 0 in order: word i is at byte 8i. */
struct random_words {
    struct random_key key;
    uint64_t next;  /* the word that is read next; may be set */
    uint64_t first; /* number of the one in word[0] and word[1] */
    uint32_t word[RANDOM_AHEAD * RANDOM_BLOCK_WORDS];
};

/* The words of the key derived by a label without arguments, from word 0 on. */
void random_words_init(struct random_words *words, const struct random_key *key, const char *label);

uint64_t random_next(struct random_words *words);

/* A number from 0 to bound - 1, without bias; bound 0 stands for 2^64. (Lemire 2019, as order.h, with 64-bit words) */
uint64_t random_draw(struct random_words *words, uint64_t bound);
