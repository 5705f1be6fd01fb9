/*
 * A draft that is to be removed is renamed to .old-NAME first, in one step, and only then emptied. That settles all
 * races: a draft is renamed either by its own process, and becomes a batch, or by whoever removes it, and then its
 * process fails; and what has begun to lose its files cannot be taken for a batch or a draft any more, also if the
 * removal is interrupted. An .old- folder without a manifest is such an interrupted removal, and anybody goes on with
 * it. As no name is used twice, what stands under one is what stood there before, or nothing.
 *
 * A draft is young while it has no manifest yet that could be locked. So its maker need not be known.
 *
 * How readers and removal keep out of each other's way is told in batch.c. The manifest is closed before its folder is
 * removed, since on network file systems an open file would stay there under another name.
 */

#include "store/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "store/batch.h"
#include "system/io.h"
#include "system/standard.h"
#include "system/sys.h"

enum { DEAD_SECONDS = 3600 };

/* Functions return 0 if they could do it, ENOENT if somebody else was faster, KEPT, or the errno of what failed. */
enum { KEPT = -2 };

struct sweep {
    struct store *store;
    bool all;                    /* the user asks for it: also drafts of others, and where nothing can be locked */
    time_t now;                  /* by the clock of the store's file system; 0: not looked at yet */
    uint64_t files;              /* that have been removed */
    char name[STORE_NAME_BYTES]; /* what is to go, as it is called now */
    uint64_t bytes;              /* in those of its files that have been removed */
    const char *why;             /* it is KEPT */
};

static struct sweep begin(struct store *store, bool all, const char *name)
{
    struct sweep sweep = {.store = store, .all = all};

    snprintf(sweep.name, sizeof sweep.name, "%s", name);
    return sweep;
}

static int keep(struct sweep *sweep, const char *why)
{
    sweep->why = why;
    return KEPT;
}

static const char *cause(const struct sweep *sweep, int error)
{
    if (error == KEPT)
        return sweep->why;
    return error == ENOTEMPTY || error == EEXIST ? "there are other files in it" : strerror(error);
}

/* ---- Ages ---- */

/* See whether it has not been written for so long that its writer must be dead. The clock is looked at by touching the
 * store's own folder: those of two machines may differ. */
static int check_age(struct sweep *sweep, const struct stat *status)
{
    const int root = sweep->store->folder.fd;
    struct stat touched;

    if (sweep->now == 0) {
        if (sys_touch(root) != 0 || sys_fstat(root, &touched) != 0)
            return errno;
        sweep->now = touched.st_mtime;
    }
    return status->st_mtime <= sweep->now - DEAD_SECONDS ? 0 : keep(sweep, "written less than an hour ago");
}

static int check_age_of_file(struct sweep *sweep, const struct folder *folder, const char *file)
{
    struct stat status;

    if (sys_stat_at(folder->fd, file, &status) != 0)
        return errno == ENOENT ? 0 : errno;
    return check_age(sweep, &status);
}

/* The folder's own time says when a file has come to it last, and those of the files when they were written. */
static int check_age_of_draft(struct sweep *sweep, const struct folder *folder)
{
    int error = check_age_of_file(sweep, folder, ".");
    char file[STORE_NAME_PILE_BYTES];

    if (error == 0)
        error = check_age_of_file(sweep, folder, BATCH_MANIFEST);
    for (unsigned p = 0; p < sweep->store->format.piles && error == 0; p++)
        error = check_age_of_file(sweep, folder, store_name_of_pile(p, file));
    return error;
}

/* ---- Folders ---- */

/* See that nobody has the manifest locked, nor can lock it from now on, until *fd is closed. If there is none, or what
 * is there is no file, nobody reads it, and *fd is -1. */
static int lock_manifest(struct sweep *sweep, const struct folder *folder, const char *use, int *fd)
{
    const int error =
        folder_open_file(folder, BATCH_MANIFEST, O_RDWR, fd); /* NFS locks only what is open for writing */

    if (error != 0)
        return error == ENOENT || error == FOLDER_NOT_REGULAR ? 0 : error;
    if (io_lock(*fd, true) == 0)
        return 0;
    if (errno == EWOULDBLOCK)
        return keep(sweep, use);
    if (errno != ENOTSUP)
        return errno;
    if (sweep->all)
        return 0;
    if (!sweep->store->told_of_locks)
        fault_warn("%s: files cannot be locked there: what is abandoned stays until --sweep",
                   sweep->store->folder.path);
    sweep->store->told_of_locks = true;
    return keep(sweep, use);
}

/* Give a draft the name of what has left the store. */
static int put_away(struct sweep *sweep)
{
    char left[STORE_NAME_BYTES];
    int error;

    snprintf(left, sizeof left, STORE_NAME_LEFT_PREFIX "%s", sweep->name + strlen(STORE_NAME_DRAFT_PREFIX));
    error = folder_rename(&sweep->store->folder, sweep->name, left);
    if (error == 0)
        memcpy(sweep->name, left, sizeof left);
    return error;
}

static int unlink_file(struct sweep *sweep, const struct folder *folder, const char *file)
{
    struct stat status;

    if (sys_stat_at(folder->fd, file, &status) != 0)
        return errno == ENOENT ? 0 : errno;
    if (!S_ISREG(status.st_mode))
        return 0;
    if (sys_unlink_at(folder->fd, file) != 0)
        return errno == ENOENT ? 0 : errno;
    sweep->files++;
    sweep->bytes += (uint64_t)status.st_size;
    return 0;
}

/* The piles, then the folder itself. When a run fails, other threads may still make piles of its draft, each once: so
 * this is done again as long as it finds any. */
