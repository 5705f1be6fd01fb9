#pragma once

/*
 * Where records go: standard output or a file that is whole or not there.
 *
 *     sink_open --> sink_write ... --> sink_complete --> sink_keep --> sink_publish --> sink_free
 *         |              |                   |
 *         +--------------+-------------------+--> sink_free: aborted; an existing file is as it was
 *
 * Several files are published in their order when all of them are complete, and nothing is taken back.
 *
 * sink_open settles how a file is written:
 *
 *     replaced   the rule: a new file beside it takes its mode, owner, group and access control list when it is
 *                complete, and its name when it is published
 *     directly   standard output, what is under /dev or /proc, and what is no regular file: a device, a FIFO, which to
 *                open again would have effects beyond this program; nothing is emptied or replaced
 *
 * What cannot be replaced is refused: its directory may forbid that, or something is mounted over it. An existing file
 * must be writable by its user, although it is replaced. Symbolic links are followed and stay, also those that lead to
 * a file that is yet to be made; other hard links keep the old file. Death by signal counts as an abort. A new file is
 * private until it is complete, and never less private than the old one was. From sink_complete on, or earlier where a
 * file must have a name, it has a temporary one beside its target. Until sink_keep the end of the run, whatever ends
 * it, unlinks that name (signals.h), and so does sink_free. A warning says if the mode or the list cannot be given,
 * `lost` if owner or group cannot. Any other failure ends the run.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sink;

/* A sink to the file `path`, which must stay, or to standard output if it is NULL. Everything that can be known now is
 * checked now, and no existing file is changed. A FIFO waits for its reader here. NULL, with errno, if the file cannot
 * be replaced; what else fails ends the run. From when *behind is true, what is written goes to disk MiB by MiB. */
struct sink *sink_open(const char *path, const bool *behind);

/* What is known of it. */
struct sink_state {
    char *temporary; /* the path of the temporary name that it has, or will have; NULL: it is written directly */
    int fd; /* to which a program may write instead, until the sink is complete; then -1. A program that has inherited
             * it may write longer: then the sink is complete when the program has succeeded. */
    bool has_links; /* has the file that is replaced other names, which keep it? */
    bool lost;      /* has the complete file another owner or group than the old one? */
};
const struct sink_state *sink_state(const struct sink *sink);

const char *sink_folder(const struct sink *sink); /* where the file is, links followed; NULL: standard output */
uint64_t sink_number(const struct sink *sink);    /* target_number, of a file */
void sink_make_durable(struct sink *sink);        /* it will be on disk before it gets its name */

/* Does everything that is written take new space? If so, on which device, and how much may be written there. False if
 * that is not known: the file is not regular, or is added to. Before the first sink_write. */
bool sink_disk(const struct sink *sink, dev_t *device, uint64_t *free_bytes);

void sink_write(struct sink *sink, const void *data, size_t bytes);

/* All has been written: close. Standard output is closed too, since only that shows the last errors. The sink, one of
 * many, takes a few hundred bytes from now on. To do it again does nothing. */
void sink_complete(struct sink *sink);

/* From now on, nobody unlinks the complete file: it keeps the temporary name until it is published. */
void sink_keep(struct sink *sink);

/* Give the complete file its name, and replace the file that has that name. Only if this returns 0 is the output there;
 * -1 with errno, and the file keeps its temporary name, as sink_keep was called. */
int sink_publish(const struct sink *sink);

void sink_free(struct sink *sink); /* NULL is fine */
