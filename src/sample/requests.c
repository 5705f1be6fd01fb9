/*
 * A batch without repetition is drawn in rounds: numbers are drawn from one sum, and the records that they name are
 * looked up side by side; a record named again is passed over. That is the law of drawing one after another from the
 * records left. A drawn record weighs 0 until the batch is complete. Rounds are short, so that a few heavy records,
 * named again and again, do not take long.
 *
 * Input is held in memory. Regular files that do not fit are read again where a record is drawn; archives are not,
 * since a place among frames (group.h) does not tell the place in the file: zeros between archives are left out there.
 */

#include "sample/requests.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/number.h"
#include "base/random.h"
#include "base/steps.h"
#include "input/record_reader.h"
#include "record/group.h"
#include "sample/dialogue.h"
#include "sample/weight_law.h"
#include "sample/weight_tree.h"
#include "system/fault.h"

enum {
    ROUND = 256,       /* numbers, at most; fixed, since it decides what is drawn */
    LINES_SHARE = 8,   /* 1/LINES_SHARE of the pool is for lines that wait */
    WINDOW = 1024,     /* records that are fetched at a time, */
    FETCHED = 1 << 20, /* and bytes of each, at most */
    QUOTED = 60,       /* bytes of a wrong line in a message */
    ENTRY_BYTES = 19,  /* of the pool for a record with its weight */
    DRAWN = 2,         /* numbers kept for each record of a batch: its own, and its weight */
};

/* ---- All of it ---- */

struct requests {
    struct run *run;
    struct source *source;
    bool again;          /* may records be read once more when they are drawn? */
    uint64_t space;      /* bytes of the input; `kept` has the places after them */
    const uint8_t *held; /* the whole input; NULL: it is read again */
    uint8_t *kept;       /* records that were added, in neighbouring blocks */
    uint64_t kept_bytes, kept_room;
    struct table places;     /* of all records: each ends at the place of the next one */
    struct weight_tree tree; /* of all records */
    struct random_words words;
    struct dialogue dialogue;
    uint64_t request;            /* number of the current request, from 1 */
    const char *line, *at, *end; /* its line, read up to `at` */
    struct table drawn;          /* the current batch, */
    uint64_t batch;              /* and the number of its records */
    struct uint128 number[ROUND];
    uint64_t named[ROUND], window[WINDOW];
};

/* Number and weight of a record of the batch. */
static uint64_t *drawn_at(const struct requests *r, uint64_t i)
{
    return table_u64(&r->drawn, DRAWN * i);
}

/* ---- What is wrong ---- */

/* Earlier answers are written first; this may overwrite the line. */
_Noreturn static void refuse(struct requests *r, const char *what)
{
    const size_t all = (size_t)(r->end - r->line), bytes = least_size(all, QUOTED);
    char shown[QUOTED + 1] = "";

    memcpy(shown, r->line, bytes);
    dialogue_flush(&r->dialogue);
    die("request %llu: '%s%s': %s", (unsigned long long)r->request, shown,
        strlen(shown) < bytes || bytes < all ? "..." : "", what);
}

/* The request needs `bytes` more bytes of the pool. */
_Noreturn static void refuse_memory(struct requests *r, uint64_t bytes)
{
    struct pool *pool = &r->run->engine.pool;

    dialogue_flush(&r->dialogue);
    bytes += (uint64_t)(pool->blocks - pool_free(pool) + 1) << pool->block_shift;
    engine_report_memory(&r->run->engine, bytes + bytes / LINES_SHARE, "request %llu", (unsigned long long)r->request);
}

/* ---- Records ---- */

static bool keep_bytes(struct requests *r, const void *data, size_t bytes)
{
    struct pool *pool = &r->run->engine.pool;

    for (; r->kept_room < r->kept_bytes + bytes; r->kept_room += pool->block_bytes) {
        const uint32_t block = pool_get_neighbours(pool, 1);

        if (block == POOL_NONE)
            return false;
        r->kept = r->kept != NULL ? r->kept : pool_block(pool, block);
    }
    if (bytes > 0)
        memcpy(r->kept + r->kept_bytes, data, bytes);
    r->kept_bytes += bytes;
    return true;
}

/* Add a record at `place`. False: there is no room to note it. */
static bool add_record(struct requests *r, uint64_t place, uint64_t weight)
{
    const uint64_t i = r->tree.count;

    if (!table_extend(&r->places, i) || !weight_tree_add(&r->tree, weight))
        return false;
    *table_u64(&r->places, i) = place;
    return true;
}

