#ifndef BIGSHUF_SHUFFLE_PILE_KEYS_H
#define BIGSHUF_SHUFFLE_PILE_KEYS_H

/* Numbers of 8 bytes beside the records of a pile, in a pile of their own: one for each record, in their order, as they
 * stand in memory. So the records stay what they are, and what is known about piles holds for the numbers, too. */

#include <stddef.h>
#include <stdint.h>

#include "shuffle/pile.h"

enum { PILE_KEYS_AHEAD = 512 };

/* Reads them one by one. */
struct pile_keys {
    struct source *source;
    size_t next;
    size_t count;
    uint64_t key[PILE_KEYS_AHEAD];
};

/* pile_keys_append counts them as the pile's records; pile_keys_verify is pile_source_verify; `keep` is that of
 * pile_source. */
void pile_keys_append(struct piles *piles, unsigned pile, uint64_t key);
void pile_keys_verify(struct piles *piles, unsigned pile, uint8_t *buffer, size_t bytes);
void pile_keys_open(struct pile_keys *keys, struct piles *piles, unsigned pile, bool keep);
uint64_t pile_keys_next(struct pile_keys *keys); /* the run ends if there are no more of them */
void pile_keys_close(struct pile_keys *keys);    /* also when zeroed */

#endif
