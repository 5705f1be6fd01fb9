/*
 * Piles are dealt to `count` groups; pile p is turn p / count of group p mod count. A group has a file in each
 * directory in which one of its piles ever needed one, made at the first write. With a group for each pile, which is
 * the rule, a pile's place in its file is its own offset. Otherwise the piles of a group take turns, a stripe each, so
 * that a place is still found by arithmetic alone; what a short pile does not use is a hole and takes no space.
 *
 *     offset  ->  (extent: the directory after as many that were full)  ->  group file, stripe, position in it
 *
 * A pile is stored as plain bytes until compressing is found worth while, if it is; from there on as frames, some of
 * them compressed. Frames follow each other without gaps, so a directory may be full in the middle of one.
 */

#include "temporary/spill.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "system/io.h"
#include "system/sys.h"

/* Descriptors left to inputs, output, and what libc opens for a moment. */
TUNABLE(SPARE_DESCRIPTORS, 12, 12, 1 << 20);

/* The disk is asked how fast it is to write these. */
enum { ASKED_BYTES = 16 << 20 };

/* Holes are punched in steps of this many bytes. */
TUNABLE(DISCARD_BYTES, 4 << 20, 1, 4 << 20);

TUNABLE(STRIPE_BYTES, 1 << 20, 100, 1 << 20);

struct pile {
    struct xxh64 hash; /* of the bytes that were written */
    uint64_t bytes;    /* in its files; */
    uint64_t plain;    /* of these, the first are as they were written; then come frames */
    unsigned extents;  /* how many directories it has come to; 0 before the first write */
    bool used;         /* has anything of it ever been in a file? */
};

struct spill {
    struct storage storage; /* first */
    struct spill_place *place;
    pthread_mutex_t mutex; /* guards the descriptors, which ask_disk looks at */
    unsigned count;        /* of groups */
    unsigned turns;        /* piles in a group, at most */
    int *descriptor;       /* [count][directories]; -1 if not made */
    uint64_t *start;       /* [piles][directories + 1]: the offset at which each of the pile's extents begins */
    struct pile *pile;     /* [piles] */
};

static struct spill *spill_of(struct storage *storage)
{
    return (struct spill *)storage;
}

/* ---- Files ---- */

static const char *directory_of(const struct spill *spill, unsigned pile, unsigned extent)
{
    const struct spill_place *place = spill->place;

    return place->directory[(pile % spill->count + extent) % place->directories];
}

_Noreturn static void report(const struct spill *spill, unsigned pile, unsigned extent, int error)
{
    char cause[FAULT_CAUSE_BYTES];

    die("temporary file in %s: %s%s", directory_of(spill, pile, extent),
        error == 0 ? "file is shorter than what was written" : fault_cause(error, cause),
        error == EMFILE ? ": raise the limit (ulimit -n)" : "");
}

static int *descriptor_of(struct spill *spill, unsigned pile, unsigned extent)
{
    unsigned group = pile % spill->count;
    unsigned directory = (group + extent) % spill->place->directories;

    return &spill->descriptor[(size_t)group * spill->place->directories + directory];
}

static uint64_t *start_of(struct spill *spill, unsigned pile, unsigned extent)
{
    return &spill->start[(size_t)pile * (spill->place->directories + 1) + extent];
}

/* The descriptor for writing, made if it is not there. */
static int descriptor_for_writing(struct spill *spill, unsigned pile, unsigned extent)
{
    int *fd = descriptor_of(spill, pile, extent);
    int got;

    pthread_mutex_lock(&spill->mutex);
    if (*fd < 0) {
        *fd = spill_place_make_file(directory_of(spill, pile, extent));
        if (*fd >= 0 && sys_is_memory_file_system(*fd) && !atomic_exchange(&spill->place->told, true))
            fault_warn("temporary files in %s are kept in memory; name another directory with -T",
                       directory_of(spill, pile, extent));
    }
    got = *fd;
    pthread_mutex_unlock(&spill->mutex);
    return got;
}