/* Is there room to hold the rest of the files, and for one more block? */
static bool has_room_to_hold(const struct requests *r)
{
    struct pool *pool = &r->run->engine.pool;
    const uint64_t left = r->again && source_stays(r->source) ? r->source->known_bytes : 0;

    return pool_blocks_for(pool, left - least(left, stream_arrived_bytes(r->source))) < pool_free(pool);
}

/* Stop holding the input. The reader's next piece begins where the one before ends. */
static void stop_holding(struct requests *r, struct record_reader *reader)
{
    source_let_go(r->source);
    if (reader->buffer != reader->own)
        source_forget(r->source, reader->buffer + reader->start);
    reader->at_end = false;
}

/* Once there is no room for a record, the others are only counted. */
static void read_records(struct requests *r, struct weight_input *weights)
{
    struct run *run = r->run;
    const struct engine_space space = engine_buffer(&run->engine, ENGINE_READING);
    uint64_t steps = STEPS_ONE;
    struct record_reader reader;
    struct record_piece piece;
    struct decimal weight;
    bool fits = true, holds = source_stays(r->source);

    record_reader_init(&reader, &run->format, r->source, space.data, space.bytes);
    for (;;) {
        const bool more = weight_input_next(weights, &reader, &piece, &weight);

        if (holds && (!source_stays(r->source) || (more && !has_room_to_hold(r)))) {
            fits = fits && r->again;
            holds = false;
            stop_holding(r, &reader);
        } else if (!more) {
            break;
        }
        if (!more || !piece.last)
            continue;
        if (weights != NULL)
            (void)steps_round(weight, &steps);
        fits = fits && add_record(r, r->space, steps);
        r->space = reader.passed + reader.start;
        counter_add(&run->progress->records, 1);
    }
    if (!fits) {
        const uint64_t needed = (r->again ? 0 : r->space) + counter_get(&run->progress->records) * ENTRY_BYTES;

        engine_report_memory(&run->engine, needed + needed / (LINES_SHARE - 2) + 2 * REQUESTS_LINES_BYTES,
                             "--requests for %llu records%s", (unsigned long long)counter_get(&run->progress->records),
                             record_is(&run->format, RECORD_GROUP) ? " of archives, which it holds in memory," : "");
    }
}

static void open_records(struct requests *r, const struct weight_place *place)
{
    struct run *run = r->run;
    struct pool *pool = &run->engine.pool;
    struct weight_input *weights;

    table_init(&r->places, pool);
    r->places.wide = true;
    weight_tree_init(&r->tree, pool);
    r->again = r->source->known && !record_is(&run->format, RECORD_GROUP);
    if (!r->again || pool_blocks_for(pool, r->source->known_bytes) < pool_free(pool) / 2)
        source_hold(r->source, pool, 0);
    if (r->source->known_bytes > ENGINE_MEMORY_MAX / 2)
        die("--requests: the input is larger than 8 TiB");
    weights = place != NULL ? weight_input_open(&run->engine, &run->format, *place, r->source) : NULL;
    read_records(r, weights);
    if (weights != NULL) {
        weight_input_end(weights);
        weight_input_free(weights);
    }
    if (source_stays(r->source)) {
        source_rewind(r->source);
        (void)source_next(r->source, NULL, (size_t)r->space + 1, &r->held, NULL);
    }
    run_scattered(run);
}

/* Where a record stands in memory; NULL: it is read again. */
static const uint8_t *bytes_at(const struct requests *r, uint64_t place)
{
    if (place >= r->space)
        return r->kept + (place - r->space);
    return r->held != NULL ? r->held + place : NULL;
}

static uint64_t place_of_record(const struct requests *r, uint64_t record)
{
    return record < r->tree.count ? *table_u64(&r->places, record) : r->space + r->kept_bytes;
}

/* The length of a record, with the frames of a group. */
static uint64_t whole_length_of(const struct requests *r, uint64_t record)
{
    return place_of_record(r, record + 1) - place_of_record(r, record);
}

static uint64_t length_of_record(const struct requests *r, uint64_t record)
{
    struct record_scan scan = {0};

    return group_text(&r->run->format, &scan, bytes_at(r, place_of_record(r, record)),
                      (size_t)whole_length_of(r, record), NULL);
}

/* Answer with a record. The string that it starts with stands after it (record.h). A file is read directly into the
 * buffer of answers. */
