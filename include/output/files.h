#ifndef BIGSHUF_OUTPUT_FILES_H
#define BIGSHUF_OUTPUT_FILES_H

/*
 * The files of an output, by number (plan.h): their names, and their sinks as far as they are open.
 *
 *     files_open --> files_add, if more come than there were, and files_begin for each --> files_close_sinks
 *         --> files_release
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "output/file_set.h"
#include "output/filter.h"
#include "output/plan.h"
#include "output/sink.h"
#include "system/file_mark.h"
#include "system/packer.h"

enum {
    /* Files that stay open until the commit, besides those that are filled side by side; and files that are inputs,
     * too, and stay locked. Together fewer than the descriptors that spill.c leaves to others. */
    FILES_KEPT_OPEN = 4,
    FILES_LOCKED = 4,
    FILES_DISKS = 16, /* file systems among which files may be divided, and still be compared with their room */
};

struct output_file {
    const char *path;      /* NULL: standard output; malloc'd if it was made from a pattern */
    struct sink *sink;     /* NULL if it is not open, or is written through a filter */
    bool replaced;         /* was it found, when all were opened, that it can be replaced? So it must be */
    const char *input;     /* the name by which it is one of the inputs, too; NULL: it is none */
    struct file_mark mark; /* of the regular file that was there, as it is read if it is an input */
};

struct files {
    const struct output_plan *plan;
    struct output_file *file;
    size_t count;
    size_t allocated;
    struct file_set set;    /* all of them: no two are the same */
    bool behind;            /* are all sinks told so (sink_write_behind)? */
    bool any_in_place;      /* is any file written in place, which may be one of the inputs? */
    int lock[FILES_LOCKED]; /* descriptors of files that are inputs, too */
    size_t locks;
    dev_t disk[FILES_DISKS]; /* all file systems that the files are on, */
    size_t disks;
    uint64_t free_bytes; /* and what can be written to them together; UINT64_MAX if that is not known */
};

/* List all files of a plan, which must stay; of shards whose number is not known, the first one and those that follow
 * it in a row and are there. Check that no two are the same, and that each can be written or made; the first ones stay
 * open. */
void files_open(struct files *files, const struct output_plan *plan);

/* Add the next shard, which must be none of the files before it, by whatever name. */
void files_add(struct files *files);

/* Open the sink of a file, if it is not open, or start its filter; or if it is compressed, both the sink and the
 * program that writes into it. `programs` may be NULL for a file without a program. */
void files_begin(struct files *files, size_t number, struct filters *programs);

/* The program that compresses the file, or NULL. */
const struct packer *files_packer(const struct files *files, size_t number);

/* Is the file written through a filter, so that it has no sink? */
bool files_is_filtered(const struct files *files, size_t number);

/* Files 0 to `count` - 1 are the output. Warn of files that have the names of the next shards: they are from another
 * run, and whoever reads all files of the pattern reads them as well. */
void files_warn_of_older(const struct files *files, size_t count);

/* Warn of other names of the files that were replaced. */
void files_warn_of_links(const struct files *files, size_t count);

/* Warn of files whose names say that they are compressed, or shards, and that are not. */
void files_warn_of_names(const struct files *files);

/* The file is one of the inputs, too: lock it until files_release, unless its file system has no locks. The run ends if
 * another one has locked it. At most FILES_LOCKED files. */
void files_lock_input(struct files *files, size_t number);

/* The file is one of the inputs, too: mark it as it is now, before it is read. Returns whether it is still the same
 * file that it was in files_open. */
bool files_mark_input(struct files *files, size_t number);

/* All is complete: give the first `count` files their names, in order. If others have changed or replaced one that is
 * an input, the run ends before any file is changed. If a file cannot have its name, that file and those after it keep
 * their temporary names, which the message tells. While there is no other thread. */
void files_publish(struct files *files, size_t count);

void files_write_behind(struct files *files); /* advice: sink_write_behind, of all sinks */
void files_close_sinks(struct files *files);  /* of files that have not been published, nothing stays */
void files_release(struct files *files);      /* also when zeroed */

#endif
