/*
 * Whatever is to be removed is renamed to .old-NAME first, in one step, and only then emptied. That settles all races:
 * a draft is either renamed by its own process, and is a batch, or by whoever sweeps it, and its process fails; and
 * what has begun to lose its files cannot be taken for a batch or a draft any more, also if the sweep itself is killed.
 * An .old- folder without a manifest is such a removal that was interrupted, and anybody goes on with it. As no name is
 * used twice, what stands under one is what stood there before, or nothing.
 *
 * A draft's owner (owner.h) is asked after the draft has been seen: so if there is none, it is gone.
 *
 * The way of readers past this is told in batch.c. No file is kept open while its folder is removed, since on network
 * file systems it would stay there under another name.
 */

#include "store/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "store/batch.h"
#include "system/io.h"
#include "system/sys.h"

#define SWEEP_LEFT ".old-"

enum outcome {
    REMOVED,
    ABSENT, /* somebody else was faster, or it is no folder */
    ALIVE,  /* its owner is alive, or may be */
    READ,   /* it is being read, or may be */
    STUCK,  /* errno says why */
};

/* One sweep. Failures are none of the run: what goes wrong in `root` is not reported, but found in errno. */
struct sweep {
    struct store *store;
    struct folder root; /* the store's, but silent */
    struct fault silent;
    bool all; /* the user says so: also what may be alive or being read */
    bool lacks_locks;
    uint64_t bytes; /* that the files had which were removed last */
};

static void begin(struct sweep *sweep, struct store *store, bool all)
{
    *sweep = (struct sweep){.store = store, .root = store->folder, .all = all};
    fault_init(&sweep->silent);
    atomic_store(&sweep->silent.reported, true);
    sweep->root.fault = &sweep->silent;
}

static void end(struct sweep *sweep)
{
    if (sweep->lacks_locks && !sweep->all)
        fault_warn("%s: files cannot be locked there: batches that have left it stay until --sweep",
                   sweep->store->folder.path);
    fault_release(&sweep->silent);
}

static const char *cause(int error)
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

static void warn(const struct sweep *sweep, const char *name)
{
    fault_warn("%s/%s: cannot be removed: %s", sweep->store->folder.path, name, cause(errno));
}

/* ---- Names ---- */

int sweep_name(char name[SWEEP_NAME_BYTES], const char *prefix, const char *batch)
{
    uint64_t number;

    if (sys_random(&number, sizeof number) != 0)
        return -1;
    snprintf(name, SWEEP_NAME_BYTES, "%s%s~%016" PRIx64, prefix, batch, number);
    return 0;
}

/* Has the name this prefix and then that of a batch? If so, returns what follows it; else NULL. */
static const char *skip_batch(const char *name, const char *prefix)
{
    char batch[STORE_NAME_MAX + 1];
    size_t length;

    if (strncmp(name, prefix, strlen(prefix)) != 0)
        return NULL;
    name += strlen(prefix);
    length = strcspn(name, "~");
    if (length > STORE_NAME_MAX)
        return NULL;
    memcpy(batch, name, length);
    batch[length] = '\0';
    return store_is_name(batch) ? name + length : NULL;
}

/* Is it what sweep_name puts behind a batch's name, and then `suffix`? */
static bool is_number(const char *rest, const char *suffix)
{
    enum { DIGITS = 16 };

    return *rest == '~' && strspn(rest + 1, "0123456789abcdef") == DIGITS && strcmp(rest + 1 + DIGITS, suffix) == 0;
}

/* What stands in a store under names that are this module's. */
enum kind {
    OTHER,
    DRAFT,
    SIGNATURE, /* of a draft's owner */
    BEGUN,     /* that and the store's files before they have their names */
    LEFT,
};

static enum kind find_kind(const char *name)
{
    const char *rest = skip_batch(name, SWEEP_DRAFT);

    if (store_is_temporary(name))
        return BEGUN;
    if (rest != NULL && is_number(rest, ""))
        return DRAFT;
    if (rest != NULL && is_number(rest, OWNER_SUFFIX))
        return SIGNATURE;
    if (rest != NULL && is_number(rest, OWNER_BEGUN_SUFFIX))
        return BEGUN;
    rest = skip_batch(name, SWEEP_LEFT);
    return rest != NULL && (*rest == '\0' || is_number(rest, "")) ? LEFT : OTHER; /* users rename to .old-NAME */
}

