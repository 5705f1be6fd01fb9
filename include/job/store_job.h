#ifndef BIGSHUF_JOB_STORE_JOB_H
#define BIGSHUF_JOB_STORE_JOB_H

/* Jobs on a store of piles (store.h): --scatter, which adds a batch to it, --gather, which shuffles what is in it,
 * --list and --sweep. */

#include "command/options.h"

/* 0, or -1 after a report. */
int store_job_run(const struct options *options);

#endif
