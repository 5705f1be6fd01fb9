#ifndef BIGSHUF_OUTPUT_TEMPORARY_NAME_H
#define BIGSHUF_OUTPUT_TEMPORARY_NAME_H

/* A name beside a target for a file that is not complete: .NAME.XXXXXX, with six random letters. While a file has it,
 * death by signal unlinks it. */

#include <stdbool.h>
#include <sys/types.h>

#include "output/target.h"

struct temporary_name {
    char *path; /* NULL before temporary_name_init; its letters change */
    int slot;   /* in the list of those that death by signal unlinks (signals.h); -1 if no file has the name */
};

/* Functions that return int return 0, or -1 with errno. */

int temporary_name_init(struct temporary_name *name, const struct target *target);

/* Give the name to the file *fd, which has none, or, if that is -1, make a file of that name and mode: *fd is its
 * descriptor. `directory` is that of the target. */
int temporary_name_take(struct temporary_name *name, int directory, mode_t mode, int *fd);

bool temporary_name_is_taken(const struct temporary_name *name);

/* The name as it stands in the directory. */
const char *temporary_name_last(const struct temporary_name *name);

/* The file has another name now, or is to keep this one: leave it alone. */
void temporary_name_forget(struct temporary_name *name);

/* Unlink the file, if it still has the name. */
void temporary_name_release(struct temporary_name *name);

#endif
