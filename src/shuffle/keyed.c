/*
 * The first half of a hash is enough to find a pile and to sort; the second one is computed only where two first halves
 * are equal. References are dealt to as many places as there are records, about, by the bits that follow those that
 * brought them to the pile, and then each moves past those few that were dealt to the same place and belong after it:
 * as hashes are random, that is a step or two for each record, however many have the same key. (Two keys that meet in
 * one place cost the product of their numbers of records, but then there are fewer keys to meet.)
 */

#include "shuffle/keyed.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "input/record_reader.h"
#include "shuffle/index.h"
#include "system/fault.h"

/* Records for each place to which they are dealt. */
enum { SHARE = 4 };

/* Hashes that a thread remembers. */
TUNABLE(RECENT, 1024, 1, 1024);

/* Records between prefetch and hash. */
TUNABLE(AHEAD, 16, 0, 64);

enum { WORD_BITS = 64 };

/* A record that came lately. */
struct recent {
    struct keyed_hash hash;
    uint64_t record;
    bool known; /* is there one? */
    bool whole; /* is the second half known, too? */
};

struct lane {
    struct key *key; /* NULL: the whole record */
    bool ended;
    struct siphash whole[2];                  /* of the whole record as far as it has come, but for */
    uint8_t last[RECORD_DELIMITER_BYTES_MAX]; /* its last bytes, which may be the delimiter */
    size_t last_bytes;
    struct recent recent[RECENT];
};

struct keyed {
    struct key_rule rule;
    size_t end_bytes; /* of the delimiter of a record */
    bool unique;
    bool marks;
    struct random_key half[2];
    struct lane *lane;
    unsigned lanes;
};

static size_t delimiter_bytes(const struct record_format *format)
{
    if (format->string_bytes > 0)
        return format->string_bytes;
    return format->kind == NULL || record_is(format, RECORD_OF_LINES | RECORD_QUOTED);
}

struct keyed *keyed_new(const struct key_rule *rule, bool unique, bool marks)
{
    struct keyed *keyed = fault_allocate(1, sizeof *keyed);

