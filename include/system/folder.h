#pragma once

/*
 * A directory that is open, and what stands in it: names are looked up in it and nowhere else, and no link is followed.
 *
 * What fails ends the run, with the path of the file ("DIR/NAME: cause"), and leaves nothing that was begun. But where
 * a function returns an int, that is 0, or the errno of what failed: ENOENT if there is nothing of this name, EEXIST if
 * there is something already, FOLDER_NOT_REGULAR if it is no regular file.
 */

#include <stdbool.h>
#include <stddef.h>

#include "system/fault.h"

struct folder {
    int fd;
    char *path; /* for reports; NULL if the folder is not open, as in a zeroed one */
};

enum { FOLDER_NOT_REGULAR = -1 };

/* Open the directory `path`, in which links are followed, since it is the user's own word. False if it is missing. */
bool folder_open(struct folder *folder, const char *path);

/* Make the directory `path`, for which nothing has this name yet (0777 less the umask), or -1 if there is something. It
 * goes when the process ends, however it does, until the slot that is returned is forgotten (signals.h). */
int folder_make_path(const char *path);

void folder_close(struct folder *folder); /* also when zeroed */

/* End the run, since something about a file in the folder failed; `name` NULL stands for the folder itself. */
_Noreturn void folder_report(const struct folder *folder, const char *name, int error);
_Noreturn void folder_say(const struct folder *folder, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The names in a folder but for "." and "..", in bytewise order. More than FOLDER_NAMES_MAX are a failure: the list is
 * held in memory, and stays within a few MiB. */
enum { FOLDER_NAMES_MAX = 32768 };
struct folder_names {
    char **name;
    size_t count;
};
void folder_list(const struct folder *folder, struct folder_names *names);
void folder_names_release(struct folder_names *names); /* also when zeroed */

/* Open a regular file, with the flags of open(2). */
int folder_open_file(const struct folder *folder, const char *name, int flags, int *fd);

/* Make a file that nothing has the name of yet, to be read and written; *slot as above, and `name` stays as long.
 * ENOENT: the folder itself has been removed. */
int folder_make_file(const struct folder *folder, const char *name, int *fd, int *slot);

/* A whole file, which is not larger than `most` bytes: malloc'd, with a NUL byte after its end. NULL and 0 bytes if it
 * is missing. */
char *folder_read(const struct folder *folder, const char *name, size_t most, size_t *bytes);

/* Let a file that was made so, and is on disk, appear under its own name, in place of nothing: it is linked, its name
 * `by` goes, and both are on disk when this returns. Death is held off meanwhile, and if that `succeeds`, so has the
 * run (signals_succeed). False, and nothing has changed: there is something of this name. */
bool folder_publish(const struct folder *folder, const char *by, const char *name, int fd, int slot, bool succeeds);

/* Rename a file, in one step. Names are on disk after folder_sync, as far as the file system can do that for
 * directories. */
int folder_rename(const struct folder *folder, const char *from, const char *to);
void folder_sync(const struct folder *folder);

/* Is what stands under a name in a folder that which is open as `fd`? */
bool folder_stands(const struct folder *folder, const char *name, int fd);
