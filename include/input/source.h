#pragma once

/*
 * Where records come from, as one stream of whole records: the input files one after another, without their headers; if
 * the delimiter at a file's end is missing, it is added.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/arithmetic.h"
#include "input/contents.h"
#include "record/record.h"
#include "system/pool.h"

struct source;

/* Neighbouring blocks of a pool, pinned, that hold the source's bytes in order. */
struct source_span {
    struct pool *pool; /* NULL: source_hold was never called */
    uint8_t *base;     /* of the first block; NULL before there is one */
    uint8_t *at;       /* the next byte to be delivered */
    uint8_t *filled;   /* the end of the bytes read */
    uint8_t *end;      /* the end of the blocks */
    uint8_t *given;    /* the first block that has not been given back */
    uint32_t left;     /* number of blocks to leave in the pool */
    bool grows;        /* is everything read into it? */
    bool passed;       /* was more read after it? */
};

/* A source over `read`, which does as source_read says, of `bytes` bytes (UINT64_MAX: unknown); `release` frees the
 * context with the source. */
typedef size_t source_function(void *context, uint8_t *data, size_t bytes, struct absent *absent);
struct source *source_over(source_function *read, void *context, void (*release)(void *context), uint64_t bytes);

/* A layer turns one stream into another. Without `fetch`, absent bytes are fetched from the source before. */
struct source_layer {
    source_function *read;
    void (*fetch)(void *context, struct absent *absent);
    void (*rewind)(void *context);
    void (*release)(void *context);
};

/* Callers may read the last three fields, which do not change once the source is open, and write none. */
struct source {
    struct source_layer layer; /* how the stream is read */
    void *context;
    struct source *before; /* the source that the layer reads; else NULL */
    struct source_span span;
    counter arrived_bytes;
    struct stream *stream; /* the input files; NULL: the source has none */
    uint64_t known_bytes;  /* `bytes` of source_over, or of all regular input files, less known headers */
    bool known;            /* is that the whole stream: are all inputs regular files, or was source_over told? */
};

/* Put a layer onto a source of which nothing has been read: from now on the source delivers the layer's output. The
 * layer reads the source that is returned, which is rewound and freed with this one. Its offsets are not those of
 * stream_name_at. */
struct source *source_insert(struct source *source, const struct source_layer *layer, void *context);

/*
 * Have *data point to the next bytes, at most `bytes` of them (at least 1). They either stay in place (source_stays),
 * or are read into room[0, bytes), and are then fewer only at the end. Returns their number, 0 at the end. A record
 * that stays in place is in one piece, even if it comes in several calls, and POOL_SLACK_BYTES bytes after it can be
 * read.
 *
 * If `absent` is not NULL, the last of the bytes that stay may not be there yet; `absent` tells which. Before anybody
 * looks at them, some thread must call source_fetch, perhaps while the source is read.
 */
size_t source_next(struct source *source, uint8_t *room, size_t bytes, const uint8_t **data, struct absent *absent);
void source_fetch(struct source *source, struct absent *absent);

/* The same for a source of which nothing stays: reads into data[0, bytes), or with `absent`, may leave out all. */
size_t source_read(struct source *source, uint8_t *data, size_t bytes, struct absent *absent);

/*
 * A source may be a span that stays, in neighbouring blocks of a pool, and then a reader. From source_hold on,
 * everything is read into the span, after the rest of an earlier span. This ends with source_let_go, or when fewer than
 * `left` blocks would be left to the pool: then source_next returns 0 once. From then on, the rest of the span is
 * delivered, or all of it after source_rewind, and then bytes that are read into the caller's room.
 */
void source_hold(struct source *source, struct pool *pool, uint32_t left);
void source_let_go(struct source *source);

/* Do the next bytes, if there are any, stay in place? */
bool source_stays(const struct source *source);

/* Nobody will read the bytes of the span before `end` again: give their blocks back, unless the span still grows. */
void source_forget(struct source *source, const uint8_t *end);

/* Begin again with the first record. Allowed if nothing was read after the span, or forgotten; or if `known` is set. */
void source_rewind(struct source *source);

void source_free(struct source *source); /* NULL is fine */
