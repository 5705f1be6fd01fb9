/*
 * Nobody can see a part of a batch, since its folder has another name until all of it is on disk: first the piles, then
 * the manifest that describes them, then the folder's names, and only then the one rename. Whoever dies before it
 * leaves a draft (sweep.c), whoever dies after it leaves a batch.
 *
 * Records that start with a string come without the first one and with one at the end (record.h). A pile's file has the
 * string at its front and the stream behind it, and is cut to the stream's length when all has been written. Its
 * checksum lags behind by the string's length, so that it is always that of the file:
 *
 *     stream           a \n > b \n    >
 *     file        >    a \n > b \n  | >        what is cut off stands behind the bar
 *     checksum    >    a \n > b \n  | tail
 */

#include "draft.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "io.h"
#include "owner.h"
#include "sweep.h"
#include "sys.h"
#include "team.h"

/* Descriptors left to inputs, temporary files of what is held, and what libc opens for a moment; and what is asked for
 * besides those of the piles, as many may be open already. */
static const unsigned SPARE_DESCRIPTORS = 32;
static const unsigned WANTED_DESCRIPTORS = 256;

/* To make a folder, or to put the batch in its place, while others of its name come and go. */
enum { ATTEMPTS = 100 };

struct pile {
    struct xxh64 checksum; /* of the file, but for what is in the tail */
    uint64_t bytes;        /* of the stream */
    int fd;                /* -1 if it is not open */
    bool made;
};

struct draft {
    struct storage storage; /* first */
    struct store *store;
    char batch[STORE_NAME_MAX + 1];
    char name[SWEEP_NAME_BYTES]; /* of the folder, until it is committed */
    struct folder folder;
    int lock;
    struct manifest manifest;
    struct pile *pile;
    bool keeps_open;      /* there is a descriptor for each pile */
    const uint8_t *start; /* what records start with, */
    size_t start_bytes;   /* 0 if it is nothing */
    uint8_t *tail;        /* [piles][start_bytes]: the last bytes of each stream, of `start` at first */
};

/* ---- The batch is there already ---- */

/* Say so. Whoever made it may not have come so far as to see its name on disk. */
static enum draft_verdict accept(const struct store *store, const char *batch)
{
    if (folder_sync(&store->folder) != 0)
        return DRAFT_FAILED;
    fault_note("batch %s is in %s already: nothing was added", batch, store->folder.path);
    return DRAFT_DONE;
}

/* NULL if there is none, as far as can be said before the batch is `complete`. */
static const char *find_difference(const struct manifest *one, const struct manifest *other, bool complete)
{
    if (memcmp(one->key, other->key, sizeof one->key) != 0)
        return "with another seed";
    if (!manifest_is_same(one, other))
        return "of other inputs";
    return complete && !manifest_holds_same(one, other) ? "of other data" : NULL;
}

/* Compare with the batch that is there. OK if there is none, or if it takes the piles to say whether they are the same,
 * which are not there before the batch is `complete`. */
static enum draft_verdict compare(const struct store *store, const char *name, const struct manifest *manifest,
                                  bool complete)
{
    enum draft_verdict verdict = DRAFT_OK;
    const char *difference;
    struct manifest known;
    struct batch batch;

    switch (batch_open(&batch, store, name, &known)) {
    case BATCH_OK:
        break;
    case BATCH_GONE:
        return DRAFT_OK;
    default:
        return DRAFT_FAILED;
    }
    difference = find_difference(manifest, &known, complete);
    if (difference != NULL) {
        folder_say(&store->folder, name, "a batch of this name is there already, made %s", difference);
        verdict = DRAFT_FAILED;
    } else if (complete || (manifest_is_known(manifest) && manifest_is_known(&known))) {
        verdict = accept(store, name);
    }
    manifest_release(&known);
    batch_close(&batch);
    return verdict;
}

/* ---- The folder ---- */

