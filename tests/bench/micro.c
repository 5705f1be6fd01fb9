/*
 * Measure the parts, on one thread: each way to find newlines and to make random words, the choice of piles, the
 * checksum, a leaf, a whole scatter, and the steps from its piles to the output. Each runs again and again on data that
 * are in memory; the best time counts, since nothing but the machine can make it longer. With QUICK in the environment,
 * there is less of everything: to see that all works.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chacha.h"
#include "base/random.h"
#include "base/xxh64.h"
#include "input/source.h"
#include "record/scan.h"
#include "shuffle/index.h"
#include "shuffle/order.h"
#include "shuffle/pile.h"
#include "shuffle/run.h"
#include "shuffle/scatter.h"

enum {
    CHUNK_BYTES = 256 << 10, /* a block of input */
    WORD_BLOCKS = 64,        /* 4 KiB of random words, as they are asked for */
    OUTLET_BYTES = 4 << 20,  /* a pile's output, and more */
    ENGINE_MEMORY_MIB = 1024,
};

static size_t text_bytes = 256 << 20; /* to be scattered; more than any cache */
static double least_seconds = 0.2;
static int least_times = 3;

static const size_t lengths[] = {9, 100, 350}; /* of lines, in bytes */
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static double seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Call part(context) for least_seconds and at least least_times times; the seconds of the fastest call. */
static double best_time(void (*part)(void *context), void *context)
{
    double start = seconds();
    double before = start;
    double best = 1e9;

    for (int i = 0; i < least_times || before - start < least_seconds; i++) {
        double after;

        part(context);
        after = seconds();
        best = after - before < best ? after - before : best;
        before = after;
    }
    return best;
}

static void report(const char *part, const char *variant, double seconds, double bytes, double records)
{
    printf("%-14s %-22s", part, variant);
    if (bytes > 0)
        printf(" %8.2f GB/s", bytes / seconds * 1e-9);
    else
        printf(" %13s", "");
    if (records > 0)
        printf(" %8.2f ns/record", seconds / records * 1e9);
    printf("\n");
    fflush(stdout);
}

/* Lines of 1 to 2 length - 1 bytes, so that none is where the processor expects it. Returns their number. */
static size_t make_lines(uint8_t *data, size_t bytes, size_t length)
{
    uint32_t state = 1;
    size_t lines = 0;
    size_t at = 0;

    memset(data, 'x', bytes);
    while (at < bytes) {
        state = state * 1664525 + 1013904223;
        at += 1 + (size_t)(((uint64_t)state * (2 * length - 1)) >> 32);
        data[(at < bytes ? at : bytes) - 1] = '\n';
        lines++;
    }
    return lines;
}

/* ---- Scan ---- */

struct scan_part {
    scan_byte_function *run;
    uint8_t *data;
    uint32_t *ends;
    size_t records;
};

static void scan(void *context)
{
    struct scan_part *part = context;
    size_t scanned;

    part->records = part->run(part->data, CHUNK_BYTES, '\n', part->ends, CHUNK_BYTES, &scanned);
}

static void measure_scan(uint8_t *data)
{
    struct scan_part part = {.data = data, .ends = malloc(CHUNK_BYTES * sizeof *part.ends)};

    for (size_t l = 0; part.ends != NULL && l < LENGTHS; l++) {
        make_lines(data, CHUNK_BYTES, lengths[l]);
        for (const struct scan_way *way = scan_ways; way->name != NULL; way++) {
            char variant[64];
            double seconds;

            if (!way->supported())
                continue;
            part.run = way->byte;
            seconds = best_time(scan, &part);
            snprintf(variant, sizeof variant, "%s, %zu bytes", way->name, lengths[l]);
            report("scan", variant, seconds, CHUNK_BYTES, (double)part.records);
        }
    }
    free(part.ends);
}

/* ---- Random words ---- */

struct chacha_part {
    chacha_function *run;
    uint32_t input[16];
    uint32_t words[WORD_BLOCKS * RANDOM_BLOCK_WORDS];
};

static void chacha(void *context)
{
    struct chacha_part *part = context;

    for (int i = 0; i < 64; i++)
        part->run(part->input, 8, part->words, WORD_BLOCKS);
}

static void measure_chacha(void)
{
    struct chacha_part part = {.input = {1, 2, 3}};

    for (const struct chacha_way *way = chacha_ways; way->name != NULL; way++) {
        if (!way->supported())
            continue;
        part.run = way->run;
        report("chacha8", way->name, best_time(chacha, &part), 64.0 * sizeof part.words, 0);
    }
}

static void root_route(const void *context, uint64_t first, size_t count, uint16_t *pile)
{
    order_scatter(context, (struct order_node){.root = true}, ORDER_ROOT_BITS, first, count, pile);
}

enum { ROUTED = 16384 };

struct route_part {
    const struct order *order;
    uint16_t pile[ROUTED];
};

static void route(void *context)
{
    struct route_part *part = context;

    root_route(part->order, 0, ROUTED, part->pile);
}

static void measure_route(const struct order *order)
{
    struct route_part part = {.order = order};

    report("route", "512 piles", best_time(route, &part), 0, ROUTED);
}

/* ---- Checksum ---- */

static void checksum(void *context)
{
    struct xxh64 hash;
    volatile uint64_t value;

    xxh64_init(&hash, 0);
    xxh64_update(&hash, context, CHUNK_BYTES);
    value = xxh64_value(&hash);
    (void)value;
}

