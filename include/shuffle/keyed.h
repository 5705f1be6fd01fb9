#ifndef BIGSHUF_SHUFFLE_KEYED_H
#define BIGSHUF_SHUFFLE_KEYED_H

/*
 * --group-field and --unique: a hash of a record's key takes the place of its random word. The order is that of the
 * hashes, so it is a function of the seed and the set of keys alone; records with the same key come together, in the
 * order of the input. Fixed, as order.h is.
 *
 * The hash h has 128 bits: the random_hash of the key under the key labelled "group" or "unique", and after it that
 * under the same key with its halves exchanged. Two different keys are never seen with the same one. The tree of piles
 * is that of h's digits of KEYED_BITS bits, the first digit at the root.
 *
 * A unit is what is counted and written: a group, or the first record with its key.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "record/key.h"
#include "shuffle/pile.h"
#include "system/table.h"

enum { KEYED_BITS = 9, KEYED_PILES = 1 << KEYED_BITS };

struct keyed_hash {
    uint64_t word[2];
};

struct keyed;

/* The rule must stay; without fields, the whole record is the key, but for its delimiter. Who wants `marks` gets one
 * after each record, which says whether the group goes on (record.h). */
struct keyed *keyed_new(const struct key_rule *rule, bool unique, bool marks);
void keyed_free(struct keyed *keyed); /* NULL is fine */

size_t keyed_lane_bytes(void); /* that a thread takes beside its key */

bool keyed_is_unique(const struct keyed *keyed);
bool keyed_marks(const struct keyed *keyed);

/* By this order's key, on at most so many threads; each call below is by one of them. Nothing is known of any record.
 */
void keyed_begin(struct keyed *keyed, const struct random_key *key, unsigned threads);

/* The hash of a record that is whole, or its first half alone. A record without a key has ended the run before
 * (key_check.h), so here it is a sign of damage. */
uint64_t keyed_first(struct keyed *keyed, unsigned thread, const uint8_t *data, size_t bytes);
struct keyed_hash keyed_of(struct keyed *keyed, unsigned thread, const uint8_t *data, size_t bytes);

/* The same of a record that comes in pieces. True: its key has ended, and no more are wanted. */
void keyed_record(struct keyed *keyed, unsigned thread);
bool keyed_follow(struct keyed *keyed, unsigned thread, const uint8_t *data, size_t bytes, bool last);
struct keyed_hash keyed_end(struct keyed *keyed, unsigned thread);

/* Where it goes among the children of a node at so many bits from the root. */
unsigned keyed_child(struct keyed_hash hash, unsigned bits);

/* Of equal records only the first one counts: is this record, the one of that number, surely another one? `first` is
 * the first half of its hash. What came lately to this thread is remembered. */
bool keyed_is_again(struct keyed *keyed, unsigned thread, uint64_t first, const uint8_t *data, size_t bytes,
                    uint64_t record);
void keyed_forget(struct keyed *keyed); /* all: other records come, or the same ones once more */

/* ---- Piles ---- */

/* What it takes to sort a pile's records: so many tables of 8-byte numbers, the first two of which are the result. */
enum { KEYED_TABLES = 5 };

/* How many numbers each of them has for so many records; and blocks for all. */
uint64_t keyed_numbers(unsigned table, uint64_t records);
uint64_t keyed_blocks(const struct pool *pool, uint64_t records);

/* Sort the records of a resident pile that is so many bits from the root. tables[0] receives their references, those of
 * units alone if these are unique, and tables[1] beside each of them 1 if a unit begins with it, else 0. Returns how
 * many they are; *units receives the number of units. */
uint64_t keyed_sort(struct keyed *keyed, unsigned thread, const struct piles *piles, unsigned pile,
                    const struct record_format *format, unsigned bits, struct table *tables, uint64_t *units);

/* Do all records of a pile have the same key? By thread 0, through a buffer with POOL_SLACK_BYTES more. */
bool keyed_is_single(struct keyed *keyed, struct piles *piles, unsigned pile, const struct record_format *format,
                     uint8_t *buffer, size_t bytes);

/* How many units does a pile hold that is so many bits from the root? All of it stays as it is. */
uint64_t keyed_count(struct keyed *keyed, unsigned thread, struct piles *piles, unsigned pile, unsigned bits,
                     const struct record_format *format, uint8_t *buffer, size_t bytes);

#endif
