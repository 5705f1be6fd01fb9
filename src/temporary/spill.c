/*
 * Piles are dealt to `files` groups; pile p is turn p / files of group p mod files. A group has a file in each
 * directory in which one of its piles ever needed one, made at the first write. With a group for each pile, which is
 * the rule, a pile's place in its file is its own offset. Otherwise the piles of a group take turns, a stripe each, so
 * that a place is still found by arithmetic alone; what a short pile does not use is a hole and takes no space.
 *
 *     offset  ->  (part: the directory after so many that were full)  ->  group file, stripe, place in it
 *
 * Offsets are of what is stored: the pile's bytes, and what has been made of them, one after another without a gap. So
 * files know nothing of compression, and a directory may be full in the middle of a frame.
 */

#include "temporary/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "system/io.h"
#include "system/pieces.h"
#include "system/signals.h"
#include "system/sys.h"

/* Descriptors left to inputs, output, and what libc opens for a moment. */
static const unsigned SPARE_DESCRIPTORS = 12;

/* And at the very least, when programs that compress take what is left. */
static const unsigned SPARE_AT_LEAST = 3;

/* Scatters that are sure to happen one within the other. */
static const unsigned SCATTERS = 2;

/* More than the piles of two scatters, one within the other, and all that can be of use. */
static const unsigned WANTED_DESCRIPTORS = 4096;

/* Pieces of one transfer: 64 blocks of 64 KiB are 4 MiB. */
enum { PIECES = 64 };

struct content {
    struct xxh64 hash; /* of the bytes that were written */
    uint64_t stored;   /* bytes that they are in the files: */
    uint64_t plain;    /* the first of them, as they were written, then those that were compressed */
    unsigned parts;    /* how many directories it has come to; 0 before the first write */
    bool used;         /* has anything of it ever been in a file? */
};

struct spill {
    struct storage storage;
    struct spill_place *place;
    pthread_mutex_t mutex; /* guards the making of files */
    unsigned piles;
    unsigned files;          /* groups */
    unsigned turns;          /* piles in a group, at most */
    int *descriptor;         /* [files][directories]; -1 if not made */
    uint64_t *start;         /* [piles][directories + 1]: the offset at which each of the pile's parts begins */
    struct content *content; /* [piles] */
};

static struct spill *spill_of(struct storage *storage)
{
    return (struct spill *)storage;
}

static const char *directory_of(const struct spill *spill, unsigned pile, unsigned part)
{
    const struct spill_place *place = spill->place;

    return place->directory[(pile % spill->files + part) % place->directories];
}

/* Failures name the directory, as the files have no names. */
static int report(const struct spill *spill, unsigned pile, unsigned part, int error)
{
    char cause[FAULT_CAUSE_BYTES];

    return fault_say(spill->place->fault, "temporary file in %s: %s", directory_of(spill, pile, part),
                     error == 0 ? "file is shorter than what was written" : fault_cause(error, cause));
}

/* For systems that cannot make a file without a name: it has one for a moment, which death by signal waits for. */
static int open_and_unlink(const char *directory)
{
    static const char NAME[] = "/bigshuf-XXXXXX";
    size_t length = strlen(directory);
    char *path = sys_allocate(length + sizeof NAME, 1);
    sigset_t before;
    int fd;
    int error;

    if (path == NULL)
        return -1;
    memcpy(path, directory, length);
    memcpy(path + length, NAME, sizeof NAME);
    signals_hold(&before);
    fd = sys_mkstemp(path);
    error = errno;
    if (fd >= 0 && sys_unlink(path) != 0) {
        error = errno;
        io_close(fd);
        fd = -1;
    }
    signals_release(&before);
    free(path);
    errno = error;
    return fd;
}

static int open_nameless(const char *directory)
{
    int fd = sys_open_anonymous(AT_FDCWD, directory, 0600);

    if (fd < 0 && (errno == ENOTSUP || errno == EISDIR || errno == EINVAL))
        fd = open_and_unlink(directory);
    return fd;
}

