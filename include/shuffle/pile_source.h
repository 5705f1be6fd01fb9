#pragma once

/* Reads a pile from front to back, after piles_seal: first the bytes in storage, then those in memory. */

#include "input/source.h"
#include "shuffle/engine.h"
#include "shuffle/pile.h"

/* The pile will be read more than once. From now on it is read in parts, and each part that is read again is checked
 * before it is handed out, since it may be output. Checksums take memory until the pile is cleared, and so does a part
 * while it is read: 256 KiB each, or of larger piles up to twice the square root of eight times their bytes. */
void pile_source_twice(struct piles *piles, unsigned pile);

/* If a part of a pile is in its file, verify that part and the number of records in the pile, through ENGINE_WHOLE,
 * without changing the pile, which will be read twice. For callers who need that before they use the first byte. */
void pile_source_verify(const struct engine *engine, struct piles *piles, unsigned pile,
                        const struct record_format *format);

/* A pile as a source. Bytes from its file have been verified when the last of them is handed out. Unless `keep`, space
 * in the file and in memory is given back as it is read. */
struct source *pile_source(struct piles *piles, unsigned pile, bool keep);
