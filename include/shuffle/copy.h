#ifndef BIGSHUF_SHUFFLE_COPY_H
#define BIGSHUF_SHUFFLE_COPY_H

/* Copies of short records, without a call and mostly without a branch. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* At most POOL_SLACK_BYTES. */
enum { COPY_STEP = 32 };

/* Copy `bytes` bytes; up to COPY_STEP behind them may be read and overwritten, too. What fits into half a step seldom
 * touches a second line of the cache. What is read behind them may be another thread's block, so the thread sanitizer
 * is not to look. */
__attribute__((no_sanitize("thread"))) static inline void copy_over(uint8_t *to, const uint8_t *from, size_t bytes)
{
    memcpy(to, from, COPY_STEP / 2);
    if (bytes <= COPY_STEP / 2)
        return;
    memcpy(to + COPY_STEP / 2, from + COPY_STEP / 2, COPY_STEP / 2);
    if (bytes > 8 * (size_t)COPY_STEP)
        memcpy(to + COPY_STEP, from + COPY_STEP, bytes - COPY_STEP);
    else
        for (size_t done = COPY_STEP; done < bytes; done += COPY_STEP)
            memcpy(to + done, from + done, COPY_STEP);
}

#endif