static void warn_of_owner(const struct draft *draft, const struct owner *owner)
{
    const char *path = draft->store->folder.path;

    if (owner->host[0] == '\0')
        fault_warn("%s/%s: another process may be at work on a batch of this name", path, draft->name);
    else
        fault_warn("%s/%s: another process may be at work on a batch of this name (host %s, process %llu)", path,
                   draft->name, owner->host, (unsigned long long)owner->process);
}

/* Make a folder of the draft's name and sign it. Until it is signed anybody may take it for abandoned. */
static enum folder_verdict make_signed(struct draft *draft)
{
    enum folder_verdict verdict = FOLDER_MISSING;

    for (int attempt = 0; attempt < ATTEMPTS && verdict == FOLDER_MISSING; attempt++) {
        folder_close(&draft->folder);
        verdict = folder_make(&draft->folder, &draft->store->folder, draft->name);
        if (verdict == FOLDER_OK)
            verdict = owner_sign(&draft->folder, &draft->lock);
        if (verdict == FOLDER_OK && folder_stands(&draft->store->folder, draft->name, draft->folder.fd) == 0) {
            if (draft->lock >= 0)
                (void)io_close(draft->lock);
            draft->lock = -1;
            verdict = FOLDER_MISSING;
        }
    }
    return verdict;
}

/* The same in the place of a folder whose process is gone. */
static enum folder_verdict make_folder(struct draft *draft, bool warns)
{
    enum folder_verdict verdict = make_signed(draft);
    struct owner owner;

    if (verdict != FOLDER_EXISTS)
        return verdict;
    if (sweep_dead_draft(draft->store, draft->name, &owner))
        return make_signed(draft);
    if (warns)
        warn_of_owner(draft, &owner);
    return FOLDER_EXISTS;
}

/* 0, or -1 after a report. */
static int find_folder(struct draft *draft)
{
    enum folder_verdict verdict = FOLDER_EXISTS;

    for (int attempt = 0; attempt < SWEEP_ATTEMPTS && verdict == FOLDER_EXISTS; attempt++) {
        sweep_name(draft->name, SWEEP_DRAFT, draft->batch, attempt);
        verdict = make_folder(draft, attempt == 0);
    }
    if (verdict == FOLDER_EXISTS || verdict == FOLDER_MISSING)
        return folder_report(&draft->store->folder, draft->name, verdict == FOLDER_EXISTS ? EEXIST : ENOENT);
    return verdict == FOLDER_OK ? 0 : -1;
}

/* ---- Piles ---- */

/* 0, or -1 after a report. */
static int open_pile(struct draft *draft, unsigned number)
{
    struct pile *pile = &draft->pile[number];
    char file[STORE_FILE_NAME_BYTES];

    if (pile->fd >= 0)
        return 0;
    switch (folder_edit_file(&draft->folder, store_file_name(number, file), !pile->made, &pile->fd)) {
    case FOLDER_OK:
        pile->made = true;
        return 0;
    case FOLDER_EXISTS:
        return folder_report(&draft->folder, file, EEXIST);
    case FOLDER_MISSING:
        return folder_report(&draft->folder, file, ENOENT);
    default:
        return -1;
    }
}

/* 0, or -1 after a report: some file systems tell only now that something was not written. */
static int close_pile(struct draft *draft, unsigned number)
{
    int fd = draft->pile[number].fd;
    char file[STORE_FILE_NAME_BYTES];

    draft->pile[number].fd = -1;
    if (fd < 0 || io_close(fd) == 0)
        return 0;
    return folder_report(&draft->folder, store_file_name(number, file), errno);
}

/* Go on with the checksum of a pile. */
static void add_to_checksum(struct draft *draft, unsigned number, const uint8_t *data, size_t bytes)
{
    struct xxh64 *checksum = &draft->pile[number].checksum;
    const size_t late = draft->start_bytes;
    uint8_t *tail = late > 0 ? draft->tail + number * late : NULL;

    if (late == 0) {
        xxh64_update(checksum, data, bytes);
    } else if (bytes < late) {
        xxh64_update(checksum, tail, bytes);
        memmove(tail, tail + bytes, late - bytes);
        memcpy(tail + late - bytes, data, bytes);
    } else {
        xxh64_update(checksum, tail, late);
        xxh64_update(checksum, data, bytes - late);
        memcpy(tail, data + bytes - late, late);
    }
}

