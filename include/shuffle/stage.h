#pragma once

/* Short pieces on their way to a pile. If each were written to the end of its pile, nearly each would fetch a line of
 * memory into the cache, which would leave it before the next piece for that line comes. So pieces are collected in a
 * stage for each pile, all of which the caches hold, and leave it in whole lines. On one processor (Xeon, Sapphire
 * Rapids), with 9-byte lines for 512 piles in memory that was touched before, each took 12 ns when written to the end
 * of its pile, 9 ns from stages, and 5 ns from stages past the cache. Stages of 128 to 512 bytes measured alike. */

#include "base/tunable.h"
#include "shuffle/index.h"
#include "shuffle/pile.h"

enum { STAGE_BYTES = 256 };
TUNABLE(STAGED_BYTES, STAGE_BYTES, 2 * SYS_LINE_BYTES, STAGE_BYTES);

struct stage {
    _Alignas(SYS_APART_BYTES) uint8_t bytes[STAGE_BYTES + COPY_STEP]; /* and room for copy_over */
    uint32_t used;
};

/* The stage of a pile is used by the thread that has the pile's lane. */
struct stages {
    struct piles *piles;
    struct stage *stage;
};

void stages_open(struct stages *stages, struct piles *piles); /* without memory for them, the run ends */

/* Let other threads read or continue what this thread has put. */
void stages_settle(void);

/* If `wanted`, empty all stages; then free them. True if all were emptied; false if not wanted, or there was no room
 * for references. */
bool stages_close(struct stages *stages, bool wanted);

/* Move the first `bytes` bytes of a stage to its pile. False: there is no room for references. */
bool stage_empty(struct stages *stages, unsigned p, uint32_t bytes);

/* Where to write the next bytes for a pile, at most STAGED_BYTES / 2. NULL: there is no room for references. If the
 * stage is full, it is emptied up to where the pile ends with a whole line: so lines are written once, except around
 * longer pieces. */
static inline uint8_t *stage_reserve(struct stages *stages, unsigned p, size_t bytes)
{
    struct stage *stage = &stages->stage[p];

    if (bytes > STAGED_BYTES - stage->used) {
        const uint32_t beyond = (uint32_t)((uintptr_t)stages->piles->pile[p].at + stage->used) % SYS_LINE_BYTES;

        if (!stage_empty(stages, p, stage->used - beyond))
            return NULL;
    }
    stage->used += (uint32_t)bytes;
    return stage->bytes + stage->used - bytes;
}

/* Append bytes that are no references to a pile; up to COPY_STEP bytes after them may be read, too. */
static inline void stage_put(struct stages *stages, unsigned p, const uint8_t *data, size_t bytes)
{
    if (bytes <= STAGED_BYTES / 2) {
        copy_over(stage_reserve(stages, p, bytes), data, bytes);
    } else {
        stage_empty(stages, p, stages->stage[p].used);
        pile_append(stages->piles, p, data, bytes);
    }
}
