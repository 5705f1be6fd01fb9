#ifndef BIGSHUF_TEMPORARY_SPILL_PLACE_H
#define BIGSHUF_TEMPORARY_SPILL_PLACE_H

/* The temporary directories, whether there is room in them, and how what comes there is compressed. Functions that
 * return int return 0, or -1 after a report. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "system/fault.h"
#include "temporary/frames.h"
#include "temporary/pace.h"

/* Where temporary files may stand; shared by all scatters of a run. */
struct spill_place {
    const char *const *directory;
    unsigned directories;
    struct frames *frames;       /* NULL: bytes are stored as they are */
    struct pace *pace;           /* says when they are; NULL: never */
    uint64_t coming;             /* bytes that are sure to come, and for how many there was room: set by */
    uint64_t room;               /* spill_place_check */
    atomic_bool told;            /* that a directory is memory */
    atomic_uint_least64_t piles; /* that have come to temporary files so far */
    atomic_uint_least64_t plain; /* bytes that have come */
    atomic_uint_least64_t bytes; /* written to the files for these */
};

/* What compressing may leave of bytes, one part in so many: real text comes to a half, and much that machines write to
 * less. */
enum { SPILL_PLACE_HOPE = 4 };

/* Are the directories there, and can files be made in them? `bytes` are sure to come. If they will not be compressed,
 * and there is no room for them, that is a failure, too. If it is not known whether they will be, it is one if there is
 * no room even for one part of them in SPILL_PLACE_HOPE; and if there is not enough for them as they are, they will be,
 * and the first write fails if it does not shrink as much as all must. */
int spill_place_check(struct spill_place *place, uint64_t bytes);

/* Nobody knows how much is to come. Is less free than has come so far? If so, the next bytes are compressed, if they
 * may be, as long as there is room for twice as many of them. Any thread; nothing is reported. */
bool spill_place_fills(const struct spill_place *place);

/* Report that a directory is full, as errno `error` says. Returns -1. */
int spill_place_report_full(const struct spill_place *place, const char *directory, int error);

/* Report that there is no room for what is coming, even compressed. Returns -1. */
int spill_place_report_shortage(const struct spill_place *place);

/* A file without a name in this directory. -1 with errno. */
int spill_place_make_file(const char *directory);

#endif
