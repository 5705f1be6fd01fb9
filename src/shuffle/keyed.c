/*
 * References are dealt to as many places as there are records, about, by the bits that follow those that brought them
 * to the pile, and then each moves past those few that were dealt to the same place and belong after it: as hashes are
 * random, that is a step or two for each record, however many have the same key. (Two keys that meet in one place cost
 * the product of their numbers of records, but then there are fewer keys to meet.)
 */

#include "shuffle/keyed.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "shuffle/index.h"
#include "system/fault.h"

/* Records for each place to which they are dealt. */
enum { SHARE = 2 };

/* Records whose hashes are found at a time, and bytes of a field that are copied for that. */
enum { AT_ONCE = 16, COPIED_BYTES = 64 };

/* The records of one key are left where they are if the others, in bytes, are about this part of a pile, or less. */
TUNABLE(OTHERS, 16, 2, 1024);

struct lane {
    struct siphash_key hashing;
    struct key *key; /* NULL: the whole record */
    struct key_watch watch;
    struct siphash_pieces whole;              /* the whole record as far as it has come, but for */
    uint8_t last[RECORD_DELIMITER_BYTES_MAX]; /* its last bytes, which may be the delimiter */
    size_t last_bytes;
};

struct keyed {
    struct key_rule rule;
    size_t end_bytes; /* of the delimiter of a record */
    bool unique;
    struct lane *lane;
    unsigned lanes;
};

static size_t delimiter_bytes(const struct record_format *format)
{
    if (format->string_bytes > 0 && !record_is(format, RECORD_LAST_LINE))
        return format->string_bytes;
    return format->kind == NULL || record_is(format, RECORD_OF_LINES | RECORD_QUOTED);
}

struct keyed *keyed_new(const struct key_rule *rule, bool unique)
{
    struct keyed *keyed = fault_allocate(1, sizeof *keyed);

    *keyed = (struct keyed){.rule = *rule, .end_bytes = delimiter_bytes(&rule->format), .unique = unique};
    return keyed;
}

static void free_lanes(struct keyed *keyed)
{
    while (keyed->lanes > 0)
        free(keyed->lane[--keyed->lanes].key);
    free(keyed->lane);
    keyed->lane = NULL;
}

void keyed_free(struct keyed *keyed)
{
    if (keyed == NULL)
        return;
    free_lanes(keyed);
    free(keyed);
}

bool keyed_is_unique(const struct keyed *keyed)
{
    return keyed->unique;
}

bool keyed_has_fields(const struct keyed *keyed)
{
    return keyed->rule.choice != NULL;
}

void keyed_begin(struct keyed *keyed, const struct random_key *key, unsigned threads)
{
    free_lanes(keyed);
    keyed->lane = fault_allocate(threads + 1, sizeof *keyed->lane);
    for (; keyed->lanes <= threads; keyed->lanes++)
        if (keyed->rule.choice != NULL)
            keyed->lane[keyed->lanes].key = key_new(&keyed->rule);
    keyed_turn_all(keyed, key);
}

unsigned keyed_extra(const struct keyed *keyed)
{
    return keyed->lanes - 1;
}

void keyed_turn(struct keyed *keyed, unsigned thread, const struct random_key *key)
{
    keyed->lane[thread].hashing = random_hashing(key, keyed->unique ? "unique" : "group");
}

void keyed_turn_all(struct keyed *keyed, const struct random_key *key)
{
    for (unsigned i = 0; i < keyed->lanes; i++)
        keyed_turn(keyed, i, key);
}

/* ---- Hashes ---- */

/* Several are hashed in little more time than one. The next record overwrites a field, so it is copied, unless it is a
 * long one. */
size_t keyed_find(struct keyed *keyed, unsigned thread, const struct siphash_text *record, size_t count,
                  struct siphash_pair *hash)
{
    struct lane *lane = &keyed->lane[thread];
    struct siphash_text text[AT_ONCE];
    uint8_t copy[AT_ONCE][COPIED_BYTES];
    size_t n = 0; /* texts at hand */

    for (size_t i = 0; i < count; i++) {
        bool stays = true;

        text[n].data = record[i].data;
        text[n].bytes = record[i].bytes - least_size(record[i].bytes, keyed->end_bytes);
        if (lane->key != NULL) {
            if (key_find(lane->key, record[i].data, record[i].bytes) != FIELD_FOUND) {
                count = i;
                break;
            }
            key_saw(&lane->watch, lane->key, text[n].data, text[n].bytes);
            text[n] = (struct siphash_text){lane->key->text, lane->key->bytes};
            stays = text[n].bytes <= COPIED_BYTES;
            if (stays)
                text[n].data = memcpy(copy[n], text[n].data, text[n].bytes);
        } else {
            lane->watch.records++;
            lane->watch.returns += text[n].bytes > 0 && text[n].data[text[n].bytes - 1] == '\r';
        }
        n++;
        if (!stays || n == AT_ONCE) {
            siphash_pairs(&lane->hashing, text, n, hash + i + 1 - n);
            n = 0;
        }
    }
    siphash_pairs(&lane->hashing, text, n, hash + count - n);
    return count;
}