/* Where a byte of a pile is: at `at` in the file of an extent, with how many bytes that follow it without a gap. */
struct spot {
    unsigned extent;
    off_t at;
    uint64_t together;
};

/* The next byte that will come to the pile is in its last extent. */
static struct spot find(struct spill *spill, unsigned pile, uint64_t offset)
{
    const unsigned last = spill->pile[pile].extents - 1;
    struct spot spot = {.together = UINT64_MAX};

    while (spot.extent < last && offset >= *start_of(spill, pile, spot.extent + 1))
        spot.extent++;
    if (spot.extent < last)
        spot.together = *start_of(spill, pile, spot.extent + 1) - offset;
    offset -= *start_of(spill, pile, spot.extent);
    spot.at = (off_t)offset;
    if (spill->turns > 1) {
        const uint64_t stripe = offset / STRIPE_BYTES, inside = offset % STRIPE_BYTES;

        spot.at = (off_t)((stripe * spill->turns + pile / spill->count) * STRIPE_BYTES + inside);
        spot.together = least(spot.together, STRIPE_BYTES - inside);
    }
    return spot;
}

/* How long does it take until files of ASKED_BYTES are on the disk? All are requested at once, as the system does:
 * requests one by one would also measure the others that they wait for. */
static void ask_disk(struct spill *spill)
{
    const size_t files = (size_t)spill->count * spill->place->directories;
    uint64_t start, end, bytes = 0;
    struct stat status;
    size_t asked = 0;

    if (!sys_own_nanoseconds(&start))
        return;
    pthread_mutex_lock(&spill->mutex);
    for (; asked < files && bytes < ASKED_BYTES; asked++)
        if (spill->descriptor[asked] >= 0 && sys_fstat(spill->descriptor[asked], &status) == 0) {
            bytes += (uint64_t)status.st_size;
            sys_write_back(spill->descriptor[asked]);
        }
    for (size_t i = 0; i < asked; i++)
        if (spill->descriptor[i] >= 0)
            sys_await_disk(spill->descriptor[i]);
    pthread_mutex_unlock(&spill->mutex);
    if (bytes > 0 && sys_own_nanoseconds(&end) && end > start)
        spill_place_waited(spill->place, bytes, end - start);
}

/* io_write_at, which may be measured. */
static int write_some(struct spill *spill, int fd, const struct iovec *pieces, int count, off_t at, size_t *done)
{
    uint64_t start, end;

    if (!spill_place_measures(spill->place) || !sys_own_nanoseconds(&start))
        return io_write_at(fd, pieces, count, at, done);
    if (io_write_at(fd, pieces, count, at, done) != 0)
        return -1;
    if (sys_own_nanoseconds(&end) && spill_place_wrote(spill->place, *done, end > start ? end - start : 0))
        ask_disk(spill);
    return 0;
}

/* When a directory is full, go on in the next one. Different threads may do that to different piles. */
static void append(struct spill *spill, unsigned pile, const struct iovec *pieces, int count)
{
    struct pile *file = &spill->pile[pile];
    struct spill_place *place = spill->place;
    size_t used = 0;

    if (file->extents == 0) {
        file->extents = 1;
        file->used = true;
        atomic_fetch_add(&place->piles, 1);
    }
    for (;;) {
        const struct spot spot = find(spill, pile, file->bytes);
        struct iovec some[STORAGE_PIECES_MAX];
        size_t bytes, done = 0;
        const int taken = io_pieces_part(pieces, count, used, spot.together, some, STORAGE_PIECES_MAX, &bytes);
        int fd, error = 0;

        if (taken == 0)
            return;
        fd = descriptor_for_writing(spill, pile, spot.extent);
        if (fd < 0 || write_some(spill, fd, some, taken, spot.at, &done) != 0)
            error = errno;
        file->bytes += done;
        atomic_fetch_add(&place->bytes, done);
        used += done;
        if (error == 0)
            continue;
        if (error != ENOSPC && error != EDQUOT)
            report(spill, pile, spot.extent, error);
        if (file->extents == place->directories)
            spill_place_report_full(place, directory_of(spill, pile, spot.extent), error);
        *start_of(spill, pile, file->extents++) = file->bytes;
    }
}