    *keyed =
        (struct keyed){.rule = *rule, .end_bytes = delimiter_bytes(&rule->format), .unique = unique, .marks = marks};
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

size_t keyed_lane_bytes(void)
{
    return sizeof(struct lane);
}

bool keyed_is_unique(const struct keyed *keyed)
{
    return keyed->unique;
}

bool keyed_marks(const struct keyed *keyed)
{
    return keyed->marks;
}

void keyed_begin(struct keyed *keyed, const struct random_key *key, unsigned threads)
{
    random_halves(keyed->half, key, keyed->unique ? "unique" : "group");
    free_lanes(keyed);
    keyed->lane = fault_allocate(threads, sizeof *keyed->lane);
    for (; keyed->lanes < threads; keyed->lanes++)
        if (keyed->rule.choice != NULL)
            keyed->lane[keyed->lanes].key = key_new(&keyed->rule);
}

/* ---- Hashes ---- */

_Noreturn static void report_change(void)
{
    fault_say("the input has changed while it was read");
}

/* Half 0 or 1. */
static uint64_t half_of(struct keyed *keyed, unsigned thread, unsigned half, const uint8_t *data, size_t bytes)
{
    struct key *key = keyed->lane[thread].key;

    if (key == NULL)
        return random_hash(&keyed->half[half], data, bytes - least_size(bytes, keyed->end_bytes));
    if (key_find(key, data, bytes, true) != FIELD_FOUND)
        report_change();
    return random_hash(&keyed->half[half], key->text, key->bytes);
}

uint64_t keyed_first(struct keyed *keyed, unsigned thread, const uint8_t *data, size_t bytes)
{
    return half_of(keyed, thread, 0, data, bytes);
}

struct keyed_hash keyed_of(struct keyed *keyed, unsigned thread, const uint8_t *data, size_t bytes)
{
    return (struct keyed_hash){{half_of(keyed, thread, 0, data, bytes), half_of(keyed, thread, 1, data, bytes)}};
}

void keyed_record(struct keyed *keyed, unsigned thread)
{
    struct lane *lane = &keyed->lane[thread];

    lane->ended = false;
    lane->last_bytes = 0;
    if (lane->key != NULL)
        key_begin(lane->key);
    for (unsigned half = 0; half < 2; half++)
        random_hash_begin(&keyed->half[half], &lane->whole[half]);
}

static void add(struct lane *lane, const uint8_t *data, size_t bytes)
{
    siphash_add(&lane->whole[0], data, bytes);
    siphash_add(&lane->whole[1], data, bytes);
}

/* Add all that has come but for the last bytes, which are kept. */
static void add_but_last(struct lane *lane, const uint8_t *data, size_t bytes, size_t end_bytes)
{
    const size_t total = lane->last_bytes + bytes;
    size_t ready = total > end_bytes ? total - end_bytes : 0;
    const size_t old = least_size(ready, lane->last_bytes);

    add(lane, lane->last, old);
    memmove(lane->last, lane->last + old, lane->last_bytes - old);
    lane->last_bytes -= old;
    ready -= old;
    add(lane, data, ready);
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

struct keyed_hash keyed_end(struct keyed *keyed, unsigned thread)
{
    struct lane *lane = &keyed->lane[thread];
    const struct key *key = lane->key;

    if (key == NULL)
        return (struct keyed_hash){{siphash_end(&lane->whole[0]), siphash_end(&lane->whole[1])}};
    if (key_end(lane->key) != FIELD_FOUND)
        report_change();
    return (struct keyed_hash){
        {random_hash(&keyed->half[0], key->text, key->bytes), random_hash(&keyed->half[1], key->text, key->bytes)}};
}

/* The bits from number `bits` on, the highest is number 0; more of them than are wanted. */
static uint64_t from_bit(struct keyed_hash hash, unsigned bits)
{
    const uint64_t high = bits < WORD_BITS ? hash.word[0] << bits : hash.word[1] << (bits - WORD_BITS);

    return bits > 0 && bits < WORD_BITS ? high | hash.word[1] >> (WORD_BITS - bits) : high;
}

unsigned keyed_child(struct keyed_hash hash, unsigned bits)
{
    return (unsigned)(from_bit(hash, bits) >> (WORD_BITS - KEYED_BITS));
}

/* ---- What comes again soon ---- */

void keyed_forget(struct keyed *keyed)
{
    for (unsigned i = 0; i < keyed->lanes; i++)
        memset(keyed->lane[i].recent, 0, sizeof keyed->lane[i].recent);
}

/* Threads see records in any order, so the one that is remembered may come after this one; then it is not the first.
 * The second half is looked up when the first one has come again. */
bool keyed_is_again(struct keyed *keyed, unsigned thread, uint64_t first, const uint8_t *data, size_t bytes,
                    uint64_t record)
{
    struct recent *recent = &keyed->lane[thread].recent[first % RECENT];
    const bool same = recent->known && recent->hash.word[0] == first;
    struct keyed_hash hash = {{first, 0}};

    if (same)
        hash.word[1] = half_of(keyed, thread, 1, data, bytes);
    if (same && recent->whole && recent->hash.word[1] == hash.word[1] && recent->record < record)
        return true;
    *recent = (struct recent){.hash = hash, .record = record, .known = true, .whole = same};
    return false;
}

/* ---- Sorting ---- */

enum { REFERENCES, BEGINS, UNSORTED, HASHES, PLACES };

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

/* Half 0 or 1 of the hash of the record that a reference stands for. */
static uint64_t half_at(struct keyed *keyed, unsigned thread, const struct piles *piles,
                        const struct record_format *format, uint64_t reference, unsigned half)
{
    struct walk walk = {keyed, thread};
    size_t bytes;
    const uint8_t *data = index_in_one(piles, reference, &bytes);

    if (data != NULL)
        return half_of(keyed, thread, half, data, bytes);
    keyed_record(keyed, thread);
    index_walk(piles, format, reference, take_piece, &walk);
    return keyed_end(keyed, thread).word[half];
}

/* Where a record is dealt to: by the bits of its hash that follow those of its pile. */
static uint64_t place_of(uint64_t hash, unsigned bits, unsigned place_bits)
{
    return place_bits > 0 && bits < WORD_BITS ? hash << bits >> (WORD_BITS - place_bits) : 0;
}

/* Deal the references to their places, with their hashes beside them, where BEGINS will be. */
static void deal(struct table *tables, uint64_t records, unsigned bits)
{
    uint64_t next = 0;
    unsigned place_bits = 0;

    while (place_bits < WORD_BITS - 1 && (uint64_t)2 << place_bits <= records / SHARE)
        place_bits++;
    for (uint64_t i = 0; i < (uint64_t)1 << place_bits; i++)
        *table_u64(&tables[PLACES], i) = 0;
    for (uint64_t i = 0; i < records; i++)
        ++*table_u64(&tables[PLACES], place_of(*table_u64(&tables[HASHES], i), bits, place_bits));
    for (uint64_t i = 0; i < (uint64_t)1 << place_bits; i++) {
        uint64_t *place = table_u64(&tables[PLACES], i), count = *place;

        *place = next;
        next += count;
    }
    for (uint64_t i = 0; i < records; i++) {
        const uint64_t hash = *table_u64(&tables[HASHES], i);
        const uint64_t to = (*table_u64(&tables[PLACES], place_of(hash, bits, place_bits)))++;

        *table_u64(&tables[REFERENCES], to) = *table_u64(&tables[UNSORTED], i);
        *table_u64(&tables[BEGINS], to) = hash;
    }
}

/* Put references [first, end), which are nearly sorted, in order by the numbers beside them; equal ones stay. */
static void insert(struct table *references, struct table *numbers, uint64_t first, uint64_t end)
{
    for (uint64_t i = first + 1; i < end; i++) {
        const uint64_t number = *table_u64(numbers, i), reference = *table_u64(references, i);
        uint64_t to = i;

        for (; to > first && *table_u64(numbers, to - 1) > number; to--) {
            *table_u64(numbers, to) = *table_u64(numbers, to - 1);
            *table_u64(references, to) = *table_u64(references, to - 1);
        }
        *table_u64(numbers, to) = number;
        *table_u64(references, to) = reference;
    }
}

uint64_t keyed_sort(struct keyed *keyed, unsigned thread, const struct piles *piles, unsigned p,
                    const struct record_format *format, unsigned bits, struct table *tables, uint64_t *units)
{
    const uint64_t records = piles->pile[p].records;
    struct table *references = &tables[REFERENCES], *begins = &tables[BEGINS], *second = &tables[HASHES];
    uint64_t kept = 0;

    index_build(piles, p, format, NULL, 0, &tables[UNSORTED]);
    for (uint64_t i = 0; i < records; i++) {
        if (i + AHEAD < records)
            index_prefetch(piles, *table_u64(&tables[UNSORTED], i + AHEAD));
        *table_u64(&tables[HASHES], i) = half_at(keyed, thread, piles, format, *table_u64(&tables[UNSORTED], i), 0);
    }
    deal(tables, records, bits);
    insert(references, begins, 0, records);
    *units = 0;
    for (uint64_t i = 0, end; i < records; i = end) {
        const uint64_t hash = *table_u64(begins, i);

        for (end = i + 1; end < records && *table_u64(begins, end) == hash; end++)
            continue;
        for (uint64_t k = i; k < end && end - i > 1; k++)
            *table_u64(second, k) = half_at(keyed, thread, piles, format, *table_u64(references, k), 1);
        insert(references, second, i, end);
        for (uint64_t k = i; k < end; k++) {
            const bool first = k == i || *table_u64(second, k) != *table_u64(second, k - 1);

            *units += first;
            if (keyed->unique && !first)
                continue;
            *table_u64(references, kept) = *table_u64(references, k);
            *table_u64(begins, kept++) = first;
        }
    }
    return kept;
}

/* ---- Reading piles ---- */

static bool is_same(struct keyed_hash one, struct keyed_hash other)
{
    return one.word[0] == other.word[0] && one.word[1] == other.word[1];
}

/* The hash of the record of which a piece has come, if it was the last one. */
static bool take(struct keyed *keyed, unsigned thread, const struct record_piece *piece, struct keyed_hash *hash)
{
    if (piece->first && piece->last) {
        *hash = keyed_of(keyed, thread, piece->data, piece->bytes);
        return true;
    }
    if (piece->first)
        keyed_record(keyed, thread);
    (void)keyed_follow(keyed, thread, piece->data, piece->bytes, piece->last);
    if (piece->last)
        *hash = keyed_end(keyed, thread);
    return piece->last;
}

bool keyed_is_single(struct keyed *keyed, struct piles *piles, unsigned p, const struct record_format *format,
                     uint8_t *buffer, size_t bytes)
{
    struct source *source = pile_source(piles, p, true);
    struct keyed_hash first = {{0, 0}}, hash;
    struct record_reader reader;
    struct record_piece piece;
    uint64_t records = 0;
    bool single = true;

    record_reader_init(&reader, format, source, buffer, bytes);
    while (single && record_reader_next(&reader, &piece)) {
        if (!take(keyed, 0, &piece, &hash))
            continue;
        first = records++ == 0 ? hash : first;
        single = is_same(first, hash);
    }
    source_free(source);
    return single;
}

/* A set of hashes, those whose bits behind the pile's begin with some part; and the part of all that is counted at a
 * time. */
struct set {
    struct keyed_hash *slot; /* zeroed: free */
    uint64_t slots;
    uint64_t count;
    unsigned bits;
    unsigned part_bits;
    uint64_t part;
};

/* False: there is no room. */
static bool put(struct set *set, struct keyed_hash hash)
{
    const struct keyed_hash none = {{0, 0}};
    uint64_t i = spread(hash.word[1], set->slots);

    if (set->part_bits > 0 && from_bit(hash, set->bits) >> (WORD_BITS - set->part_bits) != set->part)
        return true;
    hash.word[1] += is_same(hash, none);
    while (!is_same(set->slot[i], none) && !is_same(set->slot[i], hash))
        i = spread_next(i, set->slots);
    if (is_same(set->slot[i], hash))
        return true;
    set->slot[i] = hash;
    return ++set->count < set->slots - set->slots / 4;
}

/* The pile holds references. */
static bool put_references(struct keyed *keyed, unsigned thread, struct piles *piles,
                           const struct record_format *format, struct source *source, uint64_t *reference, size_t bytes,
                           struct set *set)
{
    bool fits = true;
    size_t got;

    while (fits && (got = source_read(source, (uint8_t *)reference, bytes)) > 0)
        for (size_t i = 0; i < got / sizeof *reference && fits; i++)
            fits = put(set, (struct keyed_hash){{half_at(keyed, thread, piles, format, reference[i], 0),
                                                 half_at(keyed, thread, piles, format, reference[i], 1)}});
    return fits;
}

/* Count one part; false: there is no room. */
static bool put_pile(struct keyed *keyed, unsigned thread, struct piles *piles, unsigned p,
                     const struct record_format *format, uint8_t *buffer, size_t bytes, struct set *set)
{
    struct source *source = pile_source(piles, p, true);
    struct record_reader reader;
    struct record_piece piece;
    struct keyed_hash hash;
    bool fits = true;

    set->count = 0;
    memset(set->slot, 0, set->slots * sizeof *set->slot);
    if (piles->base != NULL) {
        fits = put_references(keyed, thread, piles, format, source, (uint64_t *)(void *)buffer, bytes, set);
    } else {
        record_reader_init(&reader, format, source, buffer, bytes - POOL_SLACK_BYTES);
        while (fits && record_reader_next(&reader, &piece))
            fits = !take(keyed, thread, &piece, &hash) || put(set, hash);
    }
    source_free(source);
    return fits;
}

uint64_t keyed_count(struct keyed *keyed, unsigned thread, struct piles *piles, unsigned p, unsigned bits,
                     const struct record_format *format, uint8_t *buffer, size_t bytes)
{
    const size_t half = bytes / 2 / SYS_APART_BYTES * SYS_APART_BYTES;
    struct set set = {.slot = (struct keyed_hash *)(void *)(buffer + half),
                      .slots = (bytes - half) / sizeof(struct keyed_hash),
                      .bits = bits};
    uint64_t units = 0;

    while (set.part >> set.part_bits == 0) {
        if (put_pile(keyed, thread, piles, p, format, buffer, half, &set)) {
            units += set.count;
            set.part++;
        } else {
            set.part_bits++;
            set.part *= 2;
        }
    }
    return units;
}
