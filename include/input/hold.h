#ifndef BIGSHUF_INPUT_HOLD_H
#define BIGSHUF_INPUT_HOLD_H

/* What has been read of an input that cannot be read again, in one piece of memory: neighbouring blocks of a pool. */

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
    uint8_t *given;    /* the first block that has not been given back */
};

void hold_open(struct hold *hold, struct pool *pool);

/* Have room for `bytes` more bytes at hold->filled; blocks are pinned. Nobody else may have got any of the pool since
 * the first call. False if there are not so many. */
bool hold_grow(struct hold *hold, size_t bytes);

/* Nobody will look any more at what comes before `end`: its blocks go back to the pool. */
void hold_forget(struct hold *hold, const uint8_t *end);

#endif
