#ifndef BIGSHUF_OUTPUT_SINK_H
#define BIGSHUF_OUTPUT_SINK_H

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
 *     in place   what cannot be replaced where it is, as its directory forbids new files, or something is mounted over
 *                it: emptied by the first sink_write (or sink_complete), and not restored by an abort
 *     directly   standard output, and what is no regular file: a device, a FIFO, which to open again would have effects
 *                beyond this program; nothing is emptied or replaced
 *
 * A lack of space, memory or descriptors never leads to writing in place. However it is written, an existing file must
 * be writable by its user. Symbolic links are followed and stay, also those that lead to a file that is yet to be made;
 * other hard links keep the old file. Death by signal counts as an abort. A new file is private until it is complete,
 * and never less private than the old one was. From sink_complete on, or earlier where a file must have a name, it has
 * a temporary one beside its target. Until sink_keep the end of the run, whatever ends it, unlinks that name
 * (signals.h), and so does sink_free. A warning says which attributes the user may not give, or the file system does
 * not have. Any other failure ends the run.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sink;

enum sink_manner { SINK_DIRECT, SINK_IN_PLACE, SINK_REPLACED };

/* A sink to the file `path`, which must stay, or to standard output if it is NULL. Everything that can be known now is
 * checked now, and no existing file is changed. A FIFO waits for its reader here. */
struct sink *sink_open(const char *path);

enum sink_manner sink_manner(const struct sink *sink);
bool sink_has_links(const struct sink *sink);  /* has the file that is replaced other names, which keep it? */
uint64_t sink_number(const struct sink *sink); /* target_number, of a file */
bool sink_lock(const struct sink *sink);       /* what is written in place; false if another run has locked it */
void sink_write_behind(struct sink *sink);     /* advice: from now on, what is written goes to disk MiB by MiB */
const char *sink_temporary_name(const struct sink *sink); /* of a complete file; NULL if it is not replaced */

/* Does everything that is written take new space? If so, on which device, and how much may be written there. False if
 * that is not known: the file is not regular, is written in place, or is added to. Before the first sink_write. */
bool sink_disk(const struct sink *sink, dev_t *device, uint64_t *free_bytes);

/* Write the next bytes. Not before all input has been read, as the file may be one of the inputs. */
void sink_write(struct sink *sink, const void *data, size_t bytes);

/* A descriptor to which a program may write instead, until the sink is complete. A program that has inherited it may
 * write longer: then the sink is complete when the program has succeeded. Not before all input has been read. */
int sink_descriptor(struct sink *sink);

/* All has been written: close. Standard output is closed too, since only that shows the last errors. The sink, one of
 * many, takes a few hundred bytes from now on. To do it again does nothing. */
void sink_complete(struct sink *sink);

/* From now on, nobody unlinks the complete file: it keeps the temporary name until it is published. */
void sink_keep(struct sink *sink);

/* Give the complete file its name, and replace the file that has that name. Only if this returns 0 is the output there;
 * -1 with errno, and the file keeps its temporary name, as sink_keep was called. */
int sink_publish(const struct sink *sink);

void sink_free(struct sink *sink); /* NULL is fine */

#endif
