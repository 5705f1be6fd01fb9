#ifndef BIGSHUF_STORE_NAME_H
#define BIGSHUF_STORE_NAME_H

/*
 * What stands in a store under which name:
 *
 *     format, header      what is the same for all batches (store.h)
 *     BATCH               a complete batch: a folder with pile-0000, pile-0001, ... (plain records) and manifest
 *     .new-BATCH~NUMBER   a draft: a batch that is being made (draft.h)
 *     .old-BATCH~NUMBER   a batch that has left the store, or a draft that was given up: being removed (sweep.h)
 *     .new-format~NUMBER, .new-header~NUMBER   the files format and header before they have their names
 *
 * Whatever has another name is not the store's, and is left alone.
 */

#include <stdbool.h>

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

/* A name that nobody has had: the prefix, the name of a batch or a file, ~ and a random number. */
void store_name_make_unused(char name[STORE_NAME_BYTES], const char *prefix, const char *base);

/* Which of those that a sudden death may leave behind is it? */
enum store_name_kind {
    STORE_NAME_OTHER, /* none of them; any other kind has only bytes that can be printed */
    STORE_NAME_DRAFT, /* a folder */
    STORE_NAME_BEGUN, /* a file before it has its own name */
    STORE_NAME_LEFT,  /* the folder of what has left the store */
};
enum store_name_kind store_name_kind(const char *name);

#endif
