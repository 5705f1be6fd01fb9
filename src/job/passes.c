/*
 * Pass 1 is a scatter whose piles go to the file of a batch instead of temporary ones, to the last byte.
 *
 * The piles of pass 2 are in storage from the start, each in the files of several batches. They are gathered like those
 * of other shuffles, but each is a tree of its own, with its own key; a pile that does not fit into memory is started
 * over through temporary files.
 */

#include "job/passes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/number.h"
#include "input/operand.h"
#include "job/room.h"
#include "job/task.h"
#include "output/division.h"
#include "shuffle/scatter.h"
#include "shuffle/shuffle.h"
#include "shuffle/units.h"
#include "store/batch.h"
#include "store/draft.h"
#include "store/sweep.h"
#include "system/signals.h"
#include "system/standard.h"
#include "system/sys.h"

/* ---- Pass 1 ---- */

/* End the run if there is no block of memory for each pile. */
static void check_memory(struct run *run, unsigned piles)
{
    if (piles > pool_free(&run->engine.pool))
        engine_report_memory(&run->engine, (uint64_t)piles * run->engine.memory.block_bytes, "a store of %u piles",
                             piles);
}

/* Scatter the source to `count` piles, and write all of them to storage, to the last byte. records[p] receives the
 * number of records in pile p. */
static void scatter_batch(struct run *run, struct source *source, const char *name, unsigned count,
                          struct storage *storage, uint64_t *records)
{
    const struct order order = order_of_batch(&run->order, name);
    struct scatter_children children = {.node = {.order = &order}};
    const struct scatter_plan plan = {.keys = {.keyed = run->keyed, .first_seen = true, .keeps_all = true},
                                      .route = scatter_to_children,
                                      .context = &children,
                                      .piles = count,
                                      .limit = UINT64_MAX,
                                      .storage = storage,
                                      .records = &run->progress->records};
    struct piles piles = {0};

    while (1u << children.bits < count)
        children.bits++;
    scatter(&run->engine, &run->format, &plan, source, &piles);
    if (run->keyed != NULL)
        hasher_warn(run->keyed->hasher);
    piles_flush(&piles, 0);
    for (unsigned p = 0; p < count; p++)
        records[p] = piles.pile[p].records;
    counter_set(&run->progress->records, piles.records);
    run_scattered(run);
    run_take(run, piles.records);
    piles_release(&piles);
}

/* The key that decides where records go: of the seed, or, if these have keys, of the store. */
static struct random_key key_of_batch(const struct resources *resources)
{
    struct random_key key = resources->order.key;

    if (task_is_keyed(&resources->options))
        random_key_init(&key, resources->store.format.key, STORE_FORMAT_KEY_DIGITS);
    return key;
}

/* Scatter the records to a draft of `piles` piles, and publish it as the batch `name`. Closes the run. */
static void fill_draft(struct resources *resources, struct run *run, struct draft *draft, const char *name,
                       unsigned piles)
{
    uint64_t *records = fault_allocate(piles, sizeof *records);
    const struct random_key key = key_of_batch(resources);
    const struct header *header;

    engine_limit_files(&run->engine);
    if (run->keyed != NULL)
        hasher_begin(run->keyed->hasher, &key);
    scatter_batch(run, resources->source, name, piles, draft_storage(draft), records);
    resources_check_taken(resources);
    engine_close(&run->engine); /* frees memory for the manifest, which takes less */
    header = stream_header(resources->source);
    if (draft_commit(draft, records, header->text, header->text_bytes))
        progress_summarize(&resources->progress, resources->seed, name, 0);
    free(records);
}

/* Put the batch's origin into the manifest: the identity of the seed's key, the names and sizes of the inputs, and how
 * they are read. */
static void describe_batch(struct resources *resources, struct manifest *manifest)
{
    const struct random_key key = key_of_batch(resources);

    *manifest = (struct manifest){.decompressed = resources->options.compressed, .known = true};
    random_key_identity(&key, manifest->key);
    for (size_t i = 0; i < resources->name_count; i++) {
        const char *name = resources->names[i];
        const struct file_mark *mark = &resources->source->stream->contents.marks[i];
        const bool known = !operand_is_standard_input(name) && file_mark_is_known(mark);

        manifest_add_input(manifest, name, known ? (uint64_t)mark->bytes : MANIFEST_UNKNOWN);
        if (mark->modified > manifest->changed)
            manifest->changed = mark->modified;
    }
}