/* Fill the pieces with the stored bytes from *offset on, but not beyond `end`, and move *offset on. */
static void fetch(struct spill *spill, unsigned pile, uint64_t *offset, uint64_t end, const struct iovec *pieces,
                  int count)
{
    const uint64_t first = *offset;

    while (*offset < end) {
        const struct spot spot = find(spill, pile, *offset);
        const uint64_t together = least(spot.together, end - *offset);
        struct iovec some[STORAGE_PIECES_MAX];
        size_t bytes, done;
        const int taken =
            io_pieces_part(pieces, count, (size_t)(*offset - first), together, some, STORAGE_PIECES_MAX, &bytes);

        if (taken == 0)
            return;
        if (io_read_at(*descriptor_of(spill, pile, spot.extent), some, taken, spot.at, &done) != 0)
            report(spill, pile, spot.extent, errno);
        *offset += bytes;
    }
}

/* Where it cannot be done, the space comes back with the file. */
static void give_back(struct spill *spill, unsigned pile, uint64_t from, uint64_t to)
{
    while (from < to) {
        const struct spot spot = find(spill, pile, from);
        const uint64_t bytes = least(to - from, spot.together);

        (void)sys_punch_hole(*descriptor_of(spill, pile, spot.extent), spot.at, (off_t)bytes);
        from += bytes;
    }
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

    append(packing->spill, packing->pile, &piece, 1);
}

static void write_pile(struct storage *storage, unsigned pile, const struct iovec *pieces, int count)
{
    struct spill *spill = spill_of(storage);
    struct spill_place *place = spill->place;
    struct pile *file = &spill->pile[pile];
    struct packing packing = {.spill = spill, .pile = pile};
    const uint64_t before = file->hash.bytes;
    bool packs;

    for (int i = 0; i < count; i++)
        xxh64_update(&file->hash, pieces[i].iov_base, pieces[i].iov_len);
    packs = spill_place_packs(place, pieces, count, file->hash.bytes - before);
    if (packs || file->plain < file->bytes) {
        frames_write(packs, pieces, count, store_packed, &packing);
    } else {
        append(spill, pile, pieces, count);
        file->plain = file->bytes;
    }
}

static void drop_pile(struct storage *storage, unsigned pile)
{
    struct spill *spill = spill_of(storage);
    struct pile *file = &spill->pile[pile];

    if (spill->turns > 1)
        give_back(spill, pile, 0, file->bytes);
    for (unsigned extent = 0; spill->turns == 1 && extent < file->extents; extent++) {
        int *descriptor = descriptor_of(spill, pile, extent), fd;

        pthread_mutex_lock(&spill->mutex);
        fd = *descriptor;
        *descriptor = -1;
        pthread_mutex_unlock(&spill->mutex);
        if (fd >= 0)
            (void)io_close(fd);
    }
    *file = (struct pile){.used = file->used};
    xxh64_init(&file->hash, 0);
}

/* ---- Reading ---- */

/* What was read of the pile is not what was written. */
_Noreturn static void report_damage(const struct spill *spill, unsigned pile)
{
    die("temporary file in %s: contents have changed since they were written", directory_of(spill, pile, 0));
}

_Noreturn static void report_records(struct storage *storage, unsigned pile)
{
    const struct spill *spill = spill_of(storage);

    if (!spill->pile[pile].used)
        die("a pile in memory does not hold the records that were put there");
    die("temporary file in %s: does not hold the records that were put there", directory_of(spill, pile, 0));
}

static void begin_reading(struct storage_reader *reader)
{
    reader->left = spill_of(reader->storage)->pile[reader->pile].hash.bytes;
    xxh64_init(&reader->hash, 0);
}

static void end_reading(struct storage_reader *reader)
{
    frames_close(&reader->at.spill.frames);
}

