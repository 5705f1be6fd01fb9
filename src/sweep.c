/*
 * Whatever is to be removed is renamed to .old-NAME first, in one step, and only then emptied. That settles all races:
 * a draft is either renamed by its own process, and is a batch, or by whoever sweeps it, and its process fails; and
 * what has begun to lose its files cannot be taken for a batch or a draft any more, also if the sweep itself is killed.
 * An .old- folder without a manifest is such a removal that was interrupted, and anybody goes on with it.
 *
 * The way of readers past this is told in batch.c. No file is kept open while its folder is removed, since on network
 * file systems it would stay there under another name.
 */

#include "sweep.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "batch.h"
#include "io.h"
#include "number.h"
#include "sys.h"

static const char LEFT[] = ".old-";

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

static void warn(const struct sweep *sweep, const char *name)
{
    fault_warn("%s/%s: cannot be removed: %s", sweep->store->folder.path, name, cause(errno));
}

/* ---- Names ---- */

char *sweep_name(char name[SWEEP_NAME_BYTES], const char *prefix, const char *batch, int attempt)
{
    if (attempt == 0)
        snprintf(name, SWEEP_NAME_BYTES, "%s%s", prefix, batch);
    else
        snprintf(name, SWEEP_NAME_BYTES, "%s%s~%d", prefix, batch, attempt);
    return name;
}

/* Is this a name that sweep_name makes with the prefix? If so, of which batch? */
static bool parse_name(const char *name, const char *prefix, char batch[STORE_NAME_MAX + 1])
{
    const size_t prefix_length = strlen(prefix);
    char again[SWEEP_NAME_BYTES];
    uint64_t attempt = 0;
    const char *end;
    size_t length;

    if (strncmp(name, prefix, prefix_length) != 0)
        return false;
    length = strcspn(name + prefix_length, "~");
    end = name + prefix_length + length;
    if (length > STORE_NAME_MAX)
        return false;
    memcpy(batch, name + prefix_length, length);
    batch[length] = '\0';
    if (*end == '~' && (number_parse(end + 1, &attempt) != 0 || attempt >= SWEEP_ATTEMPTS))
        return false;
    return store_is_name(batch) && strcmp(name, sweep_name(again, prefix, batch, (int)attempt)) == 0;
}

/* ---- Batches that left the store ---- */

/* 1 or 0, or -1 with errno. `mine` tells whether it is this user's. */
static int is_folder(const struct sweep *sweep, const char *name, bool *mine)
{
    struct stat status;

    *mine = false;
    if (sys_stat_at(sweep->root.fd, name, &status) != 0)
        return errno == ENOENT ? 0 : -1;
    *mine = status.st_uid == sys_user();
    return S_ISDIR(status.st_mode);
}

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

/* Remove a folder that is empty, unless its name is another's by now. */
static enum outcome remove_folder(struct sweep *sweep, const struct folder *folder, const char *name)
{
    int here = folder_stands(&sweep->root, name, folder->fd), error;

    if (here <= 0)
        return here == 0 ? REMOVED : STUCK;
    if (sys_rmdir_at(sweep->root.fd, name) == 0 || errno == ENOENT)
        return REMOVED;
    error = errno;
    here = folder_stands(&sweep->root, name, folder->fd); /* a rename onto an empty folder takes its place */
    errno = error;
    return here == 0 ? REMOVED : STUCK;
}

/* The piles and the owner, then the folder itself. */
static enum outcome remove_rest(struct sweep *sweep, const struct folder *folder, const char *name)
{
    char file[STORE_FILE_NAME_BYTES];

    for (unsigned p = 0; p < sweep->store->format.piles; p++)
        if (unlink_file(sweep, folder, store_file_name(p, file)) != 0)
            return STUCK;
    if (unlink_file(sweep, folder, OWNER_FILE) != 0)
        return STUCK;
    return remove_folder(sweep, folder, name);
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

/* Rename what stands under a name to the first .old- name of the batch that is free, which `left` receives. */
static enum folder_verdict leave(const struct folder *root, const char *name, const char *batch,
                                 char left[SWEEP_NAME_BYTES])
{
    enum folder_verdict verdict = FOLDER_EXISTS;

    for (int attempt = 0; attempt < SWEEP_ATTEMPTS && verdict == FOLDER_EXISTS; attempt++)
        verdict = folder_rename(root, name, sweep_name(left, LEFT, batch, attempt));
    if (verdict == FOLDER_EXISTS) {
        verdict = FOLDER_FAILED;
        folder_report(root, left, EEXIST);
        errno = EEXIST;
    }
    return verdict;
}

/* ---- Drafts ---- */

/* Of a draft in which nobody is at work, or only this process. `lock` is closed once nobody can take it for a draft any
 * more. `name` becomes that under which it stands, or has stood. */
static enum outcome remove_draft(struct sweep *sweep, char name[SWEEP_NAME_BYTES], const struct folder *folder,
                                 int *lock)
{
    char batch[STORE_NAME_MAX + 1], left[SWEEP_NAME_BYTES];
    int here = folder_stands(&sweep->root, name, folder->fd);

    if (here <= 0 || !parse_name(name, SWEEP_DRAFT, batch))
        return here < 0 ? STUCK : ABSENT;
    switch (leave(&sweep->root, name, batch, left)) {
    case FOLDER_OK:
        break;
    case FOLDER_MISSING:
        return ABSENT;
    default:
        return STUCK;
    }
    memcpy(name, left, sizeof left);
    if (*lock >= 0)
        (void)io_close(*lock);
    *lock = -1;
    return remove_left(sweep, name);
}

/* See who works in a draft; if it is `mine`, remove it if nobody does or, when all is to go, if that is not known. */
static enum outcome sweep_draft(struct sweep *sweep, char name[SWEEP_NAME_BYTES], bool mine, struct owner *owner)
{
    enum outcome outcome = ALIVE;
    enum owner_state state;
    struct folder folder;
    int lock = -1, error;

