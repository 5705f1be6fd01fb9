#ifndef BIGSHUF_INPUT_MAPPING_H
#define BIGSHUF_INPUT_MAPPING_H

/*
 * Regular files as one space of addresses: each is mapped behind the one before, where room was reserved for it. What
 * is behind a file's last byte belongs to the space as well, so that a record there can be completed where it stands.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping {
    uint8_t *base; /* NULL if nothing is reserved */
    size_t bytes;  /* reserved */
    size_t used;   /* of these, by files */
};

/* Bytes behind each file that may be read and written. */
enum { MAPPING_BEHIND_BYTES = 512 };

/* What a file of `bytes` bytes takes of the reservation. */
uint64_t mapping_room(uint64_t bytes);

/* Reserve addresses, not memory. 0, or -1 with errno. */
int mapping_reserve(struct mapping *mapping, uint64_t bytes);
void mapping_release(struct mapping *mapping); /* also when zeroed */

/* Give the bytes [offset, offset + bytes) of an open file, which may be closed then, their place. All but those in the
 * last page can be looked at at once. Returns where they begin, or NULL with errno. */
uint8_t *mapping_add(struct mapping *mapping, int fd, off_t offset, size_t bytes);

/* The bytes in the last page, too: they are read, so that what is written behind them does not change the file's page.
 * 0, or -1 with errno; errno 0 stands for a file that has become shorter. */
int mapping_complete(uint8_t *place, int fd, off_t offset, size_t bytes);

/* Whole pages of place[0, bytes) will be looked at soon, or not again. */
void mapping_populate(uint8_t *place, size_t bytes);
void mapping_forget(uint8_t *place, size_t bytes);

#endif
