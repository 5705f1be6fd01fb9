#ifndef BIGSHUF_INPUT_HOLD_H
#define BIGSHUF_INPUT_HOLD_H

/* What has been read of an input that cannot be read again, in one piece of memory: to be looked at where it stands, or
 * to be read from there once more, and to leave. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "system/pool.h"

struct hold {
    struct pool *pool; /* NULL: nothing was ever held */
    uint8_t *base;     /* of the first block; NULL before there is one */
    uint8_t *at;       /* what comes next */
    uint8_t *filled;   /* the end of what was read */
    uint8_t *end;      /* and of the blocks */
    bool leaving;
    bool full; /* there was no memory for more */
};

/* Hold bytes in blocks of a pool, which leaves a part of it to others. Blocks are pinned. */
void hold_open(struct hold *hold, struct pool *pool);

/* How many more bytes can be read to hold->filled, at most `bytes`; 0 if memory has run out. */
size_t hold_room(struct hold *hold, size_t bytes);

/* Look at the first byte again. */
void hold_rewind(struct hold *hold);

/* From the first byte on, all will be taken, and its memory goes back to the pool. */
void hold_leave(struct hold *hold);

/* Copy what comes next, at most `bytes` bytes. Returns how many; 0 if all of it has left. */
size_t hold_take(struct hold *hold, uint8_t *data, size_t bytes);

#endif
