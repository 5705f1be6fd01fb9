#pragma once

/* Standard output. Every task that writes to it opens it before its work and closes it afterwards, since some file
 * systems report a failed write only then. A failure ends the run. */

#include <stddef.h>

void standard_open(void); /* it must be open, for writing */
void standard_write(const void *data, size_t bytes);
void standard_print(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a line, less than 1 KiB */
void standard_close(void);
