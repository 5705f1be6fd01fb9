#pragma once

/* Weights that change, in steps (base/steps.h), and their exact sums. A change, or a search, takes a few steps, however
 * many there are; a weight takes 10.3 bytes of the pool. */

#include <stdbool.h>
#include <stdint.h>

#include "base/uint128.h"
#include "system/table.h"

/* Callers read the count and the total. */
struct weight_tree {
    uint64_t count;
    struct uint128 total;
    unsigned height;        /* levels above the weights */
    struct table level[16]; /* of 8^16 weights */
};

void weight_tree_init(struct weight_tree *tree, struct pool *pool);

/* Put one more after all others. False if the pool has no room, and the tree is as before. */
bool weight_tree_add(struct weight_tree *tree, uint64_t weight);

uint64_t weight_tree_get(const struct weight_tree *tree, uint64_t i);
void weight_tree_set(struct weight_tree *tree, uint64_t i, uint64_t weight);

/* A number below the total names the first weight for which the sum, up to and including its own, is greater. Its
 * place, from 0, goes to `places`; the numbers change. */
void weight_tree_find(const struct weight_tree *tree, struct uint128 *numbers, uint64_t *places, unsigned count);
