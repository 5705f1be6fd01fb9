/*
 * The last bits of a hash name its slot, and a later hash with the same bits replaces it: a forgotten key only takes
 * room in a pile, where it is found again. Slots become more as they are filled, so that few keys stay in the
 * processor's cache.
 */

#include "shuffle/seen.h"

#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "shuffle/keyed.h"
#include "system/fault.h"
#include "system/sys.h"

/* Tables take 1/SHARE of the memory, at most BYTES_MAX. */
TUNABLE(SHARE, 8, 8, 1 << 16);
TUNABLE(BYTES_MAX, 32 << 20, 1 << 10, 32 << 20);

/* A slot is fetched this many records before it is looked at. */
TUNABLE(AHEAD, 8, 1, 8);

/* After TRIED records of which less than 1/WORTH_SHARE came again, only one slice in TRY_SHARE is looked at, until more
 * come again: a sorted file may end with the same line many times. */
TUNABLE(TRIED, 1 << 16, 1, 1 << 16);
TUNABLE(TRY_SHARE, 32, 1, 32);
enum { FIRST_SLOTS = 1024, WORTH_SHARE = 32 };

/* The table of a lane, which one thread at a time uses. */
struct keys {
    _Alignas(SYS_APART_BYTES) struct siphash_pair *slot;
    uint64_t slots, most;         /* powers of two */
    uint64_t added;               /* records whose keys were not in their slots */
    uint64_t tried, again, slice; /* recently: records looked at, those that came again, and slices */
};

struct seen {
    struct keys *lane;
    void *memory;
    size_t bytes;
};

size_t seen_memory(uint64_t bytes)
{
    return (size_t)least(bytes / SHARE, BYTES_MAX);
}

struct seen *seen_open(unsigned lanes, size_t bytes)
{
    struct seen *seen = fault_allocate(1, sizeof *seen);
    uint64_t most = 1;

    while (2 * most * lanes * sizeof(struct siphash_pair) <= bytes)
        most *= 2;
    *seen = (struct seen){.lane = fault_memory(sys_allocate_apart(lanes, sizeof *seen->lane)),
                          .memory = fault_memory(sys_map(bytes)),
                          .bytes = bytes};
    for (unsigned l = 0; l < lanes; l++)
        seen->lane[l] = (struct keys){
            .slot = (struct siphash_pair *)seen->memory + l * most, .slots = least(FIRST_SLOTS, most), .most = most};
    return seen;
}

void seen_close(struct seen *seen)
{
    if (seen == NULL)
        return;
    sys_unmap(seen->memory, seen->bytes);
    free(seen->lane);
    free(seen);
}

static struct siphash_pair *slot_of(const struct keys *keys, struct siphash_pair hash)
{
    return &keys->slot[hash.word[1] & (keys->slots - 1)];
}

size_t seen_drop(struct seen *seen, struct queue_block *block, unsigned lane)
{
    struct keys *keys = &seen->lane[lane];
    const size_t end = block->lane_start[lane + 1];
    size_t kept = block->lane_start[lane];

    if (keys->tried >= TRIED && keys->again < keys->tried / WORTH_SHARE && ++keys->slice % TRY_SHARE > 0)
        return end;
    for (size_t i = kept; i < end; i++) {
        const uint32_t number = block->number[i];
        const struct siphash_pair hash = block->hash[number];
        struct siphash_pair *slot = slot_of(keys, hash);
        const bool in_pieces = (number == 0 && block->continues) || number == block->records;
        const bool again = keyed_is_same(*slot, hash);

        if (end - i > AHEAD)
            __builtin_prefetch(slot_of(keys, block->hash[block->number[i + AHEAD]]), 1);
        *slot = hash;
        keys->again += again;
        keys->added += !again;
        block->pieces[kept] = block->pieces[i];
        block->number[kept] = number;
        kept += in_pieces || !again;
    }
    keys->tried += end - block->lane_start[lane];
    if (keys->tried >= 2 * TRIED) {
        keys->tried /= 2;
        keys->again /= 2;
    }
    while (keys->added > keys->slots && keys->slots < keys->most)
        keys->slots *= 2;
    return kept;
}
