#include "output/held_back.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/xxh64.h"
#include "system/fault.h"

enum { SUM_BYTES = sizeof(uint64_t) };

/* Move the bytes in memory to the file, and their checksum after them. */
static void store_held(struct held_back *held)
{
    const uint64_t sum = xxh64(held->memory, held->memory_bytes);

    memcpy(held->memory + held->memory_bytes, &sum, SUM_BYTES);
    reread_append(&held->before, held->place, held->memory, held->memory_bytes + SUM_BYTES);
    held->memory_bytes = 0;
}

/* Read the next stored piece into memory. Since it may go to standard output, it has a checksum of its own; the last
 * one has been checked with the whole file. */
static void fetch_held(struct held_back *held)
{
    struct storage *file = held->before.storage;
    uint64_t sum;

    held->memory_bytes = reread_next(&held->before, held->memory, HELD_BACK_MEMORY_BYTES + SUM_BYTES) - SUM_BYTES;
    sum = xxh64(held->memory, held->memory_bytes);
    if (reread_has(&held->before) && memcmp(held->memory + held->memory_bytes, &sum, SUM_BYTES) != 0)
        file->kind->report(file, 0);
}

void held_back_append(struct held_back *held, const uint8_t *data, size_t bytes)
{
    if (held->memory == NULL)
        held->memory = fault_allocate(HELD_BACK_MEMORY_BYTES + SUM_BYTES, 1);
    for (size_t part; bytes > 0; data += part, bytes -= part) {
        if (held->memory_bytes == HELD_BACK_MEMORY_BYTES)
            store_held(held);
        part = least_size(bytes, HELD_BACK_MEMORY_BYTES - held->memory_bytes);
        memcpy(held->memory + held->memory_bytes, data, part);
        held->memory_bytes += part;
    }
}

void held_back_drain(struct held_back *held, void (*write)(void *context, uint8_t *data, size_t bytes), void *context)
{
    if (reread_has(&held->before)) {
        store_held(held);
        reread_begin(&held->before);
    }
    do {
        if (reread_has(&held->before))
            fetch_held(held);
        write(context, held->memory, held->memory_bytes);
    } while (reread_has(&held->before));
    held->memory_bytes = 0;
}

void held_back_release(struct held_back *held)
{
    reread_release(&held->before);
    free(held->memory);
    *held = (struct held_back){0};
}
