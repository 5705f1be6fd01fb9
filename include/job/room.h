#pragma once

/*
 * How many bytes a job will surely write to disks, and whether there is room for them. These checks come before the
 * work. `known_bytes` is the least number of bytes of records that will be read, by the sizes of the input files; 0:
 * unknown.
 */

#include <stdint.h>

#include "command/options.h"
#include "output/output.h"

/* The least number of bytes of the output. */
uint64_t room_output_bytes(const struct options *options, uint64_t known_bytes);

/* The least number of bytes in temporary files at one time, with `memory_bytes` bytes of memory. `rereads`: samples
 * with replacement read the input again instead of storing it (run.h). */
uint64_t room_temporary_bytes(const struct options *options, uint64_t known_bytes, uint64_t memory_bytes, bool rereads);

/* End the run if there is no room for the output, or the numbers of -i, whose count is known, need too many files. */
void room_check_output(const struct options *options, uint64_t known_bytes, const struct output *output);

/* End the run if an output without end (-r without -n) is a regular file, or a missing one: a program must read it
 * meanwhile. Standard output may be anything, as with shuf. */
void room_check_end(const struct options *options);
