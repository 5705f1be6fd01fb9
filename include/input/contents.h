#ifndef BIGSHUF_INPUT_CONTENTS_H
#define BIGSHUF_INPUT_CONTENTS_H

/*
 * What is in input files: their bytes, or what was compressed to them. Each is looked at first; then they are read, one
 * at a time.
 *
 *     contents_open, contents_look for each file, contents_decompress
 *     contents_begin --> contents_read ... --> contents_end --> contents_begin ...
 *
 * contents_close may come at any time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "input/decompress.h"
#include "input/hints.h"
#include "record/record.h"
#include "system/file_mark.h"

struct contents {
    const char *const *names;
    size_t count;
    const struct record_format *format; /* of the records that the files are to be */
    bool decompresses;                  /* those that are compressed: else they are refused */
    struct hints hints;
    struct file_mark *marks;       /* of each file, from when it was first opened */
    off_t start;                   /* of standard input, if it is a regular file */
    size_t packed;                 /* regular files that are compressed, and to be decompressed */
    struct decompress *decompress; /* NULL: all files are read as they are */
    size_t file;                   /* the number of the file that is read */
    int fd;                        /* -1 if none is open, or it is decompressed */
    off_t at;                      /* the next byte of it, if it is a regular file */
    bool decompressed;             /* does a program make them from the file? */
    bool at_end;                   /* has a read found its end? */
    struct decompress_beginning beginning;
    size_t taken; /* of the bytes in that */
};

/* The names ("-" is standard input) must stay, as must `contents` and the format. */
void contents_open(struct contents *contents, const char *const *names, size_t count,
                   const struct record_format *format, bool decompresses);
void contents_release(struct contents *contents);

/* Look at the next file, which must be one that can be read, as far as that can be known without side effects. Is it
 * a regular one, to be read as it is, and not one that is made when it is read, as those in /proc? If so, it is marked,
 * *bytes receives how many are left of it, and what is not standard input is open, to be read from its beginning up to
 * contents_close. */
bool contents_look(struct contents *contents, size_t file, uint64_t *bytes);

/* Decompress those that are compressed, from now on. */
void contents_decompress(struct contents *contents, struct decompress_limits limits);

void contents_begin(struct contents *contents, size_t file);

/* Up to `bytes` bytes of the contents that are the context, as one read gives them; 0 at the end, as often as it is
 * asked. */
size_t contents_read(void *context, void *data, size_t bytes);

/* All that is wanted of the file has been read, to its end if it is compressed. */
void contents_end(struct contents *contents);

void contents_close(struct contents *contents);

/* Refuse a regular file, which is also an output, if it begins like one of which nothing could be read when it has been
 * shuffled (hints.h). Of standard input ("-") that is from where it stands. */
void contents_refuse(const char *name, const struct record_format *format, bool decompresses);

#endif