/* End the run if the disk of the store has no room for `bytes` bytes of records. */
static void check_room(const struct store *store, uint64_t bytes)
{
    char advice[STORE_ADVICE_BYTES], needed[32], left[32];
    uint64_t free_bytes;

    if (sys_free_space(store->folder.fd, &free_bytes) == 0 && free_bytes < bytes)
        die("%s: %s: %s are needed, %s are free%s", store->folder.path, strerror(ENOSPC),
            number_format_size(bytes, needed), number_format_size(free_bytes, left), store_advice(store, advice));
}

/* Add the batch to the store, which is open, and with --keep-newest remove old ones. */
static void make_batch(struct resources *resources, struct run *run)
{
    const struct options *options = &resources->options;
    struct store *store = &resources->store;
    struct manifest manifest;
    struct draft *draft;
    uint64_t records = 0;
    char made[STORE_NAME_MAX + 1];
    const char *name = options->batch;
    char *same = NULL;

    describe_batch(resources, &manifest);
    if (name == NULL) { /* with --batch, the name tells if it is added again */
        store_name_make_batch(made, manifest.digest);
        name = made;
        same = batch_of_same_inputs(store, &manifest, made);
    }
    draft = draft_begin(store, name, &manifest, &records);
    if (draft == NULL) {
        run_expects(run, records);
    } else {
        check_room(store, resources->source->known_bytes);
        fill_draft(resources, run, draft, name, store->format.piles);
        records = counter_get(&run->progress->records);
    }
    signals_succeed(); /* also if it was there before: the rest is about other batches */
    if (same != NULL)
        fault_warn("%s: the batch %s has the same inputs already, so each record is in the store twice; to undo that, "
                   "remove %s/%s",
                   store->folder.path, same, store->folder.path, made);
    free(same);
    if (options->newest > 0 && records > 0)
        sweep_keep(store, options->newest, name);
    else if (options->newest > 0) /* the program that writes to the pipe may have failed */
        fault_warn("%s: the batch %s is empty, so --keep-newest removes no other", options->scatter, name);
}

/* What the options say of keys, and a key for those if the store is made now: made from the seed, so that stores that
 * are made apart can be put together. */
static void want_keys(struct resources *resources, struct store_format *wanted)
{
    struct options *options = &resources->options;
    const struct key_choice *fields = &options->order_key;
    struct random_key key;

    if (!task_is_keyed(options))
        return;
    wanted->keys = options->unique ? STORE_KEYS_UNIQUE : STORE_KEYS_GROUP;
    wanted->separator = task_field(options, &options->weight_field).separator;
    for (; wanted->fields < fields->count; wanted->fields++)
        if (snprintf(wanted->field[wanted->fields], STORE_FORMAT_FIELD_BYTES, "%s",
                     fields->field[wanted->fields].text) >= STORE_FORMAT_FIELD_BYTES)
            die("the field '%s' has too long a name for a store; at most %d bytes", wanted->field[wanted->fields],
                STORE_FORMAT_FIELD_BYTES - 1);
    random_key_derive(&key, &resources->order.key, "store", NULL, 0);
    for (size_t i = 0; i < STORE_FORMAT_KEY_DIGITS / 2; i++)
        snprintf(wanted->key + 2 * i, 3, "%02x", key.word[i / 4] >> 8 * (i % 4) & 0xff);
}

/* Open the store, or make it, when it is known that its piles do not need more memory than there is. */
static void join_store(struct resources *resources, struct run *run)
{
    const struct options *options = &resources->options;
    struct store_format wanted = {.piles = (unsigned)options->piles,
                                  .record = options->format,
                                  .header_lines = options->header.lines,
                                  .header_bytes = options->header.bytes};
    struct store *store = &resources->store;

    if (options->header.start != NULL)
        snprintf(wanted.header_start, sizeof wanted.header_start, "%s", options->header.start);
    want_keys(resources, &wanted);
    check_memory(run, (unsigned)options->piles);
    store_join(store, options->scatter, &wanted);
    check_memory(run, store->format.piles);
}

