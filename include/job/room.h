#pragma once

/*
 * How many bytes a job is sure to write to disks, from the options and what is known of the input, and whether there is
 * room for them. These checks come before the work. `known_bytes` are the records that will be read at least, by the
 * sizes of the input files; 0 if nothing is known.
 */

#include <stdint.h>

#include "command/options.h"
#include "output/output.h"

/* Bytes that the output will have at least. */
uint64_t room_output_bytes(const struct options *options, uint64_t known_bytes);

/* Bytes that will be in temporary files at the same time, at least, if `memory_bytes` bytes of memory are used.
 * `rereads`: samples with replacement read the input again instead of keeping it (run.h). */
uint64_t room_temporary_bytes(const struct options *options, uint64_t known_bytes, uint64_t memory_bytes, bool rereads);

/* The run ends if there is no room for the output, or if the numbers of -i, whose count is known in advance, would need
 * too many files. */
void room_check_output(const struct options *options, uint64_t known_bytes, const struct output *output);

/* The run ends if an output without end (-r without -n) has the name of a regular file, or of no file: somebody must
 * read it meanwhile. Standard output may be anything, as with shuf. */
void room_check_end(const struct options *options);
