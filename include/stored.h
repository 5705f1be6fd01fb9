#ifndef BIGSHUF_STORED_H
#define BIGSHUF_STORED_H

/* Jobs on a store of piles (store.h): --scatter, which adds a batch to it, --gather, which shuffles what is in it,
 * --list and --sweep. */

#include "options.h"

/* 0, or -1 after a report. */
int stored_run(const struct options *options);

#endif
