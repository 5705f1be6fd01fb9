#pragma once

/* The texts of --help, -h and --version. */

#include <stdbool.h>

/* Print the text of the option with this code, or only the common options, to standard output and close that, since
 * some file systems report a failed write only then. */
void help_print(int code, bool common);
