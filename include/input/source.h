#pragma once

/*
 * Where records come from, as one stream of whole records: the input files one after another, without their headers,
 * each one's last record completed if something is missing of its delimiter.
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

/* Neighbouring blocks of a pool, pinned, in which the source's bytes stand as they came. */
struct source_span {
    struct pool *pool; /* NULL: nothing was ever held */
    uint8_t *base;     /* of the first block; NULL before there is one */
    uint8_t *at;       /* what comes next */
    uint8_t *filled;   /* the end of what was read */
    uint8_t *end;      /* and of the blocks */
    uint8_t *given;    /* the first block that has not been given back */
    uint32_t left;     /* the pool keeps these blocks */
    bool grows;        /* with all that is read */
    bool passed;       /* more has been read since */
};

/* A source over anything that can be read as source_read says, and has `bytes` bytes (UINT64_MAX: nobody knows);
 * `release` frees the context with the source. */
typedef size_t source_function(void *context, uint8_t *data, size_t bytes, struct absent *absent);
struct source *source_over(source_function *read, void *context, void (*release)(void *context), uint64_t bytes);

/* A stage turns one stream into another. Without `fetch`, what is absent is so in the source before. */
struct source_stage {
    source_function *read;
    void (*fetch)(void *context, struct absent *absent);
    void (*rewind)(void *context);
    void (*release)(void *context);
};

/* Callers read the last three, and leave all as it is. */
struct source {
    struct source_stage stage; /* how it is read */
    void *context;
    struct source *before; /* the source that the stage reads; else NULL */
    struct source_span span;
    counter arrived_bytes;
    struct stream *stream; /* the files from which all comes; NULL: it is from elsewhere */
    uint64_t known_bytes; /* in the regular files among the inputs, less their headers, as far as known at the start; or
                           * of source_over */
    bool known;           /* is that all that will come? If all inputs are regular files, or source_over was told */
};

/* Put a stage into a source from which nothing has been read: it delivers the stage's output now. The stage reads the
 * source that is returned, which is rewound and freed with this one. Offsets in it are not those of stream_name_at. */
struct source *source_insert(struct source *source, const struct source_stage *stage, void *context);

/*
 * The next bytes, at most `bytes` of them, which is at least 1: *data points to them. Either they stay where they stand
 * (source_stays), or they are read into room[0, bytes), and are fewer only at the end. Returns how many, 0 at the end.
 * A record that stays is in one piece, however many calls it comes in, and POOL_SLACK_BYTES more can be read.
 *
 * If `absent` is not NULL, the last ones of those that stay may be left out; it receives which. Before anybody looks at
 * them, somebody must call source_fetch. Any thread may do that, also while the source is read.
 */
size_t source_next(struct source *source, uint8_t *room, size_t bytes, const uint8_t **data, struct absent *absent);
void source_fetch(struct source *source, struct absent *absent);

/* The same of a source of which nothing stays: they are read into data[0, bytes), or with `absent`, all left out. */
size_t source_read(struct source *source, uint8_t *data, size_t bytes, struct absent *absent);

/*
 * A source may be a span that stays, in neighbouring blocks of a pool, and then a reader. From source_hold on, all that
 * comes is read into the span, after what is left of an earlier span; until source_let_go, or until that would leave
 * the pool less than `left` blocks: then source_next returns 0 once. From then on what is left of the span comes, after
 * source_rewind all of it, and then what is read into the caller's room.
 */
void source_hold(struct source *source, struct pool *pool, uint32_t left);
void source_let_go(struct source *source);

/* Do the next bytes, if there are any, stay where they stand? */
bool source_stays(const struct source *source);

/* Nobody will read the bytes before `end`, which stayed, any more: their blocks go back to the pool, unless the span
 * still grows. */
void source_forget(struct source *source, const uint8_t *end);

/* Begin again with the first record: if nothing was read after the span, or forgotten, or if all is known. */
void source_rewind(struct source *source);

void source_free(struct source *source); /* NULL is fine */
