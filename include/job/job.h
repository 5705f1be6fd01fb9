#ifndef BIGSHUF_JOB_JOB_H
#define BIGSHUF_JOB_JOB_H

/* One run of the program: what is to be done, from the options and what is known of the input, and doing it. */

#include "command/options.h"

/* 0, or -1 after a report. */
int job_run(const struct options *options);

#endif
