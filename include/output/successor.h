#ifndef BIGSHUF_OUTPUT_SUCCESSOR_H
#define BIGSHUF_OUTPUT_SUCCESSOR_H

/*
 * A new file that takes the place of another one, or of none, in one step when it is complete.
 *
 *     successor_create --> write to its descriptor --> successor_complete --> close it
 *         --> successor_publish --> successor_release
 *                   +---------------> successor_retract --> successor_release
 *
 * successor_release may come at any time; before successor_publish, it unlinks the new file.
 */

#include <stdbool.h>
#include <sys/stat.h>

#include "output/attributes.h"
#include "output/target.h"
#include "output/temporary_name.h"
#include "system/fault.h"

/* What stands under the target's name. */
enum successor_progress {
    SUCCESSOR_UNPUBLISHED, /* what stood there before */
    SUCCESSOR_EXCHANGED,   /* the new file; the old one has the temporary name */
    SUCCESSOR_RENAMED,     /* the new file; nothing has the temporary name */
};

/* Zeroed but for the first five. */
struct successor {
    const char *path; /* of the target, as the user gave it: for reports */
    struct fault *fault;
    const struct target *target;
    bool existed;       /* is there a file to be replaced? */
    bool let_go;        /* has it been closed, so that another one may have got its number? */
    bool is_input;      /* was it read, so that what others add to it would be lost? */
    struct stat before; /* that file's */
    bool replaces;      /* was it still there when the new one took its place? */
    struct stat made;   /* the new one, then */
    struct attributes attributes;
    struct temporary_name name;
    enum successor_progress progress;
};

/* Make the new file in the target's directory: without a name where that is possible, else with the temporary one. It
 * is private until it is complete. Its descriptor, or -1 with errno. */
int successor_create(struct successor *successor, int directory);

/* All has been written to the new file `fd`: give it its attributes and the temporary name. 0, or -1 after a report. */
int successor_complete(struct successor *successor, int fd);

/* Give the new file the target's name; `reversibly` if others may yet fail. Not if something else has come to stand
 * there, or in the place of the directory, since the target was opened and up to this moment. 0, or -1 after a report,
 * when it may have to be retracted as well. */
int successor_publish(struct successor *successor, bool reversibly);

/* Put the old file back, or unlink the new one if there was none; but what others have put in its place stays. What
 * cannot be undone is worth a warning. Nothing if it was not published. */
void successor_retract(struct successor *successor);

/* Is the old file, now that it is about to go, what it was when it was opened, if it was read? 0, or -1 after a report.
 */
int successor_check_old(const struct successor *successor, const struct stat *now);

/* Report that others have made, replaced or changed it (`done`). Returns -1. */
int successor_report_others(const struct successor *successor, const char *done);

void successor_release(struct successor *successor); /* also when zeroed */

#endif