void passes_scatter(struct resources *resources)
{
    struct run run = {.limit = 0};
    const char *forgotten;
    uint64_t bytes;

    resources_name_files(resources);
    resources_open_files(resources);
    if ((forgotten = operand_forgotten(resources->names, resources->name_count)) != NULL)
        die("%s: nothing is added, since no input is named, and standard input is %s; name the input, or "
            "/dev/null for an empty batch", /* which would count as one of the batches kept */
            resources->options.scatter, forgotten);
    resources_take_seed(resources);
    bytes = resources->source->known ? resources->source->known_bytes : UINT64_MAX;
    resources_open_run(resources, &run, resources_memory(resources, bytes), true);
    join_store(resources, &run);
    sweep_store(&resources->store, false);
    make_batch(resources, &run);
    engine_close(&run.engine);
}

void passes_sweep(struct resources *resources)
{
    struct store *store = &resources->store;

    standard_open();
    store_open(store, resources->options.sweep);
    sweep_store(store, true);
    standard_close();
}

/* ---- Pass 2 ---- */

/* Write the piles in their order. */
static void write_piles(struct resources *resources, struct run *run, struct batches *all)
{
    struct order *orders = fault_allocate(all->count, sizeof *orders);
    struct gather_order order = {.orders = orders, .keyed = run->keyed};
    struct piles piles = {0};
    uint64_t units;

    piles_init_stored(&piles, all->count, &run->engine.pool, &all->storage);
    for (unsigned p = 0; p < all->count; p++) {
        pile_stored(&piles, p, all->pile[p].records, all->pile[p].bytes);
        orders[p] = order_of_pile(&run->order, resources->options.epoch, all->number[p]);
    }
    counter_set(&run->progress->records, piles.records);
    counter_set(&run->progress->bytes, all->bytes);
    resources_find_columns(resources, resources->options.gather, all->header, all->header_bytes);
    units_classify(run, &piles);
    run_scattered(run);
    units = run_settle(run, units_count(run, &piles, 0, resources->output));
    output_begin(resources->output, units, all->header, all->header_bytes);
    shuffle_piles(run, &piles, order, resources->output);
    piles_release(&piles);
    free(orders);
}

/* Gather the piles of the store whose numbers are number[0] ... number[count - 1]. */
static void gather_piles(struct resources *resources, const uint32_t *number, unsigned count)
{
    const struct options *options = &resources->options;
    struct batches *all = batch_open_all(&resources->store, number, count);
    struct run run = {.limit = 0};

    if (all->opened == 0)
        die("%s: the store has no batches; --scatter adds them", options->gather);
    resources_open_output(resources);
    room_check_output(options, all->bytes, resources->output);
    resources_check_temporary(resources);
    resources_open_run(resources, &run,
                       resources_memory(resources, gather_memory(all->bytes, all->records, task_is_keyed(options))),
                       true);
    engine_limit_files(&run.engine);
    write_piles(resources, &run, all);
    output_commit(resources->output);
    progress_summarize(&resources->progress, resources->seed, NULL, all->opened);
    engine_close(&run.engine);
    batch_close_all(all);
}

/* Gather the wanted piles in the order of the seed and the epoch: --part counts places in this order, --only-piles
 * numbers of piles. */
