/*
 * Without replacement, each record gets a key (weight_law.h), and the order is that of the keys. To have the first ones
 * in input order it is enough to know the greatest of their keys. Its first 16 bits are known at any time, by a count
 * of the keys that begin with each 16 bits. They fall as records come, so that hardly more records are stored than will
 * be written. At the end the other 48 bits are found in three passes over the keys, which are kept beside the records
 * and then tell those that stay from the others. So the memory it takes does not depend on the size of the sample.
 */

#include "sample/weighted.h"

#include <errno.h>

#include "sample/keep.h"
#include "sample/key_order.h"
#include "sample/weight_law.h"
#include "shuffle/pile_keys.h"
#include "shuffle/pile_source.h"
#include "shuffle/transfer.h"

/* The keys of the records of a source, one after another. */
struct weighing {
    struct weight_input *weights;
    struct random_words words;
};

static void open_weighing(struct weighing *w, struct run *run, struct weight_place place, struct source *source)
{
    random_words_init(&w->words, &run->order.key, "weight");
    w->weights = weight_input_open(&run->engine, &run->format, place, source);
}

/* The next piece, as weight_input_next has it; *key is set with the first of a record, to UINT64_MAX if that has no
 * weight. */
static bool next_weighed(struct weighing *w, struct record_reader *reader, struct record_piece *piece, uint64_t *key)
{
    struct decimal weight;

    if (!weight_input_next(w->weights, reader, piece, &weight))
        return false;
    if (piece->first)
        *key = weight_law_key(random_next(&w->words), weight);
    return true;
}

void weighted_order(struct run *run, struct source *source, struct weight_place place, struct output *output)
{
    struct weighing w;
    struct key_order *keyed;
    struct transfer transfer;
    struct record_piece piece;
    uint64_t key = UINT64_MAX;

    open_weighing(&w, run, place, source);
    keyed = key_order_open(run);
    transfer_init(&transfer, &run->engine, &run->format, source, NULL);
    while (next_weighed(&w, &transfer.reader, &piece, &key)) {
        if (key != UINT64_MAX)
            key_order_put(keyed, &piece, key);
        counter_add(&run->progress->records, piece.last);
    }
    weight_input_end(w.weights);
    key_order_write(keyed, output);
    key_order_free(keyed);
    weight_input_free(w.weights);
}

/* ---- The first ones, in input order ---- */

enum { RECORDS, KEYS, PILES };

/* A key is four digits. */
enum { DIGIT_BITS = 16, DIGITS = 1 << DIGIT_BITS, TOP_SHIFT = 64 - DIGIT_BITS };

struct selecting {
    struct run *run;
    struct weighing weighing;
    uint64_t key; /* of the record that comes */
    struct piles piles;
    struct table count; /* of the keys with each digit at the place in question, 8 bytes */
    uint64_t most;      /* first digit of keys that may be among the first ones */
    uint64_t candidates;
    uint64_t greatest; /* of the first ones' keys */
    uint64_t equal;    /* so many of the first ones have it, those that come first in the input */
};

static uint64_t *count_of(const struct selecting *s, uint64_t digit)
{
    return table_u64(&s->count, digit);
}

static bool next_of_selection(void *context, struct record_reader *reader, struct record_piece *piece)
{
    struct selecting *s = context;

    return next_weighed(&s->weighing, reader, piece, &s->key);
}

/* May the record still be among the first ones? Then its key is kept, too. */
static bool admit(void *context, uint64_t record)
{
    struct selecting *s = context;

    (void)record;
    if (s->key == UINT64_MAX || s->run->limit == 0 || s->key >> TOP_SHIFT > s->most)
        return false;
    ++*count_of(s, s->key >> TOP_SHIFT);
    s->candidates++;
    for (; s->most > 0 && s->candidates - *count_of(s, s->most) >= s->run->limit; s->most--)
        s->candidates -= *count_of(s, s->most);
    pile_keys_append(&s->piles, KEYS, s->key);
    return true;
}

