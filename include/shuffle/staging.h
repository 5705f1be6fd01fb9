#ifndef BIGSHUF_SHUFFLE_STAGING_H
#define BIGSHUF_SHUFFLE_STAGING_H

/*
 * Short pieces on their way to many piles. If each were written to the end of its pile, nearly each would fetch a line
 * of memory into the cache, to be driven out before the next piece for it comes. So they are collected in a stage for
 * each pile, all of which the caches hold, and leave it in whole lines.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shuffle/copy.h"
#include "shuffle/pile.h"

/* A stage holds so many bytes, and besides, what copies write behind them. Stages of 128 to 512 bytes measured alike.
 */
enum { STAGING_BYTES = 256 };

struct pile_stage {
    _Alignas(SYS_APART_BYTES) uint8_t bytes[STAGING_BYTES + COPY_STEP];
    uint32_t used;
};

struct staging {
    struct piles *piles;
    struct pile_stage *stage; /* of each pile */
};

/* For piles to which nothing is appended in other ways until staging_end. As with pile_append, one thread at a time
 * puts something into the piles of a lane. */
void staging_init(struct staging *staging, struct piles *piles);
void staging_release(struct staging *staging); /* also when zeroed */

/* What a thread has put may be read or continued by other threads. */
void staging_settle(void);

/* Append all that is in the stages to the piles. False: there is no room for references (pile_try_append). */
bool staging_end(struct staging *staging);

/* For the functions below: append the whole lines of a stage, as staging_end does; or all of it, and then `bytes` bytes
 * that are no references. */
bool staging_pass(struct staging *staging, unsigned pile);
void staging_pass_with(struct staging *staging, unsigned pile, const uint8_t *data, size_t bytes);

/* Where to write the next bytes for a pile, at most STAGING_BYTES / 2. NULL: there is no room for references. */
static inline uint8_t *staging_reserve(struct staging *staging, unsigned pile, size_t bytes)
{
    struct pile_stage *stage = &staging->stage[pile];
    uint32_t used = stage->used;

    if (bytes > STAGING_BYTES - used) {
        if (!staging_pass(staging, pile))
            return NULL;
        used = stage->used;
    }
    stage->used = used + (uint32_t)bytes;
    return stage->bytes + used;
}

/* Append bytes that are no references to a pile; up to COPY_STEP behind them may be read, too. */
static inline void staging_put(struct staging *staging, unsigned pile, const uint8_t *data, size_t bytes)
{
    if (bytes > STAGING_BYTES / 2)
        staging_pass_with(staging, pile, data, bytes);
    else
        copy_over(staging_reserve(staging, pile, bytes), data, bytes);
}

#endif
