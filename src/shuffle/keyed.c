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
enum { SHARE = 4 };

/* Hashes that a thread remembers. */
enum { RECENT_ROOM = 1024, WORD_BITS = 64 };
TUNABLE(RECENT, RECENT_ROOM, 1, RECENT_ROOM);

/* A record that came lately. */
struct recent {
    struct siphash_pair hash;
    uint64_t after; /* its number and 1; 0: there is none */
};

struct lane {
    struct random_key hashing;
    struct key *key; /* NULL: the whole record */
    struct key_watch watch;
    bool ended;                               /* the key has */
    struct siphash_pieces whole;              /* the whole record as far as it has come, but for */
    uint8_t last[RECORD_DELIMITER_BYTES_MAX]; /* its last bytes, which may be the delimiter */
    size_t last_bytes;
    struct recent recent[RECENT_ROOM];
};

struct keyed {
    struct key_rule rule;
    size_t end_bytes; /* of the delimiter of a record */
    bool unique;
    bool frames;
    struct lane *lane;
    unsigned lanes;
};

static size_t delimiter_bytes(const struct record_format *format)
{
    if (format->string_bytes > 0)
        return format->string_bytes;
    return format->kind == NULL || record_is(format, RECORD_OF_LINES | RECORD_QUOTED);
}

struct keyed *keyed_new(const struct key_rule *rule, bool unique, bool frames)
{
    struct keyed *keyed = fault_allocate(1, sizeof *keyed);

