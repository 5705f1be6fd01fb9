#pragma once

/*
 * The contents of input files: their bytes, decompressed if need be. Each file is looked at first; then the files are
 * read, one at a time.
 *
 *     contents_open, contents_look for each file, contents_decompress
 *     contents_begin --> contents_read ... --> contents_end --> contents_begin ...
 *
 * contents_close may come at any time.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "input/decompress.h"
#include "input/hints.h"
#include "record/record.h"
#include "system/file_mark.h"

/* Bytes that are still to be fetched from a file. */
struct absent {
    uint8_t *data; /* where to; NULL: there are none */
    size_t bytes;
    off_t at;
    bool fetched;
    struct absent *next;
};

struct contents {
    const char *const *names;
    size_t count;
    struct hints hints;            /* what was asked for: compressed files are decompressed, or else refused */
    struct file_mark *marks;       /* of each file, from when it was first opened */
    off_t start;                   /* of standard input, if it is a regular file */
    size_t packed;                 /* regular files that are compressed, and to be decompressed */
    struct decompress *decompress; /* NULL: all files are read as they are */
    size_t file;                   /* the number of the file that is read */
    int fd;                        /* -1 if none is open, or it is decompressed */
    off_t at;                      /* the next byte of it, if it is a regular file */
    bool decompressed;             /* does a program make them from the file? */
    bool at_end;                   /* has a read found its end? */
    pthread_mutex_t mutex;         /* guards the rest, up to `fetching` */
    pthread_cond_t fetched;        /* something was */
    struct absent *absent;         /* bytes of the file that nobody fetches yet, */
    unsigned fetching;             /* and how many threads fetch others */
    struct decompress_beginning beginning;
    size_t taken; /* of the bytes in that */
};

/* The names ("-" is standard input) must stay, as must `contents`, and what is in the hints, of which nothing is told.
 */
void contents_open(struct contents *contents, const char *const *names, size_t count, const struct hints *hints);
void contents_release(struct contents *contents);

/* Look at the next file. The run ends if it is known, without side effects, that it cannot be read. Returns whether it
 * is a regular file that needs no decompression, and is not one that is made as it is read, as those in /proc are. If
 * so, it is marked, *bytes receives how many bytes are left of it, and unless it is standard input it is open, to be
 * read from its beginning, up to contents_close. */
bool contents_look(struct contents *contents, size_t file, uint64_t *bytes);

/* Decompress those that are compressed, from now on. */
void contents_decompress(struct contents *contents, struct decompress_limits limits);

void contents_begin(struct contents *contents, size_t file);

/* Read up to `bytes` bytes, as one read() does; the context is the contents. Returns 0 at the end, and ever after. */
size_t contents_read(void *context, void *data, size_t bytes);

/* Instead of reading the next bytes into data[0, bytes), have somebody fetch them meanwhile. Returns how many: all
 * `bytes`, or 0 if that is not possible, or if nothing would be left to be read. `absent` must stay until it has been
 * fetched, which any thread may do. */
size_t contents_claim(struct contents *contents, uint8_t *data, size_t bytes, struct absent *absent);
void contents_fetch(struct contents *contents, struct absent *absent);

/* The caller has read all it wants of the file (a compressed one, to its end), and fetches what nobody fetches yet. */
void contents_end(struct contents *contents);

void contents_close(struct contents *contents);

/* Between files: read bytes of a regular file from the byte `at` on; or, if `data` is NULL, they will be read soon. The
 * run ends if it has changed. */
void contents_read_at(struct contents *contents, size_t file, off_t at, void *data, size_t bytes);

/* Refuse a regular file that is also an output, if shuffling would damage it (hints.h). "-" is looked at from where it
 * is. */
void contents_refuse(const char *name, const struct hints *hints);
