/*
 * Records are dealt to places, one for two to four records, by the hash bits after those that brought them to the pile.
 * Then each moves past those few that were dealt to the same place and belong after it: as hashes are random, that is a
 * step or two for each record, however many have the same key. (Two keys that meet in one place cost the product of
 * their numbers of records, but then there are fewer keys to meet.)
 */

#include "shuffle/keyed.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "shuffle/index.h"
#include "system/fault.h"

/* Records for each place to which they are dealt. */
enum { SHARE = 2 };

/* Records whose hashes are found at a time. */
enum { AT_ONCE = 16 };

/* The records of one key are left where they are if the others, in bytes, are about this part of a pile, or less. */
TUNABLE(OTHERS, 16, 2, 1024);

enum keyed_share keyed_share(const struct keyed_vote *votes, const struct piles *piles, unsigned p,
                             const struct keyed *keyed)
{
    const uint64_t bytes = pile_bytes(piles, p);

    if (votes == NULL || bytes == 0 || votes[p].lead < bytes - bytes / OTHERS)
        return KEYED_SOME;
    if (votes[p].lead == bytes)
        return KEYED_ONE;
    return votes[p].in_pieces || keyed->unique ? KEYED_SOME : KEYED_MOST;
}

/* ---- Sorting ---- */

/* A record of the pile. */
struct entry {
    struct keyed_reference refers;
    uint64_t begins; /* does a unit begin at this place of the result? */
};

enum { ENTRY_NUMBERS = sizeof(struct entry) / sizeof(uint64_t) };

/* The table has numbers of records in their order, which become references; then the records, none of which goes on in
 * the next block; and then, for each place to which they are dealt, how many are before it. */
struct sorting {
    const struct table *table;
    uint64_t records;
    uint64_t entries, places; /* where these begin */
};

static struct sorting sorting_of(const struct table *table, uint64_t records)
{
    const uint64_t before = (records + ENTRY_NUMBERS - 1) / ENTRY_NUMBERS * ENTRY_NUMBERS;

    return (struct sorting){table, records, before, before + records * ENTRY_NUMBERS};
}

uint64_t keyed_table_length(uint64_t records)
{
    return sorting_of(NULL, records).places + records / SHARE + 1;
}

static uint64_t *number_at(const struct sorting *sorting, uint64_t i)
{
    return table_u64(sorting->table, i);
}

static uint64_t *place_at(const struct sorting *sorting, uint64_t i)
{
    return table_u64(sorting->table, sorting->places + i);
}

static struct entry *entry_at(const struct sorting *sorting, uint64_t i)
{
    return (struct entry *)(void *)table_u64(sorting->table, sorting->entries + i * ENTRY_NUMBERS);
}

bool keyed_begins(const struct table *table, uint64_t records, uint64_t place)
{
    const struct sorting sorting = sorting_of(table, records);

    return entry_at(&sorting, place)->begins != 0;
}

/* The pile holds references with their hashes, which may go on in the next block. */
static void take_references(const struct piles *piles, unsigned p, const struct sorting *sorting)
{
    const size_t each = sizeof(struct keyed_reference);
    struct pile_walk walk = pile_walk(piles, p);

    pile_check(piles, p, pile_resident_bytes(piles, p) / each);
    for (uint64_t i = 0; i < sorting->records; i++)
        for (size_t done = 0, part; done < each; done += part) {
            const uint8_t *data = pile_next(piles, p, &walk, each - done, &part);

            memcpy((uint8_t *)entry_at(sorting, i) + done, data, part);
        }
}

/* What finds the hash of a record that is not in one piece. */
struct walk {
    struct hasher *hasher;
    unsigned thread;
    enum key_found found;
    bool inside;
    struct siphash_pair hash;
};

static bool take_piece(void *context, const uint8_t *data, size_t bytes, bool last)
{
    struct walk *walk = context;

    walk->found = hasher_piece(walk->hasher, walk->thread, data, bytes, !walk->inside, last, &walk->hash);
    walk->inside = true;
    return walk->found == KEY_TO_COME;
}

