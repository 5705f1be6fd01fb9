#pragma once

/*
 * Piles: runs of records that grow at the end, in memory as long as there is room and on disk from then on.
 *
 *     resident   all its bytes are in a chain of pool blocks
 *     spilled    the first bytes are in storage, a temporary file as a rule; what came later, the tail, is still in a
 *                chain
 *
 * Blocks are full but for the last. A pile that has been given a block keeps at least one until it is flushed, so it
 * can always take in more: at worst by writing out the block it has just filled.
 *
 * Each pile belongs to one of several lanes, and one thread at a time appends to the piles of a lane, so that they need
 * no lock.
 *
 * When the pool runs dry, piles are spilled from the last one backwards, so that the first ones are whole in memory
 * when the input ends and can be shuffled and written at once.
 */

#include <stdbool.h>
#include <stdint.h>

#include "record/record.h"
#include "system/pool.h"
#include "system/sys.h"
#include "temporary/spill.h"
#include "temporary/storage.h"

/* Others may read the fields of these two, but only the functions of this module write them: those of a pile, the
 * thread that has its lane; until piles_seal, after which one thread at a time has a pile. */

/* Apart from its neighbours, which belong to other threads. */
struct pile {
    _Alignas(SYS_APART_BYTES) uint8_t *at; /* where the next byte goes: in its last block; NULL if it has no block */
    uint8_t *end;                          /* the end of that block */
    uint64_t records;
    uint64_t spilled_bytes; /* in storage; bytes before the chain's */
    uint32_t first;         /* the chain */
    uint32_t last, blocks;
    bool spilled, dropped;
    struct pile_parts *parts; /* if it is read twice (pile_source.h); else NULL */
};

struct piles {
    struct pool *pool;
    struct storage *storage;
    struct pile *pile;
    uint64_t records; /* that were dealt out to them, dropped ones among them */
    unsigned count;
    unsigned lanes;        /* pile p belongs to lane p mod lanes */
    uint32_t flush_blocks; /* fewer of a tail are not worth a write */
    bool promised;         /* has the caller the blocks for them promised (piles_init_children)? */
    bool sealed;           /* nothing will be appended any more */
    bool refers;           /* do the piles hold references (index.h) to records that a source holds in the pool? */
    struct piles *outer;   /* these come in place of one of those; NULL: of none */
};

/* What `count` piles take beside the pool, if they are spilled to `directories` directories. */
uint64_t piles_bytes(unsigned count, unsigned directories);

/* `count` empty piles, each of which is promised one block of the pool. They are spilled to `storage`, freed with them:
 * as a rule, that is spill_open for as many. */
void piles_init(struct piles *piles, unsigned count, unsigned lanes, struct pool *pool, struct storage *storage);

/* Sealed piles, put into storage by others; pile_stored says what is in each. */
void piles_init_stored(struct piles *piles, unsigned count, struct pool *pool, struct storage *storage);
void pile_stored(struct piles *piles, unsigned pile, uint64_t records, uint64_t bytes);

/* Empty piles for what is in one of others. They stay in memory: the caller has the blocks promised for all that is
 * appended to them, and has them promised again when a pile is cleared. */
void piles_init_children(struct piles *piles, unsigned count, const struct piles *parents);

/* The piles, empty still, will hold references to records that a source holds. When memory runs out, they
 * are not spilled: pile_append returns false. */
void piles_refer(struct piles *piles);

/* How long the records are on average, of which they hold references, at least 1. */
uint64_t piles_average(const struct piles *piles);

/* Gives back the blocks and temporary files that are left. Also when zeroed. */
void piles_release(struct piles *piles);

uint64_t pile_bytes(const struct piles *piles, unsigned pile);
uint64_t pile_resident_bytes(const struct piles *piles, unsigned pile);

/* Append bytes to a pile, spilling piles of its lane when memory runs out. The caller counts the records. False: there
 * is no room for references. */
bool pile_append(struct piles *piles, unsigned pile, const uint8_t *data, size_t bytes);

/* Returns where the caller may write the next `bytes` bytes of the pile; at least `slack` more may be overwritten
 * meanwhile. NULL if the last block has less room; then use pile_append. */
static inline uint8_t *pile_extend(struct piles *piles, unsigned p, size_t bytes, size_t slack)
{
    struct pile *pile = &piles->pile[p];

    if (bytes + slack > (size_t)(pile->end - pile->at))
        return NULL;
    pile->at += bytes;
    return pile->at - bytes;
}

/* A place in the part of a pile that is in memory: where that begins. */
struct pile_walk {
    uint32_t block, left; /* blocks from this one on */
    size_t inside;
};

static inline struct pile_walk pile_walk(const struct piles *piles, unsigned p)
{
    return (struct pile_walk){.block = piles->pile[p].first, .left = piles->pile[p].blocks};
}

/* Go on by the next bytes, at most `most`, which are all in one block: *bytes receives how many. NULL at the end. A
 * block may be given back as soon as its last byte has come. */
const uint8_t *pile_next(const struct piles *piles, unsigned pile, struct pile_walk *walk, size_t most, size_t *bytes);

/* `records` more, or fewer, are in the pile, by what was appended to it. */
static inline void pile_count(struct piles *piles, unsigned pile, int64_t records)
{
    piles->pile[pile].records += (uint64_t)records;
}

/* `records` were dealt out to the piles, counting those of dropped ones. */
static inline void piles_dealt_out(struct piles *piles, uint64_t records)
{
    piles->records = records;
}

/* Before piles_seal: give back all that a pile holds, as nobody wants it. What is appended from now on is ignored. */
void pile_drop(struct piles *piles, unsigned pile);

/* No more will be appended: what was promised to piles that stayed empty is released, and dropped ones have no records.
 */
void piles_seal(struct piles *piles);

/* After piles_seal: write all of a pile, or of all piles from `first` on and outer ones, to files; they have no blocks
 * then. */
void pile_flush(struct piles *piles, unsigned pile);
void piles_flush(struct piles *piles, unsigned first);

/* Write piles to files until the pool has `blocks` blocks free, or until nothing is left: the last piles in the output
 * first, which are outer ones, and of each its first bytes. Before piles_seal only if the last pile holds more than
 * that. */
void piles_make_room(struct piles *piles, uint64_t blocks);

/* Read the spilled part back before the tail, into pile_load_blocks promised blocks, and verify it: the pile is
 * resident. */
void pile_load(struct piles *piles, unsigned pile);
uint32_t pile_load_blocks(const struct piles *piles, unsigned pile);

/* Or by storage_kind.load, of piles without a tail: the same blocks are promised. A storage_place of `struct piles`. */
int pile_place(void *context, unsigned pile, uint64_t bytes, struct iovec *pieces, int most);

/* After piles_seal: give back the first block in memory of a pile that has one; or have it promised to the caller. */
void pile_give_block(struct piles *piles, unsigned pile, bool stays_promised);

/* After piles_seal: give back all that a pile holds, in memory and on disk; it is empty then. */
void pile_clear(struct piles *piles, unsigned pile);

/* All of a pile was read, and `found` records were in it: end the run if it should hold another number. Whoever reads a
 * pile back calls this before anything depends on it: checksums are no signatures. */
void pile_check(const struct piles *piles, unsigned pile, uint64_t found);
