#ifndef BIGSHUF_SHUFFLE_PILE_SOURCE_H
#define BIGSHUF_SHUFFLE_PILE_SOURCE_H

/* A pile that is read back from front to back, after piles_seal: what is in storage, then what is in memory. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/source.h"
#include "record/record.h"
#include "shuffle/pile.h"

/* If any of a pile is in its file: verify that, and how many records the pile holds, through a buffer and without a
 * change to it. For those who must know before they use the first byte. */
void pile_source_verify(struct piles *piles, unsigned pile, const struct record_format *format, uint8_t *buffer,
                       size_t bytes);

/* A pile as a source. Bytes from its file are verified when the last of them is read, before that is handed out. With
 * `keep` all stays readable, else space in the file and in memory is given back as it is read. */
struct source *pile_source(struct piles *piles, unsigned pile, bool keep);

#endif
