#pragma once

/*
 * --group-field and --unique: a hash of a record's key takes the place of its random word. The order is that of the
 * hashes, so it is a function of the seed and the set of keys alone; records with the same key come together, in the
 * order of the input. Fixed, as order.h is.
 *
 * The hash is a hasher's, labelled "group" or "unique": 128 bits, of which the first is the highest of the first half.
 * The tree of piles is that of the hash's digits, of as many bits as it takes to tell a node's piles apart, the first
 * ones at the root.
 *
 * A unit is what is counted and written: a group, or the first record with its key.
 */

#include <stdbool.h>
#include <stdint.h>

#include "record/hasher.h"
#include "shuffle/pile.h"
#include "system/table.h"

enum { KEYED_BITS = 9, KEYED_PILES = 1 << KEYED_BITS };

struct keyed {
    struct hasher *hasher;
    unsigned extra;  /* thread number for the hasher, above all others, to look for the keys of long records */
    bool has_fields; /* else whole records are the keys, and none is missing */
    bool unique;
};

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
uint64_t keyed_sort(const struct keyed *keyed, unsigned thread, const struct piles *piles, unsigned pile,
                    const struct record_format *format, unsigned bits, struct table *table, uint64_t *units);

/* After keyed_sort of `records` records: does a unit begin with the reference at this place of the table? */
bool keyed_begins(const struct table *table, uint64_t records, uint64_t place);
