/*
 * A pile of the store is read part by part: its part in the first batch, then that in the second, and so on. Of each
 * batch only its folder and its manifest are open all the time. How large a part is, and what checksum it must have, is
 * read from the manifest again when the part is begun, so that a million parts take no memory.
 *
 * While a directory is read, one batch may come and another one go, so that neither is seen. A list of names that is
 * the same before and after all of them have been opened was true at a time. Where batches come without end, those will
 * do that were all there when they were opened.
 *
 * Records that start with a string (record.h) have it at the front in the files, so the stream of a part is its file
 * without the string at the beginning and with one at the end:
 *
 *     file        >    a \n > b \n
 *     stream           a \n > b \n    >
 */

#include "store/reader.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/xxh64.h"
#include "system/io.h"
#include "system/sys.h"

enum {
    PIECES = 64,         /* of one transfer: 64 blocks of 64 KiB are 4 MiB */
    COUNT_BYTES = 16384, /* of a part, in which records are counted at a time; on the thread's stack */
};

struct store_reader {
    struct storage storage; /* first */
    const struct store *store;
    const uint8_t *start;   /* what records start with, */
    size_t start_bytes;     /* 0 if it is nothing */
    const uint32_t *number; /* of the piles that are wanted, in the store: number[0] ... number[count - 1] */
    unsigned count;
    struct batch *batch; /* in bytewise order of their names */
    size_t batches;
    uint64_t *records; /* [count]: of a pile, in all batches */
    uint64_t *bytes;   /* [count] */
    uint64_t sum;      /* of the bytes of all piles, also those that are not wanted */
    uint8_t *header;   /* of all inputs, verified; NULL if there is none */
    size_t header_bytes;
};

/* ---- All batches at one moment ---- */

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
    return fault_say("%s: %zu batches need %zu open files: raise the limit (ulimit -n)",
                     store->folder.path, batches, open + 4 * (size_t)SPARE_DESCRIPTORS);
}

/* Add up what the batch that was opened last holds, and look at the files of the piles that are wanted. */
static int add_piles(struct store_reader *all, const struct manifest *manifest)
{
    const struct batch *batch = &all->batch[all->batches - 1];

    if (batch_add_bytes(batch, manifest, &all->sum) != 0)
        return -1;
    for (unsigned p = 0; p < all->count; p++) {
        const struct manifest_pile *entry = &manifest->pile[all->number[p]];

        if (batch_check_pile(batch, all->number[p], entry) != 0)
            return -1;
        all->records[p] += entry->records;
        all->bytes[p] += entry->bytes;
    }
    return 0;
}

static enum folder_verdict add_batch(struct store_reader *all, const char *name)
{
    struct manifest manifest;
    enum folder_verdict verdict = batch_open(&all->batch[all->batches], all->store, name, &manifest);

    if (verdict != FOLDER_OK)
        return verdict;
    all->batches++;
    if (add_piles(all, &manifest) != 0)
        verdict = FOLDER_FAILED;
    manifest_release(&manifest);
    return verdict;
}

static void drop_batches(struct store_reader *all)
{
    for (size_t i = 0; i < all->batches; i++)
        batch_close(&all->batch[i]);
    free(all->batch);
    all->batch = NULL;
    all->batches = 0;
    all->sum = 0;
    memset(all->records, 0, all->count * sizeof *all->records);
    memset(all->bytes, 0, all->count * sizeof *all->bytes);
}

/* Open all batches of these names, in the place of those that were opened before. MISSING if one of them has left the
 * store meanwhile. */
static enum folder_verdict add_named(struct store_reader *all, const struct folder_names *names)
{
    const struct store *store = all->store;
    enum folder_verdict verdict = FOLDER_OK;

    drop_batches(all);
    if (raise_descriptors(store, names->count) != 0)
        return FOLDER_FAILED;
    all->batch = sys_allocate(names->count + 1, sizeof *all->batch);
    if (all->batch == NULL) {
        fault_report("memory", errno);
        return FOLDER_FAILED;
    }
    for (size_t i = 0; i < names->count && verdict == FOLDER_OK; i++)
        verdict = add_batch(all, names->name[i]);
    return verdict;
}

static bool are_same(const struct folder_names *one, const struct folder_names *other)
{
    size_t i = 0;

    while (i < one->count && i < other->count && strcmp(one->name[i], other->name[i]) == 0)
        i++;
    return i == one->count && i == other->count;
}

static int add_batches(struct store_reader *all)
{
    struct folder_names names = {.count = 0}, again = {.count = 0};
    enum folder_verdict verdict = FOLDER_MISSING;
    bool same = false;

    for (int attempt = 0; attempt < ATTEMPTS && verdict != FOLDER_FAILED && !same; attempt++) {
        folder_names_release(&names);
        folder_names_release(&again);
        if (store_batches(all->store, &names) != 0)
            return -1;
        verdict = add_named(all, &names);
        if (store_batches(all->store, &again) != 0)
            verdict = FOLDER_FAILED;
        same = verdict == FOLDER_OK && are_same(&names, &again);
    }
    folder_names_release(&names);
    folder_names_release(&again);
    if (verdict == FOLDER_MISSING)
        return folder_say(&all->store->folder, NULL, "batches leave it faster than they can be opened");
    return verdict == FOLDER_OK ? 0 : -1;
}

