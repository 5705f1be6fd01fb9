/*
 * Readers and removal meet at the manifest. Whoever removes a batch has renamed its folder first; then it takes an
 * exclusive lock on the manifest, which fails while there are readers, and unlinks the manifest before all else. So a
 * reader who finds the manifest still in its folder after it has got the shared lock is safe, and one who does not has
 * come too late, as if the batch had never been there. A batch that still has its name is not being removed: when
 * something about it is not as it should be, that is a failure.
 */

#include "store/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "system/io.h"
#include "system/sys.h"

_Noreturn static void report_change(const struct batch *batch, const char *file)
{
    folder_say(&batch->folder, file, "contents have changed since they were written");
}

/* ---- Opening ---- */

/* Open and lock the manifest. False if the batch has left the store; on any other failure the run ends. */
static bool open_manifest(struct batch *batch, const char *name)
{
    const char *cause = NULL;
    int error = folder_open_file(&batch->folder, BATCH_MANIFEST, O_RDONLY, &batch->manifest);

    if (error == ENOENT)
        cause = "missing, so this is no batch: move its folder out of the store, and add the batch again if it was one";
    else if (error == 0 && io_lock(batch->manifest, false) != 0 && errno != ENOTSUP)
        error = errno;
    if (error == EWOULDBLOCK)
        cause = "another process has locked it: try again when that has ended";
    if (cause == NULL && error != 0)
        folder_report(&batch->folder, BATCH_MANIFEST, error);
    if (cause != NULL && folder_stands(&batch->store->folder, name, batch->folder.fd))
        folder_say(&batch->folder, BATCH_MANIFEST, "%s", cause);
    return cause == NULL;
}

/* Read the manifest through its name, not through the locked descriptor: this shows that it is still in its folder.
 * False if the lock has come too late. */
static bool read_manifest(struct batch *batch, struct manifest *manifest)
{
    const unsigned piles = batch->store->format.piles;
    size_t bytes;
    char *text = folder_read(&batch->folder, BATCH_MANIFEST, MANIFEST_BYTES_MAX, &bytes);

    if (text == NULL)
        return false;
    if (!manifest_parse(manifest, text, bytes))
        report_change(batch, BATCH_MANIFEST);
    if (manifest->piles != piles)
        folder_say(&batch->folder, BATCH_MANIFEST, "there are %u piles in it, but %u in the store", manifest->piles,
                   piles);
    free(text);
    batch->piles_at = manifest->piles_at;
    batch->header_bytes = manifest->header_bytes;
    batch->header_checksum = manifest->header_checksum;
    return true;
}

bool batch_open(struct batch *batch, const struct store *store, const char *name, struct manifest *manifest)
{
    int error;

    *batch = (struct batch){.store = store, .manifest = -1};
    error = folder_enter(&batch->folder, &store->folder, name);
    if (error != 0 && error != ENOENT)
        folder_report(&store->folder, name, error);
    if (error == 0 && open_manifest(batch, name) && read_manifest(batch, manifest))
        return true;
    batch_close(batch);
    return false;
}

bool batch_find(const struct store *store, const char *name)
{
    char path[STORE_NAME_MAX + sizeof "/" BATCH_MANIFEST];
    struct manifest manifest;
    struct stat status;
    struct batch batch;

    snprintf(path, sizeof path, "%s/%s", name, BATCH_MANIFEST);
    if (sys_stat_at(store->folder.fd, path, &status) == 0)
        return true;
    if (!batch_open(&batch, store, name, &manifest)) /* which tells why there is none */
        return false;
    manifest_release(&manifest);
    batch_close(&batch);
    return true;
}

void batch_find_all(const struct store *store)
{
    struct folder_names names;

    store_batches(store, &names);
    for (size_t i = 0; i < names.count; i++)
        (void)batch_find(store, names.name[i]);
    folder_names_release(&names);
}

void batch_close(struct batch *batch)
{
    if (batch->folder.path != NULL && batch->manifest >= 0)
        (void)io_close(batch->manifest);
    folder_close(&batch->folder);
    *batch = (struct batch){.manifest = -1};
}

/* ---- Piles ---- */

void batch_add_bytes(const struct batch *batch, const struct manifest *manifest, uint64_t *bytes)
{
    if (manifest->bytes > INT64_MAX - *bytes)
        folder_say(&batch->folder, BATCH_MANIFEST, "with it, the store has more bytes than can be");
    *bytes += manifest->bytes;
}

struct manifest_pile batch_pile(const struct batch *batch, unsigned pile)
{
    char line[MANIFEST_PILE_BYTES];
    struct iovec piece = {.iov_base = line, .iov_len = sizeof line};
    struct manifest_pile entry;
    size_t done;

    if (io_read_at(batch->manifest, &piece, 1, (off_t)(batch->piles_at + (size_t)pile * sizeof line), &done) != 0)
        folder_report(&batch->folder, BATCH_MANIFEST, errno);
    if (!manifest_parse_pile(line, pile, &entry))
        report_change(batch, BATCH_MANIFEST);
    return entry;
}

/* A pile's file, of which *status was looked at unless there was an `error`, is not there as it was written? */
static void check(const struct batch *batch, const char *file, int error, const struct stat *status,
                  const struct manifest_pile *entry)
{
    static const char remedy[] = "move the batch's folder out of the store, and add the batch again";

    if (error == ENOENT)
        folder_say(&batch->folder, file, "missing: %s", remedy);
    if (error != 0 || !S_ISREG(status->st_mode))
        folder_report(&batch->folder, file, error != 0 ? error : FOLDER_NOT_REGULAR);
    if ((uintmax_t)status->st_size != entry->bytes)
        folder_say(&batch->folder, file, "size has changed since it was written: %s", remedy);
}

void batch_check_pile(const struct batch *batch, unsigned pile, const struct manifest_pile *entry)
{
    char file[STORE_NAME_PILE_BYTES];
    struct stat status;
    const int error = sys_stat_at(batch->folder.fd, store_name_of_pile(pile, file), &status) == 0 ? 0 : errno;

    check(batch, file, error, &status, entry);
}

void batch_check_header(const struct batch *batch, const uint8_t *header, size_t bytes, uint64_t checksum)
{
    const struct folder *root = &batch->store->folder;

    if (batch->header_bytes == 0)
        return;
    if (header == NULL)
        folder_report(root, STORE_NAME_HEADER, ENOENT);
    if (batch->header_bytes != bytes || batch->header_checksum != checksum)
        folder_say(root, STORE_NAME_HEADER, "contents have changed since they were written");
}

int batch_open_pile(const struct batch *batch, unsigned pile, const struct manifest_pile *entry)
{
    char file[STORE_NAME_PILE_BYTES];
    struct stat status;
    int fd;
    int error = folder_open_file(&batch->folder, store_name_of_pile(pile, file), O_RDONLY, &fd);

    if (error == 0 && sys_fstat(fd, &status) != 0)
        error = errno;
    check(batch, file, error, &status, entry);
    return fd;
}

void batch_report_damage(const struct batch *batch, unsigned pile)
{
    char file[STORE_NAME_PILE_BYTES];

    report_change(batch, store_name_of_pile(pile, file));
}
