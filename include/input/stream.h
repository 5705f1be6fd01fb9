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
    size_t count, next;       /* the file being read is the one before `next` */
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

/* A source over the files `names` ("-" is standard input), which must stay, as must the format's string. All are looked
 * at first. The run ends if a file cannot be read, or if a regular file does not begin as the layout says or has a
 * wrong size for it. Other files are not opened, and for standard input only kind and size are checked. */
struct source *stream_open(const char *const *names, size_t count, const struct source_layout *layout);

/* Read bytes of one file, all of which has been read, once more: the bytes from `place` of the stream on. If `data` is
 * NULL, they will be read soon. Not while the stream is read. The run ends if its file has changed. */
void stream_read_at(struct stream *stream, uint64_t place, uint8_t *data, size_t bytes);

bool stream_is_from(const struct stream *stream, const struct stat *file); /* is this file one of them? NULL: none */

/* Of any source: the header of the first file that is not empty. Known from the start if only regular files come
 * before, else when that file has been read; until then, and if there is none, its text is NULL. */
const struct header *stream_header(const struct source *source);

/* Bytes that have come so far: delimiters that were added count, headers do not. Any thread may ask this, and read what
 * is known. */
uint64_t stream_arrived_bytes(const struct source *source);

/* The name of the file from which the byte at `offset` of the stream came, which has been read; "input" if it is none.
 * *end receives the offset at which that file ends, as far as it is known, else UINT64_MAX. */
const char *stream_name_at(const struct source *source, uint64_t offset, uint64_t *end);
