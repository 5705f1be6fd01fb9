/* A set of hashes that does not fit into its buffer is counted in parts, by the bits that follow those of the pile. */

#include "shuffle/units.h"

#include <stdatomic.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/must.h"
#include "input/record_reader.h"
#include "output/strata.h"
#include "shuffle/pile_source.h"
#include "system/fault.h"
#include "system/sys.h"
#include "system/threads.h"

/* A pile that is read hash by hash, which may hold references. */
struct hashes {
    struct hasher *hasher;
    unsigned thread;
    struct source *source;
    struct record_reader reader;
    bool refers;
};

/* False: there are no more. */
static bool next_hash(struct hashes *hashes, struct siphash_pair *hash)
{
    struct keyed_reference reference;
    struct record_piece piece;

    if (hashes->refers) {
        const bool more = source_read(hashes->source, (uint8_t *)&reference, sizeof reference, NULL) > 0;

        *hash = reference.hash;
        return more;
    }
    while (record_reader_next(&hashes->reader, &piece)) {
        fault_same_input(hasher_piece(hashes->hasher, hashes->thread, piece.data, piece.bytes, piece.first, piece.last,
                                      hash) != KEY_MISSING);
        if (piece.last)
            return true;
    }
    return false;
}

/* A set of hashes: of those whose bits after the pile's begin with some part, since all may be too many. */
struct set {
    struct siphash_pair *slot; /* zeroed: free */
    uint64_t slots;
    uint64_t count;
    unsigned bits;
    unsigned part_bits;
    uint64_t part;
};

/* False: there is no room. */
static bool put(struct set *set, struct siphash_pair hash)
{
    const struct siphash_pair none = {{0, 0}};
    uint64_t i = spread(hash.word[1], set->slots);

    if (set->part_bits > 0 && keyed_digit(hash, set->bits, set->part_bits) != set->part)
        return true;
    hash.word[1] += keyed_is_same(hash, none);
    while (!keyed_is_same(set->slot[i], none) && !keyed_is_same(set->slot[i], hash))
        i = spread_next(i, set->slots);
    if (keyed_is_same(set->slot[i], hash))
        return true;
    set->slot[i] = hash;
    return ++set->count < set->slots - set->slots / 4;
}

/* Of a pile in which hashes have the same first `bits` bits. */
static uint64_t count_pile(struct hasher *hasher, unsigned thread, struct piles *piles, unsigned p, unsigned bits,
                           const struct record_format *format, uint8_t *buffer, size_t bytes)
{
    const size_t half = bytes / 2 / SYS_APART_BYTES * SYS_APART_BYTES;
    struct set set = {.slot = (struct siphash_pair *)(void *)(buffer + half),
                      .slots = (bytes - half) / sizeof(struct siphash_pair),
                      .bits = bits};
    struct siphash_pair hash;
    uint64_t units = 0;

    while (set.part >> set.part_bits == 0) {
        struct hashes hashes = {hasher, thread, pile_source(piles, p, true), .refers = piles->refers};
        bool fits = true;

        set.count = 0;
        memset(set.slot, 0, (size_t)set.slots * sizeof *set.slot);
        record_reader_init(&hashes.reader, format, hashes.source, buffer, half - POOL_SLACK_BYTES);
        while (fits && next_hash(&hashes, &hash))
            fits = put(&set, hash);
        source_free(hashes.source);
        units += fits ? set.count : 0;
        set.part_bits += !fits;
        set.part = fits ? set.part + 1 : set.part * 2;
    }
    return units;
}

static void classify_pile(struct run *run, unsigned thread, struct piles *piles, unsigned p, uint8_t *buffer,
                          size_t bytes)
{
    struct source *source = pile_source(piles, p, true);
    struct record_reader reader;
    struct record_piece piece;

    record_reader_init(&reader, &run->format, source, buffer, bytes - POOL_SLACK_BYTES);
    while (record_reader_next(&reader, &piece))
        strata_count(run->strata, thread, piece.data, piece.bytes, piece.first, piece.last);
    source_free(source);
}

/* All piles, each by any thread. */
struct counting {
    struct run *run;
    struct piles *piles;
    unsigned bits;
    unsigned workers;
    atomic_uint next; /* pile */
    _Atomic uint64_t units;
};

static void work(void *context, unsigned worker)
{
    struct counting *counting = context;
    struct run *run = counting->run;
    const struct engine_space space = engine_buffer(&run->engine, ENGINE_WHOLE);
    const size_t share = space.bytes / counting->workers / SYS_APART_BYTES * SYS_APART_BYTES;
    uint8_t *buffer = space.data + worker * share;
    unsigned p;

    while ((p = atomic_fetch_add(&counting->next, 1)) < counting->piles->count) {
        if (run->keyed == NULL)
            classify_pile(run, worker, counting->piles, p, buffer, share);
        else
            atomic_fetch_add(&counting->units, count_pile(run->keyed->hasher, worker, counting->piles, p,
                                                          counting->bits, &run->format, buffer, share));
    }
}

static uint64_t count_all(struct run *run, struct piles *piles, unsigned bits)
{
    struct counting counting = {.run = run, .piles = piles, .bits = bits, .workers = engine_threads(&run->engine)};

    threads_run(counting.workers, work, &counting);
    return atomic_load(&counting.units);
}

uint64_t units_count(struct run *run, struct piles *piles, unsigned bits, const struct output *output)
{
    if (run->keyed == NULL)
        return piles->records;
    if (!output_needs(output)->total && run->parts == 0 && run->skip == 0)
        return UINT64_MAX;
    return count_all(run, piles, bits);
}

void units_classify(struct run *run, struct piles *piles)
{
    if (run->strata == NULL)
        return;
    MUST(run->keyed == NULL);
    strata_begin(run->strata, engine_threads(&run->engine));
    (void)count_all(run, piles, 0);
}
