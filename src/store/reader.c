/*
 * Of each batch only its folder and its manifest are kept open. Where the parts of a pile stand, and what checksums
 * they must have, is read from the manifests again when it is their turn, so that a million parts take no memory.
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

#include "system/io.h"
#include "system/sys.h"

/* Descriptors left to the piles' files that are being read, the output, and what libc opens for a moment; and how many
 * are asked for, since there may be a thread for each of many processors. */
static const unsigned SPARE_DESCRIPTORS = 16;
static const unsigned WANTED_DESCRIPTORS = 1024;

/* To see the same batches twice. */
enum { ATTEMPTS = 100 };

/* Pieces of one transfer: 64 blocks of 64 KiB are 4 MiB. */
enum { PIECES = 64 };

/* Bytes of a part in which records are counted at a time, on the stack. */
enum { COUNT_BYTES = 16384 };

struct store_reader {
    struct storage storage; /* first */
    const struct store *store;
    const uint32_t *number;
    unsigned count;
    struct batch *batch;
    size_t batches;
    uint64_t *records; /* [count] */
    uint64_t *bytes;   /* [count] */
    uint64_t sum;      /* of the bytes of all piles, also those that are not read */
    uint8_t *header;
    size_t header_bytes;
    const uint8_t *start; /* what records start with, */
    size_t start_bytes;   /* 0 if it is nothing */
};

static struct store_reader *stack_of(const struct storage_reader *reader)
{
    return (struct store_reader *)reader->storage;
}

/* ---- Opening ---- */

/* What the message says suffices also for what is open already. */
static int raise_descriptors(const struct store *store, size_t batches)
{
    const size_t open = 2 * batches;
    const unsigned wanted = open < UINT_MAX / 2 ? (unsigned)open + WANTED_DESCRIPTORS : UINT_MAX;

    if (sys_free_descriptors(wanted) >= open + SPARE_DESCRIPTORS)
        return 0;
    return fault_say(store->folder.fault, "%s: %zu batches need %zu open files: raise the limit (ulimit -n)",
                     store->folder.path, batches, open + 4 * (size_t)SPARE_DESCRIPTORS);
}

/* Of the batch that was opened last, count what will be read, and look at the files. */
static int add_piles(struct store_reader *stack, const struct manifest *manifest)
{
    const struct batch *batch = &stack->batch[stack->batches - 1];

    if (batch_add_bytes(batch, manifest, &stack->sum) != 0)
        return -1;
    for (unsigned p = 0; p < stack->count; p++) {
        const struct manifest_pile *entry = &manifest->pile[stack->number[p]];

        if (batch_check_pile(batch, stack->number[p], entry) != 0)
            return -1;
        stack->records[p] += entry->records;
        stack->bytes[p] += entry->bytes;
    }
    return 0;
}

static enum batch_verdict add_batch(struct store_reader *stack, const char *name)
{
    struct manifest manifest;
    enum batch_verdict verdict = batch_open(&stack->batch[stack->batches], stack->store, name, &manifest);

    if (verdict != BATCH_OK)
        return verdict;
    stack->batches++;
    if (add_piles(stack, &manifest) != 0)
        verdict = BATCH_FAILED;
    manifest_release(&manifest);
    return verdict;
}

static void drop_batches(struct store_reader *stack)
{
    for (size_t i = 0; i < stack->batches; i++)
        batch_close(&stack->batch[i]);
    free(stack->batch);
    stack->batch = NULL;
    stack->batches = 0;
    stack->sum = 0;
    memset(stack->records, 0, stack->count * sizeof *stack->records);
    memset(stack->bytes, 0, stack->count * sizeof *stack->bytes);
}

/* GONE if one of them has left the store meanwhile. */
static enum batch_verdict add_named(struct store_reader *stack, const struct folder_names *names)
{
    const struct store *store = stack->store;
    enum batch_verdict verdict = BATCH_OK;

    drop_batches(stack);
    if (raise_descriptors(store, names->count) != 0)
        return BATCH_FAILED;
    stack->batch = sys_allocate(names->count + 1, sizeof *stack->batch);
    if (stack->batch == NULL) {
        fault_report(store->folder.fault, "memory", errno);
        return BATCH_FAILED;
    }
    for (size_t i = 0; i < names->count && verdict == BATCH_OK; i++)
        verdict = add_batch(stack, names->name[i]);
    return verdict;
}

