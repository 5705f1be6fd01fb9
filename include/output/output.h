#ifndef BIGSHUF_OUTPUT_OUTPUT_H
#define BIGSHUF_OUTPUT_OUTPUT_H

/*
 * All that a run writes: one file or standard output, or a sequence of files among which the records are divided in
 * the order in which they come.
 *
 *     output_open --> output_begin --> output_write ... --> output_commit --> output_free
 *          |               |                |                    | failed
 *          +---------------+----------------+--------------------+----------> output_free: aborted
 *
 * Each file is a sink (sink.h), or a command's (filter.h). Sinks appear all or none, in output_commit: an abort leaves
 * every file as it was, with the exceptions that sink.h names. A crash in the midst of output_commit, after all has
 * been written and while files get their names, may leave some of them new and some old; each is whole. Commands are
 * run as the files come, so what they leave of an aborted run is their affair; a warning says which files that
 * concerns.
 *
 * The first files are without a name until then. Further ones, and all where files must have names, have hidden
 * temporary ones beside their targets; so there can be more files than descriptors. Each takes about 700 bytes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/framing.h"
#include "output/split.h"
#include "record/record.h"
#include "system/fault.h"
#include "temporary/spill.h"

enum { OUTPUT_FILES_MAX = 1000000 };

/* What is pointed to must stay. */
struct output_plan {
    const char *path; /* a file, or the pattern of all files if there are shards; NULL: standard output */

    const struct split *split; /* the records go to these in turn, and what is left to `path` */
    size_t splits;

    /* At most one of these is not 0. The records that are left by the splits go to: */
    uint64_t shards;        /* so many files, whose numbers of records differ by at most one, larger ones first */
    uint64_t shard_records; /* files of so many records, the last one with what is left; no file if there is none */
    uint64_t shard_bytes;   /* files of as many records as fit into so many bytes, or of one that is larger */

    const char *filter; /* the command that all files but standard output are written through, or NULL */
    unsigned filters;   /* at most so many unfinished at a time, at least 1 */

    struct record_format format;
    struct framing form;       /* its header is not counted in shard_bytes */
    struct spill_place *place; /* for temporary files; needed with shard_bytes */
};

struct output;

/* Whatever can be known now is checked now, and no existing file is changed: patterns, percentages above 100, whether
 * every file can be written or made (of shards whose number is not known: those that are there, and the first one),
 * whether two would be the same file. A FIFO waits for its reader here. NULL after a report. */
struct output *output_open(const struct output_plan *plan, struct fault *fault);

/* At least so many bytes will be written, in all: is there room for them, as far as is known? Files that are yet to be
 * found, as there are more shards than there were, are expected to be where the others are. 0, or -1 after a report. */
int output_check_room(const struct output *output, uint64_t bytes);

/* Must all input have been read, and its records counted, before output_begin? Else it may come with UINT64_MAX while
 * input is still to be read. */
bool output_waits(const struct output *output);

/* So many records will be written, UINT64_MAX if nobody knows or if there is no end, which only splits by count,
 * shard_records and shard_bytes can do with. After all input has been read, as some file may be one of the inputs.
 * Fails when there are not enough for the splits. `header`, which stands at the beginning of each file, must stay. This
 * and the following return 0, or -1 after a report. */
int output_begin(struct output *output, uint64_t records, const void *header, size_t header_bytes);

/* The next bytes of records, wherever cut; what they hold afterwards means nothing. By one thread at a time. */
int output_write(struct output *output, uint8_t *data, size_t bytes);

/* All records have been written: complete all files, then give them their names. Only if this returns 0 is the output
 * complete. */
int output_commit(struct output *output);

void output_free(struct output *output); /* NULL is fine */

#endif
