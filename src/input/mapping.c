/*
 * The reservation is anonymous memory that nobody has touched. A file's whole pages are mapped over it; what is left of
 * its last page is read into the page behind them.
 */

#include "input/mapping.h"

#include <errno.h>

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

int mapping_reserve(struct mapping *mapping, uint64_t bytes)
{
    *mapping = (struct mapping){.bytes = (size_t)bytes};
    if (bytes > SIZE_MAX / 2)
        errno = ENOMEM;
    else
        mapping->base = sys_map((size_t)bytes);
    return mapping->base != NULL ? 0 : -1;
}

void mapping_release(struct mapping *mapping)
{
    if (mapping->base != NULL)
        sys_unmap(mapping->base, mapping->bytes);
    mapping->base = NULL;
}

uint8_t *mapping_add(struct mapping *mapping, int fd, off_t offset, size_t bytes)
{
    const size_t page = sys_page_bytes();
    const size_t before = (size_t)offset % page;
    const size_t mapped = (before + bytes) / page * page;
    uint8_t *place = mapping->base + mapping->used;

    if (mapping_room(bytes) > mapping->bytes - mapping->used) {
        errno = ENOMEM;
        return NULL;
    }
    if (mapped > 0 && sys_map_file(place, mapped, fd, offset - (off_t)before) != 0)
        return NULL;
    mapping->used += (size_t)mapping_room(bytes);
    return place + before;
}

int mapping_complete(uint8_t *place, int fd, off_t offset, size_t bytes)
{
    const off_t end = offset + (off_t)bytes;
    const size_t rest = (size_t)end % sys_page_bytes();
    struct iovec piece = {.iov_len = rest < bytes ? rest : bytes};
    size_t done;

    piece.iov_base = place + bytes - piece.iov_len;
    return piece.iov_len == 0 ? 0 : io_read_at(fd, &piece, 1, end - (off_t)piece.iov_len, &done);
}

void mapping_populate(uint8_t *place, size_t bytes)
{
    const size_t page = sys_page_bytes();
    const size_t before = (uintptr_t)place % page;

    if (bytes > 0)
        sys_populate(place - before, (size_t)round_up(before + bytes));
}

void mapping_forget(uint8_t *place, size_t bytes)
{
    const size_t page = sys_page_bytes();
    const size_t after = (page - (uintptr_t)place % page) % page; /* up to the next page */

    if (bytes >= after + page)
        sys_forget(place + after, (bytes - after) / page * page);
}
