#ifndef BIGSHUF_OUTPUT_FILTER_H
#define BIGSHUF_OUTPUT_FILTER_H

/*
 * Commands that output files are written through: `sh -c COMMAND` with $FILE set, once for each file, in turn.
 *
 *     filters_new --> filters_start --> filters_write ... --> filters_end --> ... --> filters_wait --> filters_free
 *                           A                                      |
 *                           +--------------------------------------+
 *
 * A command that has got all of its file may go on working while the next one is fed. One that stops reading and then
 * succeeds is content with what it got, of which a warning tells once in a run; one that fails, or dies by another
 * signal than SIGPIPE, is a failure. One by one thread at a time.
 */

#include <stddef.h>

#include "system/fault.h"

struct filters;

/* At most `most` commands, at least 1 and in no case more than a few hundred, are unfinished at a time. `command` must
 * stay. NULL after a report. */
struct filters *filters_new(const char *command, unsigned most, struct fault *fault);

/* These return 0, or -1 after a report, which may be about any of the commands so far. */
int filters_start(struct filters *filters, const char *file); /* may wait for another to finish; `file` must stay */
int filters_write(struct filters *filters, const void *data, size_t bytes);
int filters_end(struct filters *filters);  /* the file is complete */
int filters_wait(struct filters *filters); /* till all have finished */

/* NULL is fine. Commands that have not been waited for are told to terminate, before they take what they have got for a
 * whole file, and a warning names the files that were begun. */
void filters_free(struct filters *filters);

#endif