static bool are_same(const struct folder_names *one, const struct folder_names *other)
{
    size_t i = 0;

    while (i < one->count && i < other->count && strcmp(one->name[i], other->name[i]) == 0)
        i++;
    return i == one->count && i == other->count;
}

/* While a directory is read, one batch may come and another one go, so that neither is seen. A list that is the same
 * before and after all of it has been opened was true at a time. Where batches come without end, those are good that
 * were all there. */
static int add_batches(struct store_reader *stack)
{
    struct folder_names names = {.count = 0}, again = {.count = 0};
    enum batch_verdict verdict = BATCH_GONE;
    bool same = false;

    for (int attempt = 0; attempt < ATTEMPTS && verdict != BATCH_FAILED && !same; attempt++) {
        folder_names_release(&names);
        folder_names_release(&again);
        if (store_batches(stack->store, &names) != 0)
            return -1;
        verdict = add_named(stack, &names);
        if (store_batches(stack->store, &again) != 0)
            verdict = BATCH_FAILED;
        same = verdict == BATCH_OK && are_same(&names, &again);
    }
    folder_names_release(&names);
    folder_names_release(&again);
    if (verdict == BATCH_GONE)
        return folder_say(&stack->store->folder, NULL, "batches leave it faster than they can be opened");
    return verdict == BATCH_OK ? 0 : -1;
}

/* The header is what the batches say it is. One that no batch has is what a task that failed has left. */
static int read_header(struct store_reader *stack)
{
    const struct store *store = stack->store;
    struct xxh64 hash;
    bool wanted = false;

    if (store_get_header(store, &stack->header, &stack->header_bytes) != 0)
        return -1;
    xxh64_init(&hash, 0);
    xxh64_update(&hash, stack->header, stack->header_bytes);
    for (size_t i = 0; i < stack->batches; i++) {
        const struct batch *batch = &stack->batch[i];

        if (batch->header_bytes == 0)
            continue;
        wanted = true;
        if (stack->header == NULL)
            return folder_report(&store->folder, STORE_NAME_HEADER, ENOENT);
        if (batch->header_bytes != stack->header_bytes || batch->header_checksum != xxh64_value(&hash))
            return folder_say(&store->folder, STORE_NAME_HEADER, "contents have changed since they were written");
    }
    if (!wanted) {
        free(stack->header);
        stack->header = NULL;
        stack->header_bytes = 0;
    }
    return 0;
}

/* ---- Reading ---- */

static int refuse_write(struct storage *storage, unsigned pile, struct iovec *pieces, int count)
{
    struct store_reader *stack = (struct store_reader *)storage;
    char file[STORE_NAME_PILE_BYTES];

    (void)pieces;
    (void)count;
    return folder_say(&stack->store->folder, store_name_of_pile(stack->number[pile], file), "is only to be read");
}

static void drop(struct storage *storage, unsigned pile)
{
    (void)storage;
    (void)pile;
}

static void begin(struct storage_reader *reader)
{
    reader->left = stack_of(reader)->bytes[reader->pile];
    reader->at.stack.fd = -1;
}

/* Also when what the stack counted as it was opened is no longer what the manifests say. */
static int report_damage(const struct storage_reader *reader)
{
    const struct store_reader *stack = stack_of(reader);
    size_t batch = reader->at.stack.batch < stack->batches ? reader->at.stack.batch : stack->batches - 1;

    return batch_report_damage(&stack->batch[batch], stack->number[reader->pile]);
}

/* Fill the pieces from the part's file. */
static int fetch(struct storage_reader *reader, struct iovec *pieces, int count)
{
    const struct store_reader *stack = stack_of(reader);
    char file[STORE_NAME_PILE_BYTES];
    size_t done;
    int status = io_read_at(reader->at.stack.fd, pieces, count, (off_t)reader->at.stack.offset, &done);

    reader->at.stack.offset += done;
    if (status == 0)
        return 0;
    if (errno == 0) /* it has become shorter */
        return report_damage(reader);
    store_name_of_pile(stack->number[reader->pile], file);
    return folder_report(&stack->batch[reader->at.stack.batch].folder, file, errno);
}

