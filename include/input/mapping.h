#ifndef BIGSHUF_INPUT_MAPPING_H
#define BIGSHUF_INPUT_MAPPING_H

/*
 * Regular files as one space of addresses: each is mapped behind the one before, where room was reserved for it. What
 * is behind a file's last byte belongs to the space as well, so that a record there can be completed where it stands.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A file as it was when it was mapped. */
struct mapped_file {
    uint8_t *place; /* of the byte at `offset` */
    off_t offset;
    size_t bytes; /* from there on */
    int fd;       /* for who keeps it open; -1 when it is added */
};

struct mapping {
    uint8_t *base; /* NULL if nothing is reserved */
    size_t bytes;  /* reserved */
    size_t used;   /* of these, by files */
    struct mapped_file *file;
    size_t files;
};

/* Bytes behind each file that may be read and written. */
enum { MAPPING_BEHIND_BYTES = 512 };

/* What a file of `bytes` bytes takes of the reservation, at most. */
uint64_t mapping_room(uint64_t bytes);

/* Reserve addresses, not memory, for so many files. 0, or -1 with errno. */
int mapping_reserve(struct mapping *mapping, size_t files, uint64_t bytes);
void mapping_release(struct mapping *mapping); /* also when zeroed, and after a failure */

/* Give what a regular file of `size` bytes has from `offset` on its place; the file may be closed then. All but the
 * bytes in its last page can be looked at at once. 0, or -1 with errno: there is no room for it, it cannot be mapped,
 * or its size is not this. */
int mapping_add(struct mapping *mapping, int fd, off_t offset, off_t size);

/* The bytes in the last page, too: they are read, so that what is written behind them does not change the file's page.
 * 0, or -1 with errno: ESTALE if the file has become shorter. */
int mapping_complete(const struct mapped_file *file, int fd);

/* The number of the file to whose place an address belongs, which is in the mapping. */
size_t mapping_find(const struct mapping *mapping, const uint8_t *address);

/* Nobody will look at the whole pages of place[0, bytes) before mapping_complete is called for their files again. */
void mapping_forget(uint8_t *place, size_t bytes);

#endif
