#include "output/held_back.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "system/fault.h"

void held_back_append(struct held_back *held, uint8_t *data, size_t bytes)
{
    struct iovec pieces[2];

    if (held->memory == NULL)
        held->memory = fault_allocate(HELD_BACK_MEMORY_BYTES, 1);
    if (bytes <= HELD_BACK_MEMORY_BYTES - held->memory_bytes) {
        memcpy(held->memory + held->memory_bytes, data, bytes);
        held->memory_bytes += bytes;
        return;
    }
    if (held->spill == NULL)
        held->spill = spill_open(held->place, 1);
    pieces[0] = (struct iovec){.iov_base = held->memory, .iov_len = held->memory_bytes};
    pieces[1] = (struct iovec){.iov_base = data, .iov_len = bytes};
    storage_write(held->spill, 0, pieces, 2);
    held->memory_bytes = 0;
}

/* Read what is in the temporary file through the memory; to verify it, if `write` is NULL. */
static void read_spill(struct held_back *held, void (*write)(void *context, uint8_t *data, size_t bytes), void *context)
{
    struct storage_reader reader;

    storage_reader_init(&reader, held->spill, 0);
    while (reader.left > 0) {
        const size_t bytes = (size_t)least(reader.left, HELD_BACK_MEMORY_BYTES);
        struct iovec piece = {.iov_base = held->memory, .iov_len = bytes};

        storage_reader_read(&reader, &piece, 1);
        if (write != NULL)
            write(context, held->memory, bytes);
    }
    storage_reader_release(&reader);
}

/* The bytes still in memory are appended first. All is verified before any of it is handed over, since that may go to
 * standard output. */
static void drain_spill(struct held_back *held, void (*write)(void *context, uint8_t *data, size_t bytes),
                        void *context)
{
    struct iovec piece = {.iov_base = held->memory, .iov_len = held->memory_bytes};

    if (held->memory_bytes > 0)
        storage_write(held->spill, 0, &piece, 1);
    read_spill(held, NULL, NULL);
    read_spill(held, write, context);
    storage_free(held->spill);
    held->spill = NULL;
    held->memory_bytes = 0;
}

void held_back_drain(struct held_back *held, void (*write)(void *context, uint8_t *data, size_t bytes), void *context)
{
    const size_t bytes = held->memory_bytes;

    if (held->spill != NULL) {
        drain_spill(held, write, context);
    } else if (bytes > 0) {
        held->memory_bytes = 0;
        write(context, held->memory, bytes);
    }
}

void held_back_release(struct held_back *held)
{
    storage_free(held->spill);
    free(held->memory);
    *held = (struct held_back){0};
}