/* The part's file begins with what the records start with. */
static int skip_start(struct storage_reader *reader)
{
    const struct store_reader *stack = stack_of(reader);
    uint8_t found[RECORD_DELIMITER_BYTES_MAX];
    struct iovec piece = {.iov_base = found, .iov_len = stack->start_bytes};

    if (fetch(reader, &piece, 1) != 0)
        return -1;
    xxh64_update(&reader->hash, found, stack->start_bytes);
    return memcmp(found, stack->start, stack->start_bytes) == 0 ? 0 : report_damage(reader);
}

/* Open the next part that has any bytes. */
static int begin_part(struct storage_reader *reader)
{
    const struct store_reader *stack = stack_of(reader);
    const unsigned pile = stack->number[reader->pile];
    struct manifest_pile entry = {.bytes = 0};

    for (; reader->at.stack.batch < stack->batches; reader->at.stack.batch++) {
        if (batch_pile(&stack->batch[reader->at.stack.batch], pile, &entry) != 0)
            return -1;
        if (entry.bytes > 0)
            break;
    }
    if (entry.bytes == 0 || entry.bytes > reader->left || entry.bytes < stack->start_bytes)
        return report_damage(reader);
    reader->at.stack.fd = batch_open_pile(&stack->batch[reader->at.stack.batch], pile, &entry);
    if (reader->at.stack.fd < 0)
        return -1;
    sys_sequential(reader->at.stack.fd);
    reader->at.stack.offset = 0;
    reader->at.stack.left = entry.bytes;
    reader->at.stack.records = entry.records;
    reader->at.stack.checksum = entry.checksum;
    xxh64_init(&reader->hash, 0);
    return stack->start_bytes > 0 ? skip_start(reader) : 0;
}

static void close_part(struct storage_reader *reader)
{
    if (reader->at.stack.fd >= 0)
        (void)io_close(reader->at.stack.fd);
    reader->at.stack.fd = -1;
}

static int end_part(struct storage_reader *reader)
{
    close_part(reader);
    if (xxh64_value(&reader->hash) != reader->at.stack.checksum)
        return report_damage(reader);
    reader->at.stack.batch++;
    return 0;
}

/* Copy to `some` what of the pieces is to be read next, at most `limit` bytes; see how many they are. */
static int take_pieces(const struct iovec *pieces, int count, uint64_t limit, struct iovec some[PIECES], size_t *bytes)
{
    int taken = 0;

    *bytes = 0;
    while (taken < count && taken < PIECES && limit > *bytes) {
        some[taken] = pieces[taken];
        if (some[taken].iov_len > limit - *bytes)
            some[taken].iov_len = (size_t)(limit - *bytes);
        *bytes += some[taken++].iov_len;
    }
    return taken;
}

/* Fill the first of the pieces from the part's file, which has `limit` bytes to come. Returns the number of bytes, or
 * -1 after a report. */
static ssize_t read_file(struct storage_reader *reader, const struct iovec *pieces, int count, uint64_t limit)
{
    struct iovec some[PIECES], filled[PIECES];
    size_t bytes;
    int taken = take_pieces(pieces, count, limit, some, &bytes);

    memcpy(filled, some, (size_t)taken * sizeof *some);
    if (fetch(reader, some, taken) != 0)
        return -1;
    for (int i = 0; i < taken; i++)
        xxh64_update(&reader->hash, filled[i].iov_base, filled[i].iov_len);
    return (ssize_t)bytes;
}

/* At the end of a part's stream, where `left` bytes are to come, stands what its records start with. */
static ssize_t read_start(const struct storage_reader *reader, const struct iovec *piece, size_t left)
{
    const struct store_reader *stack = stack_of(reader);
    size_t bytes = piece->iov_len < left ? piece->iov_len : left;

    memcpy(piece->iov_base, stack->start + stack->start_bytes - left, bytes);
    return (ssize_t)bytes;
}

static ssize_t read_part(struct storage_reader *reader, const struct iovec *pieces, int count)
{
    const uint64_t start_bytes = stack_of(reader)->start_bytes;
    const uint64_t left = reader->at.stack.left;

    if (left > start_bytes)
        return read_file(reader, pieces, count, left - start_bytes);
    return read_start(reader, pieces, (size_t)left);
}

