#pragma once

/* One run of the program. */

#include "command/options.h"

/* Do what the options say. */
void job_run(const struct options *options);
