/*
 * Readers and removal meet at the file's lock. Removal first renames a batch; then it takes an exclusive lock, which
 * fails while there are readers, and unlinks it. So a reader with the shared lock is safe. A batch that still has its
 * name is not being removed: if anything about it is wrong, the run ends.
 *
 * A pile of the store is read batch by batch. Its place, size and checksum in a batch are read from the manifest again
 * when its turn comes, so that a million piles take no memory. Where batches have only a little of each pile, several
 * piles are read from one batch before the next: the manifest is read once for all, and the system's data about the
 * file is still in the processor's cache.
 *
 * While a directory is read, one batch may come and another one go, so that neither is seen. If the list of names is
 * the same before and after all of them were opened, it was right in between. If new batches keep coming, any list will
 * do whose batches could all be opened.
 */

#include "store/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/tunable.h"
#include "base/xxh64.h"
#include "system/io.h"
#include "system/sys.h"

/* Read `bytes` bytes at offset `at` of the file. 0, or the errno. */
static int read_at(const struct batch *batch, void *data, size_t bytes, uint64_t at)
{
    const struct iovec piece = {.iov_base = data, .iov_len = bytes};
    size_t done;

    return io_read_at(batch->fd, &piece, 1, (off_t)at, &done) == 0 ? 0 : errno != 0 ? errno : ENODATA;
}

static const char *cause_of(int error)
{
    return error == ENODATA ? STORE_CHANGED : fault_cause(error);
}

/* ---- Opening ---- */

/* Find the manifest, and read it. NULL, or what is wrong. */
static const char *read_manifest(struct batch *batch, struct manifest *manifest)
{
    static const char none[] =
        "no batch, or cut short: move it out of the store, and add the batch again if it was one";
    uint8_t end_data[MANIFEST_END_BYTES], *data;
    struct manifest_end end;
    struct stat status;
    bool good;
    int error;

    if (io_lock(batch->fd, false) != 0 && errno != ENOTSUP)
        return errno == EWOULDBLOCK ? "another process has locked it: try again when that has ended"
                                    : fault_cause(errno);
    if (sys_fstat(batch->fd, &status) != 0)
        return fault_cause(errno);
    if (status.st_size < MANIFEST_END_BYTES)
        return none;
    error = read_at(batch, end_data, sizeof end_data, (uint64_t)status.st_size - MANIFEST_END_BYTES);
    if (error != 0)
        return cause_of(error);
    if (!manifest_find(&end, end_data, (uint64_t)status.st_size))
        return none;
    data = fault_allocate((size_t)end.bytes, 1);
    error = read_at(batch, data, (size_t)end.bytes, end.at);
    good = error == 0 && manifest_parse(manifest, data, &end);
    free(data);
    batch->manifest_at = end.at;
    batch->header_bytes = manifest->header_bytes;
    batch->header_checksum = manifest->header_checksum;
    return good ? NULL : cause_of(error != 0 ? error : ENODATA);
}

bool batch_open(struct batch *batch, const struct store *store, const char *name, struct manifest *manifest)
{
    const struct folder *root = &store->folder;
    const unsigned piles = store->format.piles;
    const char *wrong;
    int error;

    *batch = (struct batch){.store = store, .fd = -1};
    *manifest = (struct manifest){.piles = 0};
    error = folder_open_file(root, name, O_RDONLY, &batch->fd);
    if (error == ENOENT)
        return false;
    if (error != 0)
        folder_report(root, name, error);
    batch->name = fault_text("%s", name);
    wrong = read_manifest(batch, manifest);
    if (wrong == NULL && manifest->piles != piles)
        wrong = fault_text("there are %u piles in it, but %u in the store", manifest->piles, piles);
    if (wrong == NULL)
        return true;
    if (folder_stands(root, name, batch->fd))
        folder_say(root, name, "%s", wrong);
    manifest_release(manifest);
    batch_close(batch);
    return false;
}

void batch_close(struct batch *batch)
{
    if (batch->name != NULL)
        (void)io_close(batch->fd);
    free(batch->name);
    *batch = (struct batch){.fd = -1};
}

char *batch_of_same_inputs(const struct store *store, const struct manifest *inputs, const char *name)
{
    const char *end = strrchr(name, '-');
    struct folder_names names;
    char *found = NULL;

    store_batches(store, &names);
    for (size_t i = 0; i < names.count && found == NULL && inputs->known; i++) {
        const char *other = strrchr(names.name[i], '-');
        struct manifest manifest;
        struct batch batch;
        struct stat status;

        if (other == NULL || strcmp(other, end) != 0 || !batch_open(&batch, store, names.name[i], &manifest))
            continue;
        if (manifest.digest == inputs->digest && sys_fstat(batch.fd, &status) == 0 &&
            sys_modified(&status) > inputs->changed)
            found = fault_text("%s", names.name[i]);
        manifest_release(&manifest);
        batch_close(&batch);
    }
    folder_names_release(&names);
    return found;
}

/* ---- Piles ---- */

