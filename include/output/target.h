#pragma once

/*
 * Where the path of an output really leads: symbolic links followed to the last one, whether or not a file is there.
 *
 * Others may change a directory, or the links to it, at any time. So a target is a directory, known by device and
 * inode, and a name in it that is no link: whatever happens meanwhile, nothing in another directory is touched.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct target {
    const char *path; /* as the user gave it, for messages */
    char *directory;  /* path of the directory in which the file is, or would be made */
    char *name;       /* of the file in it */
    bool special;     /* is the directory in /dev or /proc? */
    bool in_proc;     /* is it in /proc, where a link's text may be no path, so that none was followed? */
    int descriptor;   /* the descriptor of this process that a special name stands for; or -1 */
    dev_t device;     /* the directory's */
    ino_t inode;
};

/* Find where `path`, which must stay, leads. The run ends if it leads nowhere: the directory does not exist, links go
 * in a circle, the path ends in '/'. In a sticky directory that all may write to, such as /tmp, a link is followed only
 * if it belongs to the user or to the directory's owner, as with Linux's fs.protected_symlinks. */
void target_find(struct target *target, const char *path);

/* Open the directory, to use names in it. A descriptor, or -1 with errno: ESTALE if it is another directory now. */
#define TARGET_STALE "its directory has been replaced meanwhile"
int target_enter(const struct target *target);

/* The same, or the run ends. */
int target_enter_or_fail(const struct target *target);

/* A number for a regular file, the same for every path to it (file_mark.h); for a missing file, a number for its place.
 * 0: not a regular file. */
uint64_t target_number(const struct target *target);

/* End the run: the path cannot be an output; errno says why. */
_Noreturn void target_fail(const char *path);

void target_release(struct target *target); /* also when zeroed */
