/*
 * A draft that is to be removed is renamed to .old-NAME first, in one step, and only then emptied. That settles all
 * races: a draft is renamed either by its own process, and becomes a batch, or by whoever removes it, and then its
 * process fails; and what has begun to lose its files cannot be taken for a batch or a draft any more, also if the
 * removal is interrupted. An .old- folder without a manifest is such an interrupted removal, and anybody goes on with
 * it. As no name is used twice, what stands under one is what stood there before, or nothing.
 *
 * A draft is young while it has no manifest yet that could be locked. So nobody has to be asked who makes it.
 *
 * How readers and removal keep out of each other's way is told in batch.c. The manifest is closed before its folder is
 * removed, since on network file systems an open file would stay there under another name.
 */

#include "store/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "store/batch.h"
#include "system/io.h"
#include "system/sys.h"

enum { DEAD_SECONDS = 3600, ATTEMPTS = 2 };

struct sweep {
    struct store *store;
    struct folder root; /* the store's, but lenient: what fails is none of the run's failures */
    bool all;           /* the user asks for it: also drafts of others, and where nothing can be locked */
    time_t now;         /* by the clock of the store's file system; 0: not looked at yet */
    uint64_t files;     /* that have been removed */
    uint64_t bytes;     /* in the files that have been removed under the last name */
    const char *why;    /* what stands under it stays */
};

static void begin(struct sweep *sweep, struct store *store, bool all)
{
    *sweep = (struct sweep){.store = store, .root = store->folder, .all = all};
    sweep->root.lenient = true;
}

/* The verdict on a call that has just failed. */
static enum folder_verdict fail(struct sweep *sweep)
{
    sweep->why = errno == ENOTEMPTY || errno == EEXIST ? "there are other files in it" : strerror(errno);
    return FOLDER_FAILED;
}

static enum folder_verdict keep(struct sweep *sweep, const char *why)
{
    sweep->why = why;
    return FOLDER_BUSY;
}

/* ---- Ages ---- */

/* OK if it has not been written for so long that who writes it must be dead. The clock is looked at by touching the
 * store's own folder: those of two machines may differ. */
static enum folder_verdict check_age(struct sweep *sweep, const struct stat *status)
{
    struct stat root;

    if (sweep->now == 0) {
        if (sys_touch(sweep->root.fd) != 0 || sys_fstat(sweep->root.fd, &root) != 0)
            return fail(sweep);
        sweep->now = root.st_mtime;
    }
    return status->st_mtime <= sweep->now - DEAD_SECONDS ? FOLDER_OK : keep(sweep, "written less than an hour ago");
}

static enum folder_verdict check_age_of_file(struct sweep *sweep, const struct folder *folder, const char *file)
{
    struct stat status;

    if (sys_stat_at(folder->fd, file, &status) != 0)
        return errno == ENOENT ? FOLDER_OK : fail(sweep);
    return check_age(sweep, &status);
}

/* The folder's own time says when a file has come to it last, and those of the files when they were written. */
static enum folder_verdict check_age_of_draft(struct sweep *sweep, const struct folder *folder)
{
    enum folder_verdict verdict = check_age_of_file(sweep, folder, ".");
    char file[STORE_NAME_PILE_BYTES];

    if (verdict == FOLDER_OK)
        verdict = check_age_of_file(sweep, folder, BATCH_MANIFEST);
    for (unsigned p = 0; p < sweep->store->format.piles && verdict == FOLDER_OK; p++)
        verdict = check_age_of_file(sweep, folder, store_name_of_pile(p, file));
    return verdict;
}

/* ---- Folders ---- */

static enum folder_verdict lock_file(struct sweep *sweep, int fd, const char *use)
{
    if (io_lock(fd, true) == 0)
        return FOLDER_OK;
    if (errno == EWOULDBLOCK)
        return keep(sweep, use);
    if (errno != ENOTSUP)
        return fail(sweep);
    if (sweep->all)
        return FOLDER_OK;
    if (!sweep->store->told_of_locks)
        fault_warn("%s: files cannot be locked there: what is abandoned stays until --sweep",
                   sweep->store->folder.path);
    sweep->store->told_of_locks = true;
    return keep(sweep, use);
}

/* OK if nobody has the manifest locked, nor can lock it from now on, until *fd is closed. If there is none, or what is
 * there is no file, nobody reads it, and *fd is -1. */
static enum folder_verdict lock_manifest(struct sweep *sweep, const struct folder *folder, const char *use, int *fd)
{
    struct stat status;

