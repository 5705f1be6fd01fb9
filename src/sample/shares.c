/*
 * With replacement, a number below the sum of all weights names the record within whose share it falls. The shares'
 * ends are searched where they fit into memory; otherwise some numbers are drawn, sorted, and matched with the weights
 * in one pass over them. Weights are kept beside the records as long as there is room, and read again otherwise.
 */

#include "sample/shares.h"

#include <errno.h>

#include "sample/replacement.h"
#include "sample/weight_law.h"
#include "shuffle/pile_keys.h"
#include "shuffle/transfer.h"
#include "system/sort.h"

/* Each table of shares may take this part of the memory. */
enum { TABLES_SHARE = 4 };

/* While weights are read, room is looked after whenever so many have come. */
enum { LOOKING = 1024, ROOM_SHARE = 16 };

struct drawing {
    struct run *run;
    struct weight_input *weights; /* one for all passes: it notices if they change from one to the next */
    struct random_words words;
    struct piles piles; /* one: all weights, in the order of the records, as pairs of numbers: mantissa, exponent.
                           Dropped if they are to be read again */
    bool again;         /* are they? */
    uint64_t noted;
    int top_exponent;
    bool any; /* weight above zero */
    struct uint128 total;
    bool searched; /* are the shares' ends in the tables? */
    struct table high;
    struct table low;
};

static bool next_noted(void *context, struct record_reader *reader, struct record_piece *piece)
{
    struct drawing *d = context;
    struct decimal weight;

    if (!weight_input_next(d->weights, reader, piece, &weight))
        return false;
    if (!piece->first)
        return true;
    if (weight.mantissa > 0 && (!d->any || weight.exponent > d->top_exponent)) {
        d->top_exponent = weight.exponent;
        d->any = true;
    }
    if (++d->noted % LOOKING == 0 && weight_input_stay(d->weights) &&
        pool_free(&d->run->engine.pool) < d->run->engine.pool.blocks / ROOM_SHARE) {
        pile_drop(&d->piles, 0);
        d->again = true;
    }
    pile_keys_append(&d->piles, 0, weight.mantissa);
    pile_keys_append(&d->piles, 0, (uint64_t)(int64_t)weight.exponent);
    return true;
}

/* Walks over the shares: each record's ends where the next one's begins. */
struct shares {
    struct drawing *drawing;
    struct uint128 end;
    struct pile_keys keys;
    struct replacement *repeat; /* if weights were dropped: */
    struct source *records;
    struct transfer transfer;
};

static void open_shares(struct shares *shares, struct drawing *d, struct replacement *repeat)
{
    *shares = (struct shares){.drawing = d, .repeat = repeat};
    if (!d->again) {
        pile_keys_open(&shares->keys, &d->piles, 0, true);
        return;
    }
    replacement_verify(repeat); /* before a damaged weight is taken for a wrong one */
    shares->records = replacement_again(repeat);
    transfer_init(&shares->transfer, &d->run->engine, &d->run->format, shares->records, NULL);
    weight_input_again(d->weights, shares->records);
}

static struct decimal read_again(struct shares *shares)
{
    struct record_piece piece = {.first = false};
    struct decimal weight;

    while (!piece.first)
        if (!weight_input_next(shares->drawing->weights, &shares->transfer.reader, &piece, &weight))
            fault_say("the input has changed while it was read");
    return weight;
}

static struct decimal read_kept(struct shares *shares)
{
    struct decimal weight;
    uint64_t exponent;

    weight.mantissa = pile_keys_next(&shares->keys);
    exponent = pile_keys_next(&shares->keys);
    weight.exponent = (int)(int64_t)exponent;
    return weight;
}

static void next_share(struct shares *shares)
{
    int top = shares->drawing->top_exponent;
    struct decimal weight = shares->drawing->again ? read_again(shares) : read_kept(shares);

    if (weight.mantissa == 0)
        return;
    if (weight.exponent > top)
        fault_say("the input has changed while it was read");
    shares->end = uint128_add(shares->end, weight_law_scale(weight, top));
}

/* All shares that are needed have come. What is left of the input is read as well: its end is where a change of it is
 * noticed. */
static void close_shares(struct shares *shares)
{
    struct weight_input *weights = shares->drawing->weights;
    struct record_piece piece;
    struct decimal weight;

    if (shares->drawing->again) {
        while (weight_input_next(weights, &shares->transfer.reader, &piece, &weight))
            continue;
        weight_input_end(weights);
    }
    pile_keys_close(&shares->keys);
    replacement_done(shares->repeat, shares->records);
}

static bool take_tables(struct drawing *d, uint64_t records)
{
    struct pool *pool = &d->run->engine.pool;

    if (records > ((uint64_t)(pool->blocks - pool->pinned) << pool->block_shift) / TABLES_SHARE / sizeof(uint64_t))
        return false;
    if (table_take(&d->high, pool, records, sizeof(uint64_t)) != 0)
        return false;
    if (table_take(&d->low, pool, records, sizeof(uint64_t)) != 0) {
        table_release(&d->high);
        return false;
    }
    table_pin(&d->high);
    table_pin(&d->low);
    return true;
}

