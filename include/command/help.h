#ifndef BIGSHUF_COMMAND_HELP_H
#define BIGSHUF_COMMAND_HELP_H

/* What the program says of itself: the answers to --help and --version, and the way to them. */

#include <stdbool.h>
#include <stddef.h>

#include "system/fault.h"

/* One option. */
struct help_row {
    const char *name;     /* without its two hyphens */
    int code;             /* the letter; a number above UCHAR_MAX if it has none */
    const char *argument; /* what it is called, in [] if it may be left out; NULL if there is none */
    const char *text;     /* a newline continues on the next line, in the same column */
};

bool help_has_letter(const struct help_row *row);
bool help_is_optional(const struct help_row *row); /* its argument */

/* Print to standard output and close it, since some file systems tell only then that a write has failed. 0, or -1 after
 * a report. */
int help_print(struct fault *fault, const struct help_row *rows, size_t row_count);
int help_print_version(struct fault *fault);

/* After a message about wrong usage: a line on standard error that tells of --help. */
void help_hint(void);

#endif
