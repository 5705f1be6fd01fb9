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
 * then succeeds is content with what it got: one warning in a run names the first such file. One that fails, or dies by
 * another signal than SIGPIPE, is a failure. A program that compresses is to read all and to succeed. One by one thread
 * at a time.
 */

#include <stddef.h>

#include "system/packer.h"

struct filters;

/* At most `most` programs, at least 1 and in no case more than a few hundred, are unfinished at a time; a program that
 * compresses may take as many threads. `command` must stay; NULL if there is none. */
struct filters *filters_new(const char *command, unsigned most);

/* Each of these may find that any of the programs so far has failed, and end the run. The first two may wait for
 * another to finish; `file` must stay. What comes from a packer goes to `output`, which may be closed then. */
void filters_start(struct filters *filters, const char *file);
void filters_start_packer(struct filters *filters, const char *file, const struct packer *packer, int output);
void filters_write(struct filters *filters, const void *data, size_t bytes);
void filters_end(struct filters *filters);  /* the file is complete */
void filters_wait(struct filters *filters); /* till all have finished */

/* NULL is fine. To be called when all have been waited for. If the run ends before that, a warning names the files that
 * commands had begun, and the programs are told to terminate before their pipes end (signals.h), so that none takes
 * what it has got for a whole file. */
void filters_free(struct filters *filters);
