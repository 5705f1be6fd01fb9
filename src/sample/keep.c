#include "sample/keep.h"

#include "base/must.h"

bool keep_may_count(const struct run *run, const struct source *source)
{
    return run->rereads && source->known_bytes > engine_pool_bytes(&run->engine);
}

bool keep_first_admit(struct keep_first *first, uint64_t number)
{
    MUST(first->limit > 0);
    if (number >= first->kept)
        return false;
    first->count[number]++;
    first->candidates++;
    for (; first->candidates - first->count[first->kept - 1] >= first->limit; first->kept--)
        first->candidates -= first->count[first->kept - 1];
    return number < first->kept;
}

/* Count the records of a source, without finding each. */
static void count_records(struct run *run, struct source *source)
{
    const struct engine_space space = engine_buffer(&run->engine, ENGINE_READING);
    const uint8_t *data;
    struct record_scan scan = {0};
    size_t bytes;
    bool whole;

    while ((bytes = source_next(source, space.data, space.bytes, &data, NULL)) > 0) {
        counter_add(&run->progress->records, record_count(&run->format, &scan, data, bytes, &whole));
        if (data != space.data)
            source_forget(source, data + bytes);
    }
}

/* Store the kept records of a source, and count all. */
static void store_records(struct run *run, struct source *source, struct keep_rule *rule, struct piles *piles)
{
    counter *const counted = &run->progress->records;
    uint64_t records = 0;
    struct transfer transfer;
    struct record_piece piece;
    bool stays = true;

    run_transfer(&transfer, run, source, NULL);
    while (weight_input_next(rule->weights, &transfer.reader, &piece, &rule->weight)) {
        if (piece.first && rule->admit != NULL)
            stays = rule->admit(rule->context, records);
        if (stays && !rule->counts_only)
            pile_append(piles, 0, piece.data, piece.bytes);
        pile_count(piles, 0, piece.last && stays);
        records += piece.last;
        counter_set(counted, records);
    }
}

void keep_records(struct run *run, struct source *source, struct keep_rule *rule, struct piles *piles, unsigned count)
{
    piles_init(piles, count, 1, &run->engine.pool, spill_open(run->engine.place, count));
    if (rule->counts_only && rule->weights == NULL) {
        count_records(run, source);
        pile_count(piles, 0, (int64_t)counter_get(&run->progress->records));
    } else {
        store_records(run, source, rule, piles);
    }
    piles_seal(piles);
    run_scattered(run);
}

void keep_write(struct run *run, struct source *source, uint64_t records, keep_function *admit, void *context,
                struct output *output)
{
    struct transfer transfer;
    struct record_piece piece;
    uint64_t record = 0;
    bool more, stays = true;

    run_transfer(&transfer, run, source, output);
    more = record_reader_next(&transfer.reader, &piece);
    run_begin(run, output, records);
    for (; more; more = record_reader_next(&transfer.reader, &piece)) {
        if (piece.first)
            stays = admit(context, record++);
        if (stays)
            run_transfer_piece(&transfer, &piece);
        counter_add(&run->progress->written, piece.last && stays);
    }
    run_transfer_end(&transfer);
}
