#pragma once

/*
 * The headers of one member of a tar archive, in the forms of the 7th Edition, of POSIX (ustar and pax) and of GNU tar:
 *
 *     header block of type x, L or K, its data, zeros up to a whole block      (none, or up to one of each type)
 *     header block of the member
 *
 * What x (pax), L and K (GNU tar) say of the member replaces what the member's own header block says. They are
 * collected, and read when all of them are there:
 *
 *     tar_headers_begin --> bytes are put into `data` until there are as many as `wanted` --> tar_headers_look
 *                                                   ^                                              |
 *                                                   +---------------- TAR_MORE --------------------+
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TAR_BLOCK_BYTES = 512,
    TAR_HEADERS_BYTES_MAX = 1 << 20, /* of one member; names and attributes take a thousandth of that */
    TAR_NAME_BYTES_MAX = 4096,
};

struct tar_part {
    size_t at; /* in `data` */
    size_t bytes;
};

struct tar_headers {
    uint8_t *data; /* TAR_HEADERS_BYTES_MAX, the caller's */
    size_t bytes;  /* that are in it; for the caller to count */
    size_t wanted;
    size_t block; /* the header block that comes next, or that was looked at last */
    struct tar_part pax, name, target;
};

static inline uint64_t tar_whole_blocks(uint64_t bytes)
{
    return (bytes + TAR_BLOCK_BYTES - 1) / TAR_BLOCK_BYTES * TAR_BLOCK_BYTES;
}

/* A text that stands in `data`, or in the member. */
struct tar_text {
    const uint8_t *data; /* NULL if there is none */
    size_t bytes;
};

struct tar_member {
    struct tar_text name;
    struct tar_text target; /* of a hard link, which is another member */
    bool directory;
    uint64_t data_bytes; /* that follow, with the zeros up to a whole block */
    uint8_t ustar_name[155 + 1 + 100];
};

enum tar_verdict {
    TAR_MORE,   /* `wanted` has grown */
    TAR_MEMBER, /* they are complete */
    TAR_ZEROS,  /* it is a block of zeros, as an archive ends with */
    TAR_REFUSED /* it is no header, or of something that cannot be moved */
};

/* A member begins, or zeros. `data` is there. */
void tar_headers_begin(struct tar_headers *headers);

/* As many bytes as were wanted are there. TAR_MEMBER: *member is filled in, and stays as long as `data`. TAR_REFUSED:
 * *why tells the cause, in words that follow what is read; *member has the name, if one is known, else none. */
enum tar_verdict tar_headers_look(struct tar_headers *headers, struct tar_member *member, const char **why);

/* The part of the name that all members of a record share: a member's name up to the first dot in its last component,
 * not counting a dot at the beginning of that. The component ._NAME, in which macOS keeps what else belongs to NAME, is
 * like NAME. What is left of `name`, of at most TAR_NAME_BYTES_MAX bytes, goes to `key`. Returns how many. */
size_t tar_headers_key(struct tar_text name, uint8_t key[TAR_NAME_BYTES_MAX]);
