#include "input/version.h"

#include "system/sys.h"

struct version version_of(const struct stat *status)
{
    return (struct version){.known = S_ISREG(status->st_mode),
                            .device = status->st_dev,
                            .inode = status->st_ino,
                            .bytes = status->st_size,
                            .modified = sys_modified(status)};
}

bool version_is_of(const struct version *version, const struct stat *now)
{
    return version->known && now->st_dev == version->device && now->st_ino == version->inode;
}

bool version_has_changed(const struct version *version, const struct stat *now)
{
    const struct timespec modified = sys_modified(now);

    if (!version_is_of(version, now) || now->st_size > version->bytes || version->bytes == 0)
        return false;
    return now->st_size < version->bytes || modified.tv_sec != version->modified.tv_sec ||
           modified.tv_nsec != version->modified.tv_nsec;
}

int version_report(const struct version *version, const struct stat *now, const char *name, struct fault *fault)
{
    if (version_is_of(version, now) && now->st_size < version->bytes)
        return version_report_shrunk(name, fault);
    return fault_say(fault, "%s: file has changed while it was read", name);
}

int version_report_shrunk(const char *name, struct fault *fault)
{
    return fault_say(fault, "%s: file has shrunk while it was read", name);
}
