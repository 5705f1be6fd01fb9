/*
 * A file's header may be taken off (header.c) and a delimiter added at its end (tail.c): both leave bytes that are
 * delivered before anything else is read, so that neither depends on the sizes of the reader's buffers. The tail sees
 * all bytes that are read: it finds errors in records, and at a file's end the bytes that the last record lacks.
 */

#include "input/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/must.h"
#include "input/hints.h"
#include "input/operand.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/sys.h"

/* Most bytes of blank lines held back; and of a read that looks whether anything follows them. */
enum { BLANK_BYTES = 1 << 16, LOOK_BYTES = 1 << 12 };

/* ---- Looking at files ---- */

/* A header is kept if all files before its own were looked at. Standard input is not looked at. */
static void look_at_all(struct source *source)
{
    struct stream *stream = source->stream;
    struct tail fresh = stream->tail;
    struct contents *contents = &stream->contents;
    bool seen = true; /* have all files so far been looked at? */

    source->known = true;
    stream->tail.told = true; /* warnings come when it is read */
    for (size_t i = 0; i < stream->count; i++) {
        const char *name = stream->names[i];
        const bool is_input = operand_is_standard_input(name);
        uint64_t bytes;
        const bool plain = contents_look(contents, i, &bytes);

        source->known = source->known && plain;
        seen = seen && plain && !is_input;
        tail_begin(&stream->tail);
        if (plain && !is_input && (seen || stream->header.known))
            header_take(&stream->header, contents_read, contents, name, &stream->tail);
        if (plain) { /* all bytes after its header must be records */
            tail_check_size(&stream->tail, name, bytes - least(bytes, stream->header.rule.bytes));
            source->known_bytes += bytes - least(bytes, stream->header.own_bytes);
        }
        contents_close(contents);
    }
    fresh.replaced = stream->layout.replaced;
    stream->tail = fresh; /* as a stream, the files have not been seen */
}

/* ---- Reading files ---- */

/* Show the hints these bytes of the file, which the tail has seen. */
static void give_hints(struct stream *stream, const uint8_t *data, size_t bytes)
{
    struct hints *hints = &stream->contents.hints;
    const size_t file = stream->next - 1;

    hints_follow(hints, !stream->seen_beginning, stream->layout.replaced, stream->names[file], data, bytes);
    if (stream->seen_beginning)
        return;
    stream->seen_beginning = true;
    hints_look(hints, stream->contents.decompressed, stream->names[file], data, bytes);
    if (stream->count > 1)
        hints_compare(hints, &stream->contents.marks[file], stream->names[file], data, bytes);
}

/* After bytes that the tail has seen: hold back blank lines at their end. Returns how many to deliver. */
static size_t hold_back(struct stream *stream, const uint8_t *data, size_t bytes)
{
    stream->held_bytes = stream->tail.blank;
    if (stream->held_bytes > BLANK_BYTES)
        die("%s: more than %d bytes of blank lines one after another", fault_name(stream->names[stream->next - 1]),
            BLANK_BYTES);
    stream->held = stream->held_bytes > 0 ? data + (bytes - stream->held_bytes) : NULL;
    return bytes - stream->held_bytes;
}

static void begin_file(struct stream *stream)
{
    struct header *header = &stream->header;

    contents_begin(&stream->contents, stream->next);
    tail_begin(&stream->tail);
    header_take(header, contents_read, &stream->contents, stream->names[stream->next++], &stream->tail);
    stream->open = true;
    stream->rest = header->rest;
    stream->rest_bytes = hold_back(stream, header->rest, header->rest_bytes);
    stream->seen_beginning = false;
    if (header->taken_bytes > 0)
        give_hints(stream, header->buffer, header->taken_bytes);
}

