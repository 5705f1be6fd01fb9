#pragma once

/*
 * --group-field and --unique: a hash of a record's key takes the place of its random word. The order is that of the
 * hashes, so it is a function of the seed and the set of keys alone; records with the same key come together, in the
 * order of the input. Fixed, as order.h is.
 *
 * The hash is the siphash_pair of the key under a key labelled "group" or "unique": 128 bits, of which the first is
 * the highest of the first half. Two different keys are never seen with the same one. The tree of piles is that of the
 * hash's digits, of as many bits as it takes to tell a node's piles apart, the first ones at the root.
 *
 * A unit is what is counted and written: a group, or the first record with its key.
 *
 * What several threads call at a time takes the number of the thread, less than `threads` of keyed_begin.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "record/key.h"
#include "shuffle/pile.h"
#include "system/table.h"

enum { KEYED_BITS = 9, KEYED_PILES = 1 << KEYED_BITS };

struct keyed;

/* The rule must stay; without fields, the whole record is the key, but for its delimiter. */
struct keyed *keyed_new(const struct key_rule *rule, bool unique);
void keyed_free(struct keyed *keyed); /* NULL is fine */

bool keyed_is_unique(const struct keyed *keyed);
bool keyed_has_fields(const struct keyed *keyed);

/* Begin with the order of `key`, for `threads` threads and one more for long records. All records are forgotten. */
void keyed_begin(struct keyed *keyed, const struct random_key *key, unsigned threads);
unsigned keyed_extra(const struct keyed *keyed); /* the number of the one more */

/* The order of another key, on one thread or on all. */
void keyed_turn(struct keyed *keyed, unsigned thread, const struct random_key *key);
void keyed_turn_all(struct keyed *keyed, const struct random_key *key);

/* The hashes of whole records. Returns how many come before the first that has no key (keyed_refuse). */
size_t keyed_find(struct keyed *keyed, unsigned thread, const struct siphash_text *record, size_t count,
                  struct siphash_pair *hash);

/* The hash of a record that comes in pieces, by the next of them, which is the `first` one and the `last`, or not. If
 * no more is wanted before the last one, the rest need not come. */
enum keyed_found { KEYED_MISSING, KEYED_FOUND, KEYED_MORE };

enum keyed_found keyed_take(struct keyed *keyed, unsigned thread, const uint8_t *data, size_t bytes, bool first,
                            bool last, struct siphash_pair *hash);

/* End the run: the record at this place, which begins so and is the `number`-th, has no key, as the thread saw last.
 * Once all records have been seen, warn if they are nothing but their keys. */
_Noreturn void keyed_refuse(const struct keyed *keyed, unsigned thread, const char *place, uint64_t number,
                            const uint8_t *record, size_t bytes);
void keyed_warn(struct keyed *keyed);

/* Bits [from, from + bits) of a hash, as a number. */
enum { KEYED_HASH_BITS = 128 };

static inline unsigned keyed_digit(struct siphash_pair hash, unsigned from, unsigned bits)
{
    uint64_t word;

    if (bits == 0)
        return 0;
    word = from < 64 ? hash.word[0] << from : hash.word[1] << (from - 64);
    if (from > 0 && from < 64)
        word |= hash.word[1] >> (64 - from);
    return (unsigned)(word >> (64 - bits));
}

static inline bool keyed_is_same(struct siphash_pair one, struct siphash_pair other)
{
    return one.word[0] == other.word[0] && one.word[1] == other.word[1];
}

static inline bool keyed_is_before(struct siphash_pair one, struct siphash_pair other)
{
    return one.word[0] < other.word[0] || (one.word[0] == other.word[0] && one.word[1] < other.word[1]);
}

/* The majority vote of Boyer and Moore in a pile, zeroed before: each byte votes for its record's key. Of all bytes
 * that have voted, at least `lead` are of records with this hash. */
struct keyed_vote {
    struct siphash_pair hash;
    uint64_t lead;
    bool in_pieces; /* a record of the pile came in pieces, as it is longer than a block */
};

/* What share of a pile has one key, for all that is known? If it is most, that key's records can be copied from where
 * they are, and take no table. `votes` are those of all piles; NULL: there are none. */
enum keyed_share { KEYED_SOME, KEYED_MOST, KEYED_ONE };

enum keyed_share keyed_share(const struct keyed_vote *votes, const struct piles *piles, unsigned pile,
                             const struct keyed *keyed);

/* ---- Piles: those that refer to records have the hash of each after its reference ---- */

struct keyed_reference {
    uint64_t reference;
    struct siphash_pair hash;
};

/* How many numbers of 8 bytes there are in a table in which `records` records are sorted. */
uint64_t keyed_table_length(uint64_t records);

/* Sort the records of a resident pile, whose hashes have the same first `bits` bits. The table's first numbers become
 * their references, or only those of first records if keys are unique. Returns how many these are; *units receives the
 * number of units. */
uint64_t keyed_sort(struct keyed *keyed, unsigned thread, const struct piles *piles, unsigned pile,
                    const struct record_format *format, unsigned bits, struct table *table, uint64_t *units);

/* After keyed_sort of `records` records: does a unit begin with the reference at this place of the table? */
bool keyed_begins(const struct table *table, uint64_t records, uint64_t place);