/* Add all that has come but for the last bytes, which are kept. */
static void add_but_last(struct lane *lane, const uint8_t *data, size_t bytes, size_t end_bytes)
{
    const size_t total = lane->last_bytes + bytes;
    size_t ready = total > end_bytes ? total - end_bytes : 0;
    const size_t old = least_size(ready, lane->last_bytes);

    siphash_add(&lane->whole, lane->last, old);
    memmove(lane->last, lane->last + old, lane->last_bytes - old);
    lane->last_bytes -= old;
    ready -= old;
    siphash_add(&lane->whole, data, ready);
    memcpy(lane->last + lane->last_bytes, data + ready, bytes - ready);
    lane->last_bytes += bytes - ready;
}

enum keyed_found keyed_take(struct keyed *keyed, unsigned thread, const uint8_t *data, size_t bytes, bool first,
                            bool last, struct siphash_pair *hash)
{
    struct lane *lane = &keyed->lane[thread];
    struct key *key = lane->key;

    if (key == NULL) {
        if (first) {
            lane->last_bytes = 0;
            siphash_begin(&lane->whole, &lane->hashing);
        }
        add_but_last(lane, data, bytes, keyed->end_bytes);
        if (last)
            *hash = siphash_end(&lane->whole);
        return last ? KEYED_FOUND : KEYED_MORE;
    }
    if (key_take(key, data, bytes, first, last) == KEY_TO_COME)
        return KEYED_MORE;
    if (key->verdict != FIELD_FOUND)
        return KEYED_MISSING;
    key_saw(&lane->watch, key, NULL, 0);
    *hash = siphash_pair(&lane->hashing, key->text, key->bytes);
    return KEYED_FOUND;
}

_Noreturn void keyed_refuse(const struct keyed *keyed, unsigned thread, const char *place, uint64_t number,
                            const uint8_t *record, size_t bytes)
{
    key_refuse(&(struct key_watch){.records = number}, keyed->lane[thread].key, place, record, bytes);
}

/* Threads saw one part of the records each. */
void keyed_warn(struct keyed *keyed)
{
    struct key_watch all = {.records = 0};

    for (unsigned i = 0; i < keyed->lanes; i++)
        key_watch_add(&all, &keyed->lane[i].watch);
    if (keyed->rule.choice != NULL)
        key_warn(&all, &keyed->rule, keyed->unique ? "--unique" : "--group-field");
    else if (all.returns > 0 && all.returns < all.records && keyed->rule.format.delimiter == '\n')
        fault_warn("--unique: some lines end with a carriage return, others do not, and are taken for different ones; "
                   "write tr -d '\\r' < FILE | bigshuf --unique");
}

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
    struct keyed *keyed;
    unsigned thread;
    enum keyed_found found;
    bool inside;
    struct siphash_pair hash;
};

static bool take_piece(void *context, const uint8_t *data, size_t bytes, bool last)
{
    struct walk *walk = context;

    walk->found = keyed_take(walk->keyed, walk->thread, data, bytes, !walk->inside, last, &walk->hash);
    walk->inside = true;
    return walk->found == KEYED_MORE;
}

/* Find the hashes of records from number `first` on, AT_ONCE of them at most. Returns how many. */
static uint64_t hash_some(struct keyed *keyed, unsigned thread, const struct piles *piles,
                          const struct record_format *format, const struct sorting *sorting, uint64_t first)
{
    struct siphash_text text[AT_ONCE];
    struct siphash_pair hash[AT_ONCE];
    struct walk walk = {.keyed = keyed, .thread = thread, .found = KEYED_MISSING};
    size_t n = 0;

    do {
        text[n].data = index_in_one(piles, *number_at(sorting, first + n), &text[n].bytes);
    } while (text[n].data != NULL && ++n < AT_ONCE && first + n < sorting->records);
    if (n > 0) {
        fault_same_input(keyed_find(keyed, thread, text, n, hash) == n);
    } else {
        index_walk(piles, format, *number_at(sorting, first), take_piece, &walk);
        fault_same_input(walk.found == KEYED_FOUND);
        hash[n++] = walk.hash;
    }
    for (size_t i = 0; i < n; i++)
        entry_at(sorting, first + i)->refers = (struct keyed_reference){*number_at(sorting, first + i), hash[i]};
    return n;
}

static void index_and_hash(struct keyed *keyed, unsigned thread, const struct piles *piles, unsigned p,
                           const struct record_format *format, struct table *table, const struct sorting *sorting)
{
    index_build(piles, p, format, NULL, 0, table);
    for (uint64_t i = 0; i < sorting->records;)
        i += hash_some(keyed, thread, piles, format, sorting, i);
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

uint64_t keyed_sort(struct keyed *keyed, unsigned thread, const struct piles *piles, unsigned p,
                    const struct record_format *format, unsigned bits, struct table *table, uint64_t *units)
{
    const struct sorting sorting = sorting_of(table, piles->pile[p].records);
    struct siphash_pair last = {{0, 0}};
    uint64_t kept = 0;

    if (piles->refers)
        take_references(piles, p, &sorting);
    else
        index_and_hash(keyed, thread, piles, p, format, table, &sorting);
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