/* Add all weights up, and keep the sums if there is room. */
static bool add_weights(void *context, struct replacement *repeat, uint64_t records)
{
    struct drawing *d = context;
    struct shares shares;

    weight_input_end(d->weights);
    piles_seal(&d->piles);
    if (!d->any)
        fault_say("no lines of a weight above zero to repeat");
    d->searched = take_tables(d, records);
    open_shares(&shares, d, repeat);
    for (uint64_t i = 0; i < records; i++) {
        next_share(&shares);
        if (d->searched) {
            *table_u64(&d->high, i) = shares.end.high;
            *table_u64(&d->low, i) = shares.end.low;
        }
    }
    d->total = shares.end;
    close_shares(&shares);
    d->again = !d->searched && weight_input_stay(d->weights);
    if (d->searched || d->again)
        pile_clear(&d->piles, 0);
    else
        pile_flush(&d->piles, 0);
    return d->searched;
}

static uint64_t next_word(void *context)
{
    return random_next(context);
}

/* The record in whose share a number falls: the first that ends after it. */
static uint64_t search(const struct drawing *d, struct uint128 number, uint64_t records)
{
    uint64_t first = 0;
    uint64_t last = records - 1;

    while (first < last) {
        uint64_t middle = first + (last - first) / 2;
        struct uint128 end = {.high = *table_u64(&d->high, middle), .low = *table_u64(&d->low, middle)};

        if (uint128_compare(end, number) > 0)
            last = middle;
        else
            first = middle + 1;
    }
    return first;
}

/* Draw numbers, sort them by their low and then by their high words, and go through the shares along with them. */
static void match(struct drawing *d, struct replacement *repeat, struct table *numbers, uint64_t count,
                  struct table *high, struct table *low, struct sort_pairs *pairs, struct sort_pairs *spare)
{
    const struct engine_space whole = engine_buffer(&d->run->engine, ENGINE_WHOLE);
    struct sort_pairs *sorted;
    struct shares shares;
    uint64_t record = 0;

    for (uint64_t i = 0; i < count; i++) {
        struct uint128 number = weight_law_draw(d->total, next_word, &d->words);

        *table_u64(high, i) = number.high;
        *table_u64(low, i) = number.low;
        *table_u64(&pairs->key, i) = number.low;
        *table_u64(&pairs->value, i) = i;
    }
    sorted = sort_by_key(pairs, spare, count);
    for (uint64_t i = 0; i < count; i++)
        *table_u64(&sorted->key, i) = *table_u64(high, *table_u64(&sorted->value, i));
    sorted = sort_by_key(sorted, sorted == pairs ? spare : pairs, count);
    pile_keys_verify(&d->piles, 0, whole.data, whole.bytes);
    open_shares(&shares, d, repeat);
    next_share(&shares);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = *table_u64(&sorted->value, i);
        struct uint128 number = {.high = *table_u64(high, place), .low = *table_u64(low, place)};

        for (; uint128_compare(shares.end, number) <= 0; record++)
            next_share(&shares);
        *table_u64(numbers, place) = record;
    }
    close_shares(&shares);
}

static void draw_weighted(void *context, struct replacement *repeat, uint64_t records, struct table *numbers,
                          uint64_t count)
{
    struct drawing *d = context;
    struct pool *pool = &d->run->engine.pool;
    struct table high = {0};
    struct table low = {0};
    struct sort_pairs pairs = {.key = {0}};
    struct sort_pairs spare = {.key = {0}};

    for (uint64_t i = 0; d->searched && i < count; i++)
        *table_u64(numbers, i) = search(d, weight_law_draw(d->total, next_word, &d->words), records);
    if (d->searched)
        return;
    if (table_take(&high, pool, count, sizeof(uint64_t)) != 0 || table_take(&low, pool, count, sizeof(uint64_t)) != 0 ||
        sort_pairs_take(&pairs, pool, count) != 0 || sort_pairs_take(&spare, pool, count) != 0)
        fault_report("memory", errno);
    match(d, repeat, numbers, count, &high, &low, &pairs, &spare);
    table_release(&high);
    table_release(&low);
    sort_pairs_release(&pairs);
    sort_pairs_release(&spare);
}

void shares_repeat(struct run *run, struct source *source, struct weight_place place, struct output *output)
{
    struct drawing d = {.run = run};
    struct replacement_draws lots = {.next = next_noted, .prepare = add_weights, .draw = draw_weighted, .context = &d};

    random_words_init(&d.words, &run->order.key, "weight");
    d.weights = weight_input_open(&run->engine, &run->format, place, source);
    piles_init(&d.piles, 1, 1, &run->engine.pool, run->engine.place);
    replacement_source(run, source, &lots, output);
    table_release(&d.high);
    table_release(&d.low);
    piles_release(&d.piles);
    weight_input_free(d.weights);
}
