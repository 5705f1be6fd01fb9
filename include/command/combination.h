#ifndef BIGSHUF_COMMAND_COMBINATION_H
#define BIGSHUF_COMMAND_COMBINATION_H

/* Which options go together, and which need another one. */

#include <stdbool.h>

#include "command/option_table.h"

/* End the run unless the options go together that have been parsed, of which given[code] is set. */
void combination_check(const struct parsing *parsing, const bool given[OPTION_END]);

#endif
