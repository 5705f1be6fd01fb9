/*
 * Pass 1 and pass 2 of a shuffle as two jobs, with a store between them. Pass 1 is a scatter whose piles go to the
 * files of a batch instead of temporary ones, to the last byte. In pass 2 the piles are in their storage from the
 * start, and are gathered as others are, each as a tree of its own; one that does not fit is started over through
 * temporary files.
 */

#include "job/store_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/resources.h"
#include "job/task.h"
#include "shuffle/gather.h"
#include "shuffle/scatter.h"
#include "shuffle/shuffle.h"
#include "store/batch.h"
#include "store/draft.h"
#include "store/list.h"
#include "store/reader.h"
#include "store/store.h"
#include "store/sweep.h"
#include "store/window.h"
#include "system/sys.h"

/* ---- Adding a batch ---- */

struct batch_route {
    struct order order;
    unsigned bits;
};

static void route_by_batch(const void *context, uint64_t first, size_t count, uint16_t *pile)
{
    const struct batch_route *route = context;

    order_scatter(&route->order, (struct order_node){.number = 0}, route->bits, first, count, pile);
}

/* As far as is known of either. */
static int check_space(const struct resources *resources, const struct store *store)
{
    uint64_t bytes = source_known_bytes(resources->source);
    uint64_t room;

    if (sys_free_space(store->folder.fd, &room) != 0 || room >= bytes)
        return 0;
    return fault_say(store->folder.fault, "%s: %s: %llu MiB are needed, %llu MiB are free", store->folder.path,
                     strerror(ENOSPC), (unsigned long long)(bytes >> 20), (unsigned long long)(room >> 20));
}

/* Each pile takes a block. */
static int check_memory(struct run *run, unsigned piles)
{
    if (piles <= pool_free(&run->pool))
        return 0;
    return run_report_memory(run, (uint64_t)piles * run->memory.block_bytes, "a store of %u piles", piles);
}

/* Scatter the source, all of it to storage; records[p] receives how many records came to pile p. */
static int scatter_batch(struct run *run, struct source *source, const char *name, unsigned count,
                         struct storage *storage, uint64_t *records)
{
    struct batch_route route = {.order = run->order};
    struct piles piles = {0};
    int status;

    while (1u << route.bits < count)
        route.bits++;
    order_batch_key(&run->order, name, &route.order.key);
    status = scatter_in(run, source, route_by_batch, &route, count, storage, &piles);
    if (status == 0)
        status = piles_flush(&piles);
    for (unsigned p = 0; p < count && status == 0; p++)
        records[p] = piles.pile[p].records;
    run->records = piles.records;
    run->scattered_seconds = run_seconds();
    piles_release(&piles);
    return status;
}

static void say_added(const struct resources *resources, const struct run *run, const char *name, double start)
{
    resources_say_records(resources, run, source_delivered_bytes(resources->source));
    resources_say("batch:", "%s", name);
    resources_say_peak();
    resources_say("seconds:", "%.2f scatter, %.2f sync", run->scattered_seconds - start,
                  run_seconds() - run->scattered_seconds);
}

/* Fill a draft and make it a batch. */
static enum draft_verdict fill_draft(struct resources *resources, struct run *run, struct draft *draft,
                                     const char *name, unsigned piles)
{
    uint64_t *records = sys_allocate(piles, sizeof *records);
    enum draft_verdict verdict = DRAFT_FAILED;
    double start = run_seconds();
    const uint8_t *header;
    size_t header_bytes;

    if (records == NULL) {
        fault_report(&resources->fault, "memory", errno);
        goto out;
    }
    if (scatter_batch(run, resources->source, name, piles, draft_storage(draft), records) != 0)
        goto out;
    run_close(run); /* its memory is enough for the manifest */
    header = source_header(resources->source, &header_bytes);
    verdict = draft_commit(draft, records, header, header_bytes, run->memory.workers + run->waiting);
    if (verdict == DRAFT_OK && resources->options->verbose)
        say_added(resources, run, name, start);
out:
    free(records);
    return verdict;
}

