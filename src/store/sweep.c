/*
 * A draft that is to be removed is renamed to .old-NAME first, in one step, and only then emptied. That settles all
 * races: a draft is renamed either by its own process, and becomes a batch, or by whoever removes it, and then its
 * process fails; and what has begun to lose its files cannot be taken for a batch or a draft any more, also if the
 * removal is interrupted. An .old- folder without a manifest is such an interrupted removal, and anybody goes on with
 * it. As no name is used twice, what stands under one is what stood there before, or nothing.
 *
 * Who makes a draft writes a byte to its manifest when it has the lock: without that, its maker may be about to lock
 * it. What other machines have locked may not show here.
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

/* What has become of a name, or what is to become of it when nothing speaks against that. */
enum fate {
    REMOVED,
    GONE,   /* somebody else was faster */
    KEPT,   /* sweep->why */
    FAILED, /* sweep->error */
};

struct sweep {
    struct store *store;
    bool all;                    /* the user asks for it: also drafts of others, and where nothing can be locked */
    time_t now;                  /* by the clock of the store's file system; 0: not looked at yet */
    char name[STORE_NAME_BYTES]; /* what is to go, as it is called now */
    uint64_t bytes;              /* in those of its files that have been removed */
    const char *why;
    int error;
};

static enum fate keep_back(struct sweep *sweep, const char *why)
{
    sweep->why = why;
    return KEPT;
}

/* What an errno means here; 0 is none. */
static enum fate fate_of(struct sweep *sweep, int error)
{
    sweep->error = error;
    return error == 0 ? REMOVED : error == ENOENT ? GONE : FAILED;
}

static const char *cause(const struct sweep *sweep, enum fate fate)
{
    if (fate == KEPT)
        return sweep->why;
    return sweep->error == ENOTEMPTY || sweep->error == EEXIST ? "there are other files in it" : strerror(sweep->error);
}

/* ---- Ages ---- */

/* See whether it has not been written for so long that its writer must be dead. The clock is looked at by touching the
 * store's own folder: those of two machines may differ. */
static enum fate check_age(struct sweep *sweep, const struct stat *status)
{
    const int root = sweep->store->folder.fd;
    struct stat touched;

    if (sweep->now == 0) {
        if (sys_touch(root) != 0 || sys_fstat(root, &touched) != 0)
            return fate_of(sweep, errno);
        sweep->now = touched.st_mtime;
    }
    return status->st_mtime <= sweep->now - DEAD_SECONDS
               ? REMOVED
               : keep_back(sweep, "written less than an hour ago; if its task is dead, remove it by hand");
}

static enum fate check_age_of_file(struct sweep *sweep, const struct folder *folder, const char *file)
{
    struct stat status;

    if (sys_stat_at(folder->fd, file, &status) != 0)
        return errno == ENOENT ? REMOVED : fate_of(sweep, errno);
    return check_age(sweep, &status);
}

/* The folder's own time says when a file has come to it last, and those of the files when they were written. */
static enum fate check_age_of_draft(struct sweep *sweep, const struct folder *folder)
{
    enum fate fate = check_age_of_file(sweep, folder, ".");
    char file[STORE_NAME_PILE_BYTES];

    if (fate == REMOVED)
        fate = check_age_of_file(sweep, folder, BATCH_MANIFEST);
    for (unsigned p = 0; p < sweep->store->format.piles && fate == REMOVED; p++)
        fate = check_age_of_file(sweep, folder, store_name_of_pile(p, file));
    if (fate == KEPT)
        memcpy(sweep->store->young, sweep->name, sizeof sweep->name);
    return fate;
}

/* ---- Folders ---- */

/* Has its maker, of this machine, had the lock? */
static bool was_locked_here(const struct sweep *sweep, const struct folder *folder)
{
    struct stat status;

    return store_name_is_local(sweep->name) && sys_stat_at(folder->fd, BATCH_MANIFEST, &status) == 0 &&
           status.st_size > 0;
}

