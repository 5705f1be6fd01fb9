/*
 * A source hands out what its context delivers: files as one stream, or what a stage makes of it, or anything else.
 * What was put back, or is held, comes before.
 *
 * A file's beginning may be taken off (header.c) and something added at its end (tail.c): both leave bytes that are
 * delivered before anything else is read, so that neither depends on the sizes of the reader's buffers. All that was
 * read is shown to the tail, which knows what is wrong with a record, and at a file's end what the last one lacks.
 */

#include "input/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "input/contents.h"
#include "input/held.h"
#include "input/hints.h"
#include "input/mapped.h"
#include "input/operand.h"
#include "record/tail.h"
#include "record/tar_headers.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/sys.h"

/* Input files, one after another. */
struct stream {
    const char *const *names;
    size_t count, next; /* the file being read is the one before `next` */
    uint64_t known_bytes;
    bool known;               /* are all regular, and read as they are? */
    uint64_t *end;            /* of each file that has been read, in the stream */
    counter read;             /* bytes of the stream */
    struct contents contents; /* of the file being read */
    struct source_layout layout;
    struct header header;
    struct tail tail;
    bool open;           /* is a file being read? Of that: */
    bool seen_beginning; /* were the hints shown it? */
    const uint8_t *rest; /* to be delivered before anything is read */
    size_t rest_bytes;
    struct mapped mapped;    /* all files, if they are lent */
    const uint8_t *followed; /* of the one that is lent: the next byte that the tail is to see */
};

struct source {
    struct source_stage stage; /* how it is read */
    void *context;
    struct source *before; /* of which the stage makes something else; else NULL */
    struct stream *stream; /* the files from which all comes; NULL: it is from elsewhere */
    const uint8_t *unread;
    size_t unread_bytes;
    struct held held;
    struct record_margin margin; /* of what is lent; NULL if that needs none, */
    size_t margin_bytes;         /* else so many marks */
    uint64_t known_bytes;
    bool known; /* is that all that will come? */
    counter delivered_bytes;
};

/* ---- Looking at files ---- */

/* A header that was not seen before is only kept if all files before were seen: then it is that of the first. That of
 * standard input is not looked at. */
static void look_at_all(struct stream *stream)
{
    const struct tail fresh = stream->tail;
    struct contents *contents = &stream->contents;
    bool seen = true; /* the beginnings of all so far */

    stream->known = true;
    for (size_t i = 0; i < stream->count; i++) {
        const char *name = stream->names[i];
        const bool is_input = operand_is_standard_input(name);
        uint64_t bytes;
        const bool plain = contents_look(contents, i, &bytes);

        stream->known = stream->known && plain;
        seen = seen && plain && !is_input;
        tail_begin(&stream->tail);
        if (plain && !is_input && (seen || stream->header.known))
            header_take(&stream->header, contents_read, contents, name, &stream->tail);
        if (plain) { /* what is not of its header must be records */
            tail_check_size(&stream->tail, name, bytes - least(bytes, stream->header.rule.bytes));
            stream->known_bytes += bytes - least(bytes, stream->header.own_bytes);
        }
        contents_close(contents);
    }
    stream->tail = fresh; /* of the files as a stream, nothing has been seen */
}

static struct stream *stream_open(const char *const *names, size_t count, const struct source_layout *layout)
{
    struct stream *stream = fault_allocate(1, sizeof *stream);

    *stream = (struct stream){.names = names, .count = count, .layout = *layout};
    stream->end = fault_allocate(count + 1, sizeof *stream->end);
    tail_init(&stream->tail, &stream->layout.format, !header_is_none(&layout->header));
    header_init(&stream->header, &stream->layout.format, &layout->header);
    contents_open(&stream->contents, names, count, &stream->layout.format, layout->decompress.programs > 0);
    look_at_all(stream);
    if (layout->decompress.programs > 0 && !stream->known)
        contents_decompress(&stream->contents, layout->decompress);
    return stream;
}

