#include "sample/keep.h"

#include "shuffle/index.h"
#include "shuffle/transfer.h"

bool keep_may_count(const struct run *run, const struct source *source)
{
    return run->rereads && !run->refers && source_known_bytes(source) > engine_pool_bytes(&run->engine);
}

/* Of a record that is referred to, its first piece is all that is needed. False if there is no room for references. */
static bool store(struct piles *piles, unsigned pile, const struct record_piece *piece)
{
    uint64_t reference;

    if (piles->base == NULL)
        return pile_try_append(piles, pile, piece->data, piece->bytes);
    reference = reference_make((uint64_t)(piece->data - piles->base), piece->last ? piece->bytes : UINT64_MAX);
    return !piece->first || pile_try_append(piles, pile, (const uint8_t *)&reference, sizeof reference);
}

void keep_records(struct run *run, struct source *source, const struct keep_rule *rule, struct piles *piles,
                  unsigned pile)
{
    counter *const counted = &run->progress->records;
    uint64_t records = 0;
    struct transfer transfer;
    struct record_piece piece;
    bool stays = true;

    transfer_init(&transfer, &run->engine, &run->format, source, NULL);
    transfer.reader.keeps = piles->base != NULL;
    while (rule->next == NULL ? record_reader_next(&transfer.reader, &piece)
                              : rule->next(rule->context, &transfer.reader, &piece)) {
        if (piece.first && rule->admit != NULL)
            stays = rule->admit(rule->context, records);
        if (stays && !rule->counts_only && !store(piles, pile, &piece)) {
            run->progress->must_copy = true;
            return;
        }
        pile_count(piles, pile, piece.last && stays);
        records += piece.last;
        counter_set(counted, records);
    }
    piles_seal(piles);
    run_scattered(run);
}
