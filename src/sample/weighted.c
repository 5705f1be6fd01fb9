/*
 * Without replacement, each record gets a key (weight_law.h), and the order is that of the keys. To have the first ones
 * in input order it is enough to know the greatest of their keys: it falls as records come, so that hardly more records
 * are stored than will be written, and those that stay are told from the others at the end, by keys kept beside them.
 *
 * With replacement, a number below the sum of all weights names the record within whose share it falls. The shares'
 * ends are searched where they fit into memory; otherwise some millions of numbers are drawn, sorted, and matched with
 * the weights in one pass over them.
 */

#include "sample/weighted.h"

#include <errno.h>
#include <string.h>

#include "sample/key_order.h"
#include "sample/replacement.h"
#include "sample/weight_law.h"
#include "shuffle/pile_keys.h"
#include "shuffle/transfer.h"
#include "system/sort.h"

/* The keys of the records of a source, one after another. */
struct weighing {
    struct weight_input *weights;
    struct random_words words;
};

static int open_weighing(struct weighing *w, struct run *run, struct weight_place place, struct source *source)
{

    random_words_init(&w->words, &run->order.key, "weight");
    w->weights = weight_input_open(run, place, source);
    return w->weights == NULL ? -1 : 0;
}

/* The next piece, as weight_input_next has it; *key is set with the first of a record, to UINT64_MAX if that has no
 * weight.
 */
static int next_weighed(struct weighing *w, struct record_reader *reader, struct record_piece *piece, uint64_t *key)
{
    struct decimal weight;
    int more = weight_input_next(w->weights, reader, piece, &weight);

    if (more > 0 && piece->first) {
        uint64_t word = random_next(&w->words);

        *key = weight.mantissa == 0 ? UINT64_MAX : weight_law_key(word, weight);
    }
    return more;
}

int weighted_order(struct run *run, struct source *source, struct weight_place place, struct output *output)
{
    struct weighing w;
    struct key_order *keyed = NULL;
    struct transfer transfer;
    struct record_piece piece;
    uint64_t key = UINT64_MAX;
    int status = -1;
    int more;

    if (open_weighing(&w, run, place, source) != 0)
        return -1;
    keyed = key_order_open(run);
    if (keyed == NULL)
        goto out;
    transfer_init(&transfer, run, source, NULL);
    while ((more = next_weighed(&w, &transfer.reader, &piece, &key)) > 0) {
        if (key != UINT64_MAX && key_order_put(keyed, &piece, key) != 0)
            goto out;
        run->records += piece.last;
    }
    if (more == 0 && weight_input_end(w.weights) == 0)
        status = key_order_write(keyed, output);

out:
    key_order_free(keyed);
    weight_input_free(w.weights);
    return status;
}

/* ---- The first ones, in input order ---- */

enum { RECORDS, KEYS, PILES };

/* The heap may take this part of the memory, and so may each table of shares. */
enum { HEAP_SHARE = 4, TABLES_SHARE = 4 };

struct selecting {
    struct run *run;
    struct piles piles;
    struct table heap; /* of the least keys so far, the greatest on top */
    uint64_t room;
    uint64_t count;
};

static uint64_t heap_at(const struct selecting *s, uint64_t i)
{
    return *table_u64(&s->heap, i);
}

static void sift_up(struct selecting *s, uint64_t i, uint64_t key)
{
    for (; i > 0 && heap_at(s, (i - 1) / 2) < key; i = (i - 1) / 2)
        *table_u64(&s->heap, i) = heap_at(s, (i - 1) / 2);
    *table_u64(&s->heap, i) = key;
}

/* Put a key in the place of the greatest one. */
static void sift_down(struct selecting *s, uint64_t key)
{
    uint64_t i = 0;

    for (uint64_t child = 1; child < s->count; i = child, child = 2 * i + 1) {
        if (child + 1 < s->count && heap_at(s, child + 1) > heap_at(s, child))
            child++;
        if (heap_at(s, child) <= key)
            break;
        *table_u64(&s->heap, i) = heap_at(s, child);
    }
    *table_u64(&s->heap, i) = key;
}

/* May the record still be among the first ones? If so, make it one of them. 1, 0, or -1 after a report. */
static int admit(struct selecting *s, uint64_t key)
{
    if (key == UINT64_MAX || s->run->left == 0)
        return 0;
    if (s->count == s->run->left) {
        if (key >= heap_at(s, 0))
            return 0;
        sift_down(s, key);
        return 1;
    }
    if (s->count == s->room)
        return fault_say(s->run->fault, "the keys of more than %llu records need more memory: use a larger -S",
                         (unsigned long long)s->room);
    sift_up(s, s->count++, key);
    return 1;
}