static size_t fetch_packed(void *context, uint8_t *data, size_t bytes)
{
    struct storage_reader *reader = context;
    struct spill *spill = spill_of(reader->storage);
    const uint64_t before = reader->at.spill.next;
    const struct iovec piece = {.iov_base = data, .iov_len = bytes};

    fetch(spill, reader->pile, &reader->at.spill.next, spill->pile[reader->pile].bytes, &piece, 1);
    return (size_t)(reader->at.spill.next - before);
}

/* Fill the pieces with what is stored as it was written, then with what is in frames. At its end, the checksum must
 * fit. */
static void read_pile(struct storage_reader *reader, const struct iovec *pieces, int count)
{
    struct spill *spill = spill_of(reader->storage);
    const struct pile *file = &spill->pile[reader->pile];
    const uint64_t before = reader->at.spill.next;

    fetch(spill, reader->pile, &reader->at.spill.next, file->plain, pieces, count);
    if (!frames_read(&reader->at.spill.frames, pieces, count, (size_t)(reader->at.spill.next - before), fetch_packed,
                     reader))
        report_damage(spill, reader->pile);
    for (int i = 0; i < count; i++) {
        reader->left -= pieces[i].iov_len;
        xxh64_update(&reader->hash, pieces[i].iov_base, pieces[i].iov_len);
    }
    if (reader->left == 0 && xxh64_value(&reader->hash) != xxh64_value(&file->hash))
        report_damage(spill, reader->pile);
}

static void discard_read(struct storage_reader *reader)
{
    if (reader->at.spill.next - reader->at.spill.discarded < DISCARD_BYTES)
        return;
    give_back(spill_of(reader->storage), reader->pile, reader->at.spill.discarded, reader->at.spill.next);
    reader->at.spill.discarded = reader->at.spill.next;
}

/* ---- From the beginning to the end ---- */

static void free_spill(struct storage *storage)
{
    struct spill *spill = spill_of(storage);

    for (size_t i = 0; i < (size_t)spill->count * spill->place->directories; i++)
        if (spill->descriptor[i] >= 0)
            (void)io_close(spill->descriptor[i]);
    pthread_mutex_destroy(&spill->mutex);
    free(spill->descriptor);
    free(spill->start);
    free(spill->pile);
    free(spill);
}

/* How many groups there may be. */
static unsigned most_files(const struct spill_place *place, unsigned piles)
{
    /* An oversized pile needs files in its turn while the others' are still open: keep half for later. */
    const unsigned share = 2 * place->directories, wanted = piles * share + SPARE_DESCRIPTORS;
    const unsigned free_descriptors = sys_free_descriptors(wanted);
    const unsigned files = free_descriptors > SPARE_DESCRIPTORS ? (free_descriptors - SPARE_DESCRIPTORS) / share : 0;

    return files > 0 ? files : 1;
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

size_t spill_pile_bytes(unsigned directories)
{
    return sizeof(struct pile) + directories * (sizeof(int) + sizeof(uint64_t)) + sizeof(uint64_t);
}

struct storage *spill_open(struct spill_place *place, unsigned piles)
{
    const unsigned most = most_files(place, piles);
    struct spill *spill = fault_allocate(1, sizeof *spill);

    *spill = (struct spill){.storage.kind = &KIND, .place = place, .turns = 1};
    pthread_mutex_init(&spill->mutex, NULL);
    while (spill->turns * most < piles)
        spill->turns++;
    spill->count = (piles + spill->turns - 1) / spill->turns;
    spill->descriptor = fault_allocate((size_t)spill->count * place->directories, sizeof *spill->descriptor);
    spill->start = fault_allocate((size_t)piles * (place->directories + 1), sizeof *spill->start);
    spill->pile = fault_allocate(piles, sizeof *spill->pile);
    for (size_t i = 0; i < (size_t)spill->count * place->directories; i++)
        spill->descriptor[i] = -1;
    for (unsigned p = 0; p < piles; p++)
        xxh64_init(&spill->pile[p].hash, 0);
    return &spill->storage;
}
