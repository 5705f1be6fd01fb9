/* Owner and group come first, since a change of them may clear bits of the mode; then the list; then the mode, which is
 * a part of it. Some file systems know no owners or modes of their own and refuse; the content is as good, and the file
 * no less private. */

#include "output/attributes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "system/fault.h"
#include "system/sys.h"

int attributes_read(struct attributes *attributes, int fd, const struct stat *status)
{
    ssize_t bytes = sys_get_acl(fd, NULL, 0);

    *attributes = (struct attributes){
        .inherited = true, .owner = status->st_uid, .group = status->st_gid, .mode = status->st_mode & 01777};
    if (bytes > 0) {
        attributes->list = sys_allocate((size_t)bytes, 1);
        if (attributes->list == NULL)
            return -1;
        bytes = sys_get_acl(fd, attributes->list, (size_t)bytes);
    }
    attributes->list_bytes = bytes > 0 ? (size_t)bytes : 0;
    return bytes < 0 ? -1 : 0;
}

/* Where the group stays another than it was, neither that group nor the others get more than both had before; where a
 * list of what some users may not do is lost, nobody else gets anything. */
static mode_t safe_mode(const struct attributes *attributes, bool group_kept, bool list_kept)
{
    const mode_t mode = attributes->mode, shared = mode >> 3 & mode & 07;

    if (!list_kept)
        return mode & ~(mode_t)077;
    return group_kept ? mode : (mode_t)((mode & ~(mode_t)077) | shared << 3 | shared);
}

/* The list, or none, also if the directory has given the file one. Has the file the list that it should have? */
static bool give_list(const struct attributes *attributes, int fd, const char *path, bool group_kept)
{
    char cause[FAULT_CAUSE_BYTES];

    if (group_kept || attributes->list_bytes == 0) {
        if (sys_set_acl(fd, attributes->list, attributes->list_bytes) == 0)
            return true;
    } else {
        errno = EPERM; /* what it says of the group would be said of another one */
    }
    fault_warn("%s: cannot keep its access control list: %s", path, fault_cause(errno, cause));
    (void)sys_set_acl(fd, NULL, 0);
    return false;
}

void attributes_give(const struct attributes *attributes, int fd, const char *path)
{
    mode_t mode = attributes->mode;
    char cause[FAULT_CAUSE_BYTES];

    if (attributes->inherited) {
        bool group_kept = sys_fchown(fd, attributes->owner, attributes->group) == 0 ||
                          sys_fchown(fd, (uid_t)-1, attributes->group) == 0;
        bool list_kept = give_list(attributes, fd, path, group_kept);

        mode = safe_mode(attributes, group_kept, list_kept);
    }
    if (sys_fchmod(fd, mode) != 0)
        fault_warn("%s: cannot set its mode: %s", path, fault_cause(errno, cause));
}

void attributes_release(struct attributes *attributes)
{
    free(attributes->list);
    *attributes = (struct attributes){.list = NULL};
}
