/* Whenever the memory is full it is appended to the temporary file. What is in the file is read back through the same
 * memory, after what was still in that has been appended, too. */

#include "output/held_back.h"

#include <stdlib.h>
#include <string.h>

#include "system/fault.h"

static void spill_memory(struct held_back *held)
{
    struct iovec piece = {.iov_base = held->memory, .iov_len = held->memory_bytes};

    if (held->spill == NULL)
        held->spill = spill_open(held->place, 1);
    storage_write(held->spill, 0, &piece, 1);
    held->memory_bytes = 0;
}

void held_back_append(struct held_back *held, const uint8_t *data, size_t bytes)
{
    if (held->memory == NULL)
        held->memory = fault_allocate(HELD_BACK_MEMORY_BYTES, 1);
    while (bytes > 0) {
        size_t room = HELD_BACK_MEMORY_BYTES - held->memory_bytes;
        size_t part = bytes < room ? bytes : room;

        if (room == 0) {
            spill_memory(held);
            continue;
        }
        memcpy(held->memory + held->memory_bytes, data, part);
        held->memory_bytes += part;
        data += part;
        bytes -= part;
    }
}

typedef void write_function(void *context, uint8_t *data, size_t bytes);

static void drop(void *context, uint8_t *data, size_t bytes)
{
    (void)context;
    (void)data;
    (void)bytes;
}

/* Read the temporary file from beginning to end. */
static void read_spill(struct held_back *held, write_function *write, void *context)
{
    struct storage_reader reader;

    storage_reader_init(&reader, held->spill, 0);
    while (reader.left > 0) {
        size_t bytes = reader.left < HELD_BACK_MEMORY_BYTES ? (size_t)reader.left : HELD_BACK_MEMORY_BYTES;
        struct iovec piece = {.iov_base = held->memory, .iov_len = bytes};

        storage_reader_read(&reader, &piece, 1);
        write(context, held->memory, bytes);
    }
    storage_reader_release(&reader);
}

/* The file is read twice: to verify it, since nothing damaged may be handed over, and to hand it over. Then it is gone.
 */
static void drain_spill(struct held_back *held, write_function *write, void *context)
{
    read_spill(held, drop, NULL);
    read_spill(held, write, context);
    storage_free(held->spill);
    held->spill = NULL;
}

void held_back_drain(struct held_back *held, void (*write)(void *context, uint8_t *data, size_t bytes), void *context)
{
    size_t rest;

    if (held->spill != NULL) {
        spill_memory(held);
        drain_spill(held, write, context);
        return;
    }
    rest = held->memory_bytes;
    held->memory_bytes = 0;
    if (rest > 0)
        write(context, held->memory, rest);
}

void held_back_release(struct held_back *held)
{
    storage_free(held->spill);
    free(held->memory);
    *held = (struct held_back){0};
}
