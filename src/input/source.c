#include "input/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "input/hold.h"
#include "input/lender.h"
#include "record/tar_headers.h"
#include "system/fault.h"
#include "system/sys.h"

struct source {
    source_function *read;
    void *context;
    void (*release)(void *context);
    const struct source_stage *stage; /* that was put in; NULL if there is none */
    struct record_margin margin;      /* of what it lends; NULL if it does not, */
    size_t margin_bytes;              /* else so many marks */
    const uint8_t *unread;
    size_t unread_bytes;
    struct hold hold;
    bool leaving; /* is what is held lent for the last time? */
    uint64_t known_bytes;
    counter delivered_bytes;
    bool known;            /* is that all that will come? */
    struct stream *stream; /* the context of a source over files, else NULL, */
};

struct source *source_over(source_function *read, void *context, void (*release)(void *context))
{
    struct source *source = fault_allocate(1, sizeof *source);

    *source = (struct source){.read = read, .context = context, .release = release};
    return source;
}

struct source *source_open(const char *const *names, size_t count, const struct stream_layout *layout)
{
    struct stream *stream = stream_open(names, count, layout);
    struct source *source = source_over(stream_read, stream, stream_free);

    source->known_bytes = stream_known_bytes(stream);
    source->known = stream_is_known(stream);
    source->stream = stream;
    return source;
}

struct source *source_insert(struct source *source, const struct source_stage *stage, void *context)
{
    struct source *before = source_over(source->read, source->context, source->release);

    before->stream = source->stream;
    source->read = stage->read;
    source->release = stage->release;
    source->stage = stage;
    source->context = context;
    return before;
}

const uint8_t *source_header(const struct source *source, size_t *bytes)
{
    *bytes = 0;
    return source->stream != NULL ? stream_header(source->stream, bytes) : NULL;
}

bool source_headers_may_differ(const struct source *source)
{
    return source->stream != NULL && stream_headers_may_differ(source->stream);
}

static size_t take_unread(struct source *source, uint8_t *data, size_t bytes)
{
    size_t taken = bytes < source->unread_bytes ? bytes : source->unread_bytes;

    if (taken > 0) {
        memcpy(data, source->unread, taken);
        source->unread += taken;
        source->unread_bytes -= taken;
    }
    return taken;
}

size_t source_read(struct source *source, uint8_t *data, size_t bytes)
{
    size_t done = take_unread(source, data, bytes);

    if (done < bytes)
        done += source->read(source->context, data + done, bytes - done);
    counter_add(&source->delivered_bytes, done);
    return done;
}

void source_unread(struct source *source, const uint8_t *data, size_t bytes)
{
    source->unread = data;
    source->unread_bytes = bytes;
    counter_subtract(&source->delivered_bytes, bytes);
}

/* ---- Lending ---- */

static bool make_margin(struct source *source, uint64_t *bytes)
{
    const struct mapping *mapping = &stream_lender(source->stream)->mapping;

    source->margin_bytes = mapping->bytes / TAR_BLOCK_BYTES + 1;
    source->margin = (struct record_margin){.base = mapping->base, .mark = sys_map(source->margin_bytes)};
    *bytes += source->margin_bytes;
    return source->margin.mark != NULL;
}

bool source_map(struct source *source, uint64_t *bytes)
{
    const struct source_stage *stage = source->stage;

    if (source->stream == NULL || (stage != NULL && stage->lend == NULL) || !stream_map(source->stream, bytes))
        return false;
    if (stage == NULL || make_margin(source, bytes))
        return true;
    source_unmap(source);
    return false;
}

const struct record_margin *source_margin(const struct source *source)
{
    return source->margin.mark != NULL ? &source->margin : NULL;
}

static void drop_margin(struct source *source)
{
    if (source->margin.mark != NULL)
        sys_unmap(source->margin.mark, source->margin_bytes);
    source->margin.mark = NULL;
}

void source_unmap(struct source *source)
{
    lender_close(stream_lender(source->stream));
    drop_margin(source);
}