/* At the file's front. */
static int write_start(struct draft *draft, unsigned number)
{
    struct iovec piece = {.iov_base = (uint8_t *)draft->start, .iov_len = draft->start_bytes}; /* which is only read */
    size_t done;

    return io_write_at(draft->pile[number].fd, &piece, 1, 0, &done);
}

static int write_pieces(struct storage *storage, unsigned number, struct iovec *pieces, int count)
{
    struct draft *draft = (struct draft *)storage;
    struct pile *pile = &draft->pile[number];
    char file[STORE_FILE_NAME_BYTES];
    uint64_t bytes = 0;
    int status = 0;
    size_t done;

    if (open_pile(draft, number) != 0)
        return -1;
    for (int i = 0; i < count; i++) {
        add_to_checksum(draft, number, pieces[i].iov_base, pieces[i].iov_len);
        bytes += pieces[i].iov_len;
    }
    if (pile->bytes == 0 && draft->start_bytes > 0)
        status = write_start(draft, number);
    if (status == 0)
        status = io_write_at(pile->fd, pieces, count, (off_t)(draft->start_bytes + pile->bytes), &done);
    if (status != 0)
        return folder_report(&draft->folder, store_file_name(number, file), errno);
    pile->bytes += bytes;
    return draft->keeps_open ? 0 : close_pile(draft, number);
}

static void drop(struct storage *storage, unsigned pile)
{
    (void)storage;
    (void)pile;
}

static void begin(struct storage_reader *reader)
{
    reader->left = 0;
}

static int refuse_read(struct storage_reader *reader, struct iovec *pieces, int count)
{
    const struct draft *draft = (const struct draft *)reader->storage;
    char file[STORE_FILE_NAME_BYTES];

    (void)pieces;
    (void)count;
    return folder_say(&draft->folder, store_file_name(reader->pile, file), "is only to be written");
}

static void ignore(struct storage_reader *reader)
{
    (void)reader;
}

static void keep(struct storage *storage)
{
    (void)storage;
}

struct storage *draft_storage(struct draft *draft)
{
    return &draft->storage;
}

/* ---- From the beginning to the end ---- */

static int allocate(struct draft *draft)
{
    const struct format *format = &draft->store->format;

    if (format->record.starts) {
        draft->start = format->record.string + 1; /* after the newline */
        draft->start_bytes = format->record.string_bytes - 1;
    }
    draft->manifest.pile = sys_allocate(format->piles, sizeof *draft->manifest.pile);
    draft->pile = sys_allocate(format->piles, sizeof *draft->pile);
    draft->tail = sys_allocate(format->piles, draft->start_bytes + 1);
    for (unsigned p = 0; draft->pile != NULL && p < format->piles; p++) {
        draft->pile[p].fd = -1;
        xxh64_init(&draft->pile[p].checksum, 0);
    }
    if (draft->manifest.pile == NULL || draft->pile == NULL || draft->tail == NULL)
        return fault_report(draft->store->folder.fault, "memory", errno);
    for (unsigned p = 0; draft->start_bytes > 0 && p < format->piles; p++)
        memcpy(draft->tail + p * draft->start_bytes, draft->start, draft->start_bytes);
    draft->keeps_open = sys_free_descriptors(format->piles + WANTED_DESCRIPTORS) >= format->piles + SPARE_DESCRIPTORS;
    return 0;
}

