#ifndef BIGSHUF_TEMPORARY_PACE_H
#define BIGSHUF_TEMPORARY_PACE_H

/*
 * Is compressing worth while? It is if it takes less time than the writes that it saves: if writes take w nanoseconds
 * for a byte, and compressing takes c and leaves the share r, if w (1 - r) > c. All three are measured as the run goes
 * on: w is the time that a thread spends in writes, waiting among it; c and r come from a sample once in a while.
 * Reading back gains from it too, so it may be worth while a little earlier.
 *
 * Most systems take writes into memory, as fast as it is, and make programs wait for the disk only when gigabytes are
 * on their way. So the disk is asked: some early writes wait until they are on it, one at a time. When bytes are being
 * compressed, and the disk thus has less to do, so do some writes from time to time, and only they count.
 *
 * It decides nothing but speed, so it may be wrong.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "temporary/frames.h"

/* Shared by all threads. */
struct pace {
    pthread_mutex_t mutex; /* guards what follows */
    bool pressed;          /* the disk has no room for all: compress whatever shrinks */
    bool packs;            /* compressing is worth while */
    bool asks;             /* the disk is asked */
    bool waits;            /* by a write that is under way */
    uint64_t plain_bytes;  /* that have come */
    uint64_t bytes;        /* written lately; while the disk is asked, by the writes that have waited for it */
    uint64_t nanoseconds;  /* that these took */
    double write_cost;     /* w; 0 before it is known */
    double pack_cost;      /* c */
    double saved;          /* 1 - r */
};

void pace_init(struct pace *pace);
void pace_release(struct pace *pace);

/* The disk will not hold what comes unless it shrinks. Before anything is written. */
void pace_press(struct pace *pace);

/* So many plain bytes are going to be written. Is it time for a sample of them? */
bool pace_come(struct pace *pace, uint64_t bytes);

void pace_sampled(struct pace *pace, const struct frames_sample *sample);

/* Is it worth while to compress? */
bool pace_packs(struct pace *pace);

/* Is the write that comes to wait until it is on the disk? */
bool pace_asks(struct pace *pace);

/* That write, of so many bytes, took so long; `asked`: it was to wait. */
void pace_wrote(struct pace *pace, uint64_t bytes, uint64_t nanoseconds, bool asked);

#endif
