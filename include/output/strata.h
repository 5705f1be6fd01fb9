#pragma once

/*
 * --stratify-field: each file gets its share of every class. A class is all records with the same field, its key. The
 * records are counted in pass 1, in any order and by several threads, and dealt to the files in pass 2, in the order of
 * the output.
 *
 *     strata_new --> strata_begin --> strata_count ... --> strata_settle --> strata_deal ... --> strata_free
 *                         ^                  |
 *                         +------------------+  pass 1 is done once more
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/siphash.h"
#include "output/plan.h"

struct strata;

/* Room for the classes in `bytes` bytes, of which those are used that they need. The plan must stay; its key is that of
 * the order when strata_begin is called. */
struct strata *strata_new(const struct output_plan *plan, uint64_t bytes);

/* Nothing has been counted yet. `lanes` lanes will count: what belongs to one is counted by one thread at a time. */
size_t strata_lane_bytes(void); /* what each lane takes */
void strata_begin(struct strata *strata, unsigned lanes);

/* The next bytes of a record of a lane, which begins and ends with them if they are the `first` and the `last` ones.
 * The run ends if a record has no key, or if there is no room for all classes. */
void strata_count(struct strata *strata, unsigned lane, const uint8_t *data, size_t bytes, bool first, bool last);

/* All records have been counted: settle how many of each class every file gets. Files that get none of some class are
 * warned of. */
void strata_settle(struct strata *strata);

/* The number of the class with this digest of its key, then; 0: there is none. Whoever announces several first waits
 * less for memory. By any thread. */
const struct siphash_key *strata_hashing(const struct strata *strata);
void strata_announce(const struct strata *strata, struct siphash_pair digest);
uint32_t strata_find(const struct strata *strata, struct siphash_pair digest);

/* The next record of the output, of this class, goes to which split? Their number stands for what is left. */
size_t strata_deal(struct strata *strata, uint32_t number);

/* Say how many classes there are, how small, and which files lack some. */
void strata_note(const struct strata *strata);

void strata_free(struct strata *strata); /* NULL is fine */
