#ifndef BIGSHUF_COMMAND_HELP_H
#define BIGSHUF_COMMAND_HELP_H

/* The texts of --help and --version. */

#include <stddef.h>

#include "command/option_table.h"
#include "system/fault.h"

/* Print to standard output and close it, since some file systems tell only then that a write has failed. 0, or -1 after
 * a report. */
int help_print(struct fault *fault, const struct option_row *rows, size_t row_count);
int help_print_version(struct fault *fault);

#endif
