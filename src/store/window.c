/* What leaves the store is renamed first and emptied then (sweep.c). */

#include "store/window.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store/batch.h"
#include "store/name.h"
#include "store/sweep.h"
#include "system/sys.h"

/* Let a batch leave the store, and remove its files if nobody reads it. The new name is on disk before the first file
 * is removed, so that no loss of power leaves a part of a batch under the old one. */
static int put_out(struct store *store, const char *batch)
{
    const struct folder *folder = &store->folder;
    char left[STORE_NAME_BYTES];

    if (store_name_make_unused(left, STORE_NAME_LEFT_PREFIX, batch) != 0)
        return fault_report("random number", errno);
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
    sweep_left(store, left);
    return 0;
}

/* Has a folder with the name of a batch a manifest, so that it is one? 1 or 0, or -1 after a report. */
static int has_manifest(const struct store *store, const char *name)
{
    char path[STORE_NAME_MAX + sizeof "/" BATCH_MANIFEST];
    struct stat status;

    snprintf(path, sizeof path, "%s/%s", name, BATCH_MANIFEST);
    if (sys_stat_at(store->folder.fd, path, &status) == 0)
        return 1;
    return errno == ENOENT ? 0 : folder_report(&store->folder, path, errno);
}

int window_keep(struct store *store, uint64_t keep, const char *added)
{
    struct folder_names names;
    uint64_t batches = 0;
    int status = 0;

    if (store_batches(store, &names) != 0)
        return -1;
    for (size_t i = names.count; i > 0 && status == 0; i--) {
        const char *name = names.name[i - 1];
        int is = has_manifest(store, name);

        if (is < 0)
            status = -1;
        else if (is > 0 && ++batches > keep && strcmp(name, added) != 0)
            status = put_out(store, name);
    }
    folder_names_release(&names);
    return status;
}