    switch (folder_enter(&folder, &sweep->root, name)) {
    case FOLDER_OK:
        break;
    case FOLDER_MISSING:
        return ABSENT;
    default:
        return STUCK;
    }
    state = owner_ask(&folder, owner, &lock);
    if (mine && state == OWNER_UNKNOWN && sys_rmdir_at(sweep->root.fd, name) == 0)
        outcome = REMOVED; /* empty: nobody has signed it, and if somebody was about to, they make it again */
    else if (mine && (state == OWNER_GONE || (state == OWNER_UNKNOWN && sweep->all)))
        outcome = remove_draft(sweep, name, &folder, &lock);
    error = errno;
    if (lock >= 0)
        (void)io_close(lock);
    folder_close(&folder);
    errno = error;
    return outcome;
}

bool sweep_dead_draft(struct store *store, const char *name, struct owner *owner)
{
    char now[SWEEP_NAME_BYTES];
    enum outcome outcome = ALIVE;
    struct sweep sweep;
    bool mine;

    *owner = (struct owner){.process = 0};
    snprintf(now, sizeof now, "%s", name);
    begin(&sweep, store, false);
    if (is_folder(&sweep, now, &mine) > 0)
        outcome = sweep_draft(&sweep, now, mine, owner);
    if (outcome == STUCK)
        warn(&sweep, now);
    end(&sweep);
    return outcome == REMOVED || outcome == ABSENT || strcmp(name, now) != 0;
}

void sweep_own_draft(struct store *store, const char *name, const struct folder *folder, int lock)
{
    char now[SWEEP_NAME_BYTES];
    struct sweep sweep;

    snprintf(now, sizeof now, "%s", name);
    begin(&sweep, store, false);
    if (remove_draft(&sweep, now, folder, &lock) == STUCK)
        warn(&sweep, now);
    if (lock >= 0)
        (void)io_close(lock);
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

/* A format or header that was never linked, since its process was killed meanwhile. What has stood for an hour is not
 * waited for by anybody. */
static void sweep_temporary(struct sweep *sweep, const char *name)
{
    enum { SECONDS = 3600 };
    struct stat status;

    if (sys_stat_at(sweep->root.fd, name, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    if (!sweep->all && (status.st_uid != sys_user() || time(NULL) - status.st_mtime < SECONDS))
        return;
    sweep->bytes = 0;
    if (unlink_file(sweep, &sweep->root, name) != 0)
        warn(sweep, name);
    else if (sweep->all)
        tell(sweep, REMOVED, name, NULL);
}

/* What stands under a name in the store, if it is a draft or a batch that has left. 0, or -1 after a report. */
static int sweep_one(struct sweep *sweep, const char *name)
{
    char batch[STORE_NAME_MAX + 1], now[SWEEP_NAME_BYTES];
    struct owner owner = {.process = 0};
    bool draft = parse_name(name, SWEEP_DRAFT, batch);
    enum outcome outcome = STUCK;
    int here;
    bool mine;

    if (store_is_temporary(name))
        sweep_temporary(sweep, name);
    if (!draft && !parse_name(name, LEFT, batch))
        return 0;
    here = is_folder(sweep, name, &mine);
    if (here == 0 || (here > 0 && draft && !mine && !sweep->all))
        return 0;
    snprintf(now, sizeof now, "%s", name);
    if (here > 0)
        outcome = draft ? sweep_draft(sweep, now, true, &owner) : remove_left(sweep, now);
    if (sweep->all && outcome != ABSENT)
        tell(sweep, outcome, outcome == REMOVED ? name : now, draft ? &owner : NULL);
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

    switch (leave(folder, batch, batch, left)) {
    case FOLDER_OK:
        break;
    case FOLDER_MISSING:
        return 0;
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
