#include "output/held_back.h"

#include <stdlib.h>
#include <string.h>

#include "system/fault.h"

void held_back_append(struct held_back *held, const uint8_t *data, size_t bytes)
{
    if (held->memory == NULL)
        held->memory = fault_allocate(HELD_BACK_MEMORY_BYTES, 1);
    if (bytes > HELD_BACK_MEMORY_BYTES - held->memory_bytes) {
        reread_append(&held->before, held->place, held->memory, held->memory_bytes);
        reread_append(&held->before, held->place, data, bytes);
        held->memory_bytes = bytes = 0;
    }
    memcpy(held->memory + held->memory_bytes, data, bytes);
    held->memory_bytes += bytes;
}

/* The bytes still in memory are appended first. All is verified before any of it is handed over, since that may go to
 * standard output. */
void held_back_drain(struct held_back *held, void (*write)(void *context, uint8_t *data, size_t bytes), void *context)
{
    size_t bytes = held->memory_bytes;

    held->memory_bytes = 0;
    if (!reread_has(&held->before)) {
        write(context, held->memory, bytes);
        return;
    }
    reread_append(&held->before, held->place, held->memory, bytes);
    reread_verify(&held->before, held->memory, HELD_BACK_MEMORY_BYTES);
    while (reread_has(&held->before)) {
        bytes = reread_next(&held->before, held->memory, HELD_BACK_MEMORY_BYTES);
        write(context, held->memory, bytes);
    }
}

void held_back_release(struct held_back *held)
{
    reread_release(&held->before);
    free(held->memory);
    *held = (struct held_back){0};
}
