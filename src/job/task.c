/* Words of the command line are kept with NUL behind each, which is in none of them, and get their delimiter when they
 * are written; records that start with a string are kept as record.h says. */

#include "job/task.h"

/* Of more numbers than this, a sample of up to half of them is drawn number by number. Fixed, as part of the order. */
static const uint64_t RANGE_DRAWN_FROM = (uint64_t)1 << 27;

/* From GNU's generator a sample is drawn so if it is a small part of the range: then it is quicker. */
enum { GNU_DRAWN_SHARE = 8 };

struct record_format task_format(const struct options *options)
{
    struct record_format format = options->format;

    if (options->echo)
        format.delimiter = '\0';
    return format;
}

struct source_layout task_layout(const struct options *options)
{
    return (struct source_layout){
        .format = task_format(options), .header_bytes = options->header_bytes, .header_lines = options->header_lines};
}

struct number_range task_range(const struct options *options)
{
    return (struct number_range){.first = options->range_first,
                                 .count = options->range_count,
                                 .full = options->range_full,
                                 .delimiter = options->delimiter};
}

struct output_plan task_output(const struct options *options, struct spill_place *place)
{
    struct output_plan plan = {
        .path = options->output,
        .split = options->split,
        .splits = options->splits,
        .shards = options->shards,
        .shard_records = options->shard_records,
        .shard_bytes = options->shard_bytes,
        .filter = options->filter,
        .filters = options->parallel,
        .format = task_format(options),
        .place = place,
    };

    plan.framing.translates = options->echo;
    plan.framing.to = options->delimiter;
    if (options->format.starts) {
        plan.framing.start = options->format.string + 1;
        plan.framing.start_bytes = options->format.string_bytes - 1;
    }
    return plan;
}

bool task_is_empty(const struct options *options)
{
    return options->count == 0 && options->header_lines == 0 && options->header_bytes == 0;
}

static bool is_weighted(const struct options *options)
{
    return options->weights != NULL || options->weight_field > 0;
}

bool task_is_plain(const struct options *options)
{
    return options->count == 0 || (!options->repeat && !options->keep_order && options->probability == NULL &&
                                   !is_weighted(options) && options->random_source == NULL);
}

bool task_is_drawn(const struct options *options)
{
    uint64_t count = options->range_full ? UINT64_MAX : options->range_count;

    if (!options->range || is_weighted(options))
        return false;
    if (options->repeat)
        return true;
    if (options->random_source != NULL)
        return options->count <= count / GNU_DRAWN_SHARE;
    return !options->keep_order && options->probability == NULL && count > RANGE_DRAWN_FROM &&
           options->count <= count / 2;
}

/* The smallest numbers of a range are the shortest. */
static uint64_t range_output_bytes(const struct options *options)
{
    struct number_range range = task_range(options);
    uint8_t text[GENERATED_NUMBER_BYTES];
    uint64_t shortest = generated_number(&range, 0, text);

    if (options->repeat)
        return options->count <= UINT64_MAX / shortest ? options->count * shortest : UINT64_MAX;
    if (range.full ? options->count < UINT64_MAX : options->count < range.count) {
        range.count = options->count;
        range.full = false;
    }
    return generated_range_bytes(&range);
}

uint64_t task_output_bytes(const struct options *options, uint64_t known_bytes)
{
    if (task_is_endless(options) || options->probability != NULL || is_weighted(options))
        return 0; /* which leave out records, even all of them, by chance or by weight */
    if (options->range)
        return options->range_full || options->range_count > 0 ? range_output_bytes(options) : 0;
    return options->repeat || options->count < UINT64_MAX ? 0 : known_bytes;
}

bool task_is_endless(const struct options *options)
{
    return options->repeat && options->count == UINT64_MAX;
}