static int select_stored(struct selecting *s, struct weighing *w, struct source *source)
{
    struct transfer transfer;
    struct record_piece piece;
    uint64_t key = 0;
    int stays = 0;
    int more;

    transfer_init(&transfer, s->run, source, NULL);
    while ((more = next_weighed(w, &transfer.reader, &piece, &key)) > 0) {
        if (piece.first)
            stays = admit(s, key);
        if (stays < 0 || (stays > 0 && pile_append(&s->piles, RECORDS, piece.data, piece.bytes) != 0))
            return -1;
        if (piece.first && stays > 0 && pile_keys_append(&s->piles, KEYS, key) != 0)
            return -1;
        s->piles.pile[RECORDS].records += piece.last && stays > 0;
        s->run->records += piece.last;
    }
    piles_seal(&s->piles);
    s->run->scattered_seconds = run_seconds();
    return more == 0 ? weight_input_end(w->weights) : -1;
}

/* Write the stored records whose keys are among the least; of those with the greatest of these, as many as there are in
 * the heap, the first ones. */
static int write_selected(struct selecting *s, struct source *source, struct pile_keys *keys, struct output *output)
{
    struct transfer transfer;
    struct record_piece piece;
    uint64_t greatest = s->count > 0 ? heap_at(s, 0) : 0;
    uint64_t equal = 0;
    uint64_t key = 0;
    bool stays = false;
    int more;

    for (uint64_t i = 0; i < s->count; i++)
        equal += heap_at(s, i) == greatest;
    if (run_begin(s->run, output, s->count) != 0)
        return -1;
    transfer_init(&transfer, s->run, source, output);
    while ((more = record_reader_next(&transfer.reader, &piece)) > 0) {
        if (piece.first) {
            if (pile_keys_next(keys, &key) != 0)
                return -1;
            stays = key < greatest || (key == greatest && equal > 0);
            equal -= stays && key == greatest;
        }
        if (stays && output_buffer_put(&transfer.outlet, piece.data, piece.bytes) != 0)
            return -1;
    }
    return more == 0 ? transfer_end(&transfer) : -1;
}

static int open_heap(struct selecting *s)
{
    struct pool *pool = &s->run->pool;
    uint64_t wanted = s->run->left < UINT64_MAX / 16 ? s->run->left : UINT64_MAX / 16;
    uint64_t blocks = pool_blocks_for(pool, wanted * sizeof(uint64_t));

    if (blocks > pool->blocks / HEAP_SHARE)
        blocks = pool->blocks / HEAP_SHARE;
    s->room = (blocks << pool->block_shift) / sizeof(uint64_t);
    if (table_take(&s->heap, pool, s->room, sizeof(uint64_t)) != 0)
        return fault_report(s->run->fault, "memory", errno);
    return 0;
}

int weighted_select(struct run *run, struct source *source, struct weight_place place, struct output *output)
{
    struct selecting s = {.run = run};
    struct weighing w = {.weights = NULL};
    struct source *stored = NULL;
    struct pile_keys keys = {.source = NULL};
    int status = -1;

    if (open_weighing(&w, run, place, source) != 0 || open_heap(&s) != 0 ||
        piles_init(&s.piles, PILES, 1, &run->pool, run->place) != 0 || select_stored(&s, &w, source) != 0 ||
        pile_verify(&s.piles, RECORDS, &run->format, run->buffer, run->memory.buffer_bytes) != 0 ||
        pile_keys_verify(&s.piles, KEYS, run->buffer, run->memory.buffer_bytes) != 0)
        goto out;
    stored = pile_source(&s.piles, RECORDS, false);
    if (stored == NULL)
        fault_report(run->fault, "memory", errno);
    else if (pile_keys_open(&keys, &s.piles, KEYS, run->fault) == 0)
        status = write_selected(&s, stored, &keys, output);

out:
    pile_keys_close(&keys);
    source_free(stored);
    table_release(&s.heap);
    piles_release(&s.piles);
    weight_input_free(w.weights);
    return status;
}

/* ---- With replacement ---- */

/* All weights, in the order of the records, as pairs of numbers: mantissa, exponent. */
struct drawing {
    struct run *run;
    struct weight_input *weights;
    struct random_words words;
    struct piles piles; /* one */
    int top_exponent;
    bool any; /* weight above zero */
    struct uint128 total;
    bool searched; /* are the shares' ends in the tables? */
    struct table high;
    struct table low;
};

static int next_noted(void *context, struct record_reader *reader, struct record_piece *piece)
{
    struct drawing *d = context;
    struct decimal weight;
    int more = weight_input_next(d->weights, reader, piece, &weight);

    if (more <= 0 || !piece->first)
        return more;
    if (weight.mantissa > 0 && (!d->any || weight.exponent > d->top_exponent)) {
        d->top_exponent = weight.exponent;
        d->any = true;
    }
    if (pile_keys_append(&d->piles, 0, weight.mantissa) != 0 ||
        pile_keys_append(&d->piles, 0, (uint64_t)(int64_t)weight.exponent) != 0)
        return -1;
    return more;
}

