/*
 * A batch without repetition is drawn in rounds: numbers are drawn from one sum, and the records that they name are
 * looked up side by side; who is named again is passed over. That is the law of drawing one after another from those
 * that are left. Who was drawn weighs 0 until the batch is complete. Rounds are short, so that a few heavy records,
 * named again and again, do not take long.
 *
 * Regular files are mapped, and leave memory after each use if it has no room for all of them. Other inputs are kept.
 */

#include "sample/requests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/number.h"
#include "base/random.h"
#include "base/steps.h"
#include "base/tunable.h"
#include "sample/dialogue.h"
#include "sample/weight_law.h"
#include "sample/weight_tree.h"
#include "shuffle/index.h"
#include "shuffle/pile_keys.h"
#include "system/fault.h"
#include "system/sys.h"

enum {
    ROUND = 256,      /* numbers, at most; fixed, as it decides what is drawn */
    LINES_SHARE = 8,  /* this part of the pool is for lines that wait */
    WINDOW = 1024,    /* records that are fetched at a time */
    QUOTED = 60,      /* bytes of a wrong line that a message shows */
    ENTRY_BYTES = 19, /* of the pool for a record with its weight */
    DRAWN = 2,        /* numbers that are kept of each record of a batch: its own, and its weight */
};

TUNABLE(STEP_BYTES, 256 << 10, 64, 256 << 10); /* of a long record that are looked at at a time */

/* ---- All of it ---- */

struct requests {
    struct run *run;
    struct source *source;
    const uint8_t *base; /* of mapped files, */
    uint64_t space;      /* so many bytes; what is kept has the places behind them */
    bool stays;          /* may all of that be in memory? */
    uint8_t *kept;       /* addresses of their own, in one piece, for bytes that are promised by the pool */
    uint64_t kept_bytes, kept_room;
    size_t kept_most;        /* addresses */
    struct table references; /* of all records, as in shuffle/index.h */
    struct weight_tree tree; /* and their weights */
    struct random_words words;
    struct dialogue dialogue;
    uint64_t request;            /* the number of the one at hand, from 1, */
    const char *line, *at, *end; /* which is this line, read up to `at` */
    struct table drawn;          /* the batch at hand, */
    uint64_t batch;              /* which has so many records */
    struct uint128 number[ROUND];
    uint64_t named[ROUND], window[WINDOW];
};

/* Number and weight of a record of the batch. */
static uint64_t *drawn_at(const struct requests *r, uint64_t i)
{
    return table_u64(&r->drawn, DRAWN * i);
}

/* ---- What is wrong ---- */

/* What was answered before must not be lost; meanwhile the line may leave its place. */
_Noreturn static void refuse(struct requests *r, const char *what)
{
    const size_t all = (size_t)(r->end - r->line), bytes = least_size(all, QUOTED);
    char shown[QUOTED + 1] = "";

    memcpy(shown, r->line, bytes);
    dialogue_flush(&r->dialogue);
    die("request %llu: '%s%s': %s", (unsigned long long)r->request, shown,
        strlen(shown) < bytes || bytes < all ? "..." : "", what);
}

/* It needs so many more bytes of the pool. */
_Noreturn static void refuse_memory(struct requests *r, uint64_t bytes)
{
    struct pool *pool = &r->run->engine.pool;

    dialogue_flush(&r->dialogue);
    bytes += (uint64_t)(pool->blocks - pool_free(pool) + 1) << pool->block_shift;
    engine_report_memory(&r->run->engine, bytes + bytes / LINES_SHARE, "request %llu", (unsigned long long)r->request);
}

/* ---- Records ---- */

static bool keep(struct requests *r, const void *data, size_t bytes)
{
    struct pool *pool = &r->run->engine.pool;

    if (bytes > r->kept_most - r->kept_bytes)
        return false;
    for (; r->kept_room < r->kept_bytes + bytes; r->kept_room += pool->block_bytes)
        if (!pool_promise(pool, 1))
            return false;
    memcpy(r->kept + r->kept_bytes, data, bytes);
    r->kept_bytes += bytes;
    return true;
}

static bool add_record(struct requests *r, uint64_t reference, uint64_t weight)
{
    const uint64_t i = r->tree.count;

    if (!table_extend(&r->references, i) || !weight_tree_add(&r->tree, weight))
        return false;
    *table_u64(&r->references, i) = reference;
    return true;
}

