#pragma once

/*
 * The files of an output, by number (plan.h): their names, and their sinks as far as they are open.
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
    /* Files that stay open until the commit, besides those that are filled side by side. Fewer than the descriptors
     * that spill.c leaves to others. */
    FILES_KEPT_OPEN = 4,
};

struct output_file {
    const char *path;  /* NULL: standard output; malloc'd if it was made from a pattern */
    struct sink *sink; /* NULL if it is not open, or is written through a filter */
    bool missing;      /* before the first file gets its name, this name is free */
};

struct files {
    const struct output_plan *plan;
    struct output_file *file;
    size_t count;
    size_t allocated;

    /* A tree (tsearch) by number (target_number) of all files, since no two may be the same; and of the inputs, once a
     * file is added that exists, since it must not be an input. */
    void *numbers;
    bool has_inputs; /* are they in it? */

    bool behind;         /* for all sinks (sink_open); the output sets it */
    dev_t disk;          /* on which all files are, */
    uint64_t free_bytes; /* and what can be written to it; UINT64_MAX if that is not known, or it is not one */
};

/* List all files of a plan, which must stay; if nobody knows how many shards there will be, the first one and the
 * existing ones that follow it without a gap. Check that no two are the same, and that each can be written or made; the
 * first ones stay open. */
void files_open(struct files *files, const struct output_plan *plan);

/* Begin a file in its turn: open its sink, if it is not open, or start its filter; or if it is compressed, both the
 * sink and the program that writes into it. The file after the last one is a further shard: it is added, and must not
 * be another output or an input. `programs` may be NULL for a file without a program. */
void files_begin(struct files *files, size_t number, struct filters *programs, struct framing_file *framing);

/* The program that compresses the file, or NULL. */
const struct packer *files_packer(const struct files *files, size_t number);

/* How many files have names of their own: all shards are named alike. */
size_t files_named(const struct files *files);

/* Is the file written through a filter, so that it has no sink? */
bool files_is_filtered(const struct files *files, size_t number);

/* Which file is known by this number, or FILES_NONE. */
#define FILES_NONE SIZE_MAX
size_t files_find(const struct files *files, uint64_t number);

/* Files 0 to `count` - 1 are the output. Warn of files with the names of the next shards: another run left them, and a
 * glob would include them. */
void files_warn_of_older(const struct files *files, size_t count);

/* Warn of what files that were replaced have lost: other names, owners. */
void files_warn_of_replaced(const struct files *files, size_t count);

/* The run ends: an input is one of several outputs. */
_Noreturn void files_refuse_input(const char *name);

/* All is complete: give the first `count` files their names, in order. If a file cannot have its name, that file and
 * those after it keep their temporary names, and the message tells them. */
void files_publish(struct files *files, size_t count);

void files_release(struct files *files); /* also when zeroed; of files that have not been published nothing stays */
