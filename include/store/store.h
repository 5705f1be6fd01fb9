#pragma once

/*
 * A store of piles: a directory to which any number of processes, on any number of machines that share a file system,
 * add batches at the same time. This is in it:
 *
 *     format, header      what is the same for all batches
 *     BATCH               a complete batch: its piles, and where they are (manifest.h)
 *     .draft-NAME~NUMBER  any of these while it is being made
 *     .old-BATCH~NUMBER   a batch that has left the store, but is still being read (sweep.h)
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
#define STORE_NAME_DRAFT_PREFIX ".draft-"
#define STORE_NAME_LEFT_PREFIX  ".old-"

enum {
    STORE_NAME_MAX = 200,                   /* length of a batch's name */
    STORE_NAME_BYTES = STORE_NAME_MAX + 25, /* room for any other name that is made here */
};

/* Is this the name of a batch: 1 to STORE_NAME_MAX bytes of A-Z a-z 0-9 . _ -, the first no dot, and no name that
 * stands for something else in a store? */
bool store_name_is_batch(const char *name);

/* The name for a batch that was given none: the time (UTC, to the microsecond), host, process, and a part of the digest
 * of its inputs. Names sort by age. */
void store_name_make_batch(char name[STORE_NAME_MAX + 1], uint64_t digest);

/* A name that nobody has had: the prefix, the name of a batch or a file, ~ and a number. Of any such name, the number
 * says whether it was made on this machine since it was started. */
void store_name_make_unused(char name[STORE_NAME_BYTES], const char *prefix, const char *base);
bool store_name_is_local(const char *name);

/* Which of those that a sudden death may leave behind is it? These have only bytes that can be printed. `base` receives
 * the name that it would have had, or has had. */
enum store_name_kind { STORE_NAME_OTHER, STORE_NAME_DRAFT, STORE_NAME_LEFT };
enum store_name_kind store_name_kind(const char *name, char base[STORE_NAME_MAX + 1]);

/* ---- The store ---- */

#define STORE_CHANGED "contents have changed since they were written"

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

/* How many piles the store in this directory has; 0: there is none yet. */
unsigned store_piles(const char *path);

bool store_is(const char *folder);     /* is it a store? */
void store_close(struct store *store); /* also when zeroed */

/* Put the header into the store, if none is there yet. Another one is a failure. One of 0 bytes (inputs without a byte)
 * is none, and goes with any. */
void store_put_header(const struct store *store, const uint8_t *header, size_t bytes);

/* Read the header: malloc'd; NULL, with 0 bytes, if there is none. */
uint8_t *store_get_header(const struct store *store, size_t *bytes);

/* The names of all batches, in bytewise order. */
void store_batches(const struct store *store, struct folder_names *names);

/* ---- A file of the store that is being made ---- */

struct store_draft {
    char name[STORE_NAME_BYTES];
    int fd;   /* to be read and written; locked, as long as it is open */
    int slot; /* of its name, in the list of what is removed when the run ends */
};

void store_draft_begin(const struct store *store, struct store_draft *draft, const char *base);

/* All has been written: bring it to disk, and let it appear under the name `base`; if that `succeeds`, so has the run.
 * False if there is something of this name: then it can be tried again, or given up. */
bool store_draft_publish(const struct store *store, const struct store_draft *draft, const char *base, bool succeeds);

/* End the run, since writing has failed with errno. */
_Noreturn void store_draft_fail(const struct store *store, const struct store_draft *draft);

/* Close it, and remove its name, if it has not been published. */
void store_draft_end(const struct store *store, struct store_draft *draft, bool published);

/* What a task that was killed may have left, as the last sweep found it, and what to do with that; or "". It is put
 * after the message that the store's disk is full. Returns `text`. */
enum { STORE_ADVICE_BYTES = STORE_NAME_BYTES + 80 };
const char *store_advice(const struct store *store, char text[STORE_ADVICE_BYTES]);
