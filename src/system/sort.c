/* Numbers are divided by their highest bit, those with a zero before those with a one, and both parts by the next bit.
 * Runs of a few pairs are sorted by insertion, then runs are merged from one pair of tables to the other. */

#include "system/sort.h"

#include "base/arithmetic.h"

enum { RUN = 16 };

/* Numbers [from, to), which have the same bits above `bit`; -1: there is none left. */
static void sort_range(const struct table *numbers, uint64_t from, uint64_t to, int bit)
{
    for (; bit >= 0 && to - from > 1; bit--) {
        uint64_t zeros = from, ones = to;

        while (zeros < ones) {
            uint64_t *const number = table_u64(numbers, zeros);
            uint64_t *other;
            uint64_t moved;

            if ((*number >> bit & 1) == 0) {
                zeros++;
                continue;
            }
            other = table_u64(numbers, --ones);
            moved = *number;
            *number = *other;
            *other = moved;
        }
        sort_range(numbers, from, zeros, bit - 1);
        from = zeros;
    }
}

void sort_numbers(const struct table *numbers, uint64_t count)
{
    uint64_t bits = 0;

    for (uint64_t i = 0; i < count; i++)
        bits |= *table_u64(numbers, i);
    if (bits > 0)
        sort_range(numbers, 0, count, 63 - __builtin_clzll(bits));
}

int sort_pairs_take(struct sort_pairs *pairs, struct pool *pool, uint64_t count)
{
    if (table_take(&pairs->key, pool, count, sizeof(uint64_t)) != 0)
        return -1;
    return table_take(&pairs->value, pool, count, sizeof(uint64_t));
}

void sort_pairs_release(struct sort_pairs *pairs)
{
    table_release(&pairs->key);
    table_release(&pairs->value);
}

static uint64_t key_at(const struct sort_pairs *pairs, uint64_t i)
{
    return *table_u64(&pairs->key, i);
}

static void move(struct sort_pairs *to, uint64_t place, const struct sort_pairs *from, uint64_t i)
{
    *table_u64(&to->key, place) = *table_u64(&from->key, i);
    *table_u64(&to->value, place) = *table_u64(&from->value, i);
}

static void insert_all(struct sort_pairs *pairs, uint64_t first, uint64_t last)
{
    for (uint64_t i = first + 1; i < last; i++) {
        uint64_t key = *table_u64(&pairs->key, i);
        uint64_t value = *table_u64(&pairs->value, i);
        uint64_t place = i;

        for (; place > first && key_at(pairs, place - 1) > key; place--)
            move(pairs, place, pairs, place - 1);
        *table_u64(&pairs->key, place) = key;
        *table_u64(&pairs->value, place) = value;
    }
}

/* Merge [first, middle) and [middle, last). */
static void merge(const struct sort_pairs *from, struct sort_pairs *to, uint64_t first, uint64_t middle, uint64_t last)
{
    uint64_t left = first;
    uint64_t right = middle;

    for (uint64_t place = first; place < last; place++)
        if (left < middle && (right == last || key_at(from, left) <= key_at(from, right)))
            move(to, place, from, left++);
        else
            move(to, place, from, right++);
}

struct sort_pairs *sort_by_key(struct sort_pairs *pairs, struct sort_pairs *spare, uint64_t count)
{
    for (uint64_t i = 0; i < count; i += RUN)
        insert_all(pairs, i, least(i + RUN, count));
    for (uint64_t run = RUN; run < count; run *= 2) {
        struct sort_pairs *merged = spare;

        for (uint64_t i = 0; i < count; i += 2 * run)
            merge(pairs, spare, i, least(i + run, count), least(i + 2 * run, count));
        spare = pairs;
        pairs = merged;
    }
    return pairs;
}
