#ifndef BIGSHUF_OUTPUT_OVERLAP_H
#define BIGSHUF_OUTPUT_OVERLAP_H

/* Outputs that are inputs as well, and others whose contents would be lost by mistake. */

#include <stddef.h>

#include "output/files.h"

/*
 * Look for what the next run of the same command would read twice or lose. The inputs are names of files, "-" is
 * standard input; what is written through a filter is not looked at. Refused are
 *  - shards and splits of which some are inputs, unless each of them is one and each input is an output: shards can be
 *    shuffled in place. Otherwise the next run would read this run's output together with its input, or overwrite
 *    output that it has not read. The file of the rest, which may be the only output, may be an input or not.
 *  - an input that is a split or the file of the rest, while another of these has something in it and is no input: the
 *    next run would take more records out of that input, and write them over those that this run took.
 *  - an output that is an input twice, by whatever names.
 *  - an output that is an input of which nothing would be left, such as an archive (hints.h).
 *  - an output that has something in it, while the only input is /dev/null as standard input.
 * A warning tells if the file of the rest is one of several inputs, as it is where a shell's pattern matches the output
 * of the run before. The files that are inputs are locked and marked (files_mark_input).
 */
void overlap_check(struct files *files, const char *const *inputs, size_t count);

/* The first `count` files are the output, all complete and not yet visible. If shards are shuffled in place, there must
 * not be fewer than before: the next run would read the leftover ones once more. */
void overlap_check_count(const struct files *files, size_t count);

#endif
