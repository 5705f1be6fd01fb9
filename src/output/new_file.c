/*
 * The temporary name becomes known to the end of the run in one step with its file: between the two, and while the file
 * is unlinked, death is held off.
 *
 * Of the attributes, owner and group come first, since a change of them may clear bits of the mode; then the list; then
 * the mode, which is a part of it. Some file systems know no owners or modes of their own and refuse; the content is as
 * good, and the file no less private.
 */

#include "output/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/fault.h"
#include "system/io.h"
#include "system/signals.h"
#include "system/sys.h"

enum {
    NAME_PART_BYTES =
        128, /* of the target's name in the temporary one; encrypted names may have 143 bytes, others 255 */
    RANDOM_LETTERS = 6,
    ATTEMPTS = 100, /* to find a name that is free: 62^6 of them make a second attempt rare */
};

/* ---- The temporary name ---- */

/* As it stands in the directory. */
static const char *name_of(const struct new_file *file)
{
    return strrchr(file->path, '/') + 1;
}

/* Put fresh random letters at the end. */
static int draw_letters(struct new_file *file)
{
    static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    char *end = file->path + strlen(file->path);
    uint8_t bytes[RANDOM_LETTERS];

    if (sys_random(bytes, sizeof bytes) != 0)
        return -1;
    for (int i = 0; i < RANDOM_LETTERS; i++)
        end[i - RANDOM_LETTERS] = letters[bytes[i] % (sizeof letters - 1)];
    return 0;
}

static void forget_name(struct new_file *file)
{
    signals_forget(file->slot);
    file->slot = -1;
}

/* With the letters that it has now. EEXIST if that name is taken. */
static int take_name_once(struct new_file *file, int directory, mode_t mode)
{
    bool taken = false;
    sigset_t before;

    signals_hold(&before);
    file->slot = signals_register(file->path);
    if (file->slot >= 0 && file->fd >= 0) {
        taken = sys_link_descriptor(file->fd, directory, name_of(file)) == 0;
    } else if (file->slot >= 0) {
        file->fd = io_open_at(directory, name_of(file), O_WRONLY | O_CREAT | O_EXCL, mode);
        taken = file->fd >= 0;
    }
    if (!taken)
        forget_name(file);
    signals_release(&before);
    return taken ? 0 : -1;
}

/* Give the temporary name to the file, or make it under that name if it has not been made. */
static int take_name(struct new_file *file, int directory, mode_t mode)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (draw_letters(file) != 0)
            return -1;
        if (take_name_once(file, directory, mode) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* By its path, as the end of the run does. Should that lead elsewhere by now, there is nothing of that name. */
static void unlink_name(struct new_file *file)
{
    char cause[FAULT_CAUSE_BYTES];
    sigset_t before;
    int error;

    signals_hold(&before);
    error = sys_unlink(file->path) == 0 ? 0 : errno;
    forget_name(file);
    signals_release(&before);
    if (error != 0 && error != ENOENT && error != ENOTDIR)
        fault_warn("%s: cannot be removed: %s", file->path, fault_cause(error, cause));
}

/* ---- Its attributes ---- */

/* Where the group stays another than it was, neither that group nor the others get more than both had before; where a
 * list of what some users may not do is lost, nobody else gets anything. */
static mode_t safe_mode(mode_t mode, bool group_kept, bool list_kept)
{
    const mode_t shared = mode >> 3 & mode & 07;

    if (!list_kept)
        return mode & ~(mode_t)077;
    return group_kept ? mode : (mode_t)((mode & ~(mode_t)077) | shared << 3 | shared);
}

/* Give it the list, or none, also if the directory has given it one. Has the file the list that it should have? */
static bool give_list(const struct new_file *file, bool group_kept)
{
    char cause[FAULT_CAUSE_BYTES];

    if (group_kept || file->list_bytes == 0) {
        if (sys_set_acl(file->fd, file->list, file->list_bytes) == 0)
            return true;
    } else {
        errno = EPERM; /* what it says of the group would be said of another one */
    }
    fault_warn("%s: cannot keep its access control list: %s", file->target->path, fault_cause(errno, cause));
    (void)sys_set_acl(file->fd, NULL, 0);
    return false;
}

static void give_attributes(const struct new_file *file)
{
    mode_t mode = file->mode;
    char cause[FAULT_CAUSE_BYTES];

    if (file->inherits) {
        bool group_kept =
            sys_fchown(file->fd, file->owner, file->group) == 0 || sys_fchown(file->fd, (uid_t)-1, file->group) == 0;
        bool list_kept = give_list(file, group_kept);

        mode = safe_mode(mode, group_kept, list_kept);
    }
    if (sys_fchmod(file->fd, mode) != 0)
        fault_warn("%s: cannot set its mode: %s", file->target->path, fault_cause(errno, cause));
}

/* ---- From the beginning to the end ---- */

int new_file_make(struct new_file *file, const struct target *target, int directory, mode_t mode)
{
    const size_t room = strlen(target->directory) + strlen(target->name) + sizeof "/..0123456789";

    file->target = target;
    file->slot = -1;
    file->path = fault_allocate(room, 1);
    snprintf(file->path, room, "%s/.%.*s.%0*d", target->directory, NAME_PART_BYTES, target->name, RANDOM_LETTERS, 0);
    file->fd = sys_open_anonymous(directory, ".", mode);
    if (file->fd >= 0 && !sys_can_link_descriptor(file->fd)) {
        (void)io_close(file->fd);
        file->fd = -1;
    }
    return file->fd >= 0 ? 0 : take_name(file, directory, mode);
}

void new_file_inherit(struct new_file *file, int old, const struct stat *status)
{
    ssize_t bytes = sys_get_acl(old, NULL, 0);

    file->inherits = true;
    file->owner = status->st_uid;
    file->group = status->st_gid;
    file->mode = status->st_mode & 01777;
    if (bytes > 0) {
        file->list = fault_allocate((size_t)bytes, 1);
        bytes = sys_get_acl(old, file->list, (size_t)bytes);
    }
    if (bytes < 0)
        target_fail(file->target->path);
    file->list_bytes = (size_t)bytes;
}

void new_file_start(struct new_file *file)
{
    struct stat made;

    if (sys_fstat(file->fd, &made) != 0)
        target_fail(file->target->path);
    file->mode = made.st_mode & 0777;
    (void)sys_fchmod(file->fd, S_IRUSR | S_IWUSR);
}

void new_file_complete(struct new_file *file)
{
    int directory;

    give_attributes(file);
    if (file->slot >= 0)
        return;
    directory = target_enter_or_fail(file->target);
    if (take_name(file, directory, 0) != 0)
        target_fail(file->target->path);
    (void)io_close(directory);
}

void new_file_keep(struct new_file *file)
{
    forget_name(file);
}

int new_file_publish(const struct new_file *file)
{
    const int directory = target_enter(file->target);
    int status, error;

    if (directory < 0)
        return -1;
    status = sys_rename_at(directory, name_of(file), file->target->name);
    error = errno;
    (void)io_close(directory);
    errno = error;
    return status;
}

void new_file_release(struct new_file *file)
{
    if (file->path != NULL && file->slot >= 0)
        unlink_name(file);
    free(file->path);
    free(file->list);
    *file = (struct new_file){.path = NULL};
}
