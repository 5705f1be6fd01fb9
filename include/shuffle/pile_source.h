#ifndef BIGSHUF_SHUFFLE_PILE_SOURCE_H
#define BIGSHUF_SHUFFLE_PILE_SOURCE_H

/* A pile from front to back, after piles_seal: first the bytes in storage, then those in memory. */

#include "input/source.h"
#include "shuffle/pile.h"

/* If a part of a pile is in its file, verify that part and the number of records in the pile, through a buffer and
 * without changing the pile. For callers who must know before they use the first byte. */
void pile_source_verify(struct piles *piles, unsigned pile, const struct record_format *format, uint8_t *buffer,
                        size_t bytes);

/* A pile as a source. Bytes from its file are verified when the last of them is read, before that is handed out. With
 * `keep` all stays readable, else space in the file and in memory is given back as it is read. */
struct source *pile_source(struct piles *piles, unsigned pile, bool keep);

/* ---- Numbers in piles ---- */

/* Numbers of 8 bytes beside the records of a pile, in a pile of their own: one for each record, in the same order. So
 * records stay unchanged, and all rules for piles hold for the numbers, too. */
enum { PILE_KEYS_AHEAD = 512 };
extern const struct record_format pile_keys_format; /* what such a pile holds, and one of references */

/* Reads them one by one. */
struct pile_keys {
    struct source *source;
    size_t next, count;
    uint64_t key[PILE_KEYS_AHEAD];
};

/* pile_keys_append counts them as the pile's records; `keep` as pile_source. */
void pile_keys_append(struct piles *piles, unsigned pile, uint64_t key);
void pile_keys_open(struct pile_keys *keys, struct piles *piles, unsigned pile, bool keep);
uint64_t pile_keys_next(struct pile_keys *keys); /* the run ends if there are no more of them */
void pile_keys_close(struct pile_keys *keys);    /* also when zeroed */

#endif