/* Is one of the first `count` directories on the file system of directory `count`? */
static bool is_counted(const struct spill_place *place, unsigned count)
{
    struct stat one;
    struct stat other;

    if (sys_stat(place->directory[count], &one) != 0)
        return false;
    for (unsigned d = 0; d < count; d++)
        if (sys_stat(place->directory[d], &other) == 0 && other.st_dev == one.st_dev)
            return true;
    return false;
}

static int report_shortage(const struct spill_place *place, uint64_t bytes, uint64_t room)
{
    return fault_say(place->fault,
                     "temporary file in %s%s: %s: about %llu MiB are needed, %llu MiB are free: name another directory "
                     "or one more with -T, use a larger -S, or --compress-temporary=always",
                     place->directory[0], place->directories > 1 ? " and the other directories" : "", strerror(ENOSPC),
                     (unsigned long long)(bytes >> 20), (unsigned long long)(room >> 20));
}

int spill_check(struct spill_place *place, uint64_t bytes)
{
    uint64_t room = 0;

    for (unsigned d = 0; d < place->directories; d++) {
        uint64_t free_bytes = 0;
        int fd = open_nameless(place->directory[d]);

        if (fd < 0)
            return fault_say(place->fault, "temporary file in %s: %s", fault_name(place->directory[d]),
                             strerror(errno));
        if (sys_free_space(fd, &free_bytes) != 0)
            free_bytes = UINT64_MAX; /* what is not known is no reason to refuse */
        io_close(fd);
        if (is_counted(place, d))
            continue;
        room = free_bytes < UINT64_MAX - room ? room + free_bytes : UINT64_MAX;
    }
    if (place->compress != NULL)
        return bytes > 0 ? compress_try(place->compress) : 0;
    if (room >= bytes || (place->frames != NULL && place->pace == NULL))
        return 0;
    if (place->frames != NULL && room >= bytes / SPILL_HOPE) {
        pace_press(place->pace, (double)room / (double)bytes);
        place->coming = bytes;
        place->room = room;
        return 0;
    }
    return report_shortage(place, bytes, room);
}

static int *descriptor_of(struct spill *spill, unsigned pile, unsigned part)
{
    unsigned group = pile % spill->files;
    unsigned directory = (group + part) % spill->place->directories;

    return &spill->descriptor[(size_t)group * spill->place->directories + directory];
}

static uint64_t *start_of(struct spill *spill, unsigned pile, unsigned part)
{
    return &spill->start[(size_t)pile * (spill->place->directories + 1) + part];
}

/* The descriptor for writing, made if it is not there. */
static int descriptor_for_writing(struct spill *spill, unsigned pile, unsigned part)
{
    int *fd = descriptor_of(spill, pile, part);
    int got;

    pthread_mutex_lock(&spill->mutex);
    if (*fd < 0) {
        *fd = open_nameless(directory_of(spill, pile, part));
        if (*fd >= 0 && sys_is_memory_file_system(*fd) && !atomic_exchange(&spill->place->told, true))
            fault_warn("temporary files in %s are kept in memory; name another directory with -T",
                       directory_of(spill, pile, part));
    }
    got = *fd;
    pthread_mutex_unlock(&spill->mutex);
    return got;
}

/* Where a byte at an offset of a pile stands in its part's file, and how many bytes from there on stand together. */
static off_t place_of(const struct spill *spill, unsigned pile, uint64_t offset, uint64_t *together)
{
    uint64_t stripe = offset / SPILL_STRIPE_BYTES;
    uint64_t inside = offset % SPILL_STRIPE_BYTES;

    if (spill->turns == 1) {
        *together = UINT64_MAX;
        return (off_t)offset;
    }
    *together = SPILL_STRIPE_BYTES - inside;
    return (off_t)((stripe * spill->turns + pile / spill->files) * SPILL_STRIPE_BYTES + inside);
}

/* The part in which an offset of a pile is, and the offset at which the next part begins. */
static unsigned part_of(struct spill *spill, unsigned pile, uint64_t offset, uint64_t *next)
{
    unsigned part = 0;

    while (part + 1 < spill->content[pile].parts && offset >= *start_of(spill, pile, part + 1))
        part++;
    *next = part + 1 < spill->content[pile].parts ? *start_of(spill, pile, part + 1) : UINT64_MAX;
    return part;
}

static bool is_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

