/* A source delivers its span, and then the bytes of its context: files, a layer's version of them, or anything else. */

#include "input/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/must.h"
#include "system/fault.h"

/* ---- Making a source ---- */

struct source *source_over(source_function *read, void *context, void (*release)(void *context), uint64_t bytes)
{
    struct source *source = fault_allocate(1, sizeof *source);

    *source = (struct source){.layer = {.read = read, .release = release}, .context = context};
    source->known = bytes < UINT64_MAX;
    source->known_bytes = source->known ? bytes : 0;
    return source;
}

struct source *source_insert(struct source *source, const struct source_layer *layer, void *context)
{
    struct source *before = source_over(NULL, source->context, NULL, UINT64_MAX);

    before->layer = source->layer;
    before->before = source->before;
    source->before = before;
    before->stream = source->stream;
    source->layer = *layer;
    source->context = context;
    return before;
}

void source_free(struct source *source)
{
    if (source == NULL)
        return;
    source->layer.release(source->context);
    source_free(source->before);
    free(source);
}

/* ---- The span ---- */

/* Make room for `bytes` more bytes. False: the pool has no blocks to spare. */
static bool grow_span(struct source_span *span, size_t bytes)
{
    struct pool *pool = span->pool;
    const size_t room = (size_t)(span->end - span->filled);
    uint32_t blocks, first;

    if (room >= bytes)
        return true;
    blocks = (uint32_t)pool_blocks_for(pool, bytes - room);
    if (pool_free(pool) < (uint64_t)blocks + span->left)
        return false;
    first = pool_get_neighbours(pool, blocks);
    if (first == POOL_NONE)
        return false;
    if (span->end > span->base)
        pool->next[first - 1] = first;
    pool_pin(pool, blocks);
    if (span->base == NULL)
        span->base = span->at = span->filled = span->given = span->end = pool_block(pool, first);
    span->end += (size_t)blocks << pool->block_shift;
    return true;
}

/* Give back the blocks that end before `end`, the last one with the last byte. The pool hands them out next, so that
 * records copied from here to piles take no new memory. */
static void forget(struct source_span *span, const uint8_t *end)
{
    struct pool *pool = span->pool;
    const uint8_t *to = end < span->filled ? end : span->end;
    const size_t blocks = span->pool == NULL ? 0 : (size_t)(to - span->given) >> pool->block_shift;
    uint32_t first;

    if (blocks == 0)
        return;
    first = (uint32_t)((size_t)(span->given - pool->memory) >> pool->block_shift);
    pool_put(pool, first, first + (uint32_t)blocks - 1, (uint32_t)blocks);
    pool_unpin(pool, (uint32_t)blocks);
    span->given += blocks << pool->block_shift;
}

void source_hold(struct source *source, struct pool *pool, uint32_t left)
{
    struct source_span before = source->span;
    const size_t unread = (size_t)(before.filled - before.at);

    MUST_ALWAYS(!before.grows);
    source->span = (struct source_span){.pool = pool, .left = left, .grows = true};
    if (unread == 0)
        return;
    if (!grow_span(&source->span, unread))
        die_errno("memory", ENOMEM);
    memcpy(source->span.filled, before.at, unread);
    source->span.filled += unread;
    forget(&before, before.filled);
}

bool source_stays(const struct source *source)
{
    return source->span.grows || source->span.at < source->span.filled;
}

void source_let_go(struct source *source)
{
    source->span.grows = false;
}

void source_forget(struct source *source, const uint8_t *end)
{
    if (!source->span.grows)
        forget(&source->span, end);
}

/* ---- Reading ---- */

static size_t take_from_span(struct source_span *span, const uint8_t **data, size_t bytes)
{
    const size_t taken = least_size(bytes, (size_t)(span->filled - span->at));

    *data = span->at;
    span->at += taken;
    return taken;
}

/* Read more into the span, or only make room for absent bytes, and take it. */
static size_t read_into(struct source *source, const uint8_t **data, size_t bytes, struct absent *absent)
{
    struct source_span *span = &source->span;
    size_t got;

    span->grows = grow_span(span, bytes);
    if (!span->grows)
        return 0;
    got = source->layer.read(source->context, span->filled, bytes, absent);
    span->filled += got;
    counter_add(&source->arrived_bytes, got);
    return take_from_span(span, data, bytes);
}

size_t source_read(struct source *source, uint8_t *data, size_t bytes, struct absent *absent)
{
    size_t got;

    MUST_ALWAYS(!source_stays(source));
    source->span.passed = true;
    got = source->layer.read(source->context, data, bytes, absent);
    counter_add(&source->arrived_bytes, got);
    return got;
}

size_t source_next(struct source *source, uint8_t *room, size_t bytes, const uint8_t **data, struct absent *absent)
{
    struct source_span *span = &source->span;

    *data = room;
    if (absent != NULL)
        absent->data = NULL;
    if (span->at < span->filled)
        return take_from_span(span, data, bytes);
    if (span->grows)
        return read_into(source, data, bytes, absent);
    return source_read(source, room, bytes, NULL);
}

void source_fetch(struct source *source, struct absent *absent)
{
    const struct source *from = source;

    if (absent->data == NULL)
        return;
    while (from->layer.fetch == NULL)
        from = from->before;
    from->layer.fetch(from->context, absent);
}

void source_rewind(struct source *source)
{
    struct source_span *span = &source->span;

    if (span->base != NULL && span->given == span->base && !span->passed) {
        span->at = span->base;
        return;
    }
    forget(span, span->filled);
    span->at = span->filled;
    counter_set(&source->arrived_bytes, 0);
    if (source->before != NULL)
        source_rewind(source->before);
    source->layer.rewind(source->context);
}
