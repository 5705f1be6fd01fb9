#include "temporary/spill_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/tunable.h"
#include "system/io.h"
#include "system/signals.h"
#include "system/sys.h"

/* One sample per SAMPLE_BYTES: it takes about 150 us, and writing these bytes at least 15 ms. */
TUNABLE(SAMPLE_BYTES, 32 << 20, 1, 32 << 20);
static const uint64_t ENOUGH_BYTES = (uint64_t)64 << 20; /* more than comes before the next sample */

/* MEASURED_BYTES are measured when MEASURED_AFTER_BYTES have come, which took a run a tenth of a second. Given up after
 * MEASURED_UNTIL_BYTES, if the clock cannot be read, or takes long: to try it for each write of 1 GB would open 13,000
 * files. */
TUNABLE(MEASURED_AFTER_BYTES, 64 << 20, 1, 64 << 20);
TUNABLE(MEASURED_UNTIL_BYTES, 256 << 20, 1, 256 << 20);
TUNABLE(MEASURED_BYTES, 16 << 20, 1, 16 << 20);

/* The time of decompressing, as a part of that of compressing, about. */
static const double UNPACKING = 0.25;

void spill_place_init(struct spill_place *place, const char *const *directory, unsigned directories,
                      enum spill_packing packing)
{
    *place = (struct spill_place){.directory = directory, .directories = directories, .threads = 1, .packing = packing};
    place->shared = fault_allocate(directories, sizeof *place->shared);
    for (unsigned d = 0; d < directories; d++)
        place->shared[d] = -1;
    pthread_mutex_init(&place->mutex, NULL);
}

static void close_shared(struct spill_place *place)
{
    for (unsigned d = 0; d < place->directories; d++) {
        io_drop(place->shared[d]);
        place->shared[d] = -1;
    }
    atomic_store(&place->stripes, 0);
}

void spill_place_restart(struct spill_place *place)
{
    close_shared(place);
    atomic_store(&place->piles, 0);
    atomic_store(&place->plain, 0);
    atomic_store(&place->bytes, 0);
}

void spill_place_release(struct spill_place *place)
{
    close_shared(place);
    free(place->shared);
    pthread_mutex_destroy(&place->mutex);
}

/* ---- Files ---- */

/* For systems that cannot make a file without a name: it has one for a moment, in which death by signal waits. */
static int open_and_unlink(const char *directory)
{
    static const char NAME[] = "/bigshuf-XXXXXX";
    const size_t length = strlen(directory);
    char *path = fault_allocate(length + sizeof NAME, 1);
    sigset_t before;
    int fd, error;

    memcpy(path, directory, length);
    signals_hold(&before);
    do {
        memcpy(path + length, NAME, sizeof NAME);
        fd = sys_mkstemp(path);
    } while (fd < 0 && errno == EINTR);
    error = errno;
    if (fd >= 0 && sys_unlink(path) != 0) {
        error = errno;
        io_close(fd);
        (void)sys_unlink(path); /* a full disk: NFS had no room for the other name of the open file */
        fd = -1;
    }
    signals_release(&before);
    free(path);
    errno = error;
    return fd;
}

int spill_place_make_file(const char *directory)
{
    int fd;

    IO_REPEAT(fd, sys_open_anonymous(AT_FDCWD, directory, 0600));
    if (fd < 0 && (errno == ENOTSUP || errno == EISDIR || errno == EINVAL))
        fd = open_and_unlink(directory);
    return fd;
}

int spill_place_shared(struct spill_place *place, unsigned directory)
{
    int fd = -1, error = 0;

    pthread_mutex_lock(&place->mutex);
    for (unsigned d = 0; d < place->directories; d++) {
        if (place->shared[d] >= 0)
            continue;
        place->shared[d] = spill_place_make_file(place->directory[d]);
        if (place->shared[d] < 0)
            error = d == directory ? errno : error;
        else if (sys_is_memory_file_system(place->shared[d]) && !place->told) {
            place->told = true;
            fault_warn("temporary files in %s are kept in memory; name another directory with -T", place->directory[d]);
        }
    }
    fd = place->shared[directory];
    pthread_mutex_unlock(&place->mutex);
    errno = error;
    return fd;
}

/* ---- Room ---- */

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

static const char advice[] = "name another directory or one more with -T, or use a larger -S";

/* There is no room for the bytes that come, not even compressed if that was `tried`. */
_Noreturn static void report_shortage(const struct spill_place *place, bool tried)
{
    char needed[32], left[32];

    die("temporary file in %s%s: %s: about %s are needed%s, %s are free: %s", place->directory[0],
        place->directories > 1 ? " and the other directories" : "", strerror(ENOSPC),
        number_format_size(place->coming, needed), tried ? " without compression, which does not suffice" : "",
        number_format_size(place->room, left), advice);
}