/* Write what stands together; when its directory is full go on in the next one, with what is left of it. */
static int store_together(struct spill *spill, unsigned pile, struct iovec *some, int count, size_t bytes)
{
    struct content *content = &spill->content[pile];
    struct pace *pace = spill->place->pace;

    for (;;) {
        unsigned part = content->parts - 1;
        int fd = descriptor_for_writing(spill, pile, part);
        uint64_t together;
        size_t done = 0;
        int status = -1;

        if (fd >= 0)
            status =
                pace_write(pace, fd, some, count,
                           place_of(spill, pile, content->stored - *start_of(spill, pile, part), &together), &done);
        content->stored += done;
        bytes -= done;
        atomic_fetch_add(&spill->place->bytes, done);
        if (status == 0) {
            if (spill->turns == 1)
                pace_ask(pace, fd, content->stored - *start_of(spill, pile, part));
            return 0;
        }
        if (!is_full(errno) || content->parts == spill->place->directories)
            return report(spill, pile, part, errno);
        *start_of(spill, pile, content->parts++) = content->stored;
        while (count > 0 && some->iov_len == 0) {
            some++;
            count--;
        }
        if (bytes == 0)
            return 0;
    }
}

/* Append to what is stored of a pile. */
static int store(struct spill *spill, unsigned pile, struct iovec *pieces, int count)
{
    struct content *content = &spill->content[pile];

    if (content->parts == 0) {
        content->parts = 1;
        content->used = true;
        atomic_fetch_add(&spill->place->piles, 1);
    }
    while (count > 0) {
        struct iovec some[PIECES];
        uint64_t together;
        size_t bytes;
        int taken, used;

        place_of(spill, pile, content->stored - *start_of(spill, pile, content->parts - 1), &together);
        taken = pieces_begin(pieces, count, together, some, PIECES, &bytes);
        if (store_together(spill, pile, some, taken, bytes) != 0)
            return -1;
        used = pieces_advance(pieces, count, bytes);
        pieces += used;
        count -= used;
    }
    return 0;
}

struct packing {
    struct spill *spill;
    unsigned pile;
};

static int store_packed(void *context, const uint8_t *data, size_t bytes)
{
    struct packing *packing = context;
    struct iovec piece = {.iov_base = (uint8_t *)data, .iov_len = bytes}; /* which is only read */

    return store(packing->spill, packing->pile, &piece, 1);
}

/* Let a program compress. */
static int write_through(struct compress *compress, const struct iovec *pieces, int count, struct packing *packing)
{
    return compress_try(compress) == 0 ? compress_pieces(compress, pieces, count, store_packed, packing) : -1;
}

static int write_pile(struct storage *storage, unsigned pile, struct iovec *pieces, int count)
{
    struct spill *spill = spill_of(storage);
    struct spill_place *place = spill->place;
    struct content *content = &spill->content[pile];
    struct packing packing = {.spill = spill, .pile = pile};
    uint64_t bytes = content->hash.bytes;
    bool packs = place->frames != NULL;

    for (int i = 0; i < count; i++)
        xxh64_update(&content->hash, pieces[i].iov_base, pieces[i].iov_len);
    bytes = content->hash.bytes - bytes;
    atomic_fetch_add(&place->plain, bytes);
    if (place->compress != NULL)
        return write_through(place->compress, pieces, count, &packing);
    if (place->pace != NULL && pace_choose(place->pace, place->frames, pieces, count, bytes, &packs) != 0)
        return -1;
    if (place->pace != NULL && pace_is_hopeless(place->pace))
        return report_shortage(place, place->coming, place->room);
    if (packs || content->plain < content->stored)
        return frames_write(place->frames, packs, pieces, count, store_packed, &packing);
    if (store(spill, pile, pieces, count) != 0)
        return -1;
    content->plain = content->stored;
    return 0;
}

/* Give back the space of what is stored from one offset to another. */
static void discard(struct spill *spill, unsigned pile, uint64_t from, uint64_t to)
{
    while (from < to) {
        uint64_t next;
        uint64_t together;
        unsigned part = part_of(spill, pile, from, &next);
        off_t at = place_of(spill, pile, from - *start_of(spill, pile, part), &together);
        uint64_t bytes = to - from;

        bytes = bytes < together ? bytes : together;
        bytes = bytes < next - from ? bytes : next - from;
        /* Where it cannot be done, the space comes back with the file. */
        (void)sys_punch_hole(*descriptor_of(spill, pile, part), at, (off_t)bytes);
        from += bytes;
    }
}

