#ifndef BIGSHUF_SHUFFLE_UNITS_H
#define BIGSHUF_SHUFFLE_UNITS_H

/* How many different keys the records of a pile have (keyed.h), read from front to back. */

#include "shuffle/keyed.h"

/* Do all records of a pile have the same key? Then it is verified. By thread 0, through a buffer with POOL_SLACK_BYTES
 * more. */
bool units_are_one(struct keyed *keyed, struct piles *piles, unsigned pile, const struct record_format *format,
                   uint8_t *buffer, size_t bytes);

/* How many units does a pile hold that is so many bits from the root? All of it stays as it is. */
uint64_t units_count(struct keyed *keyed, unsigned thread, struct piles *piles, unsigned pile, unsigned bits,
                     const struct record_format *format, uint8_t *buffer, size_t bytes);

#endif