static void store(struct selecting *s, struct source *source)
{
    const struct keep_rule candidates = {.next = next_of_selection, .admit = admit, .context = s};

    keep_records(s->run, source, &candidates, &s->piles, RECORDS);
    weight_input_end(s->weighing.weights);
}

/* Count the digits behind `prefix`, the first digits of the keys in question, which come before bit `shift`. */
static void count_digits(struct selecting *s, uint64_t prefix, unsigned shift)
{
    struct pile_keys keys;
    uint64_t key;

    for (uint64_t digit = 0; digit < DIGITS; digit++)
        *count_of(s, digit) = 0;
    pile_keys_open(&keys, &s->piles, KEYS, true);
    for (uint64_t left = pile_bytes(&s->piles, KEYS) / sizeof key; left > 0; left--) {
        key = pile_keys_next(&keys);
        if (key >> shift >> DIGIT_BITS == prefix)
            ++*count_of(s, key >> shift & (DIGITS - 1));
    }
    pile_keys_close(&keys);
}

/* Find the greatest of the first ones' keys, digit by digit. */
static void find_greatest(struct selecting *s)
{
    unsigned shift = TOP_SHIFT;
    uint64_t digit;

    s->greatest = ((s->most + 1) << TOP_SHIFT) - 1;
    s->equal = s->run->limit;
    if (s->candidates <= s->run->limit)
        return;
    for (s->greatest = 0;; shift -= DIGIT_BITS) {
        for (digit = 0; s->equal > *count_of(s, digit); digit++)
            s->equal -= *count_of(s, digit);
        s->greatest = s->greatest << DIGIT_BITS | digit;
        if (shift == 0)
            return;
        count_digits(s, s->greatest, shift - DIGIT_BITS);
    }
}

/* Write the stored records whose keys are among the least. */
static void write_selected(struct selecting *s, struct source *source, struct pile_keys *keys, struct output *output)
{
    counter *const written = &s->run->progress->written;
    struct transfer transfer;
    struct record_piece piece;
    uint64_t key = 0;
    bool stays = false;

    run_begin(s->run, output, s->candidates);
    transfer_init(&transfer, &s->run->engine, &s->run->format, source, output);
    while (record_reader_next(&transfer.reader, &piece)) {
        if (piece.first) {
            key = pile_keys_next(keys);
            stays = key < s->greatest || (key == s->greatest && s->equal > 0);
            s->equal -= stays && key == s->greatest;
        }
        if (stays)
            output_buffer_put(&transfer.outlet, piece.data, piece.bytes);
        counter_add(written, stays && piece.last);
    }
    transfer_end(&transfer);
}

static void open_count(struct selecting *s)
{
    if (table_take(&s->count, &s->run->engine.pool, DIGITS, sizeof(uint64_t)) != 0)
        fault_report("memory", errno);
    for (uint64_t digit = 0; digit < DIGITS; digit++)
        *count_of(s, digit) = 0;
    s->most = DIGITS - 1;
}

void weighted_select(struct run *run, struct source *source, struct weight_place place, struct output *output)
{
    const struct engine_space whole = engine_buffer(&run->engine, ENGINE_WHOLE);
    struct selecting s = {.run = run};
    struct source *stored;
    struct pile_keys keys;

    open_weighing(&s.weighing, run, place, source);
    open_count(&s);
    piles_init(&s.piles, PILES, 1, &run->engine.pool, run->engine.place);
    store(&s, source);
    pile_source_verify(&s.piles, RECORDS, &run->format, whole.data, whole.bytes);
    pile_keys_verify(&s.piles, KEYS, whole.data, whole.bytes);
    find_greatest(&s);
    stored = pile_source(&s.piles, RECORDS, false);
    pile_keys_open(&keys, &s.piles, KEYS, false);
    write_selected(&s, stored, &keys, output);
    pile_keys_close(&keys);
    source_free(stored);
    table_release(&s.count);
    piles_release(&s.piles);
    weight_input_free(s.weighing.weights);
}
