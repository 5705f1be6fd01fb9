#pragma once

/*
 * Finds the hash of a record, 128 bits: the siphash_pair of its key, or, if the rule has no fields, of the whole record
 * without its delimiter. No two different keys will ever have the same hash.
 *
 * Several threads may find hashes at a time, each with a number of its own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "record/key.h"

struct hasher;

/* For `threads` threads. `label` derives the hashing key (random_hashing); warnings name `option`. The rule's fields
 * must stay. */
struct hasher *hasher_new(const struct key_rule *rule, const char *label, const char *option, unsigned threads);
void hasher_free(struct hasher *hasher); /* NULL is fine */

/* From now on, all threads hash under this key, and forget what they have seen; hasher_turn: one thread, which forgets
 * nothing. */
void hasher_begin(struct hasher *hasher, const struct random_key *key);
void hasher_turn(struct hasher *hasher, unsigned thread, const struct random_key *key);

bool hasher_has_fields(const struct hasher *hasher);

/* The hashes of `count` whole records. Returns how many come before the first one without a key (hasher_refuse). */
size_t hasher_whole(struct hasher *hasher, unsigned thread, const struct siphash_text *record, size_t count,
                    struct siphash_pair *hash);

/* The same for a record in pieces: its next one, as key_take. *hash is set if it returns KEY_FOUND. */
enum key_found hasher_piece(struct hasher *hasher, unsigned thread, const uint8_t *data, size_t bytes, bool first,
                            bool last, struct siphash_pair *hash);

/* End the run: the last record that the thread has seen, the `number`-th, at `place`, has no key; `record` is its
 * beginning. hasher_warn: after all records, warn if they consist of nothing but their keys. */
_Noreturn void hasher_refuse(const struct hasher *hasher, unsigned thread, const char *place, uint64_t number,
                             const uint8_t *record, size_t bytes);
void hasher_warn(const struct hasher *hasher);
