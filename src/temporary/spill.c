/* What is stored in a pile's files is its bytes, and what has been made of them, one after another without a gap. So
 * the files know nothing of compression, and a directory may be full in the middle of a frame. */

#include "temporary/spill.h"

#include <errno.h>
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

static int store_packed(void *context, const uint8_t *data, size_t bytes)
{
    struct packing *packing = context;
    struct iovec piece = {.iov_base = (uint8_t *)data, .iov_len = bytes}; /* which is only read */

    return pile_files_append(&packing->spill->files, packing->pile, &piece, 1);
}

/* How are the next bytes to be written? Looks at the disk, and takes a sample of them, when it is time for that. 0, or
 * -1 after a report. */
static int choose(const struct spill_place *place, const struct iovec *pieces, int count, uint64_t bytes,
                  enum pace_choice *choice)
{
    struct frames_sample sample;

    if (pace_come(place->pace, bytes)) {
        if (spill_place_fills(place))
            pace_press(place->pace, 0);
        if (frames_try(place->frames, pieces, count, &sample) != 0)
            return -1;
        pace_sampled(place->pace, &sample);
    }
    *choice = pace_advice(place->pace);
    return 0;
}

static int write_pile(struct storage *storage, unsigned pile, struct iovec *pieces, int count)
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
    if (place->pace != NULL && choose(place, pieces, count, bytes, &choice) != 0)
        return -1;
    if (choice == PACE_HOPELESS)
        return spill_place_report_shortage(place);
    if (choice == PACE_PACKED || content->plain < spill->files.pile[pile].bytes)
        return frames_write(place->frames, choice == PACE_PACKED, pieces, count, store_packed, &packing);
    if (pile_files_append(&spill->files, pile, pieces, count) != 0)
        return -1;
    content->plain = spill->files.pile[pile].bytes;
    return 0;
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
static int report_damage(struct spill *spill, unsigned pile)
{
    return fault_say("temporary file in %s: contents have changed since they were written",
                     pile_files_directory(&spill->files, pile));
}

static int report_records(struct storage *storage, unsigned pile)
{
    const struct spill *spill = spill_of(storage);

    if (!spill->files.pile[pile].used)
        return fault_say("a pile in memory does not hold the records that were put there");
    return fault_say("temporary file in %s: does not hold the records that were put there",
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

static ssize_t fetch_packed(void *context, uint8_t *data, size_t bytes)
{
    struct storage_reader *reader = context;
    struct pile_files *files = &spill_of(reader->storage)->files;
    uint64_t left = files->pile[reader->pile].bytes - reader->at.spill.next;
    struct iovec piece = {.iov_base = data, .iov_len = bytes < left ? bytes : (size_t)left};
    size_t length = piece.iov_len;

    if (length == 0)
        return 0;
    return pile_files_read(files, reader->pile, &reader->at.spill.next, &piece, 1) == 0 ? (ssize_t)length : -1;
}

/* Fill the pieces with what is stored as it was written, and after that with what is in frames. */
static int fetch_frames(struct storage_reader *reader, struct iovec *pieces, int count)
{
    struct spill *spill = spill_of(reader->storage);
    const struct content *content = &spill->content[reader->pile];

    if (reader->at.spill.next < content->plain) {
        struct iovec some[PIECES];
        size_t bytes;
        const int taken = io_pieces_begin(pieces, count, content->plain - reader->at.spill.next, some, PIECES, &bytes);

        if (pile_files_read(&spill->files, reader->pile, &reader->at.spill.next, some, taken) != 0)
            return -1;
        io_pieces_advance(pieces, count, bytes);
    }
    switch (frames_read(spill->place->frames, &reader->at.spill.frames, pieces, count, fetch_packed, reader)) {
    case FRAMES_READ:
        return 0;
    case FRAMES_FAILED:
        break;
    case FRAMES_DAMAGED:
        return report_damage(spill, reader->pile);
    }
    return -1;
}

/* Has the pile been read to its end, and is it what was written? Nothing is said before its end. */
static int verify(struct storage_reader *reader, const struct iovec *pieces, int count)
{
    struct spill *spill = spill_of(reader->storage);

    for (int i = 0; i < count; i++)
        xxh64_update(&reader->hash, pieces[i].iov_base, pieces[i].iov_len);
    if (reader->left > 0 || xxh64_value(&reader->hash) == xxh64_value(&spill->content[reader->pile].hash))
        return 0;
    return report_damage(spill, reader->pile);
}

static int read_pile(struct storage_reader *reader, struct iovec *pieces, int count)
{
    struct iovec whole[PIECES];

    while (count > PIECES) {
        if (read_pile(reader, pieces, PIECES) != 0)
            return -1;
        pieces += PIECES;
        count -= PIECES;
    }
    for (int i = 0; i < count; i++) {
        whole[i] = pieces[i];
        reader->left -= pieces[i].iov_len;
    }
    return fetch_frames(reader, pieces, count) == 0 ? verify(reader, whole, count) : -1;
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
    struct spill *spill = sys_allocate(1, sizeof *spill);

    if (spill == NULL) {
        fault_report("memory", errno);
        return NULL;
    }
    spill->storage.kind = &KIND;
    spill->place = place;
    spill->content = sys_allocate(piles, sizeof *spill->content);
    if (spill->content == NULL)
        fault_report("memory", errno);
    if (pile_files_init(&spill->files, place, piles) != 0 || spill->content == NULL) {
        free_spill(&spill->storage);
        return NULL;
    }
    for (unsigned p = 0; p < piles; p++)
        xxh64_init(&spill->content[p].hash, 0);
    return &spill->storage;
}