static void stream_free(void *context)
{
    struct stream *stream = context;

    contents_release(&stream->contents);
    mapped_close(&stream->mapped);
    free(stream->end);
    header_release(&stream->header);
    free(stream);
}

/* ---- Reading files ---- */

/* The tail has been shown these bytes of the file. */
static void give_hints(struct stream *stream, const uint8_t *data, size_t bytes)
{
    if (!stream->seen_beginning)
        hints_look(&stream->contents.hints, &stream->layout.format, stream->contents.decompressed,
                   stream->names[stream->next - 1], data, bytes);
    stream->seen_beginning = true;
}

/* The next bytes of the file, which is open, have come. */
static void follow(struct stream *stream, const uint8_t *data, size_t bytes)
{
    tail_follow(&stream->tail, stream->names[stream->next - 1], data, bytes);
    give_hints(stream, data, bytes);
}

/* A file begins, whose bytes come from there. */
static void begin_file(struct stream *stream, header_read *read, void *context)
{
    struct header *header = &stream->header;

    tail_begin(&stream->tail);
    header_take(header, read, context, stream->names[stream->next++], &stream->tail);
    stream->open = true;
    stream->rest = header->rest;
    stream->rest_bytes = header->rest_bytes;
    stream->seen_beginning = false;
    if (header->taken_bytes > 0)
        give_hints(stream, header->buffer, header->taken_bytes);
}

static void end_file(struct stream *stream)
{
    uint64_t *end = &stream->end[stream->next - 1];

    stream->open = false;
    stream->rest_bytes = tail_end(&stream->tail, stream->names[stream->next - 1], &stream->rest);
    *end = counter_get(&stream->read) + stream->rest_bytes;
    if (stream->next == stream->count && *end == 0 && stream->header.text_bytes > 0)
        header_warn_alone(&stream->header);
    if (stream->next == stream->count && *end > 0)
        hints_look_at_end(&stream->contents.hints, &stream->tail);
}

static size_t take_rest(struct stream *stream, uint8_t *data, size_t bytes)
{
    const size_t taken = least_size(bytes, stream->rest_bytes);

    memcpy(data, stream->rest, taken);
    stream->rest += taken;
    stream->rest_bytes -= taken;
    return taken;
}

/* Do one thing: deliver from the rest, turn to the next file, or read once. Returns the number of bytes added, which
 * may be 0. */
static size_t read_on(struct stream *stream, uint8_t *data, size_t bytes)
{
    size_t got;

    if (stream->rest_bytes > 0)
        return take_rest(stream, data, bytes);
    if (!stream->open) {
        contents_begin(&stream->contents, stream->next);
        begin_file(stream, contents_read, &stream->contents);
        return 0;
    }
    got = contents_read(&stream->contents, data, bytes);
    if (got > 0) {
        follow(stream, data, got);
    } else {
        contents_end(&stream->contents);
        end_file(stream);
    }
    return got;
}

static size_t stream_read(void *context, uint8_t *data, size_t bytes)
{
    struct stream *stream = context;
    size_t done = 0;

    while (done < bytes && (stream->rest_bytes > 0 || stream->open || stream->next < stream->count)) {
        const size_t got = read_on(stream, data + done, bytes - done);

        done += got;
        counter_add(&stream->read, got);
    }
    return done;
}

/* ---- Lending files ---- */

/* All of a file has been lent. What completes its last record is put behind it. */
static void end_lending(struct stream *stream)
{
    mapped_end(&stream->mapped);
    end_file(stream);
    mapped_append(&stream->mapped, stream->rest, stream->rest_bytes);
    stream->rest_bytes = 0;
}

/* The tail has seen what was read beyond the header. */
static void begin_lending(struct stream *stream)
{
    struct mapped *mapped = &stream->mapped;

    mapped_begin(mapped, stream->next);
    begin_file(stream, mapped_read, mapped);
    stream->followed = mapped->at;
    mapped->at -= stream->rest_bytes;
    stream->rest_bytes = 0;
    if (mapped->at == mapped->last)
        end_lending(stream);
}

