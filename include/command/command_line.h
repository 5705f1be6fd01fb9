#pragma once

/* Parsing of the command line. */

#include <stdbool.h>

#include "command/options.h"

/* Fill `options` from the command line, which is not changed: options and FILEs may be mixed, as GNU allows, unless
 * POSIXLY_CORRECT is set. False after --help, -h or --version: there is nothing more to do, and standard output is
 * closed. A wrong command line ends the run. `options` must be released in any case. */
bool command_line_parse(struct options *options, int argc, char **argv);
void command_line_release(struct options *options);
