#include "shuffle/run.h"

#include "shuffle/pile_source.h"
#include "system/fault.h"
#include "system/sys.h"

/* The range of --part, before `skip` and `limit` cut it. */
static struct run_range part_of_order(const struct run *run, uint64_t records)
{
    if (run->parts == 0)
        return (struct run_range){.end = records};
    return (struct run_range){part_end(records, run->part - 1, run->parts), part_end(records, run->part, run->parts)};
}

struct run_range run_range(const struct run *run, uint64_t records)
{
    struct run_range range = part_of_order(run, records);

    if (run->parts > 0 && records == UINT64_MAX)
        return (struct run_range){.end = UINT64_MAX};
    range.first += least(run->skip, range.end - range.first);
    if (run->limit < range.end - range.first)
        range.end = range.first + run->limit;
    return range;
}

uint64_t run_left(const struct run *run)
{
    const struct run_progress *progress = run->progress;
    const uint64_t end = progress->begun ? progress->range.end : run_range(run, UINT64_MAX).end;

    return end < UINT64_MAX ? end - least(end, progress->passed) : UINT64_MAX;
}

uint64_t run_pass(struct run *run, uint64_t records, uint64_t *skipped)
{
    struct run_progress *progress = run->progress;
    uint64_t taken;

    records = least(records, run_left(run));
    *skipped = progress->range.first > progress->passed ? least(records, progress->range.first - progress->passed) : 0;
    taken = records - *skipped;
    progress->passed += records;
    counter_add_shared(&progress->written, taken);
    return taken;
}

uint64_t run_take(struct run *run, uint64_t records)
{
    uint64_t skipped;

    return run_pass(run, records, &skipped);
}

bool run_skips(struct run *run, uint64_t records)
{
    struct run_progress *progress = run->progress;

    if (progress->passed + records > progress->range.first)
        return false;
    progress->passed += records;
    return true;
}

uint64_t run_settle(struct run *run, uint64_t records)
{
    const struct run_range part = part_of_order(run, records), range = run_range(run, records);
    const uint64_t all = part.end - part.first;

    if (run->skip > all && run->limit > 0)
        die("--skip=%llu: only %llu record%s; to leave out a header, use --header", (unsigned long long)run->skip,
            (unsigned long long)all, all == 1 ? "" : "s");
    run->progress->begun = true;
    run->progress->cut = range.first > 0 || range.end < records;
    run->progress->range = range;
    return range.end < UINT64_MAX ? range.end - range.first : UINT64_MAX;
}

void run_begin(struct run *run, struct output *output, uint64_t records)
{
    const uint64_t settled = run_settle(run, records);
    const struct header *header = run->input != NULL ? stream_header(run->input) : NULL;

    output_begin(output, settled, header != NULL ? header->text : NULL, header != NULL ? header->text_bytes : 0);
}

void run_scattered(struct run *run)
{
    struct run_progress *progress = run->progress;
    const uint64_t records = counter_get(&progress->records);

    if (run->input != NULL)
        counter_set(&progress->bytes, stream_arrived_bytes(run->input));
    counter_set(&progress->scattered, sys_milliseconds());
    run_expects(run, records);
}

void run_expects(const struct run *run, uint64_t records)
{
    if (run->expected != UINT64_MAX && run->expected != records)
        die("%s: the number of records is %llu, not %llu as %s%s", run->input_name, (unsigned long long)records,
            (unsigned long long)run->expected, run->like != NULL ? "in " : "--expect-records says",
            run->like != NULL ? run->like : "");
}

/* ---- Record by record ---- */

void run_transfer_end(struct transfer *transfer)
{
    output_buffer_drain(&transfer->outlet, transfer->output);
}

static void drain_transfer(void *context)
{
    run_transfer_end(context);
}

void run_transfer(struct transfer *transfer, const struct run *run, struct source *source, struct output *output)
{
    const struct engine_space reading = engine_buffer(&run->engine, ENGINE_READING);
    const struct engine_space writing = engine_buffer(&run->engine, ENGINE_WRITING);

    transfer->output = output;
    record_reader_init(&transfer->reader, &run->format, source, reading.data, reading.bytes);
    output_buffer_init(&transfer->outlet, writing.data, writing.bytes, output != NULL && output_needs(output)->ends,
                       drain_transfer, transfer);
}

void run_transfer_piece(struct transfer *transfer, const struct record_piece *piece)
{
    output_buffer_put(&transfer->outlet, piece->data, piece->bytes);
    if (piece->last)
        output_buffer_end_unit(&transfer->outlet);
}

void run_transfer_pile(struct run *run, struct piles *piles, unsigned p, struct output *output)
{
    struct source *source;
    struct transfer transfer;
    struct record_piece piece;
    uint64_t skipped, taken;

    pile_source_verify(&run->engine, piles, p, &run->format);
    taken = run_pass(run, piles->pile[p].records, &skipped);
    source = pile_source(piles, p, false);
    run_transfer(&transfer, run, source, output);
    for (uint64_t i = 0; i < skipped + taken && record_reader_next(&transfer.reader, &piece); i += piece.last)
        if (i >= skipped)
            run_transfer_piece(&transfer, &piece);
    run_transfer_end(&transfer);
    source_free(source);
    pile_clear(piles, p);
}
