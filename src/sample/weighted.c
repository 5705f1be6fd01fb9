/*
 * Without replacement, each record gets a key (weight_law.h), and the order is that of the keys. To write the first
 * ones in input order, it is enough to know the greatest of their keys. Keys are counted by their first 16 bits. The
 * counts show at any time which records can no longer be among the first, so hardly more records are stored than will
 * be written, with their keys in a second pile. So the memory needed does not depend on the size of the sample.
 *
 * With replacement, a number below the sum of all weights names the record within whose share it falls. Many numbers
 * are drawn, sorted, and matched with the weights, which are in a pile of their own, in one pass over them.
 */

#include "sample/weighted.h"

#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "sample/keep.h"
#include "sample/replacement.h"
#include "sample/weight_law.h"
#include "shuffle/pile_keys.h"
#include "shuffle/scatter.h"
#include "shuffle/shuffle.h"

/* ---- Without replacement ---- */

/* The keys of the records of a source, one after another. */
struct weighing {
    struct run *run;
    struct keep_rule rule; /* has the weights */
    struct random_words words;
    uint64_t zeros; /* records of weight zero so far */
    struct sorted *sorted;

    /* For the order of the input: */
    struct piles piles;
    struct keep_first first; /* by the first digit of the key */
};

/* The key of the next record, whose weight is in the rule; UINT64_MAX if the weight is zero. */
static uint64_t next_key(struct weighing *w)
{
    const uint64_t key = weight_law_key(random_next(&w->words), w->rule.weight);

    w->zeros += key == UINT64_MAX;
    return key;
}

/* After the last record: tell the user if fewer records are written because some are never drawn. A full sample does
 * not need these. */
static void end_weighing(const struct weighing *w)
{
    const uint64_t records = counter_get(&w->run->progress->records);

    weight_input_end(w->rule.weights);
    if (run_range(w->run, records - w->zeros).end < run_range(w->run, records).end)
        fault_warn("records of weight 0 are never drawn: %llu", (unsigned long long)w->zeros);
}

/* For each weight, note EXPECTED keys, by words that divide all words evenly (by the golden ratio), since the keys of
 * the first few records would tell less. Later weights may differ, so every second key is that of a weight up to
 * 2^OCTAVES times as large or small. */
enum { EXPECTED = 16, OCTAVES = 16 };

static void expect(struct weighing *w)
{
    for (unsigned i = 0; i < EXPECTED; i++) {
        const uint64_t number = w->sorted->sampled, word = number * UINT64_C(0x9e3779b97f4a7c15);
        const uint64_t octaves = number % 2 > 0 ? number / 2 % (2 * OCTAVES) - OCTAVES : 0;

        sorted_expect(w->sorted, weight_law_key(word, w->rule.weight) + (octaves << 52));
    }
}

/* Passes over records that are never drawn. */
static bool next_drawn(void *context, struct record_reader *reader, struct record_piece *piece, uint64_t *key)
{
    struct weighing *w = context;

    while (weight_input_next(w->rule.weights, reader, piece, &w->rule.weight)) {
        counter_add(&w->run->progress->records, piece->last);
        if (piece->first)
            *key = next_key(w);
        if (piece->first && *key < UINT64_MAX && w->sorted->ranges == 0)
            expect(w);
        if (*key < UINT64_MAX)
            return true;
    }
    return false;
}

static void write_by_key(struct weighing *w, struct source *source, struct output *output)
{
    struct run *run = w->run;
    struct sorted *sorted = fault_allocate(1, sizeof *sorted);
    const struct scatter_plan plan = {
        .sorted = sorted, .piles = SORTED_RANGES, .limit = run_range(run, UINT64_MAX).end};
    struct piles piles;

    w->sorted = sorted;
    sorted->next = next_drawn;
    sorted->context = w;
    scatter(&run->engine, &run->format, &plan, source, &piles);
    free(sorted);
    end_weighing(w);
    run_scattered(run);
    run_begin(run, output, piles.records);
    shuffle_piles(run, &piles, (struct gather_order){.sorted = true}, output);
    piles_release(&piles);
}

/* Two piles: the records that may be among the first ones, in input order, and their keys. */
enum { RECORDS, KEYS, PILES };

