#ifndef BIGSHUF_INPUT_CONTENTS_H
#define BIGSHUF_INPUT_CONTENTS_H

/*
 * What is in an input file that is open: its bytes, or what was compressed to them.
 *
 *     contents_begin --> contents_read ... --> contents_end --> contents_begin ...
 *
 * contents_close may come at any time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "input/decompress.h"
#include "system/file_mark.h"

/* Zeroed but for the first three, `decompress`, and `fd`, which is -1. */
struct contents {
    const char *const *names;
    struct file_mark *marks;       /* of each file, from when it was first opened */
    struct decompress *decompress; /* NULL: all files are read as they are */
    bool open;
    size_t file;       /* its number */
    int fd;            /* -1 if it is decompressed */
    off_t at;          /* the next byte of it, if it is a regular file */
    bool decompressed; /* does a program make them from the file? */
    bool at_end;       /* has a read found its end? Not where it is mapped, but for its header. */
    struct decompress_beginning beginning;
    size_t taken; /* of the bytes in that */
};

void contents_begin(struct contents *contents, size_t file);

/* Up to `bytes` bytes of the contents that are the context, as one read gives them; 0 at the end, as often as it is
 * asked. */
size_t contents_read(void *context, void *data, size_t bytes);

/* All that is wanted of the file has been read, to its end if it is compressed. */
void contents_end(struct contents *contents);

void contents_close(struct contents *contents);

#endif
