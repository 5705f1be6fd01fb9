/*
 * A draft that was locked and is no longer cannot become a batch: only its maker knew its name. Locks of other machines
 * may not show here, so such drafts must be old, too. The maker may have died when the file had both names: then it is
 * a batch, and only the draft's name is removed, without a lock that would disturb readers.
 *
 * A batch that leaves is renamed first, in one step, so that no new reader finds it. batch.c tells how readers and
 * removal keep out of each other's way.
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

/* What has become of a file, or REMOVED as long as nothing speaks against that. */
enum fate {
    REMOVED,
    GONE,   /* another process was faster */
    KEPT,   /* sweep->why */
    FAILED, /* sweep->error */
};

struct sweep {
    struct store *store;
    bool all;                    /* also drafts of others, and where files cannot be locked */
    time_t now;                  /* by the clock of the store's file system; 0: not looked at yet */
    char name[STORE_NAME_BYTES]; /* the file to be removed */
    const char *why;
    int error;
};

static enum fate keep_back(struct sweep *sweep, const char *why)
{
    sweep->why = why;
    return KEPT;
}

/* What an errno, or 0, means here. */
static enum fate fate_of(struct sweep *sweep, int error)
{
    sweep->error = error;
    return error == 0 ? REMOVED : error == ENOENT ? GONE : FAILED;
}

/* Has the file not been written for so long that its writer must be dead? The time comes from touching the store's own
 * folder, since clocks of two machines may differ. */
static enum fate check_age(struct sweep *sweep, const struct stat *status)
{
    const int root = sweep->store->folder.fd;
    struct stat touched;

    if (sweep->now == 0) {
        if (sys_touch(root) != 0 || sys_fstat(root, &touched) != 0)
            return fate_of(sweep, errno);
        sweep->now = touched.st_mtime;
    }
    if (status->st_mtime <= sweep->now - DEAD_SECONDS)
        return REMOVED;
    memcpy(sweep->store->young, sweep->name, sizeof sweep->name);
    return keep_back(sweep, "written less than an hour ago; if its task is dead, remove it by hand");
}

/* ---- Files ---- */

/* Lock the file exclusively, until it is closed, if nobody has it locked. Where nothing can be locked, the age of a
 * draft decides. */
static enum fate lock(struct sweep *sweep, int fd, const struct stat *status, bool is_draft)
{
    if (io_lock(fd, true) == 0)
        return REMOVED;
    if (errno == EWOULDBLOCK)
        return keep_back(sweep, is_draft ? "being made" : "being read");
    if (errno != ENOTSUP)
        return fate_of(sweep, errno);
    if (sweep->all)
        return is_draft ? check_age(sweep, status) : REMOVED;
    if (!sweep->store->told_of_locks)
        fault_warn("%s: files cannot be locked there: what is abandoned stays until --sweep",
                   sweep->store->folder.path);
    sweep->store->told_of_locks = true;
    return keep_back(sweep, "nothing can be locked");
}

/* Remove a draft, or a batch that has left the store, unless it may still be read. */
static enum fate remove_file(struct sweep *sweep, bool is_draft, const char *base)
{
    const struct folder *root = &sweep->store->folder;
    struct stat status, named;
    enum fate fate = REMOVED;
    int fd;
    const int error = folder_open_file(root, sweep->name, O_RDWR, &fd); /* NFS locks only files open for writing */

    if (error != 0)
        return error == FOLDER_NOT_REGULAR ? GONE : fate_of(sweep, error);
    if (sys_fstat(fd, &status) != 0) {
        fate = fate_of(sweep, errno);
    } else if (!is_draft || sys_stat_at(root->fd, base, &named) != 0 || !io_same_file(&status, &named)) {
        if (is_draft && (!store_name_is_local(sweep->name) || status.st_size == 0))
            fate = check_age(sweep, &status);
        if (fate == REMOVED)
            fate = lock(sweep, fd, &status, is_draft);
    }
    if (fate == REMOVED)
        fate = fate_of(sweep, sys_unlink_at(root->fd, sweep->name) == 0 ? 0 : errno);
    (void)io_close(fd);
    return fate;
}

