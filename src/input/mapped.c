/*
 * The space is anonymous memory that nobody has touched. A file's whole pages are mapped over it; the rest of its last
 * page is read into the page after them, so that bytes written after it do not change the file's page.
 *
 * The run checks whether a file has changed when it is begun, when an access to it fails, and when all have been read.
 * All files stay open for that, since a modified file may have lost its name. If there are too many files for that,
 * they are read, not mapped.
 */

#include "input/mapped.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "input/operand.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/sys.h"

/* When the system gives a page, it may give those around it, too, up to this far. */
TUNABLE(NEAR_BYTES, 2 << 20, 1, 2 << 20);

/* Of what was looked at, this may stay. */
TUNABLE(LEAVE_BYTES, 2 << 20, 1, 2 << 20);

/* The files take no more than this part of the descriptors that are left; and two of 65530 mappings (Linux) each. */
enum { DESCRIPTORS_SHARE = 4, FILES_MAX = 8192 };

/* ---- Mapping ---- */

/* What a file takes of the space, at most: its first byte may be anywhere in a page. */
static uint64_t room_for(uint64_t bytes)
{
    const uint64_t page = sys_page_bytes();

    return (bytes + MAPPED_AFTER_BYTES + page - 1) / page * page + page;
}

/* Reserve addresses, not memory, for all files. */
static bool reserve(struct mapped *mapped, size_t count)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < count && bytes <= SIZE_MAX / 2; i++)
        bytes += room_for((uint64_t)mapped->marks[i].bytes);
    if (bytes > SIZE_MAX / 2)
        return false;
    mapped->bytes = (size_t)bytes;
    mapped->file = sys_allocate(count + 1, sizeof *mapped->file);
    if (mapped->file != NULL)
        mapped->base = sys_map(mapped->bytes);
    return mapped->base != NULL;
}

/* Does the file end there? Some systems show files that are made when they are read, and have no size, or a large one.
 */
static bool ends_at(int fd, off_t size)
{
    char bytes[2];
    struct iovec piece = {.iov_base = bytes, .iov_len = sizeof bytes};
    size_t done;

    return io_read_at(fd, &piece, 1, size > 0 ? size - 1 : 0, &done) != 0 && errno == 0 && done == (size > 0);
}

/* Map the next file from the byte `from` on, but for its last page. It is open from now on, also if that fails. */
static bool map(struct mapped *mapped, off_t from)
{
    const size_t page = sys_page_bytes();
    const struct file_mark *mark = &mapped->marks[mapped->files];
    const off_t offset = from < mark->bytes ? from : mark->bytes;
    const size_t before = (size_t)offset % page, bytes = (size_t)(mark->bytes - offset);
    const size_t whole = (before + bytes) / page * page;
    uint8_t *place = mapped->base + mapped->used;
    const int fd = operand_open(mapped->names[mapped->files], true);

    if (fd < 0)
        return false;
    mapped->file[mapped->files++] =
        (struct mapped_file){.place = place + before, .offset = offset, .bytes = bytes, .fd = fd};
    mapped->used += (size_t)room_for(bytes);
    return file_mark_check(mark, fd, mark->bytes) == 0 && ends_at(fd, mark->bytes) &&
           (whole == 0 || sys_map_file(place, whole, fd, offset - (off_t)before) == 0);
}

/* Read what is in the last page. */
static void complete(const struct mapped_file *file, const char *name)
{
    const off_t end = file->offset + (off_t)file->bytes;
    const size_t rest = (size_t)end % sys_page_bytes();
    struct iovec piece = {.iov_len = rest < file->bytes ? rest : file->bytes};
    size_t done;

    piece.iov_base = file->place + file->bytes - piece.iov_len;
    if (piece.iov_len == 0 || io_read_at(file->fd, &piece, 1, end - (off_t)piece.iov_len, &done) == 0)
        return;
    errno = errno != 0 ? errno : ESTALE;
    file_mark_report(name);
}

/* ---- Watching ---- */

/* A file must still be what it was. What else may have its name now does not matter. */
static void check(const struct mapped *mapped, size_t i)
{
    const struct file_mark *mark = &mapped->marks[i];

    if (file_mark_check(mark, mapped->file[i].fd, mark->bytes) != 0)
        file_mark_report(mapped->names[i]);
}

void mapped_check(const struct mapped *mapped)
{
    for (size_t i = 0; i < mapped->files; i++)
        check(mapped, i);
}

