#pragma once

/* Tables: lines with equally many cells between separators. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows that are enough of a table for somebody who has said what separates cells, and for others. */
enum { COLUMNS_ROWS_FEW = 3, COLUMNS_ROWS_MANY = 21 };

struct columns {
    size_t count;   /* of each row, two or more; 0: this is no table */
    bool named;     /* does the first row hold their names? */
    bool closed;    /* is the last cell of the last row empty, as statements end? */
    bool broken;    /* by a newline within quotes */
    bool irregular; /* are there quotes that are none, or text after them? */
};

/* Have the first `most` rows, of which there are at least `least`, equally many cells? */
struct columns columns_find(const uint8_t *data, size_t bytes, char separator, size_t least, size_t most);
