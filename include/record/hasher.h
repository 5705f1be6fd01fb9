#pragma once

/*
 * From a record to 128 bits: the siphash_pair of its key, or, if the rule has no fields, of the whole record but for
 * its delimiter. Nobody will ever see two keys with the same hash.
 *
 * Several threads may find hashes at a time, each with a number of its own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "record/key.h"

struct hasher;

/* For `threads` threads. `label` names the secret key that is derived for the hashes, and warnings name `option`. The
 * fields of the rule must stay. */
struct hasher *hasher_new(const struct key_rule *rule, const char *label, const char *option, unsigned threads);
void hasher_free(struct hasher *hasher); /* NULL is fine */

/* Derive the secret key from this one: for all threads, and forget which records they have seen; or for one thread. */
void hasher_begin(struct hasher *hasher, const struct random_key *key);
void hasher_turn(struct hasher *hasher, unsigned thread, const struct random_key *key);

/* The hashes of `count` whole records. Returns how many come before the first that has no key (hasher_refuse). */
size_t hasher_whole(struct hasher *hasher, unsigned thread, const struct siphash_text *record, size_t count,
                    struct siphash_pair *hash);

/* The same for the next piece of a record, as key_take; KEY_FOUND comes with *hash. */
enum key_found hasher_piece(struct hasher *hasher, unsigned thread, const uint8_t *data, size_t bytes, bool first,
                            bool last, struct siphash_pair *hash);

/* End the run: the record in which the thread looked last has no key. The other arguments are those of key_refuse. */
_Noreturn void hasher_refuse(const struct hasher *hasher, unsigned thread, const char *place, uint64_t number,
                             const uint8_t *record, size_t bytes);

/* All records have been seen: warn if none has more than its key, if fields of several are empty, or if some lines end
 * with a carriage return. */
void hasher_warn(const struct hasher *hasher);
