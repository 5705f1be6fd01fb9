#ifndef BIGSHUF_TEMPORARY_PACE_H
#define BIGSHUF_TEMPORARY_PACE_H

/*
 * Is compressing worth while? It is if it takes less time than what it saves of writing and of reading back: if a
 * thread spends w nanoseconds in writes for each byte, and compressing takes c of its time, decompressing a quarter of
 * that, and what is left is the share r, if 2 w (1 - r) > 1.25 c. Several threads wait for the same disk, but compress
 * side by side: then half of c counts. (With more than two threads it would be less, if the disk alone made writes
 * long; they may be copies to memory.)
 *
 * c and r are told by samples. w is measured once, early, over one stretch of writes. Most systems take writes into
 * memory, as fast as that is, and have programs wait for the disk only when gigabytes are on their way to it. So the
 * disk is asked as well: how long does it take until what was written in that stretch is on it? It is asked for all of
 * that at once, as the system does: what waits behind other requests one by one tells their time. The longer of the two
 * times counts.
 *
 * Times are of sys_own_nanoseconds: on a machine that has more to do than processors for it, compressing must not seem
 * to be worth while because all takes long.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "temporary/frames.h"

/* Bytes of a file that are on their way to the disk. */
struct pace_extent {
    int fd;
    off_t offset;
    off_t bytes;
};

enum { PACE_EXTENTS = 128 };

/* Shared by all threads. */
struct pace {
    pthread_mutex_t mutex; /* guards what follows */
    bool pressed;          /* the disk has no room for all: compress whatever shrinks */
    bool hopeless;         /* and it does not shrink enough */
    double needed;         /* the share of itself to which it must shrink; 0: nobody knows */
    bool packs;            /* compressing is worth while */
    uint64_t come_bytes;   /* plain bytes so far */
    uint64_t bytes;        /* of the writes that were measured, and what they took */
    uint64_t nanoseconds;
    struct pace_extent extent[PACE_EXTENTS]; /* for which the disk will be asked */
    unsigned extents;
    uint64_t extent_bytes;
    bool measured;     /* all that will be: the disk has been asked, or is being asked */
    double write_cost; /* w; 0 before it is known */
    double pack_cost;  /* c; 0 before the first sample */
    double saved;      /* 1 - r */
    double share;      /* of c that counts */
};

/* For one thread. */
void pace_init(struct pace *pace);
void pace_release(struct pace *pace);

/* So many threads write, at least 1. Before anything is written. */
void pace_use_threads(struct pace *pace, unsigned threads);

/* The disk will not hold what comes unless it shrinks to this share of itself, which is told before anything is
 * written; or 0: it may not, but nobody knows how much is to come. From now on, compress whatever shrinks. */
void pace_press(struct pace *pace, double needed);

enum pace_choice {
    PACE_PLAIN,   /* as they are */
    PACE_PACKED,  /* compressing is worth while */
    PACE_HOPELESS /* the first sample has shrunk less than all must */
};

/* How should the next bytes be written, by what is known so far? */
enum pace_choice pace_advice(struct pace *pace);

/* So many plain bytes are going to be written. Is it time for a sample of them? */
bool pace_come(struct pace *pace, uint64_t bytes);
void pace_sampled(struct pace *pace, const struct frames_sample *sample);

/* io_write_at, which may be measured, and after which the disk may be asked. `pace` may be NULL. */
int pace_write(struct pace *pace, int fd, struct iovec *pieces, int count, off_t offset, size_t *done);

#endif
