#ifndef BIGSHUF_RECORD_COLUMN_H
#define BIGSHUF_RECORD_COLUMN_H

/* Columns by their names. */

#include <stddef.h>
#include <stdint.h>

#include "record/field.h"

/* A file begins with this header of one line. If the field is a name, its number becomes that of the column: the name
 * and those in the header, without the quotes of CSV, are compared byte by byte; a byte-order mark and a carriage
 * return at the end of the line belong to none. A name that begins with a quote is in the quotes of CSV. The run ends
 * if the header has no such column, or several, or in another place than that of a file before. */
void column_find(const struct field_place *place, const char *file, const uint8_t *header, size_t bytes);

#endif
