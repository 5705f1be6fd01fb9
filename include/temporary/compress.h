#ifndef BIGSHUF_TEMPORARY_COMPRESS_H
#define BIGSHUF_TEMPORARY_COMPRESS_H

/*
 * A program that compresses its standard input to its standard output, and with -d does the reverse, also with several
 * of its outputs one after another, as gzip, lz4 and zstd do. It is looked for as execvp does, gets no other argument,
 * and inherits standard error.
 *
 * Status other than 0, death by signal, and an output that cannot be right are failures, reported as "compress program
 * 'NAME': cause" or "compress program 'NAME -d': cause". Functions that return int return 0, or -1 after a report.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "system/fault.h"

/* Shared by all threads. */
struct compress {
    const char *program;
    struct fault *fault;
    pthread_mutex_t mutex; /* guards `tried` */
    bool tried;
};

/* `program` must stay. */
void compress_init(struct compress *compress, const char *program, struct fault *fault);
void compress_release(struct compress *compress);

/* Is the program there, and does it give back what it was given? Asked once, by two processes and a few bytes; after
 * that the answer is known. */
int compress_try(struct compress *compress);

/* Takes compressed bytes. 0, or -1 after a report. */
typedef int compress_put(void *context, const uint8_t *data, size_t bytes);

/* Compress all pieces by one process, and hand its output to `put`. */
int compress_pieces(const struct compress *compress, const struct iovec *pieces, int count, compress_put *put,
                    void *context);

/* Gives up to `bytes` compressed bytes; 0 at the end, as often as it is asked; -1 after a report. */
typedef ssize_t compress_get(void *context, uint8_t *data, size_t bytes);

/* A process that decompresses what `get` gives, which is called while others of these functions run. NULL after a
 * report. */
struct compress_reader;
struct compress_reader *compress_open(const struct compress *compress, compress_get *get, void *context);

/* Fill all pieces with what comes next. */
int compress_read(struct compress_reader *reader, const struct iovec *pieces, int count);

/* Make sure that this was all, and that the program succeeded. The last thing to be done but compress_free. */
int compress_end(struct compress_reader *reader);

/* NULL is fine. A process that has not ended is killed. */
void compress_free(struct compress_reader *reader);

#endif