/* What the batch is made of: the key, and names and sizes of the inputs. */
static int describe(struct resources *resources, struct manifest *manifest)
{
    struct manifest_input *input = sys_allocate(resources->name_count + 1, sizeof *input);
    struct stat status;

    if (input == NULL)
        return fault_report(&resources->fault, "memory", errno);
    for (size_t i = 0; i < resources->name_count; i++) {
        input[i] = (struct manifest_input){.name = resources->names[i], .bytes = MANIFEST_UNKNOWN};
        if (strcmp(resources->names[i], "-") != 0 && sys_stat(resources->names[i], &status) == 0 &&
            S_ISREG(status.st_mode))
            input[i].bytes = (uint64_t)status.st_size;
    }
    random_key_identity(&resources->order.key, manifest->key);
    manifest->input = input;
    manifest->inputs = resources->name_count;
    return 0;
}

static int add_batch(struct resources *resources, struct run *run, struct store *store)
{
    const struct options *options = resources->options;
    struct manifest manifest = {.inputs = 0};
    struct draft *draft = NULL;
    enum draft_verdict verdict = DRAFT_FAILED;
    char made[STORE_NAME_MAX + 1];
    const char *name = options->batch;

    if (name == NULL) {
        store_name_make_batch(made);
        name = made;
    }
    if (describe(resources, &manifest) == 0)
        verdict = draft_begin(&draft, store, name, &manifest);
    if (verdict == DRAFT_OK && check_space(resources, store) != 0)
        verdict = DRAFT_FAILED;
    if (verdict == DRAFT_OK)
        verdict = fill_draft(resources, run, draft, name, store->format.piles);
    draft_free(draft);
    free((void *)manifest.input);
    if (verdict == DRAFT_FAILED)
        return -1;
    return options->keep > 0 ? window_keep(store, options->keep, name) : 0;
}

static int open_run(struct resources *resources, struct run *run)
{
    uint64_t bytes = source_is_known(resources->source) ? source_known_bytes(resources->source) : UINT64_MAX;

    return resources_large_run(resources, run, resources_memory(resources, bytes));
}

static int run_scatter(struct resources *resources, struct store *store)
{
    const struct options *options = resources->options;
    const struct store_format wanted = {.piles = options->piles,
                                        .record = task_format(options),
                                        .header_lines = options->header_lines,
                                        .header_bytes = options->header_bytes};

    struct run run = {.left = 0};
    int status = -1;

    if (resources_files(resources) == 0 && resources_seed(resources) == 0 && open_run(resources, &run) == 0 &&
        check_memory(&run, options->piles) == 0 &&
        store_join(store, options->scatter, &wanted, &resources->fault) == 0 &&
        check_memory(&run, store->format.piles) == 0 && batch_find_all(store) == 0) {
        sweep_dead(store);
        status = add_batch(resources, &run, store);
    }
    run_close(&run);
    return status;
}

static int run_sweep(struct resources *resources, struct store *store)
{
    int status = store_open(store, resources->options->scatter, &resources->fault);

    if (status == 0)
        status = sweep_all(store);
    return status == 0 ? batch_find_all(store) : -1;
}

/* ---- Gathering ---- */

/* The piles of a stack, in its order, whose numbers are number[0 ... count - 1]. */
static int gather_stack(struct resources *resources, struct run *run, struct store_reader *stack,
                        const uint32_t *number, unsigned count)
{
    struct random_key *keys = sys_allocate(count, sizeof *keys);
    struct gather_order order = {.kind = GATHER_TREES, .order = &run->order, .keys = keys};
    struct piles piles = {0};
    int status = -1;

    if (keys == NULL) {
        fault_report(&resources->fault, "memory", errno);
        goto out;
    }
    if (piles_init_stored(&piles, count, &run->pool, store_reader_storage(stack), &resources->fault) != 0)
        goto out;
    for (unsigned p = 0; p < count; p++) {
        pile_stored(&piles, p, store_reader_records(stack, p), store_reader_bytes(stack, p));
        order_pile_key(&run->order, resources->options->epoch, number[p], &keys[p]);
    }
    run->records = piles.records;
    run->header = store_reader_header(stack, &run->header_bytes);
    if (run_begin(run, resources->output, run->records) == 0)
        status = shuffle_piles(run, &piles, order, resources->output);
out:
    piles_release(&piles);
    free(keys);
    return status;
}

