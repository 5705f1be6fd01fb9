#ifndef BIGSHUF_INPUT_HELD_H
#define BIGSHUF_INPUT_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "system/pool.h"

/* What has been read of an input that cannot be read again, to be lent: one piece of memory, in neighbouring blocks of
 * a pool, which are pinned. */
struct held {
    struct pool *pool; /* NULL: nothing was ever held */
    uint8_t *base;     /* of the first block; NULL before there is one */
    uint8_t *at;       /* what comes next */
    uint8_t *filled;   /* the end of what was read */
    uint8_t *end;      /* and of the blocks */
    uint8_t *given;    /* the first block that has not been given back */
    bool leaving;      /* is it lent for the last time? */
};

/* Have room for `bytes` more bytes at held->filled. False if there are not so many. */
bool held_grow(struct held *held, size_t bytes);

size_t held_lend(struct held *held, const uint8_t **data, size_t bytes);

/* Give back the blocks that end before `end`. The pool hands them out next, so that records copied from here to piles
 * take no further memory, and none that was untouched. */
void held_forget(struct held *held, const uint8_t *end);

#endif
