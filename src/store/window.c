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
static void put_out(struct store *store, const char *batch)
{
    const struct folder *folder = &store->folder;
    char left[STORE_NAME_BYTES];
    enum folder_verdict verdict;

    store_name_make_unused(left, STORE_NAME_LEFT_PREFIX, batch);
    verdict = folder_rename(folder, batch, left);
    if (verdict == FOLDER_EXISTS)
        folder_report(folder, left, EEXIST);
    if (verdict == FOLDER_MISSING)
        return;
    folder_sync(folder);
    sweep_left(store, left);
}

/* Has a folder with the name of a batch a manifest, so that it is one? */
static bool has_manifest(const struct store *store, const char *name)
{
    char path[STORE_NAME_MAX + sizeof "/" BATCH_MANIFEST];
    struct stat status;

    snprintf(path, sizeof path, "%s/%s", name, BATCH_MANIFEST);
    if (sys_stat_at(store->folder.fd, path, &status) == 0)
        return true;
    if (errno != ENOENT)
        folder_report(&store->folder, path, errno);
    return false;
}

void window_keep(struct store *store, uint64_t keep, const char *added)
{
    struct folder_names names;
    uint64_t batches = 0;

    store_batches(store, &names);
    for (size_t i = names.count; i-- > 0;)
        if (has_manifest(store, names.name[i]) && ++batches > keep && strcmp(names.name[i], added) != 0)
            put_out(store, names.name[i]);
    folder_names_release(&names);
}