/* ---- Batches that left the store ---- */

/* Unlink a regular file; what is anything else is not the store's. That it is missing is well. 0, or -1 with errno. */
static int unlink_file(struct sweep *sweep, const struct folder *folder, const char *file)
{
    struct stat status;

    if (sys_stat_at(folder->fd, file, &status) != 0)
        return errno == ENOENT ? 0 : -1;
    if (!S_ISREG(status.st_mode))
        return 0;
    if (sys_unlink_at(folder->fd, file) != 0)
        return errno == ENOENT ? 0 : -1;
    sweep->bytes += (uint64_t)status.st_size;
    return 0;
}

/* The piles, then the folder itself. */
static enum outcome remove_rest(struct sweep *sweep, const struct folder *folder, const char *name)
{
    char file[STORE_FILE_NAME_BYTES];

    for (unsigned p = 0; p < sweep->store->format.piles; p++)
        if (unlink_file(sweep, folder, store_file_name(p, file)) != 0)
            return STUCK;
    return sys_rmdir_at(sweep->root.fd, name) == 0 || errno == ENOENT ? REMOVED : STUCK;
}

/* Nobody reads a batch while somebody has the lock on its manifest. */
static enum outcome lock_manifest(struct sweep *sweep, int fd)
{
    if (io_lock(fd, true) == 0)
        return REMOVED;
    if (errno == EWOULDBLOCK)
        return READ;
    if (errno != ENOTSUP)
        return STUCK;
    sweep->lacks_locks = true;
    return sweep->all ? REMOVED : READ;
}

/* Take the manifest away, unless somebody reads the batch. */
static enum outcome remove_manifest(struct sweep *sweep, const struct folder *folder)
{
    enum outcome outcome;
    struct stat status;
    int fd, error;

    if (sys_stat_at(folder->fd, BATCH_MANIFEST, &status) != 0)
        return errno == ENOENT ? REMOVED : STUCK;
    if (!S_ISREG(status.st_mode)) /* nobody reads that as a manifest */
        return REMOVED;
    switch (folder_edit_file(folder, BATCH_MANIFEST, false, &fd)) { /* NFS locks no file that is open to be read */
    case FOLDER_OK:
        break;
    case FOLDER_MISSING:
        return REMOVED;
    default:
        return STUCK;
    }
    outcome = lock_manifest(sweep, fd);
    if (outcome == REMOVED && unlink_file(sweep, folder, BATCH_MANIFEST) != 0)
        outcome = STUCK;
    error = errno;
    (void)io_close(fd);
    errno = error;
    return outcome;
}

static enum outcome remove_left(struct sweep *sweep, const char *name)
{
    enum outcome outcome;
    struct folder folder;
    int error;

    sweep->bytes = 0;
    switch (folder_enter(&folder, &sweep->root, name)) {
    case FOLDER_OK:
        break;
    case FOLDER_MISSING:
        return ABSENT;
    default:
        return STUCK;
    }
    outcome = remove_manifest(sweep, &folder);
    if (outcome == REMOVED)
        outcome = remove_rest(sweep, &folder, name);
    error = errno;
    folder_close(&folder);
    errno = error;
    return outcome;
}

/* ---- Drafts ---- */

/* Of a draft in which nobody is at work, or only this process. `lock` is closed. `name` becomes that under which the
 * draft stands, or has stood. */
static enum outcome remove_draft(struct sweep *sweep, char name[SWEEP_NAME_BYTES], int lock)
{
    enum folder_verdict verdict;
    char left[SWEEP_NAME_BYTES];
    bool was_signed;

    snprintf(left, sizeof left, SWEEP_LEFT "%s", name + strlen(SWEEP_DRAFT));
    verdict = folder_rename(&sweep->root, name, left);
    if (verdict == FOLDER_OK || verdict == FOLDER_MISSING) {
        was_signed = owner_leave(&sweep->root, name, lock) == 0;
        if (!was_signed && errno != ENOENT)
            return STUCK;
        if (verdict == FOLDER_MISSING)
            return was_signed ? REMOVED : ABSENT;
        memcpy(name, left, sizeof left);
        return remove_left(sweep, name);
    }
    close_lock(lock);
    return STUCK;
}

