#pragma once

/*
 * Where records go: standard output or a file that is whole or not there.
 *
 *     sink_open --> sink_write ... --> sink_complete --> sink_keep --> sink_publish --> sink_free
 *         |              |                   |
 *         +--------------+-------------------+--> sink_free: aborted; an existing file is as it was
 *
 * Several files are published in order when all of them are complete, and no publishing is undone.
 *
 * sink_open settles how a file is written:
 *
 *     replaced   as a rule: a new file in the same directory takes the old one's mode, owner, group and access control
 *                list when it is complete, and its name when it is published
 *     directly   standard output, files under /dev or /proc, and files that are not regular, such as devices and FIFOs,
 *                whose opening has effects beyond this program; nothing is emptied or replaced
 *
 * A file that cannot be replaced is refused: its directory may forbid that, or something is mounted over it. An
 * existing file must be writable by the user, although it is replaced. Symbolic links are followed and stay, also those
 * that lead to a missing file; other hard links keep the old file. Death by signal counts as an abort. A new file is
 * private until it is complete, and never less private than the old one was. From sink_complete on, or earlier where a
 * file must have a name, it has a temporary one in the directory of its target. Until sink_keep, the end of the run,
 * however it ends, unlinks that name (signals.h), and so does sink_free. If the mode or the list cannot be given, a
 * warning says so; if owner or group cannot, `lost` is set. Any other failure ends the run.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sink;

/* A sink to the file `path`, which must stay, or to standard output if it is NULL. Everything that can be known now is
 * checked now, and no existing file is changed. A FIFO waits for its reader here. NULL, with errno, if the file cannot
 * be replaced; any other failure ends the run. Once *behind is true, written bytes are sent to disk MiB by MiB. */
struct sink *sink_open(const char *path, const bool *behind);

/* What callers may know of a sink. */
struct sink_state {
    char *temporary; /* path of the temporary name that it has or will have; NULL: written directly */
    int fd; /* a program may write to it instead, until the sink is complete; then -1. A program that has inherited it
               may write longer: then the sink is complete when the program has succeeded. */
    bool has_links; /* does the replaced file have other names, which keep it? */
    bool lost;      /* does the complete file have another owner or group than the old one? */
};
const struct sink_state *sink_state(const struct sink *sink);

const char *sink_folder(const struct sink *sink); /* the directory of the file, links followed; NULL: standard output */
uint64_t sink_number(const struct sink *sink);    /* target_number of a file */
void sink_make_durable(struct sink *sink);        /* have it on disk before it gets its name */

/* Does all that is written take new space? Then *device and *free_bytes tell where, and how much there is. False:
 * unknown, since the file is not regular, or is appended to. Before the first sink_write. */
bool sink_disk(const struct sink *sink, dev_t *device, uint64_t *free_bytes);

void sink_write(struct sink *sink, const void *data, size_t bytes);

/* All has been written: close it, standard output too, since only that shows the last errors. From now on the sink, one
 * of many, takes a few hundred bytes. A second call does nothing. */
void sink_complete(struct sink *sink);

/* From now on, nobody unlinks the complete file: it keeps the temporary name until it is published. */
void sink_keep(struct sink *sink);

/* After sink_keep: give the complete file its name, replacing the file that has it. 0: the output is there; -1 with
 * errno: the file keeps its temporary name. */
int sink_publish(const struct sink *sink);

void sink_free(struct sink *sink); /* NULL is fine */
