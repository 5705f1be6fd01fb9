#include "job/task.h"

#include "sample/range.h"

/* With --random-source the sample is the same either way: one of up to 1/GNU_DRAWN_SHARE of the range is drawn number
 * by number since that is faster. */
enum { GNU_DRAWN_SHARE = 8 };

bool task_is_weighted(const struct options *options)
{
    return options->weights != NULL || options->weight_field.kind != FIELD_NONE;
}

bool task_is_keyed(const struct options *options)
{
    return options->unique || options->order_key.count > 0;
}

/* Is the sample a part of its range that is small enough to be drawn number by number? */
static bool is_sparse(const struct options *options)
{
    uint64_t numbers = options->numbers.full ? UINT64_MAX : options->numbers.count;

    if (options->random_source != NULL)
        return options->count <= numbers / GNU_DRAWN_SHARE;
    return numbers > RANGE_DRAWN_FROM && options->count <= numbers / 2;
}

enum task task_of(const struct options *options)
{
    if (options->sweep != NULL)
        return TASK_SWEEP;
    if (options->list != NULL)
        return TASK_LIST;
    if (options->scatter != NULL)
        return TASK_ADD_BATCH;
    if (options->gather != NULL)
        return TASK_GATHER;
    if (options->requests)
        return TASK_REQUESTS;
    if (options->count == 0) /* a header must be read and written; expected records must be counted */
        return header_is_none(&options->header) && options->expected_records == UINT64_MAX && !options->plan.each
                   ? TASK_NOTHING
                   : TASK_SHUFFLE;
    if (task_is_weighted(options) && options->repeat)
        return TASK_WEIGHTED_REPEAT;
    if (task_is_weighted(options))
        return TASK_WEIGHTED;
    if (options->probability != NULL)
        return TASK_PROBABILITY;
    if (options->keep_order)
        return options->range && is_sparse(options) ? TASK_RANGE : TASK_KEEP_ORDER;
    if (options->repeat)
        return options->range ? TASK_RANGE_REPEAT : TASK_REPEAT;
    if (options->range && is_sparse(options))
        return TASK_RANGE;
    if (options->random_source != NULL)
        return options->count == UINT64_MAX || options->echo || options->range ? TASK_GNU : TASK_GNU_SAMPLE;
    return TASK_SHUFFLE;
}

struct field_place task_field(const struct options *options, struct field_choice *choice)
{
    const bool csv = record_is(&options->format, RECORD_QUOTED);
    const struct quotes_rule quotes = options->format.quotes;
    const uint8_t usual = quotes.separated ? quotes.separator : csv ? ',' : '\t'; /* a store's, if it has one */

    return (struct field_place){.choice = choice->kind != FIELD_NONE ? choice : NULL,
                                .separator = options->separator_given ? options->field_separator : usual,
                                .quoted = csv,
                                .quotes = quotes};
}

struct key_rule task_key(const struct options *options, struct key_choice *choice)
{
    struct field_choice none = {.kind = FIELD_NONE};

    return (struct key_rule){
        .format = options->format, .place = task_field(options, &none), .choice = choice->count > 0 ? choice : NULL};
}
