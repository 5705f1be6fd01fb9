/* Pairs are dealt by the lowest byte of their keys from one pair of tables to the other, then by the next byte. */

#include "system/sort.h"

enum { BYTE_BITS = 8, VALUES = 1 << BYTE_BITS, KEY_BYTES = sizeof(uint64_t) };

void sort_pairs_take(struct sort_pairs *pairs, struct pool *pool, uint64_t count)
{
    table_take(&pairs->key, pool, count, sizeof(uint64_t));
    table_take(&pairs->value, pool, count, sizeof(uint64_t));
}

void sort_pairs_release(struct sort_pairs *pairs)
{
    table_release(&pairs->key);
    table_release(&pairs->value);
}

/* The byte number b, from the lowest on, of pair i's key. */
static unsigned digit(const struct sort_pairs *pairs, uint64_t i, unsigned b)
{
    return *table_u64(&pairs->key, i) >> BYTE_BITS * b & (VALUES - 1);
}

/* Move all pairs to where their bytes number b have them, of which each value is there so many times. */
static void deal(const struct sort_pairs *from, struct sort_pairs *to, uint64_t count, unsigned b,
                 const uint64_t times[VALUES])
{
    uint64_t place[VALUES] = {0};

    for (unsigned value = 1; value < VALUES; value++)
        place[value] = place[value - 1] + times[value - 1];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t next = place[digit(from, i, b)]++;

        *table_u64(&to->key, next) = *table_u64(&from->key, i);
        *table_u64(&to->value, next) = *table_u64(&from->value, i);
    }
}

void sort_by_key(struct sort_pairs *pairs, uint64_t count)
{
    uint64_t times[KEY_BYTES][VALUES] = {{0}};
    struct sort_pairs spare;

    sort_pairs_take(&spare, pairs->key.pool, count);
    for (uint64_t i = 0; i < count; i++)
        for (unsigned b = 0; b < KEY_BYTES; b++)
            times[b][digit(pairs, i, b)]++;
    for (unsigned b = 0; b < KEY_BYTES && count > 0; b++) {
        const struct sort_pairs unsorted = *pairs;

        if (times[b][digit(pairs, 0, b)] == count)
            continue;
        deal(pairs, &spare, count, b, times[b]);
        *pairs = spare;
        spare = unsorted;
    }
    sort_pairs_release(&spare);
}
