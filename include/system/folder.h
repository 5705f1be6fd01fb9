#pragma once

/*
 * An open directory, and the files in it: names are looked up there and nowhere else, and no link is followed.
 *
 * A failure ends the run, with the path of the file ("DIR/NAME: cause"), and leaves no half-made file. But functions
 * that return int return 0, or the errno of a failure: ENOENT if the name does not exist, EEXIST if it exists already,
 * FOLDER_NOT_REGULAR if the file is not regular.
 */

#include <stdbool.h>
#include <stddef.h>

#include "system/fault.h"

struct folder {
    int fd;
    char *path; /* for reports; NULL if the folder is not open, as in a zeroed one */
};

enum { FOLDER_NOT_REGULAR = -1 };

/* Open the directory `path`, following links, since the user has named it. False if it is missing. */
bool folder_open(struct folder *folder, const char *path);

/* Make the directory `path` (0777 less the umask). Returns a slot of signals.h, or -1 if the name exists. However the
 * process ends, the directory is removed, unless the slot has been forgotten before. */
int folder_make_path(const char *path);

void folder_close(struct folder *folder); /* also when zeroed */

/* End the run, since something about a file in the folder failed; `name` NULL stands for the folder itself. */
_Noreturn void folder_report(const struct folder *folder, const char *name, int error);
_Noreturn void folder_say(const struct folder *folder, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The names in a folder except "." and "..", in bytewise order. More than FOLDER_NAMES_MAX are a failure, so that the
 * list stays within a few MiB of memory. */
enum { FOLDER_NAMES_MAX = 32768 };
struct folder_names {
    char **name;
    size_t count;
};
void folder_list(const struct folder *folder, struct folder_names *names);
void folder_names_release(struct folder_names *names); /* also when zeroed */

/* Open a regular file, with the flags of open(2). */
int folder_open_file(const struct folder *folder, const char *name, int flags, int *fd);

/* Make a file with a new name, for reading and writing; *slot as above, and `name` must last as long. ENOENT: the
 * folder itself has been removed. */
int folder_make_file(const struct folder *folder, const char *name, int *fd, int *slot);

/* A whole file of at most `most` bytes: malloc'd, with a NUL byte after its end. NULL and 0 bytes if it is missing. */
char *folder_read(const struct folder *folder, const char *name, size_t most, size_t *bytes);

/* Publish a file of folder_make_file, already synced: link it as `name`, remove its name `by`, and sync the directory.
 * Death is held off meanwhile, and if `succeeds` is set, the run has then succeeded (signals_succeed). False, with
 * nothing changed, if `name` exists. */
bool folder_publish(const struct folder *folder, const char *by, const char *name, int fd, int slot, bool succeeds);

/* Rename a file, in one step. After folder_sync, names are on disk, if the file system can sync directories. */
int folder_rename(const struct folder *folder, const char *from, const char *to);
void folder_sync(const struct folder *folder);

/* Is the file `name` in the folder the one that is open as `fd`? */
bool folder_stands(const struct folder *folder, const char *name, int fd);
