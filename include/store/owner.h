#ifndef BIGSHUF_STORE_OWNER_H
#define BIGSHUF_STORE_OWNER_H

/*
 * Who works on what has a name in a folder: a file NAME.owner beside it that names host, boot, process and the
 * process's start time, on which the process has a lock (flock) as long as it lives. It is there, whole and locked,
 * before anything else stands under NAME, and removed after nothing does, and no NAME is used twice: so where there is
 * none, nobody is at work. A process is gone for sure if it ran on this host, and either in an earlier boot or under a
 * number that is now free or another process's, and nobody has the lock. Where there is no locking, nobody is ever gone
 * for sure.
 */

#include <stdbool.h>
#include <stdint.h>

#include "system/folder.h"

#define OWNER_SUFFIX       ".owner"
#define OWNER_BEGUN_SUFFIX ".owner~" /* of the file before it is whole; it may be removed at any time */

enum { OWNER_WORD_BYTES = 256 };

struct owner {
    char host[OWNER_WORD_BYTES];
    char boot[OWNER_WORD_BYTES]; /* /proc/sys/kernel/random/boot_id, or "-" where there is none */
    uint64_t process;
    uint64_t start; /* field 22 of /proc/PID/stat: clock ticks since boot; 0 where it is not known */
};

enum owner_state {
    OWNER_ALIVE,   /* for sure, or it has the lock */
    OWNER_GONE,    /* for sure, or there is no file */
    OWNER_UNKNOWN, /* of another host, or the file is not to be understood, or there is no locking */
};

/* Say that this process works under a name. *lock receives a descriptor to be closed when it no longer does. Where
 * there is no locking, it is -1, and a warning is given. OK; MISSING, without a report, if the folder has been removed;
 * or FAILED. No file is left unless it is OK. */
enum folder_verdict owner_sign(const struct folder *folder, const char *name, int *lock);

/* Who works under a name, and does he still? `owner` is zeroed if that is not known. Unless it is alive, *lock receives
 * a descriptor that holds the lock, so that nobody else removes what stands under the name meanwhile; -1 if there is no
 * file or no locking. Nothing is ever reported. */
enum owner_state owner_ask(const struct folder *folder, const char *name, struct owner *owner, int *lock);

/* Nothing stands under the name any more: remove the file, and close what holds the lock, if it is not -1. 0, or -1
 * with errno. */
int owner_leave(const struct folder *folder, const char *name, int lock);

#endif