void source_hold(struct source *source, struct pool *pool)
{
    hold_open(&source->hold, pool);
}

bool source_holds(const struct source *source)
{
    return source->hold.pool != NULL && !source->leaving;
}

size_t source_fill(struct source *source, size_t bytes)
{
    size_t got;

    if (!hold_grow(&source->hold, bytes))
        fault_report("memory", ENOMEM);
    got = source_read(source, source->hold.filled, bytes);
    source->hold.filled += got;
    counter_subtract(&source->delivered_bytes, got);
    return got;
}

static void rewind_hold(struct source *source)
{
    source->hold.at = source->hold.base;
    counter_set(&source->delivered_bytes, 0);
}

void source_let_go(struct source *source)
{
    rewind_hold(source);
    source->leaving = true;
}

static bool lends_hold(const struct source *source)
{
    return source_holds(source) || source->hold.at < source->hold.filled;
}

/* Of the files; NULL if there are none. */
static struct lender *lender_of(const struct source *source)
{
    return source->stream != NULL ? stream_lender(source->stream) : NULL;
}

const uint8_t *source_base(const struct source *source)
{
    const struct lender *lender = lender_of(source);

    if (lends_hold(source))
        return source->hold.base;
    return lender != NULL ? lender->mapping.base : NULL;
}

size_t source_space(const struct source *source)
{
    const struct lender *lender = lender_of(source);

    if (lends_hold(source))
        return (size_t)(source->hold.filled - source->hold.base);
    return lender != NULL ? lender->mapping.bytes : 0;
}

static size_t lend_held(struct hold *hold, const uint8_t **data, size_t bytes)
{
    const size_t lent = least_size(bytes, (size_t)(hold->filled - hold->at));

    *data = hold->at;
    hold->at += lent;
    return lent;
}

size_t source_lend(struct source *source, const uint8_t **data, size_t bytes)
{
    size_t lent;

    if (lends_hold(source))
        lent = lend_held(&source->hold, data, bytes);
    else if (source->margin.mark != NULL)
        lent = source->stage->lend(source->context, &source->margin, data, bytes);
    else
        lent = stream_lend(source->stream, data, bytes);
    counter_add(&source->delivered_bytes, lent);
    return lent;
}

void source_forget(struct source *source, const uint8_t *end)
{
    if (source->hold.pool != NULL)
        hold_forget(&source->hold, end);
    else
        lender_forget(lender_of(source), end);
}

void source_check(const struct source *source)
{
    const struct lender *lender = lender_of(source);

    if (lender != NULL)
        lender_check(lender);
}

/* ---- What is known ---- */

const char *source_name_at(const struct source *source, uint64_t offset, uint64_t *end)
{
    if (source->stream != NULL)
        return stream_name_at(source->stream, offset, end);
    *end = UINT64_MAX;
    return "input";
}

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

uint64_t source_memory(const struct source *source)
{
    return source->stream != NULL ? stream_memory(source->stream) : 0;
}

void source_rewind(struct source *source)
{
    if (source_holds(source)) {
        rewind_hold(source);
        return;
    }
    source->unread_bytes = 0;
    counter_set(&source->delivered_bytes, 0);
    if (source->stage != NULL)
        source->stage->restart(source->context);
    stream_rewind(source->stream);
}

bool source_is_from(const struct source *source, const struct stat *file)
{
    return source->stream != NULL && stream_is_from(source->stream, file);
}

bool source_size_of(const struct source *source, size_t i, uint64_t *bytes)
{
    return stream_size_of(source->stream, i, bytes);
}

uint64_t source_delivered_bytes(const struct source *source)
{
    return counter_get(&source->delivered_bytes);
}

uint64_t source_arrived_bytes(const struct source *source)
{
    return source->stream != NULL ? stream_arrived_bytes(source->stream) : source_delivered_bytes(source);
}

void source_free(struct source *source)
{
    if (source == NULL)
        return;
    source->release(source->context);
    drop_margin(source);
    free(source);
}
