#ifndef BIGSHUF_RECORD_LENGTH_H
#define BIGSHUF_RECORD_LENGTH_H

/*
 * Records that begin with their length. Where the next one begins is known without looking at the bytes between; but if
 * one length is damaged, all that comes after it makes no sense. So the bytes of each file are checked once, as they
 * are read, and are trusted from then on.
 */

#include <stddef.h>
#include <stdint.h>

/* How a length is written. */
enum length_coding {
    LENGTH_TFRECORD, /* 8 bytes, little-endian, and a checksum of them; there is another one after the data */
    LENGTH_U32LE,    /* 4 or 8 bytes, little- or big-endian */
    LENGTH_U32BE,
    LENGTH_U64LE,
    LENGTH_U64BE,
    LENGTH_VARINT /* up to 10 bytes with 7 bits each, the lowest ones first; all but the last have the high bit set */
};

/* Where in a record a stream of bytes stands. Zeroed: at the beginning of a record. */
struct length_scan {
    uint64_t left;    /* bytes that follow the length */
    unsigned taken;   /* bytes of a length that is not whole, */
    uint8_t head[10]; /* and these */
};

/* As record_ends (record.h). A record that is 2^63 bytes or longer, or whose length is no such number, has no end. */
size_t length_ends(enum length_coding coding, struct length_scan *scan, const uint8_t *data, size_t bytes,
                   uint32_t *ends, size_t room, size_t *scanned);

/* A file that is checked. Zeroed: at its beginning. */
struct length_check {
    uint64_t start;          /* in the file: of the record that is open, or comes next, */
    uint64_t at;             /* and of the next byte */
    struct length_scan scan; /* there; LENGTH_TFRECORD has instead: */
    uint8_t head[12];        /* the length and its checksum, */
    uint8_t sum[4];          /* and that of the data, as far as they have come, */
    uint32_t crc;            /* and the one of the data that have */
};

/* The next bytes of the file. NULL, or what is wrong with the record at check->start: "its length ...". */
const char *length_check(struct length_check *check, enum length_coding coding, const uint8_t *data, size_t bytes);

#endif
