/*
 * Readers and removal meet at the manifest. Whoever removes a batch has renamed its folder first; then it takes an
 * exclusive lock on the manifest, which fails while there are readers, and unlinks the manifest before all else. So a
 * reader who finds the manifest still in its folder after it has got the shared lock is safe, and one who does not has
 * come too late, as if the batch had never been there. A batch that still has its name is not being removed: when
 * something about it is not as it should be, that is a failure.
 */

#include "store/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "system/io.h"
#include "system/sys.h"

static int report_change(const struct batch *batch, const char *file)
{
    return folder_say(&batch->folder, file, "contents have changed since they were written");
}

/* Returns FAILED. */
static enum folder_verdict fail(const struct folder *folder, const char *name)
{
    folder_report(folder, name, errno);
    return FOLDER_FAILED;
}

/* ---- Opening ---- */

/* The manifest cannot be had. MISSING if that is since the batch has left the store; else FAILED, after `cause` was
 * reported. */
static enum folder_verdict miss_manifest(const struct batch *batch, const char *name, const char *cause)
{
    switch (folder_stands(&batch->store->folder, name, batch->folder.fd)) {
    case 0:
        return FOLDER_MISSING;
    case 1:
        folder_say(&batch->folder, BATCH_MANIFEST, "%s", cause);
        return FOLDER_FAILED;
    default:
        return fail(&batch->store->folder, name);
    }
}

static enum folder_verdict lock_manifest(const struct batch *batch, const char *name)
{
    if (io_lock(batch->manifest, false) == 0 || errno == ENOTSUP)
        return FOLDER_OK;
    if (errno == EWOULDBLOCK)
        return miss_manifest(batch, name, "another process has locked it: try again when that has ended");
    return fail(&batch->folder, BATCH_MANIFEST);
}

static enum folder_verdict open_manifest(struct batch *batch, const char *name)
{
    enum folder_verdict verdict = folder_open_file(&batch->folder, BATCH_MANIFEST, &batch->manifest);

    if (verdict == FOLDER_OK)
        return lock_manifest(batch, name);
    if (verdict == FOLDER_FAILED)
        return verdict;
    return miss_manifest(batch, name,
                         "missing, so this is no batch: move its folder out of the store, and add the batch again "
                         "if it was one");
}

static enum folder_verdict parse_manifest(const struct batch *batch, struct manifest *manifest, const char *text,
                                          size_t bytes)
{
    const unsigned piles = batch->store->format.piles;

    if (manifest_parse(manifest, text, bytes) != 0) {
        if (errno == EINVAL)
            report_change(batch, BATCH_MANIFEST);
        else
            fault_report("memory", errno);
        return FOLDER_FAILED;
    }
    if (manifest->piles == piles)
        return FOLDER_OK;
    folder_say(&batch->folder, BATCH_MANIFEST, "there are %u piles in it, but %u in the store", manifest->piles, piles);
    return FOLDER_FAILED;
}

/* The manifest is read through its name and not through the descriptor that is locked: so it is known to be in its
 * folder still. MISSING if the lock has come too late. */
static enum folder_verdict read_manifest(struct batch *batch, struct manifest *manifest)
{
    enum folder_verdict verdict;
    size_t bytes;
    char *text;

    verdict = folder_read(&batch->folder, BATCH_MANIFEST, MANIFEST_BYTES_MAX, &text, &bytes);
    if (verdict == FOLDER_OK)
        verdict = parse_manifest(batch, manifest, text, bytes);
    free(text);
    batch->piles_at = manifest->piles_at;
    batch->header_bytes = manifest->header_bytes;
    batch->header_checksum = manifest->header_checksum;
    return verdict;
}

enum folder_verdict batch_open(struct batch *batch, const struct store *store, const char *name,
                               struct manifest *manifest)
{
    struct manifest parsed = {.piles = 0};
    enum folder_verdict verdict;

    *batch = (struct batch){.store = store, .manifest = -1};
    verdict = folder_enter(&batch->folder, &store->folder, name);
    if (verdict == FOLDER_OK)
        verdict = open_manifest(batch, name);
    if (verdict == FOLDER_OK)
        verdict = read_manifest(batch, &parsed);
    if (verdict != FOLDER_OK)
        batch_close(batch);
    if (verdict != FOLDER_OK || manifest == NULL)
        manifest_release(&parsed);
    if (manifest != NULL)
        *manifest = verdict == FOLDER_OK ? parsed : (struct manifest){.piles = 0};
    return verdict;
}

/* See that a manifest is there, without reading it. If it is not to be seen, opening the batch reports why. 0, or -1
 * after a report. */
