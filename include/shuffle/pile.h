#pragma once

/*
 * Piles: runs of records that grow at the end, in memory while there is room, and then on disk.
 *
 *     resident   all its bytes are in a chain of pool blocks
 *     spilled    the first bytes are in storage, usually a temporary file; the later ones, the tail, are in a chain
 *
 * All blocks except the last are full. A pile that has got a block keeps at least one until it is flushed, so it can
 * always take in more: at worst it writes out the block it has just filled.
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

/* Callers may read the fields of these two structs, but only functions of this module write them: those of a pile by
 * the thread that has its lane; after piles_seal, by the one thread that has the pile. */

/* Aligned apart from its neighbours, which belong to other threads. */
struct pile {
    _Alignas(SYS_APART_BYTES) uint8_t *at; /* place of the next byte, in its last block; NULL: no block */
    uint8_t *end;                          /* the end of that block */
    uint64_t records;
    uint64_t spilled_bytes; /* bytes in storage, before those of the chain */
    uint32_t first;         /* the chain */
    uint32_t last, blocks;
    bool spilled, dropped;
    struct pile_parts *parts; /* if it is read twice (pile_source.h), or NULL */
};

struct piles {
    struct pool *pool;
    struct storage *storage;
    struct pile *pile;
    uint64_t records; /* dealt out to all piles, dropped ones included */
    unsigned count;
    unsigned lanes;        /* pile p belongs to lane p mod `lanes` */
    uint32_t flush_blocks; /* a tail of fewer blocks is not worth a write */
    bool promised;         /* are their blocks promised to the caller (piles_init_children)? */
    bool sealed;           /* is appending over? */
    bool refers;           /* do they hold references (input/reference.h) to records in the pool? */
    struct piles *outer;   /* these replace one of those piles; NULL: none */
};

/* Memory of `count` piles beside the pool, if they are spilled to `directories` directories. */
uint64_t piles_bytes(unsigned count, unsigned directories);

/* Make `count` empty piles, each of which is promised one block of the pool. They are spilled to `storage`, usually
 * spill_open's, which is freed with them. */
void piles_init(struct piles *piles, unsigned count, unsigned lanes, struct pool *pool, struct storage *storage);

/* Make sealed piles of `storage` that is already written; pile_stored says what is in each. */
void piles_init_stored(struct piles *piles, unsigned count, struct pool *pool, struct storage *storage);
void pile_stored(struct piles *piles, unsigned pile, uint64_t records, uint64_t bytes);

/* Make empty piles for the records of one of `parents`. They stay in memory: blocks for all that is appended are
 * promised to the caller, and are promised again when a pile is cleared. */
void piles_init_children(struct piles *piles, unsigned count, const struct piles *parents);

/* The piles, still empty, will hold references to records that a source holds. They are never spilled: when memory runs
 * out, pile_append returns false. */
void piles_refer(struct piles *piles);

/* The average length of the records to which they hold references, at least 1. */
uint64_t piles_average(const struct piles *piles);

/* Gives back the blocks and temporary files that are left. Also when zeroed. */
void piles_release(struct piles *piles);

uint64_t pile_bytes(const struct piles *piles, unsigned pile);
uint64_t pile_resident_bytes(const struct piles *piles, unsigned pile);

/* Append bytes to a pile, spilling piles of its lane when memory runs out. The caller counts the records (pile_count).
 * False: there is no room for references. */
bool pile_append(struct piles *piles, unsigned pile, const uint8_t *data, size_t bytes);

/* Returns the place where the caller writes the next `bytes` bytes of the pile; `slack` bytes after them may be
 * overwritten meanwhile. NULL if the last block has less room; then use pile_append. */
static inline uint8_t *pile_extend(struct piles *piles, unsigned p, size_t bytes, size_t slack)
{
    struct pile *pile = &piles->pile[p];

    if (bytes + slack > (size_t)(pile->end - pile->at))
        return NULL;
    pile->at += bytes;
    return pile->at - bytes;
}

/* A place in the part of a pile that is in memory; pile_walk: its beginning. */
struct pile_walk {
    uint32_t block, left; /* `left` blocks from this one on */
    size_t inside;
};

static inline struct pile_walk pile_walk(const struct piles *piles, unsigned p)
{
    return (struct pile_walk){.block = piles->pile[p].first, .left = piles->pile[p].blocks};
}

/* The next *bytes bytes, at most `most`, all in one block; NULL at the end. A block may be given back as soon as its
 * last byte has been returned. */
const uint8_t *pile_next(const struct piles *piles, unsigned pile, struct pile_walk *walk, size_t most, size_t *bytes);

/* Count `records` records, perhaps fewer than 0, that were appended to the pile. */
static inline void pile_count(struct piles *piles, unsigned pile, int64_t records)
{
    piles->pile[pile].records += (uint64_t)records;
}

/* `records` records were dealt out to the piles, dropped ones included. */
static inline void piles_dealt_out(struct piles *piles, uint64_t records)
{
    piles->records = records;
}

/* Before piles_seal: give back all that a pile holds, which is not wanted. Bytes appended from now on are ignored. */
void pile_drop(struct piles *piles, unsigned pile);

/* No more will be appended: release the promises of piles that stayed empty; dropped ones have no records. */
void piles_seal(struct piles *piles);

/* After piles_seal: write all bytes of a pile, or of all piles from `first` on and outer ones, to files. They have no
 * blocks afterwards. */
void pile_flush(struct piles *piles, unsigned pile);
void piles_flush(struct piles *piles, unsigned first);

/* Write piles to files until the pool has `blocks` blocks free, or nothing is left to write: first the piles that come
 * last in the output, which are outer ones, and of each its first bytes. Before piles_seal, only if the last pile holds
 * more than that. */
void piles_make_room(struct piles *piles, uint64_t blocks);

/* Read the spilled part back, into pile_load_blocks promised blocks, and verify it. Then the pile is resident. */
void pile_load(struct piles *piles, unsigned pile);
uint32_t pile_load_blocks(const struct piles *piles, unsigned pile);

/* A storage_place of `struct piles`, to load piles without a tail by storage_kind.load, with the same promise. */
int pile_place(void *context, unsigned pile, uint64_t bytes, struct iovec *pieces, int most);

/* After piles_seal: give back the first block in memory of a pile that has one; `stays_promised`: to the caller. */
void pile_give_block(struct piles *piles, unsigned pile, bool stays_promised);

/* After piles_seal: empty a pile, and give back its memory and space on disk. */
void pile_clear(struct piles *piles, unsigned pile);

/* All of a pile was read, and `found` records were in it: end the run if it should hold another number. Call it after
 * reading a pile back, before anything depends on it: checksums are no signatures. */
void pile_check(const struct piles *piles, unsigned pile, uint64_t found);
