#pragma once

/*
 * The files of an output, by number (plan.h): their names, and the sinks of those that are open.
 *
 *     files_open --> files_begin for each --> files_publish --> files_release
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "output/filter.h"
#include "output/framing.h"
#include "output/plan.h"
#include "output/sink.h"
#include "system/file_mark.h"

enum {
    /* How many files stay open until the commit, unless more are filled side by side. Fewer than the descriptors that
     * spill.c leaves to others. */
    FILES_KEPT_OPEN = 4,
};

struct output_file {
    const char *path;  /* NULL: standard output; malloc'd if made from a pattern */
    struct sink *sink; /* NULL: not open, or written through a filter */
    bool missing;      /* is its name free before the first file gets its own? */
};

struct files {
    const struct output_plan *plan;
    struct output_file *file;
    size_t count;
    size_t allocated;

    /* A tree (tsearch) of all files by target_number, since no two may be the same; and of the inputs, once a file is
     * added that exists, since it must not be an input. */
    void *numbers;
    bool has_inputs; /* are the inputs in the tree? */

    bool behind;         /* of sink_open, for all sinks; the output sets it */
    dev_t disk;          /* the disk of all files, */
    uint64_t free_bytes; /* and its free space; UINT64_MAX: unknown, or several disks */
};

/* List all files of a plan, which must stay; of an unknown number of shards, the first one and those after it that
 * exist without a gap. Check that no two are the same, and that each can be written; the first ones stay open. */
void files_open(struct files *files, const struct output_plan *plan);

/* Begin a file in its turn: open its sink, unless it is open, or start its filter; if it is compressed, open the sink
 * and start the program that writes into it. The number after the last file is that of a further shard, which must not
 * be another output or an input. `programs` may be NULL for a file without a program. */
void files_begin(struct files *files, size_t number, struct filters *programs, struct framing_file *framing);

/* The program that compresses the file, or NULL. */
const struct packer *files_packer(const struct files *files, size_t number);

/* How many files have names of their own: shards, whose names are one pattern, count as one. */
size_t files_named(const struct files *files);

/* Is the file written through a filter, so that it has no sink? */
bool files_is_filtered(const struct files *files, size_t number);

/* The file with this target_number, or FILES_NONE. */
#define FILES_NONE SIZE_MAX
size_t files_find(const struct files *files, uint64_t number);

/* Files 0 to `count` - 1 are the output. Warn of files with the names of the next shards: another run left them, and a
 * glob would include them. */
void files_warn_of_older(const struct files *files, size_t count);

/* Warn of what replaced files have lost: other names, owners. */
void files_warn_of_replaced(const struct files *files, size_t count);

/* End the run: `name` is both input and output. */
_Noreturn void files_refuse_input(const char *name);

/* Give the first `count` files, all complete, their names, in order. If one cannot get its name, it and those after it
 * keep their temporary names, which the message tells. */
void files_publish(struct files *files, size_t count);

void files_release(struct files *files); /* also when zeroed; removes files that are not published */