/* Warn of a file that could not be removed, unless somebody uses it. */
static void warn(const struct sweep *sweep, enum fate fate)
{
    if (fate == FAILED)
        fault_warn("%s/%s: cannot be removed: %s", sweep->store->folder.path, sweep->name, strerror(sweep->error));
}

/* ---- Batches that leave ---- */

/* Let a batch leave the store, and remove it if nobody reads it. */
static void put_out(struct store *store, const char *batch)
{
    struct sweep sweep = {.store = store};
    char old[STORE_NAME_BYTES];
    enum fate fate;

    snprintf(sweep.name, sizeof sweep.name, "%s", batch);
    store_name_make_unused(old, STORE_NAME_LEFT_PREFIX, batch);
    fate = fate_of(&sweep, folder_rename(&store->folder, batch, old));
    if (fate == REMOVED) {
        memcpy(sweep.name, old, sizeof old);
        fate = remove_file(&sweep, false, batch);
    }
    warn(&sweep, fate);
}

/* A file that is no batch ends the run. */
void sweep_keep(struct store *store, uint64_t keep, const char *added)
{
    struct folder_names names;
    uint64_t batches = 0;

    store_batches(store, &names);
    for (size_t i = names.count; i-- > 0;) {
        struct manifest manifest;
        struct batch batch;

        if (!batch_open(&batch, store, names.name[i], &manifest))
            continue;
        manifest_release(&manifest);
        batch_close(&batch);
        if (++batches <= keep)
            continue;
        if (strcmp(names.name[i], added) != 0)
            put_out(store, names.name[i]);
        else
            fault_warn("%s: the batch %s is kept, but not the last by name; name batches so that they sort, as day08 "
                       "and day12",
                       store->folder.path, added);
    }
    folder_names_release(&names);
}

/* ---- All that is in the store ---- */

/* Sweep one name. GONE if this sweep does not remove files of its kind. Names of these kinds are the store's own, so
 * they can be printed as they are. */
static enum fate sweep_one(struct sweep *sweep, const char *name)
{
    char base[STORE_NAME_MAX + 1], size[32];
    const enum store_name_kind kind = store_name_kind(name, base);
    struct stat status;
    enum fate fate;

    if (kind == STORE_NAME_OTHER)
        return GONE;
    snprintf(sweep->name, sizeof sweep->name, "%s", name);
    if (sys_stat_at(sweep->store->folder.fd, name, &status) != 0)
        return fate_of(sweep, errno);
    if (!sweep->all && kind == STORE_NAME_DRAFT && status.st_uid != sys_user())
        return GONE;
    fate = remove_file(sweep, kind == STORE_NAME_DRAFT, base);
    if (sweep->all && fate == REMOVED)
        standard_print("removed %s (%s)\n", name, number_format_size((uint64_t)status.st_size, size));
    else if (sweep->all && fate != GONE)
        standard_print("kept %s (%s)\n", name, fate == KEPT ? sweep->why : strerror(sweep->error));
    return fate;
}

/* Goes on after a file that cannot be removed, and with `all` fails at the end. */
void sweep_store(struct store *store, bool all)
{
    struct sweep sweep = {.store = store, .all = all}, failed = {.error = 0};
    struct folder_names names;

    folder_list(&store->folder, &names);
    for (size_t i = 0; i < names.count; i++) {
        const enum fate fate = sweep_one(&sweep, names.name[i]);

        if (!all)
            warn(&sweep, fate);
        else if (fate == FAILED && failed.error == 0)
            failed = sweep;
    }
    folder_names_release(&names);
    if (failed.error != 0)
        folder_say(&store->folder, failed.name, "cannot be removed: %s", strerror(failed.error));
}
