/*
 * Pass 2 of a shuffle as a job. Its piles are in their storage from the start, each in the files of several batches.
 * They are gathered as those of other shuffles are, but each is a tree of its own, with its own key; one that does not
 * fit into memory is started over through temporary files.
 */

#include "job/gather_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/number.h"
#include "job/room.h"
#include "shuffle/engine.h"
#include "shuffle/gather.h"
#include "shuffle/shuffle.h"
#include "store/batch.h"
#include "store/reader.h"
#include "store/store.h"
#include "system/fault.h"
#include "system/io.h"

/* Bytes of the records in all piles. */
static uint64_t bytes_of(const struct store_reader *reader)
{
    uint64_t bytes = 0;

    for (unsigned p = 0; p < reader->count; p++)
        bytes += reader->pile[p].bytes;
    return bytes;
}

/* Write the reader's piles in its order. */
static void write_piles(struct resources *resources, struct run *run, struct store_reader *reader)
{
    struct order *orders = fault_allocate(reader->count, sizeof *orders);
    struct gather_order order = {.orders = orders};
    struct piles piles = {0};

    piles_init_stored(&piles, reader->count, &run->engine.pool, &reader->storage);
    for (unsigned p = 0; p < reader->count; p++) {
        pile_stored(&piles, p, reader->pile[p].records, reader->pile[p].bytes);
        orders[p] = order_of_pile(&run->order, resources->options.epoch, reader->number[p]);
    }
    counter_set(&run->progress->records, piles.records);
    counter_set(&run->progress->bytes, bytes_of(reader));
    resources_find_columns(resources, resources->options.gather, reader->header, reader->header_bytes);
    shuffle_count(run, &piles);
    run_scattered(run);
    output_begin(resources->output, run_settle(run, piles.records), reader->header, reader->header_bytes);
    shuffle_piles(run, &piles, order, resources->output);
    piles_release(&piles);
    free(orders);
}

/* Bytes that the piles take in memory, all of them at once. */
static uint64_t memory_of(const struct store_reader *reader)
{
    uint64_t records = 0;

    for (unsigned p = 0; p < reader->count; p++)
        records += reader->pile[p].records;
    return gather_memory(bytes_of(reader), records);
}

/* Gather the piles of the store whose numbers are number[0] ... number[count - 1]. */
static void gather_piles(struct resources *resources, const uint32_t *number, unsigned count)
{
    const struct options *options = &resources->options;
    struct store_reader *reader = store_reader_open(&resources->store, number, count);
    struct run run = {.limit = 0};

    if (reader->batches == 0)
        fault_say("%s: the store has no batches; --scatter adds them", options->gather);
    resources_open_output(resources);
    output_check_outside(resources->output, options->gather);
    room_check_output(options, bytes_of(reader), resources->output);
    resources_check_temporary(resources);
    resources_open_large_run(resources, &run, resources_memory(resources, memory_of(reader)));
    engine_limit_files(&run.engine);
    write_piles(resources, &run, reader);
    output_commit(resources->output);
    progress_summarize(&resources->progress, resources->seed, NULL, reader->batches);
    engine_close(&run.engine);
    store_reader_free(reader);
}

/* Gather the piles that are wanted in the order of the seed and the epoch: --part counts places in this order, --piles
 * numbers of piles. */
static void gather_wanted(struct resources *resources)
{
    const struct options *options = &resources->options;
    const unsigned piles = resources->store.format.piles;
    uint64_t first = options->pile_first;
    uint64_t last = options->pile_last < UINT64_MAX ? options->pile_last : piles - 1;
    unsigned count = 0;
    uint32_t *number;

    if (last >= piles)
        fault_say("%s: there is no pile %llu; the last one is %u", options->gather, (unsigned long long)last,
                  piles - 1);
    if (options->parts > piles)
        fault_say("%s: --part must not have more parts than the %u piles", options->gather, piles);
    if (options->parts > 0) {
        first = part_end(piles, options->part - 1, options->parts);
        last = part_end(piles, options->part, options->parts) - 1;
    }
    resources_take_seed(resources);
    number = fault_allocate(piles, sizeof *number);
    order_of_epoch(&resources->order, options->epoch, piles, number);
    for (unsigned place = 0; place < piles; place++) {
        uint32_t counted = options->parts > 0 ? place : number[place];

        if (counted >= first && counted <= last)
            number[count++] = number[place];
    }
    gather_piles(resources, number, count);
    free(number);
}

