/*
 * Readers and removal meet at the manifest. Whoever removes a batch has renamed its folder first; then it takes an
 * exclusive lock on the manifest, which fails while there are readers, and unlinks the manifest before all else. So a
 * reader who finds the manifest still in its folder after it has got the shared lock is safe, and one who does not has
 * come too late, as if the batch had never been there. A batch that still has its name is not being removed: when
 * something about it is not as it should be, that is a failure.
 *
 * A pile of the store is read file by file: that of the first batch, then that of the second, and so on. Of each batch
 * only its folder and its manifest are open all the time. How large a file is, and what checksum it must have, is read
 * from the manifest again when the file is opened, so that a million files take no memory.
 *
 * While a directory is read, one batch may come and another one go, so that neither is seen. If the list of names is
 * the same before and after all of them have been opened, it was right at that time. If new batches keep coming, a list
 * will do whose batches were all there when they were opened.
 */

#include "store/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xxh64.h"
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

/* What the manifest says of a pile. May be asked by several threads. */
static struct manifest_pile pile_of(const struct batch *batch, unsigned pile)
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

/* End the run if the pile's file is missing, not regular, or not entry->bytes long. *status was looked at unless there
 * was an `error`. */
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

/* Open the file of a pile, checked as above. Returns the descriptor. */
static int open_pile(const struct batch *batch, unsigned pile, const struct manifest_pile *entry)
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

/* ---- All batches at one moment ---- */

/* Descriptors left to the piles' files that are being read, the output, and what libc opens for a moment; and how many
 * are asked for, since there may be a thread for each of many processors. */
static const unsigned SPARE_DESCRIPTORS = 16;
static const unsigned WANTED_DESCRIPTORS = 1024;

/* To see the same batches twice. */
enum { ATTEMPTS = 100 };

/* Two descriptors are wanted for each batch, and some to spare. The number in the message suffices also for what is
 * open already. */
static void raise_descriptors(const struct store *store, size_t batches)
{
    const size_t open = 2 * batches;
    const unsigned wanted = open < UINT_MAX / 2 ? (unsigned)open + WANTED_DESCRIPTORS : UINT_MAX;

    if (sys_free_descriptors(wanted) < open + SPARE_DESCRIPTORS)
        die("%s: %zu batches need %zu open files: raise the limit (ulimit -n)", store->folder.path, batches,
            open + 4 * (size_t)SPARE_DESCRIPTORS);
}

/* Add up what the batch that was opened last holds, and look at the files of the piles that are wanted. */
static void add_piles(struct batches *all, const struct manifest *manifest)
{
    const struct batch *batch = &all->batch[all->opened - 1];

    batch_add_bytes(batch, manifest, &all->sum);
    for (unsigned p = 0; p < all->count; p++) {
        const struct manifest_pile *entry = &manifest->pile[all->number[p]];

        batch_check_pile(batch, all->number[p], entry);
        all->pile[p].records += entry->records;
        all->pile[p].bytes += entry->bytes;
        all->records += entry->records;
        all->bytes += entry->bytes;
    }
}

/* False if it has left the store. */
static bool add_batch(struct batches *all, const char *name)
{
    struct manifest manifest;

    if (!batch_open(&all->batch[all->opened], all->store, name, &manifest))
        return false;
    all->opened++;
    add_piles(all, &manifest);
    manifest_release(&manifest);
    return true;
}

static void drop_batches(struct batches *all)
{
    for (size_t i = 0; i < all->opened; i++)
        batch_close(&all->batch[i]);
    free(all->batch);
    all->batch = NULL;
    all->opened = 0;
    all->records = all->bytes = all->sum = 0;
    memset(all->pile, 0, all->count * sizeof *all->pile);
}

/* Open all batches of these names, in the place of those that were opened before. False if one of them has left the
 * store meanwhile. */
static bool add_named(struct batches *all, const struct folder_names *names)
{
    size_t added = 0;

    drop_batches(all);
    raise_descriptors(all->store, names->count);
    all->batch = fault_allocate(names->count + 1, sizeof *all->batch);
    while (added < names->count && add_batch(all, names->name[added]))
        added++;
    return added == names->count;
}

static bool are_same(const struct folder_names *one, const struct folder_names *other)
{
    size_t i = 0;

    while (i < one->count && i < other->count && strcmp(one->name[i], other->name[i]) == 0)
        i++;
    return i == one->count && i == other->count;
}

static void add_batches(struct batches *all)
{
    bool complete = false, same = false;

    for (int attempt = 0; attempt < ATTEMPTS && !same; attempt++) {
        struct folder_names names, again;

        store_batches(all->store, &names);
        complete = add_named(all, &names);
        store_batches(all->store, &again);
        same = complete && are_same(&names, &again);
        folder_names_release(&names);
        folder_names_release(&again);
    }
    if (!complete)
        folder_say(&all->store->folder, NULL, "batches leave it faster than they can be opened");
}

/* The header must be what the batches say it is. If no batch has one, a failed task may have left it: it counts as
 * none.
 */