enum draft_verdict draft_begin(struct draft **draft, struct store *store, const char *name,
                               const struct manifest *manifest)
{
    static const struct storage_kind kind = {.write = write_pieces,
                                             .drop = drop,
                                             .begin = begin,
                                             .read = refuse_read,
                                             .discard = ignore,
                                             .end = ignore,
                                             .free = keep};
    enum draft_verdict verdict = compare(store, name, manifest, false);
    struct draft *made;

    *draft = NULL;
    if (verdict != DRAFT_OK)
        return verdict;
    made = sys_allocate(1, sizeof *made);
    if (made == NULL) {
        fault_report(store->folder.fault, "memory", errno);
        return DRAFT_FAILED;
    }
    made->storage.kind = &kind;
    made->store = store;
    made->lock = -1;
    made->manifest = *manifest;
    made->manifest.pile = NULL;
    snprintf(made->batch, sizeof made->batch, "%s", name);
    made->manifest.piles = store->format.piles;
    if (!manifest_fits(&made->manifest)) {
        folder_say(&store->folder, name, "the names of its inputs take more than %d MiB: make several batches",
                   MANIFEST_BYTES_MAX >> 20);
        draft_free(made);
        return DRAFT_FAILED;
    }
    if (allocate(made) != 0 || find_folder(made) != 0) {
        draft_free(made);
        return DRAFT_FAILED;
    }
    *draft = made;
    return DRAFT_OK;
}

/* Cut off what the next record would start with. */
static int cut_pile(struct draft *draft, unsigned number)
{
    const struct pile *pile = &draft->pile[number];
    char file[STORE_FILE_NAME_BYTES];

    store_file_name(number, file);
    if (pile->bytes > 0 && memcmp(draft->tail + number * draft->start_bytes, draft->start, draft->start_bytes) != 0)
        return folder_say(&draft->folder, file, "the last record is not complete");
    if (pile->bytes > 0 && sys_ftruncate(pile->fd, (off_t)pile->bytes) != 0)
        return folder_report(&draft->folder, file, errno);
    return 0;
}

/* All of a pile on disk, also one that is empty. */
static int finish_pile(struct draft *draft, unsigned number, uint64_t records)
{
    const struct pile *pile = &draft->pile[number];
    char file[STORE_FILE_NAME_BYTES];

    if (open_pile(draft, number) != 0)
        return -1;
    if (draft->start_bytes > 0 && cut_pile(draft, number) != 0)
        return -1;
    if (io_sync(pile->fd) != 0)
        return folder_report(&draft->folder, store_file_name(number, file), errno);
    draft->manifest.pile[number] =
        (struct manifest_pile){.records = records, .bytes = pile->bytes, .checksum = xxh64_value(&pile->checksum)};
    return close_pile(draft, number);
}

static int finish_header(struct draft *draft, const uint8_t *header, size_t header_bytes)
{
    struct xxh64 checksum;

    if (header_bytes == 0)
        return 0;
    xxh64_init(&checksum, 0);
    xxh64_update(&checksum, header, header_bytes);
    draft->manifest.header_bytes = header_bytes;
    draft->manifest.header_checksum = xxh64_value(&checksum);
    return store_put_header(draft->store, header, header_bytes);
}

static int write_manifest(struct draft *draft)
{
    enum folder_verdict verdict;
    size_t bytes;
    char *text = manifest_text(&draft->manifest, &bytes);

    if (text == NULL)
        return folder_report(&draft->folder, BATCH_MANIFEST, errno);
    verdict = folder_write(&draft->folder, BATCH_MANIFEST, text, bytes);
    free(text);
    if (verdict == FOLDER_EXISTS)
        return folder_report(&draft->folder, BATCH_MANIFEST, EEXIST);
    return verdict == FOLDER_OK ? 0 : -1;
}

/* Piles that are put on disk side by side. */
struct finishing {
    struct draft *draft;
    const uint64_t *records;
    atomic_uint next;
    atomic_bool failed;
};

static void finish_piles(void *context, unsigned worker)
{
    struct finishing *finishing = context;
    unsigned p;

    (void)worker;
    while (!atomic_load(&finishing->failed) &&
           (p = atomic_fetch_add(&finishing->next, 1)) < finishing->draft->manifest.piles)
        if (finish_pile(finishing->draft, p, finishing->records[p]) != 0)
            atomic_store(&finishing->failed, true);
}

