#pragma once

/*
 * How units (outlet.h) are divided among files that are filled one after the other. Where a file ends depends on the
 * units alone, not on the pieces in which they come: after a number of them, or before the first one that would make
 * the file too large. Each way is a row in division.c. (Splits by a field are filled side by side: sides.h.)
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/outlet.h"
#include "output/plan.h"

struct division {
    const struct output_plan *plan;
    uint64_t units; /* in all, UINT64_MAX: nobody knows how many */
    size_t file;    /* that takes what comes next: its number in the plan */
    uint64_t left;  /* units that it still takes, UINT64_MAX: any number */

    /* Of a unit that is held back: */
    uint64_t held_bytes;     /* that have come */
    struct record_scan scan; /* at the end of these, of an archive */
};

/* The splits are others' business if a field decides about them. What is pointed to must stay. */
void division_begin(struct division *division, const struct output_plan *plan, uint64_t units);

/* From unit `first` on, or if there is none, of the one that is open after them: how many units go to division->file,
 * which may become another one by this, and has `file_bytes` bytes so far if it does not? DIVISION_HOLD: not known
 * before more of the unit has come; it will be the first of the next units. What is not held back is not asked about
 * again. */
#define DIVISION_HOLD SIZE_MAX
size_t division_place(struct division *division, const struct units *units, size_t first, uint64_t file_bytes);
