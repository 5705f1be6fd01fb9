#ifndef BIGSHUF_TEMPORARY_PACE_H
#define BIGSHUF_TEMPORARY_PACE_H

/*
 * Is compressing worth while? It is if it takes less time than what it saves of writing and of reading back: if a
 * thread spends w nanoseconds in writes for each byte, and compressing takes c of its time, decompressing a quarter of
 * that, and what is left is the share r, if 2 w (1 - r) > 1.25 c. All three are measured as the run goes on, c and r by
 * samples. Several threads wait for the same disk, but compress side by side: then half of c counts. (With more than
 * two threads it would be less, if the disk alone made writes long; they may be copies to memory.)
 *
 * Most systems take writes into memory, as fast as that is, and have programs wait for the disk only when gigabytes are
 * on their way to it. So it is asked once, early: how long does it take until what some piles have written is on it?
 * All of these are asked for at once, as the system does: what waits behind other requests one by one tells their time.
 *
 * Once compressing was worth while on a disk, it is, as long as the data shrink: that writes wait no more then does not
 * mean that the disk is fast.
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

/* The last bytes of a file. */
struct pace_part {
    int fd;
    off_t offset;
    off_t bytes;
};

enum { PACE_PARTS = 128 };

/* Shared by all threads. */
struct pace {
    pthread_mutex_t mutex; /* guards what follows */
    bool pressed;          /* the disk has no room for all: compress whatever shrinks */
    bool hopeless;         /* and it does not shrink enough */
    double needed;         /* the share of itself to which it must shrink; 0: nobody knows */
    bool packs;            /* compressing is worth while */
    uint64_t come_bytes;   /* plain bytes so far */
    uint64_t passed_bytes; /* written since a write was measured */
    unsigned writes;       /* measured lately; their bytes, and what they took */
    uint64_t bytes;
    uint64_t nanoseconds;
    struct pace_part part[PACE_PARTS]; /* for which the disk is to be asked, or is being asked */
    unsigned parts;
    uint64_t part_bytes;
    bool asks;
    double write_cost; /* w, as writes say; 0 before it is known */
    double disk_cost;  /* and as the disk says */
    double pack_cost;  /* c */
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

/* io_write_at, which may be measured. `pace` may be NULL. */
int pace_write(struct pace *pace, int fd, struct iovec *pieces, int count, off_t offset, size_t *done);

/* Ask the disk how fast it is, if it is time for that, by the last bytes of a file of this length that was written from
 * front to back, and of others. `pace` may be NULL. */
void pace_ask(struct pace *pace, int fd, uint64_t length);

/* ---- What these are made of, without clock and disk ---- */

/* Is the next write, of so many bytes, to be measured? It took so long. */
bool pace_measures(struct pace *pace, uint64_t bytes);
void pace_wrote(struct pace *pace, uint64_t bytes, uint64_t nanoseconds);

/* Add a part, if it is time for that. Is the disk to be asked for all of them? It took so long, 0 if nobody knows. */
bool pace_asks(struct pace *pace, struct pace_part part);
void pace_asked(struct pace *pace, uint64_t nanoseconds);

#endif
