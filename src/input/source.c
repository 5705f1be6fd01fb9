/* A source hands out what is held, and then what its context delivers: files, a stage's version of them, or anything
 * else. */

#include "input/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/must.h"
#include "system/fault.h"

/* What comes next? Whoever holds begins with PASSING, and goes on to HOLDING, LEAVING and PASSING. */
enum state {
    PASSING, /* what the stage delivers, read or mapped */
    HOLDING, /* what is held, and that is all, as often as it is rewound */
    LEAVING, /* what is held, for the last time; PASSING when all of that has come */
};

/* What has been read in advance: one piece of memory, in neighbouring blocks of a pool, which are pinned. */
struct held {
    struct pool *pool; /* NULL: nothing was ever held */
    uint8_t *base;     /* of the first block; NULL before there is one */
    uint8_t *at;       /* what comes next */
    uint8_t *filled;   /* the end of what was read */
    uint8_t *end;      /* and of the blocks */
    uint8_t *given;    /* the first block that has not been given back */
};

struct source {
    struct source_stage stage; /* how it is read */
    void *context;
    struct source *before; /* the source that the stage reads; else NULL */
    struct stream *stream; /* the files from which all comes; NULL: it is from elsewhere */
    enum state state;
    struct held held;
    uint64_t known_bytes;
    bool known; /* is that all that will come? */
    counter delivered_bytes;
};

/* ---- Making a source ---- */

struct source *source_over(source_function *read, void *context, void (*release)(void *context))
{
    struct source *source = fault_allocate(1, sizeof *source);

    *source = (struct source){.stage = {.read = read, .release = release}, .context = context};
    return source;
}

struct source *source_open(const char *const *names, size_t count, const struct source_layout *layout)
{
    struct stream *stream = stream_open(names, count, layout);
    struct source *source = source_over(NULL, stream, NULL);

    source->stage = (struct source_stage){stream_read, stream_lend, NULL, stream_rewind, stream_free};
    source->stream = stream;
    source->known_bytes = stream->known_bytes;
    source->known = stream->known;
    return source;
}

struct source *source_insert(struct source *source, const struct source_stage *stage, void *context)
{
    struct source *before = source_over(NULL, source->context, NULL);

    before->stage = source->stage;
    before->before = source->before;
    source->before = before;
    before->stream = source->stream;
    source->stage = *stage;
    source->context = context;
    return before;
}

void source_free(struct source *source)
{
    if (source == NULL)
        return;
    source->stage.release(source->context);
    source_free(source->before);
    free(source);
}

static bool is_mapped(const struct source *source)
{
    return source->stream != NULL && source->stream->mapped.base != NULL;
}

/* ---- Reading ---- */

static size_t take_held(struct source *source, const uint8_t **data, size_t bytes)
{
    struct held *held = &source->held;
    const size_t taken = least_size(bytes, (size_t)(held->filled - held->at));

    *data = held->at;
    held->at += taken;
    if (source->state == LEAVING && held->at == held->filled)
        source->state = PASSING;
    return taken;
}

size_t source_next(struct source *source, uint8_t *room, size_t bytes, const uint8_t **data)
{
    size_t got;

    *data = room;
    if (source->state != PASSING)
        got = take_held(source, data, bytes);
    else if (is_mapped(source) && source->stage.lend != NULL)
        got = source->stage.lend(source->context, data, bytes);
    else
        got = source->stage.read(source->context, room, bytes);
    counter_add(&source->delivered_bytes, got);
    return got;
}

size_t source_read(struct source *source, uint8_t *data, size_t bytes)
{
    const uint8_t *there;

    MUST_ALWAYS(source->state == PASSING && !is_mapped(source));
    return source_next(source, data, bytes, &there);
}

void source_rewind(struct source *source)
{
    MUST_ALWAYS(source->state != LEAVING);
    counter_set(&source->delivered_bytes, 0);
    if (source->state == HOLDING) {
        source->held.at = source->held.base;
        return;
    }
    if (source->before != NULL)
        source_rewind(source->before);
    source->stage.rewind(source->context);
}

/* ---- Holding ---- */

/* Have room for `bytes` more bytes. */
static void grow(struct held *held, size_t bytes)
{
    struct pool *pool = held->pool;
    const size_t room = (size_t)(held->end - held->filled);
    uint32_t blocks, first;

    if (room >= bytes)
        return;
    blocks = (uint32_t)pool_blocks_for(pool, bytes - room);
    first = pool_get_neighbours(pool, blocks);
    if (first == POOL_NONE)
        die_errno("memory", ENOMEM);
    if (held->end > held->base)
        pool->next[first - 1] = first;
    pool_pin(pool, blocks);
    if (held->base == NULL)
        held->base = held->at = held->filled = held->given = held->end = pool_block(pool, first);
    held->end += (size_t)blocks << pool->block_shift;
}

/* Give back the blocks that end before `end`, the last one with the last byte. The pool hands them out next, so that
 * records copied from here to piles take no further memory, and none that was untouched. */
