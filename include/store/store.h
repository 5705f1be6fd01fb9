#ifndef BIGSHUF_STORE_STORE_H
#define BIGSHUF_STORE_STORE_H

/*
 * A store of piles: a directory to which any number of processes, on any number of machines that share a file system,
 * add batches at the same time. What stands in it is told in name.h. Two files in it are made once, by whoever comes
 * first: the format (format.h), which says how many piles there are, what a record is and what the header is; and the
 * header of all inputs, as it stands there, if there is one.
 */

#include <stddef.h>
#include <stdint.h>

#include "record/record.h"
#include "store/format.h"
#include "store/name.h"
#include "system/fault.h"
#include "system/folder.h"

struct store {
    struct folder folder;
    struct store_format format;
    uint8_t string[RECORD_DELIMITER_BYTES_MAX]; /* that of the record format */
    bool told_of_locks;                         /* that there are none in its file system */
};

/* Open a store to read it. `store` stays where it is: its format points into it. */
void store_open(struct store *store, const char *path);

/* Open a store to add to it; make the directory (not those above it) and its format if they are not there. If the
 * store has another format than `wanted`, that is a failure, which says how they differ; `piles` 0 means as many as the
 * store has, STORE_FORMAT_PILES in a new one. */
void store_join(struct store *store, const char *path, const struct store_format *wanted);

void store_close(struct store *store); /* also when zeroed */

/* Put the header into the store, if none is there yet. Another one is a failure. One of 0 bytes (inputs without a byte)
 * is none, and goes with any. */
void store_put_header(const struct store *store, const uint8_t *header, size_t bytes);

/* Read the header: malloc'd; NULL, with 0 bytes, if there is none. */
uint8_t *store_get_header(const struct store *store, size_t *bytes);

/* The names of all complete batches, in bytewise order. */
void store_batches(const struct store *store, struct folder_names *names);

#endif
