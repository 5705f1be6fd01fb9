/*
 * Some samples begin twice, and are not torn. Between README and README.md there may be README-1, as tar sorts them,
 * but a name without a dot is of no sample. The files that macOS calls ._NAME are sorted before all others, and are
 * missed by nobody. So a sample is looked at when its first member comes whose name is its key and a dot. If it begins
 * with the same name as before, it was put in twice, as --repeat does, or is one of another archive, which tar -A put
 * there.
 *
 * A sample whose place is taken is not remembered, so that what came first is still there when its rest comes.
 */

#include "input/torn.h"

#include <stddef.h>

#include "base/siphash.h"

void torn_begin(struct torn *torn)
{
    torn->archive++;
    torn->looked = false;
}

/* It is for a warning alone, so that nobody gains from choosing what hashes alike. */
static uint64_t hash(const uint8_t *data, size_t bytes)
{
    static const uint64_t key[2] = {0};

    return siphash(key, data, bytes);
}

static bool is_key_and_dot(const struct key *key, struct tar_text name)
{
    return name.bytes > key->bytes && name.data[key->bytes] == '.';
}

bool torn_look(struct torn *torn, const struct key *key, struct tar_text name, bool goes_on)
{
    struct torn_sample *sample;
    uint64_t key_hash;

    if (!goes_on)
        torn->looked = false;
    if (torn->found || torn->looked || !is_key_and_dot(key, name))
        return false;
    torn->looked = true;
    key_hash = hash(key->text, key->bytes);
    sample = &torn->sample[key_hash % TORN_SAMPLES];
    if (sample->archive != torn->archive)
        *sample = (struct torn_sample){torn->archive, key_hash, hash(name.data, name.bytes)};
    else
        torn->found = sample->key == key_hash && sample->name != hash(name.data, name.bytes);
    return torn->found;
}