void batch_add_bytes(const struct batch *batch, const struct manifest *manifest, uint64_t *bytes)
{
    if (manifest->bytes > INT64_MAX - *bytes)
        folder_say(&batch->store->folder, batch->name, "with it, the store has more bytes than can be");
    *bytes += manifest->bytes;
}

void batch_check_header(const struct batch *batch, const uint8_t *header, size_t bytes, uint64_t checksum)
{
    const struct folder *root = &batch->store->folder;

    if (batch->header_bytes == 0)
        return;
    if (header == NULL)
        folder_report(root, STORE_NAME_HEADER, ENOENT);
    if (batch->header_bytes != bytes || batch->header_checksum != checksum)
        folder_say(root, STORE_NAME_HEADER, STORE_CHANGED);
}

/* ---- All batches at one moment ---- */

/* Descriptors left to the output and libc; and how many are asked for. */
static const unsigned SPARE_DESCRIPTORS = 16;
static const unsigned WANTED_DESCRIPTORS = 1024;

/* Several piles are read together if batches have less than this of a pile on average. */
TUNABLE(SMALL_BYTES, 32 << 10, 1, 32 << 10);

/* How often a list is tried, to see the same batches twice. */
enum { ATTEMPTS = 100 };

/* A descriptor is wanted for each batch, and some to spare. The number in the message includes descriptors that are
 * open already. */
static void raise_descriptors(const struct store *store, size_t batches)
{
    const unsigned wanted = batches < UINT_MAX / 2 ? (unsigned)batches + WANTED_DESCRIPTORS : UINT_MAX;

    if (sys_free_descriptors(wanted) < batches + SPARE_DESCRIPTORS)
        die("%s: %zu batches need %zu open files: raise the limit (ulimit -n)", store->folder.path, batches,
            batches + 4 * (size_t)SPARE_DESCRIPTORS);
}

/* Add the wanted piles of the batch that was opened last. */
static void add_piles(struct batches *all, const struct manifest *manifest)
{
    const struct batch *batch = &all->batch[all->opened - 1];

    batch_add_bytes(batch, manifest, &all->sum);
    for (unsigned p = 0; p < all->count; p++) {
        const struct manifest_pile *entry = &manifest->pile[all->number[p]];

        all->pile[p].records += entry->records;
        all->pile[p].bytes += entry->bytes;
        all->records += entry->records;
        all->bytes += entry->bytes;
    }
}

/* False if the batch has left the store. */
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

/* Open all batches of these names, instead of those opened before. False if one has left the store meanwhile. */
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

/* Read the header, which must be that of the batches' manifests. If no batch has one, a failed task may have left it,
 * and it is ignored. */
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

/* ---- The place of a reader ---- */

static const struct batches *all_of(const struct storage_reader *reader)
{
    return (const void *)reader->storage;
}

/* The pile's number in the store. */
static unsigned number_of(const struct storage_reader *reader)
{
    return all_of(reader)->number[reader->pile];
}

/* The current batch; the last one at the end. */
static const struct batch *batch_of(const struct storage_reader *reader)
{
    const struct batches *all = all_of(reader);
    const size_t last = all->opened - 1;

    return &all->batch[reader->at.store.batch < last ? reader->at.store.batch : last];
}

/* End the run: reading fails with the errno `error`; or (0, ENODATA) the batch is not as it was when opened. */
_Noreturn static void report_batch(const struct storage_reader *reader, int error)
{
    const struct batch *batch = batch_of(reader);

    if (error != 0 && error != ENODATA)
        folder_report(&batch->store->folder, batch->name, error);
    folder_say(&batch->store->folder, batch->name, "pile %u: " STORE_CHANGED, number_of(reader));
}

/* Begin with the current batch, whose part of the pile is `pile`. */
static void begin_batch(struct storage_reader *reader, struct manifest_pile pile)
{
    if (pile.bytes == 0 || pile.bytes > reader->left)
        report_batch(reader, 0);
    reader->at.store.left = pile.bytes;
    reader->at.store.checksum = pile.checksum;
    reader->at.store.extent = pile.first.bytes;
    reader->at.store.offset = pile.first.place;
    reader->at.store.more = pile.more;
    xxh64_init(&reader->hash, 0);
}

/* Read the entries of `count` piles, from number `first` on, in the current batch's manifest. */
static void read_entries(const struct storage_reader *reader, unsigned first, unsigned count, uint8_t *data)
{
    const uint64_t at = batch_of(reader)->manifest_at + MANIFEST_HEAD_BYTES + first * (uint64_t)MANIFEST_PILE_BYTES;
    const int error = read_at(batch_of(reader), data, count * (size_t)MANIFEST_PILE_BYTES, at);

    if (error != 0)
        report_batch(reader, error);
}

/* Go on to the next batch that has any bytes of the pile. */
static void find_batch(struct storage_reader *reader)
{
    struct manifest_pile pile = {.bytes = 0};

    for (; reader->at.store.batch < all_of(reader)->opened; reader->at.store.batch++) {
        uint8_t data[MANIFEST_PILE_BYTES];

        read_entries(reader, number_of(reader), 1, data);
        pile = manifest_load_pile(data);
        if (pile.bytes > 0)
            break;
    }
    begin_batch(reader, pile);
}