/* If there is no room for a record, the others are only counted. The reader's next piece begins where this one ends. */
static void read_records(struct requests *r, struct weight_input *weights)
{
    struct run *run = r->run;
    const struct engine_space space = engine_buffer(&run->engine, ENGINE_READING);
    uint64_t steps = STEPS_ONE, end, length = 0, reference, needed = source_kept(r->source);
    struct record_reader reader;
    struct record_piece piece;
    struct decimal weight;
    bool fits = pool_promise(&run->engine.pool, (uint32_t)pool_blocks_for(&run->engine.pool, needed));

    if (source_refers(r->source)) /* one by one, so that what each stands for can be given back */
        record_reader_init(&reader, &pile_keys_format, r->source, space.data, sizeof reference);
    else
        record_reader_init(&reader, &run->format, r->source, space.data, space.bytes);
    while (weight_input_next(weights, &reader, &piece, &weight)) {
        length = piece.first ? piece.bytes : length + piece.bytes;
        needed += (r->base == NULL ? piece.bytes : 0) + (piece.last ? ENTRY_BYTES : 0);
        fits = fits && (r->base != NULL || keep(r, piece.data, piece.bytes));
        if (!piece.last)
            continue;
        end = r->base != NULL ? (uint64_t)(reader.buffer + reader.start - r->base) : r->kept_bytes;
        if (weights != NULL)
            (void)steps_round(weight, &steps);
        reference = reference_make(end - length, length);
        if (source_refers(r->source)) {
            memcpy(&reference, piece.data, sizeof reference);
            source_forget(r->source, r->base + reference_place(reference));
        }
        fits = fits && add_record(r, reference, steps);
        counter_add(&run->progress->records, 1);
    }
    if (!fits)
        engine_report_memory(&run->engine, needed + needed / (LINES_SHARE - 2) + 2 * REQUESTS_LINES_BYTES,
                             "--requests for %llu records", (unsigned long long)counter_get(&run->progress->records));
}

static void open_records(struct requests *r, const struct weight_place *place)
{
    struct run *run = r->run;
    struct pool *pool = &run->engine.pool;
    struct weight_input *weights;
    uint64_t blocks;

    for (r->kept_most = run->engine.memory.bytes; (r->kept = sys_map(r->kept_most)) == NULL; r->kept_most /= 2)
        if (run->engine.is_given || r->kept_most < ENGINE_MEMORY_MIN)
            die("--requests: cannot get %llu MiB of addresses besides as much memory: %s; use a smaller -S",
                (unsigned long long)r->kept_most >> 20, strerror(errno));
    table_init(&r->references, pool);
    r->references.wide = true;
    weight_tree_init(&r->tree, pool);
    if (source_is_known(r->source) && source_map(r->source, &r->space)) {
        r->base = source_base(r->source);
        r->space = source_space(r->source);
    } else if (record_is(&run->format, RECORD_GROUP)) {
        die("--requests: tar archives must be files that are not compressed");
    }
    if (r->space > ENGINE_MEMORY_MAX / 2)
        die("--requests: the input is larger than 8 TiB");
    weights = place != NULL ? weight_input_open(&run->engine, &run->format, *place, r->source) : NULL;
    read_records(r, weights);
    if (weights != NULL) {
        weight_input_end(weights);
        weight_input_free(weights);
    }
    run_scattered(run);
    blocks = pool_blocks_for(pool, r->space);
    r->stays = blocks < pool_free(pool) / 2 && pool_promise(pool, (uint32_t)blocks);
}

static const uint8_t *bytes_at(const struct requests *r, uint64_t place)
{
    return place < r->space ? r->base + place : r->kept + (place - r->space);
}

/* Bytes of a record have been looked at. */
static void see(struct requests *r, const uint8_t *data, size_t bytes)
{
    if (!r->stays && (uintptr_t)data - (uintptr_t)r->base < r->space)
        source_saw(r->source, data, data + bytes);
}

/* The end of a long record is searched. If somebody has changed the file, it may be lost; source_check finds that out.
 */
static uint64_t length_of(struct requests *r, uint64_t record)
{
    const uint64_t reference = *table_u64(&r->references, record), place = reference_place(reference);
    const uint64_t most = place < r->space ? r->space - place : r->kept_bytes - (place - r->space);
    const uint8_t *data = bytes_at(r, place);
    struct record_scan scan = {0};
    size_t scanned;
    uint32_t end;

    if (reference_length(reference) < REFERENCE_LONG)
        return reference_length(reference);
    if (source_refers(r->source))
        return source_length(r->source, place);
    for (uint64_t done = 0; done < most; done += scanned, data += scanned) {
        const size_t found =
            record_ends(&r->run->format, &scan, data, (size_t)least(most - done, STEP_BYTES), &end, 1, &scanned);

        see(r, data, scanned);
        if (found > 0)
            return done + end;
    }
    return most;
}

/* What a record starts with stands behind it (record.h). */
static void say_record(struct requests *r, uint64_t record)
{
    const uint8_t *data = bytes_at(r, reference_place(*table_u64(&r->references, record)));
    size_t start_bytes, part;
    const uint8_t *start = record_start(&r->run->format, &start_bytes);

    output_buffer_put(&r->dialogue.out, start, start_bytes);
    for (uint64_t left = length_of(r, record) - start_bytes; left > 0; left -= part, data += part) {
        part = (size_t)least(left, STEP_BYTES);
        output_buffer_put(&r->dialogue.out, data, part);
        see(r, data, part);
    }
}

