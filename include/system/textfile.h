#ifndef BIGSHUF_SYSTEM_TEXTFILE_H
#define BIGSHUF_SYSTEM_TEXTFILE_H

/* Small text files in which a kernel says how things are: lines of words and numbers, of a size that is not told. */

#include <stdbool.h>
#include <stdint.h>

/* The whole text of the file whose name is given in printf's manner. The caller frees it. NULL if it cannot be read. */
__attribute__((format(printf, 1, 2))) char *textfile_read(const char *format, ...);

/* The number that `text` begins with, after blanks. False, and *number untouched, if there is none ("max", "-1"). */
bool textfile_number(const char *text, uint64_t *number);

/* The number after `key`, which begins a line and has blanks behind it. */
bool textfile_number_of(const char *text, const char *key, uint64_t *number);

#endif
