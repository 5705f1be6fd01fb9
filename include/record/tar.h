#pragma once

/*
 * The headers of one member of a tar archive, in the forms of the 7th Edition, of POSIX (ustar and pax) and of GNU tar:
 *
 *     header block of type x, L or K, its data, zeros up to a whole block      (none, or up to one of each type)
 *     header block of the member
 *
 * The values in x (pax), L and K (GNU tar) replace those in the member's own header block. All headers are collected,
 * and read when they are complete:
 *
 *     tar_headers_begin --> put bytes into `data` until there are `wanted` bytes --> tar_headers_look
 *                                        ^                                                 |
 *                                        +------------------- TAR_MORE --------------------+
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TAR_BLOCK_BYTES = 512,
    TAR_HEADERS_BYTES_MAX = 1 << 20, /* for one member; names and attributes usually take a thousandth of that */
    TAR_NAME_BYTES_MAX = 4096,
};

struct tar_part {
    size_t at; /* in `data` */
    size_t bytes;
};

struct tar_headers {
    uint8_t *data; /* TAR_HEADERS_BYTES_MAX, the caller's */
    size_t bytes;  /* bytes in `data`; the caller counts them */
    size_t wanted;
    size_t block; /* place of the header block that is next, or was looked at last */
    struct tar_part pax, name, target;
};

static inline uint64_t tar_whole_blocks(uint64_t bytes)
{
    return (bytes + TAR_BLOCK_BYTES - 1) / TAR_BLOCK_BYTES * TAR_BLOCK_BYTES;
}

/* A text in `data`, or in the member. */
struct tar_text {
    const uint8_t *data; /* NULL if there is none */
    size_t bytes;
};

struct tar_member {
    struct tar_text name;
    struct tar_text target; /* of a hard link: the name of another member */
    bool directory;
    uint64_t data_bytes; /* bytes of data after the headers, with the zeros up to a whole block */
    uint8_t ustar_name[155 + 1 + 100];
};

enum tar_verdict {
    TAR_MORE,   /* `wanted` has grown */
    TAR_MEMBER, /* the headers are complete */
    TAR_ZEROS,  /* a block of zeros, as at the end of an archive */
    TAR_REFUSED /* no header, or of a member that cannot be moved */
};

/* A member begins, or zeros. `data` is set. */
void tar_headers_begin(struct tar_headers *headers);

/* `wanted` bytes are there. TAR_MEMBER: *member is filled in, and valid as long as `data`. TAR_REFUSED: *why is the
 * cause, for a message after the file and the place; *member has the name, if it is known. */
enum tar_verdict tar_headers_look(struct tar_headers *headers, struct tar_member *member, const char **why);

/* The part of the name that all members of a record share: a member's name up to the first dot in its last component,
 * not counting a dot at the beginning of that. The component ._NAME, in which macOS keeps attributes of NAME, counts as
 * NAME. Puts that part of `name`, which has at most TAR_NAME_BYTES_MAX bytes, into `key`. Returns its length. */
size_t tar_headers_key(struct tar_text name, uint8_t key[TAR_NAME_BYTES_MAX]);
