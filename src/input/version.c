#include "input/version.h"

#include "system/sys.h"

/* Devices have small numbers, which are multiplied by 2^64 / phi so that they differ in all bits. */
static uint64_t number_of(const struct stat *status)
{
    const uint64_t number = (uint64_t)status->st_dev * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)status->st_ino;

    return number > 0 ? number : 1;
}

struct version version_of(const struct stat *status)
{
    if (!S_ISREG(status->st_mode))
        return (struct version){.file = 0};
    return (struct version){.file = number_of(status), .bytes = status->st_size, .modified = sys_modified(status)};
}

bool version_is_known(const struct version *version)
{
    return version->file != 0;
}

bool version_is_of(const struct version *version, const struct stat *now)
{
    return version_is_known(version) && version->file == number_of(now);
}

bool version_is_past(const struct version *version, const struct stat *now)
{
    if (!version_is_known(version) || now->st_size > version->bytes || version->bytes == 0)
        return false;
    return now->st_size < version->bytes || version->modified != sys_modified(now);
}

bool version_has_changed(const struct version *version, const struct stat *now)
{
    return version_is_of(version, now) && version_is_past(version, now);
}

bool version_is_same(const struct version *version, const struct stat *now)
{
    return version_is_known(version) && S_ISREG(now->st_mode) && now->st_size == version->bytes &&
           version->modified == sys_modified(now);
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
