#ifndef BIGSHUF_RECORD_KIND_H
#define BIGSHUF_RECORD_KIND_H

/* The kinds of records: the rows that make up RECORD_KINDS (record.h). */

#include <stddef.h>

#include "record/record.h"

/* All of them, and NULL. */
extern const struct record_kind *const kind_rows[];

/* The one with this name, which is `bytes` long; NULL if there is none. */
const struct record_kind *kind_find(const char *name, size_t bytes);

#endif
