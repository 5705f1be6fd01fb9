/* A draft is dealt with when its folder is met in the list of names; if it has no folder, none yet or none any more,
 * when the file of its owner is met. */

#include "store/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "store/name.h"
#include "store/remove.h"
#include "system/io.h"
#include "system/sys.h"

/* Print what is known of the owner, then `after`. Control bytes, which would give orders to a terminal, become `?`. */
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
static void tell(const struct removal *removal, enum remove_outcome outcome, const char *name, struct owner *owner)
{
    int error = errno;
    char size[32];

    printf("%s %s (", outcome == REMOVE_DONE ? "removed" : "kept", name);
    if (owner != NULL)
        tell_owner(owner, outcome == REMOVE_DONE ? ", " : ": ");
    if (outcome == REMOVE_DONE)
        printf("%s)\n", number_format_size(removal->bytes, size));
    else if (outcome == REMOVE_STUCK)
        printf("%s)\n", remove_cause(error));
    else
        printf("%s)\n", outcome == REMOVE_ALIVE ? "alive" : "being read");
    errno = error;
}

/* Can nobody be writing the file any more, which does not have its own name yet? Whoever writes one has locked it
 * before. Where that tells nothing, an hour is sure enough: should its process be alive, it makes the file again. */
static bool is_left(const struct removal *removal, const char *name, time_t changed)
{
    enum { SECONDS = 3600 };
    bool left = removal->all || time(NULL) - changed >= SECONDS;
    int fd;

    if (folder_open_file(&removal->root, name, &fd) != FOLDER_OK)
        return left;
    if (io_lock(fd, false) == 0)
        left = true;
    else if (errno == EWOULDBLOCK)
        left = false;
    (void)io_close(fd);
    return left;
}

/* Remove a file that did not get its own name, since its process was killed meanwhile. */
static void sweep_temporary(struct removal *removal, const char *name)
{
    struct stat status;

    if (sys_stat_at(removal->root.fd, name, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    if ((!removal->all && status.st_uid != sys_user()) || !is_left(removal, name, status.st_mtime))
        return;
    if (remove_file(removal, name) != 0)
        remove_warn(removal, name);
    else if (removal->all)
        tell(removal, REMOVE_DONE, name, NULL);
}

/* Is what stands under the name what a name of this kind promises, and may this sweep remove it? 1 or 0, or -1 with
 * errno. */
static int concerns(const struct removal *removal, const char *entry, enum store_name_kind kind)
{
    struct stat status;

    if (sys_stat_at(removal->root.fd, entry, &status) != 0)
        return errno == ENOENT ? 0 : -1;
    if (kind != STORE_NAME_LEFT && !removal->all && status.st_uid != sys_user())
        return 0;
    return kind == STORE_NAME_SIGNATURE ? S_ISREG(status.st_mode) : S_ISDIR(status.st_mode);
}

/* Remove what stands under one name of the list, if that is for this sweep. 0, or -1 after a report. */
static int sweep_one(struct removal *removal, const char *entry)
{
    const enum store_name_kind kind = store_name_kind(entry);
    const size_t suffix = kind == STORE_NAME_SIGNATURE ? strlen(OWNER_SUFFIX) : 0;
    char name[STORE_NAME_BYTES], now[STORE_NAME_BYTES];
    struct owner owner = {.process = 0};
    enum remove_outcome outcome = REMOVE_STUCK;
    struct stat status;
    int here;

    if (kind == STORE_NAME_BEGUN)
        sweep_temporary(removal, entry);
    if (kind == STORE_NAME_OTHER || kind == STORE_NAME_BEGUN)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(entry) - suffix), entry);
    snprintf(now, sizeof now, "%s", name);
    if (kind == STORE_NAME_SIGNATURE && sys_stat_at(removal->root.fd, name, &status) == 0)
        return 0;
    here = concerns(removal, entry, kind);
    if (here == 0)
        return 0;
    if (here > 0)
        outcome = kind == STORE_NAME_LEFT ? remove_batch(removal, now) : remove_draft(removal, now, &owner);
    if (removal->all && outcome != REMOVE_ABSENT)
        tell(removal, outcome, outcome == REMOVE_DONE ? name : now, kind == STORE_NAME_LEFT ? NULL : &owner);
    if (outcome != REMOVE_STUCK)
        return 0;
    if (removal->all)
        return folder_say(&removal->store->folder, now, "cannot be removed: %s", remove_cause(errno));
    remove_warn(removal, now);
    return 0;
}

void sweep_dead(struct store *store)
{
    struct folder_names names;
    struct removal removal;

    remove_begin(&removal, store, false);
    if (folder_list(&removal.root, &names) != FOLDER_OK)
        fault_warn("%s: %s", store->folder.path, strerror(errno));
    for (size_t i = 0; i < names.count; i++)
        (void)sweep_one(&removal, names.name[i]);
    folder_names_release(&names);
    remove_end(&removal);
}

int sweep_all(struct store *store)
{
    struct folder_names names;
    struct removal removal;
    int status = 0;

    if (folder_list(&store->folder, &names) != FOLDER_OK)
        return -1;
    remove_begin(&removal, store, true);
    for (size_t i = 0; i < names.count; i++)
        if (sweep_one(&removal, names.name[i]) != 0)
            status = -1;
    folder_names_release(&names);
    remove_end(&removal);
    if (fflush(stdout) != 0 || ferror(stdout))
        status = fault_report(store->folder.fault, "write error", errno);
    return status;
}
