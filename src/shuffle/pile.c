/*
 * The spill policy is in free_block: write out the fullest tail of the lane once it is worth a write; if none is, spill
 * the lane's next pile, last ones first; if none is left, write out the fullest tail, however small. A lane can make
 * room as long as one of its piles has a full block, and only a pile whose block is full needs room.
 *
 * Only whole blocks are written while a pile grows, so all writes except the last are aligned.
 */

#include "shuffle/pile.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/must.h"
#include "base/tunable.h"
#include "system/fault.h"

/* Spilled tails are written in pieces of FLUSH_BYTES, or S/FLUSH_SHARE if that is less: with 512 piles, that keeps all
 * tails together at about S/4, since they are half full on average. */
TUNABLE(FLUSH_BYTES, 256 << 10, 1, 256 << 10);
TUNABLE(FLUSH_SHARE, 1024, 1, 1 << 16);

/* Piles are read back in small steps: then the system's reading ahead begins sooner than with large ones. For 4 GB from
 * piles of 8 MB, gathering took 4.0 s with 128 KiB and 4.9 s with 1 MiB (Linux 6.18, ext4). */
TUNABLE(READ_BYTES, 128 << 10, 64 << 10, 1 << 20);

/* At most 1/ONCE_SHARE of the pool is written at a time: then there may be room for the rest of a large pile. */
TUNABLE(ONCE_SHARE, 16, 1, 4096);

/* The most blocks in one write, or read. */
TUNABLE(PIECES, STORAGE_PIECES_MAX, 1, STORAGE_PIECES_MAX);

/* The number of full blocks of a pile. */
static uint32_t full_blocks(const struct pile *pile)
{
    return pile->at == pile->end ? pile->blocks : pile->blocks - 1;
}

uint64_t piles_bytes(unsigned count, unsigned directories)
{
    return count * (uint64_t)(sizeof(struct pile) + spill_pile_bytes(directories));
}

/* For the functions below: make piles with the fields of `as`, and have `promise` blocks promised. */
static void init_piles(struct piles *piles, struct piles as, uint32_t promise)
{
    *piles = as;
    piles->pile = sys_allocate_apart(as.count, sizeof *piles->pile);
    if (piles->pile == NULL || !pool_promise(as.pool, promise))
        die("not enough memory for %u piles: use a larger -S", as.count);
    for (unsigned p = 0; p < as.count; p++)
        piles->pile[p] = (struct pile){.first = POOL_NONE, .last = POOL_NONE};
}

void piles_init(struct piles *piles, unsigned count, unsigned lanes, struct pool *pool, struct storage *storage)
{
    const size_t flush_bytes = least_size((size_t)pool->blocks * pool->block_bytes / FLUSH_SHARE, FLUSH_BYTES);
    const uint32_t flush_blocks = (uint32_t)(flush_bytes >> pool->block_shift);

    init_piles(piles,
               (struct piles){.pool = pool,
                              .storage = storage,
                              .count = count,
                              .lanes = lanes,
                              .flush_blocks = flush_blocks > 0 ? flush_blocks : 1},
               count);
}

void piles_init_stored(struct piles *piles, unsigned count, struct pool *pool, struct storage *storage)
{
    init_piles(piles, (struct piles){.pool = pool, .storage = storage, .count = count, .lanes = 1, .sealed = true}, 0);
}

void piles_init_children(struct piles *piles, unsigned count, const struct piles *parents)
{
    init_piles(piles,
               (struct piles){.pool = parents->pool,
                              .records = parents->records,
                              .refers = parents->refers,
                              .count = count,
                              .lanes = 1,
                              .promised = true},
               0);
}

void pile_stored(struct piles *piles, unsigned p, uint64_t records, uint64_t bytes)
{
    struct pile *pile = &piles->pile[p];

    pile->records = records;
    pile->spilled_bytes = bytes;
    pile->spilled = bytes > 0;
    piles->records += records;
}

void piles_refer(struct piles *piles)
{
    piles->refers = true;
}

uint64_t piles_average(const struct piles *piles)
{
    return ((uint64_t)piles->pool->pinned << piles->pool->block_shift) / (piles->records + 1) + 1;
}

void piles_seal(struct piles *piles)
{
    for (unsigned p = 0; p < piles->count && !piles->sealed; p++) {
        struct pile *pile = &piles->pile[p];

        if (pile->dropped)
            pile->records = 0;
        else if (pile->blocks == 0 && !piles->promised)
            pool_release_promise(piles->pool, 1);
    }
    piles->sealed = true;
}

void pile_drop(struct piles *piles, unsigned p)
{
    struct pile *pile = &piles->pile[p];

    MUST(!piles->sealed);
    if (pile->dropped)
        return;
    if (pile->blocks == 0)
        pool_release_promise(piles->pool, 1);
    pile_clear(piles, p);
    pile->dropped = true;
}

