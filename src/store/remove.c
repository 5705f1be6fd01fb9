/*
 * A folder that is to be removed is renamed to .old-NAME first, in one step, and only then emptied. That settles all
 * races: a draft is renamed either by its own process, and becomes a batch, or by whoever removes it, and then its
 * process fails; and what has begun to lose its files cannot be taken for a batch or a draft any more, also if the
 * removal is interrupted. An .old- folder without a manifest is such an interrupted removal, and anybody goes on with
 * it. As no name is used twice, what stands under one is what stood there before, or nothing.
 *
 * Who owns a draft (owner.h) is asked after the draft has been seen. So if nobody has signed it then, its owner has
 * ended.
 *
 * How readers and removal keep out of each other's way is told in batch.c. No file is kept open while its folder is
 * removed, since on network file systems it would stay there under another name.
 */

#include "store/remove.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "store/batch.h"
#include "system/io.h"
#include "system/sys.h"

void remove_begin(struct removal *removal, struct store *store, bool all)
{
    *removal = (struct removal){.store = store, .root = store->folder, .all = all};
    fault_init(&removal->silent);
    atomic_store(&removal->silent.reported, true);
    removal->root.fault = &removal->silent;
}

void remove_end(struct removal *removal)
{
    if (removal->lacks_locks && !removal->all)
        fault_warn("%s: files cannot be locked there: batches that have left it stay until --sweep",
                   removal->store->folder.path);
    fault_release(&removal->silent);
}

const char *remove_cause(int error)
{
    return error == ENOTEMPTY || error == EEXIST ? "there are other files in it" : strerror(error);
}

static void close_lock(int lock)
{
    int error = errno;

    if (lock >= 0)
        (void)io_close(lock);
    errno = error;
}

void remove_warn(const struct removal *removal, const char *name)
{
    fault_warn("%s/%s: cannot be removed: %s", removal->store->folder.path, name, remove_cause(errno));
}

/* ---- Files ---- */

/* As remove_file, in any folder, and without setting `bytes` to 0 first. */
static int unlink_file(struct removal *removal, const struct folder *folder, const char *file)
{
    struct stat status;

    if (sys_stat_at(folder->fd, file, &status) != 0)
        return errno == ENOENT ? 0 : -1;
    if (!S_ISREG(status.st_mode))
        return 0;
    if (sys_unlink_at(folder->fd, file) != 0)
        return errno == ENOENT ? 0 : -1;
    removal->bytes += (uint64_t)status.st_size;
    return 0;
}

int remove_file(struct removal *removal, const char *name)
{
    removal->bytes = 0;
    return unlink_file(removal, &removal->root, name);
}

/* ---- Batches that have left the store ---- */

/* The piles, then the folder itself. */
static enum remove_outcome remove_rest(struct removal *removal, const struct folder *folder, const char *name)
{
    char file[STORE_NAME_PILE_BYTES];

    for (unsigned p = 0; p < removal->store->format.piles; p++)
        if (unlink_file(removal, folder, store_name_of_pile(p, file)) != 0)
            return REMOVE_STUCK;
    return sys_rmdir_at(removal->root.fd, name) == 0 || errno == ENOENT ? REMOVE_DONE : REMOVE_STUCK;
}

/* REMOVE_DONE if the manifest is locked now, so that nobody can begin to read the batch. */
static enum remove_outcome lock_manifest(struct removal *removal, int fd)
{
    if (io_lock(fd, true) == 0)
        return REMOVE_DONE;
    if (errno == EWOULDBLOCK)
        return REMOVE_READ;
    if (errno != ENOTSUP)
        return REMOVE_STUCK;
    removal->lacks_locks = true;
    return removal->all ? REMOVE_DONE : REMOVE_READ;
}

/* Unlink the manifest, unless somebody reads the batch. */
static enum remove_outcome remove_manifest(struct removal *removal, const struct folder *folder)
{
    enum remove_outcome outcome;
    struct stat status;
    int fd, error;

    if (sys_stat_at(folder->fd, BATCH_MANIFEST, &status) != 0)
        return errno == ENOENT ? REMOVE_DONE : REMOVE_STUCK;
    if (!S_ISREG(status.st_mode)) /* nobody reads that as a manifest */
        return REMOVE_DONE;
    switch (folder_edit_file(folder, BATCH_MANIFEST, false, &fd)) { /* NFS locks only what is open for writing */
    case FOLDER_OK:
        break;
    case FOLDER_MISSING:
        return REMOVE_DONE;
    default:
        return REMOVE_STUCK;
    }
    outcome = lock_manifest(removal, fd);
    if (outcome == REMOVE_DONE && unlink_file(removal, folder, BATCH_MANIFEST) != 0)
        outcome = REMOVE_STUCK;
    error = errno;
    (void)io_close(fd);
    errno = error;
    return outcome;
}

enum remove_outcome remove_batch(struct removal *removal, const char *name)
{
    enum remove_outcome outcome;
    struct folder folder;
    int error;

    removal->bytes = 0;
    switch (folder_enter(&folder, &removal->root, name)) {
    case FOLDER_OK:
        break;
    case FOLDER_MISSING:
        return REMOVE_ABSENT;
    default:
        return REMOVE_STUCK;
    }
    outcome = remove_manifest(removal, &folder);
    if (outcome == REMOVE_DONE)
        outcome = remove_rest(removal, &folder, name);
    error = errno;
    folder_close(&folder);
    errno = error;
    return outcome;
}

/* ---- Drafts ---- */

/* Remove a draft on which nobody works, or only this process. `lock`, which holds the lock of its owner's file, is
 * closed. `name` becomes the name under which the draft stands, or has stood last. */
static enum remove_outcome empty_draft(struct removal *removal, char name[STORE_NAME_BYTES], int lock)
{
    enum folder_verdict verdict;
    char left[STORE_NAME_BYTES];
    bool was_signed;

    snprintf(left, sizeof left, STORE_NAME_LEFT_PREFIX "%s", name + strlen(STORE_NAME_DRAFT_PREFIX));
    verdict = folder_rename(&removal->root, name, left);
    if (verdict == FOLDER_OK || verdict == FOLDER_MISSING) {
        was_signed = owner_leave(&removal->root, name, lock) == 0;
        if (!was_signed && errno != ENOENT)
            return REMOVE_STUCK;
        if (verdict == FOLDER_MISSING)
            return was_signed ? REMOVE_DONE : REMOVE_ABSENT;
        memcpy(name, left, sizeof left);
        return remove_batch(removal, name);
    }
    close_lock(lock);
    return REMOVE_STUCK;
}

enum remove_outcome remove_draft(struct removal *removal, char name[STORE_NAME_BYTES], struct owner *owner)
{
    enum owner_state state;
    int lock;

    removal->bytes = 0;
    state = owner_ask(&removal->root, name, owner, &lock);
    if (state == OWNER_GONE || (state == OWNER_UNKNOWN && removal->all))
        return empty_draft(removal, name, lock);
    close_lock(lock);
    return REMOVE_ALIVE;
}

void remove_own_draft(struct store *store, const char *name, int lock)
{
    char now[STORE_NAME_BYTES];
    struct removal removal;

    snprintf(now, sizeof now, "%s", name);
    remove_begin(&removal, store, false);
    if (empty_draft(&removal, now, lock) == REMOVE_STUCK)
        remove_warn(&removal, now);
    remove_end(&removal);
}
