#ifndef BIGSHUF_OWNER_H
#define BIGSHUF_OWNER_H

/*
 * Who works in a folder: a file "owner" in it that names host, boot, process and the process's start time, on which the
 * process has a lock (flock) as long as it lives. A process is gone for sure if it ran on this host, and either in an
 * earlier boot or under a number that is now free or another process's, and nobody has the lock. So is one that has
 * left the file empty, as it locks before it writes. Where there is no locking, nobody is ever gone for sure.
 */

#include <stdbool.h>
#include <stdint.h>

#include "folder.h"

#define OWNER_FILE "owner"

enum { OWNER_WORD_BYTES = 256 };

struct owner {
    char host[OWNER_WORD_BYTES];
    char boot[OWNER_WORD_BYTES]; /* /proc/sys/kernel/random/boot_id, or "-" where there is none */
    uint64_t process;
    uint64_t start; /* field 22 of /proc/PID/stat: clock ticks since boot; 0 where it is not known */
};

enum owner_state {
    OWNER_ALIVE,   /* for sure, or it has the lock */
    OWNER_GONE,    /* for sure */
    OWNER_UNKNOWN, /* of another host, or the file is missing or not to be understood, or there is no locking */
};

/* Say that this process works in the folder. *lock receives a descriptor to be closed when it no longer does. Where
 * there is no locking, it is -1, and a warning is given. OK; MISSING, without a report, if the folder has been removed
 * while it was empty; or FAILED, when no file is left. */
enum folder_verdict owner_sign(const struct folder *folder, int *lock);

/* Who is it, and how is it? `owner` is zeroed if that is not known. If the process is gone, *lock receives a descriptor
 * that holds the lock, so that nobody else takes the folder for abandoned meanwhile, to be closed by the caller; else
 * -1. Nothing is ever reported. */
enum owner_state owner_ask(const struct folder *folder, struct owner *owner, int *lock);

#endif
