#ifndef BIGSHUF_INPUT_MAPPED_H
#define BIGSHUF_INPUT_MAPPED_H

/*
 * Input files that are mapped instead of being read: each behind the one before, in one space of addresses. They are
 * lent one after another, in pieces. What is behind a file's last byte belongs to the space as well, so that a record
 * there can be completed where it stands.
 *
 * What happens to such a file is told as if it had been read, also when it is only noticed as somebody looks at it
 * (SIGBUS).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "system/file_mark.h"
#include "system/signals.h"

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
    size_t used;   /* so many are used */
    struct mapped_file *file;
    size_t files;
    const char *const *names;
    const struct file_mark *marks;
    struct signals_guard guard;
    size_t lent;        /* the number of the file that is lent: */
    uint8_t *at;        /* the next byte of it, */
    uint8_t *last;      /* and the end */
    uint8_t *forgotten; /* the memory before this has been given back */
};

/* Bytes behind each file that may be read and written. */
enum { MAPPED_BEHIND_BYTES = 512 };

/* Map `count` files, which have been marked, with `start` for the position of standard input ("-"). All must stay where
 * they are: `mapped`, the names and the marks. False if that cannot be done. */
bool mapped_open(struct mapped *mapped, const char *const *names, const struct file_mark *marks, size_t count,
                 off_t start);
void mapped_close(struct mapped *mapped); /* also when zeroed */
void mapped_restart(struct mapped *mapped);

/* Lend file `i` next, and then that all of it has been lent. It must be what it was. Standard input is left at its end.
 */
void mapped_begin(struct mapped *mapped, size_t i);
void mapped_end(const struct mapped *mapped);

/* Read the beginning of it, as header.h says. */
size_t mapped_read(void *context, void *data, size_t bytes);

/* How many bytes come next, at most `bytes`: up to the end of a page, so that pages can be forgotten as a whole. */
size_t mapped_next(const struct mapped *mapped, size_t bytes);

/* Put bytes behind the file, at most MAPPED_BEHIND_BYTES less what whoever looks may overshoot. */
void mapped_append(struct mapped *mapped, const uint8_t *data, size_t bytes);

/* Nobody will look any more at what came before `end`, until mapped_restart. */
void mapped_forget(struct mapped *mapped, const uint8_t *end);

/* All files must be what they were. */
void mapped_check(const struct mapped *mapped);

#endif