static void read_header(struct batches *all)
{
    uint64_t checksum;
    bool wanted = false;

    all->header = store_get_header(all->store, &all->header_bytes);
    checksum = xxh64(all->header, all->header_bytes);
    for (size_t i = 0; i < all->opened; i++) {
        batch_check_header(&all->batch[i], all->header, all->header_bytes, checksum);
        wanted = wanted || all->batch[i].header_bytes > 0;
    }
    if (!wanted) {
        free(all->header);
        all->header = NULL;
        all->header_bytes = 0;
    }
}

/* ---- Where a reader is ---- */

static const struct batches *all_of(const struct storage_reader *reader)
{
    return (const void *)reader->storage;
}

/* The pile's number in the store. */
static unsigned number_of(const struct storage_reader *reader)
{
    return all_of(reader)->number[reader->pile];
}

/* The batch whose file is at hand; the last one if there is none left. */
static const struct batch *batch_of(const struct storage_reader *reader)
{
    const struct batches *all = all_of(reader);
    const size_t last = all->opened - 1;

    return &all->batch[reader->at.store.batch < last ? reader->at.store.batch : last];
}

/* Also if the manifests no longer say what they said when the snapshot was taken. */
_Noreturn static void report_damage(const struct storage_reader *reader)
{
    char file[STORE_NAME_PILE_BYTES];

    report_change(batch_of(reader), store_name_of_pile(number_of(reader), file));
}

/* ---- A file ---- */

/* Open the next file that has any bytes. */
static void begin_file(struct storage_reader *reader)
{
    const struct batches *all = all_of(reader);
    struct manifest_pile entry = {.bytes = 0};

    for (; reader->at.store.batch < all->opened; reader->at.store.batch++) {
        entry = pile_of(batch_of(reader), number_of(reader));
        if (entry.bytes > 0)
            break;
    }
    if (entry.bytes == 0 || entry.bytes > reader->left)
        report_damage(reader);
    reader->at.store.fd = open_pile(batch_of(reader), number_of(reader), &entry);
    sys_sequential(reader->at.store.fd);
    reader->at.store.offset = 0;
    reader->at.store.left = entry.bytes;
    reader->at.store.checksum = entry.checksum;
    xxh64_init(&reader->hash, 0);
}

static void close_file(struct storage_reader *reader)
{
    if (reader->at.store.fd >= 0)
        (void)io_close(reader->at.store.fd);
    reader->at.store.fd = -1;
}

/* Fill the pieces, from their byte `from` on, with what is left of the file, which may have become shorter. Returns how
 * many bytes were filled. */
static size_t read_file(struct storage_reader *reader, const struct iovec *pieces, int count, size_t from)
{
    char file[STORE_NAME_PILE_BYTES];
    struct iovec some[STORAGE_PIECES_MAX];
    size_t bytes, done;
    const int taken = io_pieces_part(pieces, count, from, reader->at.store.left, some, STORAGE_PIECES_MAX, &bytes);

    if (io_read_at(reader->at.store.fd, some, taken, (off_t)reader->at.store.offset, &done) != 0) {
        if (errno == 0)
            report_damage(reader);
        folder_report(&batch_of(reader)->folder, store_name_of_pile(number_of(reader), file), errno);
    }
    for (int i = 0; i < taken; i++)
        xxh64_update(&reader->hash, some[i].iov_base, some[i].iov_len);
    reader->at.store.offset += bytes;
    reader->at.store.left -= bytes;
    reader->left -= bytes;
    return bytes;
}

/* ---- A pile as storage ---- */

static void begin(struct storage_reader *reader)
{
    reader->left = all_of(reader)->pile[reader->pile].bytes;
    reader->at.store.fd = -1;
}

static void read_pieces(struct storage_reader *reader, const struct iovec *pieces, int count)
{
    size_t wanted = 0;

    for (int i = 0; i < count; i++)
        wanted += pieces[i].iov_len;
    for (size_t done = 0; done < wanted;) {
        if (reader->at.store.fd < 0)
            begin_file(reader);
        done += read_file(reader, pieces, count, done);
        if (reader->at.store.left > 0)
            continue;
        close_file(reader);
        if (xxh64_value(&reader->hash) != reader->at.store.checksum)
            report_damage(reader);
        reader->at.store.batch++;
    }
}

/* A checksum is no signature: under one that is right, a manifest may say what is not so. */
_Noreturn static void report_records(struct storage *storage, unsigned pile)
{
    const struct batches *all = (const void *)storage;
    char file[STORE_NAME_PILE_BYTES];

    folder_say(&all->store->folder, NULL, "files %s do not hold the records that manifests say",
               store_name_of_pile(all->number[pile], file));
}

/* ---- The whole ---- */

struct batches *batch_open_all(const struct store *store, const uint32_t *number, unsigned count)
{
    static const struct storage_kind kind = {
        .begin = begin, .read = read_pieces, .end = close_file, .report = report_records};
    struct batches *all = fault_allocate(1, sizeof *all);

    *all = (struct batches){.storage.kind = &kind, .store = store, .number = number, .count = count};
    all->pile = fault_allocate((size_t)count + 1, sizeof *all->pile);
    add_batches(all);
    read_header(all);
    return all;
}

void batch_close_all(struct batches *all)
{
    drop_batches(all);
    free(all->pile);
    free(all->header);
    free(all);
}
