/* Eight weights are a line of the cache, and have a sum one level above; eight sums are two lines, and have one above
 * them, up to a level of no more than eight. Searches go down side by side, so that the lines of one are fetched while
 * others go on. (2 million draws of 10 million, in batches of 256, took 1.04 s of processor time with groups of eight,
 * 1.24 s with sixteen.) No search looks beyond the last entry of a level: the number is less than the sum. */

#include "sample/weight_tree.h"

#include "base/steps.h"

enum { FAN_BITS = 3, FAN = 1 << FAN_BITS, LEVELS = sizeof((struct weight_tree *)0)->level / sizeof(struct table) };

void weight_tree_init(struct weight_tree *tree, struct pool *pool)
{
    *tree = (struct weight_tree){.count = 0};
    for (unsigned k = 0; k < LEVELS; k++) {
        table_init(&tree->level[k], pool);
        tree->level[k].wide = true;
    }
}

/* Entry i of level k, from level 1 on; an entry is two numbers of the table. */
static inline struct uint128 *sum_at(const struct weight_tree *tree, unsigned k, uint64_t i)
{
    return (struct uint128 *)(void *)table_u64(&tree->level[k], 2 * i);
}

/* A level with more than eight entries gets another one above it. */
bool weight_tree_add(struct weight_tree *tree, uint64_t weight)
{
    const uint64_t i = tree->count;
    const bool grows = i >> FAN_BITS * tree->height == FAN;

    for (unsigned k = 0; k <= tree->height + grows; k++)
        if (!table_extend(&tree->level[k], k > 0 ? i >> FAN_BITS * k << 1 : i))
            return false;
    if (grows)
        *sum_at(tree, ++tree->height, 0) = tree->total;
    for (unsigned k = 1; k <= tree->height; k++)
        if (i % ((uint64_t)1 << FAN_BITS * k) == 0)
            *sum_at(tree, k, i >> FAN_BITS * k) = (struct uint128){0};
    *table_u64(&tree->level[0], i) = 0;
    tree->count++;
    weight_tree_set(tree, i, weight);
    return true;
}

uint64_t weight_tree_get(const struct weight_tree *tree, uint64_t i)
{
    return *table_u64(&tree->level[0], i);
}

/* The difference may be negative: sums are modulo 2^128. */
void weight_tree_set(struct weight_tree *tree, uint64_t i, uint64_t weight)
{
    uint64_t *place = table_u64(&tree->level[0], i);
    const struct uint128 more = uint128_subtract(steps_count(weight), steps_count(*place));

    *place = weight;
    for (unsigned k = 1; k <= tree->height; k++)
        *sum_at(tree, k, i >> FAN_BITS * k) = uint128_add(*sum_at(tree, k, i >> FAN_BITS * k), more);
    tree->total = uint128_add(tree->total, more);
}

/* Is the number beyond an entry? Then subtract that. */
static inline bool passes(struct uint128 *number, struct uint128 entry)
{
    if (uint128_compare(*number, entry) < 0)
        return false;
    *number = uint128_subtract(*number, entry);
    return true;
}

void weight_tree_find(const struct weight_tree *tree, struct uint128 *numbers, uint64_t *places, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        places[i] = 0;
    for (unsigned k = tree->height; k > 0; k--)
        for (unsigned i = 0; i < count; i++) {
            const struct uint128 *sum = sum_at(tree, k, places[i]);

            for (; passes(&numbers[i], *sum); sum++)
                places[i]++;
            places[i] <<= FAN_BITS;
            __builtin_prefetch(table_u64(&tree->level[k - 1], places[i] << (k > 1)));
            if (k > 1)
                __builtin_prefetch(sum_at(tree, k - 1, places[i] + FAN / 2));
        }
    for (unsigned i = 0; i < count; i++) {
        const uint64_t *weight = table_u64(&tree->level[0], places[i]);

        for (; passes(&numbers[i], steps_count(*weight)); weight++)
            places[i]++;
    }
}
