#ifndef BIGSHUF_TEMPORARY_SPILL_PLACE_H
#define BIGSHUF_TEMPORARY_SPILL_PLACE_H

/* The temporary directories, whether there is room in them, and how what comes there is compressed. */

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

/* End the run if a directory is not there, or no files can be made in it. `bytes` are sure to come: end it as well if
 * they will not be compressed and there is no room for them. If it is not known whether they will be, end it if there
 * is no room even for one part of them in SPILL_PLACE_HOPE; and if there is not enough for them as they are, they will
 * be, and the first write ends the run if it does not shrink as much as all must. */
void spill_place_check(struct spill_place *place, uint64_t bytes);

/* Nobody knows how much is to come. Is less free than has come so far? If so, the next bytes are compressed, if they
 * may be, as long as there is room for twice as many of them. Any thread; nothing is reported. */
bool spill_place_fills(const struct spill_place *place);

/* End the run: a directory is full, as errno `error` says. */
_Noreturn void spill_place_report_full(const struct spill_place *place, const char *directory, int error);

/* End the run: there is no room for what is coming, even compressed. */
_Noreturn void spill_place_report_shortage(const struct spill_place *place);

/* A file without a name in this directory. -1 with errno. */
int spill_place_make_file(const char *directory);

#endif
