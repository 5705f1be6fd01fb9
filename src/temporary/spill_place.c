#include "temporary/spill_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "system/io.h"
#include "system/signals.h"
#include "system/sys.h"

/* What may come before the disk is looked at again, and some more. */
static const uint64_t ENOUGH_BYTES = (uint64_t)64 << 20;

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

int spill_place_make_file(const char *directory)
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

/* What to do, if compressing has been tried or not. */
static const char *advice(bool tried)
{
    return tried ? "name another directory or one more with -T, or use a larger -S"
                 : "name another directory or one more with -T, use a larger -S, or --compress-temporary=always";
}

/* There is no room for what is coming. Has it been tried to compress it? */
_Noreturn static void report_shortage(const struct spill_place *place, bool tried)
{
    fault_say("temporary file in %s%s: %s: about %llu MiB are needed%s, %llu MiB are free: %s", place->directory[0],
              place->directories > 1 ? " and the other directories" : "", strerror(ENOSPC),
              number_mebibytes(place->coming), tried ? " without compression, which does not suffice" : "",
              (unsigned long long)(place->room >> 20), advice(tried));
}

void spill_place_report_shortage(const struct spill_place *place)
{
    report_shortage(place, true);
}

void spill_place_report_full(const struct spill_place *place, const char *directory, int error)
{
    const bool tried = place->frames != NULL && place->pace == NULL;
    char cause[FAULT_CAUSE_BYTES];

    fault_say("temporary file in %s: %s: %s", directory, fault_cause(error, cause), advice(tried));
}

/* The space that is free in all directories. NULL, or with errno the directory of which it cannot be told. */
static const char *find_room(const struct spill_place *place, uint64_t *room)
{
    *room = 0;
    for (unsigned d = 0; d < place->directories; d++) {
        uint64_t free_bytes = 0;
        int fd = spill_place_make_file(place->directory[d]);

        if (fd < 0)
            return place->directory[d];
        if (sys_free_space(fd, &free_bytes) != 0)
            free_bytes = UINT64_MAX; /* what is not known is no reason to refuse */
        io_close(fd);
        if (!is_counted(place, d))
            *room = free_bytes < UINT64_MAX - *room ? *room + free_bytes : UINT64_MAX;
    }
    return NULL;
}

bool spill_place_fills(const struct spill_place *place)
{
    uint64_t room;

    return place->coming == 0 && find_room(place, &room) == NULL && room < ENOUGH_BYTES + atomic_load(&place->plain);
}

void spill_place_check(struct spill_place *place, uint64_t bytes)
{
    const char *failed = find_room(place, &place->room);

    place->coming = bytes;
    if (failed != NULL)
        fault_say("temporary file in %s: %s", fault_name(failed), strerror(errno));
    if (place->room >= bytes || (place->frames != NULL && place->pace == NULL))
        return;
    if (place->frames == NULL || place->room < bytes / SPILL_PLACE_HOPE)
        report_shortage(place, false);
    pace_press(place->pace, (double)place->room / (double)bytes);
}