/* Find the hashes of records from number `first` on, AT_ONCE of them at most. Returns how many. */
static uint64_t hash_some(struct hasher *hasher, unsigned thread, const struct piles *piles,
                          const struct record_format *format, const struct sorting *sorting, uint64_t first)
{
    struct siphash_text text[AT_ONCE];
    struct siphash_pair hash[AT_ONCE];
    struct walk walk = {.hasher = hasher, .thread = thread, .found = KEY_MISSING};
    size_t n = 0;

    do {
        text[n].data = index_in_one(piles, *number_at(sorting, first + n), &text[n].bytes);
    } while (text[n].data != NULL && ++n < AT_ONCE && first + n < sorting->records);
    if (n > 0) {
        fault_same_input(hasher_whole(hasher, thread, text, n, hash) == n);
    } else {
        index_walk(piles, format, *number_at(sorting, first), take_piece, &walk);
        fault_same_input(walk.found == KEY_FOUND);
        hash[n++] = walk.hash;
    }
    for (size_t i = 0; i < n; i++)
        entry_at(sorting, first + i)->refers = (struct keyed_reference){*number_at(sorting, first + i), hash[i]};
    return n;
}

static void index_and_hash(struct hasher *hasher, unsigned thread, const struct piles *piles, unsigned p,
                           const struct record_format *format, struct table *table, const struct sorting *sorting)
{
    index_build(piles, p, format, NULL, 0, table);
    for (uint64_t i = 0; i < sorting->records;)
        i += hash_some(hasher, thread, piles, format, sorting, i);
}

/* Deal the numbers of entries to their places: they are nearly in order, and equal ones stay in order. */
static void deal(const struct sorting *sorting, unsigned bits)
{
    uint64_t next = 0;
    unsigned place_bits = 0;

    while (bits + place_bits < KEYED_HASH_BITS && (uint64_t)2 << place_bits <= sorting->records / SHARE)
        place_bits++;
    for (uint64_t i = 0; i < (uint64_t)1 << place_bits; i++)
        *place_at(sorting, i) = 0;
    for (uint64_t i = 0; i < sorting->records; i++)
        ++*place_at(sorting, keyed_digit(entry_at(sorting, i)->refers.hash, bits, place_bits));
    for (uint64_t i = 0; i < (uint64_t)1 << place_bits; i++) {
        uint64_t *place = place_at(sorting, i), count = *place;

        *place = next;
        next += count;
    }
    for (uint64_t i = 0; i < sorting->records; i++) {
        uint64_t *place = place_at(sorting, keyed_digit(entry_at(sorting, i)->refers.hash, bits, place_bits));

        *number_at(sorting, (*place)++) = i;
    }
}

static void insert_all(const struct sorting *sorting)
{
    struct siphash_pair last = {{0, 0}}; /* of those that are in order */

    for (uint64_t i = 0; i < sorting->records; i++) {
        const uint64_t number = *number_at(sorting, i);
        const struct siphash_pair hash = entry_at(sorting, number)->refers.hash;
        uint64_t to = i;

        if (!keyed_is_before(hash, last)) {
            last = hash;
            continue;
        }
        for (uint64_t before; to > 0; to--) {
            before = *number_at(sorting, to - 1);
            if (!keyed_is_before(hash, entry_at(sorting, before)->refers.hash))
                break;
            *number_at(sorting, to) = before;
        }
        *number_at(sorting, to) = number;
    }
}

uint64_t keyed_sort(const struct keyed *keyed, unsigned thread, const struct piles *piles, unsigned p,
                    const struct record_format *format, unsigned bits, struct table *table, uint64_t *units)
{
    const struct sorting sorting = sorting_of(table, piles->pile[p].records);
    struct siphash_pair last = {{0, 0}};
    uint64_t kept = 0;

    if (piles->refers)
        take_references(piles, p, &sorting);
    else
        index_and_hash(keyed->hasher, thread, piles, p, format, table, &sorting);
    deal(&sorting, bits);
    insert_all(&sorting);
    *units = 0;
    for (uint64_t i = 0; i < sorting.records; i++) {
        const struct keyed_reference *refers = &entry_at(&sorting, *number_at(&sorting, i))->refers;
        const bool begins = i == 0 || !keyed_is_same(refers->hash, last);

        last = refers->hash;
        *units += begins;
        if (keyed->unique && !begins)
            continue;
        *number_at(&sorting, kept) = refers->reference;
        entry_at(&sorting, kept++)->begins = begins;
    }
    return kept;
}
