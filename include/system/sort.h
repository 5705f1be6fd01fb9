#ifndef BIGSHUF_SYSTEM_SORT_H
#define BIGSHUF_SYSTEM_SORT_H

/* Sort pairs of numbers in tables. */

#include "system/table.h"

/* 8-byte keys with an 8-byte number beside each. */
struct sort_pairs {
    struct table key;
    struct table value;
};

/* Room for `count` pairs out of what the pool has free, as table_take. */
void sort_pairs_take(struct sort_pairs *pairs, struct pool *pool, uint64_t count);
void sort_pairs_release(struct sort_pairs *pairs); /* also when zeroed */

/* Sort pairs [0, count) by key; equal keys keep their order. Takes as many again meanwhile. (Radix sort from the lowest
 * byte up) */
void sort_by_key(struct sort_pairs *pairs, uint64_t count);

#endif
