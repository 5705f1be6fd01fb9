#ifndef BIGSHUF_INPUT_TORN_H
#define BIGSHUF_INPUT_TORN_H

/*
 * Does a key come again after another one? Then the records that have it, which should be neighbours, are torn apart.
 * Not all keys can be remembered: so it is the recent ones, and a sample of all. Where records are not sorted, most of
 * their keys come again, and one of these is hardly missed.
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

/* Records with this key begin, which stand side by side. Did others begin before, as far as is known? Those of this
 * `name` do not count. */
bool torn_look(struct torn *torn, const void *key, size_t key_bytes, const void *name, size_t name_bytes);

#endif
