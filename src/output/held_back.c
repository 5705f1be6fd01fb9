/* The temporary file is written in whole buffers and read back through the same buffer, after the rest in it has been
 * appended, too. */

#include "output/held_back.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "system/sys.h"

uint64_t held_back_bytes(const struct held_back *hold)
{
    return hold->spill_bytes + hold->memory_bytes;
}

static int spill_memory(struct held_back *hold)
{
    struct iovec piece = {.iov_base = hold->memory, .iov_len = hold->memory_bytes};

    if (hold->spill == NULL)
        hold->spill = spill_open(hold->place, 1);
    if (hold->spill == NULL || storage_write(hold->spill, 0, &piece, 1) != 0)
        return -1;
    hold->spill_bytes += hold->memory_bytes;
    hold->memory_bytes = 0;
    return 0;
}

int held_back_append(struct held_back *hold, const uint8_t *data, size_t bytes)
{
    if (hold->memory == NULL)
        hold->memory = sys_allocate(HELD_BACK_MEMORY_BYTES, 1);
    if (hold->memory == NULL)
        return fault_report(hold->place->fault, "memory", errno);
    while (bytes > 0) {
        size_t room = HELD_BACK_MEMORY_BYTES - hold->memory_bytes;
        size_t part = bytes < room ? bytes : room;

        if (room == 0) {
            if (spill_memory(hold) != 0)
                return -1;
            continue;
        }
        memcpy(hold->memory + hold->memory_bytes, data, part);
        hold->memory_bytes += part;
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
static int read_spill(struct held_back *hold, write_function *write, void *context)
{
    struct storage_reader reader;
    int status = 0;

    storage_reader_init(&reader, hold->spill, 0);
    while (status == 0 && reader.left > 0) {
        size_t bytes = reader.left < HELD_BACK_MEMORY_BYTES ? (size_t)reader.left : HELD_BACK_MEMORY_BYTES;
        struct iovec piece = {.iov_base = hold->memory, .iov_len = bytes};

        status = storage_reader_read(&reader, &piece, 1);
        if (status == 0)
            status = write(context, hold->memory, bytes);
    }
    storage_reader_release(&reader);
    return status;
}

/* Once to verify it, since nothing damaged may be handed over, and once to hand it over. It is gone after this, also
 * if it fails. */
static int drain_spill(struct held_back *hold, write_function *write, void *context)
{
    int status = read_spill(hold, drop, NULL);

    if (status == 0)
        status = read_spill(hold, write, context);
    storage_free(hold->spill);
    hold->spill = NULL;
    hold->spill_bytes = 0;
    return status;
}

int held_back_drain(struct held_back *hold, int (*write)(void *context, uint8_t *data, size_t bytes), void *context)
{
    size_t rest;

    if (hold->spill != NULL) {
        if (spill_memory(hold) != 0)
            return -1;
        return drain_spill(hold, write, context);
    }
    rest = hold->memory_bytes;
    hold->memory_bytes = 0;
    return rest == 0 ? 0 : write(context, hold->memory, rest);
}

void held_back_release(struct held_back *hold)
{
    storage_free(hold->spill);
    free(hold->memory);
    *hold = (struct held_back){0};
}