void piles_release(struct piles *piles)
{
    if (piles->pile == NULL)
        return;
    piles_seal(piles);
    for (unsigned p = 0; p < piles->count; p++)
        pile_clear(piles, p);
    storage_free(piles->storage);
    free(piles->pile);
    piles->pile = NULL;
}

uint64_t pile_resident_bytes(const struct piles *piles, unsigned p)
{
    const struct pile *pile = &piles->pile[p];

    return ((uint64_t)pile->blocks << piles->pool->block_shift) - (uint64_t)(pile->end - pile->at);
}

uint64_t pile_bytes(const struct piles *piles, unsigned p)
{
    return piles->pile[p].spilled_bytes + pile_resident_bytes(piles, p);
}

const uint8_t *pile_next(const struct piles *piles, unsigned p, struct pile_walk *walk, size_t most, size_t *bytes)
{
    const struct pool *pool = piles->pool;
    const uint8_t *data, *end;

    *bytes = 0;
    if (walk->left == 0)
        return NULL;
    data = pool_block(pool, walk->block) + walk->inside;
    end = walk->left > 1 ? pool_block(pool, walk->block) + pool->block_bytes : piles->pile[p].at;
    *bytes = least_size(most, (size_t)(end - data));
    walk->inside += *bytes;
    if (data + *bytes == end)
        *walk = (struct pile_walk){.block = pool->next[walk->block], .left = walk->left - 1};
    return data;
}

/* Write the chain's first `blocks` blocks to the pile's file. */
static void write_blocks(struct piles *piles, unsigned p, uint32_t blocks)
{
    struct pile *pile = &piles->pile[p];
    struct pile_walk walk = pile_walk(piles, p);

    pile->spilled = true;
    while (blocks > 0) {
        struct iovec pieces[PIECES];
        int count = 0;

        for (; blocks > 0 && count < PIECES; blocks--) {
            pieces[count].iov_base = pool_block(piles->pool, walk.block);
            (void)pile_next(piles, p, &walk, SIZE_MAX, &pieces[count].iov_len);
            pile->spilled_bytes += pieces[count++].iov_len;
        }
        storage_write(piles->storage, p, pieces, count);
    }
}

/* Write the first whole blocks, at most `most`, and give them back, but keep one block. */
static void flush_full(struct piles *piles, unsigned p, uint64_t most)
{
    struct pile *pile = &piles->pile[p];
    struct pool *pool = piles->pool;
    uint32_t full = (uint32_t)least(full_blocks(pile), most);
    uint32_t last = pile->first;

    if (full == 0)
        return;
    write_blocks(piles, p, full);
    if (full == pile->blocks) {
        pile->at = pile->end - pool->block_bytes;
        full--;
    }
    for (uint32_t i = 1; i < full; i++)
        last = pool->next[last];
    if (full > 0) {
        const uint32_t first = pile->first;

        pile->first = pool->next[last];
        pile->blocks -= full;
        pool_put(pool, first, last, full);
    }
}

/* Write and free full blocks of a pile in p's lane, but keep its last one, emptied if full. p's last block is full. */
static void free_block(struct piles *piles, unsigned p)
{
    unsigned lane = p % piles->lanes, fullest = p, next = p;
    uint32_t most = 0;
    bool found = false;

    for (unsigned q = lane; q < piles->count; q += piles->lanes) {
        const struct pile *pile = &piles->pile[q];
        uint32_t full = full_blocks(pile);

        if (pile->spilled && full > most) {
            fullest = q;
            most = full;
        }
        if (!pile->spilled && full > 0) {
            next = q;
            found = true;
        }
    }
    if (found && most < piles->flush_blocks)
        fullest = next;
    flush_full(piles, fullest, piles->pool->blocks / ONCE_SHARE + 1);
}

static void add_pile_block(struct piles *piles, struct pile *pile, uint32_t block)
{
    if (pile->blocks++ == 0)
        pile->first = block;
    else
        piles->pool->next[pile->last] = block;
    pile->last = block;
    pile->at = pool_block(piles->pool, block);
    pile->end = pile->at + piles->pool->block_bytes;
}

/* Make room for at least one byte. False: there is no room for references. */
static bool next_block(struct piles *piles, unsigned p)
{
    struct pile *pile = &piles->pile[p];
    struct pool *pool = piles->pool;
    uint32_t block = pile->blocks == 0 || piles->promised ? pool_get_promised(pool) : pool_get(pool);

    while (block == POOL_NONE) {
        if (piles->refers)
            return false;
        free_block(piles, p);
        if (pile->at != pile->end)
            return true; /* p itself was written, and its block is empty again */
        block = pool_get(pool);
    }
    add_pile_block(piles, pile, block);
    return true;
}

