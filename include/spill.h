#ifndef BIGSHUF_SPILL_H
#define BIGSHUF_SPILL_H

/*
 * The temporary files of one scatter: a file for every pile, without a name, in the temporary directories in turn.
 *
 * A pile is written at its end and read from front to back. When its directory is full, it goes on in the next one;
 * only when none has room left does a write fail. Where the descriptors do not suffice, several piles share a file, in
 * turns of SPILL_STRIPE_BYTES. Where a program compresses, every write is one run of it, and what it makes is what is
 * stored. Functions that return int return 0, or -1 after a report.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "compress.h"
#include "fault.h"

/* Where temporary files may stand; shared by all scatters of a run. */
struct spill_place {
    const char *const *directory;
    unsigned directories;
    struct fault *fault;
    struct compress *compress;   /* NULL: bytes are stored as they are */
    atomic_bool told;            /* that a directory is memory */
    atomic_uint_least64_t piles; /* that have come to temporary files so far */
    atomic_uint_least64_t bytes; /* written to them */
};

enum { SPILL_STRIPE_BYTES = 1 << 20 };

struct spill;

/* Are the directories there, and can files be made in them? If `bytes` more than they have room for are sure to come,
 * that is a failure, too, unless they will be compressed: then the program is tried. */
int spill_check(struct spill_place *place, uint64_t bytes);

/* For `piles` piles. No file is made before something is written. NULL on failure. */
struct spill *spill_open(struct spill_place *place, unsigned piles);
void spill_free(struct spill *spill); /* NULL is fine */

/* Append to a pile. Different threads may write different piles. `pieces` is changed. */
int spill_write(struct spill *spill, unsigned pile, struct iovec *pieces, int count);

/* Nothing of the pile is needed any more: its space is given back. */
void spill_drop(struct spill *spill, unsigned pile);

/* Say that what was read of the pile is not what was written. Returns -1. */
int spill_report_damage(struct spill *spill, unsigned pile);

/* A pile that is being read, from front to back, while it is neither written nor dropped. */
struct spill_reader {
    struct spill *spill;
    unsigned pile;
    uint64_t left;                  /* bytes of the pile still to come */
    uint64_t next;                  /* in what is stored */
    uint64_t discarded;             /* of what is stored */
    struct compress_reader *packed; /* NULL before the first byte, and if nothing is compressed */
};

void spill_reader_init(struct spill_reader *reader, struct spill *spill, unsigned pile);
void spill_reader_release(struct spill_reader *reader); /* also when zeroed */

/* Fill all pieces, which hold at most what is left. A file that is too short is a failure, and so is, when the last
 * byte is read, a program that gives more than that. `pieces` is changed. */
int spill_reader_read(struct spill_reader *reader, struct iovec *pieces, int count);

/* The space of what has been read is no longer needed: it is given back where the system can. */
void spill_reader_discard(struct spill_reader *reader);

#endif