static int find_manifest(const struct store *store, const char *name)
{
    enum folder_verdict verdict = FOLDER_OK;
    char path[STORE_NAME_MAX + sizeof "/" BATCH_MANIFEST];
    struct batch batch = {.store = NULL};
    struct stat status;

    snprintf(path, sizeof path, "%s/%s", name, BATCH_MANIFEST);
    if (sys_stat_at(store->folder.fd, path, &status) != 0)
        verdict = batch_open(&batch, store, name, NULL);
    batch_close(&batch);
    return verdict == FOLDER_FAILED ? -1 : 0;
}

int batch_find_all(const struct store *store)
{
    struct folder_names names;
    int status = store_batches(store, &names);

    for (size_t i = 0; i < names.count && status == 0; i++)
        status = find_manifest(store, names.name[i]);
    folder_names_release(&names);
    return status;
}

void batch_close(struct batch *batch)
{
    if (batch->folder.path != NULL && batch->manifest >= 0)
        (void)io_close(batch->manifest);
    folder_close(&batch->folder);
    *batch = (struct batch){.manifest = -1};
}

/* ---- Piles ---- */

int batch_add_bytes(const struct batch *batch, const struct manifest *manifest, uint64_t *bytes)
{
    if (manifest->bytes > INT64_MAX - *bytes)
        return folder_say(&batch->folder, BATCH_MANIFEST, "with it, the store has more bytes than can be");
    *bytes += manifest->bytes;
    return 0;
}

int batch_pile(const struct batch *batch, unsigned pile, struct manifest_pile *entry)
{
    char line[MANIFEST_PILE_BYTES];
    struct iovec piece = {.iov_base = line, .iov_len = sizeof line};
    size_t done;

    if (io_read_at(batch->manifest, &piece, 1, (off_t)(batch->piles_at + (size_t)pile * sizeof line), &done) != 0)
        return folder_report(&batch->folder, BATCH_MANIFEST, errno);
    return manifest_parse_pile(line, pile, entry) == 0 ? 0 : report_change(batch, BATCH_MANIFEST);
}

/* The file of a pile is not there as it was written. Returns -1. */
static int refuse(const struct batch *batch, const char *file, const char *cause)
{
    return folder_say(&batch->folder, file, "%s: move the batch's folder out of the store, and add the batch again",
                      cause);
}

static int check(const struct batch *batch, const char *file, const struct stat *status,
                 const struct manifest_pile *entry)
{
    if (!S_ISREG(status->st_mode))
        return folder_say(&batch->folder, file, "not a regular file");
    if ((uintmax_t)status->st_size != entry->bytes)
        return refuse(batch, file, "size has changed since it was written");
    return 0;
}

int batch_check_pile(const struct batch *batch, unsigned pile, const struct manifest_pile *entry)
{
    char file[STORE_NAME_PILE_BYTES];
    struct stat status;

    if (sys_stat_at(batch->folder.fd, store_name_of_pile(pile, file), &status) != 0)
        return errno == ENOENT ? refuse(batch, file, "missing") : folder_report(&batch->folder, file, errno);
    return check(batch, file, &status, entry);
}

int batch_check_header(const struct batch *batch, const uint8_t *header, size_t bytes, uint64_t checksum)
{
    const struct folder *root = &batch->store->folder;

    if (batch->header_bytes == 0)
        return 0;
    if (header == NULL)
        return folder_report(root, STORE_NAME_HEADER, ENOENT);
    if (batch->header_bytes != bytes || batch->header_checksum != checksum)
        return folder_say(root, STORE_NAME_HEADER, "contents have changed since they were written");
    return 0;
}

int batch_open_pile(const struct batch *batch, unsigned pile, const struct manifest_pile *entry)
{
    char file[STORE_NAME_PILE_BYTES];
    enum folder_verdict verdict;
    struct stat status;
    int fd = -1;

    verdict = folder_open_file(&batch->folder, store_name_of_pile(pile, file), &fd);
    if (verdict == FOLDER_MISSING)
        return refuse(batch, file, "missing");
    if (verdict != FOLDER_OK)
        return -1;
    if (sys_fstat(fd, &status) != 0)
        folder_report(&batch->folder, file, errno);
    else if (check(batch, file, &status, entry) == 0)
        return fd;
    (void)io_close(fd);
    return -1;
}

int batch_report_damage(const struct batch *batch, unsigned pile)
{
    char file[STORE_NAME_PILE_BYTES];

    return report_change(batch, store_name_of_pile(pile, file));
}

int batch_report_records(const struct batch *batch, unsigned pile)
{
    char file[STORE_NAME_PILE_BYTES];

    return folder_say(&batch->folder, store_name_of_pile(pile, file),
                      "does not hold the records that its manifest says");
}
