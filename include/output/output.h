#ifndef BIGSHUF_OUTPUT_OUTPUT_H
#define BIGSHUF_OUTPUT_OUTPUT_H

/*
 * All that a run writes: one file or standard output, or a sequence of files among which the records are divided in
 * the order in which they come. One file is filled after the other; no two are open for records at a time, but for
 * those of splits by a field (sides.h).
 *
 *     output_open --> output_begin --> output_write ... --> output_commit --> output_free
 *
 * Each file is a sink (sink.h), or a command's (filter.h). No sink appears before all are complete, in output_commit:
 * a run that ends before leaves every file as it was, with the exceptions that sink.h names. Then they get their names,
 * in order: if one of them cannot have it, or a crash comes, those before it are new, and the others complete under
 * temporary names. Commands are run as the files come, so what they leave of a run that fails is their affair; a
 * warning says which files that concerns.
 *
 * The first few files have no names until then. Later ones, and all of them where files must have names, have hidden
 * temporary names beside their targets; so there can be more files than descriptors. Each takes about 700 bytes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "output/plan.h"
#include "system/fault.h"

struct output;

/* Whatever can be known now is checked now, and no existing file is changed: patterns, percentages above 100, whether
 * every file can be written or made (of shards whose number is not known: those that are there, and the first one),
 * whether two would be the same file. A FIFO waits for its reader here. */
struct output *output_open(const struct output_plan *plan);

/* So many records will be written (UINT64_MAX: nobody knows how many): can they be divided as the plan says? */
void output_check_records(const struct output *output, uint64_t records);

/* At least so many bytes will be written, in all: is there room for them, as far as is known? Files that are yet to be
 * found, as there are more shards than there were, are expected to be where the others are. */
void output_check_room(const struct output *output, uint64_t bytes);

/* May those of these inputs ("-": standard input), whose names must stay, that are outputs as well be so (overlap.h)?
 */
void output_check_inputs(struct output *output, const char *const *inputs, size_t count);

/* Is any file within this directory, which holds something else? Those of a filter are not looked at. If all is
 * well, this and output_check_inputs warn of misleading names. */
void output_check_outside(const struct output *output, const char *directory);

/* Must all input have been read, and its records counted, before output_begin? If not, output_begin may be called
 * earlier, with UINT64_MAX for the number of records. */
bool output_waits(const struct output *output);

/* May what is written go to one of the inputs before all is complete? So it may to a file that is written in place, and
 * to any that a filter writes. */
bool output_may_change_inputs(const struct output *output);

/* Is this file one of the output, of which some are written in place, or is it standard output? */
bool output_changes(const struct output *output, const struct stat *file);

/* So many records will be written, UINT64_MAX if nobody knows or if there is no end, which only splits by count,
 * shard_records and shard_bytes can do with. After all input has been read, as some file may be one of the inputs.
 * Fails when there are not enough for the splits. `header`, which stands at the beginning of each file, must stay. */
void output_begin(struct output *output, uint64_t records, const void *header, size_t header_bytes);

/* From now on, groups of members of archives come without marks: those in memory that is written are in this margin,
 * which must stay. */
void output_use_margin(struct output *output, const struct record_margin *margin);

/* Write the next bytes of records; they may begin and end in the midst of a record. `data` is changed. By one thread at
 * a time. */
void output_write(struct output *output, uint8_t *data, size_t bytes);

/* More will be written than the system has memory for: from now on, what is written to regular files begins to go to
 * disk MiB by MiB, instead of when memory is full and writers have to wait for it. After output_begin, by one thread;
 * what programs write is their affair. */
void output_write_behind(struct output *output);

/* Bytes that output_write has been given so far. Any thread, or a signal handler, may ask. */
uint64_t output_written_bytes(const struct output *output);

/* All records have been written: complete all files, then give them their names. A warning names files that look
 * like further shards, but are older. */
void output_commit(struct output *output);

void output_free(struct output *output); /* NULL is fine */

#endif
