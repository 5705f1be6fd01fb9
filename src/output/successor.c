/*
 * A file keeps its old content until rename puts a complete new one in its place, in one step. The new file has to be
 * in the same directory for that, which is where the path really leads (target.h). Each step looks whether it is still
 * the same directory, and the last one whether it is still the same file. Where O_TMPFILE works, the new file has no
 * name until it is complete; elsewhere it has the temporary one from the beginning.
 *
 * Several files that belong together appear together: each is published in a way that can be taken back, unless others
 * have put something else there since. Where two names can be exchanged in one step, the old file has the temporary
 * name until successor_release unlinks it.
 */

#include "output/successor.h"

#include <errno.h>

#include "input/version.h"
#include "system/io.h"
#include "system/sys.h"

enum { STICKY = 01000 }; /* S_ISVTX, which POSIX alone does not name */

static int report(const struct successor *successor)
{
    return fault_report(successor->fault, successor->path, errno);
}

/* ---- The new file ---- */

/* In a directory with the sticky bit only a file's owner, or the directory's, may replace it. 0, or -1 with errno. */
static int check_sticky(const struct successor *successor, int directory)
{
    uid_t user = sys_user();
    struct stat status;

    if (!successor->existed || user == 0 || successor->before.st_uid == user)
        return 0;
    if (sys_fstat(directory, &status) != 0)
        return -1;
    if (!(status.st_mode & STICKY) || status.st_uid == user)
        return 0;
    errno = EPERM;
    return -1;
}

/* Without a name, or with the temporary one. A descriptor, or -1 with errno. */
static int make_file(struct successor *successor, int directory, mode_t mode)
{
    int fd = sys_open_anonymous(directory, ".", mode);

    if (fd >= 0 && !sys_can_link_descriptor(fd)) {
        (void)io_close(fd);
        fd = -1;
    }
    return fd >= 0 || temporary_name_take(&successor->name, directory, mode, &fd) == 0 ? fd : -1;
}

/* A file that replaces none is created with 0666 first, to learn what mode the process's umask and the directory make
 * of that. */
int successor_create(struct successor *successor, int directory)
{
    const mode_t private = S_IRUSR | S_IWUSR;
    struct stat created;
    int fd;
    int error;

    if (temporary_name_init(&successor->name, successor->target) != 0 || check_sticky(successor, directory) != 0)
        return -1;
    fd = make_file(successor, directory, successor->existed ? private : 0666);
    if (fd < 0)
        return -1;
    if (sys_fstat(fd, &created) != 0)
        goto fail;
    if (successor->existed && created.st_dev != successor->before.st_dev) { /* something is mounted over the file */
        errno = EXDEV;
        goto fail;
    }
    if (!successor->existed) {
        successor->attributes.mode = created.st_mode & 0777;
        (void)sys_fchmod(fd, private);
    }
    return fd;
fail:
    error = errno;
    (void)io_close(fd);
    temporary_name_release(&successor->name);
    errno = error;
    return -1;
}

int successor_complete(struct successor *successor, int fd)
{
    int directory;
    int status;

    attributes_give(&successor->attributes, fd, successor->path);
    if (temporary_name_is_taken(&successor->name))
        return 0;
    directory = target_enter_or_report(successor->target, successor->path, successor->fault);
    if (directory < 0)
        return -1;
    status = temporary_name_take(&successor->name, directory, 0, &fd) == 0 ? 0 : report(successor);
    (void)io_close(directory);
    return status;
}

/* ---- In its place ---- */

static bool is_as_before(const struct stat *before, const struct stat *now)
{
    const struct version version = version_of(before);

    return version_is_same(&version, now);
}

/* While a file is open its number is its own. Later another one may get it, and file systems that make numbers up (FAT,
 * FUSE) may give the file another number: then its size and time tell. */
static bool is_same_file(const struct stat *file, bool is_open, const struct stat *now)
{
    return file->st_dev == now->st_dev && S_ISREG(now->st_mode) &&
           (is_as_before(file, now) || (is_open && io_same_file(file, now)));
}

int successor_report_others(const struct successor *successor, const char *done)
{
    return fault_say(successor->fault, "%s: has been %s by others meanwhile, and stays as it is", successor->path,
                     done);
}

int successor_check_old(const struct successor *successor, const struct stat *now)
{
    if (!successor->is_input || is_as_before(&successor->before, now))
        return 0;
    return successor_report_others(successor, "changed");
}

