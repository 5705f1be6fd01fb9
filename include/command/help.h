#pragma once

/* The texts of --help, -h and --version. */

#include <stdbool.h>

/* Print the text of the option with this code, or only the common options, to standard output and close it, since some
 * file systems tell only then that a write has failed. */
void help_print(int code, bool common);