/* Records of the batch from number `first` on will be needed: what is on a disk is asked for in the order of its
 * places. */
static void fetch_window(struct requests *r, uint64_t first)
{
    const size_t count = (size_t)least(r->batch - first, WINDOW), page = sys_page_bytes();

    for (size_t i = 0; i < count; i++)
        r->window[i] = *table_u64(&r->references, drawn_at(r, first + i)[0]);
    qsort(r->window, count, sizeof *r->window, compare_numbers);
    for (size_t i = 0; i < count && reference_place(r->window[i]) < r->space; i++) {
        const uint64_t place = reference_place(r->window[i]);

        (void)sys_will_need(r->base + place / page * page, (size_t)(place % page + reference_length(r->window[i])));
    }
}

/* ---- A batch ---- */

static uint64_t next_word(void *context)
{
    return random_next(context);
}

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
        r->number[i] = weight_law_draw(r->tree.total, next_word, &r->words);
    weight_tree_find(&r->tree, r->number, r->named, count);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t weight = weight_tree_get(&r->tree, r->named[i]);

        if (weight > 0) /* else it was named before */
            put_drawn(r, r->named[i], weight);
        if (!repeat)
            weight_tree_set(&r->tree, r->named[i], 0);
    }
}

/* Put a number, as a weight, and what is to be behind it. */
static void put(struct requests *r, struct uint128 steps, char behind)
{
    struct output_buffer *out = &r->dialogue.out;

    if (out->end - out->at <= STEPS_BYTES)
        dialogue_flush(&r->dialogue);
    out->at = (uint8_t *)steps_print((char *)out->at, steps);
    *out->at++ = (uint8_t)behind;
}

static void put_whole(struct requests *r, uint64_t number, char behind)
{
    put(r, uint128_multiply(number, STEPS_ONE), behind);
}

static void say_batch(struct requests *r)
{
    uint64_t bytes = 0;

    for (uint64_t i = 0; i < r->batch; i++)
        bytes += length_of(r, drawn_at(r, i)[0]);
    put_whole(r, r->batch, ' ');
    put_whole(r, bytes, ' ');
    put(r, r->tree.total, '\n');
    for (uint64_t i = 0; i < r->batch; i++) {
        put_whole(r, drawn_at(r, i)[0], ' ');
        put(r, steps_count(drawn_at(r, i)[1]), ' ');
        put_whole(r, length_of(r, drawn_at(r, i)[0]), '\n');
    }
    for (uint64_t i = 0; i < r->batch; i++) {
        if (!r->stays && i % WINDOW == 0)
            fetch_window(r, i);
        say_record(r, drawn_at(r, i)[0]);
    }
    if (!r->stays)
        source_check(r->source);
}

/* ---- Requests ---- */

static bool take(struct requests *r, const char *text)
{
    const size_t bytes = strlen(text);

    if ((size_t)(r->end - r->at) < bytes || memcmp(r->at, text, bytes) != 0)
        return false;
    r->at += bytes;
    return true;
}

/* A newline ends the last digits. */
static bool take_number(struct requests *r, uint64_t *number)
{
    const char *behind = number_digits(r->at, number);

    r->at = behind != NULL ? behind : r->at;
    return behind != NULL;
}

/* Up to a space, or the end. */
static uint64_t take_weight(struct requests *r)
{
    const char *space = memchr(r->at, ' ', (size_t)(r->end - r->at)), *from = r->at;
    uint64_t steps;

    r->at = space != NULL ? space : r->end;
    if (!steps_read(from, (size_t)(r->at - from), &steps))
        refuse(r, "a weight is 0, or from 2^-32 to 2^32");
    return steps;
}

static void draw(struct requests *r)
{
    const struct uint128 *total = &r->tree.total;
    uint64_t wanted, bytes;
    const bool good = take_number(r, &wanted), repeat = take(r, " repeat");

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

    if (!take_number(r, &record) || !take(r, " "))
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

static void add(struct requests *r)
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
    if (!keep(r, r->at, bytes) || !keep(r, &format->delimiter, 1) ||
        !add_record(r, reference_make(r->space + r->kept_bytes - bytes - 1, bytes + 1), weight))
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
        if (take(r, "draw "))
            draw(r);
        else if (take(r, "set "))
            set(r);
        else if (take(r, "add "))
            add(r);
        else
            refuse(r, "write draw K, draw K repeat, set I W or add W RECORD");
    }
    dialogue_flush(&r->dialogue);
}

/* Lines that wait have a part of the memory, but never less than REQUESTS_LINES_BYTES; answers have the buffer, which
 * is free when all records have been read. */
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
    dialogue_open(&r->dialogue, lines_bytes, space.data, space.bytes); /* before the records take addresses */
    open_records(r, weights);
    answer_all(r);
    free(r);
}
