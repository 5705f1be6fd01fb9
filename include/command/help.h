#ifndef BIGSHUF_COMMAND_HELP_H
#define BIGSHUF_COMMAND_HELP_H

/* The texts of --help, -h and --version. */

#include <stddef.h>

#include "command/option_table.h"
#include "system/fault.h"

/* All print to standard output and close it, since some file systems tell only then that a write has failed. 0, or -1
 * after a report. */

/* These rows, each group under a heading, with all that belongs to --help. */
int help_print(struct fault *fault, const struct option_row *rows, size_t row_count);

/* What fits a terminal of 24 lines and 80 columns: the common options. */
int help_print_common(struct fault *fault);

int help_print_version(struct fault *fault);

#endif