static void next_extent(struct storage_reader *reader)
{
    uint8_t data[MANIFEST_EXTENT_BYTES];
    const int error = read_at(batch_of(reader), data, sizeof data, reader->at.store.more);
    const struct manifest_extent extent = manifest_load_extent(data);

    if (error != 0)
        report_batch(reader, error);
    reader->at.store.extent = extent.bytes;
    reader->at.store.offset = extent.place;
    reader->at.store.more += sizeof data;
}

/* Fill the pieces, from their byte `from` on, with the rest of the extent. Returns the number of bytes filled. */
static size_t read_extent(struct storage_reader *reader, const struct iovec *pieces, int count, size_t from)
{
    struct iovec some[STORAGE_PIECES_MAX];
    const uint64_t extent = reader->at.store.extent;
    size_t bytes, done;
    int taken;

    if (extent == 0 || extent > reader->at.store.left || reader->at.store.offset > INT64_MAX - extent)
        report_batch(reader, 0);
    taken = io_pieces_part(pieces, count, from, extent, some, STORAGE_PIECES_MAX, &bytes);
    if (io_read_at(batch_of(reader)->fd, some, taken, (off_t)reader->at.store.offset, &done) != 0)
        report_batch(reader, errno);
    for (int i = 0; i < taken; i++)
        xxh64_update(&reader->hash, some[i].iov_base, some[i].iov_len);
    reader->at.store.offset += bytes;
    reader->at.store.extent -= bytes;
    reader->at.store.left -= bytes;
    reader->left -= bytes;
    return bytes;
}

/* ---- A pile as storage ---- */

static void begin_pile(struct storage_reader *reader)
{
    reader->left = all_of(reader)->pile[reader->pile].bytes;
}

static void read_pieces(struct storage_reader *reader, const struct iovec *pieces, int count)
{
    size_t wanted = 0;

    for (int i = 0; i < count; i++)
        wanted += pieces[i].iov_len;
    for (size_t done = 0; done < wanted;) {
        if (reader->at.store.left == 0)
            find_batch(reader);
        else if (reader->at.store.extent == 0)
            next_extent(reader);
        done += read_extent(reader, pieces, count, done);
        if (reader->at.store.left > 0)
            continue;
        if (xxh64_value(&reader->hash) != reader->at.store.checksum)
            report_batch(reader, 0);
        reader->at.store.batch++;
    }
}

/* Batch after batch, with a reader for each pile. */
static void load_piles(struct storage *storage, unsigned first, unsigned last, storage_place *place, void *context)
{
    const struct batches *all = (const void *)storage;
    struct storage_reader *readers = fault_allocate(last - first, sizeof *readers);
    uint8_t *data = fault_allocate(all->store->format.piles, MANIFEST_PILE_BYTES);

    for (unsigned p = first; p < last; p++)
        storage_reader_init(&readers[p - first], storage, p);
    for (size_t b = 0; b < all->opened; b++) {
        readers->at.store.batch = b;
        read_entries(readers, 0, all->store->format.piles, data);
        for (unsigned p = first; p < last; p++) {
            struct storage_reader *reader = &readers[p - first];
            const struct manifest_pile pile = manifest_load_pile(data + all->number[p] * (size_t)MANIFEST_PILE_BYTES);

            reader->at.store.batch = b;
            if (pile.bytes > 0)
                begin_batch(reader, pile);
            while (reader->at.store.left > 0) {
                struct iovec pieces[STORAGE_PIECES_MAX];
                const int count = place(context, p, reader->at.store.left, pieces, STORAGE_PIECES_MAX);

                MUST_ALWAYS(count > 0);
                read_pieces(reader, pieces, count);
            }
        }
    }
    for (unsigned p = first; p < last; p++)
        if (readers[p - first].left > 0)
            report_batch(&readers[p - first], 0);
    free(readers);
    free(data);
}

/* A checksum is no signature: a manifest may be false although its checksum is right. */
_Noreturn static void report_batch_records(struct storage *storage, unsigned pile)
{
    const struct batches *all = (const void *)storage;

    folder_say(&all->store->folder, NULL, "pile %u does not hold the records that its batches say", all->number[pile]);
}

/* ---- The whole ---- */

struct batches *batch_open_all(const struct store *store, const uint32_t *number, unsigned count)
{
    static const struct storage_kind kind = {
        .begin = begin_pile, .read = read_pieces, .load = load_piles, .report = report_batch_records};
    struct batches *all = fault_allocate(1, sizeof *all);

    *all = (struct batches){.storage.kind = &kind, .store = store, .number = number, .count = count};
    all->pile = fault_allocate((size_t)count + 1, sizeof *all->pile);
    add_batches(all);
    read_header(all);
    all->storage.loads = all->bytes / (count + 1) / (all->opened + 1) < SMALL_BYTES;
    return all;
}

void batch_close_all(struct batches *all)
{
    drop_batches(all);
    free(all->pile);
    free(all->header);
    free(all);
}
