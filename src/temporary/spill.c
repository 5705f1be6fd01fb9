/*
 * A pile has a file of its own in each directory to which it comes, made at the first write, in which it begins at
 * offset 0. A pile that gets none, because descriptors run short, goes to the shared file of that directory, which is
 * made before any other. There it takes the next free stripe when it needs one, and keeps a list of its stripes.
 *
 *     offset  ->  extent (number e is in the directory after e full ones)  ->  file of its own, place;
 *                                                                              or shared file, stripe, place in it
 *
 * A pile is stored as plain bytes until compressing is found worth while; from there on as frames, some of them
 * compressed. Frames follow each other without gaps, so a directory may become full in the middle of one.
 */

#include "temporary/spill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "system/io.h"
#include "system/sys.h"

/* Descriptors left to inputs, outputs and libc. */
TUNABLE(SPARE_DESCRIPTORS, 12, 12, 1 << 20);

/* How many bytes are written to see how fast the disk is. */
enum { ASKED_BYTES = 16 << 20 };

/* Holes are punched in steps of this many bytes. */
TUNABLE(DISCARD_BYTES, 4 << 20, 1, 4 << 20);

TUNABLE(STRIPE_BYTES, 1 << 20, 100, 1 << 20);

enum { FIRST_STRIPES = 16 };

struct spilled_pile {
    struct xxh64 hash; /* of the plain bytes written */
    uint64_t bytes;    /* stored in its files */
    uint64_t plain;    /* of these, plain bytes, which come first; then come frames */
    uint32_t *stripe;  /* numbers of its stripes in shared files, in its order: 4 bytes of memory for each */
    size_t stripes;
    unsigned extents; /* directories it has come to; 0 before the first write */
    bool used;        /* was it ever written? */
};

struct spill {
    struct storage storage; /* first */
    struct spill_place *place;
    unsigned piles;
    pthread_mutex_t mutex;     /* guards `files`, and descriptors that ask_disk looks at */
    unsigned files;            /* how many more may be made */
    int *descriptor;           /* [piles][directories]; -1: not made; that of the place if shared */
    uint64_t *start;           /* [piles][directories + 1]: offset at which each extent of a pile begins */
    struct spilled_pile *pile; /* [piles]; each, with its part of the arrays, is of the thread that has the pile */
};

static struct spill *spill_of(struct storage *storage)
{
    return (struct spill *)storage;
}

/* ---- Files ---- */

static unsigned directory_number(const struct spill *spill, unsigned pile, unsigned extent)
{
    return (pile + extent) % spill->place->directories;
}

static const char *directory_of(const struct spill *spill, unsigned pile, unsigned extent)
{
    return spill->place->directory[directory_number(spill, pile, extent)];
}

_Noreturn static void report_failure(const struct spill *spill, unsigned pile, unsigned extent, int error)
{
    die("temporary file in %s: %s%s", directory_of(spill, pile, extent),
        error == 0 ? "file is shorter than what was written" : fault_cause(error),
        error == EMFILE ? ": raise the limit (ulimit -n)" : "");
}

static int *descriptor_of(struct spill *spill, unsigned pile, unsigned extent)
{
    return &spill->descriptor[(size_t)pile * spill->place->directories + directory_number(spill, pile, extent)];
}

static uint64_t *start_of(struct spill *spill, unsigned pile, unsigned extent)
{
    return &spill->start[(size_t)pile * (spill->place->directories + 1) + extent];
}

/* The descriptor for writing, made if need be: the shared one if the pile cannot have its own. */
static int descriptor_for_writing(struct spill *spill, unsigned pile, unsigned extent)
{
    int *fd = descriptor_of(spill, pile, extent);
    int got;

    pthread_mutex_lock(&spill->mutex);
    if (*fd < 0) {
        const int shared = spill_place_shared(spill->place, directory_number(spill, pile, extent));

        if (shared >= 0 && spill->files > 0)
            *fd = spill_place_make_file(directory_of(spill, pile, extent));
        if (*fd >= 0)
            spill->files--;
        else
            *fd = shared;
    }
    got = *fd;
    pthread_mutex_unlock(&spill->mutex);
    return got;
}

