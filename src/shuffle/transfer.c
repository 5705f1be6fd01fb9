/* Half of the buffer is for the walk, the other for the outlet; more than a few hundred KiB are of no use to either. */

#include "shuffle/transfer.h"

#include <errno.h>

static const size_t BYTES_MAX = (size_t)512 << 10;

static int drain(void *context)
{
    struct transfer *transfer = context;

    return output_buffer_drain(&transfer->outlet, transfer->output);
}

void transfer_init(struct transfer *transfer, struct run *run, struct source *source, struct output *output)
{
    size_t half = run->memory.buffer_bytes / 2;
    size_t bytes = half < BYTES_MAX ? half : BYTES_MAX;

    transfer->output = output;
    record_reader_init(&transfer->reader, &run->format, source, run->buffer, bytes - POOL_SLACK_BYTES);
    output_buffer_init(&transfer->outlet, run->buffer + half, bytes, drain, transfer);
}

int transfer_end(struct transfer *transfer)
{
    return drain(transfer);
}

int transfer_of_pile(struct run *run, struct piles *piles, unsigned p, struct output *output)
{
    struct source *source = NULL;
    ssize_t bytes = -1;

    if (pile_verify(piles, p, &run->format, run->buffer, run->memory.buffer_bytes) != 0)
        return -1;
    source = pile_source(piles, p, false);
    if (source == NULL)
        return fault_report(run->fault, "memory", errno);
    while ((bytes = source_read(source, run->buffer, run->memory.buffer_bytes)) > 0)
        if (output_write(output, run->buffer, (size_t)bytes) != 0)
            break;
    source_free(source);
    return bytes == 0 ? 0 : -1;
}