/* See that nobody has the manifest locked, nor can lock it from now on, until *fd is closed. If there is none, or what
 * is there is no file, nobody reads it, and *fd is -1. Where nothing can be locked, the age of a draft decides. */
static enum fate lock_manifest(struct sweep *sweep, const struct folder *folder, bool is_draft, int *fd)
{
    const int error =
        folder_open_file(folder, BATCH_MANIFEST, O_RDWR, fd); /* NFS locks only what is open for writing */

    if (error != 0)
        return error == ENOENT || error == FOLDER_NOT_REGULAR ? REMOVED : fate_of(sweep, error);
    if (io_lock(*fd, true) == 0)
        return REMOVED;
    if (errno == EWOULDBLOCK)
        return keep_back(sweep, is_draft ? "being made" : "being read");
    if (errno != ENOTSUP)
        return fate_of(sweep, errno);
    if (sweep->all)
        return is_draft ? check_age_of_draft(sweep, folder) : REMOVED;
    if (!sweep->store->told_of_locks)
        fault_warn("%s: files cannot be locked there: what is abandoned stays until --sweep",
                   sweep->store->folder.path);
    sweep->store->told_of_locks = true;
    return keep_back(sweep, "nothing can be locked");
}

/* Give a draft the name of what has left the store. */
static enum fate put_away(struct sweep *sweep)
{
    char old[STORE_NAME_BYTES];
    enum fate fate;

    store_name_make_old(old, sweep->name);
    fate = fate_of(sweep, folder_rename(&sweep->store->folder, sweep->name, old));
    if (fate == REMOVED)
        memcpy(sweep->name, old, sizeof old);
    return fate;
}

/* What is no file stays, and is found when the folder cannot be removed. */
static enum fate unlink_file(struct sweep *sweep, const struct folder *folder, const char *file)
{
    struct stat status;

    if (sys_stat_at(folder->fd, file, &status) != 0)
        return errno == ENOENT ? REMOVED : fate_of(sweep, errno);
    if (!S_ISREG(status.st_mode))
        return REMOVED;
    if (sys_unlink_at(folder->fd, file) != 0)
        return errno == ENOENT ? REMOVED : fate_of(sweep, errno);
    sweep->bytes += (uint64_t)status.st_size;
    return REMOVED;
}

/* The piles, then the folder itself. */
static enum fate remove_rest(struct sweep *sweep, const struct folder *folder)
{
    char file[STORE_NAME_PILE_BYTES];
    enum fate fate = REMOVED;

    for (unsigned p = 0; p < sweep->store->format.piles && fate == REMOVED; p++)
        fate = unlink_file(sweep, folder, store_name_of_pile(p, file));
    if (fate == REMOVED && sys_rmdir_at(sweep->store->folder.fd, sweep->name) != 0 && errno != ENOENT)
        fate = fate_of(sweep, errno);
    return fate;
}

/* A draft, or what has left the store and may still be read. */
static enum fate remove_folder(struct sweep *sweep, bool is_draft)
{
    struct folder folder;
    int lock = -1;
    enum fate fate = fate_of(sweep, folder_enter(&folder, &sweep->store->folder, sweep->name));

    if (fate == REMOVED && is_draft && !was_locked_here(sweep, &folder))
        fate = check_age_of_draft(sweep, &folder);
    if (fate == REMOVED)
        fate = lock_manifest(sweep, &folder, is_draft, &lock);
    if (fate == REMOVED && is_draft)
        fate = put_away(sweep);
    if (fate == REMOVED)
        fate = unlink_file(sweep, &folder, BATCH_MANIFEST);
    if (lock >= 0)
        (void)io_close(lock);
    if (fate == REMOVED)
        fate = remove_rest(sweep, &folder);
    folder_close(&folder);
    return fate;
}

