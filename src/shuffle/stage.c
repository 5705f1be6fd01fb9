#include "shuffle/stage.h"

#include <errno.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "system/fault.h"
#include "system/sys.h"

/* Copy to memory that is not read soon: if the processor can, write whole lines without fetching them into the cache.
 * Other threads see them after stages_settle. */
static void copy_past_cache(uint8_t *to, const uint8_t *from, size_t bytes)
{
#ifdef __SSE2__
    for (; bytes > 0 && (uintptr_t)to % SYS_LINE_BYTES != 0; bytes--)
        *to++ = *from++;
    for (; bytes >= SYS_LINE_BYTES; to += SYS_LINE_BYTES, from += SYS_LINE_BYTES, bytes -= SYS_LINE_BYTES)
        for (int i = 0; i < SYS_LINE_BYTES; i += 16)
            _mm_stream_si128((__m128i *)(void *)(to + i), _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
#endif
    memcpy(to, from, bytes);
}

void stages_settle(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

bool stage_empty(struct stages *stages, unsigned p, uint32_t bytes)
{
    struct stage *stage = &stages->stage[p];
    uint8_t *to;

    if (bytes == 0)
        return true;
    to = pile_extend(stages->piles, p, bytes, 0);
    if (to != NULL)
        copy_past_cache(to, stage->bytes, bytes);
    else if (!pile_append(stages->piles, p, stage->bytes, bytes))
        return false;
    stage->used -= bytes;
    memmove(stage->bytes, stage->bytes + bytes, stage->used);
    return true;
}

void stages_open(struct stages *stages, struct piles *piles)
{
    *stages = (struct stages){.piles = piles, .stage = sys_map(piles->count * sizeof *stages->stage)};
    if (stages->stage == NULL)
        die_errno("memory", errno);
}

bool stages_close(struct stages *stages, bool wanted)
{
    for (unsigned p = 0; p < stages->piles->count && wanted; p++)
        wanted = stage_empty(stages, p, stages->stage[p].used);
    stages_settle();
    sys_unmap(stages->stage, stages->piles->count * sizeof *stages->stage);
    return wanted;
}
