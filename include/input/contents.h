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

/* Bytes that are yet to be fetched from a file. */
struct absent {
    uint8_t *data; /* where to put them; NULL: there are none */
    size_t bytes;
    off_t at;
    bool fetched;
    struct absent *next;
};

/* Written by the thread that reads the source, except where `mutex` guards. */
struct contents {
    const char *const *names;
    size_t count;
    struct hints hints;            /* hints.decompresses: compressed files are decompressed, else refused */
    struct file_mark *marks;       /* of each file, from when it was first opened */
    off_t start;                   /* of standard input, if it is a regular file */
    size_t packed;                 /* number of regular files to be decompressed */
    struct decompress *decompress; /* NULL: all files are read as they are */
    size_t file;                   /* number of the file being read */
    int fd;                        /* -1 if none is open, or it is decompressed */
    off_t at;                      /* offset of its next byte, if it is a regular file */
    bool decompressed;             /* does a program decompress the file? */
    bool at_end;                   /* has reading found its end? */
    pthread_mutex_t mutex;         /* guards `absent`, and `fetching` */
    pthread_cond_t fetched;        /* some bytes were */
    struct absent *absent;         /* list of bytes that no thread fetches yet */
    unsigned fetching;             /* number of threads that fetch bytes */
    struct decompress_beginning beginning;
    size_t taken; /* bytes of `beginning` that have been read */
};

/* `names` ("-": standard input), `contents` and what is pointed to in `hints` must stay; no hint has been given yet. */
void contents_open(struct contents *contents, const char *const *names, size_t count, const struct hints *hints);
void contents_release(struct contents *contents);

/* Look at the next file. The run ends if it surely cannot be read, as far as that shows without side effects. True if
 * it is a regular file that needs no decompression, and is not made as it is read, as those in /proc are. Then it is
 * marked, *bytes receives the number of bytes left in it, and, unless it is standard input, it is open at its beginning
 * until contents_close. */
bool contents_look(struct contents *contents, size_t file, uint64_t *bytes);

/* From now on, decompress compressed files. */
void contents_decompress(struct contents *contents, struct decompress_limits limits);

void contents_begin(struct contents *contents, size_t file);

/* Read up to `bytes` bytes, as one read() does; the context is the contents. Returns 0 at the end, and from then on. */
size_t contents_read(void *context, void *data, size_t bytes);

/* Leave the next `bytes` bytes for any thread to fetch into data[0, bytes), instead of reading them. Returns `bytes`,
 * or 0 if that is not possible, or would leave nothing to be read. `absent` must stay until contents_fetch returns. */
size_t contents_claim(struct contents *contents, uint8_t *data, size_t bytes, struct absent *absent);
void contents_fetch(struct contents *contents, struct absent *absent);

/* The caller has read all it wants of the file (a compressed one: to its end). Fetches bytes left to other threads. */
void contents_end(struct contents *contents);

void contents_close(struct contents *contents);

/* Between files: read `bytes` bytes of a regular file from offset `at` on; if `data` is NULL, only announce that. The
 * run ends if the file has changed. */
void contents_read_at(struct contents *contents, size_t file, off_t at, void *data, size_t bytes);

/* Refuse a regular file that is also an output, if shuffling would damage it (hints.h). "-" is looked at from its
 * current offset. */
void contents_refuse(const char *name, const struct hints *hints);