/* Take `bytes` off the front of the pieces, and empty pieces after them. Returns how many pieces are used up. */
static int advance(struct iovec *pieces, int count, size_t bytes)
{
    int used = 0;

    for (; used < count && pieces[used].iov_len <= bytes; used++)
        bytes -= pieces[used].iov_len;
    if (used < count) {
        pieces[used].iov_base = (char *)pieces[used].iov_base + bytes;
        pieces[used].iov_len -= bytes;
    }
    return used;
}

static int read_pieces(struct storage_reader *reader, struct iovec *pieces, int count)
{
    int used = advance(pieces, count, 0);

    while (used < count) {
        ssize_t bytes;

        if (reader->at.stack.fd < 0 && begin_part(reader) != 0)
            return -1;
        bytes = read_part(reader, pieces + used, count - used);
        if (bytes < 0)
            return -1;
        reader->left -= (uint64_t)bytes;
        reader->at.stack.left -= (uint64_t)bytes;
        if (reader->at.stack.left == 0 && end_part(reader) != 0)
            return -1;
        used += advance(pieces + used, count - used, (size_t)bytes);
    }
    return 0;
}

/* Count the records of a part that has been begun. */
static int count_part(struct storage_reader *reader, const struct record_format *format, uint64_t *records)
{
    struct record_scan scan = {0};
    uint8_t data[COUNT_BYTES];
    bool whole = true;

    *records = 0;
    while (reader->at.stack.left > 0) {
        struct iovec piece = {.iov_base = data, .iov_len = sizeof data};
        ssize_t bytes = read_part(reader, &piece, 1);

        if (bytes < 0)
            return -1;
        reader->left -= (uint64_t)bytes;
        reader->at.stack.left -= (uint64_t)bytes;
        *records += record_count(format, &scan, data, (size_t)bytes, &whole);
    }
    if (!whole)
        *records = UINT64_MAX;
    return 0;
}

/* The first part whose records are not as many as its manifest says. */
static int report_records(struct storage *storage, unsigned pile, const struct record_format *format)
{
    const struct store_reader *stack = (struct store_reader *)storage;
    struct storage_reader reader;
    uint64_t found = 0;
    int status = 0;

    storage_reader_init(&reader, storage, pile);
    while (reader.left > 0 && status == 0 && begin_part(&reader) == 0) {
        status = count_part(&reader, format, &found);
        if (status == 0 && found != reader.at.stack.records)
            status = batch_report_records(&stack->batch[reader.at.stack.batch], stack->number[pile]);
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
    struct store_reader *stack = sys_allocate(1, sizeof *stack);

    if (stack == NULL)
        goto no_memory;
    stack->storage.kind = &kind;
    stack->store = store;
    stack->number = number;
    stack->count = count;
    if (store->format.record.starts) {
        stack->start = store->format.record.string + 1; /* after the newline */
        stack->start_bytes = store->format.record.string_bytes - 1;
    }
    stack->records = sys_allocate((size_t)count + 1, sizeof *stack->records);
    stack->bytes = sys_allocate((size_t)count + 1, sizeof *stack->bytes);
    if (stack->records == NULL || stack->bytes == NULL)
        goto no_memory;
    if (add_batches(stack) == 0 && read_header(stack) == 0)
        return stack;
    store_reader_free(stack);
    return NULL;

no_memory:
    fault_report(store->folder.fault, "memory", errno);
    store_reader_free(stack);
    return NULL;
}

void store_reader_free(struct store_reader *stack)
{
    if (stack == NULL)
        return;
    if (stack->records != NULL && stack->bytes != NULL)
        drop_batches(stack);
    free(stack->records);
    free(stack->bytes);
    free(stack->header);
    free(stack);
}

struct storage *store_reader_storage(struct store_reader *stack)
{
    return &stack->storage;
}

size_t store_reader_batches(const struct store_reader *stack)
{
    return stack->batches;
}

uint64_t store_reader_records(const struct store_reader *stack, unsigned pile)
{
    return stack->records[pile];
}

uint64_t store_reader_bytes(const struct store_reader *stack, unsigned pile)
{
    return stack->bytes[pile];
}

const uint8_t *store_reader_header(const struct store_reader *stack, size_t *bytes)
{
    *bytes = stack->header_bytes;
    return stack->header;
}