void spill_place_report_full(const struct spill_place *place, const char *directory, int error)
{
    if (place->coming > place->room)
        report_shortage(place, true);
    die("temporary file in %s: %s: %s", directory, fault_cause(error), advice);
}

/* *room receives the free space of all directories. Returns NULL, or, with errno, a directory that takes no file. */
static const char *find_room(const struct spill_place *place, uint64_t *room)
{
    *room = 0;
    for (unsigned d = 0; d < place->directories; d++) {
        uint64_t free_bytes = 0;
        int fd = spill_place_make_file(place->directory[d]);

        if (fd < 0)
            return place->directory[d];
        if (sys_free_space(fd, &free_bytes) != 0)
            free_bytes = UINT64_MAX; /* unknown space is no reason to refuse */
        io_close(fd);
        if (!is_counted(place, d))
            *room = free_bytes < UINT64_MAX - *room ? *room + free_bytes : UINT64_MAX;
    }
    return NULL;
}

void spill_place_check(struct spill_place *place, uint64_t bytes)
{
    const char *failed = find_room(place, &place->room);

    place->coming = bytes;
    if (failed != NULL)
        die("temporary file in %s: %s%s", fault_name(failed), fault_cause(errno),
            strpbrk(failed, ",:") != NULL ? "; write -T for each directory" : "");
    if (place->room >= bytes || place->packing == SPILL_ALWAYS)
        return;
    if (place->packing == SPILL_NEVER || place->room < bytes / SPILL_PLACE_HOPE)
        report_shortage(place, false);
    place->pace.pressed = true;
    place->pace.needed = (double)place->room / (double)bytes;
}

/* ---- Pace ---- */

/* Is it unknown how much comes, and hardly more free than has come? Then compressing makes room for twice as much. */
static bool fills(const struct spill_place *place)
{
    uint64_t room;

    return place->coming == 0 && find_room(place, &room) == NULL && room < ENOUGH_BYTES + atomic_load(&place->plain);
}

/* The first sample must shrink as much as all data must. */
static void take_sample(struct spill_place *place, const struct iovec *pieces, int count, bool is_first)
{
    const bool pressed = fills(place);
    const struct frames_sample sample = frames_try(pieces, count);
    const double plain = (double)sample.plain_bytes;
    struct spill_pace *pace = &place->pace;
    bool fits;

    pthread_mutex_lock(&place->mutex);
    pace->pressed = pace->pressed || pressed;
    pace->pack_cost = (double)sample.nanoseconds / plain;
    pace->left = (double)sample.stored_bytes / plain;
    fits = pace->needed == 0 || pace->left <= pace->needed;
    pthread_mutex_unlock(&place->mutex);
    if (is_first && !fits)
        report_shortage(place, true);
}

bool spill_place_packs(struct spill_place *place, const struct iovec *pieces, int count, uint64_t bytes)
{
    const uint64_t before = atomic_fetch_add(&place->plain, bytes);
    struct spill_pace *pace = &place->pace;
    double gain, cost;
    bool packs;

    if (place->packing != SPILL_AUTO)
        return place->packing == SPILL_ALWAYS;
    if (before == 0 || before / SAMPLE_BYTES < (before + bytes) / SAMPLE_BYTES)
        take_sample(place, pieces, count, before == 0);
    pthread_mutex_lock(&place->mutex);
    gain = 2 * pace->write_cost * (1 - pace->left);
    cost = (1 + UNPACKING) * pace->pack_cost * (place->threads > 1 ? 0.5 : 1);
    packs = pace->left < 1 && (pace->pressed || gain > cost);
    pthread_mutex_unlock(&place->mutex);
    return packs;
}

bool spill_place_measures(const struct spill_place *place)
{
    const uint64_t plain = atomic_load(&place->plain);

    return place->packing == SPILL_AUTO && plain >= MEASURED_AFTER_BYTES && plain < MEASURED_UNTIL_BYTES &&
           atomic_load(&place->measured_bytes) < MEASURED_BYTES;
}

bool spill_place_wrote(struct spill_place *place, uint64_t bytes, uint64_t nanoseconds)
{
    const uint64_t before = atomic_fetch_add(&place->measured_bytes, bytes);

    nanoseconds += atomic_fetch_add(&place->measured_nanoseconds, nanoseconds);
    if (before >= MEASURED_BYTES || before + bytes < MEASURED_BYTES)
        return false;
    spill_place_waited(place, before + bytes, nanoseconds);
    return true;
}

void spill_place_waited(struct spill_place *place, uint64_t bytes, uint64_t nanoseconds)
{
    const double cost = (double)nanoseconds / (double)bytes;

    pthread_mutex_lock(&place->mutex);
    if (cost > place->pace.write_cost)
        place->pace.write_cost = cost;
    pthread_mutex_unlock(&place->mutex);
}
