#ifndef BIGSHUF_JOB_JOB_H
#define BIGSHUF_JOB_JOB_H

/* One run of the program. */

#include "command/options.h"

/* Do what the options say. */
void job_run(const struct options *options);

#endif
