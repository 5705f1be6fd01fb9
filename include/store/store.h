#ifndef BIGSHUF_STORE_STORE_H
#define BIGSHUF_STORE_STORE_H

/*
 * A store of piles: a directory to which any number of processes, on any number of machines that share a file system,
 * add batches at the same time. In it are
 *
 *     format      text: how many piles, what a record is, what the header is; made once, by an exclusive link, from a
 *                 file .new-format~HOST-PROCESS-TIME (.new-header~... likewise) that is left only by a sudden death
 *     header      the header of all inputs, as it stands there, if there is one; made once, in the same way
 *     NAME        a complete batch: pile-0000, pile-0001, ... (plain records) and manifest (manifest.h)
 *     .new-NAME~NUMBER    a batch in work (draft.h), a random number making its name one that nobody else uses; beside
 *                 it .new-NAME~NUMBER.owner, whose it is (owner.h), which is .new-NAME~NUMBER.owner~ for a moment
 *     .old-NAME~NUMBER    a batch that is being removed, when nobody reads it any more (sweep.h)
 *
 * Whatever else is there is left alone. Functions that return int return 0, or -1 after a report.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"
#include "store/format.h"
#include "system/fault.h"
#include "system/folder.h"

#define STORE_HEADER "header" /* the file */

enum {
    STORE_NAME_MAX = 200,
    STORE_FILE_NAME_BYTES = 16, /* room for the name of a pile's file */
};

struct store {
    struct folder folder;
    struct store_format format;
    uint8_t string[RECORD_DELIMITER_BYTES_MAX]; /* that of the record format */
};

/* Is this the name of a batch: 1 to STORE_NAME_MAX bytes of A-Z a-z 0-9 . _ -, the first no dot, and no name that
 * stands for something else in a store? */
bool store_is_name(const char *name);

/* The name for a batch that was given none: the time (UTC, to the microsecond), host and process, so that names sort by
 * age. `name` has room for STORE_NAME_MAX + 1 bytes. */
void store_make_name(char *name);

/* Is this a name under which the format or the header is made, for a moment, before it appears? */
bool store_is_temporary(const char *name);

/* The name of the file of a pile. Returns `name`. */
char *store_file_name(unsigned pile, char name[STORE_FILE_NAME_BYTES]);

/* Open a store to read it. `store` stays where it is: its format points into it. It must be closed, also after a
 * failure. */
int store_open(struct store *store, const char *path, struct fault *fault);

/* Open a store to add to it; make the directory (not those above it) and its format if they are not there. If the
 * store has another format than `wanted`, that is a failure, which says how they differ; `piles` 0 means as many as the
 * store has, STORE_FORMAT_PILES in a new one. */
int store_join(struct store *store, const char *path, const struct store_format *wanted, struct fault *fault);

void store_close(struct store *store); /* also when zeroed */

/* Put the header into the store, if none is there yet. Another one is a failure. One of 0 bytes (inputs without a byte)
 * is none, and goes with any. */
int store_put_header(struct store *store, const uint8_t *header, size_t bytes);

/* Read the header: *header is malloc'd, and NULL, with 0 bytes, if there is none. */
int store_get_header(const struct store *store, uint8_t **header, size_t *bytes);

/* The names of all complete batches, in bytewise order. */
int store_batches(const struct store *store, struct folder_names *names);

#endif
