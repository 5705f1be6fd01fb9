#pragma once

/*
 * A store of piles: a directory to which any number of processes, on any number of machines that share a file system,
 * add batches at the same time. This is in it:
 *
 *     format, header      what is the same for all batches
 *     BATCH               a complete batch: a folder with pile-0000, pile-0001, ... (plain records) and manifest
 *     .new-BATCH~NUMBER   a draft: a batch that is being made (draft.h)
 *     .old-BATCH~NUMBER   a batch that has left the store, or a draft that was given up: being removed (sweep.h)
 *     .new-format~NUMBER, .new-header~NUMBER   the files format and header before they have their names
 *
 * Whatever has another name is not the store's, and is left alone.
 *
 * The first two are made once, by whoever comes first: the format, which says how many piles there are, what
 * a record is and what the header is; and the header of all inputs, as it stands there, if there is one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/format.h"
#include "system/fault.h"
#include "system/folder.h"

/* ---- Names ---- */

#define STORE_NAME_FORMAT       "format"
#define STORE_NAME_HEADER       "header"
#define STORE_NAME_DRAFT_PREFIX ".new-"
#define STORE_NAME_LEFT_PREFIX  ".old-"

enum {
    STORE_NAME_MAX = 200,                   /* length of a batch's name */
    STORE_NAME_PILE_BYTES = 16,             /* room for the name of a pile's file */
    STORE_NAME_BYTES = STORE_NAME_MAX + 24, /* room for any other name that is made here */
};

/* Is this the name of a batch: 1 to STORE_NAME_MAX bytes of A-Z a-z 0-9 . _ -, the first no dot, and no name that
 * stands for something else in a store? */
bool store_name_is_batch(const char *name);

/* The name for a batch that was given none: the time (UTC, to the microsecond), host and process, so that names sort by
 * age. */
void store_name_make_batch(char name[STORE_NAME_MAX + 1]);

/* The name of the file of a pile. Returns `name`. */
char *store_name_of_pile(unsigned pile, char name[STORE_NAME_PILE_BYTES]);

/* A name that nobody has had: the prefix, the name of a batch or a file, ~ and a number. Of any such name, the number
 * says whether it was made on this machine since it was started. */
void store_name_make_unused(char name[STORE_NAME_BYTES], const char *prefix, const char *base);
void store_name_make_old(char old[STORE_NAME_BYTES], const char *draft); /* of a draft that leaves */
bool store_name_is_local(const char *name);

/* Which of those that a sudden death may leave behind is it? */
enum store_name_kind {
    STORE_NAME_OTHER, /* none of them; any other kind has only bytes that can be printed */
    STORE_NAME_DRAFT, /* a folder */
    STORE_NAME_BEGUN, /* a file before it has its own name */
    STORE_NAME_LEFT,  /* the folder of what has left the store */
};
enum store_name_kind store_name_kind(const char *name);

/* ---- The store ---- */

struct store {
    struct folder folder;
    struct store_format format;
    uint8_t string[RECORD_DELIMITER_BYTES_MAX]; /* that of the record format */
    bool told_of_locks;                         /* that there are none in its file system */
    char young[STORE_NAME_BYTES];               /* a draft that a sweep kept for its age; or "" */
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