/* The header must be what the batches say it is. If no batch has one, a failed task may have left it: it counts as
 * none.
 */
static int read_header(struct store_reader *all)
{
    uint64_t checksum;
    bool wanted = false;

    if (store_get_header(all->store, &all->header, &all->header_bytes) != 0)
        return -1;
    checksum = xxh64(all->header, all->header_bytes);
    for (size_t i = 0; i < all->batches; i++) {
        if (batch_check_header(&all->batch[i], all->header, all->header_bytes, checksum) != 0)
            return -1;
        wanted = wanted || all->batch[i].header_bytes > 0;
    }
    if (!wanted) {
        free(all->header);
        all->header = NULL;
        all->header_bytes = 0;
    }
    return 0;
}

/* ---- Where a reader is ---- */

static const struct store_reader *store_of(const struct storage_reader *reader)
{
    return (const struct store_reader *)reader->storage;
}

/* The pile's number in the store. */
static unsigned number_of(const struct storage_reader *reader)
{
    return store_of(reader)->number[reader->pile];
}

/* The batch whose part is at hand; the last one if there is none left. */
static const struct batch *batch_of(const struct storage_reader *reader)
{
    const struct store_reader *all = store_of(reader);
    const size_t last = all->batches - 1;

    return &all->batch[reader->at.part.batch < last ? reader->at.part.batch : last];
}

/* Also if the manifests no longer say what they said when the snapshot was taken. */
static int report_damage(const struct storage_reader *reader)
{
    return batch_report_damage(batch_of(reader), number_of(reader));
}

/* ---- The file of a part ---- */

/* Fill the pieces from the file. */
static int fetch(struct storage_reader *reader, struct iovec *pieces, int count)
{
    char file[STORE_NAME_PILE_BYTES];
    size_t done;
    int status = io_read_at(reader->at.part.fd, pieces, count, (off_t)reader->at.part.offset, &done);

    reader->at.part.offset += done;
    if (status == 0)
        return 0;
    if (errno == 0) /* it has become shorter */
        return report_damage(reader);
    return folder_report(&batch_of(reader)->folder, store_name_of_pile(number_of(reader), file), errno);
}

/* The file begins with what the records start with. */
static int skip_start(struct storage_reader *reader)
{
    const struct store_reader *store = store_of(reader);
    uint8_t found[RECORD_DELIMITER_BYTES_MAX];
    struct iovec piece = {.iov_base = found, .iov_len = store->start_bytes};

    if (fetch(reader, &piece, 1) != 0)
        return -1;
    xxh64_update(&reader->hash, found, store->start_bytes);
    return memcmp(found, store->start, store->start_bytes) == 0 ? 0 : report_damage(reader);
}

/* Open the next part that has any bytes. */
static int begin_part(struct storage_reader *reader)
{
    const struct store_reader *store = store_of(reader);
    struct manifest_pile entry = {.bytes = 0};

    for (; reader->at.part.batch < store->batches; reader->at.part.batch++) {
        if (batch_pile(batch_of(reader), number_of(reader), &entry) != 0)
            return -1;
        if (entry.bytes > 0)
            break;
    }
    if (entry.bytes == 0 || entry.bytes > reader->left || entry.bytes < store->start_bytes)
        return report_damage(reader);
    reader->at.part.fd = batch_open_pile(batch_of(reader), number_of(reader), &entry);
    if (reader->at.part.fd < 0)
        return -1;
    sys_sequential(reader->at.part.fd);
    reader->at.part.offset = 0;
    reader->at.part.left = entry.bytes;
    reader->at.part.records = entry.records;
    reader->at.part.checksum = entry.checksum;
    xxh64_init(&reader->hash, 0);
    return store->start_bytes > 0 ? skip_start(reader) : 0;
}

static void close_part(struct storage_reader *reader)
{
    if (reader->at.part.fd >= 0)
        (void)io_close(reader->at.part.fd);
    reader->at.part.fd = -1;
}

static int end_part(struct storage_reader *reader)
{
    close_part(reader);
    if (xxh64_value(&reader->hash) != reader->at.part.checksum)
        return report_damage(reader);
    reader->at.part.batch++;
    return 0;
}

/* ---- The stream of a part ---- */

/* Fill the first of the pieces from the file, which has `limit` bytes to come. Returns the number of bytes, or -1 after
 * a report. */
static ssize_t read_file(struct storage_reader *reader, const struct iovec *pieces, int count, uint64_t limit)
{
    struct iovec some[PIECES], filled[PIECES];
    size_t bytes;
    int taken = io_pieces_begin(pieces, count, limit, some, PIECES, &bytes);

    memcpy(filled, some, (size_t)taken * sizeof *some);
    if (fetch(reader, some, taken) != 0)
        return -1;
    for (int i = 0; i < taken; i++)
        xxh64_update(&reader->hash, filled[i].iov_base, filled[i].iov_len);
    return (ssize_t)bytes;
}