static void drop_pile(struct storage *storage, unsigned pile)
{
    struct spill *spill = spill_of(storage);
    struct content *content = &spill->content[pile];

    if (spill->turns > 1)
        discard(spill, pile, 0, content->stored);
    for (unsigned part = 0; spill->turns == 1 && part < content->parts; part++) {
        int *fd = descriptor_of(spill, pile, part);

        if (*fd >= 0)
            io_close(*fd);
        *fd = -1;
    }
    *content = (struct content){.used = content->used};
    xxh64_init(&content->hash, 0);
}

/* What was read of the pile is not what was written. */
static int report_damage(struct spill *spill, unsigned pile)
{
    const struct spill_place *place = spill->place;
    const char *directory = directory_of(spill, pile, 0);

    if (place->compress != NULL)
        return fault_say(place->fault,
                         "temporary file in %s: contents have changed since they were written, or '%s -d' changes them",
                         directory, place->compress->program);
    return fault_say(place->fault, "temporary file in %s: contents have changed since they were written", directory);
}

static int report_records(struct storage *storage, unsigned pile, const struct record_format *format)
{
    const struct spill *spill = spill_of(storage);

    (void)format;
    if (!spill->content[pile].used)
        return fault_say(spill->place->fault, "a pile in memory does not hold the records that were put there");
    return fault_say(spill->place->fault, "temporary file in %s: does not hold the records that were put there",
                     directory_of(spill, pile, 0));
}

static void begin_reading(struct storage_reader *reader)
{
    reader->left = spill_of(reader->storage)->content[reader->pile].hash.bytes;
    xxh64_init(&reader->hash, 0);
}

static void end_reading(struct storage_reader *reader)
{
    compress_free(reader->at.spill.through);
    reader->at.spill.through = NULL;
    frames_close(spill_of(reader->storage)->place->frames, &reader->at.spill.frames);
}

/* Fill the pieces with what is stored. */
static int fetch(struct storage_reader *reader, struct iovec *pieces, int count)
{
    struct spill *spill = spill_of(reader->storage);
    unsigned pile = reader->pile;

    while (count > 0) {
        struct iovec some[PIECES];
        uint64_t next;
        uint64_t together;
        unsigned part = part_of(spill, pile, reader->at.spill.next, &next);
        off_t at = place_of(spill, pile, reader->at.spill.next - *start_of(spill, pile, part), &together);
        uint64_t limit = together < next - reader->at.spill.next ? together : next - reader->at.spill.next;
        size_t bytes;
        size_t done;
        int taken = pieces_begin(pieces, count, limit, some, PIECES, &bytes);
        int used;

        if (io_read_at(*descriptor_of(spill, pile, part), some, taken, at, &done) != 0)
            return report(spill, pile, part, errno);
        reader->at.spill.next += bytes;
        used = pieces_advance(pieces, count, bytes);
        pieces += used;
        count -= used;
    }
    return 0;
}

static ssize_t fetch_packed(void *context, uint8_t *data, size_t bytes)
{
    struct storage_reader *reader = context;
    uint64_t left = spill_of(reader->storage)->content[reader->pile].stored - reader->at.spill.next;
    struct iovec piece = {.iov_base = data, .iov_len = bytes < left ? bytes : (size_t)left};
    size_t length = piece.iov_len;

    if (length == 0)
        return 0;
    return fetch(reader, &piece, 1) == 0 ? (ssize_t)length : -1;
}

/* Fill the pieces with what a program makes of what is stored. */
static int fetch_through(struct storage_reader *reader, const struct iovec *pieces, int count)
{
    struct compress *compress = spill_of(reader->storage)->place->compress;

    if (reader->at.spill.through == NULL)
        reader->at.spill.through = compress_open(compress, fetch_packed, reader);
    if (reader->at.spill.through == NULL || compress_read(reader->at.spill.through, pieces, count) != 0)
        return -1;
    return reader->left > 0 ? 0 : compress_end(reader->at.spill.through);
}

