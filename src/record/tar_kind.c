/* Members of tar archives, each with all of its headers (tar_headers.h), one after another without blocks of zeros
 * between them, in groups (group.h). Errors in an archive are found where it is read. */

#include <string.h>

#include "record/group.h"
#include "record/record.h"
#include "record/tail.h"
#include "record/tar_headers.h"
#include "system/fault.h"

static void check_size(const struct tail *tail, const char *name, uint64_t bytes)
{
    (void)tail;
    if (bytes == 0)
        die("%s: empty, and so no tar archive", name);
    if (bytes % TAR_BLOCK_BYTES > 0)
        die("%s: truncated, or no tar archive: its size, %llu bytes, is not a multiple of %d", name,
            (unsigned long long)bytes, TAR_BLOCK_BYTES);
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
    .traits = RECORD_GROUP,
    .file = "a tar archive",
    .is_begun = is_begun,
    .ends = group_ends,
    .check_size = check_size,
};
