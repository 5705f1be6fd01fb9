#pragma once

/*
 * Input files that programs decompress, one after another. While one is read, the programs of the next ones run ahead,
 * as far as their output fits into their pipes and the memory set aside for it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "system/file_mark.h"
#include "system/packer.h"

struct decompress_limits {
    unsigned programs; /* the most that run at a time; 0: no file is decompressed */
    uint64_t bytes;    /* of memory for output of programs that run ahead */
};

struct decompress;

/* For files of these names, with their marks. All must stay. No program starts yet. */
struct decompress *decompress_new(const char *const *names, struct file_mark *marks, size_t count,
                                  struct decompress_limits limits);
void decompress_free(struct decompress *decompress); /* NULL is fine; programs that run are killed */

/* How a file begins. */
struct decompress_beginning {
    const struct packer *packer; /* NULL: the file is not compressed */
    size_t seen;                 /* number of bytes seen; below PACKER_LOOK_BYTES only if the file is shorter */
    size_t bytes;                /* number of bytes taken from the file, to be delivered first; 0 if regular */
    const uint8_t *data;         /* these bytes; they stay until other bytes are fed to a program */
};

/* Look at a regular file that is open for reading, from offset `at` on. Returns 0, or -1 with errno. */
int decompress_look(int fd, off_t at, struct decompress_beginning *beginning);

/* The same for a file that can be read only once, and will be read next. */
int decompress_look_once(struct decompress *decompress, int fd, struct decompress_beginning *beginning);

/* File i will be read next. Does its program run already? */
bool decompress_is_ahead(struct decompress *decompress, size_t i);

/* If not, the caller opens the file and looks at it; if it is compressed, it calls this, which takes over the
 * descriptor. */
void decompress_start(struct decompress *decompress, size_t i, int fd, const struct decompress_beginning *beginning);

/* File i is being read: start programs for the files after it. */
void decompress_run_ahead(struct decompress *decompress, size_t i);

/* Read the next bytes of file i, at most `bytes`. Returns 0 at its end; the run ends if its program has failed or the
 * file has changed. */
size_t decompress_read(struct decompress *decompress, size_t i, uint8_t *data, size_t bytes);
