/*
 * No part of a batch can be seen, since its file has another name until all of it is on disk. A process that dies
 * before the renaming leaves a draft (sweep.h), one that dies after it leaves a batch.
 *
 * The piles grow at the same time, each owned by one thread, and a file has one end. So each pile takes room at the end
 * as it needs it, an extent, and writes to that without a lock. In a large file extents begin and end at pages, so that
 * no page is written by two threads.
 *
 * Extents are listed. To keep the list short where memory is small and the input large, a pile takes more room than it
 * needs at once: a fixed part of the file's size so far. Room that stays empty is a hole.
 */

#include "store/draft.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "store/batch.h"
#include "system/io.h"
#include "system/sys.h"

/* How often naming the file is tried, while other batches of this name come and go. */
enum { ATTEMPTS = 100 };

/* The offset of the first extent; and in a large file, room is taken in steps of PAGE_BYTES. */
enum { PILES_AT = 4096 };
TUNABLE(PAGE_BYTES, 4096, 1, 4096);

/* An extent has at least 1/(GROWTH * PILES) of the file, so the number of extents of a pile grows with the logarithm of
 * the file: about 50 in 512 piles of 160 GB in writes of 256 KiB, or of 5 GB in writes of 8 KiB, and 20 more for ten
 * times the bytes. Then 1/(2 * GROWTH) of the file is holes. */
TUNABLE(GROWTH, 8, 1, 8);
enum { LISTED = 256, LISTED_USUALLY = 50 }; /* extents for each pile */

struct draft_pile {
    struct xxh64 checksum;
    uint64_t end;  /* of its bytes in the file */
    uint64_t room; /* bytes after `end` that are its own */
    size_t spot;   /* index of its last extent */
};

struct draft {
    struct storage storage; /* first */
    struct store *store;
    char batch[STORE_NAME_MAX + 1];
    struct store_draft file;
    struct manifest manifest;
    struct draft_pile *pile; /* [manifest.piles], each written by the thread that has the pile */

    pthread_mutex_t mutex;      /* guards the fields below */
    uint64_t end;               /* of the room given to piles */
    uint64_t bytes;             /* written to piles */
    struct manifest_spot *spot; /* the list of extents; its memory is touched only as it is used */
    size_t spots;
};

size_t draft_pile_bytes(void)
{
    return sizeof(struct draft_pile) + sizeof(struct manifest_pile) + LISTED_USUALLY * sizeof(struct manifest_spot);
}

/* ---- The batch is there already ---- */

/* Tell the user. Sync its name first, since its maker may have died before that. */
static void accept(const struct batch *batch)
{
    size_t bytes;
    uint8_t *header = store_get_header(batch->store, &bytes);

    batch_check_header(batch, header, bytes, xxh64(header, bytes));
    free(header);
    folder_sync(&batch->store->folder);
    fault_note("batch %s is in %s already: nothing was added", batch->name, batch->store->folder.path);
}

/* Compare with the batch of this name; the run ends if it differs. True, with its number of *records, if it is the
 * same. False if there is none, or if only piles can tell, and ours are not `complete` yet. */
static bool is_published(const struct store *store, const char *name, const struct manifest *manifest, bool complete,
                         uint64_t *records)
{
    const char *difference;
    struct manifest known;
    struct batch batch;
    bool same;

    if (!batch_open(&batch, store, name, &known))
        return false;
    difference = manifest_difference(manifest, &known, complete);
    if (difference != NULL)
        folder_say(&store->folder, name,
                   "a batch of this name is there already, made %s; remove that file to replace it, or "
                   "give another --batch",
                   difference);
    same = complete || (manifest->decompressed == known.decompressed && known.known);
    if (same)
        accept(&batch);
    *records = known.records;
    manifest_release(&known);
    batch_close(&batch);
    return same;
}

/* ---- Piles ---- */

static void write_at(const struct draft *draft, const struct iovec *pieces, int count, uint64_t at)
{
    size_t done;

    if (io_write_at(draft->file.fd, pieces, count, (off_t)at, &done) != 0)
        store_draft_fail(draft->store, &draft->file);
}

/* Begin an extent at an offset of the file. The caller holds the mutex, here and in take_extent. */
static void begin_extent(struct draft *draft, unsigned number, uint64_t place)
{
    if (draft->spots == (size_t)LISTED * draft->manifest.piles)
        folder_say(&draft->store->folder, draft->batch, "its piles are in too many places: use a larger -S");
    draft->spot[draft->spots] = (struct manifest_spot){.extent.place = place, .pile = number};
    draft->pile[number].spot = draft->spots++;
    draft->pile[number].end = place;
}

static uint64_t round_up(uint64_t bytes, uint64_t step)
{
    return (bytes + step - 1) / step * step;
}