/* Walks over the shares: each record's ends where the next one's begins. */
struct shares {
    const struct drawing *drawing;
    struct pile_keys keys;
    struct uint128 end;
};

static int open_shares(struct shares *shares, struct drawing *d)
{
    *shares = (struct shares){.drawing = d};
    return pile_keys_open(&shares->keys, &d->piles, 0, d->run->fault);
}

static int next_share(struct shares *shares)
{
    struct decimal weight;
    uint64_t exponent;

    if (pile_keys_next(&shares->keys, &weight.mantissa) != 0 || pile_keys_next(&shares->keys, &exponent) != 0)
        return -1;
    weight.exponent = (int)(int64_t)exponent;
    if (weight.mantissa > 0)
        shares->end = uint128_add(shares->end, weight_law_scale(weight, shares->drawing->top_exponent));
    return 0;
}

static bool take_tables(struct drawing *d, uint64_t records)
{
    struct pool *pool = &d->run->pool;

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
static int add_weights(void *context, uint64_t records, bool *at_random)
{
    struct drawing *d = context;
    struct shares shares;
    int status = weight_input_end(d->weights);

    piles_seal(&d->piles);
    if (status == 0 && !d->any)
        status = fault_say(d->run->fault, "no lines of a weight above zero to repeat");
    d->searched = take_tables(d, records);
    *at_random = d->searched;
    if (status != 0 || open_shares(&shares, d) != 0)
        return -1;
    for (uint64_t i = 0; i < records && status == 0; i++) {
        status = next_share(&shares);
        if (d->searched) {
            *table_u64(&d->high, i) = shares.end.high;
            *table_u64(&d->low, i) = shares.end.low;
        }
    }
    d->total = shares.end;
    pile_keys_close(&shares.keys);
    if (d->searched)
        pile_clear(&d->piles, 0);
    else if (status == 0)
        status = pile_flush(&d->piles, 0);
    return status;
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
static int match(struct drawing *d, struct table *numbers, uint64_t count, struct table *high, struct table *low,
                 struct sort_pairs *pairs, struct sort_pairs *spare)
{
    struct sort_pairs *sorted;
    struct shares shares;
    uint64_t record = 0;
    int status = 0;

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
    if (pile_keys_verify(&d->piles, 0, d->run->buffer, d->run->memory.buffer_bytes) != 0)
        return -1;
    if (open_shares(&shares, d) != 0 || next_share(&shares) != 0)
        status = -1;
    for (uint64_t i = 0; i < count && status == 0; i++) {
        uint64_t place = *table_u64(&sorted->value, i);
        struct uint128 number = {.high = *table_u64(high, place), .low = *table_u64(low, place)};

        for (; status == 0 && uint128_compare(shares.end, number) <= 0; record++)
            status = next_share(&shares);
        *table_u64(numbers, place) = record;
    }
    pile_keys_close(&shares.keys);
    return status;
}

static int draw_weighted(void *context, uint64_t records, struct table *numbers, uint64_t count)
{
    struct drawing *d = context;
    struct pool *pool = &d->run->pool;
    struct table high = {0};
    struct table low = {0};
    struct sort_pairs pairs = {.key = {0}};
    struct sort_pairs spare = {.key = {0}};
    int status = -1;

    for (uint64_t i = 0; d->searched && i < count; i++)
        *table_u64(numbers, i) = search(d, weight_law_draw(d->total, next_word, &d->words), records);
    if (d->searched)
        return 0;
    if (table_take(&high, pool, count, sizeof(uint64_t)) != 0 || table_take(&low, pool, count, sizeof(uint64_t)) != 0 ||
        sort_pairs_take(&pairs, pool, count) != 0 || sort_pairs_take(&spare, pool, count) != 0)
        fault_report(d->run->fault, "memory", errno);
    else
        status = match(d, numbers, count, &high, &low, &pairs, &spare);
    table_release(&high);
    table_release(&low);
    sort_pairs_release(&pairs);
    sort_pairs_release(&spare);
    return status;
}

int weighted_repeat(struct run *run, struct source *source, struct weight_place place, struct output *output)
{
    struct drawing d = {.run = run};
    struct replacement_draws lots = {.next = next_noted, .prepare = add_weights, .draw = draw_weighted, .context = &d};
    int status = -1;

    random_words_init(&d.words, &run->order.key, "weight");
    d.weights = weight_input_open(run, place, source);
    if (d.weights != NULL && piles_init(&d.piles, 1, 1, &run->pool, run->place) == 0)
        status = replacement_source(run, source, &lots, output);
    table_release(&d.high);
    table_release(&d.low);
    piles_release(&d.piles);
    weight_input_free(d.weights);
    return status;
}
