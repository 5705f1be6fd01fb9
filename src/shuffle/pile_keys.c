/* Numbers are in the machine's own byte order, since a pile is read by the process that wrote it. */

#include "shuffle/pile_keys.h"

#include "base/tunable.h"
#include "system/fault.h"

const struct record_format pile_keys_format = {.kind = &sizes_kind, .count = sizeof(uint64_t)};

void pile_keys_append(struct piles *piles, unsigned p, uint64_t key)
{
    pile_append(piles, p, (const uint8_t *)&key, sizeof key);
    pile_count(piles, p, 1);
}

void pile_keys_open(struct pile_keys *keys, struct piles *piles, unsigned p, bool keep)
{
    keys->source = pile_source(piles, p, keep);
    keys->next = keys->count = 0;
}

/* How many are read at a time. */
TUNABLE(KEYS, PILE_KEYS_AHEAD, 1, PILE_KEYS_AHEAD);

uint64_t pile_keys_next(struct pile_keys *keys)
{
    if (keys->next == keys->count) {
        size_t bytes = source_read(keys->source, (uint8_t *)keys->key, KEYS * sizeof keys->key[0], NULL);

        if (bytes < sizeof keys->key[0])
            die("a pile does not hold the keys that were put there");
        keys->count = bytes / sizeof keys->key[0];
        keys->next = 0;
    }
    return keys->key[keys->next++];
}

void pile_keys_close(struct pile_keys *keys)
{
    source_free(keys->source);
    keys->source = NULL;
}
