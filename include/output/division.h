#pragma once

/*
 * How units (outlet.h) are divided among files. A plan has one division, by its `rest_by`, or two, if there are splits:
 * then the first one is that of their files, by its `split_by`, and the other divides what these leave. Where a unit
 * goes depends on the units alone, not on the pieces in which they come. output.c asks, unit by unit, and writes; each
 * way to divide is a row: in_turn.c, by_key.c.
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
    size_t first;   /* of these, which is the plan's file 0 */
    uint64_t units; /* that it has to divide, UINT64_MAX: nobody knows how many */

    /* Of files that are filled one after the other: */
    size_t file;         /* that takes what comes next: its number in the plan */
    uint64_t left;       /* units that it still takes */
    uint64_t file_bytes; /* that it has */

    /* Of a unit that is held back, so far: */
    uint64_t held_bytes;
    struct record_scan scan; /* at the end of these, of an archive */

    void *own; /* what a kind has besides */
};

/* What goes for a kind. */
enum {
    DIVISION_ENDS = 1 << 0,     /* it wants to know where units end, and waits for all of the input */
    DIVISION_TOTAL = 1 << 1,    /* and how many units there are */
    DIVISION_BESIDE = 1 << 2,   /* its files are filled side by side, so they all stay open */
    DIVISION_NUMBERED = 1 << 3, /* their name is a pattern, for their numbers */
    DIVISION_OPEN = 1 << 4,     /* their number is known only when all units have been written */
    DIVISION_CLASSES = 1 << 5,  /* records are counted by classes before the first one is written (strata.h) */
};

/* Functions may be NULL, but for `place`. */
struct division_kind {
    const char *option; /* "--split-field", of a field; NULL: there is no field */
    unsigned traits;
    void (*check)(const struct output_plan *plan); /* the run ends if it is impossible, by the options alone */

    /* How many of `units` units are left for the rest, UINT64_MAX: that is not known. The run ends if they cannot be
     * divided. */
    uint64_t (*leaves)(const struct output_plan *plan, uint64_t units);

    void (*begin)(struct division *division);
    uint64_t (*takes)(const struct division *division); /* by number: how many units go to division->file */

    /* Find what can be found of units before those that come before are written. By any thread. */
    void (*find)(struct division *division, unsigned thread, const struct units *units);

    /* Where does unit `first` go, or if there is none, the one that is open after them? That is *file, which may be the
     * first one after all splits, the rest. How many of `most` units from it on go there; or DIVISION_HOLD: not known
     * before more of it has come: then it will be the first of the next units. What is asked may be asked again: of a
     * unit that was held back, and of units after the first if the rest takes fewer of them at a time. */
    size_t (*place)(struct division *division, const struct units *units, size_t first, size_t most, size_t *file);

    void (*end)(struct division *division);     /* all units have come */
    const char *empty;                          /* why a file is empty, if some unit has come; NULL: nothing is said */
    void (*release)(struct division *division); /* what it has of its own */
};

#define DIVISION_HOLD SIZE_MAX

/* Does a trait go for one of a plan's divisions, as far as they are known? */
bool division_is(const struct output_plan *plan, unsigned trait);

/* The run ends if the plan is impossible, as far as can be known before any record comes. */
void division_check(const struct output_plan *plan);

/* How many files there will be in any case, however many records come; without those whose number is not known. If
 * `each`, of each input, and the number below is that of a file among these. */
size_t division_files(const struct output_plan *plan);

bool division_is_shard(const struct output_plan *plan, size_t number);

/* What a file is called in messages; and is it to get records, so that it is worth a warning if it gets none? Not if
 * the others take all, or if what it gets is thrown away; nor shards, of which there may be none. */
const char *division_called(const struct output_plan *plan, size_t number);
bool division_is_wanted(const struct output_plan *plan, size_t number);
