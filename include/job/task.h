#pragma once

/* What the options mean: pure functions of them. */

#include <stdbool.h>

#include "command/options.h"
#include "record/key.h"

/* What a job is. Tasks that write records write at most -n of them. Tasks before TASK_SHUFFLE open what they need; for
 * the others, job.c opens input, output and memory before, and completes the output afterwards. From TASK_RANGE on
 * there is no input. */
enum task {
    TASK_ADD_BATCH, /* scatter the records to the piles of a store */
    TASK_SWEEP,     /* remove what others left unfinished in a store */
    TASK_GATHER,    /* write the records of a store in random order */
    TASK_LIST,      /* print what is in a store */
    TASK_REQUESTS,  /* answer requests on standard input */
    TASK_NOTHING,   /* no records are wanted, so no input is opened */

    TASK_SHUFFLE,     /* write the records in the order of the seed */
    TASK_KEEP_ORDER,  /* write the first records of that order, in the order of the input */
    TASK_PROBABILITY, /* write each record with a probability, in the order of the input */
    TASK_REPEAT,      /* draw with replacement, by the seed or by --random-source */

    TASK_WEIGHTED, /* draw in proportion to weights, without replacement */
    TASK_WEIGHTED_REPEAT,

    TASK_GNU,        /* write the records in the order of GNU shuf with the same --random-source */
    TASK_GNU_SAMPLE, /* the same with -n: GNU shuf samples differently if the input may be large */

    /* Draw numbers of -i one by one, without making the other numbers. */
    TASK_RANGE, /* all different */
    TASK_RANGE_REPEAT,
};

enum task task_of(const struct options *options);

/* Do weights decide whether a record is written? */
bool task_is_weighted(const struct options *options);

bool task_is_keyed(const struct options *options); /* do keys say the order? */

/* The place of a field, or of a key, of the options in records; without a choice if the option is not given. */
struct field_place task_field(const struct options *options, struct field_choice *choice);
struct key_rule task_key(const struct options *options, struct key_choice *choice);
