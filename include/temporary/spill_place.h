#pragma once

/*
 * The temporary directories: whether they have room, and whether the files in them are compressed.
 *
 * Compressing is worth while if it takes less time than it saves in writing and reading. Let writing a byte take w ns,
 * compressing it c ns, decompressing it a quarter of that, and let bytes shrink to the share r. So it must be that
 * 2 w (1 - r) > 1.25 c. Several threads wait for the same disk, but compress side by side: then half of c counts. c and
 * r are measured on samples. w is measured once, as the longer of two times: that of a stretch of writes, and that
 * until a part is on the disk, since most systems take writes into memory and let programs wait only for gigabytes.
 * Times are those of sys_own_nanoseconds: on a busy machine, compressing must not seem worth while because everything
 * takes long.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "system/fault.h"
#include "temporary/frames.h"

enum spill_packing { SPILL_AUTO, SPILL_ALWAYS, SPILL_NEVER };

/* For SPILL_AUTO: what is known of the disk and of the data. */
struct spill_pace {
    bool pressed;      /* the disk may have no room for all: compress whatever shrinks */
    double needed;     /* the share to which all data must shrink; 0: unknown */
    double write_cost; /* w; 0 before it is known */
    double pack_cost;  /* c */
    double left;       /* r */
};

/* The temporary directories, for all scatters and threads of a run. The first four fields are set before threads
 * start. */
struct spill_place {
    const char *const *directory;
    unsigned directories;
    unsigned threads; /* that write */
    enum spill_packing packing;
    int *shared;           /* [directories]: the file there that piles share; -1 before the first one */
    bool told;             /* has the user been told that a directory is in memory? */
    pthread_mutex_t mutex; /* guards `shared`, `told` and `pace` */
    struct spill_pace pace;
    uint64_t coming;                                            /* set by spill_place_check: bytes that surely come, */
    uint64_t room;                                              /* and free space */
    atomic_uint stripes;                                        /* number of stripes taken in shared files */
    atomic_uint_least64_t piles;                                /* that have come to temporary files */
    atomic_uint_least64_t plain;                                /* bytes of these piles */
    atomic_uint_least64_t bytes;                                /* bytes written to the files for them */
    atomic_uint_least64_t measured_bytes, measured_nanoseconds; /* of measured writes */
};

void spill_place_init(struct spill_place *place, const char *const *directory, unsigned directories,
                      enum spill_packing packing);
void spill_place_restart(struct spill_place *place); /* for another input; nothing is stored */
void spill_place_release(struct spill_place *place);

/* Compressing may shrink bytes to 1/SPILL_PLACE_HOPE: text shrinks to a half, much other data to less. */
enum { SPILL_PLACE_HOPE = 4 };

/* End the run if a directory is missing, or no files can be made in it; and if there is no room for the `bytes` bytes
 * that surely come: with SPILL_NEVER for all of them, with SPILL_AUTO for 1/SPILL_PLACE_HOPE of them. If SPILL_AUTO has
 * room for that, but not for all, they will be compressed, and the first write ends the run if that saves too
 * little. */
void spill_place_check(struct spill_place *place, uint64_t bytes);

/* `bytes` bytes will be written, of which the pieces are the first. Should they be compressed? */
bool spill_place_packs(struct spill_place *place, const struct iovec *pieces, int count, uint64_t bytes);

/* Should writes be measured now? Then spill_place_wrote is told of each; if it returns true, that was the last: the
 * caller waits until some bytes are on the disk, and tells spill_place_waited how many, and how long that took. */
bool spill_place_measures(const struct spill_place *place);
bool spill_place_wrote(struct spill_place *place, uint64_t bytes, uint64_t nanoseconds);
void spill_place_waited(struct spill_place *place, uint64_t bytes, uint64_t nanoseconds);

/* End the run: `directory` is full; `error` is the errno of the failed write. */
_Noreturn void spill_place_report_full(const struct spill_place *place, const char *directory, int error);

/* A file without a name in this directory. -1 with errno. */
int spill_place_make_file(const char *directory);

/* The file in directory number `directory` for piles without one of their own. The first call makes those of all
 * directories, while there are descriptors. -1 with errno. */
int spill_place_shared(struct spill_place *place, unsigned directory);