static void say_record(struct requests *r, uint64_t record)
{
    const struct record_format *format = &r->run->format;
    struct output_buffer *out = &r->dialogue.out;
    struct record_scan scan = {0};
    uint64_t place = place_of_record(r, record), end = place_of_record(r, record + 1);
    size_t start_bytes, part;
    const uint8_t *start = record_start(format, &start_bytes);

    output_buffer_put(out, start, start_bytes);
    for (end -= start_bytes; place < end; place += part) {
        const uint8_t *data = bytes_at(r, place);

        if (out->at == out->end)
            dialogue_flush(&r->dialogue);
        part = (size_t)least(end - place, (uint64_t)(out->end - out->at));
        if (data == NULL)
            stream_read_at(r->source->stream, place, out->at, part);
        out->at += data == NULL ? part : group_text(format, &scan, data, part, out->at);
    }
}

/* Records of the batch from number `first` on will be needed: announce those on disk, in the order of their places. */
static void fetch_window(struct requests *r, uint64_t first)
{
    const size_t count = (size_t)least(r->batch - first, WINDOW);

    for (size_t i = 0; i < count; i++)
        r->window[i] = drawn_at(r, first + i)[0];
    qsort(r->window, count, sizeof *r->window, compare_numbers);
    for (size_t i = 0; i < count && place_of_record(r, r->window[i]) < r->space; i++)
        stream_read_at(r->source->stream, place_of_record(r, r->window[i]), NULL,
                       (size_t)least(whole_length_of(r, r->window[i]), FETCHED));
}

/* ---- A batch ---- */

static void put_drawn(struct requests *r, uint64_t record, uint64_t weight)
{
    if (!table_extend(&r->drawn, DRAWN * r->batch))
        refuse_memory(r, 0);
    drawn_at(r, r->batch)[0] = record;
    drawn_at(r, r->batch++)[1] = weight;
}

static void draw_round(struct requests *r, unsigned count, bool repeat)
{
    for (unsigned i = 0; i < count; i++)
        r->number[i] = weight_law_draw(r->tree.total, &r->words);
    weight_tree_find(&r->tree, r->number, r->named, count);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t weight = weight_tree_get(&r->tree, r->named[i]);

        if (weight > 0) /* 0: it was named before */
            put_drawn(r, r->named[i], weight);
        if (!repeat)
            weight_tree_set(&r->tree, r->named[i], 0);
    }
}

/* Put a number, written as a weight, and the character `after` it. */
static void put_weight(struct requests *r, struct uint128 steps, char after)
{
    struct output_buffer *out = &r->dialogue.out;

    if (out->end - out->at <= STEPS_BYTES)
        dialogue_flush(&r->dialogue);
    out->at = (uint8_t *)steps_print((char *)out->at, steps);
    *out->at++ = (uint8_t)after;
}

static void put_whole(struct requests *r, uint64_t number, char after)
{
    put_weight(r, uint128_multiply(number, STEPS_ONE), after);
}

static void say_batch(struct requests *r)
{
    uint64_t bytes = 0;

    for (uint64_t i = 0; i < r->batch; i++)
        bytes += length_of_record(r, drawn_at(r, i)[0]);
    put_whole(r, r->batch, ' ');
    put_whole(r, bytes, ' ');
    put_weight(r, r->tree.total, '\n');
    for (uint64_t i = 0; i < r->batch; i++) {
        put_whole(r, drawn_at(r, i)[0], ' ');
        put_weight(r, steps_count(drawn_at(r, i)[1]), ' ');
        put_whole(r, length_of_record(r, drawn_at(r, i)[0]), '\n');
    }
    for (uint64_t i = 0; i < r->batch; i++) {
        if (r->held == NULL && i % WINDOW == 0)
            fetch_window(r, i);
        say_record(r, drawn_at(r, i)[0]);
    }
}

/* ---- Requests ---- */

static bool take_word(struct requests *r, const char *text)
{
    const size_t bytes = strlen(text);

    if ((size_t)(r->end - r->at) < bytes || memcmp(r->at, text, bytes) != 0)
        return false;
    r->at += bytes;
    return true;
}

/* Digits, which the line's newline ends at the latest. */
static bool take_number(struct requests *r, uint64_t *number)
{
    const char *after = number_digits(r->at, number);

    r->at = after != NULL ? after : r->at;
    return after != NULL;
}

/* A weight, up to a space or the end. */
static uint64_t take_weight(struct requests *r)
{
    const char *space = memchr(r->at, ' ', (size_t)(r->end - r->at)), *from = r->at;
    uint64_t steps;

    r->at = space != NULL ? space : r->end;
    if (!steps_read(from, (size_t)(r->at - from), &steps))
        refuse(r, "a weight is 0, or from 2^-32 to 2^32");
    return steps;
}

