/*
 * The reservation is anonymous memory that nobody has touched. A file's whole pages are mapped over it; what is left of
 * its last page is read into the page behind them.
 */

#include "input/mapping.h"

#include <errno.h>
#include <stdlib.h>

#include "system/io.h"
#include "system/sys.h"

static uint64_t round_up(uint64_t bytes)
{
    const uint64_t page = sys_page_bytes();

    return (bytes + page - 1) / page * page;
}

/* The first byte may be anywhere in its page. */
uint64_t mapping_room(uint64_t bytes)
{
    return round_up(bytes + MAPPING_BEHIND_BYTES) + sys_page_bytes();
}

int mapping_reserve(struct mapping *mapping, size_t files, uint64_t bytes)
{
    *mapping = (struct mapping){.bytes = (size_t)bytes};
    if (bytes > SIZE_MAX / 2) {
        errno = ENOMEM;
        return -1;
    }
    mapping->file = sys_allocate(files, sizeof *mapping->file);
    if (mapping->file != NULL)
        mapping->base = sys_map((size_t)bytes);
    return mapping->base != NULL ? 0 : -1;
}

void mapping_release(struct mapping *mapping)
{
    if (mapping->base != NULL)
        sys_unmap(mapping->base, mapping->bytes);
    free(mapping->file);
    *mapping = (struct mapping){0};
}

/* Some systems show files that are made when they are read, and have no size, or a large one. */
static bool ends_at(int fd, off_t size)
{
    char byte;
    struct iovec piece = {.iov_base = &byte, .iov_len = 1};
    size_t done;

    if (io_read_at(fd, &piece, 1, size, &done) == 0 || errno != 0)
        return false;
    piece.iov_len = 1;
    return size == 0 || io_read_at(fd, &piece, 1, size - 1, &done) == 0;
}

int mapping_add(struct mapping *mapping, int fd, off_t offset, off_t size)
{
    const size_t page = sys_page_bytes();
    uint8_t *place = mapping->base + mapping->used;
    size_t before, bytes, mapped;

    if (offset > size)
        offset = size;
    before = (size_t)offset % page;
    bytes = (size_t)(size - offset);
    mapped = (before + bytes) / page * page;
    if (!ends_at(fd, size)) {
        errno = ENOTSUP;
        return -1;
    }
    errno = ENOMEM;
    if (mapping_room(bytes) > mapping->bytes - mapping->used)
        return -1;
    if (mapped > 0 && sys_map_file(place, mapped, fd, offset - (off_t)before) != 0)
        return -1;
    mapping->used += (size_t)mapping_room(bytes);
    mapping->file[mapping->files++] =
        (struct mapped_file){.place = place + before, .offset = offset, .bytes = bytes, .fd = -1};
    return 0;
}

int mapping_complete(const struct mapped_file *file, int fd)
{
    const off_t end = file->offset + (off_t)file->bytes;
    const size_t rest = (size_t)end % sys_page_bytes();
    struct iovec piece = {.iov_len = rest < file->bytes ? rest : file->bytes};
    size_t done;

    piece.iov_base = file->place + file->bytes - piece.iov_len;
    if (piece.iov_len == 0 || io_read_at(fd, &piece, 1, end - (off_t)piece.iov_len, &done) == 0)
        return 0;
    errno = errno != 0 ? errno : ESTALE;
    return -1;
}

size_t mapping_find(const struct mapping *mapping, const uint8_t *address)
{
    size_t found = 0;

    for (size_t end = mapping->files; end - found > 1;) {
        const size_t middle = found + (end - found) / 2;

        if (mapping->file[middle].place <= address)
            found = middle;
        else
            end = middle;
    }
    return found;
}

void mapping_forget(uint8_t *place, size_t bytes)
{
    const size_t page = sys_page_bytes();
    const size_t after = (page - (uintptr_t)place % page) % page; /* up to the next page */

    if (bytes >= after + page)
        sys_forget(place + after, (bytes - after) / page * page);
}
