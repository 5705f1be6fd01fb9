#pragma once

/* The records of a source one by one, in their order, on one thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/source.h"
#include "record/record.h"

enum { RECORD_READER_ENDS = 1024 };

struct record_reader {
    const struct record_format *format;
    struct source *source;
    struct record_scan scan; /* at `scanned` */
    uint8_t *own;            /* the buffer that was given */
    const uint8_t *buffer;   /* the same, or bytes that stay in place (source_next) */
    size_t room, filled;
    size_t scanned; /* bytes whose record ends are known */
    size_t start;   /* place of the next piece */
    size_t base;    /* place from which `end` counts */
    size_t next;    /* index in `end` */
    size_t count;
    uint64_t passed; /* bytes of the source before the buffer */
    bool inside;     /* has part of the record been handed out? */
    bool at_end;
    uint32_t end[RECORD_READER_ENDS];
};

/* A record, or part of one that does not fit into the buffer. */
struct record_piece {
    const uint8_t *data; /* stays until the next one is asked for */
    size_t bytes;
    uint64_t offset; /* of `data` in the source */
    bool first;      /* is it the first of its record? */
    bool last;
};

/* Read a source with a buffer of `bytes` bytes and room for POOL_SLACK_BYTES more. A record of at most `bytes` bytes
 * comes in one piece, a longer one in pieces of `bytes` bytes. */
void record_reader_init(struct record_reader *reader, const struct record_format *format, struct source *source,
                        uint8_t *buffer, size_t bytes);

/* The next piece: true, or false at the end. */
bool record_reader_next(struct record_reader *reader, struct record_piece *piece);
