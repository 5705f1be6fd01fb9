#ifndef BIGSHUF_COMMAND_COMBINATION_H
#define BIGSHUF_COMMAND_COMBINATION_H

/* Which options go together, and which need another one. */

#include <stdbool.h>

#include "command/option_table.h"
#include "system/fault.h"

/* Do the options go together for which given[code] is set? 0, or -1 after a report. */
int combination_check(const bool given[OPTION_END], struct fault *fault);

#endif
