#pragma once

/* Which options go together, by the classes of option_table.h. */

#include "command/option_table.h"

/* End the run unless those go together that have been parsed: given[code] has a bit for each form of an option. */
void combinations_check(const struct parsing *parsing, const unsigned given[OPTION_END]);

/* Print what the rows say, for tests: lines "-i excludes --records=tar" and "--filter needs -o or --split". */
void combinations_print(void);
