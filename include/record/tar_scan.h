#ifndef BIGSHUF_RECORD_TAR_SCAN_H
#define BIGSHUF_RECORD_TAR_SCAN_H

/* Where the members of tar archives end, each with all of its headers (tar_headers.h), one after another without blocks
 * of zeros between them. Nothing is checked, as tar_headers_look has been asked before; the data of members are passed
 * over without being touched. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where in a member a stream stands. Zeroed: at the beginning of one. */
struct tar_scan {
    bool behind;          /* a header block, in its data; else within one */
    uint8_t type;         /* of the header block */
    bool binary;          /* its size is */
    uint16_t at;          /* in the block, */
    uint64_t size;        /* and what is known of the size; */
    uint64_t left;        /* in its data, with the zeros up to a whole block */
    uint64_t pax;         /* these are so many bytes of fields of pax, then zeros; */
    uint64_t field;       /* the length of the one in work, which is known when */
    bool in_text;         /* its key has begun; */
    uint64_t come;        /* so many bytes of it have come, */
    uint8_t like;         /* and so many bytes of its key are like that of the size */
    bool has_size;        /* the size of the member is not in its header, */
    uint64_t member_size; /* but this */
};

/* As record_ends (record.h). */
size_t tar_scan_ends(struct tar_scan *scan, const uint8_t *data, size_t bytes, uint32_t *ends, size_t room,
                     size_t *scanned);

#endif
