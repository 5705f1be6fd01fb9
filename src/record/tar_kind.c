/*
 * Members of tar archives, each with all of its headers (tar_headers.h), one after another without blocks of zeros
 * between them, in groups. Errors in an archive are found where it is read; this file looks only at sizes.
 *
 * To find where a member ends, of a header block only the size and the type are looked at, byte by byte, so that it
 * does not matter where the stream is cut; and of the fields of pax only the size. Data are passed over without being
 * touched.
 */

#include <string.h>

#include "base/arithmetic.h"
#include "record/record.h"
#include "record/tail.h"
#include "record/tar_headers.h"
#include "system/fault.h"

enum { SIZE_END = TAR_SIZE + TAR_SIZE_BYTES };

static const char size_key[] = "size=";
enum { KEY_BYTES = sizeof size_key - 1, OTHER_KEY };

/* How many bytes from here on need no look. */
static uint64_t idle_bytes(const struct tar_scan *scan)
{
    if (scan->behind)
        return scan->pax > 0 ? 0 : scan->left;
    if (scan->at < TAR_SIZE)
        return TAR_SIZE - scan->at;
    if (scan->at >= SIZE_END && scan->at < TAR_TYPE)
        return TAR_TYPE - scan->at;
    return scan->at > TAR_TYPE ? TAR_BLOCK_BYTES - scan->at : 0;
}

static void look_at_size(struct tar_scan *scan, uint8_t byte)
{
    if (scan->at == TAR_SIZE) {
        scan->binary = byte == 0x80;
        scan->size = 0;
    }
    if (scan->binary)
        scan->size = scan->size << 8 | (scan->at == TAR_SIZE ? 0 : byte);
    else if (byte >= '0' && byte <= '7')
        scan->size = scan->size << 3 | (byte & 7);
}

/* LENGTH KEY=VALUE "\n", where LENGTH counts all of it. */
static void look_at_pax(struct tar_scan *scan, uint8_t byte)
{
    scan->come++;
    if (!scan->in_text) {
        scan->in_text = byte == ' ';
        scan->like = 0;
        scan->field = scan->in_text ? scan->field : 10 * scan->field + (byte & 15);
    } else if (scan->like < KEY_BYTES) {
        scan->like = byte == (uint8_t)size_key[scan->like] ? scan->like + 1 : OTHER_KEY;
        if (scan->like == KEY_BYTES) {
            scan->has_size = false;
            scan->member_size = 0;
        }
    } else if (scan->like == KEY_BYTES && scan->come < scan->field) {
        scan->has_size = true;
        scan->member_size = 10 * scan->member_size + (byte & 15);
    }
    if (--scan->pax == 0 || (scan->in_text && scan->come >= scan->field)) {
        scan->in_text = false;
        scan->field = scan->come = 0;
    }
}

static void look(struct tar_scan *scan, uint8_t byte)
{
    if (scan->behind)
        look_at_pax(scan, byte);
    else if (scan->at == TAR_TYPE)
        scan->type = byte;
    else
        look_at_size(scan, byte);
}

static bool is_extension(const struct tar_scan *scan)
{
    return scan->type == 'x' || scan->type == 'L' || scan->type == 'K';
}

static void end_header(struct tar_scan *scan)
{
    const bool own = is_extension(scan) || !scan->has_size;
    const uint64_t size = own ? scan->size : scan->member_size;

    scan->behind = true;
    scan->left = tar_whole_blocks(size);
    scan->pax = scan->type == 'x' ? size : 0;
}

/* Move on by so many bytes. Does a member end with them? */
static bool advance(struct tar_scan *scan, size_t bytes)
{
    if (scan->behind) {
        scan->left -= bytes;
    } else {
        scan->at = (uint16_t)(scan->at + bytes);
        if (scan->at == TAR_BLOCK_BYTES)
            end_header(scan);
    }
    if (!scan->behind || scan->left > 0)
        return false;
    if (!is_extension(scan)) {
        *scan = (struct tar_scan){.behind = false};
        return true;
    }
    scan->behind = false;
    scan->at = 0;
    return false;
}

static size_t find_ends(const struct record_format *format, struct record_scan *stream, const uint8_t *data,
                        size_t bytes, uint32_t *ends, size_t room, size_t *scanned)
{
    struct tar_scan *scan = &stream->tar;
    size_t found = 0, at = 0;

    (void)format;
    while (at < bytes && found < room) {
        const uint64_t idle = idle_bytes(scan);
        size_t passed = 1;

        if (idle == 0)
            look(scan, data[at]);
        else
            passed = (size_t)least(idle, bytes - at);
        at += passed;
        if (advance(scan, passed))
            ends[found++] = (uint32_t)at;
    }
    *scanned = at;
    return found;
}

static void check_size(const struct tail *tail, const char *name, uint64_t bytes)
{
    (void)tail;
    if (bytes == 0)
        die("%s: empty, and so no tar archive", name);
    if (bytes % TAR_BLOCK_BYTES > 0)
        die("%s: truncated, or no tar archive: its size, %llu bytes, is not a multiple of %d", name,
            (unsigned long long)bytes, TAR_BLOCK_BYTES);
}

/* The mark of POSIX in the first header, and of GNU tar; what has none is older than 1988. */
static bool is_begun(const uint8_t *data, size_t bytes)
{
    enum { AT = 257 };
    static const char mark[] = {'u', 's', 't', 'a', 'r'};

    return bytes >= AT + sizeof mark && memcmp(data + AT, mark, sizeof mark) == 0;
}

const struct record_kind tar_kind = {
    .name = "tar",
    .text = "samples: members of archives\nwhose names are the same up to\nthe first dot",
    .noun = "members",
    .traits = RECORD_MEMBER,
    .file = "a tar archive",
    .is_begun = is_begun,
    .ends = find_ends,
    .check_size = check_size,
};
