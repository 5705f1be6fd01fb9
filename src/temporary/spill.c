/* What is stored in a pile's files is its bytes, and what has been made of them, one after another without a gap. So
 * the files know nothing of compression, and a directory may be full in the middle of a frame. */

#include "temporary/spill.h"

#include <stdlib.h>

#include "system/io.h"
#include "system/sys.h"
#include "temporary/pile_files.h"

/* Pieces of one transfer: 64 blocks of 64 KiB are 4 MiB. */
enum { PIECES = 64 };

struct content {
    struct xxh64 hash; /* of the bytes that were written */
    uint64_t plain; /* so many of those in its files are as they were written, then come those that were compressed */
};

struct spill {
    struct storage storage;
    struct spill_place *place;
    struct pile_files files;
    struct content *content; /* [piles] */
};

static struct spill *spill_of(struct storage *storage)
{
    return (struct spill *)storage;
}

/* ---- Writing ---- */

struct packing {
    struct spill *spill;
    unsigned pile;
};

static void store_packed(void *context, const uint8_t *data, size_t bytes)
{
    struct packing *packing = context;
    struct iovec piece = {.iov_base = (uint8_t *)data, .iov_len = bytes}; /* which is only read */

    pile_files_append(&packing->spill->files, packing->pile, &piece, 1);
}

/* How are the next bytes to be written? Looks at the disk, and takes a sample of them, when it is time for that. */
static enum pace_choice choose(const struct spill_place *place, const struct iovec *pieces, int count, uint64_t bytes)
{
    if (pace_come(place->pace, bytes)) {
        struct frames_sample sample;

        if (spill_place_fills(place))
            pace_press(place->pace, 0);
        sample = frames_try(place->frames, pieces, count);
        pace_sampled(place->pace, &sample);
    }
    return pace_advice(place->pace);
}

static void write_pile(struct storage *storage, unsigned pile, struct iovec *pieces, int count)
{
    struct spill *spill = spill_of(storage);
    struct spill_place *place = spill->place;
    struct content *content = &spill->content[pile];
    struct packing packing = {.spill = spill, .pile = pile};
    uint64_t bytes = content->hash.bytes;
    enum pace_choice choice = place->frames != NULL ? PACE_PACKED : PACE_PLAIN;

    for (int i = 0; i < count; i++)
        xxh64_update(&content->hash, pieces[i].iov_base, pieces[i].iov_len);
    bytes = content->hash.bytes - bytes;
    atomic_fetch_add(&place->plain, bytes);
    if (place->pace != NULL)
        choice = choose(place, pieces, count, bytes);
    if (choice == PACE_HOPELESS)
        spill_place_report_shortage(place);
    if (choice == PACE_PACKED || content->plain < spill->files.pile[pile].bytes) {
        frames_write(place->frames, choice == PACE_PACKED, pieces, count, store_packed, &packing);
    } else {
        pile_files_append(&spill->files, pile, pieces, count);
        content->plain = spill->files.pile[pile].bytes;
    }
}

static void drop_pile(struct storage *storage, unsigned pile)
{
    struct spill *spill = spill_of(storage);

    pile_files_drop(&spill->files, pile);
    spill->content[pile].plain = 0;
    xxh64_init(&spill->content[pile].hash, 0);
}

/* ---- Reading ---- */

/* What was read of the pile is not what was written. */
_Noreturn static void report_damage(const struct spill *spill, unsigned pile)
{
    fault_say("temporary file in %s: contents have changed since they were written",
              pile_files_directory(&spill->files, pile));
}

_Noreturn static void report_records(struct storage *storage, unsigned pile)
{
    const struct spill *spill = spill_of(storage);

    if (!spill->files.pile[pile].used)
        fault_say("a pile in memory does not hold the records that were put there");
    fault_say("temporary file in %s: does not hold the records that were put there",
              pile_files_directory(&spill->files, pile));
}

static void begin_reading(struct storage_reader *reader)
{
    reader->left = spill_of(reader->storage)->content[reader->pile].hash.bytes;
    xxh64_init(&reader->hash, 0);
}

static void end_reading(struct storage_reader *reader)
{
    frames_close(spill_of(reader->storage)->place->frames, &reader->at.spill.frames);
}

static size_t fetch_packed(void *context, uint8_t *data, size_t bytes)
{
    struct storage_reader *reader = context;
    struct pile_files *files = &spill_of(reader->storage)->files;
    uint64_t left = files->pile[reader->pile].bytes - reader->at.spill.next;
    struct iovec piece = {.iov_base = data, .iov_len = bytes < left ? bytes : (size_t)left};
    size_t length = piece.iov_len;

    if (length > 0)
        pile_files_read(files, reader->pile, &reader->at.spill.next, &piece, 1);
    return length;
}

/* Fill the pieces with what is stored as it was written, and after that with what is in frames. */
static void fetch_frames(struct storage_reader *reader, struct iovec *pieces, int count)
{
    struct spill *spill = spill_of(reader->storage);
    const struct content *content = &spill->content[reader->pile];

    if (reader->at.spill.next < content->plain) {
        struct iovec some[PIECES];
        size_t bytes;
        const int taken = io_pieces_begin(pieces, count, content->plain - reader->at.spill.next, some, PIECES, &bytes);

        pile_files_read(&spill->files, reader->pile, &reader->at.spill.next, some, taken);
        io_pieces_advance(pieces, count, bytes);
    }
    if (!frames_read(spill->place->frames, &reader->at.spill.frames, pieces, count, fetch_packed, reader))
        report_damage(spill, reader->pile);
}

/* When the pile has been read to its end, it must be what was written. */
static void verify(struct storage_reader *reader, const struct iovec *pieces, int count)
{
    struct spill *spill = spill_of(reader->storage);

    for (int i = 0; i < count; i++)
        xxh64_update(&reader->hash, pieces[i].iov_base, pieces[i].iov_len);
    if (reader->left == 0 && xxh64_value(&reader->hash) != xxh64_value(&spill->content[reader->pile].hash))
        report_damage(spill, reader->pile);
}

static void read_pile(struct storage_reader *reader, struct iovec *pieces, int count)
{
    struct iovec whole[PIECES];

    while (count > PIECES) {
        read_pile(reader, pieces, PIECES);
        pieces += PIECES;
        count -= PIECES;
    }
    for (int i = 0; i < count; i++) {
        whole[i] = pieces[i];
        reader->left -= pieces[i].iov_len;
    }
    fetch_frames(reader, pieces, count);
    verify(reader, whole, count);
}

static void discard_read(struct storage_reader *reader)
{
    pile_files_discard(&spill_of(reader->storage)->files, reader->pile, reader->at.spill.discarded,
                       reader->at.spill.next);
    reader->at.spill.discarded = reader->at.spill.next;
}

static void free_spill(struct storage *storage)
{
    struct spill *spill = spill_of(storage);

    pile_files_release(&spill->files);
    free(spill->content);
    free(spill);
}

static const struct storage_kind KIND = {
    .write = write_pile,
    .drop = drop_pile,
    .begin = begin_reading,
    .read = read_pile,
    .discard = discard_read,
    .end = end_reading,
    .report = report_records,
    .free = free_spill,
};

struct storage *spill_open(struct spill_place *place, unsigned piles)
{
    struct spill *spill = fault_allocate(1, sizeof *spill);

    spill->storage.kind = &KIND;
    spill->place = place;
    spill->content = fault_allocate(piles, sizeof *spill->content);
    pile_files_init(&spill->files, place, piles);
    for (unsigned p = 0; p < piles; p++)
        xxh64_init(&spill->content[p].hash, 0);
    return &spill->storage;
}