/* The place in a shared file of the n-th stripe of a pile: the next free one if the pile has only n. The list doubles
 * when its length is a power of two. */
static off_t stripe_of(struct spill *spill, struct spilled_pile *file, uint64_t n)
{
    if (n == file->stripes) {
        if (n == 0 || (n >= FIRST_STRIPES && (n & (n - 1)) == 0)) {
            uint32_t *longer = fault_allocate(n > 0 ? 2 * (size_t)n : FIRST_STRIPES, sizeof *longer);

            if (n > 0)
                memcpy(longer, file->stripe, (size_t)n * sizeof *longer);
            free(file->stripe);
            file->stripe = longer;
        }
        file->stripe[file->stripes++] = atomic_fetch_add(&spill->place->stripes, 1);
    }
    return (off_t)file->stripe[n] * (off_t)STRIPE_BYTES;
}

/* The place of a byte of a pile: offset `at` in the file of an extent; `together` bytes from it on have no gap. */
struct spot {
    unsigned extent;
    off_t at;
    uint64_t together;
};

static bool is_shared(struct spill *spill, unsigned pile, unsigned extent)
{
    const int fd = *descriptor_of(spill, pile, extent);

    return fd >= 0 && fd == spill->place->shared[directory_number(spill, pile, extent)];
}

/* An offset at the pile's end is in its last extent, whose file is open. */
static struct spot find_spot(struct spill *spill, unsigned pile, uint64_t offset)
{
    struct spilled_pile *file = &spill->pile[pile];
    const unsigned last = file->extents - 1;
    struct spot spot = {.together = UINT64_MAX};
    uint64_t stripes = 0; /* of earlier extents */

    for (; spot.extent < last && offset >= *start_of(spill, pile, spot.extent + 1); spot.extent++)
        if (is_shared(spill, pile, spot.extent))
            stripes +=
                (*start_of(spill, pile, spot.extent + 1) - *start_of(spill, pile, spot.extent) + STRIPE_BYTES - 1) /
                STRIPE_BYTES;
    if (spot.extent < last)
        spot.together = *start_of(spill, pile, spot.extent + 1) - offset;
    offset -= *start_of(spill, pile, spot.extent);
    spot.at = (off_t)offset;
    if (is_shared(spill, pile, spot.extent)) {
        spot.at = stripe_of(spill, file, stripes + offset / STRIPE_BYTES) + (off_t)(offset % STRIPE_BYTES);
        spot.together = least(spot.together, STRIPE_BYTES - offset % STRIPE_BYTES);
    }
    return spot;
}

/* Measure how long it takes until files of ASKED_BYTES are on the disk. All are requested at once, as the system does:
 * requests one by one would also measure the other writes that they wait for. */