/* Disks begin at once with all that is to be written, and wait for several files in the time of one: for 4,096 files
 * of 146 KB, 9.1 s in turn became 0.7 s by 4 threads (ext4). */
static int finish(struct draft *draft, const uint64_t *records, const uint8_t *header, size_t header_bytes,
                  unsigned threads)
{
    struct finishing finishing = {.draft = draft, .records = records};

    for (unsigned p = 0; p < draft->manifest.piles; p++)
        if (draft->pile[p].fd >= 0)
            sys_write_back(draft->pile[p].fd);
    team_run(threads, finish_piles, &finishing);
    if (atomic_load(&finishing.failed))
        return -1;
    if (finish_header(draft, header, header_bytes) != 0 || write_manifest(draft) != 0)
        return -1;
    return folder_sync(&draft->folder);
}

/* The folder has its final name: nobody is at work in it any more. */
static enum draft_verdict leave(struct draft *draft)
{
    int status = folder_sync(&draft->store->folder);

    if (draft->lock >= 0)
        (void)io_close(draft->lock);
    draft->lock = -1;
    (void)sys_unlink_at(draft->folder.fd, OWNER_FILE);
    folder_close(&draft->folder);
    return status == 0 ? DRAFT_OK : DRAFT_FAILED;
}

/* The draft has its name no more. A network file system may say so after a rename that was heard twice. */
static enum draft_verdict look_for_folder(struct draft *draft)
{
    const struct folder *root = &draft->store->folder;

    if (folder_stands(root, draft->batch, draft->folder.fd) == 1)
        return leave(draft);
    folder_say(root, draft->name, "somebody has removed it");
    return DRAFT_FAILED;
}

/* It was another folder that got the batch's name: one that somebody has made in the place of this one. */
static enum draft_verdict take_back(struct draft *draft)
{
    const struct folder *root = &draft->store->folder;

    folder_say(root, draft->name, "somebody has removed it");
    (void)folder_rename(root, draft->batch, draft->name);
    return DRAFT_FAILED;
}

static enum draft_verdict publish(struct draft *draft)
{
    const struct folder *root = &draft->store->folder;
    enum draft_verdict verdict = DRAFT_OK;

    for (int attempt = 0; attempt < ATTEMPTS && verdict == DRAFT_OK; attempt++) {
        if (folder_stands(root, draft->name, draft->folder.fd) == 0)
            return look_for_folder(draft);
        switch (folder_rename(root, draft->name, draft->batch)) {
        case FOLDER_OK:
            return folder_stands(root, draft->batch, draft->folder.fd) == 0 ? take_back(draft) : leave(draft);
        case FOLDER_MISSING:
            return look_for_folder(draft);
        case FOLDER_EXISTS:
            verdict = compare(draft->store, draft->batch, &draft->manifest, true);
            break;
        default:
            return DRAFT_FAILED;
        }
    }
    if (verdict == DRAFT_OK)
        folder_report(root, draft->batch, EEXIST);
    return verdict == DRAFT_OK ? DRAFT_FAILED : verdict;
}

enum draft_verdict draft_commit(struct draft *draft, const uint64_t *records, const uint8_t *header,
                                size_t header_bytes, unsigned threads)
{
    return finish(draft, records, header, header_bytes, threads) == 0 ? publish(draft) : DRAFT_FAILED;
}

void draft_free(struct draft *draft)
{
    if (draft == NULL)
        return;
    for (unsigned p = 0; draft->pile != NULL && p < draft->manifest.piles; p++)
        if (draft->pile[p].fd >= 0)
            (void)io_close(draft->pile[p].fd);
    if (draft->folder.path != NULL)
        sweep_own_draft(draft->store, draft->name, &draft->folder, draft->lock);
    folder_close(&draft->folder);
    free(draft->manifest.pile);
    free(draft->pile);
    free(draft->tail);
    free(draft);
}
