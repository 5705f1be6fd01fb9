/*
 * Piles are dealt to `count` groups; pile p is turn p / count of group p mod count. A group has a file in each
 * directory in which one of its piles ever needed one, made at the first write. With a group for each pile, which is
 * the rule, a pile's place in its file is its own offset. Otherwise the piles of a group take turns, a stripe each, so
 * that a place is still found by arithmetic alone; what a short pile does not use is a hole and takes no space.
 *
 *     offset  ->  (extent: the directory after so many that were full)  ->  group file, stripe, position in it
 */

#include "temporary/pile_files.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "system/io.h"
#include "system/sys.h"

/* Descriptors left to inputs, output, and what libc opens for a moment. */
static const unsigned SPARE_DESCRIPTORS = 12;

/* More than the piles of two scatters, one within the other, and all that can be of use. */
static const unsigned WANTED_DESCRIPTORS = 4096;

/* Pieces of one transfer: 64 blocks of 64 KiB are 4 MiB. */
enum { PIECES = 64 };

static const char *directory_of(const struct pile_files *files, unsigned pile, unsigned extent)
{
    const struct spill_place *place = files->place;

    return place->directory[(pile % files->count + extent) % place->directories];
}

_Noreturn static void report(const struct pile_files *files, unsigned pile, unsigned extent, int error)
{
    char cause[FAULT_CAUSE_BYTES];

    fault_say("temporary file in %s: %s", directory_of(files, pile, extent),
              error == 0 ? "file is shorter than what was written" : fault_cause(error, cause));
}

static int *descriptor_of(struct pile_files *files, unsigned pile, unsigned extent)
{
    unsigned group = pile % files->count;
    unsigned directory = (group + extent) % files->place->directories;

    return &files->descriptor[(size_t)group * files->place->directories + directory];
}

static uint64_t *start_of(struct pile_files *files, unsigned pile, unsigned extent)
{
    return &files->start[(size_t)pile * (files->place->directories + 1) + extent];
}

/* The descriptor for writing, made if it is not there. */
static int descriptor_for_writing(struct pile_files *files, unsigned pile, unsigned extent)
{
    int *fd = descriptor_of(files, pile, extent);
    int got;

    pthread_mutex_lock(&files->mutex);
    if (*fd < 0) {
        *fd = spill_place_make_file(directory_of(files, pile, extent));
        if (*fd >= 0 && sys_is_memory_file_system(*fd) && !atomic_exchange(&files->place->told, true))
            fault_warn("temporary files in %s are kept in memory; name another directory with -T",
                       directory_of(files, pile, extent));
    }
    got = *fd;
    pthread_mutex_unlock(&files->mutex);
    return got;
}

/* Where a byte at an offset of a pile stands in its extent's file, and how many bytes from there on stand together. */
static off_t position_of(const struct pile_files *files, unsigned pile, uint64_t offset, uint64_t *together)
{
    uint64_t stripe = offset / PILE_FILES_STRIPE_BYTES;
    uint64_t inside = offset % PILE_FILES_STRIPE_BYTES;

    if (files->turns == 1) {
        *together = UINT64_MAX;
        return (off_t)offset;
    }
    *together = PILE_FILES_STRIPE_BYTES - inside;
    return (off_t)((stripe * files->turns + pile / files->count) * PILE_FILES_STRIPE_BYTES + inside);
}

/* The extent in which an offset of a pile is, and the offset at which the next extent begins. */
static unsigned extent_of(struct pile_files *files, unsigned pile, uint64_t offset, uint64_t *next)
{
    unsigned extent = 0;

    while (extent + 1 < files->pile[pile].extents && offset >= *start_of(files, pile, extent + 1))
        extent++;
    *next = extent + 1 < files->pile[pile].extents ? *start_of(files, pile, extent + 1) : UINT64_MAX;
    return extent;
}

static bool is_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

/* Write what stands together; when its directory is full go on in the next one, with what is left of it. */
static void append_together(struct pile_files *files, unsigned pile, struct iovec *some, int count)
{
    struct pile_file *file = &files->pile[pile];
    struct spill_place *place = files->place;

    for (;;) {
        unsigned extent = file->extents - 1;
        int fd = descriptor_for_writing(files, pile, extent);
        uint64_t together;
        size_t done = 0;
        int status = -1;
        int error;

        if (fd >= 0)
            status =
                pace_write(place->pace, fd, some, count,
                           position_of(files, pile, file->bytes - *start_of(files, pile, extent), &together), &done);
        file->bytes += done;
        atomic_fetch_add(&place->bytes, done);
        if (status == 0)
            return;
        error = errno;
        if (!is_full(error))
            report(files, pile, extent, error);
        if (file->extents == place->directories && place->coming > place->room)
            spill_place_report_shortage(place);
        if (file->extents == place->directories)
            spill_place_report_full(place, directory_of(files, pile, extent), error);
        *start_of(files, pile, file->extents++) = file->bytes;
        while (count > 0 && some->iov_len == 0) {
            some++;
            count--;
        }
    }
}