/* Fill the pieces with what is stored as it was written, and after that with what is in frames. */
static int fetch_frames(struct storage_reader *reader, struct iovec *pieces, int count)
{
    struct spill *spill = spill_of(reader->storage);
    const struct content *content = &spill->content[reader->pile];

    if (reader->at.spill.next < content->plain) {
        struct iovec some[PIECES];
        size_t bytes;
        const int taken = pieces_begin(pieces, count, content->plain - reader->at.spill.next, some, PIECES, &bytes);

        if (fetch(reader, some, taken) != 0)
            return -1;
        pieces_advance(pieces, count, bytes);
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
    struct spill *spill = spill_of(reader->storage);
    struct iovec whole[PIECES];
    int status;

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
    status =
        spill->place->compress == NULL ? fetch_frames(reader, pieces, count) : fetch_through(reader, pieces, count);
    return status == 0 ? verify(reader, whole, count) : -1;
}

static void discard_read(struct storage_reader *reader)
{
    discard(spill_of(reader->storage), reader->pile, reader->at.spill.discarded, reader->at.spill.next);
    reader->at.spill.discarded = reader->at.spill.next;
}

static void free_spill(struct storage *storage)
{
    struct spill *spill = spill_of(storage);

    for (size_t i = 0; i < (size_t)spill->files * spill->place->directories; i++)
        if (spill->descriptor[i] >= 0)
            io_close(spill->descriptor[i]);
    pthread_mutex_destroy(&spill->mutex);
    free(spill->descriptor);
    free(spill->start);
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

unsigned spill_programs(struct spill_place *place, unsigned most)
{
    unsigned free_descriptors = sys_free_descriptors(WANTED_DESCRIPTORS);
    unsigned others = SPARE_AT_LEAST + SCATTERS * place->directories + COMPRESS_START_DESCRIPTORS;
    unsigned left = free_descriptors > others ? free_descriptors - others : 0;

    place->programs = left / COMPRESS_DESCRIPTORS < most ? left / COMPRESS_DESCRIPTORS : most;
    return place->programs;
}

struct storage *spill_open(struct spill_place *place, unsigned piles)
{
    unsigned free_descriptors = sys_free_descriptors(WANTED_DESCRIPTORS);
    unsigned programs = place->programs > 0 ? place->programs * COMPRESS_DESCRIPTORS + COMPRESS_START_DESCRIPTORS : 0;
    unsigned spare = SPARE_DESCRIPTORS + programs;
    unsigned files = free_descriptors > spare ? free_descriptors - spare : 0;
    struct spill *spill = sys_allocate(1, sizeof *spill);

    if (spill == NULL)
        goto fail;
    /* An oversized pile needs files in its turn while the others' are still open: keep half for later. */
    files = files / 2 / place->directories;
    if (files > piles)
        files = piles;
    if (files == 0)
        files = 1;
    spill->storage.kind = &KIND;
    spill->place = place;
    spill->piles = piles;
    spill->turns = 1;
    while (spill->turns * files < piles)
        spill->turns++;
    spill->files = (piles + spill->turns - 1) / spill->turns;
    pthread_mutex_init(&spill->mutex, NULL);
    spill->descriptor = sys_allocate((size_t)spill->files * place->directories, sizeof *spill->descriptor);
    spill->start = sys_allocate((size_t)piles * (place->directories + 1), sizeof *spill->start);
    spill->content = sys_allocate(piles, sizeof *spill->content);
    if (spill->descriptor == NULL || spill->start == NULL || spill->content == NULL)
        goto fail;
    for (size_t i = 0; i < (size_t)spill->files * place->directories; i++)
        spill->descriptor[i] = -1;
    for (unsigned p = 0; p < piles; p++)
        xxh64_init(&spill->content[p].hash, 0);
    return &spill->storage;

fail:
    fault_report(place->fault, "memory", errno);
    if (spill != NULL && spill->descriptor != NULL)
        free(spill->descriptor);
    if (spill != NULL) {
        free(spill->start);
        free(spill->content);
    }
    free(spill);
    return NULL;
}