    *fd = -1;
    if (sys_stat_at(folder->fd, BATCH_MANIFEST, &status) != 0)
        return errno == ENOENT ? FOLDER_OK : fail(sweep);
    if (!S_ISREG(status.st_mode))
        return FOLDER_OK;
    switch (folder_edit_file(folder, BATCH_MANIFEST, false, fd)) { /* NFS locks only what is open for writing */
    case FOLDER_OK:
        return lock_file(sweep, *fd, use);
    case FOLDER_MISSING:
        return FOLDER_OK;
    default:
        return fail(sweep);
    }
}

/* Rename a draft, of which `name` becomes the new name. */
static enum folder_verdict put_away(struct sweep *sweep, char name[STORE_NAME_BYTES])
{
    enum folder_verdict verdict;
    char left[STORE_NAME_BYTES];

    snprintf(left, sizeof left, STORE_NAME_LEFT_PREFIX "%s", name + strlen(STORE_NAME_DRAFT_PREFIX));
    verdict = folder_rename(&sweep->root, name, left);
    if (verdict == FOLDER_OK)
        memcpy(name, left, sizeof left);
    return verdict == FOLDER_OK || verdict == FOLDER_MISSING ? verdict : fail(sweep);
}

static enum folder_verdict unlink_file(struct sweep *sweep, const struct folder *folder, const char *file)
{
    struct stat status;

    if (sys_stat_at(folder->fd, file, &status) != 0)
        return errno == ENOENT ? FOLDER_OK : fail(sweep);
    if (!S_ISREG(status.st_mode))
        return FOLDER_OK;
    if (sys_unlink_at(folder->fd, file) != 0)
        return errno == ENOENT ? FOLDER_OK : fail(sweep);
    sweep->files++;
    sweep->bytes += (uint64_t)status.st_size;
    return FOLDER_OK;
}

/* The piles, then the folder itself. When a run fails, other threads may still make piles of its draft, each once: what
 * comes to be there after it was looked for is found the next time. */
static enum folder_verdict remove_rest(struct sweep *sweep, const struct folder *folder, const char *name)
{
    enum folder_verdict verdict = FOLDER_OK;
    char file[STORE_NAME_PILE_BYTES];
    unsigned in_vain = 0;

    while (in_vain < ATTEMPTS) {
        const uint64_t files = sweep->files;

        for (unsigned p = 0; p < sweep->store->format.piles && verdict == FOLDER_OK; p++)
            verdict = unlink_file(sweep, folder, store_name_of_pile(p, file));
        if (verdict != FOLDER_OK || sys_rmdir_at(sweep->root.fd, name) == 0 || errno == ENOENT)
            return verdict;
        if (errno != ENOTEMPTY && errno != EEXIST)
            break;
        in_vain = sweep->files > files ? 0 : in_vain + 1;
    }
    return fail(sweep);
}

/* What a folder is: a draft of whomever, a batch that has left the store and may still be read, or a draft of this
 * process. Nobody looks at that one any more, but a program that is being started may still have its lock, for the
 * moment until it runs: so the lock is not asked for. */
enum remains { DRAFT, LEFT, OWN };

/* Remove it, under the name that `name` is then. OK; MISSING, if somebody else was faster; BUSY, or FAILED. */
static enum folder_verdict remove_folder(struct sweep *sweep, enum remains what, char name[STORE_NAME_BYTES])
{
    enum folder_verdict verdict;
    struct folder folder;
    int lock = -1;

    verdict = folder_enter(&folder, &sweep->root, name);
    if (verdict != FOLDER_OK)
        return verdict == FOLDER_MISSING ? verdict : fail(sweep);
    if (what == DRAFT)
        verdict = check_age_of_draft(sweep, &folder);
    if (verdict == FOLDER_OK && what != OWN)
        verdict = lock_manifest(sweep, &folder, what == DRAFT ? "being made" : "being read", &lock);
    if (verdict == FOLDER_OK && what == DRAFT)
        verdict = put_away(sweep, name);
    if (verdict == FOLDER_OK)
        verdict = unlink_file(sweep, &folder, BATCH_MANIFEST);
    if (lock >= 0)
        (void)io_close(lock);
    if (verdict == FOLDER_OK)
        verdict = remove_rest(sweep, &folder, name);
    folder_close(&folder);
    return verdict;
}

static void warn(const struct sweep *sweep, const char *name)
{
    fault_warn("%s/%s: cannot be removed: %s", sweep->store->folder.path, name, sweep->why);
}

void sweep_own(struct store *store, const char *name)
{
    char now[STORE_NAME_BYTES];
    struct sweep sweep;

    begin(&sweep, store, false);
    snprintf(now, sizeof now, "%s", name);
    if (put_away(&sweep, now) == FOLDER_FAILED || remove_folder(&sweep, OWN, now) == FOLDER_FAILED)
        warn(&sweep, now);
}

/* ---- Batches that leave ---- */

