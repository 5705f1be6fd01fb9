/* Members of tar archives (tar_headers.h), which stand in groups. What is wrong with an archive is told where it is
 * read; here only its size is looked at. */

#include <string.h>

#include "record/record.h"
#include "record/tail.h"
#include "record/tar_headers.h"
#include "system/fault.h"

static size_t find_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                        uint32_t *ends, size_t room, size_t *scanned)
{
    (void)format;
    return tar_scan_ends(&scan->tar, data, bytes, ends, room, scanned);
}

static ssize_t find_missing(const struct record_format *format, const struct record_scan *scan, const uint8_t **missing)
{
    *missing = &format->delimiter;
    return scan->open;
}

static void check_size(const struct tail *tail, const char *name, uint64_t bytes)
{
    (void)tail;
    if (bytes == 0)
        fault_say("%s: empty, and so no tar archive", name);
    if (bytes % TAR_BLOCK_BYTES > 0)
        fault_say("%s: truncated, or no tar archive: its size, %llu bytes, is not a multiple of %d", name,
                  (unsigned long long)bytes, TAR_BLOCK_BYTES);
}

static void follow(struct tail *tail, const char *name, const uint8_t *data, size_t bytes)
{
    (void)tail;
    (void)name;
    (void)data;
    (void)bytes;
}

/* The mark of POSIX in the first header, and of GNU tar; what has none is older than 1988. */
static bool is_begun(const uint8_t *data, size_t bytes)
{
    enum { AT = 257 };
    static const char mark[] = {'u', 's', 't', 'a', 'r'};

    return bytes >= AT + sizeof mark && memcmp(data + AT, mark, sizeof mark) == 0;
}

const struct record_kind tar_kind = {
    .name = "tar",
    .text = "samples: members of archives\nwhose names are the same up to\nthe first dot",
    .noun = "members",
    .traits = RECORD_MEMBER,
    .file = "a tar archive",
    .is_begun = is_begun,
    .stored = "members of tar archives",
    .ends = find_ends,
    .missing = find_missing,
    .check_size = check_size,
    .follow = follow,
};
