#ifndef BIGSHUF_INPUT_TORN_H
#define BIGSHUF_INPUT_TORN_H

/*
 * Finds keys that come again after another key: their records should be neighbours, but are torn apart, or are others
 * that should have another key. Not all keys can be remembered, so it keeps the recent ones and a sample of all. If
 * records are not sorted, most keys come again, and it hardly misses all of them.
 */

#include <stddef.h>
#include <stdint.h>

enum { TORN_KEYS = 2048 }; /* of each kind */

struct torn_key {
    uint64_t scope; /* where it was found, such as in which archive */
    uint64_t key;   /* hashes */
    uint64_t name;
};

/* All zeros at first. */
struct torn {
    struct torn_key recent[TORN_KEYS];
    struct torn_key sampled[TORN_KEYS];
};

/* A run of neighbours with this key begins. Returns an earlier one with the same key in another scope or with another
 * name, if one is known, else NULL; it stays until the next call. The same records may come once more: their names and
 * scopes are the same, so nothing is found. */
const struct torn_key *torn_look(struct torn *torn, struct torn_key key);

uint64_t torn_hash(const void *data, size_t bytes);

#endif