void gather_store(struct resources *resources)
{
    const struct options *options = &resources->options;
    const struct store_format *format = &resources->store.format;
    struct header_rule header;

    store_open(&resources->store, options->gather);
    header = (struct header_rule){.lines = format->header_lines,
                                  .bytes = format->header_bytes,
                                  .start = format->header_start[0] != '\0' ? format->header_start : NULL};
    resources->options.format = format->record;
    header_check_field(&header, options->separator_given || record_is(&format->record, RECORD_QUOTED),
                       &options->split_field, options->stratified ? "--stratify-field" : "--split-field");
    gather_wanted(resources);
}

/* ---- What is in a store ---- */

struct totals {
    uint64_t records; /* no more than bytes, and those are no more than INT64_MAX */
    uint64_t bytes;
    struct manifest_pile *pile; /* of all batches */
};

static void list_batch(FILE *to, const char *name, int width, const struct manifest *manifest, bool for_programs,
                       struct totals *totals)
{
    for (unsigned p = 0; p < manifest->piles; p++) {
        totals->pile[p].records += manifest->pile[p].records;
        totals->pile[p].bytes += manifest->pile[p].bytes;
    }
    totals->records += manifest->records;
    if (for_programs)
        fprintf(to, "%s\t%u\t%llu\t%llu%c", name, manifest->piles, (unsigned long long)manifest->records,
                (unsigned long long)manifest->bytes, '\0');
    else
        fprintf(to, "%-*s %6u %16llu %20llu\n", width, name, manifest->piles, (unsigned long long)manifest->records,
                (unsigned long long)manifest->bytes);
}

/* What somebody who is going to read the store wants to know. */
static void list_totals(FILE *to, int width, const struct totals *totals, unsigned piles)
{
    uint64_t largest = 0;
    char size[32];

    for (unsigned p = 1; p < piles; p++)
        if (totals->pile[p].bytes > totals->pile[largest].bytes)
            largest = p;
    fprintf(to, "%-*s %6u %16llu %20llu\n", width, "in all", piles, (unsigned long long)totals->records,
            (unsigned long long)totals->bytes);
    fprintf(
        to, "\nThe largest pile has %s: -S %lluM holds it in memory.\n",
        number_format_size(totals->pile[largest].bytes, size),
        (unsigned long long)engine_needed(gather_memory(totals->pile[largest].bytes, totals->pile[largest].records)));
}

/* Batches that have left the store since their names were read are passed over. */
static void list_batches(FILE *to, const struct store *store, const struct folder_names *names, bool for_programs)
{
    struct totals totals = {.pile = fault_allocate(store->format.piles, sizeof *totals.pile)};
    int width = 6;

    for (size_t i = 0; i < names->count; i++)
        width = (int)strlen(names->name[i]) > width ? (int)strlen(names->name[i]) : width;
    if (!for_programs)
        fprintf(to, "%-*s %6s %16s %20s\n", width, "batch", "piles", "records", "bytes");
    for (size_t i = 0; i < names->count; i++) {
        struct manifest manifest;
        struct batch batch;

        if (!batch_open(&batch, store, names->name[i], &manifest))
            continue;
        batch_add_bytes(&batch, &manifest, &totals.bytes);
        list_batch(to, names->name[i], width, &manifest, for_programs, &totals);
        manifest_release(&manifest);
        batch_close(&batch);
    }
    if (!for_programs)
        list_totals(to, width, &totals, store->format.piles);
    free(totals.pile);
}

static FILE *open_text(char **text, size_t *length)
{
    FILE *to = open_memstream(text, length);

    if (to == NULL)
        fault_report("memory", errno);
    return to;
}

/* The text is put together in memory first, so that nothing is printed of a store that cannot be read. */
void gather_store_list(struct resources *resources)
{
    const struct store *store = &resources->store;
    struct folder_names names;
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_text(&text, &length);

    store_open(&resources->store, resources->options.gather);
    store_batches(store, &names);
    list_batches(to, store, &names, resources->options.delimiter == '\0');
    if (fclose(to) != 0)
        fault_report("memory", errno);
    if (io_print(text, length) != 0)
        fault_report("write error", errno);
    folder_names_release(&names);
    free(text);
}
