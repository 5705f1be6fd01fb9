#ifndef BIGSHUF_TEMPORARY_PILE_FILES_H
#define BIGSHUF_TEMPORARY_PILE_FILES_H

/*
 * The files of a scatter's piles: each pile is a sequence of bytes that grows at its end. What they mean is not known
 * here. When its directory is full, a pile goes on in the next one. Where the descriptors do not suffice, several piles
 * share a file, in turns of PILE_FILES_STRIPE_BYTES. Messages name the directory, as the files have no names.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "temporary/spill_place.h"

enum { PILE_FILES_STRIPE_BYTES = 1 << 20 };

/* One pile's. */
struct pile_file {
    uint64_t bytes;
    unsigned extents; /* how many directories it has come to; 0 before the first write */
    bool used;        /* has anything of it ever been in a file? */
};

struct pile_files {
    struct spill_place *place;
    pthread_mutex_t mutex;  /* guards the making of files */
    unsigned count;         /* of groups */
    unsigned turns;         /* piles in a group, at most */
    int *descriptor;        /* [count][directories]; -1 if not made */
    uint64_t *start;        /* [piles][directories + 1]: the offset at which each of the pile's extents begins */
    struct pile_file *pile; /* [piles] */
};

/* For so many piles. */
void pile_files_init(struct pile_files *files, struct spill_place *place, unsigned piles);
void pile_files_release(struct pile_files *files);

/* The directory in which a pile begins. */
const char *pile_files_directory(const struct pile_files *files, unsigned pile);

/* Append to a pile. Different threads may do that to different piles. `pieces` is changed. */
void pile_files_append(struct pile_files *files, unsigned pile, struct iovec *pieces, int count);

/* Fill the pieces with a pile's bytes from *offset on, of which there are as many, and move *offset on. `pieces` is
 * changed. */
void pile_files_read(struct pile_files *files, unsigned pile, uint64_t *offset, struct iovec *pieces, int count);

/* Give back the space of a pile's bytes from one offset to another. */
void pile_files_discard(struct pile_files *files, unsigned pile, uint64_t from, uint64_t to);

/* Nothing of the pile is needed any more; it is empty then. */
void pile_files_drop(struct pile_files *files, unsigned pile);

#endif