/* What could not be removed is worth a warning, if nobody has it. */
static void warn(const struct sweep *sweep, enum fate fate)
{
    if (fate == FAILED)
        fault_warn("%s/%s: cannot be removed: %s", sweep->store->folder.path, sweep->name, cause(sweep, fate));
}

/* ---- Batches that leave ---- */

/* Let a batch leave the store, and remove its files if nobody reads it. The new name is on disk before the first file
 * is removed, so that no loss of power leaves a part of a batch under the old one. */
static void put_out(struct store *store, const char *batch)
{
    struct sweep sweep = {.store = store};
    char old[STORE_NAME_BYTES];
    enum fate fate;

    snprintf(sweep.name, sizeof sweep.name, "%s", batch);
    store_name_make_unused(old, STORE_NAME_LEFT_PREFIX, batch);
    fate = fate_of(&sweep, folder_rename(&store->folder, batch, old));
    if (fate == REMOVED) {
        folder_sync(&store->folder);
        memcpy(sweep.name, old, sizeof old);
        fate = remove_folder(&sweep, false);
    }
    warn(&sweep, fate);
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
 * else it is as if it were GONE. */
static enum fate remove_one(struct sweep *sweep, enum store_name_kind kind)
{
    const struct folder *root = &sweep->store->folder;
    struct stat status;
    enum fate fate;

    if (sys_stat_at(root->fd, sweep->name, &status) != 0)
        return fate_of(sweep, errno);
    if (!(kind == STORE_NAME_BEGUN ? S_ISREG(status.st_mode) : S_ISDIR(status.st_mode)))
        return GONE;
    if (!sweep->all && kind != STORE_NAME_LEFT && status.st_uid != sys_user())
        return GONE;
    if (kind != STORE_NAME_BEGUN)
        return remove_folder(sweep, kind == STORE_NAME_DRAFT);
    fate = check_age(sweep, &status);
    return fate == REMOVED ? unlink_file(sweep, root, sweep->name) : fate;
}

/* The sweep goes on to a name. Names of kinds that can be removed are what the store has made, so that they can be
 * printed as they are. */
static enum fate sweep_one(struct sweep *sweep, const char *name)
{
    const enum store_name_kind kind = store_name_kind(name);
    char size[32];
    enum fate fate;

    if (kind == STORE_NAME_OTHER)
        return GONE;
    snprintf(sweep->name, sizeof sweep->name, "%s", name);
    sweep->bytes = 0;
    fate = remove_one(sweep, kind);
    if (sweep->all && fate == REMOVED)
        standard_print("removed %s (%s)\n", name, number_format_size(sweep->bytes, size));
    else if (sweep->all && fate != GONE)
        standard_print("kept %s (%s)\n", sweep->name, cause(sweep, fate));
    return fate;
}

void sweep_dead(struct store *store)
{
    struct sweep sweep = {.store = store};
    struct folder_names names;

    folder_list(&store->folder, &names);
    for (size_t i = 0; i < names.count; i++)
        warn(&sweep, sweep_one(&sweep, names.name[i]));
    folder_names_release(&names);
}

/* Goes on after what cannot be removed, and fails at the end. */
void sweep_all(struct store *store)
{
    struct sweep sweep = {.store = store, .all = true}, failed = {.error = 0};
    struct folder_names names;

    folder_list(&store->folder, &names);
    for (size_t i = 0; i < names.count; i++)
        if (sweep_one(&sweep, names.name[i]) == FAILED && failed.error == 0)
            failed = sweep;
    folder_names_release(&names);
    if (failed.error != 0)
        folder_say(&store->folder, failed.name, "cannot be removed: %s", cause(&failed, FAILED));
}

const char *sweep_advice(const struct store *store, char text[SWEEP_ADVICE_BYTES])
{
    text[0] = '\0';
    if (store->young[0] != '\0')
        snprintf(text, SWEEP_ADVICE_BYTES, "; it has %s: if the task that made it is dead, remove it by hand",
                 store->young);
    return text;
}
