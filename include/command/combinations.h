#pragma once

/* Which options can be given together, by the classes of option_table.h. */

#include "command/option_table.h"

/* End the run unless the parsed options can be given together. given[code] has a bit for each form of an option. */
void combinations_check(const struct parsing *parsing, const unsigned given[OPTION_END]);

/* Print the rules of the rows, for tests: lines "-i excludes --records=tar" and "--filter needs -o or --split". */
void combinations_print(void);
