#include "shuffle/transfer.h"

#include "shuffle/pile.h"

static void drain(void *context)
{
    struct transfer *transfer = context;

    output_buffer_drain(&transfer->outlet, transfer->output);
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

void transfer_end(struct transfer *transfer)
{
    drain(transfer);
}

void transfer_of_pile(const struct engine *engine, const struct record_format *format, struct piles *piles, unsigned p,
                      struct output *output)
{
    const struct engine_space buffer = engine_buffer(engine, ENGINE_WHOLE);
    struct source *source;
    size_t bytes;

    pile_source_verify(piles, p, format, buffer.data, buffer.bytes);
    source = pile_source(piles, p, false);
    while ((bytes = source_read(source, buffer.data, buffer.bytes)) > 0)
        output_write(output, buffer.data, bytes);
    source_free(source);
}