/* The last bytes of the stream, of which `left` are to come, are those with which records start. */
static ssize_t read_start(const struct storage_reader *reader, const struct iovec *piece, size_t left)
{
    const struct store_reader *store = store_of(reader);
    size_t bytes = piece->iov_len < left ? piece->iov_len : left;

    memcpy(piece->iov_base, store->start + store->start_bytes - left, bytes);
    return (ssize_t)bytes;
}

/* Fill the first of the pieces. Returns the number of bytes, or -1 after a report. */
static ssize_t read_part(struct storage_reader *reader, const struct iovec *pieces, int count)
{
    const uint64_t start_bytes = store_of(reader)->start_bytes;
    const uint64_t left = reader->at.part.left;
    ssize_t bytes;

    if (left > start_bytes)
        bytes = read_file(reader, pieces, count, left - start_bytes);
    else
        bytes = read_start(reader, pieces, (size_t)left);
    if (bytes > 0) {
        reader->left -= (uint64_t)bytes;
        reader->at.part.left -= (uint64_t)bytes;
    }
    return bytes;
}

/* ---- A pile as storage ---- */

static void begin(struct storage_reader *reader)
{
    reader->left = store_of(reader)->bytes[reader->pile];
    reader->at.part.fd = -1;
}

static int read_pieces(struct storage_reader *reader, struct iovec *pieces, int count)
{
    int used = io_pieces_advance(pieces, count, 0);

    while (used < count) {
        ssize_t bytes;

        if (reader->at.part.fd < 0 && begin_part(reader) != 0)
            return -1;
        bytes = read_part(reader, pieces + used, count - used);
        if (bytes < 0 || (reader->at.part.left == 0 && end_part(reader) != 0))
            return -1;
        used += io_pieces_advance(pieces + used, count - used, (size_t)bytes);
    }
    return 0;
}

/* Count the records of a part that has been begun, up to its end. UINT64_MAX if the last one is not whole. */
static int count_part(struct storage_reader *reader, uint64_t *records)
{
    const struct record_format *format = &store_of(reader)->store->format.record;
    struct record_scan scan = {0};
    uint8_t data[COUNT_BYTES];
    bool whole = true;

    *records = 0;
    while (reader->at.part.left > 0) {
        struct iovec piece = {.iov_base = data, .iov_len = sizeof data};
        ssize_t bytes = read_part(reader, &piece, 1);

        if (bytes < 0)
            return -1;
        *records += record_count(format, &scan, data, (size_t)bytes, &whole);
    }
    if (!whole)
        *records = UINT64_MAX;
    return 0;
}

/* Of the first part whose records are not as many as its manifest says. */
static int report_records(struct storage *storage, unsigned pile)
{
    struct storage_reader reader;
    uint64_t found = 0;
    int status = 0;

    storage_reader_init(&reader, storage, pile);
    while (reader.left > 0 && status == 0 && begin_part(&reader) == 0) {
        status = count_part(&reader, &found);
        if (status == 0 && found != reader.at.part.records)
            status = batch_report_records(batch_of(&reader), number_of(&reader));
        if (status == 0)
            status = end_part(&reader);
    }
    storage_reader_release(&reader);
    return status != 0 || reader.left > 0 ? -1 : report_damage(&reader);
}

/* ---- The whole ---- */

struct store_reader *store_reader_open(const struct store *store, const uint32_t *number, unsigned count)
{
    static const struct storage_kind kind = {
        .begin = begin, .read = read_pieces, .end = close_part, .report = report_records};
    struct store_reader *all = sys_allocate(1, sizeof *all);

    if (all != NULL) {
        *all = (struct store_reader){.storage.kind = &kind, .store = store, .number = number, .count = count};
        all->start = record_start(&store->format.record, &all->start_bytes);
        all->records = sys_allocate((size_t)count + 1, sizeof *all->records);
        all->bytes = sys_allocate((size_t)count + 1, sizeof *all->bytes);
    }
    if (all == NULL || all->records == NULL || all->bytes == NULL)
        fault_report("memory", errno);
    else if (add_batches(all) == 0 && read_header(all) == 0)
        return all;
    store_reader_free(all);
    return NULL;
}

void store_reader_free(struct store_reader *reader)
{
    if (reader == NULL)
        return;
    if (reader->records != NULL && reader->bytes != NULL)
        drop_batches(reader);
    free(reader->records);
    free(reader->bytes);
    free(reader->header);
    free(reader);
}

struct storage *store_reader_storage(struct store_reader *reader)
{
    return &reader->storage;
}

size_t store_reader_batches(const struct store_reader *reader)
{
    return reader->batches;
}

uint64_t store_reader_records(const struct store_reader *reader, unsigned pile)
{
    return reader->records[pile];
}

uint64_t store_reader_bytes(const struct store_reader *reader, unsigned pile)
{
    return reader->bytes[pile];
}

const uint8_t *store_reader_header(const struct store_reader *reader, size_t *bytes)
{
    *bytes = reader->header_bytes;
    return reader->header;
}
