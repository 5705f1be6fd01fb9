#ifndef BIGSHUF_SPILL_H
#define BIGSHUF_SPILL_H

/*
 * The temporary files of one scatter: a file for every pile, without a name, in the temporary directories in turn.
 *
 * A pile is written at its end and read anywhere. When its directory is full, it goes on in the next one; only when
 * none has room left does a write fail. Where the descriptors do not suffice, several piles share a file, in turns of
 * SPILL_STRIPE_BYTES. Functions that return int return 0, or -1 after a report.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "fault.h"

/* Where temporary files may stand; shared by all scatters of a run. */
struct spill_place {
    const char *const *directory;
    unsigned directories;
    struct fault *fault;
    atomic_bool told;            /* that a directory is memory */
    atomic_uint_least64_t bytes; /* written to temporary files so far */
};

enum { SPILL_STRIPE_BYTES = 1 << 20 };

struct spill;

/* Are the directories there, and can files be made in them? If `bytes` more than they have room for are sure to come,
 * that is a failure, too. */
int spill_check(struct spill_place *place, uint64_t bytes);

/* For `piles` piles. No file is made before something is written. NULL on failure. */
struct spill *spill_open(struct spill_place *place, unsigned piles);
void spill_free(struct spill *spill); /* NULL is fine */

/* Append to pile `pile`, whose `offset` bytes before have been written. Different threads may write different piles.
 * `pieces` is changed. */
int spill_write(struct spill *spill, unsigned pile, uint64_t offset, struct iovec *pieces, int count);

/* Read from `offset` on; a file that is too short is a failure. `pieces` is changed. */
int spill_read(struct spill *spill, unsigned pile, uint64_t offset, struct iovec *pieces, int count);

/* The space of the pile's bytes [from, to) is no longer needed: it is given back where the system can. */
void spill_discard(struct spill *spill, unsigned pile, uint64_t from, uint64_t to);

/* Nothing of the pile, of which `bytes` bytes were written, is needed any more: its space is given back. */
void spill_drop(struct spill *spill, unsigned pile, uint64_t bytes);

/* Say that what was read is not what was written. Returns -1. */
int spill_report_damage(struct spill *spill, unsigned pile, uint64_t offset);

#endif
