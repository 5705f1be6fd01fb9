/*
 * A pile of the store is read part by part: its part in the first batch, then that in the second, and so on. Of each
 * batch only its folder and its manifest are open all the time. How large a part is, and what checksum it must have, is
 * read from the manifest again when the part is begun, so that a million parts take no memory.
 *
 * Records that start with a string (record.h) have it at the front in the files, so the stream of a part is its file
 * without the string at the beginning and with one at the end:
 *
 *     file        >    a \n > b \n
 *     stream           a \n > b \n    >
 */

#include "store/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/snapshot.h"
#include "system/io.h"
#include "system/pieces.h"
#include "system/sys.h"

enum {
    PIECES = 64,         /* of one transfer: 64 blocks of 64 KiB are 4 MiB */
    COUNT_BYTES = 16384, /* of a part, in which records are counted at a time; on the thread's stack */
};

struct store_reader {
    struct storage storage; /* first */
    struct snapshot snapshot;
    const uint8_t *start; /* what records start with, */
    size_t start_bytes;   /* 0 if it is nothing */
};

static const struct store_reader *store_of(const struct storage_reader *reader)
{
    return (const struct store_reader *)reader->storage;
}

/* The pile's number in the store. */
static unsigned number_of(const struct storage_reader *reader)
{
    return store_of(reader)->snapshot.number[reader->pile];
}

/* The batch whose part is at hand; the last one if there is none left. */
static const struct batch *batch_of(const struct storage_reader *reader)
{
    const struct snapshot *snapshot = &store_of(reader)->snapshot;
    const size_t last = snapshot->batches - 1;

    return &snapshot->batch[reader->at.part.batch < last ? reader->at.part.batch : last];
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

    for (; reader->at.part.batch < store->snapshot.batches; reader->at.part.batch++) {
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
    int taken = pieces_begin(pieces, count, limit, some, PIECES, &bytes);

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

static int refuse_write(struct storage *storage, unsigned pile, struct iovec *pieces, int count)
{
    const struct snapshot *snapshot = &((struct store_reader *)storage)->snapshot;
    char file[STORE_NAME_PILE_BYTES];

    (void)pieces;
    (void)count;
    return folder_say(&snapshot->store->folder, store_name_of_pile(snapshot->number[pile], file), "is only to be read");
}

static void drop(struct storage *storage, unsigned pile)
{
    (void)storage;
    (void)pile;
}

static void begin(struct storage_reader *reader)
{
    reader->left = store_of(reader)->snapshot.bytes[reader->pile];
    reader->at.part.fd = -1;
}

static int read_pieces(struct storage_reader *reader, struct iovec *pieces, int count)
{
    int used = pieces_advance(pieces, count, 0);

    while (used < count) {
        ssize_t bytes;

        if (reader->at.part.fd < 0 && begin_part(reader) != 0)
            return -1;
        bytes = read_part(reader, pieces + used, count - used);
        if (bytes < 0 || (reader->at.part.left == 0 && end_part(reader) != 0))
            return -1;
        used += pieces_advance(pieces + used, count - used, (size_t)bytes);
    }
    return 0;
}

/* Count the records of a part that has been begun, up to its end. UINT64_MAX if the last one is not whole. */
static int count_part(struct storage_reader *reader, uint64_t *records)
{
    const struct record_format *format = &store_of(reader)->snapshot.store->format.record;
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

static void discard(struct storage_reader *reader)
{
    (void)reader;
}

static void keep(struct storage *storage)
{
    (void)storage;
}

/* ---- The whole ---- */

struct store_reader *store_reader_open(const struct store *store, const uint32_t *number, unsigned count)
{
    static const struct storage_kind kind = {.write = refuse_write,
                                             .drop = drop,
                                             .begin = begin,
                                             .read = read_pieces,
                                             .discard = discard,
                                             .end = close_part,
                                             .report = report_records,
                                             .free = keep};
    struct store_reader *reader = sys_allocate(1, sizeof *reader);

    if (reader == NULL) {
        fault_report(store->folder.fault, "memory", errno);
        return NULL;
    }
    reader->storage.kind = &kind;
    reader->start = record_start(&store->format.record, &reader->start_bytes);
    if (snapshot_take(&reader->snapshot, store, number, count) == 0)
        return reader;
    store_reader_free(reader);
    return NULL;
}

void store_reader_free(struct store_reader *reader)
{
    if (reader == NULL)
        return;
    snapshot_release(&reader->snapshot);
    free(reader);
}

struct storage *store_reader_storage(struct store_reader *reader)
{
    return &reader->storage;
}

size_t store_reader_batches(const struct store_reader *reader)
{
    return reader->snapshot.batches;
}

uint64_t store_reader_records(const struct store_reader *reader, unsigned pile)
{
    return reader->snapshot.records[pile];
}

uint64_t store_reader_bytes(const struct store_reader *reader, unsigned pile)
{
    return reader->snapshot.bytes[pile];
}

const uint8_t *store_reader_header(const struct store_reader *reader, size_t *bytes)
{
    *bytes = reader->snapshot.header_bytes;
    return reader->snapshot.header;
}
