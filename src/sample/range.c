#include "sample/range.h"

#include <stdlib.h>

#include "base/arithmetic.h"
#include "sample/replacement.h"

enum { NUMBER_BYTES = 24, SPARSE_BYTES = 40 }; /* of memory for each number */

/* Write number `i` of the range. */
static void write_number(struct run *run, struct transfer *transfer, const struct number_range *range, uint64_t i)
{
    uint8_t text[GENERATED_NUMBER_BYTES];

    counter_add(&run->progress->records, 1);
    output_buffer_put(&transfer->outlet, text, generated_number(range, i, text));
    output_buffer_end_unit(&transfer->outlet);
}

void range_repeated(struct run *run, const struct number_range *range, struct gnu *gnu, struct output *output)
{
    struct transfer transfer;
    struct random_words words;

    if (range->count == 0 && !range->full)
        die("no lines to repeat");
    random_words_init(&words, &run->order.key, REPLACEMENT_LABEL);
    run_begin(run, output, UINT64_MAX);
    run_transfer(&transfer, run, NULL, output);
    while (run_left(run) > 0) {
        const uint64_t number = replacement_draw(gnu, &words, range->count);

        if (run_take(run, 1) > 0)
            write_number(run, &transfer, range, number);
    }
    run_transfer_end(&transfer);
}

/* The numbers drawn are in a table with open addressing, half empty. Empty places hold the first number drawn, so a
 * search for that always finds it. */
static void draw_different(const struct run *run, uint64_t bound, uint64_t wanted, uint64_t *number)
{
    const uint64_t places = 2 * wanted;
    uint64_t *drawn = fault_allocate((size_t)places, sizeof *drawn);
    struct random_words words;

    random_words_init(&words, &run->order.key, "range");
    number[0] = random_draw(&words, bound);
    for (uint64_t i = 0; i < places; i++)
        drawn[i] = number[0];
    for (uint64_t count = 1; count < wanted;) {
        const uint64_t next = random_draw(&words, bound);
        uint64_t place = spread(next, places);

        while (drawn[place] != next && drawn[place] != number[0])
            place = spread_next(place, places);
        if (drawn[place] != next)
            drawn[place] = number[count++] = next;
    }
    free(drawn);
}

void range_different(struct run *run, const struct number_range *range, struct gnu *gnu, bool in_order,
                     struct output *output)
{
    const uint64_t wanted = run->limit, bytes = gnu != NULL ? SPARSE_BYTES : NUMBER_BYTES;
    struct transfer transfer;
    uint64_t *number;

    if (wanted > run->engine.memory.bytes / bytes)
        engine_report_memory(&run->engine, least(wanted, UINT64_MAX / 64) * bytes, "a sample of %llu numbers",
                             (unsigned long long)wanted);
    number = fault_allocate((size_t)wanted, sizeof *number);
    if (gnu != NULL)
        gnu_sparse(gnu, range->count - 1, wanted, number);
    else
        draw_different(run, range->count, wanted, number);
    if (in_order)
        qsort(number, (size_t)wanted, sizeof *number, compare_numbers);
    run_begin(run, output, UINT64_MAX);
    run_transfer(&transfer, run, NULL, output);
    for (uint64_t i = 0; i < wanted; i++)
        if (run_take(run, 1) > 0)
            write_number(run, &transfer, range, number[i]);
    run_transfer_end(&transfer);
    free(number);
}
