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

#define STRATA_LABEL "strata" /* of the hasher that finds classes */

/* Room for classes in `bytes` bytes, which are touched only as needed. The plan must stay; plan->key must be set when
 * strata_begin is called. */
struct strata *strata_new(const struct output_plan *plan, uint64_t bytes);

/* Begin to count, in `lanes` lanes: the records of a lane are counted by one thread at a time. */
size_t strata_lane_bytes(void); /* of memory for each lane */
void strata_begin(struct strata *strata, unsigned lanes);

/* The next bytes of a record of a lane, perhaps its `first` or its `last` ones. The run ends if a record has no key, or
 * if there is no room for all classes. */
void strata_count(struct strata *strata, unsigned lane, const uint8_t *data, size_t bytes, bool first, bool last);

/* All records have been counted: settle how many of each class every file gets; warn of files that lack a class. */
void strata_settle(struct strata *strata);

/* After that, strata_find returns the number of the class whose key has this hash; 0: there is none. Announcing
 * several hashes first saves waiting for memory. By any thread. */
void strata_announce(const struct strata *strata, struct siphash_pair hash);
uint32_t strata_find(const struct strata *strata, struct siphash_pair hash);

/* Which split gets the next record of the output, which is of class `number`? The number of splits: the rest. */
size_t strata_deal(struct strata *strata, uint32_t number);

/* Tell the user how many classes there are, how small they are, and which files lack some. */
void strata_note(const struct strata *strata);

void strata_free(struct strata *strata); /* NULL is fine */
