#pragma once

/* Parsing of the command line. */

#include <stdbool.h>

#include "command/options.h"

/* Fill `options` from the command line, which stays as it is: words may stand in any order, as GNU has it, unless
 * POSIXLY_CORRECT is set. Returns whether there is work to do: not after --help, -h or --version, when standard output
 * is closed. A wrong command line ends the run. `options` must be released in any case. */
bool command_line_parse(struct options *options, int argc, char **argv);
void command_line_release(struct options *options);
