/*
 * While a directory is read, one batch may come and another one go, so that neither is seen. A list of names that is
 * the same before and after all of them have been opened was true at a time. Where batches come without end, those will
 * do that were all there when they were opened.
 */

#include "store/snapshot.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/xxh64.h"
#include "system/sys.h"

/* Descriptors left to the piles' files that are being read, the output, and what libc opens for a moment; and how many
 * are asked for, since there may be a thread for each of many processors. */
static const unsigned SPARE_DESCRIPTORS = 16;
static const unsigned WANTED_DESCRIPTORS = 1024;

/* To see the same batches twice. */
enum { ATTEMPTS = 100 };

/* Two descriptors are wanted for each batch, and some to spare. The number in the message suffices also for what is
 * open already. */
static int raise_descriptors(const struct store *store, size_t batches)
{
    const size_t open = 2 * batches;
    const unsigned wanted = open < UINT_MAX / 2 ? (unsigned)open + WANTED_DESCRIPTORS : UINT_MAX;

    if (sys_free_descriptors(wanted) >= open + SPARE_DESCRIPTORS)
        return 0;
    return fault_say(store->folder.fault, "%s: %zu batches need %zu open files: raise the limit (ulimit -n)",
                     store->folder.path, batches, open + 4 * (size_t)SPARE_DESCRIPTORS);
}

/* Add up what the batch that was opened last holds, and look at the files of the piles that are wanted. */
static int add_piles(struct snapshot *snapshot, const struct manifest *manifest)
{
    const struct batch *batch = &snapshot->batch[snapshot->batches - 1];

    if (batch_add_bytes(batch, manifest, &snapshot->sum) != 0)
        return -1;
    for (unsigned p = 0; p < snapshot->count; p++) {
        const struct manifest_pile *entry = &manifest->pile[snapshot->number[p]];

        if (batch_check_pile(batch, snapshot->number[p], entry) != 0)
            return -1;
        snapshot->records[p] += entry->records;
        snapshot->bytes[p] += entry->bytes;
    }
    return 0;
}

static enum batch_verdict add_batch(struct snapshot *snapshot, const char *name)
{
    struct manifest manifest;
    enum batch_verdict verdict = batch_open(&snapshot->batch[snapshot->batches], snapshot->store, name, &manifest);

    if (verdict != BATCH_OK)
        return verdict;
    snapshot->batches++;
    if (add_piles(snapshot, &manifest) != 0)
        verdict = BATCH_FAILED;
    manifest_release(&manifest);
    return verdict;
}

static void drop_batches(struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->batches; i++)
        batch_close(&snapshot->batch[i]);
    free(snapshot->batch);
    snapshot->batch = NULL;
    snapshot->batches = 0;
    snapshot->sum = 0;
    memset(snapshot->records, 0, snapshot->count * sizeof *snapshot->records);
    memset(snapshot->bytes, 0, snapshot->count * sizeof *snapshot->bytes);
}

/* Open all batches of these names, in the place of those that were opened before. GONE if one of them has left the
 * store meanwhile. */
static enum batch_verdict add_named(struct snapshot *snapshot, const struct folder_names *names)
{
    const struct store *store = snapshot->store;
    enum batch_verdict verdict = BATCH_OK;

    drop_batches(snapshot);
    if (raise_descriptors(store, names->count) != 0)
        return BATCH_FAILED;
    snapshot->batch = sys_allocate(names->count + 1, sizeof *snapshot->batch);
    if (snapshot->batch == NULL) {
        fault_report(store->folder.fault, "memory", errno);
        return BATCH_FAILED;
    }
    for (size_t i = 0; i < names->count && verdict == BATCH_OK; i++)
        verdict = add_batch(snapshot, names->name[i]);
    return verdict;
}

static bool are_same(const struct folder_names *one, const struct folder_names *other)
{
    size_t i = 0;

    while (i < one->count && i < other->count && strcmp(one->name[i], other->name[i]) == 0)
        i++;
    return i == one->count && i == other->count;
}

static int add_batches(struct snapshot *snapshot)
{
    struct folder_names names = {.count = 0}, again = {.count = 0};
    enum batch_verdict verdict = BATCH_GONE;
    bool same = false;

    for (int attempt = 0; attempt < ATTEMPTS && verdict != BATCH_FAILED && !same; attempt++) {
        folder_names_release(&names);
        folder_names_release(&again);
        if (store_batches(snapshot->store, &names) != 0)
            return -1;
        verdict = add_named(snapshot, &names);
        if (store_batches(snapshot->store, &again) != 0)
            verdict = BATCH_FAILED;
        same = verdict == BATCH_OK && are_same(&names, &again);
    }
    folder_names_release(&names);
    folder_names_release(&again);
    if (verdict == BATCH_GONE)
        return folder_say(&snapshot->store->folder, NULL, "batches leave it faster than they can be opened");
    return verdict == BATCH_OK ? 0 : -1;
}

/* The header must be what the batches say it is. If no batch has one, a failed task may have left it: it counts as
 * none.
 */
static int read_header(struct snapshot *snapshot)
{
    uint64_t checksum;
    bool wanted = false;

    if (store_get_header(snapshot->store, &snapshot->header, &snapshot->header_bytes) != 0)
        return -1;
    checksum = xxh64(snapshot->header, snapshot->header_bytes);
    for (size_t i = 0; i < snapshot->batches; i++) {
        if (batch_check_header(&snapshot->batch[i], snapshot->header, snapshot->header_bytes, checksum) != 0)
            return -1;
        wanted = wanted || snapshot->batch[i].header_bytes > 0;
    }
    if (!wanted) {
        free(snapshot->header);
        snapshot->header = NULL;
        snapshot->header_bytes = 0;
    }
    return 0;
}

int snapshot_take(struct snapshot *snapshot, const struct store *store, const uint32_t *number, unsigned count)
{
    *snapshot = (struct snapshot){.store = store, .number = number, .count = count};
    snapshot->records = sys_allocate((size_t)count + 1, sizeof *snapshot->records);
    snapshot->bytes = sys_allocate((size_t)count + 1, sizeof *snapshot->bytes);
    if (snapshot->records == NULL || snapshot->bytes == NULL)
        return fault_report(store->folder.fault, "memory", errno);
    return add_batches(snapshot) == 0 ? read_header(snapshot) : -1;
}

void snapshot_release(struct snapshot *snapshot)
{
    if (snapshot->records != NULL && snapshot->bytes != NULL)
        drop_batches(snapshot);
    free(snapshot->records);
    free(snapshot->bytes);
    free(snapshot->header);
    *snapshot = (struct snapshot){.store = NULL};
}