static int report_replaced(const struct successor *successor)
{
    return successor_report_others(successor, successor->existed ? "replaced" : "made");
}

/* Is what stands under the target's name what stood there when it was opened, or nothing? 0, or -1 after a report. */
static int check_place(struct successor *successor, int directory)
{
    struct stat now;

    successor->replaces = sys_stat_at(directory, successor->target->name, &now) == 0;
    if (!successor->replaces)
        return errno == ENOENT ? 0 : report(successor);
    if (!successor->existed || !is_same_file(&successor->before, !successor->let_go, &now) ||
        (!io_same_file(&successor->before, &now) && sys_changed(&successor->before) != sys_changed(&now)))
        return report_replaced(successor);
    return successor_check_old(successor, &now);
}

/* What others put there since check_place is given back. 0, or -1 after a report; 1 if it cannot be done like this. */
static int exchange(struct successor *successor, int directory)
{
    const char *from = temporary_name_last(&successor->name);
    const char *to = successor->target->name;
    struct stat now;
    int error;

    if (sys_exchange(directory, from, to) != 0)
        return 1;
    successor->progress = SUCCESSOR_EXCHANGED;
    error = sys_stat_at(directory, from, &now) == 0 ? 0 : errno;
    if (error == 0 && is_same_file(&successor->before, !successor->let_go, &now))
        return 0;
    if (sys_exchange(directory, from, to) == 0)
        successor->progress = SUCCESSOR_UNPUBLISHED;
    return error == 0 ? report_replaced(successor) : fault_report(successor->fault, successor->path, error);
}

/* A file that replaces none leaves what others put there since check_place, where the system can do that; one that
 * replaces the old file does not. */
static int rename_to_target(struct successor *successor, int directory)
{
    const char *from = temporary_name_last(&successor->name);
    const char *to = successor->target->name;
    const bool is_new = !successor->replaces && sys_rename_new(directory, from, to) == 0;

    if (!is_new && !successor->replaces && errno == EEXIST)
        return report_replaced(successor);
    if (!is_new && sys_rename_at(directory, from, to) != 0)
        return report(successor);
    temporary_name_forget(&successor->name);
    successor->progress = SUCCESSOR_RENAMED;
    return 0;
}

/* Whoever wrote to the new file has ended by now, so that its size and time are final. */
int successor_publish(struct successor *successor, bool reversibly)
{
    int directory = target_enter_or_report(successor->target, successor->path, successor->fault);
    int status;

    if (directory < 0)
        return -1;
    status = check_place(successor, directory);
    if (status == 0 && sys_stat_at(directory, temporary_name_last(&successor->name), &successor->made) != 0)
        status = report(successor);
    if (status == 0)
        status = reversibly && successor->replaces ? exchange(successor, directory) : 1;
    if (status > 0)
        status = rename_to_target(successor, directory);
    (void)io_close(directory);
    return status;
}

/* 0, or -1: what has been done stays done. What others have put there since stays, too, and what they have written to
 * the new file. */
static int undo(const struct successor *successor)
{
    const char *name = successor->target->name;
    int directory = target_enter(successor->target);
    bool is_gone, is_ours, is_others;
    int status = -1;
    struct stat now;

    if (directory < 0)
        return -1;
    is_gone = sys_stat_at(directory, name, &now) != 0;
    is_ours = !is_gone && is_same_file(&successor->made, false, &now);
    is_others = is_gone ? errno == ENOENT : !is_ours && !io_same_file(&successor->made, &now);
    if (successor->progress == SUCCESSOR_EXCHANGED && is_ours)
        status = sys_exchange(directory, temporary_name_last(&successor->name), name);
    else if (successor->progress == SUCCESSOR_RENAMED && !successor->replaces)
        status = is_ours ? sys_unlink_at(directory, name) : is_others ? 0 : -1;
    (void)io_close(directory);
    return status;
}

void successor_retract(struct successor *successor)
{
    if (successor->progress == SUCCESSOR_UNPUBLISHED || undo(successor) == 0)
        return;
    if (successor->progress == SUCCESSOR_EXCHANGED) {
        temporary_name_forget(&successor->name); /* so that the old file is unlinked by nobody */
        fault_warn("%s: has been replaced; the old file is now %s", successor->path, successor->name.path);
    } else {
        fault_warn("%s: has been %s", successor->path, successor->replaces ? "replaced" : "made");
    }
}

void successor_release(struct successor *successor)
{
    temporary_name_release(&successor->name);
    attributes_release(&successor->attributes);
}