/* Make room for a pile's next bytes, at most `bytes`. Returns its offset; *got is its size. */
static uint64_t take_extent(struct draft *draft, unsigned number, size_t bytes, size_t *got)
{
    struct draft_pile *pile = &draft->pile[number];

    if (pile->room == 0) {
        const uint64_t least_room = draft->bytes / GROWTH / draft->manifest.piles;
        const uint64_t step = least_room < PAGE_BYTES ? 1 : PAGE_BYTES, place = round_up(draft->end, step);

        if (pile->end != place)
            begin_extent(draft, number, place);
        pile->room = round_up(bytes > least_room ? bytes : least_room, step);
        draft->end = place + pile->room;
    }
    *got = (size_t)least(bytes, pile->room);
    pile->room -= *got;
    pile->end += *got;
    draft->spot[pile->spot].extent.bytes += *got;
    return pile->end - *got;
}

static void write_pieces(struct storage *storage, unsigned number, const struct iovec *pieces, int count)
{
    struct draft *draft = (void *)storage;
    struct draft_pile *pile = &draft->pile[number];
    const uint64_t before = pile->checksum.bytes;
    size_t bytes, done = 0;

    for (int i = 0; i < count; i++)
        xxh64_update(&pile->checksum, pieces[i].iov_base, pieces[i].iov_len);
    bytes = (size_t)(pile->checksum.bytes - before);
    while (done < bytes) {
        struct iovec some[STORAGE_PIECES_MAX];
        uint64_t at;
        size_t got;

        pthread_mutex_lock(&draft->mutex);
        at = take_extent(draft, number, bytes - done, &got);
        draft->bytes += got;
        pthread_mutex_unlock(&draft->mutex);
        write_at(draft, some, io_pieces_part(pieces, count, done, got, some, STORAGE_PIECES_MAX, &got), at);
        done += got;
    }
}

struct storage *draft_storage(struct draft *draft)
{
    return &draft->storage;
}

/* ---- From the beginning to the end ---- */

/* Make the file, which begins with a title. */
static void make_draft_file(struct draft *draft)
{
    char title[] = "bigshuf batch 3\n";
    const struct iovec piece = {.iov_base = title, .iov_len = sizeof title - 1};

    store_draft_begin(draft->store, &draft->file, draft->batch);
    write_at(draft, &piece, 1, 0);
    draft->end = PILES_AT;
}

struct draft *draft_begin(struct store *store, const char *name, const struct manifest *manifest, uint64_t *records)
{
    static const struct storage_kind kind = {.write = write_pieces};
    struct draft *draft;

    if (is_published(store, name, manifest, false, records))
        return NULL;
    draft = fault_allocate(1, sizeof *draft);
    *draft = (struct draft){.storage.kind = &kind, .store = store, .manifest = *manifest};
    snprintf(draft->batch, sizeof draft->batch, "%s", name);
    pthread_mutex_init(&draft->mutex, NULL);
    draft->manifest.piles = store->format.piles;
    draft->manifest.pile = fault_allocate(store->format.piles, sizeof *draft->manifest.pile);
    draft->pile = fault_allocate(store->format.piles, sizeof *draft->pile);
    draft->spot = fault_allocate(store->format.piles, LISTED * sizeof *draft->spot);
    for (unsigned p = 0; p < store->format.piles; p++)
        xxh64_init(&draft->pile[p].checksum, 0);
    make_draft_file(draft);
    return draft;
}

/* Write manifest and end. */
static void write_manifest(struct draft *draft, const uint64_t *records)
{
    struct manifest *manifest = &draft->manifest;
    struct iovec piece;

    for (unsigned p = 0; p < manifest->piles; p++) {
        manifest->pile[p].records = records[p];
        manifest->pile[p].bytes = draft->pile[p].checksum.bytes;
        manifest->pile[p].checksum = xxh64_value(&draft->pile[p].checksum);
    }
    piece.iov_base = manifest_write(manifest, draft->spot, draft->spots, draft->end, &piece.iov_len);
    write_at(draft, &piece, 1, draft->end);
    free(piece.iov_base);
}

/* Give the file its name. False if there is a batch of this name already, which is the same. */
static bool publish_draft(const struct draft *draft)
{
    uint64_t there;

    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (store_draft_publish(draft->store, &draft->file, draft->batch, true))
            return true;
        if (is_published(draft->store, draft->batch, &draft->manifest, true, &there))
            return false;
    }
    folder_report(&draft->store->folder, draft->batch, EEXIST);
}

bool draft_commit(struct draft *draft, const uint64_t *records, const uint8_t *header, size_t header_bytes)
{
    bool published;

    if (header_bytes > 0) {
        draft->manifest.header_bytes = header_bytes;
        draft->manifest.header_checksum = xxh64(header, header_bytes);
        store_put_header(draft->store, header, header_bytes);
    }
    write_manifest(draft, records);
    published = publish_draft(draft);
    store_draft_end(draft->store, &draft->file, published);
    free(draft->spot);
    free(draft->manifest.pile);
    free(draft->pile);
    free(draft);
    return published;
}
