#pragma once

/*
 * Programs that output files are written through, one for each file, in turn: commands, `sh -c COMMAND` with $FILE set;
 * or programs that compress, and write to a descriptor.
 *
 *     filters_new --> filters_start --> filters_write ... --> filters_end --> ... --> filters_wait --> filters_free
 *                           A                                      |
 *                           +--------------------------------------+
 *
 * A program that has got all of its file may go on working while the next one is fed. A command that stops reading and
 * then succeeds may do so: one warning in a run names the first such file. One that fails, or dies by another signal
 * than SIGPIPE, is a failure. A program that compresses must read all and succeed. Used by one thread at a time.
 */

#include <stddef.h>

#include "system/packer.h"

struct filters;

/* At most `most` programs (at least 1), and never more than a few hundred, are unfinished at a time; a program that
 * compresses may take as many threads. `command` must stay; NULL: there is none. */
struct filters *filters_new(const char *command, unsigned most);

/* Each of these may find that an earlier program has failed, and end the run. The first two may wait for another
 * program to finish; `file` must stay. The packer writes to `output`, which may be closed afterwards. */
void filters_start(struct filters *filters, const char *file);
void filters_start_packer(struct filters *filters, const char *file, const struct packer *packer, int output);
void filters_write(struct filters *filters, const void *data, size_t bytes);
void filters_end(struct filters *filters);  /* the file is complete */
void filters_wait(struct filters *filters); /* until all have finished */

/* Call it after filters_wait; NULL is fine. If the run ends before that, a warning names the files that commands had
 * begun, and the programs are told to terminate before their pipes end (signals.h), so that none takes a part for a
 * whole file. */
void filters_free(struct filters *filters);
