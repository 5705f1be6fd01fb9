/* The set of numbers that were drawn is a table with open addressing, at least half empty. A place holds a number's
 * bits inverted, so that a zero is no number but the last of 2^64, which is remembered by itself. */

#include "sample/range.h"

#include "base/arithmetic.h"
#include "system/sort.h"

void range_put(struct run *run, struct transfer *transfer, const struct number_range *range, uint64_t i)
{
    uint8_t text[GENERATED_NUMBER_BYTES];

    counter_add(&run->progress->records, 1);
    output_buffer_put(&transfer->outlet, text, generated_number(range, i, text));
}

void range_repeated(struct run *run, const struct number_range *range, struct output *output)
{
    struct transfer transfer;
    struct random_words words;

    if (range->count == 0 && !range->full)
        fault_say("no lines to repeat");
    random_words_init(&words, &run->order.key, "repeat");
    run_begin(run, output, UINT64_MAX);
    transfer_init(&transfer, &run->engine, &run->format, NULL, output);
    while (run_take(run, 1) > 0)
        range_put(run, &transfer, range, random_draw(&words, range->count));
    transfer_end(&transfer);
}

struct set {
    struct table table;
    uint64_t places;
    bool has_last; /* the number whose inverse is 0 */
};

/* False if the number was in the set already. */
static bool add(struct set *set, uint64_t number)
{
    uint64_t entry = ~number;
    uint64_t place = spread(number, set->places);

    if (entry == 0) {
        bool added = !set->has_last;

        set->has_last = true;
        return added;
    }
    for (; *table_u64(&set->table, place) != 0; place = spread_next(place, set->places))
        if (*table_u64(&set->table, place) == entry)
            return false;
    *table_u64(&set->table, place) = entry;
    return true;
}

static void open_set(struct run *run, struct set *set, uint64_t numbers)
{
    uint64_t places = 2;

    while (places / 2 < numbers && places < UINT64_MAX / 64)
        places *= 2;
    if (table_take(&set->table, &run->engine.pool, places, sizeof(uint64_t)) != 0)
        engine_report_memory(&run->engine, places * sizeof(uint64_t), "a sample of %llu numbers",
                             (unsigned long long)numbers);
    for (uint64_t i = 0; i < places; i++)
        *table_u64(&set->table, i) = 0;
    set->places = places;
}

/* What a sample is drawn with and written to. */
struct sample {
    struct run *run;
    const struct number_range *range;
    struct random_words words;
    struct set set;
    struct transfer transfer;
};

static void write_as_drawn(struct sample *s)
{
    while (run_left(s->run) > 0) {
        uint64_t i = random_draw(&s->words, s->range->count);

        if (add(&s->set, i) && run_take(s->run, 1) > 0)
            range_put(s->run, &s->transfer, s->range, i);
    }
}

/* Put the numbers of the set to the front of its table. Returns how many they are; there is room for one more. */
static uint64_t list(struct set *set)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < set->places; i++) {
        const uint64_t entry = *table_u64(&set->table, i);

        if (entry != 0)
            *table_u64(&set->table, count++) = ~entry;
    }
    if (set->has_last)
        *table_u64(&set->table, count++) = UINT64_MAX;
    return count;
}

static void write_in_order(struct sample *s)
{
    for (uint64_t drawn = 0; drawn < s->run->limit;)
        drawn += add(&s->set, random_draw(&s->words, s->range->count));
    sort_numbers(&s->set.table, list(&s->set));
    for (uint64_t i = 0; run_left(s->run) > 0; i++) {
        range_put(s->run, &s->transfer, s->range, *table_u64(&s->set.table, i));
        run_take(s->run, 1);
    }
}

void range_different(struct run *run, const struct number_range *range, bool in_order, struct output *output)
{
    struct sample s = {.run = run, .range = range};

    open_set(run, &s.set, run->limit);
    random_words_init(&s.words, &run->order.key, "range");
    run_begin(run, output, UINT64_MAX);
    transfer_init(&s.transfer, &run->engine, &run->format, NULL, output);
    if (in_order)
        write_in_order(&s);
    else
        write_as_drawn(&s);
    table_release(&s.set.table);
    transfer_end(&s.transfer);
}
