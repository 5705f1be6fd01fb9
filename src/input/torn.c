/*
 * A key has a place by its hash, where two keys are kept: the last one that came to it, and the one whose hash is the
 * smallest of all that came to it. The smallest hash does not depend on the order of the keys, so these keys are a
 * random sample of all, however many there are. If one key in a thousand is torn, one of TORN_KEYS sampled ones is with
 * a probability of 87 %; the recent ones find what comes again soon.
 */

#include "input/torn.h"

#include "base/siphash.h"

void torn_begin(struct torn *torn)
{
    torn->scope++;
}

/* Nobody gains from choosing keys with equal hashes: they only cause a false message. */
static uint64_t hash(const void *data, size_t bytes)
{
    static const uint64_t key[2] = {0};

    return siphash(key, data, bytes);
}

static bool is_torn(const struct torn_key *known, const struct torn_key *key)
{
    return known->scope == key->scope && known->key == key->key && known->name != key->name;
}

bool torn_look(struct torn *torn, const void *key, size_t key_bytes, const void *name, size_t name_bytes)
{
    const struct torn_key now = {torn->scope, hash(key, key_bytes), hash(name, name_bytes)};
    struct torn_key *recent = &torn->recent[now.key % TORN_KEYS];
    struct torn_key *sampled = &torn->sampled[now.key % TORN_KEYS];
    const bool found = is_torn(recent, &now) || is_torn(sampled, &now);

    if (recent->scope != now.scope || recent->key != now.key)
        *recent = now;
    if (sampled->scope != now.scope || now.key < sampled->key)
        *sampled = now;
    return found;
}
