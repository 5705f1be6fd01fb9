#pragma once

/*
 * A store of piles: a directory to which any number of processes, on any number of machines that share a file system,
 * add batches at the same time. This is in it:
 *
 *     format, header      the same for all batches
 *     BATCH               a complete batch: its piles, and where they are (manifest.h)
 *     .draft-NAME~NUMBER  any of these files while it is being made
 *     .old-BATCH~NUMBER   a batch that has left the store, but may still be read (sweep.h)
 *
 * Files with other names are not the store's, and are left alone.
 *
 * The first two are made once, by the first process: the format says how many piles there are, and what records and
 * headers are; the header is that of all inputs, byte for byte, if they have one.
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
    STORE_NAME_MAX = 200,                   /* longest name of a batch */
    STORE_NAME_BYTES = STORE_NAME_MAX + 25, /* room for any name that is made here */
};

/* Is this the name of a batch: 1 to STORE_NAME_MAX bytes of A-Z a-z 0-9 . _ -, the first no dot, and not the name of
 * another file of a store? */
bool store_name_is_batch(const char *name);

/* A name for a batch if the user gives none: the time (UTC, to the microsecond), host, process, and a part of the
 * digest of its inputs. Names sort by age. */
void store_name_make_batch(char name[STORE_NAME_MAX + 1], uint64_t digest);

/* A new name: the prefix, the name `base`, ~ and a number. store_name_is_local: was such a name made on this machine
 * since it was booted? */
void store_name_make_unused(char name[STORE_NAME_BYTES], const char *prefix, const char *base);
bool store_name_is_local(const char *name);

/* Is it a name that a killed process may leave behind? Such names have only printable bytes. `base` receives the name
 * that the file was meant to get, or had. */
enum store_name_kind { STORE_NAME_OTHER, STORE_NAME_DRAFT, STORE_NAME_LEFT };
enum store_name_kind store_name_kind(const char *name, char base[STORE_NAME_MAX + 1]);

/* ---- The store ---- */

#define STORE_CHANGED "contents have changed since they were written"

struct store {
    struct folder folder;
    struct store_format format;
    uint8_t string[RECORD_DELIMITER_BYTES_MAX]; /* that of the record format */
    bool told_of_locks;                         /* that its file system has none */
    char young[STORE_NAME_BYTES];               /* a draft that a sweep kept since it is young; or "" */
};

/* Open a store to read it. *store must not be moved: its format points into it. */
void store_open(struct store *store, const char *path);

/* Open a store to add to it; make the directory (not those above it) and its format if they are missing. The run ends
 * if the store's format differs from `wanted`, and says how. wanted->piles 0: the store's number of piles,
 * STORE_FORMAT_PILES in a new one. */
void store_join(struct store *store, const char *path, const struct store_format *wanted);

/* The number of piles of the store in this directory; 0: there is no store yet. */
unsigned store_piles(const char *path);

bool store_is(const char *folder);     /* is it a store? */
void store_close(struct store *store); /* also when zeroed */

/* Put the header into the store, if it has none yet. The run ends if it has another one. A header of 0 bytes (of empty
 * inputs) is not put there, and fits any. */
void store_put_header(const struct store *store, const uint8_t *header, size_t bytes);

/* Read the header: malloc'd; NULL, with 0 bytes, if there is none. */
uint8_t *store_get_header(const struct store *store, size_t *bytes);

/* The names of all batches, in bytewise order. */
void store_batches(const struct store *store, struct folder_names *names);

/* ---- A file of the store that is being made ---- */

struct store_draft {
    char name[STORE_NAME_BYTES];
    int fd;   /* for reading and writing; locked while open */
    int slot; /* of its name, in the list of signals.h */
};

void store_draft_begin(const struct store *store, struct store_draft *draft, const char *base);

/* All has been written: sync it, and publish it as `base`; if `succeeds` is set, the run has then succeeded. False if
 * that name exists: then it can be tried again, or given up. */
bool store_draft_publish(const struct store *store, const struct store_draft *draft, const char *base, bool succeeds);

/* End the run, since writing has failed with errno. */
_Noreturn void store_draft_fail(const struct store *store, const struct store_draft *draft);

/* Close it, and remove it unless it has been `published`. */
void store_draft_end(const struct store *store, struct store_draft *draft, bool published);

/* For the message that the store's disk is full: a draft, perhaps of a killed task, that the last sweep kept, and what
 * to do about it; or "". Returns `text`. */
enum { STORE_ADVICE_BYTES = STORE_NAME_BYTES + 80 };
const char *store_advice(const struct store *store, char text[STORE_ADVICE_BYTES]);
