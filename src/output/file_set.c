/* A hash table: a file is in the slot that its number says, or in the next one that was free. */

#include "output/file_set.h"

#include <stdlib.h>

#include "system/fault.h"

enum { SLOTS_MIN = 16 };

struct file_set_slot {
    uint64_t file; /* 0: the slot is free */
    size_t number;
};

/* The slot in which the file is or would be. Numbers of files often follow one another, and are multiplied by
 * 2^64 / phi, which spreads them over the high bits. */
static struct file_set_slot *find_slot(const struct file_set *set, uint64_t file)
{
    size_t i = (size_t)((file * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (set->slots - 1);

    while (set->slot[i].file != 0 && set->slot[i].file != file)
        i = (i + 1) & (set->slots - 1);
    return &set->slot[i];
}

/* Twice as many slots, in which all files find new places. */
static void grow(struct file_set *set)
{
    const struct file_set before = *set;

    set->slots = before.slots > 0 ? 2 * before.slots : SLOTS_MIN;
    set->slot = fault_allocate(set->slots, sizeof *set->slot);
    for (size_t i = 0; i < before.slots; i++)
        if (before.slot[i].file != 0)
            *find_slot(set, before.slot[i].file) = before.slot[i];
    free(before.slot);
}

size_t file_set_add(struct file_set *set, uint64_t file, size_t number)
{
    struct file_set_slot *slot;

    if (file == 0)
        return number;
    if (set->count >= set->slots / 4 * 3)
        grow(set);
    slot = find_slot(set, file);
    if (slot->file == 0) {
        *slot = (struct file_set_slot){.file = file, .number = number};
        set->count++;
    }
    return slot->number;
}

size_t file_set_find(const struct file_set *set, uint64_t file)
{
    const struct file_set_slot *slot;

    if (file == 0 || set->slots == 0)
        return FILE_SET_NONE;
    slot = find_slot(set, file);
    return slot->file == file ? slot->number : FILE_SET_NONE;
}

void file_set_release(struct file_set *set)
{
    free(set->slot);
    *set = (struct file_set){.count = 0};
}
