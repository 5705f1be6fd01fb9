#pragma once

/* Tables: lines with equally many cells between separators. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many lines are a table for somebody who has said what separates cells, and for others. */
enum { COLUMNS_LINES_FEW = 3, COLUMNS_LINES_MANY = 21 };

/* How many columns the first `lines` lines have, if all have equally many, more than one; else 0. *named: does the
 * first line hold their names? */
size_t columns_count(const uint8_t *data, size_t bytes, char separator, size_t lines, bool *named);