static void forget(struct held *held, const uint8_t *end)
{
    struct pool *pool = held->pool;
    const uint8_t *to = end < held->filled ? end : held->end;
    const size_t blocks = (size_t)(to - held->given) >> pool->block_shift;
    const uint32_t first = (uint32_t)((size_t)(held->given - pool->memory) >> pool->block_shift);

    if (blocks == 0)
        return;
    pool_put(pool, first, first + (uint32_t)blocks - 1, (uint32_t)blocks);
    pool_unpin(pool, (uint32_t)blocks);
    held->given += blocks << pool->block_shift;
}

void source_hold(struct source *source, struct pool *pool)
{
    struct held before = source->held;
    const size_t left = (size_t)(before.filled - before.at);

    MUST_ALWAYS(source->state != HOLDING && !is_mapped(source));
    source->held = (struct held){.pool = pool};
    source->state = HOLDING;
    if (left == 0)
        return;
    grow(&source->held, left);
    memcpy(source->held.filled, before.at, left);
    source->held.filled += left;
    forget(&before, before.filled);
}

bool source_holds(const struct source *source)
{
    return source->state == HOLDING;
}

size_t source_fill(struct source *source, size_t bytes)
{
    struct held *held = &source->held;
    size_t got;

    MUST_ALWAYS(source->state == HOLDING);
    grow(held, bytes);
    got = source->stage.read(source->context, held->filled, bytes);
    held->filled += got;
    return got;
}

void source_let_go(struct source *source)
{
    MUST_ALWAYS(source->state == HOLDING);
    source_rewind(source);
    source->state = source->held.at < source->held.filled ? LEAVING : PASSING;
}

/* ---- Mapping ---- */

bool source_map(struct source *source, uint64_t *bytes)
{
    struct stream *stream = source->stream;

    MUST_ALWAYS(source->state != HOLDING && !is_mapped(source));
    if (source->state != PASSING || stream == NULL || !stream->known || stream->next > 0 ||
        record_is(&stream->layout.format, RECORD_LAST_LINE) || /* blank lines at an end are left out */
        !mapped_open(&stream->mapped, stream->names, stream->contents.marks, stream->count, stream->contents.start))
        return false;
    *bytes = stream->mapped.used;
    return true;
}

void source_unmap(struct source *source)
{
    mapped_close(&source->stream->mapped);
}

bool source_refers(const struct source *source)
{
    return is_mapped(source) && source->stage.lend == NULL;
}

uint64_t source_length(const struct source *source, uint64_t place)
{
    return source->stage.length(source->context, place);
}

const uint8_t *source_base(const struct source *source)
{
    if (source->state != PASSING)
        return source->held.base;
    return is_mapped(source) ? source->stream->mapped.base : NULL;
}

size_t source_space(const struct source *source)
{
    if (source->state != PASSING)
        return (size_t)(source->held.filled - source->held.base);
    return is_mapped(source) ? source->stream->mapped.bytes : 0;
}

void source_forget(struct source *source, const uint8_t *end)
{
    if (source->held.pool != NULL)
        forget(&source->held, end);
    else
        mapped_forget(&source->stream->mapped, end);
}

void source_saw(struct source *source, const uint8_t *from, const uint8_t *end)
{
    if (source->held.pool == NULL)
        mapped_saw(&source->stream->mapped, from, end);
}

uint64_t source_kept(const struct source *source)
{
    return source->stream != NULL ? mapped_kept(&source->stream->mapped) : 0;
}

void source_check(const struct source *source)
{
    if (source->stream != NULL)
        mapped_check(&source->stream->mapped);
}

/* ---- What is known ---- */

void source_expect(struct source *source, uint64_t bytes)
{
    source->known_bytes = bytes;
    source->known = true;
}

uint64_t source_known_bytes(const struct source *source)
{
    return source->known_bytes;
}

bool source_is_known(const struct source *source)
{
    return source->known;
}

uint64_t source_delivered_bytes(const struct source *source)
{
    return counter_get(&source->delivered_bytes);
}

uint64_t source_arrived_bytes(const struct source *source)
{
    return counter_get(source->stream != NULL ? &source->stream->read : &source->delivered_bytes);
}

size_t source_input_bytes(void)
{
    return sizeof(struct file_mark) + sizeof *((struct stream *)NULL)->end;
}

const uint8_t *source_header(const struct source *source, size_t *bytes)
{
    *bytes = source->stream != NULL ? source->stream->header.text_bytes : 0;
    return source->stream != NULL ? source->stream->header.text : NULL;
}

bool source_headers_may_differ(const struct source *source)
{
    return source->stream != NULL && source->stream->layout.header.may_differ;
}

bool source_size_of(const struct source *source, size_t i, uint64_t *bytes)
{
    const struct file_mark *mark = &source->stream->contents.marks[i];

    *bytes = (uint64_t)mark->bytes;
    return file_mark_is_known(mark);
}

const char *source_name_at(const struct source *source, uint64_t offset, uint64_t *end)
{
    if (source->stream != NULL)
        return stream_name_at(source->stream, offset, end);
    *end = UINT64_MAX;
    return "input";
}

bool source_is_from(const struct source *source, const struct stat *file)
{
    return source->stream != NULL && stream_is_from(source->stream, file);
}
