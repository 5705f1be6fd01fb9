#ifndef BIGSHUF_OUTPUT_SINK_H
#define BIGSHUF_OUTPUT_SINK_H

/*
 * Where records go: standard output or a file that is whole or not there.
 *
 *     sink_open --> sink_write ... --> sink_complete --> sink_publish --> sink_free
 *         |              |                   |                | failed
 *         +--------------+-------------------+----------------+---------> sink_free: aborted; an existing file is as
 *                                                                         it was
 *
 * Of several files either all appear or none: when all are complete, each is published; should one of them fail, those
 * published before it are retracted.
 *
 * sink_open settles how a file is written:
 *
 *     replaced   the rule: a new file beside it takes its mode, owner, group and access control list when it is
 *                complete, and its name when it is published (successor.h)
 *     in place   what has several hard links, or cannot be replaced where it is, as the directory forbids new files:
 *                emptied by the first sink_write (or sink_complete), and not restored by an abort
 *     directly   what is no regular file: a device, a FIFO
 *
 * A lack of space, memory or descriptors never leads to writing in place. What is replaced is the file that sink_open
 * saw: if another file has come to stand there by then, or another directory in the place of its directory, that is a
 * failure.
 *
 * An existing file must be writable by its user, whichever way it is. Symbolic links are followed and stay, also those
 * that lead to a file that is yet to be made. Death by signal counts as an abort.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "input/version.h"
#include "system/fault.h"

struct sink;

/* A sink to the file `path`, which must stay, or to standard output if it is NULL. Everything that can be known now is
 * checked now, and no existing file is changed, so this comes before the first input is read. A FIFO waits for its
 * reader here. NULL after a report. */
struct sink *sink_open(const char *path, struct fault *fault);

/* Does the first sink_write empty a file that may be one of the inputs? */
bool sink_is_in_place(const struct sink *sink);

/* The file is one of the inputs: if others change it meanwhile, it stays as it is, and the sink fails when it would be
 * replaced or emptied. */
void sink_replaces_input(struct sink *sink);

/* Write the next bytes. Not before all input has been read, as the file may be one of the inputs. 0, or -1 after a
 * report. */
int sink_write(struct sink *sink, const void *data, size_t bytes);

/* Advice: from now on, what is written should begin to go to disk MiB by MiB. */
void sink_write_behind(struct sink *sink);

/* A descriptor to which a program may write instead, as long as the sink is not finished, and beyond if it has
 * inherited it: then the sink is complete when the program has ended well. Not before all input has been read. -1 after
 * a report.
 */
int sink_descriptor(struct sink *sink);

/* All has been written: close. Standard output is closed too, since only that shows the last errors. If the file is to
 * be replaced, the new one is complete under a temporary name. To do it again does nothing. 0, or -1 after a report. */
int sink_complete(struct sink *sink);

/* sink_complete, and keep no descriptor: one of many takes about 600 bytes then. */
int sink_finish(struct sink *sink);

/* Give the complete file its name, so that it can be taken back until sink_free if `reversibly`; where the system
 * cannot exchange the names of two files in one step (Linux can), that is only so if there was no file before. Only if
 * this returns 0 is the output there; -1 after a report. Between the first sink_publish and the last, or the last
 * sink_retract, death by signal is to be held off by the caller (signals_hold), while there is no other thread. */
int sink_publish(struct sink *sink, bool reversibly);
void sink_retract(struct sink *sink); /* warns of what could not be undone; nothing if it was not published */

/* What a sink found, for one that is opened in its stead, long after it was freed. */
struct sink_sight {
    dev_t device; /* of the directory, */
    ino_t inode;
    struct version before; /* and of the file that was there, not known if there was none, */
    uint64_t changed;      /* whose status had last changed then: sys_changed */
};
struct sink_sight sink_sight(const struct sink *sink);

/* Has the sink found what was there before, or what is missing by now? 0; or -1 after a report: others have put another
 * file, or directory, there, or have written to the file. */
int sink_check_sight(const struct sink *sink, const struct sink_sight *past);

/* Is it standard output, or what is no regular file? Opening it again would have effects. */
bool sink_is_direct(const struct sink *sink);

/* Will all that is written take new space? If so, on which device, and how much may be written there. False if that is
 * not known: what is no regular file, what is written in place or added to. Before the first sink_write. */
bool sink_disk(const struct sink *sink, dev_t *device, uint64_t *free_bytes);

void sink_free(struct sink *sink); /* NULL is fine */

#endif
