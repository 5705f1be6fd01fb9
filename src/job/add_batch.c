/*
 * Pass 1 of a shuffle as a job: a scatter whose piles are the files of a batch instead of temporary ones, to the last
 * byte.
 */

#include "job/add_batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/xxh64.h"
#include "input/operand.h"
#include "job/task.h"
#include "shuffle/scatter.h"
#include "store/batch.h"
#include "store/draft.h"
#include "store/sweep.h"
#include "system/sys.h"

/* Each pile takes a block of memory at least. */
static void check_memory(struct run *run, unsigned piles)
{
    if (piles > pool_free(&run->engine.pool))
        engine_report_memory(&run->engine, (uint64_t)piles * run->engine.memory.block_bytes, "a store of %u piles",
                             piles);
}

/* Scatter the source to `count` piles, and write all of them to storage, to the last byte. records[p] receives how many
 * records came to pile p. */
static void scatter_batch(struct run *run, struct source *source, const char *name, unsigned count,
                          struct storage *storage, uint64_t *records)
{
    const struct order order = order_of_batch(&run->order, name);
    struct scatter_children children = {.node = {.order = &order}};
    const struct scatter_plan plan = {.route = scatter_to_children,
                                      .context = &children,
                                      .piles = count,
                                      .limit = UINT64_MAX,
                                      .storage = storage,
                                      .records = &run->progress->records};
    struct piles piles = {0};

    while (1u << children.bits < count)
        children.bits++;
    scatter(&run->engine, &run->format, &plan, source, &piles);
    piles_flush(&piles);
    for (unsigned p = 0; p < count; p++)
        records[p] = piles.pile[p].records;
    counter_set(&run->progress->records, piles.records);
    run_scattered(run);
    run_take(run, piles.records);
    piles_release(&piles);
}

/* Scatter the records to a draft of so many piles, and make the draft the batch `name`. Closes the run. */
static void fill_draft(struct resources *resources, struct run *run, struct draft *draft, const char *name,
                       unsigned piles)
{
    uint64_t *records = fault_allocate(piles, sizeof *records);
    const uint8_t *header;
    size_t header_bytes;

    engine_limit_files(&run->engine);
    scatter_batch(run, resources->source, name, piles, draft_storage(draft), records);
    engine_close(&run->engine); /* so that the manifest can take memory instead: it takes less */
    header = source_header(resources->source, &header_bytes);
    if (draft_commit(draft, records, header, header_bytes, engine_threads(&run->engine)))
        progress_summarize(&resources->progress, resources->seed, name, 0);
    free(records);
}

/* Put the sources of the batch into the manifest: the identity of the seed's key, the names and sizes of the inputs,
 * and how they are read. The caller frees manifest->input. */
static void describe(struct resources *resources, struct manifest *manifest)
{
    struct manifest_input *input = fault_allocate(resources->name_count + 1, sizeof *input);
    const struct field_place groups = task_field(&resources->options, &resources->options.group_field);
    uint64_t bytes;

    for (size_t i = 0; i < resources->name_count; i++) {
        input[i] = (struct manifest_input){.name = resources->names[i], .bytes = MANIFEST_UNKNOWN};
        if (!operand_is_standard_input(resources->names[i]) && source_size_of(resources->source, i, &bytes))
            input[i].bytes = bytes;
    }
    random_key_identity(&resources->order.key, manifest->key);
    manifest->reading.decompressed = resources->options.compressed;
    if (groups.choice != NULL)
        manifest->reading.group_separator = groups.separator;
    if (groups.choice != NULL && groups.choice->kind == FIELD_NUMBER)
        manifest->reading.group_field = groups.choice->number;
    else if (groups.choice != NULL)
        manifest->reading.group_field = xxh64(groups.choice->text, strlen(groups.choice->text));
    manifest_set_inputs(manifest, input, resources->name_count);
}

/* Is there room for `bytes` bytes of records on the disk of the store? */
static void check_room(const struct store *store, uint64_t bytes)
{
    uint64_t free_bytes;

    if (sys_free_space(store->folder.fd, &free_bytes) == 0 && free_bytes < bytes)
        fault_say("%s: %s: %llu MiB are needed, %llu MiB are free", store->folder.path, strerror(ENOSPC),
                  number_mebibytes(bytes), (unsigned long long)(free_bytes >> 20));
}

/* Add the batch to the store, which is open, and with --newest remove old ones. */
static void make_batch(struct resources *resources, struct run *run)
{
    const struct options *options = &resources->options;
    struct store *store = &resources->store;
    struct manifest manifest = {.inputs = 0};
    struct draft *draft;
    uint64_t records = 0;
    char made[STORE_NAME_MAX + 1];
    const char *name = options->batch;

    if (name == NULL) {
        store_name_make_batch(made);
        name = made;
    }
    describe(resources, &manifest);
    draft = draft_begin(store, name, &manifest, &records);
    if (draft == NULL) {
        run_expects(run, records);
    } else {
        check_room(store, source_known_bytes(resources->source));
        fill_draft(resources, run, draft, name, store->format.piles);
        records = counter_get(&run->progress->records);
    }
    free((void *)manifest.input);
    if (options->newest > 0 && records > 0)
        sweep_keep(store, options->newest, name);
    else if (options->newest > 0) /* a program in front of a pipe may have failed */
        fault_warn("%s: the batch %s is empty, so --newest removes no other", options->scatter, name);
}

static void open_run(struct resources *resources, struct run *run)
{
    uint64_t bytes = source_is_known(resources->source) ? source_known_bytes(resources->source) : UINT64_MAX;

    resources_open_large_run(resources, run, resources_memory(resources, bytes));
}

/* Open the store, or make it, when it is known that its piles do not need more memory than there is. */
static void join_store(struct resources *resources, struct run *run)
{
    const struct options *options = &resources->options;
    struct store_format wanted = {.piles = (unsigned)options->piles,
                                  .record = task_format(options),
                                  .header_lines = options->header.lines,
                                  .header_bytes = options->header.bytes};
    struct store *store = &resources->store;

    if (options->header.start != NULL)
        snprintf(wanted.header_start, sizeof wanted.header_start, "%s", options->header.start);
    check_memory(run, (unsigned)options->piles);
    store_join(store, options->scatter, &wanted);
    check_memory(run, store->format.piles);
    batch_find_all(store);
}

/* An empty batch could take the place of another one (--newest), or the name of the one that was meant. */
static void check_inputs(const struct resources *resources)
{
    if (operand_is_forgotten(resources->names, resources->name_count))
        fault_say("%s: nothing is added, since no input is named, and standard input is /dev/null; name the input, or "
                  "/dev/null for an empty batch",
                  resources->options.scatter);
}

void add_batch(struct resources *resources)
{
    struct run run = {.limit = 0};

    resources_name_files(resources);
    resources_open_files(resources);
    check_inputs(resources);
    resources_take_seed(resources);
    open_run(resources, &run);
    join_store(resources, &run);
    sweep_dead(&resources->store);
    make_batch(resources, &run);
    engine_close(&run.engine);
}

void add_batch_sweep(struct resources *resources)
{
    struct store *store = &resources->store;

    store_open(store, resources->options.scatter);
    sweep_all(store);
    batch_find_all(store);
}
