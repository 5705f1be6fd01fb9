#include "shuffle/transfer.h"

#include "shuffle/pile_source.h"

static int drain(void *context)
{
    struct transfer *transfer = context;

    return output_buffer_drain(&transfer->outlet, transfer->output);
}

void transfer_init(struct transfer *transfer, const struct engine *engine, const struct record_format *format,
                   struct source *source, struct output *output)
{
    const struct engine_space reading = engine_buffer(engine, ENGINE_READING);
    const struct engine_space writing = engine_buffer(engine, ENGINE_WRITING);

    transfer->output = output;
    record_reader_init(&transfer->reader, format, source, reading.data, reading.bytes);
    output_buffer_init(&transfer->outlet, writing.data, writing.bytes, drain, transfer);
}

int transfer_end(struct transfer *transfer)
{
    return drain(transfer);
}

int transfer_of_pile(const struct engine *engine, const struct record_format *format, struct piles *piles, unsigned p,
                     struct output *output)
{
    const struct engine_space buffer = engine_buffer(engine, ENGINE_WHOLE);
    struct source *source = NULL;
    ssize_t bytes = -1;

    if (pile_source_verify(piles, p, format, buffer.data, buffer.bytes) != 0)
        return -1;
    source = pile_source(piles, p, false);
    if (source == NULL)
        return -1;
    while ((bytes = source_read(source, buffer.data, buffer.bytes)) > 0)
        if (output_write(output, buffer.data, (size_t)bytes) != 0)
            break;
    source_free(source);
    return bytes == 0 ? 0 : -1;
}