/* See who works in a draft; remove it if nobody does or, when all is to go, if that is not known. */
static enum outcome sweep_draft(struct sweep *sweep, char name[SWEEP_NAME_BYTES], struct owner *owner)
{
    enum owner_state state;
    int lock;

    sweep->bytes = 0;
    state = owner_ask(&sweep->root, name, owner, &lock);
    if (state == OWNER_GONE || (state == OWNER_UNKNOWN && sweep->all))
        return remove_draft(sweep, name, lock);
    close_lock(lock);
    return ALIVE;
}

void sweep_own_draft(struct store *store, const char *name, int lock)
{
    char now[SWEEP_NAME_BYTES];
    struct sweep sweep;

    snprintf(now, sizeof now, "%s", name);
    begin(&sweep, store, false);
    if (remove_draft(&sweep, now, lock) == STUCK)
        warn(&sweep, now);
    end(&sweep);
}

/* ---- The whole store ---- */

/* What is known of the owner, followed by `after`. No word of a file gives orders to a terminal. */
static void tell_owner(struct owner *owner, const char *after)
{
    for (char *c = owner->host; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    if (owner->host[0] == '\0')
        printf("owner unknown%s", after);
    else
        printf("host %s, process %llu%s", owner->host, (unsigned long long)owner->process, after);
}

/* Say on standard output what has become of `name`; `owner` is NULL if it is no draft. */
static void tell(const struct sweep *sweep, enum outcome outcome, const char *name, struct owner *owner)
{
    int error = errno;
    char size[32];

    printf("%s %s (", outcome == REMOVED ? "removed" : "kept", name);
    if (owner != NULL)
        tell_owner(owner, outcome == REMOVED ? ", " : ": ");
    if (outcome == REMOVED)
        printf("%s)\n", number_format_size(sweep->bytes, size));
    else if (outcome == STUCK)
        printf("%s)\n", cause(error));
    else
        printf("%s)\n", outcome == ALIVE ? "alive" : "being read");
    errno = error;
}

/* Is somebody at work on it? A signature is locked while it is written. */
static bool is_locked(const struct sweep *sweep, const char *name)
{
    bool locked;
    int fd;

    if (folder_open_file(&sweep->root, name, &fd) != FOLDER_OK)
        return false;
    locked = io_lock(fd, false) != 0 && errno == EWOULDBLOCK;
    (void)io_close(fd);
    return locked;
}

/* A file that never got its name, since its process was killed meanwhile. What has stood for an hour is not waited for
 * by anybody; and whoever misses it makes it again. */
static void sweep_temporary(struct sweep *sweep, const char *name)
{
    enum { SECONDS = 3600 };
    struct stat status;

    if (sys_stat_at(sweep->root.fd, name, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    if (!sweep->all && (status.st_uid != sys_user() || time(NULL) - status.st_mtime < SECONDS))
        return;
    if (is_locked(sweep, name))
        return;
    sweep->bytes = 0;
    if (unlink_file(sweep, &sweep->root, name) != 0)
        warn(sweep, name);
    else if (sweep->all)
        tell(sweep, REMOVED, name, NULL);
}

/* Is there what is expected under this name, and is it for this sweep? 1 or 0, or -1 with errno. */
static int concerns(const struct sweep *sweep, const char *entry, enum kind kind)
{
    struct stat status;

    if (sys_stat_at(sweep->root.fd, entry, &status) != 0)
        return errno == ENOENT ? 0 : -1;
    if (kind != LEFT && !sweep->all && status.st_uid != sys_user())
        return 0;
    return kind == SIGNATURE ? S_ISREG(status.st_mode) : S_ISDIR(status.st_mode);
}

/* What stands under a name in the store, if it is a draft or a batch that has left. A draft is dealt with where its
 * folder is listed, and where its signature is if it has no folder: none yet, or none any more. 0, or -1 after a
 * report. */
static int sweep_one(struct sweep *sweep, const char *entry)
{
    const enum kind kind = find_kind(entry);
    const size_t suffix = kind == SIGNATURE ? strlen(OWNER_SUFFIX) : 0;
    char name[SWEEP_NAME_BYTES], now[SWEEP_NAME_BYTES];
    struct owner owner = {.process = 0};
    enum outcome outcome = STUCK;
    struct stat status;
    int here;

    if (kind == BEGUN)
        sweep_temporary(sweep, entry);
    if (kind == OTHER || kind == BEGUN)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(entry) - suffix), entry);
    snprintf(now, sizeof now, "%s", name);
    if (kind == SIGNATURE && sys_stat_at(sweep->root.fd, name, &status) == 0)
        return 0;
    here = concerns(sweep, entry, kind);
    if (here == 0)
        return 0;
    if (here > 0)
        outcome = kind == LEFT ? remove_left(sweep, now) : sweep_draft(sweep, now, &owner);
    if (sweep->all && outcome != ABSENT)
        tell(sweep, outcome, outcome == REMOVED ? name : now, kind == LEFT ? NULL : &owner);
    if (outcome != STUCK)
        return 0;
    if (sweep->all)
        return folder_say(&sweep->store->folder, now, "cannot be removed: %s", cause(errno));
    warn(sweep, now);
    return 0;
}

void sweep_dead(struct store *store)
{
    struct folder_names names;
    struct sweep sweep;

    begin(&sweep, store, false);
    if (folder_list(&sweep.root, &names) != FOLDER_OK)
        fault_warn("%s: %s", store->folder.path, strerror(errno));
    for (size_t i = 0; i < names.count; i++)
        (void)sweep_one(&sweep, names.name[i]);
    folder_names_release(&names);
    end(&sweep);
}

int sweep_all(struct store *store)
{
    struct folder_names names;
    struct sweep sweep;
    int status = 0;

    if (folder_list(&store->folder, &names) != FOLDER_OK)
        return -1;
    begin(&sweep, store, true);
    for (size_t i = 0; i < names.count; i++)
        if (sweep_one(&sweep, names.name[i]) != 0)
            status = -1;
    folder_names_release(&names);
    end(&sweep);
    if (fflush(stdout) != 0 || ferror(stdout))
        status = fault_report(store->folder.fault, "standard output", errno);
    return status;
}

/* ---- Batches that are to leave ---- */

/* The batch leaves the store, and its files go if they can. The new name is on disk before the first of them goes, so
 * that no loss of power leaves a batch in part. */
static int sweep_out(struct sweep *sweep, const char *batch)
{
    const struct folder *folder = &sweep->store->folder;
    char left[SWEEP_NAME_BYTES];

    if (sweep_name(left, SWEEP_LEFT, batch) != 0)
        return fault_report(folder->fault, "random number", errno);
    switch (folder_rename(folder, batch, left)) {
    case FOLDER_OK:
        break;
    case FOLDER_MISSING:
        return 0;
    case FOLDER_EXISTS:
        return folder_report(folder, left, EEXIST);
    default:
        return -1;
    }
    if (folder_sync(folder) != 0)
        return -1;
    if (remove_left(sweep, left) == STUCK)
        warn(sweep, left);
    return 0;
}

/* Is it one? Somebody may have put a folder of his own into the store. 1 or 0, or -1 after a report. */
static int has_manifest(const struct store *store, const char *name)
{
    struct folder folder;
    struct stat status;
    int has = -1;

    switch (folder_enter(&folder, &store->folder, name)) {
    case FOLDER_OK:
        break;
    case FOLDER_MISSING:
        return 0;
    default:
        return -1;
    }
    if (sys_stat_at(folder.fd, BATCH_MANIFEST, &status) == 0)
        has = 1;
    else if (errno == ENOENT)
        has = 0;
    else
        folder_report(&folder, BATCH_MANIFEST, errno);
    folder_close(&folder);
    return has;
}

int sweep_keep(struct store *store, uint64_t keep, const char *added)
{
    struct folder_names names;
    struct sweep sweep;
    uint64_t batches = 0;
    int status = 0;

    if (store_batches(store, &names) != 0)
        return -1;
    begin(&sweep, store, false);
    for (size_t i = names.count; i > 0 && status == 0; i--) {
        const char *name = names.name[i - 1];
        int is = has_manifest(store, name);

        if (is < 0)
            status = -1;
        else if (is > 0 && ++batches > keep && strcmp(name, added) != 0)
            status = sweep_out(&sweep, name);
    }
    end(&sweep);
    folder_names_release(&names);
    return status;
}