static void end_file(struct stream *stream)
{
    struct stream_end *end = &stream->end[stream->next - 1];

    contents_end(&stream->contents);
    stream->open = false;
    stream->rest_bytes = tail_end(&stream->tail, stream->names[stream->next - 1], &stream->rest);
    *end = (struct stream_end){counter_get(&stream->read) + stream->rest_bytes, stream->rest, stream->rest_bytes,
                               stream->held_bytes};
    if (stream->next == stream->count && end->at == 0 && stream->header.text_bytes > 0)
        header_warn_alone(&stream->header);
    if (stream->next == stream->count && end->at > 0)
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

/* Read once. Returns the number of bytes, 0 at the file's end. */
static size_t read_more(struct stream *stream, uint8_t *data, size_t bytes)
{
    const size_t got = contents_read(&stream->contents, data, bytes);

    if (got > 0) {
        tail_follow(&stream->tail, stream->names[stream->next - 1], data, got);
        give_hints(stream, data, got);
    } else {
        end_file(stream);
    }
    return got;
}

/* Read on, to see whether anything follows the held blank lines. */
static void look_further(struct stream *stream)
{
    const size_t held = stream->held_bytes;
    size_t got;

    memmove(stream->blank, stream->held, held);
    got = read_more(stream, stream->blank + held, LOOK_BYTES);
    stream->held_bytes = 0;
    if (got == 0)
        return;
    stream->rest = stream->blank;
    stream->rest_bytes = hold_back(stream, stream->blank, held + got);
}

/* Do one step: deliver from the rest, turn to the next file, or read once. Returns the number of bytes, perhaps 0. */
static size_t read_on(struct stream *stream, uint8_t *data, size_t bytes)
{
    size_t got;

    if (stream->rest_bytes > 0)
        return take_rest(stream, data, bytes);
    if (!stream->open || stream->held_bytes > 0) {
        (stream->open ? look_further : begin_file)(stream);
        return 0;
    }
    got = read_more(stream, data, bytes);
    got = got > 0 ? hold_back(stream, data, got) : 0;
    if (stream->held_bytes > 0)
        stream->held = memcpy(stream->blank, stream->held, stream->held_bytes);
    return got;
}

/* Between a file's beginning, which has been seen, and its end, the stream need not look at bytes, since others find
 * the ends of records. */
static size_t claim_absent(struct stream *stream, uint8_t *data, size_t bytes, struct absent *absent)
{
    if (absent == NULL || !stream->open || stream->rest_bytes > 0 || !stream->seen_beginning ||
        !tail_may_pass_over(&stream->tail))
        return 0;
    return contents_claim(&stream->contents, data, bytes, absent);
}

static size_t read_files(void *context, uint8_t *data, size_t bytes, struct absent *absent)
{
    struct stream *stream = context;
    size_t done = claim_absent(stream, data, bytes, absent);

    counter_add(&stream->read, done);
    while (done < bytes && (stream->rest_bytes > 0 || stream->open || stream->next < stream->count)) {
        const size_t got = read_on(stream, data + done, bytes - done);

        done += got;
        counter_add(&stream->read, got);
    }
    return done;
}

static void fetch_from_file(void *context, struct absent *absent)
{
    struct stream *stream = context;

    contents_fetch(&stream->contents, absent);
}

static void begin_again(void *context)
{
    struct stream *stream = context;

    contents_close(&stream->contents);
    stream->open = false;
    stream->next = 0;
    counter_set(&stream->read, 0);
    stream->rest_bytes = 0;
    for (size_t i = 0; i < stream->count; i++)
        if (operand_is_standard_input(stream->names[i]) && sys_seek(STDIN_FILENO, stream->contents.start, SEEK_SET) < 0)
            die_errno(stream->names[i], errno);
}

static void release_stream(void *context)
{
    struct stream *stream = context;

    contents_release(&stream->contents);
    free(stream->end);
    free(stream->blank);
    header_release(&stream->header);
    free(stream);
}

/* ---- From the beginning to the end ---- */

struct source *stream_open(const char *const *names, size_t count, const struct source_layout *layout)
{
    struct stream *stream = fault_allocate(1, sizeof *stream);
    struct source *source = source_over(NULL, stream, NULL, UINT64_MAX);
    struct hints hints;

    source->layer = (struct source_layer){read_files, fetch_from_file, begin_again, release_stream};
    source->stream = stream;
    *stream = (struct stream){.names = names, .count = count, .layout = *layout};
    stream->end = fault_allocate(count + 1, sizeof *stream->end);
    tail_init(&stream->tail, &stream->layout.format, !header_is_none(&layout->header));
    header_init(&stream->header, &stream->layout.format, &layout->header);
    hints = (struct hints){&stream->layout.format, &stream->layout.header, layout->decompress.programs > 0,
                           layout->divides,        .reads = layout->reads, .end_told = false};
    if (record_is(&layout->format, RECORD_LAST_LINE))
        stream->blank = fault_allocate(BLANK_BYTES + LOOK_BYTES, 1);
    contents_open(&stream->contents, names, count, &hints);
    look_at_all(source);
    if (layout->decompress.programs > 0 && !source->known)
        contents_decompress(&stream->contents, layout->decompress);
    return source;
}

/* ---- Places in the stream ---- */

/* The file from which the byte at `offset` came. */
static size_t file_at(const struct stream *stream, uint64_t offset)
{
    size_t i = 0;

    MUST(stream->next > 0); /* a file has been opened */
    for (size_t last = stream->next - 1; i < last;) {
        const size_t middle = i + (last - i) / 2;

        if (stream->end[middle].at > offset)
            last = middle;
        else
            i = middle + 1;
    }
    return i;
}

void stream_read_at(struct stream *stream, uint64_t place, uint8_t *data, size_t bytes)
{
    const size_t file = file_at(stream, place);
    const struct stream_end *end = &stream->end[file];
    const uint64_t own = end->at - end->missing_bytes; /* where its own bytes end in the stream */
    const size_t there = (size_t)least(bytes, own - least(own, place));
    const off_t at = stream->contents.marks[file].bytes - (off_t)(end->left_out + own - least(own, place));

    contents_read_at(&stream->contents, file, at, data, there);
    if (data != NULL && there < bytes)
        memcpy(data + there, end->missing + (place + there - own), bytes - there);
}

const char *stream_name_at(const struct source *source, uint64_t offset, uint64_t *end)
{
    const struct stream *stream = source->stream;
    const size_t i = stream != NULL ? file_at(stream, offset) : 0;

    *end = stream != NULL && (i + 1 < stream->next || !stream->open) ? stream->end[i].at : UINT64_MAX;
    return stream != NULL ? stream->names[i] : "input";
}

/* ---- Facts about the stream ---- */

uint64_t stream_arrived_bytes(const struct source *source)
{
    return counter_get(source->stream != NULL ? &source->stream->read : &source->arrived_bytes);
}

const struct header *stream_header(const struct source *source)
{
    static const struct header none = {.text = NULL};

    return source->stream != NULL ? &source->stream->header : &none;
}

bool stream_is_from(const struct stream *stream, const struct stat *file)
{
    struct stat status;

    for (size_t i = 0; stream != NULL && i < stream->count; i++)
        if (operand_stat(stream->names[i], &status) == 0 && io_same_file(&status, file))
            return true;
    return false;
}
