#ifndef BIGSHUF_JOB_JOB_H
#define BIGSHUF_JOB_JOB_H

/* One run of the program. */

#include "command/options.h"

/* Do what the options say. 0, or -1 after a report. */
int job_run(const struct options *options);

#endif
