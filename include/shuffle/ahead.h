#ifndef BIGSHUF_SHUFFLE_AHEAD_H
#define BIGSHUF_SHUFFLE_AHEAD_H

/* Blocks of whole records, for a scatter by keys: a record does not go on in the next block. Only one that is longer
 * than a block comes in pieces, and the hash of its key is known before the first of them is delivered. */

#include "input/source.h"
#include "shuffle/keyed.h"
#include "shuffle/queue.h"
#include "temporary/spill.h"

struct ahead;

/* Of all that the source delivers. `tells`: where each block stands in the inputs is wanted. */
struct ahead *ahead_open(const struct record_format *format, struct keyed *keyed, struct source *source,
                         struct spill_place *place, bool tells);
const uint8_t *ahead_close(struct ahead *ahead); /* returns the end of what the source has lent; NULL: nothing */

/* Fill a block: its data, of at most `most` bytes if the source lends, where in a record they begin, and what stands
 * there (queue.h). No bytes: the source is at its end, or there was a long record without a key. */
void ahead_fill(struct ahead *ahead, struct queue_block *block, size_t most);

#endif