static void ask_disk(struct spill *spill)
{
    const size_t files = (size_t)spill->piles * spill->place->directories;
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

/* io_write_at, perhaps measured. */
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

/* When a directory is full, go on in the next one. Threads may append to different piles at the same time. */
static void append_stored(struct spill *spill, unsigned pile, const struct iovec *pieces, int count)
{
    struct spilled_pile *file = &spill->pile[pile];
    struct spill_place *place = spill->place;
    size_t used = 0;

    if (file->extents == 0) {
        file->extents = 1;
        file->used = true;
        atomic_fetch_add(&place->piles, 1);
    }
    for (;;) {
        const unsigned extent = file->extents - 1;
        const int fd = descriptor_for_writing(spill, pile, extent);
        int error = fd < 0 ? errno : 0;

        if (fd >= 0) {
            const struct spot spot = find_spot(spill, pile, file->bytes);
            struct iovec some[STORAGE_PIECES_MAX];
            size_t bytes, done = 0;
            const int taken = io_pieces_part(pieces, count, used, spot.together, some, STORAGE_PIECES_MAX, &bytes);

            if (taken == 0)
                return;
            if (write_some(spill, fd, some, taken, spot.at, &done) != 0)
                error = errno;
            file->bytes += done;
            atomic_fetch_add(&place->bytes, done);
            used += done;
        }
        if (error == 0)
            continue;
        if (error != ENOSPC && error != EDQUOT)
            report_failure(spill, pile, extent, error);
        if (file->extents == place->directories)
            spill_place_report_full(place, directory_of(spill, pile, extent), error);
        *start_of(spill, pile, file->extents++) = file->bytes;
    }
}

/* Fill the pieces with the stored bytes from *offset on, but not beyond `end`, and move *offset on. */
static void fetch_stored(struct spill *spill, unsigned pile, uint64_t *offset, uint64_t end, const struct iovec *pieces,
                         int count)
{
    const uint64_t first = *offset;

    while (*offset < end) {
        const struct spot spot = find_spot(spill, pile, *offset);
        const uint64_t together = least(spot.together, end - *offset);
        struct iovec some[STORAGE_PIECES_MAX];
        size_t bytes, done;
        const int taken =
            io_pieces_part(pieces, count, (size_t)(*offset - first), together, some, STORAGE_PIECES_MAX, &bytes);

        if (taken == 0)
            return;
        if (io_read_at(*descriptor_of(spill, pile, spot.extent), some, taken, spot.at, &done) != 0)
            report_failure(spill, pile, spot.extent, errno);
        *offset += bytes;
    }
}

/* Give back the space of stored bytes, if it can be done: else it comes back with the file. `shared_only`: only in
 * shared files. */
static void give_back(struct spill *spill, unsigned pile, uint64_t from, uint64_t to, bool shared_only)
{
    while (from < to) {
        const struct spot spot = find_spot(spill, pile, from);
        const uint64_t bytes = least(to - from, spot.together);

        if (!shared_only || is_shared(spill, pile, spot.extent))
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
    struct iovec piece = {.iov_base = (uint8_t *)data, .iov_len = bytes}; /* only read */

    append_stored(packing->spill, packing->pile, &piece, 1);
}

static void write_pile(struct storage *storage, unsigned pile, const struct iovec *pieces, int count)
{
    struct spill *spill = spill_of(storage);
    struct spill_place *place = spill->place;
    struct spilled_pile *file = &spill->pile[pile];
    struct packing packing = {.spill = spill, .pile = pile};
    const uint64_t before = file->hash.bytes;
    bool packs;

    for (int i = 0; i < count; i++)
        xxh64_update(&file->hash, pieces[i].iov_base, pieces[i].iov_len);
    packs = spill_place_packs(place, pieces, count, file->hash.bytes - before);
    if (packs || file->plain < file->bytes) {
        frames_write(packs, pieces, count, store_packed, &packing);
    } else {
        append_stored(spill, pile, pieces, count);
        file->plain = file->bytes;
    }
}

static void drop_pile(struct storage *storage, unsigned pile)
{
    struct spill *spill = spill_of(storage);
    struct spilled_pile *file = &spill->pile[pile];

    give_back(spill, pile, 0, file->bytes, true);
    for (unsigned extent = 0; extent < file->extents; extent++) {
        int *descriptor = descriptor_of(spill, pile, extent), fd;

        pthread_mutex_lock(&spill->mutex);
        fd = is_shared(spill, pile, extent) ? -1 : *descriptor;
        spill->files += fd >= 0;
        *descriptor = -1;
        pthread_mutex_unlock(&spill->mutex);
        io_drop(fd);
    }
    free(file->stripe);
    *file = (struct spilled_pile){.used = file->used};
    xxh64_init(&file->hash, 0);
}

/* ---- Reading ---- */

/* The bytes read of the pile are not the bytes written. */
_Noreturn static void report_damage(const struct spill *spill, unsigned pile)
{
    die("temporary file in %s: contents have changed since they were written", directory_of(spill, pile, 0));
}

_Noreturn static void report_spilled(struct storage *storage, unsigned pile)
{
    const struct spill *spill = spill_of(storage);

    if (!spill->pile[pile].used)
        die("a pile in memory does not hold the records that were put there");
    die("temporary file in %s: does not hold the records that were put there", directory_of(spill, pile, 0));
}

static void begin_spilled(struct storage_reader *reader)
{
    reader->left = spill_of(reader->storage)->pile[reader->pile].hash.bytes;
    xxh64_init(&reader->hash, 0);
}

static void end_spilled(struct storage_reader *reader)
{
    frames_close(&reader->at.spill.frames);
}

static size_t fetch_packed(void *context, uint8_t *data, size_t bytes)
{
    struct storage_reader *reader = context;
    struct spill *spill = spill_of(reader->storage);
    const uint64_t before = reader->at.spill.next;
    const struct iovec piece = {.iov_base = data, .iov_len = bytes};

    fetch_stored(spill, reader->pile, &reader->at.spill.next, spill->pile[reader->pile].bytes, &piece, 1);
    return (size_t)(reader->at.spill.next - before);
}

static void discard_read(struct storage_reader *reader)
{
    if (!reader->discards || reader->at.spill.next - reader->at.spill.discarded < DISCARD_BYTES)
        return;
    give_back(spill_of(reader->storage), reader->pile, reader->at.spill.discarded, reader->at.spill.next, false);
    reader->at.spill.discarded = reader->at.spill.next;
}

/* Fill the pieces with the plain bytes, then with those in frames. At the pile's end, the checksum must fit. */
static void read_spilled(struct storage_reader *reader, const struct iovec *pieces, int count)
{
    struct spill *spill = spill_of(reader->storage);
    const struct spilled_pile *file = &spill->pile[reader->pile];
    const uint64_t before = reader->at.spill.next;

    fetch_stored(spill, reader->pile, &reader->at.spill.next, file->plain, pieces, count);
    if (!frames_read(&reader->at.spill.frames, pieces, count, (size_t)(reader->at.spill.next - before), fetch_packed,
                     reader))
        report_damage(spill, reader->pile);
    for (int i = 0; i < count; i++) {
        reader->left -= pieces[i].iov_len;
        xxh64_update(&reader->hash, pieces[i].iov_base, pieces[i].iov_len);
    }
    if (reader->left == 0 && xxh64_value(&reader->hash) != xxh64_value(&file->hash))
        report_damage(spill, reader->pile);
    discard_read(reader);
}

/* ---- From the beginning to the end ---- */

static void free_spill(struct storage *storage)
{
    struct spill *spill = spill_of(storage);

    for (unsigned p = 0; p < spill->piles; p++)
        drop_pile(storage, p);
    pthread_mutex_destroy(&spill->mutex);
    free(spill->descriptor);
    free(spill->start);
    free(spill->pile);
    free(spill);
}

/* How many piles may have a file of their own. */
static unsigned most_files(const struct spill_place *place, unsigned piles)
{
    /* An oversized pile needs files when it is started over, while the others' are open: keep half for that. */
    const unsigned spare = SPARE_DESCRIPTORS + place->directories;
    const unsigned free_descriptors = sys_free_descriptors(2 * piles + spare);

    return free_descriptors > spare ? (free_descriptors - spare) / 2 : 0;
}

static const struct storage_kind KIND = {
    .write = write_pile,
    .drop = drop_pile,
    .begin = begin_spilled,
    .read = read_spilled,
    .end = end_spilled,
    .report = report_spilled,
    .free = free_spill,
};

size_t spill_pile_bytes(unsigned directories)
{
    return sizeof(struct spilled_pile) + directories * (sizeof(int) + sizeof(uint64_t)) + sizeof(uint64_t);
}

struct storage *spill_open(struct spill_place *place, unsigned piles)
{
    const size_t files = (size_t)piles * place->directories;
    struct spill *spill = fault_allocate(1, sizeof *spill);

    *spill = (struct spill){.storage.kind = &KIND, .place = place, .piles = piles, .files = most_files(place, piles)};
    pthread_mutex_init(&spill->mutex, NULL);
    spill->descriptor = fault_allocate(files, sizeof *spill->descriptor);
    spill->start = fault_allocate(files + piles, sizeof *spill->start);
    spill->pile = fault_allocate(piles, sizeof *spill->pile);
    for (size_t i = 0; i < files; i++)
        spill->descriptor[i] = -1;
    for (unsigned p = 0; p < piles; p++)
        xxh64_init(&spill->pile[p].hash, 0);
    return &spill->storage;
}