static void answer_draw(struct requests *r)
{
    const struct uint128 *total = &r->tree.total;
    uint64_t wanted, bytes;
    const bool good = take_number(r, &wanted), repeat = take_word(r, " repeat");

    if (!good || r->at < r->end)
        refuse(r, "write draw K or draw K repeat, K a whole number below 2^64");
    bytes = least(wanted, UINT64_MAX / 64) * DRAWN * sizeof(uint64_t);
    if (repeat && bytes > engine_pool_bytes(&r->run->engine) && (total->high | total->low) != 0)
        refuse_memory(r, bytes);
    for (r->batch = 0; r->batch < wanted && (total->high | total->low) != 0;)
        draw_round(r, (unsigned)least(wanted - r->batch, ROUND), repeat);
    for (uint64_t i = 0; i < r->batch && !repeat; i++)
        weight_tree_set(&r->tree, drawn_at(r, i)[0], drawn_at(r, i)[1]);
    say_batch(r);
    table_clear(&r->drawn);
    counter_add(&r->run->progress->written, r->batch);
}

static void set(struct requests *r)
{
    uint64_t record, weight;
    char what[80];

    if (!take_number(r, &record) || !take_word(r, " "))
        refuse(r, "write set I W, I the number of a record, from 0, and W its weight");
    if (record >= r->tree.count) {
        snprintf(what, sizeof what, "there are %llu records, numbered from 0", (unsigned long long)r->tree.count);
        refuse(r, what);
    }
    weight = take_weight(r);
    if (r->at < r->end)
        refuse(r, "nothing comes behind a weight");
    weight_tree_set(&r->tree, record, weight);
}

static void answer_add(struct requests *r)
{
    const struct record_format *format = &r->run->format;
    uint64_t weight;
    size_t bytes;

    if (memchr(r->at, ' ', (size_t)(r->end - r->at)) == NULL)
        refuse(r, "write add W RECORD, W a weight");
    weight = take_weight(r);
    bytes = (size_t)(r->end - ++r->at);
    if (format->kind != NULL)
        refuse(r, "only lines can be added");
    if (memchr(r->at, format->delimiter, bytes) != NULL)
        refuse(r, "the record contains its delimiter");
    if (!keep_bytes(r, r->at, bytes) || !keep_bytes(r, &format->delimiter, 1) ||
        !add_record(r, r->space + r->kept_bytes - bytes - 1, weight))
        refuse_memory(r, bytes);
}

static void answer_all(struct requests *r)
{
    size_t bytes;

    while ((bytes = dialogue_line(&r->dialogue, &r->line)) > 0) {
        const bool whole = r->line[bytes - 1] == '\n';

        r->request++;
        r->at = r->line;
        r->end = r->line + bytes - whole;
        if (bytes > DIALOGUE_LINE_BYTES)
            refuse(r, "a request has at most 1048576 bytes");
        if (!whole)
            refuse(r, "the input ends within a request; each ends with a newline");
        if (take_word(r, "draw "))
            answer_draw(r);
        else if (take_word(r, "set "))
            set(r);
        else if (take_word(r, "add "))
            answer_add(r);
        else
            refuse(r, "write draw K, draw K repeat, set I W or add W RECORD");
    }
    dialogue_flush(&r->dialogue);
}

/* Lines that wait have a part of the memory, at least REQUESTS_LINES_BYTES; answers have the engine's buffer, which is
 * free when all records have been read. */
void requests_answer(struct run *run, struct source *source, const struct weight_place *weights)
{
    struct requests *r = fault_allocate(1, sizeof *r);
    struct pool *pool = &run->engine.pool;
    const size_t share = (size_t)(pool->blocks / LINES_SHARE) << pool->block_shift;
    const size_t lines_bytes = share > REQUESTS_LINES_BYTES ? share : REQUESTS_LINES_BYTES;
    const struct engine_space space = engine_buffer(&run->engine, ENGINE_WHOLE);

    (void)pool_promise(pool, pool->blocks / LINES_SHARE);
    table_init(&r->drawn, pool);
    r->run = run;
    r->source = source;
    r->drawn.wide = true;
    random_words_init(&r->words, &run->order.key, "requests");
    dialogue_open(&r->dialogue, lines_bytes, space.data, space.bytes);
    open_records(r, weights);
    answer_all(r);
    free(r);
}
