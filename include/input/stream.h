#pragma once

/* The input files one after another, as a source. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/arithmetic.h"
#include "input/contents.h"
#include "input/decompress.h"
#include "input/source.h"
#include "record/header.h"
#include "record/record.h"
#include "record/tail.h"

/* What the files consist of. All begin with a header (header.h), if there is one. If records of the format start with a
 * string, each file must begin with it (after the header), and the stream has it after the last record instead
 * (record.h). */
struct source_layout {
    struct record_format format;
    struct header_rule header;
    bool replaced;                       /* an input is also the output: tail.h */
    bool divides;                        /* there are several outputs: hints.h */
    struct hints_reads *reads;           /* of several sources that belong together: hints.h */
    struct decompress_limits decompress; /* zeroed: compressed files are not decompressed */
};

/* Where a file ends in the stream, bytes that it lacks included. */
struct stream_end {
    uint64_t at;
    const uint8_t *missing;
    size_t missing_bytes;
    size_t left_out; /* number of bytes at the file's end that are not in the stream */
};

/* Callers may read the fields, and write none: the thread that reads the source writes them. */
struct stream {
    const char *const *names;
    size_t count, next;       /* the file being read is the one before `next` */
    struct stream_end *end;   /* of each file that has been read */
    counter read;             /* bytes of the stream */
    struct contents contents; /* of the file being read */
    struct source_layout layout;
    struct header header;
    struct tail tail;
    bool open;           /* is a file being read? The fields below are about it */
    bool seen_beginning; /* have the hints seen it? */
    const uint8_t *rest; /* to be delivered before anything is read */
    size_t rest_bytes;
    const uint8_t *held; /* blank lines after `rest`, to be delivered if more follows (tail.h) */
    size_t held_bytes;
    uint8_t *blank; /* room for them; NULL if none are held */
};

/* The memory that each file takes. */
enum { STREAM_FILE_BYTES = sizeof(struct file_mark) + sizeof(struct stream_end) };

/* A source over the files `names` ("-" is standard input), which must stay, as must the format's string. Looks at all
 * files first. The run ends if a file cannot be read, or if a regular file does not begin as the layout says or has a
 * wrong size for it. Other files are not opened; of standard input only type and size are checked. */
struct source *stream_open(const char *const *names, size_t count, const struct source_layout *layout);

/* Read bytes of one file once more, from `place` of the stream on, after the whole file has been read, and not while
 * the stream is read; if `data` is NULL, only announce that. The run ends if the file has changed. */
void stream_read_at(struct stream *stream, uint64_t place, uint8_t *data, size_t bytes);

bool stream_is_from(const struct stream *stream, const struct stat *file); /* is this file one of them? NULL: none */

/* For any source: the header of the first file that is not empty. It is known from the start if only regular files come
 * before that file, else when that file has been read; until then, and if there is none, its text is NULL. */
const struct header *stream_header(const struct source *source);

/* Bytes delivered so far, with added delimiters, without headers. Any thread may call this, and read `known_bytes`. */
uint64_t stream_arrived_bytes(const struct source *source);

/* The name of the file that the byte at `offset` came from, which has been delivered; "input" if from no file. *end
 * receives the offset at which that file ends in the stream, or UINT64_MAX if unknown. */
const char *stream_name_at(const struct source *source, uint64_t offset, uint64_t *end);
