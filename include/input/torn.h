#ifndef BIGSHUF_INPUT_TORN_H
#define BIGSHUF_INPUT_TORN_H

/*
 * Finds keys that come again after another key: their records should be neighbours, but are torn apart. Not all keys
 * can be remembered, so it keeps the recent ones and a sample of all. If records are not sorted, most keys come again,
 * and it hardly misses all of them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TORN_KEYS = 2048 }; /* of each kind */

struct torn_key {
    uint64_t scope;
    uint64_t key; /* hashes */
    uint64_t name;
};

/* All zeros at first. */
struct torn {
    uint64_t scope; /* is counted */
    struct torn_key recent[TORN_KEYS];
    struct torn_key sampled[TORN_KEYS];
};

/* Keys that came before are no longer of interest. To be called before the first one, too. */
void torn_begin(struct torn *torn);

/* A run of neighbours with this key begins. Did an earlier run with the same key begin, as far as is known? Runs of
 * this `name` do not count. */
bool torn_look(struct torn *torn, const void *key, size_t key_bytes, const void *name, size_t name_bytes);

#endif
