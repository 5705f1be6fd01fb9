/*
 * Without replacement, each record gets a key (weight_law.h), and the order is that of the keys. To have the first ones
 * in input order it is enough to know the greatest of their keys. Its first 16 bits are known at any time, by a count
 * of the keys that begin with each 16 bits. They fall as records come, so that hardly more records are stored than will
 * be written. At the end the other 48 bits are found in three passes over the keys, which are kept beside the records
 * and then tell those that stay from the others. So the memory it takes does not depend on the size of the sample.
 */

#include "sample/weighted.h"

#include <errno.h>
#include <string.h>

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

static int open_weighing(struct weighing *w, struct run *run, struct weight_place place, struct source *source)
{

    random_words_init(&w->words, &run->order.key, "weight");
    w->weights = weight_input_open(&run->engine, &run->format, place, source);
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
    transfer_init(&transfer, &run->engine, &run->format, source, NULL);
    while ((more = next_weighed(&w, &transfer.reader, &piece, &key)) > 0) {
        if (key != UINT64_MAX && key_order_put(keyed, &piece, key) != 0)
            goto out;
        counter_add(&run->progress->records, piece.last);
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

static int next_of_selection(void *context, struct record_reader *reader, struct record_piece *piece)
{
    struct selecting *s = context;

    return next_weighed(&s->weighing, reader, piece, &s->key);
}

/* May the record still be among the first ones? Then its key is kept, too. */
static int admit(void *context, uint64_t record)
{
    struct selecting *s = context;

    (void)record;
    if (s->key == UINT64_MAX || s->run->limit == 0 || s->key >> TOP_SHIFT > s->most)
        return 0;
    ++*count_of(s, s->key >> TOP_SHIFT);
    s->candidates++;
    for (; s->most > 0 && s->candidates - *count_of(s, s->most) >= s->run->limit; s->most--)
        s->candidates -= *count_of(s, s->most);
    return pile_keys_append(&s->piles, KEYS, s->key) == 0 ? 1 : -1;
}

static int store(struct selecting *s, struct source *source)
{
    const struct keep_rule candidates = {.next = next_of_selection, .admit = admit, .context = s};

    if (keep_records(s->run, source, &candidates, &s->piles, RECORDS) != 0)
        return -1;
    return weight_input_end(s->weighing.weights);
}

/* Count the digits behind `prefix`, the first digits of the keys in question, which come before bit `shift`. */
static int count_digits(struct selecting *s, uint64_t prefix, unsigned shift)
{
    uint64_t left = pile_bytes(&s->piles, KEYS) / sizeof(uint64_t);
    struct pile_keys keys;
    uint64_t key;
    int status = pile_keys_open(&keys, &s->piles, KEYS, true);

    for (uint64_t digit = 0; digit < DIGITS; digit++)
        *count_of(s, digit) = 0;
    for (; left > 0 && status == 0; left--) {
        status = pile_keys_next(&keys, &key);
        if (status == 0 && key >> shift >> DIGIT_BITS == prefix)
            ++*count_of(s, key >> shift & (DIGITS - 1));
    }
    pile_keys_close(&keys);
    return status;
}

/* Find the greatest of the first ones' keys, digit by digit. */
static int find_greatest(struct selecting *s)
{
    unsigned shift = TOP_SHIFT;
    uint64_t digit;

    s->greatest = ((s->most + 1) << TOP_SHIFT) - 1;
    s->equal = s->run->limit;
    if (s->candidates <= s->run->limit)
        return 0;
    for (s->greatest = 0;; shift -= DIGIT_BITS) {
        for (digit = 0; s->equal > *count_of(s, digit); digit++)
            s->equal -= *count_of(s, digit);
        s->greatest = s->greatest << DIGIT_BITS | digit;
        if (shift == 0)
            return 0;
        if (count_digits(s, s->greatest, shift - DIGIT_BITS) != 0)
            return -1;
    }
}

/* Write the stored records whose keys are among the least. */
static int write_selected(struct selecting *s, struct source *source, struct pile_keys *keys, struct output *output)
{
    counter *const written = &s->run->progress->written;
    struct transfer transfer;
    struct record_piece piece;
    uint64_t key = 0;
    bool stays = false;
    int more;

    if (run_begin(s->run, output, s->candidates) != 0)
        return -1;
    transfer_init(&transfer, &s->run->engine, &s->run->format, source, output);
    while ((more = record_reader_next(&transfer.reader, &piece)) > 0) {
        if (piece.first) {
            if (pile_keys_next(keys, &key) != 0)
                return -1;
            stays = key < s->greatest || (key == s->greatest && s->equal > 0);
            s->equal -= stays && key == s->greatest;
        }
        if (stays && output_buffer_put(&transfer.outlet, piece.data, piece.bytes) != 0)
            return -1;
        counter_add(written, stays && piece.last);
    }
    return more == 0 ? transfer_end(&transfer) : -1;
}

static int open_count(struct selecting *s)
{
    if (table_take(&s->count, &s->run->engine.pool, DIGITS, sizeof(uint64_t)) != 0)
        return fault_report("memory", errno);
    for (uint64_t digit = 0; digit < DIGITS; digit++)
        *count_of(s, digit) = 0;
    s->most = DIGITS - 1;
    return 0;
}

int weighted_select(struct run *run, struct source *source, struct weight_place place, struct output *output)
{
    const struct engine_space whole = engine_buffer(&run->engine, ENGINE_WHOLE);
    struct selecting s = {.run = run};
    struct source *stored = NULL;
    struct pile_keys keys = {.source = NULL};
    int status = -1;

    if (open_weighing(&s.weighing, run, place, source) != 0 || open_count(&s) != 0 ||
        piles_init(&s.piles, PILES, 1, &run->engine.pool, run->engine.place) != 0 || store(&s, source) != 0 ||
        pile_source_verify(&s.piles, RECORDS, &run->format, whole.data, whole.bytes) != 0 ||
        pile_keys_verify(&s.piles, KEYS, whole.data, whole.bytes) != 0 || find_greatest(&s) != 0)
        goto out;
    stored = pile_source(&s.piles, RECORDS, false);
    if (stored != NULL && pile_keys_open(&keys, &s.piles, KEYS, false) == 0)
        status = write_selected(&s, stored, &keys, output);

out:
    pile_keys_close(&keys);
    source_free(stored);
    table_release(&s.count);
    piles_release(&s.piles);
    weight_input_free(s.weighing.weights);
    return status;
}
