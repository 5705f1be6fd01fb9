/* Whenever the memory is full it is appended to the temporary file. What is in the file is read back through the same
 * memory, after what was still in that has been appended, too. */

#include "output/held_back.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "system/sys.h"

static int spill_memory(struct held_back *held)
{
    struct iovec piece = {.iov_base = held->memory, .iov_len = held->memory_bytes};

    if (held->spill == NULL)
        held->spill = spill_open(held->place, 1);
    if (held->spill == NULL || storage_write(held->spill, 0, &piece, 1) != 0)
        return -1;
    held->memory_bytes = 0;
    return 0;
}

int held_back_append(struct held_back *held, const uint8_t *data, size_t bytes)
{
    if (held->memory == NULL)
        held->memory = sys_allocate(HELD_BACK_MEMORY_BYTES, 1);
    if (held->memory == NULL)
        return fault_report("memory", errno);
    while (bytes > 0) {
        size_t room = HELD_BACK_MEMORY_BYTES - held->memory_bytes;
        size_t part = bytes < room ? bytes : room;

        if (room == 0) {
            if (spill_memory(held) != 0)
                return -1;
            continue;
        }
        memcpy(held->memory + held->memory_bytes, data, part);
        held->memory_bytes += part;
        data += part;
        bytes -= part;
    }
    return 0;
}

typedef int write_function(void *context, uint8_t *data, size_t bytes);

static int drop(void *context, uint8_t *data, size_t bytes)
{
    (void)context;
    (void)data;
    (void)bytes;
    return 0;
}

/* Read the temporary file from beginning to end. */
static int read_spill(struct held_back *held, write_function *write, void *context)
{
    struct storage_reader reader;
    int status = 0;

    storage_reader_init(&reader, held->spill, 0);
    while (status == 0 && reader.left > 0) {
        size_t bytes = reader.left < HELD_BACK_MEMORY_BYTES ? (size_t)reader.left : HELD_BACK_MEMORY_BYTES;
        struct iovec piece = {.iov_base = held->memory, .iov_len = bytes};

        status = storage_reader_read(&reader, &piece, 1);
        if (status == 0)
            status = write(context, held->memory, bytes);
    }
    storage_reader_release(&reader);
    return status;
}

/* The file is read twice: to verify it, since nothing damaged may be handed over, and to hand it over. It is gone after
 * this, also if it fails. */
static int drain_spill(struct held_back *held, write_function *write, void *context)
{
    int status = read_spill(held, drop, NULL);

    if (status == 0)
        status = read_spill(held, write, context);
    storage_free(held->spill);
    held->spill = NULL;
    return status;
}

int held_back_drain(struct held_back *held, int (*write)(void *context, uint8_t *data, size_t bytes), void *context)
{
    size_t rest;

    if (held->spill != NULL) {
        if (spill_memory(held) != 0)
            return -1;
        return drain_spill(held, write, context);
    }
    rest = held->memory_bytes;
    held->memory_bytes = 0;
    return rest == 0 ? 0 : write(context, held->memory, rest);
}

void held_back_release(struct held_back *held)
{
    storage_free(held->spill);
    free(held->memory);
    *held = (struct held_back){0};
}