static void gather_wanted(struct resources *resources)
{
    const struct options *options = &resources->options;
    const unsigned piles = resources->store.format.piles;
    uint64_t first = options->pile_first, last = options->pile_last < UINT64_MAX ? options->pile_last : piles - 1;
    unsigned count = 0;
    uint32_t *number;

    if (last >= piles)
        die("%s: there is no pile %llu; the last one is %u", options->gather, (unsigned long long)last, piles - 1);
    if (options->parts > piles)
        die("%s: --part must not have more parts than the %u piles", options->gather, piles);
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

/* The store says what the keys are. */
static void take_keys(struct options *options, const struct store_format *format)
{
    const bool rows = record_is(&format->record, RECORD_QUOTED);
    const uint8_t given = options->field_separator;
    struct field_choice field;
    bool columns = false;

    options->unique = format->keys == STORE_KEYS_UNIQUE;
    for (unsigned i = 0; i < format->fields; i++) {
        (void)field_parse(&field, format->field[i]);
        (void)key_add(&options->order_key, &field);
        columns = columns || field.kind != FIELD_POINTER;
    }
    if (format->keys != STORE_KEYS_NONE && division_is(&options->plan, DIVISION_CLASSES))
        die("--stratify-field: the records of this store have keys; pipe what --gather writes to another run");
    if (format->keys == STORE_KEYS_GROUP && !key_has_all(&options->order_key, &options->split_key))
        die("--split-field: it would tear the groups of this store apart; split by their field");
    if (options->separator_given &&
        (columns ? given != format->separator : rows && !quotes_separates(&format->record.quotes, given)))
        die("-t: the fields of this store are separated by another byte");
    if (columns)
        options->field_separator = format->separator;
    options->separator_given = options->separator_given || columns;
}

void passes_gather(struct resources *resources)
{
    struct options *options = &resources->options;
    const struct store_format *format = &resources->store.format;

    store_open(&resources->store, options->gather);
    options->header = (struct header_rule){.lines = format->header_lines,
                                           .bytes = format->header_bytes,
                                           .start = format->header_start[0] != '\0' ? format->header_start : NULL};
    options->format = format->record;
    take_keys(options, format);
    if (options->split_key.count > 0)
        header_check_fields(&options->header, options->separator_given || record_is(&format->record, RECORD_QUOTED),
                            options->split_key.field, options->split_key.count, options->plan.split_by->option);
    gather_wanted(resources);
}

/* ---- What is in a store ---- */

struct totals {
    uint64_t records; /* no more than bytes, which are at most INT64_MAX */
    uint64_t bytes;
    struct manifest_pile *pile; /* of all batches together */
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

/* Print what is useful to know before reading the store. */
static void list_totals(FILE *to, int width, const struct totals *totals, struct resources *resources)
{
    const struct store_format *format = &resources->store.format;
    const unsigned piles = format->piles;
    const bool keyed = format->keys != STORE_KEYS_NONE;
    uint64_t largest = 0, most = 0;
    char size[32];

    for (unsigned p = 0; p < piles; p++) {
        const uint64_t needed = gather_memory(totals->pile[p].bytes, totals->pile[p].records, keyed);

        largest = totals->pile[p].bytes > largest ? totals->pile[p].bytes : largest;
        most = needed > most ? needed : most;
    }
    fprintf(to, "%-*s %6u %16llu %20llu\n", width, "in all", piles, (unsigned long long)totals->records,
            (unsigned long long)totals->bytes);
    fprintf(to, "\nThe largest pile has %s: -S %lluM holds it in memory.\n", number_format_size(largest, size),
            (unsigned long long)resources_needed_limit(resources, most));
}

/* Passes over batches that have left the store since their names were read. */
static void list_batches(FILE *to, struct resources *resources, const struct folder_names *names)
{
    const struct store *store = &resources->store;
    const bool for_programs = resources->options.delimiter == '\0';
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
        list_totals(to, width, &totals, resources);
    free(totals.pile);
}

/* The text is made in memory first, so that nothing is printed about a store that cannot be read. */
void passes_list(struct resources *resources)
{
    const struct store *store = &resources->store;
    struct folder_names names;
    char *text = NULL;
    size_t length = 0;
    FILE *to = fault_memory(open_memstream(&text, &length));

    standard_open();
    store_open(&resources->store, resources->options.list);
    store_batches(store, &names);
    take_keys(&resources->options, &store->format);
    list_batches(to, resources, &names);
    if (fclose(to) != 0)
        die_errno("memory", errno);
    standard_write(text, length);
    standard_close();
    folder_names_release(&names);
    free(text);
}
