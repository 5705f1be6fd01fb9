#pragma once

/* Pass 1: every record of a source is appended to its pile, in the order of the source. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arithmetic.h"
#include "input/source.h"
#include "output/strata.h"
#include "record/record.h"
#include "shuffle/engine.h"
#include "shuffle/keyed_reader.h"
#include "shuffle/order.h"
#include "shuffle/pile.h"
#include "shuffle/sorted.h"
#include "temporary/storage.h"

/* pile[i] receives the pile of record first + i, for `count` records. It must depend on the record's number alone:
 * several threads call it, and twice for a record that two input blocks share. */
typedef void scatter_route(const void *context, uint64_t first, size_t count, uint16_t *pile);

/* To the 2^bits children of a node. */
struct scatter_children {
    struct order_node node;
    unsigned bits;
};
scatter_route scatter_to_children; /* context: a struct scatter_children */

struct scatter_plan {
    struct keyed_plan keys; /* `keyed` not NULL: by the records' keys (keyed_reader.h); */
    struct sorted *sorted;  /* else, not NULL: by keys that come with them (sorted.h); */
    scatter_route *route;   /* else by this function */
    const void *context;    /* of the route */
    unsigned piles;
    uint64_t limit;          /* drop a pile once the piles before it hold this many records; UINT64_MAX: never */
    unsigned first, last;    /* only the piles [first, last) are wanted, so there is no limit; `last` 0: all */
    bool refers;             /* the source's bytes stay in place (source_next): piles hold references (piles_refer) */
    struct strata *strata;   /* counts the records' classes; or NULL */
    struct storage *storage; /* of the piles, freed with them; NULL: temporary files */
    counter *records;        /* receives about how many have been found so far; or NULL */
};

/* The number of lanes among which the piles are divided; and memory that a scatter takes beside buffer and pool. */
unsigned scatter_lanes(unsigned workers);
uint64_t scatter_bytes(unsigned workers, unsigned piles);

/* Fill piles from `source`, using the whole buffer and all workers. The caller releases *piles. False: there was no
 * room for references to all records, and the piles' contents are of no use. */
bool scatter(struct engine *engine, const struct record_format *format, const struct scatter_plan *plan,
             struct source *source, struct piles *piles);