/* ---- Scatter, and what becomes of a pile ---- */

struct stage {
    struct run run;
    struct spill_place place;
    struct piles piles;
    struct table table;
    struct output_buffer outlet;
    uint8_t *data;
    size_t read; /* of data, as a source */
    uint64_t bytes;
};

static size_t read_data(void *context, uint8_t *data, size_t bytes)
{
    struct stage *part = context;

    bytes = bytes < text_bytes - part->read ? bytes : text_bytes - part->read;
    memcpy(data, part->data + part->read, bytes);
    part->read += bytes;
    return bytes;
}

static void keep_data(void *context)
{
    (void)context;
}

static void scatter_data(void *context)
{
    struct stage *part = context;
    const struct scatter_plan plan = {
        .route = root_route, .context = &part->run.order, .piles = 1 << ORDER_ROOT_BITS, .limit = UINT64_MAX};
    struct source *source;

    part->read = 0;
    piles_release(&part->piles);
    source = source_over(read_data, part, keep_data);
    scatter(&part->run.engine, &part->run.format, &plan, source, &part->piles);
    source_free(source);
}

static int drain(void *context)
{
    struct stage *part = context;

    part->outlet.at = part->outlet.buffer;
    return 0;
}

/* Seconds spent on all piles of a scatter. */
struct pile_times {
    double index;
    double leaf;
    double copy;
};

/* Index, shuffle and copy out pile after pile, each of which comes from memory and not from the cache, as in a run. */
static struct pile_times work_on_piles(struct stage *part)
{
    struct pile_times times = {0};
    const struct run *run = &part->run;

    for (unsigned p = 0; p < part->piles.count; p++) {
        uint64_t records = part->piles.pile[p].records;
        double started = seconds();
        double indexed;
        double shuffled;

        index_build(&part->piles, p, &run->format, NULL, 0, &part->table);
        indexed = seconds();
        order_leaf_u64(&run->order, (struct order_node){.number = p + 1}, &part->table, 0, records);
        shuffled = seconds();
        index_copy(&part->piles, &run->format, &part->table, 0, records, &part->outlet);
        times.index += indexed - started;
        times.leaf += shuffled - indexed;
        times.copy += seconds() - shuffled;
    }
    return times;
}

static void measure_engine(struct stage *part, size_t length)
{
    struct pile_times best = {1e9, 1e9, 1e9};
    char variant[64];
    double lines = (double)make_lines(part->data, text_bytes, length);

    snprintf(variant, sizeof variant, "%zu bytes", length);
    report("scatter", variant, best_time(scatter_data, part), (double)text_bytes, lines);
    for (int i = 0; i < least_times; i++) {
        struct pile_times times = work_on_piles(part);

        best.index = times.index < best.index ? times.index : best.index;
        best.leaf = times.leaf < best.leaf ? times.leaf : best.leaf;
        best.copy = times.copy < best.copy ? times.copy : best.copy;
    }
    report("index", variant, best.index, (double)text_bytes, lines);
    report("leaf", variant, best.leaf, 0, lines);
    report("copy", variant, best.copy, (double)text_bytes, lines);
}

/* ---- A leaf as large as they come ---- */

static void shuffle_leaf(void *context)
{
    struct stage *part = context;

    order_leaf_u64(&part->run.order, (struct order_node){.number = 1}, &part->table, 0, ORDER_LEAF_RECORDS);
}

int main(void)
{
    static struct stage part;
    uint64_t leaf_blocks;

    if (getenv("QUICK") != NULL) {
        text_bytes = 16 << 20;
        least_seconds = 0;
        least_times = 1;
    }
    part.place.directory = (const char *const[]){"/var/tmp"};
    part.place.directories = 1;
    part.run.format.delimiter = '\n';
    part.run.order.leaf_records = ORDER_LEAF_RECORDS;
    random_key_init(&part.run.order.key, "micro", 5);
    part.data = fault_allocate(1, text_bytes);
    part.outlet = (struct output_buffer){.buffer = fault_allocate(1, OUTLET_BYTES), .drain = drain, .context = &part};
    part.outlet.at = part.outlet.buffer;
    part.outlet.end = part.outlet.buffer + OUTLET_BYTES;
    engine_open(&part.run.engine, engine_memory((uint64_t)ENGINE_MEMORY_MIB << 20, 1), &part.place);
    if (table_init(&part.table, &part.run.engine.pool) != 0)
        fault_report("memory", errno);
    leaf_blocks = pool_blocks_for(&part.run.engine.pool, ORDER_LEAF_RECORDS * sizeof(uint64_t));
    if (!pool_promise(&part.run.engine.pool, (uint32_t)leaf_blocks))
        fault_say("no memory for a leaf");
    table_grow(&part.table, ORDER_LEAF_RECORDS, sizeof(uint64_t));
    for (uint64_t i = 0; i < ORDER_LEAF_RECORDS; i++)
        *table_u64(&part.table, i) = i;

    measure_scan(part.data);
    measure_chacha();
    measure_route(&part.run.order);
    report("xxh64", "", best_time(checksum, part.data), CHUNK_BYTES, 0);
    report("leaf", "262144 records", best_time(shuffle_leaf, &part), 0, ORDER_LEAF_RECORDS);
    for (size_t l = 0; l < LENGTHS; l++)
        measure_engine(&part, lengths[l]);
    piles_release(&part.piles);
    table_release(&part.table);
    engine_close(&part.run.engine);
    free(part.outlet.buffer);
    free(part.data);
    return 0;
}