/* Bits of a first digit of keys; and how many steps a pass counts. */
TUNABLE(DIGIT_BITS, 16, 1, ENGINE_UNITS < 128 ? 12 : 16);
enum { STEPS = 256 };
#define DIGITS      ((uint64_t)1 << DIGIT_BITS)
#define DIGIT_SHIFT (64 - DIGIT_BITS)

/* May the record still be among the first ones? Then its key is kept, too. */
static bool admit_key(void *context, uint64_t record)
{
    struct weighing *w = context;
    const uint64_t key = next_key(w);

    (void)record;
    if (key == UINT64_MAX || !keep_first_admit(&w->first, key >> DIGIT_SHIFT))
        return false;
    pile_keys_append(&w->piles, KEYS, key);
    return true;
}

static void store_candidates(struct weighing *w, struct source *source)
{
    w->first = (struct keep_first){
        .limit = w->run->limit, .kept = DIGITS, .count = fault_allocate(DIGITS, sizeof *w->first.count)};
    w->rule.admit = admit_key;
    w->rule.context = w;
    keep_records(w->run, source, &w->rule, &w->piles, PILES);
    end_weighing(w);
    pile_source_verify(&w->run->engine, &w->piles, RECORDS, &w->run->format);
    pile_source_verify(&w->run->engine, &w->piles, KEYS, &pile_keys_format);
}

/* If more records are stored than will be written: the greatest key that will be written; *equal receives how many
 * records with it will be. Each pass over the keys counts them in equal steps from `low` to `high`; the step with the
 * key sought becomes `low` to `high` of the next pass. */
static uint64_t find_greatest(struct weighing *w, uint64_t *equal)
{
    uint64_t low = 0, high = (w->first.kept << DIGIT_SHIFT) - 1;

    *equal = w->run->limit;
    while (low < high && w->first.candidates > w->run->limit) {
        const uint64_t step = (high - low) / STEPS + 1;
        uint64_t count[STEPS] = {0};
        struct pile_keys keys;
        unsigned i = 0;

        pile_keys_open(&keys, &w->piles, KEYS, true);
        for (uint64_t left = w->piles.pile[KEYS].records; left > 0; left--) {
            const uint64_t key = pile_keys_next(&keys);

            if (key >= low && key <= high)
                count[(key - low) / step]++;
        }
        pile_keys_close(&keys);
        for (; *equal > count[i]; i++)
            *equal -= count[i];
        low += i * step;
        high = least(high, low + (step - 1));
    }
    return high;
}

/* The stored records with the least keys. */
struct least_keys {
    struct pile_keys keys;
    uint64_t greatest;
    uint64_t equal; /* how many more records with the greatest key */
};

static bool has_least_key(void *context, uint64_t record)
{
    struct least_keys *l = context;
    const uint64_t key = pile_keys_next(&l->keys);

    (void)record;
    if (key == l->greatest && l->equal > 0) {
        l->equal--;
        return true;
    }
    return key < l->greatest;
}

static void write_in_input_order(struct weighing *w, struct source *source, struct output *output)
{
    struct least_keys l;
    struct source *stored;

    store_candidates(w, source);
    l.greatest = find_greatest(w, &l.equal);
    stored = pile_source(&w->piles, RECORDS, false);
    pile_keys_open(&l.keys, &w->piles, KEYS, false);
    keep_write(w->run, stored, w->first.candidates, has_least_key, &l, output);
    pile_keys_close(&l.keys);
    source_free(stored);
    free(w->first.count);
    piles_release(&w->piles);
}

void weighted_order(struct run *run, struct source *source, struct weight_place place, bool keep_order,
                    struct output *output)
{
    struct weighing w = {.run = run, .rule.weights = weight_input_open(&run->engine, &run->format, place, source)};

    random_words_init(&w.words, &run->order.key, "weight");
    if (keep_order)
        write_in_input_order(&w, source, output);
    else
        write_by_key(&w, source, output);
    weight_input_free(w.rule.weights);
}

/* ---- With replacement ---- */

struct drawing {
    struct run *run;
    struct replacement_rule rule;
    struct random_words words;
    struct piles piles; /* one: all weights, in the order of the records, as pairs of numbers: mantissa, exponent */
    int top_exponent;
    bool any; /* is any weight above zero? */
    struct uint128 total;
};