/* The next bytes of the file, which is open, are about to be lent. */
static void follow_lent(struct stream *stream, size_t bytes)
{
    const uint8_t *from = stream->followed;
    const uint8_t *end = stream->mapped.at + bytes;

    if (end <= from)
        return;
    stream->followed = end;
    follow(stream, from, (size_t)(end - from));
}

static void take(struct stream *stream, size_t bytes)
{
    stream->mapped.at += bytes;
    counter_add(&stream->read, bytes);
}

/* The file is completed before its last bytes are lent, so that nothing is written when others may look. */
static void lend(struct stream *stream, size_t bytes)
{
    struct mapped *mapped = &stream->mapped;
    const bool open = stream->open;
    const size_t lent = mapped_next(mapped, bytes);

    if (open)
        follow_lent(stream, lent);
    take(stream, lent);
    if (!open || mapped->at < mapped->last)
        return;
    end_lending(stream);
    take(stream, mapped_next(mapped, bytes - lent));
}

static size_t stream_lend(void *context, const struct record_margin *margin, const uint8_t **data, size_t bytes)
{
    struct stream *stream = context;
    const struct mapped *mapped = &stream->mapped;

    (void)margin;
    while (mapped->at == mapped->last) {
        if (stream->next == stream->count)
            return 0;
        begin_lending(stream);
    }
    *data = mapped->at;
    lend(stream, bytes);
    return (size_t)(mapped->at - *data);
}

static void stream_rewind(void *context)
{
    struct stream *stream = context;

    contents_close(&stream->contents);
    stream->open = false;
    stream->next = 0;
    counter_set(&stream->read, 0);
    stream->rest_bytes = 0;
    tail_init(&stream->tail, &stream->layout.format, stream->tail.after_header);
    mapped_restart(&stream->mapped);
    for (size_t i = 0; i < stream->count; i++)
        if (operand_is_standard_input(stream->names[i]) && sys_seek(STDIN_FILENO, stream->contents.start, SEEK_SET) < 0)
            fault_report(stream->names[i], errno);
}

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

    source->stage = (struct source_stage){stream_read, stream_lend, stream_rewind, stream_free};
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

static void drop_margin(struct source *source)
{
    if (source->margin.mark != NULL)
        sys_unmap(source->margin.mark, source->margin_bytes);
    source->margin.mark = NULL;
}

void source_free(struct source *source)
{
    if (source == NULL)
        return;
    source->stage.release(source->context);
    source_free(source->before);
    drop_margin(source);
    free(source);
}

/* ---- Reading ---- */

static size_t take_unread(struct source *source, uint8_t *data, size_t bytes)
{
    const size_t taken = least_size(bytes, source->unread_bytes);

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
        done += source->stage.read(source->context, data + done, bytes - done);
    counter_add(&source->delivered_bytes, done);
    return done;
}

void source_unread(struct source *source, const uint8_t *data, size_t bytes)
{
    source->unread = data;
    source->unread_bytes = bytes;
    counter_subtract(&source->delivered_bytes, bytes);
}

void source_rewind(struct source *source)
{
    counter_set(&source->delivered_bytes, 0);
    if (source_holds(source)) {
        source->held.at = source->held.base;
        return;
    }
    source->unread_bytes = 0;
    if (source->before != NULL)
        source_rewind(source->before);
    source->stage.rewind(source->context);
}

/* ---- Holding ---- */

void source_hold(struct source *source, struct pool *pool)
{
    source->held = (struct held){.pool = pool};
}

bool source_holds(const struct source *source)
{
    return source->held.pool != NULL && !source->held.leaving;
}

size_t source_fill(struct source *source, size_t bytes)
{
    struct held *held = &source->held;
    size_t got;

    if (!held_grow(held, bytes))
        fault_report("memory", ENOMEM);
    got = source_read(source, held->filled, bytes);
    held->filled += got;
    counter_subtract(&source->delivered_bytes, got);
    return got;
}