/* The last file that begins at an address or before it; or the first one. */
static size_t file_at(const struct mapped *mapped, const uint8_t *address)
{
    size_t low = 0, high = mapped->files;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (mapped->file[middle].place > address)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* An access to an address has failed. */
static void report_access(void *context, const uint8_t *address)
{
    const struct mapped *mapped = context;
    const size_t i = file_at(mapped, address);

    check(mapped, i);
    die_errno(mapped->names[i], EIO);
}

/* ---- All files ---- */

bool mapped_open(struct mapped *mapped, const char *const *names, const struct file_mark *marks, size_t count,
                 off_t start)
{
    bool good;

    *mapped = (struct mapped){.names = names, .marks = marks};
    good = count <= FILES_MAX &&
           sys_free_descriptors((unsigned)count * DESCRIPTORS_SHARE) / DESCRIPTORS_SHARE >= count &&
           reserve(mapped, count);
    for (size_t i = 0; i < count && good; i++) {
        const bool is_input = operand_is_standard_input(names[i]);

        good = map(mapped, is_input ? start : 0);
        if (is_input)
            start = marks[i].bytes; /* where it is named again, nothing is left */
    }
    if (!good) {
        mapped_close(mapped);
        return false;
    }
    mapped->guard =
        (struct guard){.memory = mapped->base, .bytes = mapped->bytes, .failed = report_access, .context = mapped};
    guard_set(&mapped->guard);
    mapped->forgotten = mapped->seen = mapped->seen_end = mapped->base;
    return true;
}

void mapped_close(struct mapped *mapped)
{
    if (mapped->guard.memory != NULL)
        guard_set(NULL);
    for (size_t i = 0; i < mapped->files; i++)
        operand_close(mapped->file[i].fd);
    if (mapped->base != NULL)
        sys_unmap(mapped->base, mapped->bytes);
    free(mapped->file);
    *mapped = (struct mapped){.base = NULL};
}

void mapped_restart(struct mapped *mapped)
{
    mapped->at = mapped->last = NULL;
    if (mapped->base != NULL)
        mapped_forget(mapped, mapped->base);
}

/* ---- One by one ---- */

void mapped_begin(struct mapped *mapped, size_t i)
{
    const char *name = mapped->names[i];
    const struct mapped_file *file = &mapped->file[i];

    check(mapped, i);
    complete(file, name);
    if (operand_is_standard_input(name) && sys_seek(file->fd, mapped->marks[i].bytes, SEEK_SET) < 0)
        die_errno(name, errno);
    mapped->lent = i;
    mapped->at = file->place;
    mapped->last = file->place + file->bytes;
}

void mapped_end(const struct mapped *mapped)
{
    check(mapped, mapped->lent);
}

size_t mapped_read(void *context, void *data, size_t bytes)
{
    struct mapped *mapped = context;
    const size_t got = least_size(bytes, (size_t)(mapped->last - mapped->at));

    memcpy(data, mapped->at, got);
    mapped->at += got;
    mapped_saw(mapped, mapped->at - got, mapped->at);
    return got;
}

size_t mapped_next(const struct mapped *mapped, size_t bytes)
{
    const size_t left = (size_t)(mapped->last - mapped->at);
    size_t over;

    if (bytes >= left)
        return left;
    over = ((size_t)(mapped->at - mapped->base) + bytes) % sys_page_bytes();
    return over < bytes ? bytes - over : bytes;
}

void mapped_append(struct mapped *mapped, const uint8_t *data, size_t bytes)
{
    if (bytes > 0)
        memcpy(mapped->last, data, bytes);
    mapped->last += bytes;
}

/* ---- Giving memory back ---- */

/* What was read into the page after a file's whole pages is nowhere else, and stays. */
static void leave(const struct mapped *mapped, const uint8_t *from, const uint8_t *end)
{
    const size_t page = sys_page_bytes(), low = (size_t)(from - mapped->base), high = (size_t)(end - mapped->base);

    for (size_t i = mapped->files > 0 ? file_at(mapped, from) : 0; i < mapped->files && mapped->file[i].place < end;
         i++) {
        const size_t first = (size_t)(mapped->file[i].place - mapped->base);
        const size_t last = (first + mapped->file[i].bytes) / page;
        const size_t begin = (low > first + NEAR_BYTES ? low - NEAR_BYTES : first) / page;
        const size_t stop = least_size(last, high / page);

        if (begin < stop)
            sys_forget(mapped->base + begin * page, (stop - begin) * page);
    }
}

/* Whoever goes on from where he was will soon look at what comes next, which may be there already. */
void mapped_saw(struct mapped *mapped, const uint8_t *from, const uint8_t *end)
{
    if (from != mapped->seen_end) {
        leave(mapped, mapped->seen, mapped->seen_end + NEAR_BYTES);
        mapped->seen = from;
    }
    mapped->seen_end = end;
    if ((size_t)(end - mapped->seen) < LEAVE_BYTES)
        return;
    leave(mapped, mapped->seen, end - NEAR_BYTES);
    mapped->seen = end;
}

void mapped_forget(struct mapped *mapped, const uint8_t *end)
{
    mapped_saw(mapped, mapped->forgotten, end);
    mapped->forgotten = end;
}

uint64_t mapped_kept(const struct mapped *mapped)
{
    return (uint64_t)mapped->files * sys_page_bytes();
}
