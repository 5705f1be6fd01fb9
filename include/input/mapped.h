#pragma once

/*
 * Input files that are mapped instead of being read, one after the other in one space of addresses. They are lent one
 * after another, in pieces. The bytes after a file's last byte belong to the space as well, so that the last record
 * can be completed in place.
 *
 * If a file changes or fails, the message is the same as if it had been read, even if only an access shows it (SIGBUS).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "system/file_mark.h"
#include "system/guard.h"

/* A file as it was when it was mapped. */
struct mapped_file {
    uint8_t *place; /* of the byte at `offset` */
    off_t offset;
    size_t bytes; /* from there on */
    int fd;
};

struct mapped {
    uint8_t *base; /* NULL if there are no such files */
    size_t bytes;  /* of the space; of these, */
    size_t used;   /* are used */
    struct mapped_file *file;
    size_t files;
    const char *const *names;
    const struct file_mark *marks;
    struct guard guard;
    size_t lent;              /* the number of the file that is lent: */
    uint8_t *at;              /* the next byte of it, */
    uint8_t *last;            /* and the end */
    const uint8_t *forgotten; /* nobody will read the bytes before this, as far as is known */
    const uint8_t *seen;      /* [seen, seen_end) has been looked at, and its memory not been given back */
    const uint8_t *seen_end;
};

/* Bytes after each file that may be read and written. */
enum { MAPPED_AFTER_BYTES = 512 };

/* Map `count` files, which have been marked, with `start` for the position of standard input ("-"). `mapped`, names and
 * marks must stay. False if it cannot be done. */
bool mapped_open(struct mapped *mapped, const char *const *names, const struct file_mark *marks, size_t count,
                 off_t start);
void mapped_close(struct mapped *mapped); /* also when zeroed */
void mapped_restart(struct mapped *mapped);

/* Lend file `i` next; and: all of it has been lent. The run ends if it has changed. Standard input is at its end. */
void mapped_begin(struct mapped *mapped, size_t i);
void mapped_end(const struct mapped *mapped);

/* Read the beginning of it, as header.h says. */
size_t mapped_read(void *context, void *data, size_t bytes);

/* How many bytes come next, at most `bytes`: up to the end of a page, so that pages can be forgotten as a whole. */
size_t mapped_next(const struct mapped *mapped, size_t bytes);

/* Put bytes after the file, at most MAPPED_AFTER_BYTES less the bytes by which readers may overshoot. */
void mapped_append(struct mapped *mapped, const uint8_t *data, size_t bytes);

/* These bytes, of whatever records, have been looked at, and nobody reads them just now. Whoever looks at bytes says so
 * in steps of a few MiB at most, and so no more of them are in memory than some MiB: what was seen before is given back
 * when there is enough of it, or when it was elsewhere. All bytes are there again when they are read. */
void mapped_saw(struct mapped *mapped, const uint8_t *from, const uint8_t *end);

/* Nobody will read the bytes before `end` any more, until mapped_restart: so they have been looked at. */
void mapped_forget(struct mapped *mapped, const uint8_t *end);

/* Bytes that stay in memory all the same: the ends of files. */
uint64_t mapped_kept(const struct mapped *mapped);

/* The run ends if a file has changed. */
void mapped_check(const struct mapped *mapped);
