#ifndef BIGSHUF_OUTPUT_OVERLAP_H
#define BIGSHUF_OUTPUT_OVERLAP_H

/* Outputs that are inputs as well, and others whose contents would be lost by mistake. */

#include <stddef.h>

#include "output/files.h"

/* Refuse shards and splits that are inputs, unless each of them is one and each input is an output: shards can be
 * shuffled in place. Else the next run of the same command would read what this one wrote together with what it was
 * made of, so that records are there twice, or write over records that it does not read, so that they are lost. The one
 * file of the rest may be an input, or not, as it may where it is the only output; but if it is, no split may be there
 * already with something in it, unless it is an input too: the next run would take more out of that input, and write
 * over what this one took. The same holds for the file of the rest if a split is an input. If it is one of several
 * inputs, a warning says that the next run would add the others once more, as it would where a shell's pattern matches
 * the output of the run before. What is written through a filter is not looked at. `inputs` are names of files, "-" is
 * standard input. Any output is refused that is an input twice, by whatever names, or a compressed input (hints.h), or
 * that is not empty while the only input is /dev/null as standard input. 0, or -1 after a report. */
int overlap_check(const struct files *files, const char *const *inputs, size_t count);

#endif
