#ifndef BIGSHUF_RECORD_KIND_H
#define BIGSHUF_RECORD_KIND_H

/*
 * The kinds of records (struct record_kind). The command line, --help, the completions, the format of stores and the
 * messages are made from the rows. A new kind is a module that has its row, and the row's name in RECORD_KINDS.
 */

#include <stddef.h>

#include "record/record.h"

/* All of them. */
const struct record_kind *const *kind_rows(size_t *count);

/* The one with this name, which is `bytes` long; NULL if there is none. */
const struct record_kind *kind_find(const char *name, size_t bytes);

#endif
