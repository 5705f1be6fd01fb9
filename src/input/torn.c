/*
 * A key has a place by its hash, where two keys are kept: the last one that came to it, and the one whose hash is the
 * smallest of all that came to it. The smallest hash does not depend on the order of the keys, so these keys are a
 * random sample of all, however many there are. If one key in a thousand is torn, one of TORN_KEYS sampled ones is with
 * a probability of 87 %; the recent ones find what comes again soon.
 */

#include "input/torn.h"

#include <stdbool.h>

#include "base/siphash.h"

/* Nobody gains from choosing keys with equal hashes: they only cause a false message. */
uint64_t torn_hash(const void *data, size_t bytes)
{
    static const uint64_t key[2] = {0};

    return siphash(key, data, bytes);
}

static bool is_other(const struct torn_key *known, const struct torn_key *key)
{
    return known->key == key->key && (known->scope != key->scope || known->name != key->name);
}

const struct torn_key *torn_look(struct torn *torn, struct torn_key key)
{
    struct torn_key *recent = &torn->recent[key.key % TORN_KEYS];
    struct torn_key *sampled = &torn->sampled[key.key % TORN_KEYS];

    if (is_other(recent, &key))
        return recent;
    if (is_other(sampled, &key))
        return sampled;
    *recent = key;
    if (sampled->key == 0 || key.key < sampled->key)
        *sampled = key;
    return NULL;
}
