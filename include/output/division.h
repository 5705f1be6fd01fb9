#pragma once

/*
 * How units (outlet.h) are divided among files. A plan has one division, by its `rest_by`; with splits it also has one
 * by its `split_by`, which comes first and leaves it the other units. Where a unit goes depends on the units alone,
 * not on the pieces in which they come. output.c asks, unit by unit, and writes; each way to divide is a row:
 * in_turn.c, by_key.c.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/outlet.h"
#include "output/plan.h"

struct files;

struct division {
    const struct division_kind *kind; /* NULL: there are no splits */
    const struct output_plan *plan;
    const struct files *files;
    size_t first;   /* number in `files` of the plan's file 0 */
    uint64_t units; /* number of units to divide; UINT64_MAX: unknown */

    /* If files are filled one after the other: */
    size_t file;         /* the file that takes the next unit: its number in the plan */
    uint64_t left;       /* units that this file still takes */
    uint64_t file_bytes; /* bytes that it has */

    /* Of the unit that is held back, as far as it has come: */
    uint64_t held_bytes;
    struct record_scan scan; /* for archives, and the first records of groups: at the end of these bytes */

    void *own; /* the kind's own state */
};

/* What is true of a kind. */
enum {
    DIVISION_ENDS = 1 << 0,     /* it must know where units end, and waits for all of the input */
    DIVISION_TOTAL = 1 << 1,    /* it must know how many units there are */
    DIVISION_BESIDE = 1 << 2,   /* its files are filled side by side, so they all stay open */
    DIVISION_NUMBERED = 1 << 3, /* its files are named by a pattern with numbers */
    DIVISION_OPEN = 1 << 4,     /* its number of files is known only when all units have been written */
    DIVISION_CLASSES = 1 << 5,  /* records are counted by classes before the first one is written (strata.h) */
};

/* Functions other than `place` may be NULL. */
struct division_kind {
    const char *option; /* of the field, such as "--split-field"; NULL: no field */
    unsigned traits;
    void (*check)(const struct output_plan *plan); /* end the run if the options alone make it impossible */

    /* How many of `units` units are left for the rest; UINT64_MAX: unknown. The run ends if they cannot be divided. */
    uint64_t (*leaves)(const struct output_plan *plan, uint64_t units);

    void (*begin)(struct division *division);
    uint64_t (*takes)(const struct division *division); /* how many units go to division->file, if units are counted */

    /* Set `found` of the units' marks as far as possible, before earlier units are written. By any thread. */
    void (*find)(struct division *division, unsigned thread, const struct units *units);

    /* *file receives where unit `first` goes, or, if there is no such unit, the open one after them; the number after
     * all splits stands for the rest. Returns how many of `most` units from `first` on go there; or DIVISION_HOLD:
     * unknown before more of the unit has come, and then it is the first of the next units. May be called again for the
     * same unit: if it was held back, and for units after the first if the rest takes fewer at a time. */
    size_t (*place)(struct division *division, const struct units *units, size_t first, size_t most, size_t *file);

    void (*end)(struct division *division);     /* after the last unit */
    const char *empty;                          /* for a warning: why a file is empty though units have come; or NULL */
    void (*release)(struct division *division); /* of `own` */
};

#define DIVISION_HOLD SIZE_MAX

/* Is a trait true of one of a plan's divisions, as far as these are known? */
bool division_is(const struct output_plan *plan, unsigned trait);

/* End the run if the plan is impossible, as far as can be known before the first record. */
void division_check(const struct output_plan *plan);

/* How many files there will be, however many records come; files of an unknown number do not count. With --each, it is
 * the number for one input, and `number` below is that of a file among these. */
size_t division_files(const struct output_plan *plan);

bool division_is_shard(const struct output_plan *plan, size_t number);

/* What a file is called in messages; and should it get records, so that a warning is due if it gets none? Not if the
 * others take all, or if its records are thrown away; nor if it is a shard, of which there may be none. */
const char *division_called(const struct output_plan *plan, size_t number);
bool division_is_wanted(const struct output_plan *plan, size_t number);
