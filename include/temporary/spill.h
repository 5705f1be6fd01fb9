#ifndef BIGSHUF_TEMPORARY_SPILL_H
#define BIGSHUF_TEMPORARY_SPILL_H

/*
 * The temporary files of one scatter: a file for every pile, without a name, in the temporary directories in turn.
 *
 * A pile is written at its end and read from front to back. When its directory is full, it goes on in the next one;
 * only when none has room left does a write fail. Where the descriptors do not suffice, several piles share a file, in
 * turns of SPILL_STRIPE_BYTES. Each pile has a checksum (XXH64) of its bytes, as they were written.
 *
 * What is stored of a pile is its bytes as they are, up to where compressing them is found worth while, if it is; from
 * there on it is frames, some of which are compressed. Where another program compresses, every write is one run of it,
 * and what it makes is what is stored.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "system/fault.h"
#include "temporary/compress.h"
#include "temporary/frames.h"
#include "temporary/pace.h"
#include "temporary/storage.h"

/* Where temporary files may stand; shared by all scatters of a run. */
struct spill_place {
    const char *const *directory;
    unsigned directories;
    struct fault *fault;
    struct compress *compress;   /* another program; NULL: none */
    struct frames *frames;       /* without another program; NULL: bytes are stored as they are */
    struct pace *pace;           /* says when they are; NULL: never */
    uint64_t coming;             /* bytes that are sure to come, and what there was room for, if all must be */
    uint64_t room;               /* compressed since it is less */
    unsigned programs;           /* descriptors are kept for so many of them at a time; set by spill_programs */
    atomic_bool told;            /* that a directory is memory */
    atomic_uint_least64_t piles; /* that have come to temporary files so far */
    atomic_uint_least64_t plain; /* bytes that have come */
    atomic_uint_least64_t bytes; /* written to the files for these */
};

enum { SPILL_STRIPE_BYTES = 1 << 20 };

/* What compressing may leave of bytes, one part in so many: real text comes to a half, and much that machines write to
 * less. */
enum { SPILL_HOPE = 4 };

/* Are the directories there, and can files be made in them? `bytes` are sure to come. If they will not be compressed,
 * and there is no room for them, that is a failure, too; if it is not known whether they will be, it is if there is not
 * even room for SPILL_HOPE of them, and they will be if there is not enough as they are: then the first write fails if
 * its bytes do not shrink as much as all must. A program that compresses is
 * tried. 0, or -1 after a report. */
int spill_check(struct spill_place *place, uint64_t bytes);

/* How many programs that compress may run at a time, at most `most`, with the descriptors there are. Asked when inputs
 * and outputs have been seen to, before the first spill_open. */
unsigned spill_programs(struct spill_place *place, unsigned most);

/* Storage for `piles` piles. No file is made before something is written. NULL after a report. */
struct storage *spill_open(struct spill_place *place, unsigned piles);

#endif
