/* Half of the buffer is for the walk, the other for the outlet; more than a few hundred KiB are of no use to either. */

#include "shuffle/transfer.h"

#include <errno.h>

static const size_t BYTES_MAX = (size_t)512 << 10;

static int drain(void *context)
{
    struct passage *passage = context;

    return outlet_drain(&passage->outlet, passage->output);
}

void passage_init(struct passage *passage, struct run *run, struct source *source, struct output *output)
{
    size_t half = run->memory.buffer_bytes / 2;
    size_t bytes = half < BYTES_MAX ? half : BYTES_MAX;

    passage->output = output;
    walk_init(&passage->walk, &run->format, source, run->buffer, bytes - POOL_SLACK_BYTES);
    outlet_init(&passage->outlet, run->buffer + half, bytes, drain, passage);
}

int passage_end(struct passage *passage)
{
    return drain(passage);
}

int passage_of_pile(struct run *run, struct piles *piles, unsigned p, struct output *output)
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