static uint64_t bytes_of(const struct store_reader *stack, unsigned count)
{
    uint64_t bytes = 0;

    for (unsigned p = 0; p < count; p++)
        bytes += store_reader_bytes(stack, p);
    return bytes;
}

/* What the piles take in memory: an index has one table or two, of 8 bytes a record. */
static uint64_t needed_for(const struct store_reader *stack, unsigned count)
{
    const uint64_t bytes = bytes_of(stack, count);
    uint64_t records = 0;

    for (unsigned p = 0; p < count; p++)
        records += store_reader_records(stack, p);
    return bytes < UINT64_MAX / 17 ? bytes + 16 * records : UINT64_MAX; /* there are no more records than bytes */
}

/* Every thread that reads has a file open; the store's and the output's files are open already. */
static void limit_readers(struct run *run)
{
    enum { SPARE = 4 };
    unsigned left = sys_free_descriptors(run->memory.workers + run->waiting + SPARE);
    unsigned readers = left > SPARE ? left - SPARE : 1;

    if (run->memory.workers > readers)
        run->memory.workers = readers;
    if (run->waiting > readers - run->memory.workers)
        run->waiting = readers - run->memory.workers;
}

static void say_gathered(const struct resources *resources, const struct run *run, const struct store_reader *stack,
                         unsigned count, double start)
{
    resources_say_records(resources, run, bytes_of(stack, count));
    resources_say("batches:", "%zu", store_reader_batches(stack));
    resources_say_spilled(resources, run);
    resources_say_peak();
    resources_say("seconds:", "%.2f gather", run_seconds() - start);
}

static int gather_piles(struct resources *resources, const struct store *store, const uint32_t *number, unsigned count)
{
    struct store_reader *stack = store_reader_open(store, number, count);
    struct run run = {.left = 0};
    double start = run_seconds();
    int status = -1;

    if (stack != NULL && store_reader_batches(stack) == 0) {
        fault_say(&resources->fault, "%s: there is no batch in it", resources->options->gather);
        goto out;
    }
    if (stack == NULL || resources_output(resources) != 0 ||
        output_check_room(resources->output, task_output_bytes(resources->options, bytes_of(stack, count))) != 0 ||
        resources_temporary(resources) != 0)
        goto out;
    if (resources_large_run(resources, &run, resources_memory(resources, needed_for(stack, count))) != 0)
        goto out;
    limit_readers(&run);
    if (gather_stack(resources, &run, stack, number, count) == 0)
        status = output_commit(resources->output);
    if (status == 0 && resources->options->verbose)
        say_gathered(resources, &run, stack, count, start);
out:
    run_close(&run);
    store_reader_free(stack);
    return status;
}

static int run_gather(struct resources *resources, struct store *store)
{
    const struct options *options = resources->options;
    unsigned piles = store->format.piles;
    uint64_t last = options->pile_last < UINT64_MAX ? options->pile_last : piles - 1;
    uint32_t *number;
    int status;

    if (last >= piles)
        return fault_say(&resources->fault, "%s: there is no pile %llu: there are %u, from 0 on", options->gather,
                         (unsigned long long)last, piles);
    if (resources_seed(resources) != 0)
        return -1;
    number = sys_allocate(piles, sizeof *number);
    if (number == NULL)
        return fault_report(&resources->fault, "memory", errno);
    order_of_epoch(&resources->order, options->epoch, piles, number);
    status = gather_piles(resources, store, number + options->pile_first, (unsigned)(last - options->pile_first) + 1);
    free(number);
    return status;
}

/* ---- All of them ---- */

int store_job_run(const struct options *options)
{
    struct options own = *options; /* for a gather with the records of the store */
    struct store store = {.format.piles = 0};
    struct resources resources;
    int status = -1;

    resources_init(&resources, &own);
    if (options->scatter != NULL) {
        status = options->sweep ? run_sweep(&resources, &store) : run_scatter(&resources, &store);
    } else if (store_open(&store, options->gather, &resources.fault) == 0) {
        own.format = store.format.record;
        status = options->list ? list_store(&store, options->delimiter == '\0') : run_gather(&resources, &store);
    }
    resources_release(&resources);
    store_close(&store);
    return status;
}
