/* The machine's own byte order will do, since a pile is read by the process that wrote it. */

#include "shuffle/pile_keys.h"

#include "shuffle/pile_source.h"

void pile_keys_append(struct piles *piles, unsigned p, uint64_t key)
{
    pile_append(piles, p, (const uint8_t *)&key, sizeof key);
    pile_count(piles, p, 1);
}

void pile_keys_verify(struct piles *piles, unsigned p, uint8_t *buffer, size_t bytes)
{
    static const struct record_format format = {.kind = RECORD_SIZE, .count = sizeof(uint64_t)};

    pile_source_verify(piles, p, &format, buffer, bytes);
}

void pile_keys_open(struct pile_keys *keys, struct piles *piles, unsigned p, bool keep)
{
    keys->source = pile_source(piles, p, keep);
    keys->next = 0;
    keys->count = 0;
}

uint64_t pile_keys_next(struct pile_keys *keys)
{
    if (keys->next == keys->count) {
        size_t bytes = source_read(keys->source, (uint8_t *)keys->key, sizeof keys->key);

        if (bytes < sizeof keys->key[0])
            fault_say("a pile does not hold the keys that were put there");
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
