/* Of a header block only the size and the type are looked at, byte by byte, so that it does not matter where the stream
 * is cut; and of the fields of pax only the size. */

#include "record/tar_scan.h"

#include "base/arithmetic.h"
#include "record/tar_headers.h"

enum { SIZE_END = TAR_SIZE + TAR_SIZE_BYTES };

static const char size_key[] = "size=";
enum { KEY_BYTES = sizeof size_key - 1, OTHER_KEY };

/* So many bytes from here on say nothing. */
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

size_t tar_scan_ends(struct tar_scan *scan, const uint8_t *data, size_t bytes, uint32_t *ends, size_t room,
                     size_t *scanned)
{
    size_t found = 0;
    size_t at = 0;

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
