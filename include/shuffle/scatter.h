#pragma once

/* Pass 1: every record of a source goes to the pile that a router names, in the order of the source. */

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

/* pile[i] receives the pile of record first + i, for `count` records. A function of the record's number alone: it is
 * asked by several threads, and twice for a record that two input blocks share. */
typedef void scatter_route(const void *context, uint64_t first, size_t count, uint16_t *pile);

/* To the 2^bits children of a node. */
struct scatter_children {
    struct order_node node;
    unsigned bits;
};
scatter_route scatter_to_children; /* its context is these */

struct scatter_plan {
    struct keyed_plan keys; /* `keyed` not NULL: the records' keys say where they go (keyed_reader.h); */
    struct sorted *sorted;  /* or the keys that come with them (sorted.h), which go to piles of their own */
    scatter_route *route;   /* else this does */
    const void *context;    /* of the route */
    unsigned piles;
    uint64_t limit;       /* drop a pile once the piles before it hold this many records; UINT64_MAX: never */
    unsigned first, last; /* nobody wants other piles than [first, last), so there is no limit; `last` 0: any */
    bool refers; /* all stays where it stands (source_next): fill the piles with references (piles_refer) to its records
                  */
    struct strata *strata;   /* counts their classes; NULL: there are none */
    struct storage *storage; /* of the piles, freed with them; NULL: temporary files */
    counter *records;        /* receives how many have been found so far, about; NULL: nobody wants to know */
};

/* Into how many parts the piles are divided, one for each lane. What the scatter takes beside buffer and pool. */
unsigned scatter_lanes(unsigned workers);
uint64_t scatter_bytes(unsigned workers, unsigned piles);

/* Fill piles from `source`, using the whole buffer and all workers. *piles must be released by the
 * caller. False: there was no room for references to all records, so what the piles hold is of no use. */
bool scatter(struct engine *engine, const struct record_format *format, const struct scatter_plan *plan,
             struct source *source, struct piles *piles);
