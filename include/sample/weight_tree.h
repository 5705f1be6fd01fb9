#pragma once

/* Weights that change, in steps (base/steps.h), and their exact sums. A change, or a search, takes a few steps, however
 * many weights there are; each takes 10.3 bytes of the pool. */

#include <stdbool.h>
#include <stdint.h>

#include "base/uint128.h"
#include "system/table.h"

/* Callers read `count` and `total`. */
struct weight_tree {
    uint64_t count;
    struct uint128 total;
    unsigned height;        /* levels above the weights */
    struct table level[16]; /* enough for 8^16 weights */
};

void weight_tree_init(struct weight_tree *tree, struct pool *pool);

/* Append a weight. False, with the tree unchanged, if the pool has no room. */
bool weight_tree_add(struct weight_tree *tree, uint64_t weight);

uint64_t weight_tree_get(const struct weight_tree *tree, uint64_t i);
void weight_tree_set(struct weight_tree *tree, uint64_t i, uint64_t weight);

/* Each of `count` numbers below `total` names the first weight whose sum with all before it is greater. places[i]
 * receives the index of that weight; the numbers are changed. */
void weight_tree_find(const struct weight_tree *tree, struct uint128 *numbers, uint64_t *places, unsigned count);
