#pragma once

/* The input files one after another: what a source over files is over; the comments of source.h hold. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/arithmetic.h"
#include "input/contents.h"
#include "input/decompress.h"
#include "record/header.h"
#include "record/record.h"
#include "record/tail.h"

/* What the files consist of. All of them begin with a header (header.h), unless there is none. If the format `starts`,
 * each file must begin with (after the header) the string with which records start, and the stream has it after the
 * last record instead, as record.h says. */
struct source_layout {
    struct record_format format;
    struct header_rule header;
    bool replaced;                       /* an input is also the output: tail.h */
    bool divides;                        /* there are several outputs: hints.h */
    struct hints_reads *reads;           /* of several sources that belong together: hints.h */
    struct decompress_limits decompress; /* files that are compressed are decompressed first, if this is not zeroed */
};

/* Where a file ends in the stream, with these bytes, which are missing in it. */
struct stream_end {
    uint64_t at;
    const uint8_t *missing;
    size_t missing_bytes;
    size_t left_out; /* of its own bytes, at its end */
};

/* Callers read the fields and leave them as they are. */
struct stream {
    const char *const *names;
    size_t count, next; /* the file being read is the one before `next` */
    uint64_t known_bytes;
    bool known;               /* are all regular, and read as they are? */
    struct stream_end *end;   /* of each file that has been read */
    counter read;             /* bytes of the stream */
    struct contents contents; /* of the file being read */
    struct source_layout layout;
    struct header header;
    struct tail tail;
    bool open;           /* is a file being read? Of that: */
    bool seen_beginning; /* were the hints shown it? */
    const uint8_t *rest; /* to be delivered before anything is read */
    size_t rest_bytes;
    const uint8_t *held; /* what came after that, to be delivered if more follows: blank lines (tail.h) */
    size_t held_bytes;
    uint8_t *blank; /* room for these; NULL if none are held */
};

/* What each file takes of memory. */
enum { STREAM_FILE_BYTES = sizeof(struct file_mark) + sizeof(struct stream_end) };

/* Look at all files, as source_open says. */
struct stream *stream_open(const char *const *names, size_t count, const struct source_layout *layout);

/* The functions of its source_stage. */
size_t stream_read(void *context, uint8_t *data, size_t bytes, struct absent *absent);
void stream_fetch(void *context, struct absent *absent);
void stream_rewind(void *context);

/* Read bytes of one file, all of which has been read, once more: the bytes from `place` of the stream on. If `data` is
 * NULL, they will be read soon. Not while the stream is read. */
void stream_read_at(struct stream *stream, uint64_t place, uint8_t *data, size_t bytes);

void stream_free(void *context);

const char *stream_name_at(const struct stream *stream, uint64_t offset, uint64_t *end);
bool stream_is_from(const struct stream *stream, const struct stat *file); /* is this file one of them? NULL: none */
