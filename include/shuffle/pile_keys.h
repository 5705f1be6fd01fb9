#pragma once

#include "shuffle/pile_source.h"

/* 8-byte numbers that belong to the records of a pile, in a pile of their own: one or two for each, in the same order.
 * So records stay unchanged, and all rules for piles hold for the numbers, too. */
enum { PILE_KEYS_AHEAD = 512 };
extern const struct record_format pile_keys_format; /* the format of such a pile, and of one of references */

/* Reads them one by one. */
struct pile_keys {
    struct source *source;
    size_t next, count;
    uint64_t key[PILE_KEYS_AHEAD];
};

/* pile_keys_append counts them as the pile's records; `keep` as for pile_source. */
void pile_keys_append(struct piles *piles, unsigned pile, uint64_t key);
void pile_keys_open(struct pile_keys *keys, struct piles *piles, unsigned pile, bool keep);
uint64_t pile_keys_next(struct pile_keys *keys); /* the run ends if there are no more */
void pile_keys_close(struct pile_keys *keys);    /* also when zeroed */
