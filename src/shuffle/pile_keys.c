/* The machine's own byte order will do, since a pile is read by the process that wrote it. */

#include "shuffle/pile_keys.h"

#include "shuffle/pile_source.h"

int pile_keys_append(struct piles *piles, unsigned p, uint64_t key)
{
    if (pile_append(piles, p, (const uint8_t *)&key, sizeof key) != 0)
        return -1;
    piles->pile[p].records++;
    return 0;
}

int pile_keys_verify(struct piles *piles, unsigned p, uint8_t *buffer, size_t bytes)
{
    static const struct record_format format = {.kind = RECORD_SIZE, .count = sizeof(uint64_t)};

    return pile_source_verify(piles, p, &format, buffer, bytes);
}

int pile_keys_open(struct pile_keys *keys, struct piles *piles, unsigned p, bool keep)
{
    keys->source = pile_source(piles, p, keep);
    keys->next = 0;
    keys->count = 0;
    return keys->source != NULL ? 0 : -1;
}

int pile_keys_next(struct pile_keys *keys, uint64_t *key)
{
    if (keys->next == keys->count) {
        ssize_t bytes = source_read(keys->source, (uint8_t *)keys->key, sizeof keys->key);

        if (bytes < (ssize_t)sizeof *key)
            return bytes < 0 ? -1 : fault_say("a pile does not hold the keys that were put there");
        keys->count = (size_t)bytes / sizeof *key;
        keys->next = 0;
    }
    *key = keys->key[keys->next++];
    return 0;
}

void pile_keys_close(struct pile_keys *keys)
{
    source_free(keys->source);
    keys->source = NULL;
}