    *keyed =
        (struct keyed){.rule = *rule, .end_bytes = delimiter_bytes(&rule->format), .unique = unique, .frames = frames};
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

bool keyed_frames(const struct keyed *keyed)
{
    return keyed->frames;
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

size_t keyed_lane_bytes(void)
{
    return sizeof(struct lane);
}

void keyed_turn(struct keyed *keyed, unsigned thread, const struct random_key *key)
{
    random_key_derive(&keyed->lane[thread].hashing, key, keyed->unique ? "unique" : "group", NULL, 0);
}

void keyed_turn_all(struct keyed *keyed, const struct random_key *key)
{
    for (unsigned i = 0; i < keyed->lanes; i++)
        keyed_turn(keyed, i, key);
}

/* ---- Hashes ---- */

bool keyed_find(struct keyed *keyed, unsigned thread, const uint8_t *data, size_t bytes, struct siphash_pair *hash)
{
    struct lane *lane = &keyed->lane[thread];
    struct key *key = lane->key;

    if (key == NULL) {
        *hash = random_digest(&lane->hashing, data, bytes - least_size(bytes, keyed->end_bytes));
        return true;
    }
    if (key_find(key, data, bytes, true) != FIELD_FOUND)
        return false;
    key_saw(&lane->watch, key, data, bytes - 1);
    *hash = random_digest(&lane->hashing, key->text, key->bytes);
    return true;
}

void keyed_record(struct keyed *keyed, unsigned thread)
{
    struct lane *lane = &keyed->lane[thread];

    lane->ended = false;
    lane->last_bytes = 0;
    random_digest_begin(&lane->hashing, &lane->whole);
    if (lane->key != NULL)
        key_begin(lane->key);
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

bool keyed_follow(struct keyed *keyed, unsigned thread, const uint8_t *data, size_t bytes, bool last)
{
    struct lane *lane = &keyed->lane[thread];

    if (lane->key == NULL)
        add_but_last(lane, data, bytes, keyed->end_bytes);
    else
        lane->ended = lane->ended || key_follow(lane->key, data, bytes - last);
    return lane->ended;
}

bool keyed_end(struct keyed *keyed, unsigned thread, struct siphash_pair *hash)
{
    struct lane *lane = &keyed->lane[thread];

    if (lane->key == NULL) {
        *hash = siphash_end(&lane->whole);
        return true;
    }
    if (key_end(lane->key) != FIELD_FOUND)
        return false;
    key_saw(&lane->watch, lane->key, NULL, 0);
    lane->watch.more = lane->watch.more || lane->ended;
    *hash = random_digest(&lane->hashing, lane->key->text, lane->key->bytes);
    return true;
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

    for (unsigned i = 0; i < keyed->lanes; i++) {
        const struct key_watch *watch = &keyed->lane[i].watch;

        all.records += watch->records;
        all.more = all.more || watch->more;
        all.json = all.json || watch->json;
    }
    if (keyed->rule.choice != NULL)
        key_warn(&all, &keyed->rule, keyed->unique ? "--unique" : "--group-field");
}

/* The bits from number `from` on; more of them than are wanted. */
static uint64_t from_bit(struct siphash_pair hash, unsigned from)
{
    const uint64_t high = from < WORD_BITS ? hash.word[0] << from : hash.word[1] << (from - WORD_BITS);

    return from > 0 && from < WORD_BITS ? high | hash.word[1] >> (WORD_BITS - from) : high;
}

unsigned keyed_digit(struct siphash_pair hash, unsigned from, unsigned bits)
{
    return bits > 0 ? (unsigned)(from_bit(hash, from) >> (WORD_BITS - bits)) : 0;
}

/* ---- What comes again soon ---- */

void keyed_forget(struct keyed *keyed)
{
    for (unsigned i = 0; i < keyed->lanes; i++)
        memset(keyed->lane[i].recent, 0, sizeof keyed->lane[i].recent);
}

/* Threads see records in any order, so the one that is remembered may come after this one; then it is not the first. */
bool keyed_is_again(struct keyed *keyed, unsigned thread, struct siphash_pair hash, uint64_t record)
{
    struct recent *recent = &keyed->lane[thread].recent[hash.word[1] % RECENT];

    if (recent->after > 0 && recent->after <= record && keyed_is_same(recent->hash, hash))
        return true;
    *recent = (struct recent){hash, record + 1};
    return false;
}

/* ---- Sorting ---- */

enum { RESULT, BEGINS, UNSORTED, FIRST, SECOND, PLACES }; /* tables: before BEGINS is there, the first halves are */

uint64_t keyed_numbers(unsigned table, uint64_t records)
{
    return table == PLACES ? records / SHARE + 1 : records;
}

uint64_t keyed_blocks(const struct pool *pool, uint64_t records)
{
    uint64_t blocks = 0;

    for (unsigned i = 0; i < KEYED_TABLES; i++)
        blocks += pool_blocks_for(pool, keyed_numbers(i, records) * sizeof(uint64_t));
    return blocks;
}

void keyed_must_have(bool found)
{
    if (!found)
        die("the input has changed while it was read");
}

/* What finds the hash of a record that is not in one piece. */
struct walk {
    struct keyed *keyed;
    unsigned thread;
};

static bool take_piece(void *context, const uint8_t *data, size_t bytes, bool last)
{
    const struct walk *walk = context;

    return !keyed_follow(walk->keyed, walk->thread, data, bytes, last);
}

static struct siphash_pair hash_at(struct keyed *keyed, unsigned thread, const struct piles *piles,
                                   const struct record_format *format, uint64_t reference)
{
    struct walk walk = {keyed, thread};
    struct siphash_pair hash = {{0, 0}};
    size_t bytes;
    const uint8_t *data = index_in_one(piles, reference, &bytes);

    if (data != NULL) {
        keyed_must_have(keyed_find(keyed, thread, data, bytes, &hash));
        return hash;
    }
    keyed_record(keyed, thread);
    index_walk(piles, format, reference, take_piece, &walk);
    keyed_must_have(keyed_end(keyed, thread, &hash));
    return hash;
}

/* Each reference of the pile, and the halves of its hash beside it. */
static void take_references(const struct piles *piles, unsigned p, struct table *tables)
{
    const struct pool *pool = piles->pool;
    const struct pile *pile = &piles->pile[p];
    const uint64_t numbers = pile_resident_bytes(piles, p) / sizeof(uint64_t);
    uint32_t block = pile->first;

    pile_check(piles, p, numbers / 3);
    for (uint64_t i = 0; i < numbers; block = pool->next[block]) {
        const uint64_t *number = (const uint64_t *)(const void *)pool_block(pool, block);
        const uint64_t end = i + least(numbers - i, pool->block_bytes / sizeof *number);

        for (; i < end; i++)
            *table_u64(&tables[UNSORTED + i % 3], i / 3) = *number++;
    }
}

static void index_and_hash(struct keyed *keyed, unsigned thread, const struct piles *piles, unsigned p,
                           const struct record_format *format, struct table *tables)
{
    index_build(piles, p, format, NULL, 0, &tables[UNSORTED]);
    for (uint64_t i = 0; i < piles->pile[p].records; i++) {
        const struct siphash_pair hash = hash_at(keyed, thread, piles, format, *table_u64(&tables[UNSORTED], i));

        *table_u64(&tables[FIRST], i) = hash.word[0];
        *table_u64(&tables[SECOND], i) = hash.word[1];
    }
}

/* Deal the records, as numbers of their references, to their places, with the first half of the hash of each beside it:
 * they are nearly in order, and equal ones stay in order. */
static void deal(struct table *tables, uint64_t records, unsigned bits)
{
    uint64_t next = 0;
    unsigned place_bits = 0;

    while (bits < WORD_BITS && place_bits < WORD_BITS - bits && (uint64_t)2 << place_bits <= records / SHARE)
        place_bits++;
    for (uint64_t i = 0; i < (uint64_t)1 << place_bits; i++)
        *table_u64(&tables[PLACES], i) = 0;
    for (uint64_t i = 0; i < records; i++) {
        const struct siphash_pair first = {{*table_u64(&tables[FIRST], i), 0}};

        ++*table_u64(&tables[PLACES], keyed_digit(first, bits, place_bits));
    }
    for (uint64_t i = 0; i < (uint64_t)1 << place_bits; i++) {
        uint64_t *place = table_u64(&tables[PLACES], i), count = *place;

        *place = next;
        next += count;
    }
    for (uint64_t i = 0; i < records; i++) {
        const struct siphash_pair first = {{*table_u64(&tables[FIRST], i), 0}};
        const uint64_t to = (*table_u64(&tables[PLACES], keyed_digit(first, bits, place_bits)))++;

        *table_u64(&tables[RESULT], to) = i;
        *table_u64(&tables[BEGINS], to) = first.word[0];
    }
}

/* Does the record whose number and first half these are belong before that at a place? */
static bool is_before(const struct table *tables, uint64_t number, uint64_t first, uint64_t place)
{
    const uint64_t other = *table_u64(&tables[BEGINS], place);

    return first < other || (first == other && *table_u64(&tables[SECOND], number) <
                                                   *table_u64(&tables[SECOND], *table_u64(&tables[RESULT], place)));
}

static void insert_all(struct table *tables, uint64_t records)
{
    for (uint64_t i = 1; i < records; i++) {
        const uint64_t number = *table_u64(&tables[RESULT], i), first = *table_u64(&tables[BEGINS], i);
        uint64_t to = i;

        for (; to > 0 && is_before(tables, number, first, to - 1); to--) {
            *table_u64(&tables[RESULT], to) = *table_u64(&tables[RESULT], to - 1);
            *table_u64(&tables[BEGINS], to) = *table_u64(&tables[BEGINS], to - 1);
        }
        *table_u64(&tables[RESULT], to) = number;
        *table_u64(&tables[BEGINS], to) = first;
    }
}

uint64_t keyed_sort(struct keyed *keyed, unsigned thread, const struct piles *piles, unsigned p,
                    const struct record_format *format, unsigned bits, struct table *tables, uint64_t *units)
{
    const uint64_t records = piles->pile[p].records;
    struct siphash_pair last = {{0, 0}};
    uint64_t kept = 0;

    if (piles->base != NULL)
        take_references(piles, p, tables);
    else
        index_and_hash(keyed, thread, piles, p, format, tables);
    deal(tables, records, bits);
    insert_all(tables, records);
    *units = 0;
    for (uint64_t i = 0; i < records; i++) {
        const uint64_t number = *table_u64(&tables[RESULT], i);
        const struct siphash_pair hash = {{*table_u64(&tables[BEGINS], i), *table_u64(&tables[SECOND], number)}};
        const bool begins = i == 0 || !keyed_is_same(hash, last);

        last = hash;
        *units += begins;
        if (keyed->unique && !begins)
            continue;
        *table_u64(&tables[RESULT], kept) = *table_u64(&tables[UNSORTED], number);
        *table_u64(&tables[BEGINS], kept++) = begins;
    }
    return kept;
}