static void remove_left(struct store *store, const char *name)
{
    char now[STORE_NAME_BYTES];
    struct sweep sweep;

    begin(&sweep, store, false);
    snprintf(now, sizeof now, "%s", name);
    if (remove_folder(&sweep, LEFT, now) == FOLDER_FAILED)
        warn(&sweep, now);
}

/* Let a batch leave the store, and remove its files if nobody reads it. The new name is on disk before the first file
 * is removed, so that no loss of power leaves a part of a batch under the old one. */
static void put_out(struct store *store, const char *batch)
{
    const struct folder *folder = &store->folder;
    char left[STORE_NAME_BYTES];
    enum folder_verdict verdict;

    store_name_make_unused(left, STORE_NAME_LEFT_PREFIX, batch);
    verdict = folder_rename(folder, batch, left);
    if (verdict == FOLDER_EXISTS)
        folder_report(folder, left, EEXIST);
    if (verdict == FOLDER_MISSING)
        return;
    folder_sync(folder);
    remove_left(store, left);
}

void sweep_keep(struct store *store, uint64_t keep, const char *added)
{
    struct folder_names names;
    uint64_t batches = 0;

    store_batches(store, &names);
    for (size_t i = names.count; i-- > 0;)
        if (batch_find(store, names.name[i]) && ++batches > keep && strcmp(names.name[i], added) != 0)
            put_out(store, names.name[i]);
    folder_names_release(&names);
}

/* ---- All that is in the store ---- */

/* Remove what stands under a name, if that is what names of its kind stand for, and is for this sweep; else MISSING. */
static enum folder_verdict remove_one(struct sweep *sweep, enum store_name_kind kind, char name[STORE_NAME_BYTES])
{
    enum folder_verdict verdict;
    struct stat status;

    sweep->bytes = 0;
    if (sys_stat_at(sweep->root.fd, name, &status) != 0)
        return errno == ENOENT ? FOLDER_MISSING : fail(sweep);
    if (!(kind == STORE_NAME_BEGUN ? S_ISREG(status.st_mode) : S_ISDIR(status.st_mode)))
        return FOLDER_MISSING;
    if (!sweep->all && kind != STORE_NAME_LEFT && status.st_uid != sys_user())
        return FOLDER_MISSING;
    if (kind != STORE_NAME_BEGUN)
        return remove_folder(sweep, kind == STORE_NAME_DRAFT ? DRAFT : LEFT, name);
    verdict = check_age(sweep, &status);
    return verdict == FOLDER_OK ? unlink_file(sweep, &sweep->root, name) : verdict;
}

/* `name` is what the store has made, so that it can be printed as it is. */
static void tell(const struct sweep *sweep, enum folder_verdict verdict, const char *name)
{
    char size[32];

    if (verdict == FOLDER_OK)
        printf("removed %s (%s)\n", name, number_format_size(sweep->bytes, size));
    else if (verdict != FOLDER_MISSING)
        printf("kept %s (%s)\n", name, sweep->why);
}

/* Returns false if it can be removed, but was not: `why` says it, and `name` is then what it is called now. */
static bool sweep_one(struct sweep *sweep, const char *name, char now[STORE_NAME_BYTES])
{
    const enum store_name_kind kind = store_name_kind(name);
    enum folder_verdict verdict;

    if (kind == STORE_NAME_OTHER)
        return true;
    snprintf(now, STORE_NAME_BYTES, "%s", name);
    verdict = remove_one(sweep, kind, now);
    if (sweep->all)
        tell(sweep, verdict, verdict == FOLDER_OK ? name : now);
    return verdict != FOLDER_FAILED;
}

void sweep_dead(struct store *store)
{
    struct folder_names names;
    char now[STORE_NAME_BYTES];
    struct sweep sweep;

    begin(&sweep, store, false);
    if (folder_list(&sweep.root, &names) != FOLDER_OK)
        fault_warn("%s: %s", store->folder.path, strerror(errno));
    for (size_t i = 0; i < names.count; i++)
        if (!sweep_one(&sweep, names.name[i], now))
            warn(&sweep, now);
    folder_names_release(&names);
}

/* Goes on behind what cannot be removed, and fails at the end. */
void sweep_all(struct store *store)
{
    char now[STORE_NAME_BYTES], first[STORE_NAME_BYTES];
    struct folder_names names;
    const char *why = NULL;
    struct sweep sweep;

    (void)folder_list(&store->folder, &names);
    begin(&sweep, store, true);
    for (size_t i = 0; i < names.count; i++) {
        if (sweep_one(&sweep, names.name[i], now) || why != NULL)
            continue;
        memcpy(first, now, sizeof first);
        why = sweep.why;
    }
    folder_names_release(&names);
    if (fflush(stdout) != 0 || ferror(stdout))
        fault_report("write error", errno);
    if (why != NULL)
        folder_say(&store->folder, first, "cannot be removed: %s", why);
}
