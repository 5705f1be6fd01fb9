#pragma once

/*
 * Input files that programs decompress, one after another. While one is read, the programs of the next ones run ahead,
 * as far as there is room for what they write: in their pipes, and then in memory that was set aside.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "system/file_mark.h"
#include "system/packer.h"

struct decompress_limits {
    unsigned programs; /* at a time, at most; 0: no file is decompressed */
    uint64_t bytes;    /* of memory for what they write ahead */
};

struct decompress;

/* For files of these names, with their marks from when they were first opened. All must stay. Nothing starts yet. */
struct decompress *decompress_new(const char *const *names, struct file_mark *marks, size_t count,
                                  struct decompress_limits limits);
void decompress_free(struct decompress *decompress); /* NULL is fine; programs that run are killed */

/* How a file begins. */
struct decompress_beginning {
    const struct packer *packer; /* NULL: the file is not compressed */
    size_t seen;                 /* bytes, fewer than PACKER_LOOK_BYTES if there are no more */
    size_t bytes;                /* that were read to find out, and come first: 0 for a regular file */
    const uint8_t *data;         /* those; they stay until other bytes are fed to a program */
};

/* Look at a regular file that is open for reading, from the byte `at` on. Returns 0, or -1 with errno. */
int decompress_look(int fd, off_t at, struct decompress_beginning *beginning);

/* The same of one that cannot be read again, and is to be read next. */
int decompress_look_once(struct decompress *decompress, int fd, struct decompress_beginning *beginning);

/* File i is to be read next. Does a program run ahead for it? */
bool decompress_is_ahead(struct decompress *decompress, size_t i);

/* If not, the caller opens the file and looks at it; for one that is compressed, this takes over the descriptor. */
void decompress_start(struct decompress *decompress, size_t i, int fd, const struct decompress_beginning *beginning);

/* File i is being read: start programs for the files after it. */
void decompress_run_ahead(struct decompress *decompress, size_t i);

/* Read the next bytes of file i, at most `bytes`. Returns 0 at its end, if its program has succeeded and the file is
 * the same. */
size_t decompress_read(struct decompress *decompress, size_t i, uint8_t *data, size_t bytes);