static int remove_rest(struct sweep *sweep, const struct folder *folder)
{
    char file[STORE_NAME_PILE_BYTES];
    uint64_t before, now = 0;
    int error = 0;

    do {
        for (unsigned p = 0; p < sweep->store->format.piles && error == 0; p++)
            error = unlink_file(sweep, folder, store_name_of_pile(p, file));
        if (error != 0 || sys_rmdir_at(sweep->store->folder.fd, sweep->name) == 0 || errno == ENOENT)
            return error;
        before = now;
        now = sweep->files;
    } while ((errno == ENOTEMPTY || errno == EEXIST) && now > before);
    return errno;
}

/* What a folder is: anybody's draft, a batch that has left the store and may still be read, or a draft of this process.
 * Nobody uses this last one any more, but a program that is just starting may still have its lock for a moment: so its
 * lock is not checked. */
enum remains { DRAFT, LEFT, OWN };

static int remove_folder(struct sweep *sweep, enum remains what)
{
    struct folder folder;
    int lock = -1;
    int error = folder_enter(&folder, &sweep->store->folder, sweep->name);

    if (error == 0 && what == DRAFT)
        error = check_age_of_draft(sweep, &folder);
    if (error == 0 && what != OWN)
        error = lock_manifest(sweep, &folder, what == DRAFT ? "being made" : "being read", &lock);
    if (error == 0 && what != LEFT)
        error = put_away(sweep);
    if (error == 0)
        error = unlink_file(sweep, &folder, BATCH_MANIFEST);
    if (lock >= 0)
        (void)io_close(lock);
    if (error == 0)
        error = remove_rest(sweep, &folder);
    folder_close(&folder);
    return error;
}

/* What could not be removed is worth a warning, if nobody has it. */
static void warn(const struct sweep *sweep, int error)
{
    if (error != 0 && error != ENOENT && error != KEPT)
        fault_warn("%s/%s: cannot be removed: %s", sweep->store->folder.path, sweep->name, cause(sweep, error));
}

void sweep_own(struct store *store, const char *name)
{
    struct sweep sweep = begin(store, false, name);

    warn(&sweep, remove_folder(&sweep, OWN));
}

/* ---- Batches that leave ---- */

/* Let a batch leave the store, and remove its files if nobody reads it. The new name is on disk before the first file
 * is removed, so that no loss of power leaves a part of a batch under the old one. */
static void put_out(struct store *store, const char *batch)
{
    char left[STORE_NAME_BYTES];
    struct sweep sweep;
    int error;

    store_name_make_unused(left, STORE_NAME_LEFT_PREFIX, batch);
    error = folder_rename(&store->folder, batch, left);
    if (error == ENOENT)
        return;
    if (error != 0)
        folder_report(&store->folder, batch, error);
    folder_sync(&store->folder);
    sweep = begin(store, false, left);
    warn(&sweep, remove_folder(&sweep, LEFT));
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

/* Remove the folder or file of this name, if it is of the kind that the name says, and if this sweep removes that kind;
 * else ENOENT. */
static int remove_one(struct sweep *sweep, enum store_name_kind kind)
{
    const struct folder *root = &sweep->store->folder;
    struct stat status;
    int error;

    if (sys_stat_at(root->fd, sweep->name, &status) != 0)
        return errno;
    if (!(kind == STORE_NAME_BEGUN ? S_ISREG(status.st_mode) : S_ISDIR(status.st_mode)))
        return ENOENT;
    if (!sweep->all && kind != STORE_NAME_LEFT && status.st_uid != sys_user())
        return ENOENT;
    if (kind != STORE_NAME_BEGUN)
        return remove_folder(sweep, kind == STORE_NAME_DRAFT ? DRAFT : LEFT);
    error = check_age(sweep, &status);
    return error == 0 ? unlink_file(sweep, root, sweep->name) : error;
}

/* The sweep goes on to a name. Names of kinds that can be removed are what the store has made, so that they can be
 * printed as they are. */
static int sweep_one(struct sweep *sweep, const char *name)
{
    const enum store_name_kind kind = store_name_kind(name);
    char size[32];
    int error;

    if (kind == STORE_NAME_OTHER)
        return 0;
    snprintf(sweep->name, sizeof sweep->name, "%s", name);
    sweep->bytes = 0;
    error = remove_one(sweep, kind);
    if (sweep->all && error == 0)
        standard_print("removed %s (%s)\n", name, number_format_size(sweep->bytes, size));
    else if (sweep->all && error != ENOENT)
        standard_print("kept %s (%s)\n", sweep->name, cause(sweep, error));
    return error;
}

void sweep_dead(struct store *store)
{
    struct sweep sweep = begin(store, false, "");
    struct folder_names names;

    folder_list(&store->folder, &names);
    for (size_t i = 0; i < names.count; i++)
        warn(&sweep, sweep_one(&sweep, names.name[i]));
    folder_names_release(&names);
}

/* Goes on behind what cannot be removed, and fails at the end. */
void sweep_all(struct store *store)
{
    struct sweep sweep = begin(store, true, ""), failed;
    struct folder_names names;
    int first = 0;

    folder_list(&store->folder, &names);
    for (size_t i = 0; i < names.count; i++) {
        const int error = sweep_one(&sweep, names.name[i]);

        if (first != 0 || error == 0 || error == ENOENT || error == KEPT)
            continue;
        first = error;
        failed = sweep;
    }
    folder_names_release(&names);
    if (first != 0)
        folder_say(&store->folder, failed.name, "cannot be removed: %s", cause(&failed, first));
}