/* Note the next record's weight, which is in the rule. */
static bool note(void *context, uint64_t record)
{
    struct drawing *d = context;
    const struct decimal weight = d->rule.keep.weight;

    (void)record;
    if (weight.mantissa > 0 && (!d->any || weight.exponent > d->top_exponent)) {
        d->top_exponent = weight.exponent;
        d->any = true;
    }
    pile_keys_append(&d->piles, 0, weight.mantissa);
    pile_keys_append(&d->piles, 0, (uint64_t)(int64_t)weight.exponent);
    return true;
}

/* Add the next record's weight to *end, the end of the shares so far: each share begins where the one before ends. */
static void next_share(const struct drawing *d, struct pile_keys *keys, struct uint128 *end)
{
    struct decimal weight;

    weight.mantissa = pile_keys_next(keys);
    weight.exponent = (int)(int64_t)pile_keys_next(keys);
    *end = uint128_add(*end, weight_law_scale(weight, d->top_exponent));
}

/* Add up all weights. They stay in memory only if the records do. */
static void add_weights(void *context, uint64_t records, bool resident)
{
    struct drawing *d = context;
    struct pile_keys keys;

    weight_input_end(d->rule.keep.weights);
    piles_seal(&d->piles);
    if (!d->any)
        die("all weights are zero");
    pile_keys_open(&keys, &d->piles, 0, true);
    for (uint64_t i = 0; i < records; i++)
        next_share(d, &keys, &d->total);
    pile_keys_close(&keys);
    if (!resident)
        pile_flush(&d->piles, 0);
}

/* Draw numbers, sort them by their low and then by their high words, and match them with the shares in one pass. */
static void match_shares(struct drawing *d, struct table *numbers, uint64_t count)
{
    struct pool *pool = &d->run->engine.pool;
    struct table high, low;
    struct table_pairs pairs;
    struct uint128 end = {0};
    struct pile_keys keys;
    uint64_t record = 0;

    table_take(&high, pool, count, sizeof(uint64_t));
    table_take(&low, pool, count, sizeof(uint64_t));
    table_pairs_take(&pairs, pool, count);
    for (uint64_t i = 0; i < count; i++) {
        struct uint128 number = weight_law_draw(d->total, &d->words);

        *table_u64(&high, i) = number.high;
        *table_u64(&low, i) = number.low;
        *table_u64(&pairs.key, i) = number.low;
        *table_u64(&pairs.value, i) = i;
    }
    table_sort(&pairs, count);
    for (uint64_t i = 0; i < count; i++)
        *table_u64(&pairs.key, i) = *table_u64(&high, *table_u64(&pairs.value, i));
    table_sort(&pairs, count);
    pile_source_verify(&d->run->engine, &d->piles, 0, &pile_keys_format);
    pile_keys_open(&keys, &d->piles, 0, true);
    next_share(d, &keys, &end);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = *table_u64(&pairs.value, i);
        struct uint128 number = {.high = *table_u64(&high, place), .low = *table_u64(&low, place)};

        for (; uint128_compare(end, number) <= 0; record++)
            next_share(d, &keys, &end);
        *table_u64(numbers, place) = record;
    }
    pile_keys_close(&keys);
    table_release(&high);
    table_release(&low);
    table_pairs_release(&pairs);
}

static void draw_weighted(void *context, uint64_t records, struct table *numbers, uint64_t count)
{
    struct drawing *d = context;

    (void)records;
    if (numbers != NULL)
        match_shares(d, numbers, count);
    else
        for (uint64_t i = 0; i < count; i++)
            (void)weight_law_draw(d->total, &d->words);
}

void weighted_repeat(struct run *run, struct source *source, struct weight_place place, struct output *output)
{
    struct drawing d = {.run = run};

    random_words_init(&d.words, &run->order.key, "weight");
    d.rule = (struct replacement_rule){
        .keep = {.admit = note, .context = &d, .weights = weight_input_open(&run->engine, &run->format, place, source)},
        .prepare = add_weights,
        .draw = draw_weighted,
        .context = &d};
    piles_init(&d.piles, 1, 1, &run->engine.pool, spill_open(run->engine.place, 1));
    replacement_source(run, source, &d.rule, output);
    piles_release(&d.piles);
    weight_input_free(d.rule.keep.weights);
}
