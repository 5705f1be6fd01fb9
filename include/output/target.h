#pragma once

/*
 * Where the path of an output really leads: symbolic links followed to the last one, whether or not a file is there.
 *
 * Others may change a directory, or what leads to it, at any time. So a target is a directory, known by device and
 * inode, and a name in it that is no link: whatever happens meanwhile, nothing in another directory is touched.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct target {
    const char *path; /* as the user gave it, for messages */
    char *directory;  /* a path of the directory in which the file is, or would be made */
    char *name;       /* of the file in it */
    bool special;     /* the directory is in /dev or /proc, */
    bool in_proc;     /* or in /proc, where the text of a link may be no name, so it was not followed */
    int descriptor;   /* of this process, which is what is special about the name; or -1 */
    dev_t device;     /* the directory's */
    ino_t inode;
};

/* Find where `path`, which must stay, leads. The run ends if it leads nowhere: the directory does not exist, links go
 * in a circle, the path ends in '/'. In a directory that is sticky and that all may write to, such as /tmp, a link is
 * followed only if it is the user's own or belongs to the directory's owner, as Linux has it with
 * fs.protected_symlinks. */
void target_find(struct target *target, const char *path);

/* Open the directory, to use names in it. A descriptor, or -1 with errno: ESTALE if another one is there now. */
#define TARGET_STALE "its directory has been replaced meanwhile"
int target_enter(const struct target *target);

/* The same, or the run ends. */
int target_enter_or_fail(const struct target *target);

/* A number by which a regular file is known, whatever path leads to it (file_mark.h); or the place where it would be
 * made, if it is not there. 0 for what is no regular file. */
uint64_t target_number(const struct target *target);

/* The path cannot be an output, for the reason that errno tells. */
_Noreturn void target_fail(const char *path);

void target_release(struct target *target); /* also when zeroed */