void pile_files_append(struct pile_files *files, unsigned pile, struct iovec *pieces, int count)
{
    struct pile_file *file = &files->pile[pile];

    if (file->extents == 0) {
        file->extents = 1;
        file->used = true;
        atomic_fetch_add(&files->place->piles, 1);
    }
    while (count > 0) {
        struct iovec some[PIECES];
        uint64_t together;
        size_t bytes;
        int taken, used;

        position_of(files, pile, file->bytes - *start_of(files, pile, file->extents - 1), &together);
        taken = io_pieces_begin(pieces, count, together, some, PIECES, &bytes);
        append_together(files, pile, some, taken);
        used = io_pieces_advance(pieces, count, bytes);
        pieces += used;
        count -= used;
    }
}

void pile_files_read(struct pile_files *files, unsigned pile, uint64_t *offset, struct iovec *pieces, int count)
{
    while (count > 0) {
        struct iovec some[PIECES];
        uint64_t next;
        uint64_t together;
        unsigned extent = extent_of(files, pile, *offset, &next);
        off_t at = position_of(files, pile, *offset - *start_of(files, pile, extent), &together);
        size_t bytes;
        size_t done;
        int taken = io_pieces_begin(pieces, count, least(together, next - *offset), some, PIECES, &bytes);
        int used;

        if (io_read_at(*descriptor_of(files, pile, extent), some, taken, at, &done) != 0)
            report(files, pile, extent, errno);
        *offset += bytes;
        used = io_pieces_advance(pieces, count, bytes);
        pieces += used;
        count -= used;
    }
}

void pile_files_discard(struct pile_files *files, unsigned pile, uint64_t from, uint64_t to)
{
    while (from < to) {
        uint64_t next;
        uint64_t together;
        unsigned extent = extent_of(files, pile, from, &next);
        off_t at = position_of(files, pile, from - *start_of(files, pile, extent), &together);
        uint64_t bytes = least(to - from, least(together, next - from));

        /* Where it cannot be done, the space comes back with the file. */
        (void)sys_punch_hole(*descriptor_of(files, pile, extent), at, (off_t)bytes);
        from += bytes;
    }
}

void pile_files_drop(struct pile_files *files, unsigned pile)
{
    struct pile_file *file = &files->pile[pile];

    if (files->turns > 1)
        pile_files_discard(files, pile, 0, file->bytes);
    for (unsigned extent = 0; files->turns == 1 && extent < file->extents; extent++) {
        int *fd = descriptor_of(files, pile, extent);

        if (*fd >= 0)
            (void)io_close(*fd);
        *fd = -1;
    }
    *file = (struct pile_file){.used = file->used};
}

const char *pile_files_directory(const struct pile_files *files, unsigned pile)
{
    return directory_of(files, pile, 0);
}

/* How many groups there may be. */
static unsigned most_files(const struct spill_place *place)
{
    unsigned free_descriptors = sys_free_descriptors(WANTED_DESCRIPTORS);
    unsigned files = free_descriptors > SPARE_DESCRIPTORS ? free_descriptors - SPARE_DESCRIPTORS : 0;

    /* An oversized pile needs files in its turn while the others' are still open: keep half for later. */
    files = files / 2 / place->directories;
    return files > 0 ? files : 1;
}

void pile_files_init(struct pile_files *files, struct spill_place *place, unsigned piles)
{
    const unsigned most = most_files(place);

    *files = (struct pile_files){.place = place, .turns = 1};
    pthread_mutex_init(&files->mutex, NULL);
    while (files->turns * most < piles)
        files->turns++;
    files->count = (piles + files->turns - 1) / files->turns;
    files->descriptor = fault_allocate((size_t)files->count * place->directories, sizeof *files->descriptor);
    files->start = fault_allocate((size_t)piles * (place->directories + 1), sizeof *files->start);
    files->pile = fault_allocate(piles, sizeof *files->pile);
    for (size_t i = 0; i < (size_t)files->count * place->directories; i++)
        files->descriptor[i] = -1;
}

void pile_files_release(struct pile_files *files)
{
    for (size_t i = 0; i < (size_t)files->count * files->place->directories; i++)
        if (files->descriptor[i] >= 0)
            (void)io_close(files->descriptor[i]);
    pthread_mutex_destroy(&files->mutex);
    free(files->descriptor);
    free(files->start);
    free(files->pile);
}
