#pragma once

/* Tables: lines with equally many cells between separators. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many rows make a table: if the user has named the separator, and if not. */
enum { COLUMNS_ROWS_FEW = 3, COLUMNS_ROWS_MANY = 21 };

struct columns {
    size_t count;   /* cells in each row, two or more; 0: no table */
    bool named;     /* are the cells of the first row names? */
    bool closed;    /* is the last cell of the last row empty, as after a statement's semicolon? */
    bool broken;    /* does a cell contain a newline, in quotes? */
    bool irregular; /* are there stray quotes, or text after a closing quote? */
};

/* Have the first rows, at most `most` of them and at least `least`, equally many cells? */
struct columns columns_find(const uint8_t *data, size_t bytes, char separator, size_t least, size_t most);
