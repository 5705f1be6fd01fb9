#pragma once

/*
 * The temporary directories: whether they have room, and whether the files in them are compressed.
 *
 * Compressing is worth while if it takes less time than what it saves of writing and of reading back: if a thread
 * spends w nanoseconds in writes for each byte, compressing takes c of its time, decompressing a quarter of that, and
 * what is left is the share r, if 2 w (1 - r) > 1.25 c. Several threads wait for the same disk, but compress side by
 * side: then half of c counts. c and r are told by samples. w is measured once, over one stretch of writes, and by how
 * long it takes until some of what was written is on the disk, as most systems take writes into memory and have
 * programs wait only when gigabytes are on their way. The longer of the two counts. Times are of sys_own_nanoseconds:
 * on a machine that has more to do than processors for it, compressing must not seem to be worth while because all
 * takes long.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "system/fault.h"
#include "temporary/frames.h"

enum spill_packing { SPILL_AUTO, SPILL_ALWAYS, SPILL_NEVER };

/* What is known of the disk and of what comes, with SPILL_AUTO. */
struct spill_pace {
    bool pressed;      /* the disk may have no room for all: compress whatever shrinks */
    double needed;     /* the share of itself to which all must shrink; 0: nobody knows */
    double write_cost; /* w; 0 before it is known */
    double pack_cost;  /* c */
    double left;       /* r */
};

/* Where temporary files may stand; shared by all scatters and threads of a run. */
struct spill_place {
    const char *const *directory;
    unsigned directories;
    unsigned threads; /* that write */
    enum spill_packing packing;
    int *shared;           /* [directories]: the file there that many piles share; -1 before the first file */
    bool told;             /* that a directory is memory */
    pthread_mutex_t mutex; /* guards `shared`, `told` and `pace` */
    struct spill_pace pace;
    uint64_t coming;             /* bytes that are sure to come, and for how many there was room: set by */
    uint64_t room;               /* spill_place_check */
    atomic_uint stripes;         /* of shared files that were taken, by their number */
    atomic_uint_least64_t piles; /* that have come to temporary files so far */
    atomic_uint_least64_t plain; /* bytes that have come */
    atomic_uint_least64_t bytes; /* written to the files for these */
    atomic_uint_least64_t measured_bytes, measured_nanoseconds; /* of the writes that were measured */
};

void spill_place_init(struct spill_place *place, const char *const *directory, unsigned directories,
                      enum spill_packing packing);
void spill_place_restart(struct spill_place *place); /* what comes from now on is another input; nothing is stored */
void spill_place_release(struct spill_place *place);

/* Compressing may shrink bytes to one part in SPILL_PLACE_HOPE: text shrinks to a half, much else to less. */
enum { SPILL_PLACE_HOPE = 4 };

/* End the run if a directory is not there, or no files can be made in it. `bytes` are sure to come: end it as well if
 * they will not be compressed and there is no room for them. If it is not known whether they will be, end it if there
 * is no room even for one part of them in SPILL_PLACE_HOPE; and if there is not enough for them as they are, they will
 * be, and the first write ends the run if it does not shrink as much as all must. */
void spill_place_check(struct spill_place *place, uint64_t bytes);

/* `bytes` bytes will be written; these are the first ones. Should they be compressed? */
bool spill_place_packs(struct spill_place *place, const struct iovec *pieces, int count, uint64_t bytes);

/* Are writes to be measured now? If so, each is told; true: it is the last, and the disk is to be asked; what that took
 * is told then. */
bool spill_place_measures(const struct spill_place *place);
bool spill_place_wrote(struct spill_place *place, uint64_t bytes, uint64_t nanoseconds);
void spill_place_waited(struct spill_place *place, uint64_t bytes, uint64_t nanoseconds);

/* End the run: a directory is full, as errno `error` says. */
_Noreturn void spill_place_report_full(const struct spill_place *place, const char *directory, int error);

/* A file without a name in this directory. -1 with errno. */
int spill_place_make_file(const char *directory);

/* The file in directory number `directory` for piles that have none of their own. Those of all directories are made at
 * the first call, so that they are there when descriptors are not. -1 with errno. */
int spill_place_shared(struct spill_place *place, unsigned directory);