bool pile_append(struct piles *piles, unsigned p, const uint8_t *data, size_t bytes)
{
    struct pile *pile = &piles->pile[p];

    while (bytes > 0 && !pile->dropped) {
        size_t room = (size_t)(pile->end - pile->at);

        if (room == 0) {
            if (!next_block(piles, p))
                return false;
            continue;
        }
        room = room < bytes ? room : bytes;
        memcpy(pile->at, data, room);
        pile->at += room;
        data += room;
        bytes -= room;
    }
    return true;
}

/* Give back all blocks of the pile. */
static void give_back_chain(struct piles *piles, unsigned p)
{
    struct pile *pile = &piles->pile[p];

    if (piles->promised)
        pool_put_promised(piles->pool, pile->first, pile->last, pile->blocks);
    else
        pool_put(piles->pool, pile->first, pile->last, pile->blocks);
    pile->first = POOL_NONE;
    pile->last = POOL_NONE;
    pile->blocks = 0;
    pile->at = NULL;
    pile->end = NULL;
}

void pile_flush(struct piles *piles, unsigned p)
{
    const struct pile *pile = &piles->pile[p];

    MUST(piles->sealed);
    if (pile->blocks == 0)
        return;
    write_blocks(piles, p, pile->blocks - (pile->at == pile->end - piles->pool->block_bytes));
    give_back_chain(piles, p);
}

void piles_make_room(struct piles *piles, uint64_t blocks)
{
    if (piles->outer != NULL)
        piles_make_room(piles->outer, blocks);
    for (unsigned p = piles->count; p-- > 0;) {
        uint32_t there = pool_free(piles->pool);
        uint64_t wanted = blocks > there ? blocks - there : 0;

        if (wanted < piles->pile[p].blocks)
            flush_full(piles, p, wanted);
        else
            pile_flush(piles, p);
    }
}

void piles_flush(struct piles *piles, unsigned first)
{
    if (piles->outer != NULL)
        piles_flush(piles->outer, 0);
    for (unsigned p = first; p < piles->count; p++)
        pile_flush(piles, p);
}

uint32_t pile_load_blocks(const struct piles *piles, unsigned p)
{
    return (uint32_t)pool_blocks_for(piles->pool, piles->pile[p].spilled_bytes);
}

int pile_place(void *context, unsigned p, uint64_t bytes, struct iovec *pieces, int most)
{
    struct piles *piles = context;
    struct pile *pile = &piles->pile[p];
    int count = 0;

    for (bytes = least(bytes, pile->spilled_bytes); bytes > 0 && count < most; count++) {
        size_t some;

        if (pile->at == pile->end)
            add_pile_block(piles, pile, pool_get_promised(piles->pool));
        some = (size_t)least(bytes, (uint64_t)(pile->end - pile->at));
        pieces[count] = (struct iovec){.iov_base = pile->at, .iov_len = some};
        pile->at += some;
        pile->spilled_bytes -= some;
        bytes -= some;
    }
    pile->spilled = pile->spilled_bytes > 0;
    return count;
}

/* A tail follows full blocks, since only whole blocks were written before it. */
void pile_load(struct piles *piles, unsigned p)
{
    struct pile *pile = &piles->pile[p];
    const struct pile tail = *pile;
    struct storage_reader reader;

    if (!pile->spilled)
        return;
    *pile = (struct pile){.records = tail.records,
                          .spilled_bytes = tail.spilled_bytes,
                          .first = tail.first,
                          .last = POOL_NONE,
                          .parts = tail.parts};
    storage_reader_init(&reader, piles->storage, p);
    while (reader.left > 0) {
        struct iovec pieces[PIECES];
        const int count = pile_place(piles, p, READ_BYTES, pieces, PIECES);

        storage_reader_read(&reader, pieces, count);
    }
    storage_reader_release(&reader);
    storage_drop(piles->storage, p);
    if (tail.blocks > 0) {
        if (pile->blocks > 0)
            piles->pool->next[pile->last] = tail.first;
        pile->last = tail.last;
        pile->blocks += tail.blocks;
        pile->at = tail.at;
        pile->end = tail.end;
    }
}

void pile_give_block(struct piles *piles, unsigned p, bool stays_promised)
{
    struct pile *pile = &piles->pile[p];
    const uint32_t block = pile->first;

    pile->first = piles->pool->next[block];
    pile->blocks--;
    if (stays_promised)
        pool_put_promised(piles->pool, block, block, 1);
    else
        pool_put(piles->pool, block, block, 1);
}

void pile_clear(struct piles *piles, unsigned p)
{
    struct pile *pile = &piles->pile[p];

    give_back_chain(piles, p);
    if (pile->spilled)
        storage_drop(piles->storage, p);
    pile->spilled = false;
    pile->spilled_bytes = 0;
    pile->records = 0;
    free(pile->parts);
    pile->parts = NULL;
}

void pile_check(const struct piles *piles, unsigned p, uint64_t found)
{
    if (found == piles->pile[p].records)
        return;
    MUST_ALWAYS(piles->storage != NULL); /* a divided pile was checked before */
    piles->storage->kind->report(piles->storage, p);
}