void source_let_go(struct source *source)
{
    source_rewind(source);
    source->held.leaving = true;
}

static bool lends_held(const struct source *source)
{
    return source_holds(source) || source->held.at < source->held.filled;
}

/* ---- Lending ---- */

/* A stage needs marks beside what it lends. */
static bool make_margin(struct source *source)
{
    const struct mapped *mapped = &source->stream->mapped;

    source->margin_bytes = mapped->bytes / TAR_BLOCK_BYTES + 1;
    source->margin = (struct record_margin){.base = mapped->base, .mark = sys_map(source->margin_bytes)};
    return source->margin.mark != NULL;
}

bool source_map(struct source *source, uint64_t *bytes)
{
    struct stream *stream = source->stream;

    if (stream == NULL || source->stage.lend == NULL || !stream->known || stream->next > 0 ||
        (record_is(&stream->layout.format, RECORD_MEMBER) &&
         stream->contents.start % TAR_BLOCK_BYTES != 0)) /* record_margin */
        return false;
    if (!mapped_open(&stream->mapped, stream->names, stream->contents.marks, stream->count, stream->contents.start))
        return false;
    if (source->stage.lend != stream_lend && !make_margin(source)) {
        source_unmap(source);
        return false;
    }
    *bytes = stream->mapped.used + source->margin_bytes;
    return true;
}

void source_unmap(struct source *source)
{
    mapped_close(&source->stream->mapped);
    drop_margin(source);
}

const struct record_margin *source_margin(const struct source *source)
{
    return source->margin.mark != NULL ? &source->margin : NULL;
}

const uint8_t *source_base(const struct source *source)
{
    if (lends_held(source))
        return source->held.base;
    return source->stream != NULL ? source->stream->mapped.base : NULL;
}

size_t source_space(const struct source *source)
{
    if (lends_held(source))
        return (size_t)(source->held.filled - source->held.base);
    return source->stream != NULL ? source->stream->mapped.bytes : 0;
}

size_t source_lend(struct source *source, const uint8_t **data, size_t bytes)
{
    const size_t lent = lends_held(source) ? held_lend(&source->held, data, bytes)
                                           : source->stage.lend(source->context, &source->margin, data, bytes);

    counter_add(&source->delivered_bytes, lent);
    return lent;
}

void source_forget(struct source *source, const uint8_t *end)
{
    if (source->held.pool != NULL)
        held_forget(&source->held, end);
    else
        mapped_forget(&source->stream->mapped, end);
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

uint64_t source_memory(const struct source *source)
{
    const struct decompress *decompress = source->stream != NULL ? source->stream->contents.decompress : NULL;

    return decompress != NULL ? decompress_memory(decompress) : 0;
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

const char *source_name_at(const struct source *source, uint64_t offset, uint64_t *end)
{
    const struct stream *stream = source->stream;
    size_t i = 0;

    if (stream == NULL) {
        *end = UINT64_MAX;
        return "input";
    }
    for (size_t last = stream->next - 1; i < last;) {
        const size_t middle = i + (last - i) / 2;

        if (stream->end[middle] > offset)
            last = middle;
        else
            i = middle + 1;
    }
    *end = i + 1 < stream->next || !stream->open ? stream->end[i] : UINT64_MAX;
    return stream->names[i];
}

bool source_size_of(const struct source *source, size_t i, uint64_t *bytes)
{
    const struct file_mark *mark = &source->stream->contents.marks[i];

    *bytes = (uint64_t)mark->bytes;
    return file_mark_is_known(mark);
}

bool source_is_from(const struct source *source, const struct stat *file)
{
    struct stat status;

    for (size_t i = 0; source->stream != NULL && i < source->stream->count; i++)
        if (operand_stat(source->stream->names[i], &status) == 0 && io_same_file(&status, file))
            return true;
    return false;
}
