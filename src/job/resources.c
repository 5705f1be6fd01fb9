/* Each function opens one thing, so that every kind of job opens only its own needs, in the order in which failures
 * should be found. */

#include "job/resources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "input/archive.h"
#include "input/key_check.h"
#include "input/operand.h"
#include "job/room.h"
#include "job/task.h"
#include "output/division.h"
#include "record/group.h"
#include "system/hardware.h"
#include "system/sys.h"

/* Threads besides one for each processor, since some always wait for disks: gathering 4 GB from piles on disk took 4.0
 * s with 4 of them, 4.8 s with none, on two processors. */
TUNABLE(WAITING, 4, 0, 4);

/* Names that --files0-from lists, and the memory kept for each, may take half of the limit, at least NAMES_BYTES. */
TUNABLE(NAMES_BYTES, 10 << 20, 1 << 16, 10 << 20);

static const char USUAL_DIRECTORY[] = "/var/tmp"; /* /tmp is often kept in memory */

void resources_init(struct resources *resources, const struct options *options)
{
    const bool named = options->temporary_count > 0;
    const char *chosen = getenv("TMPDIR");

    *resources = (struct resources){
        .options = *options, .default_directory = chosen != NULL && chosen[0] != '\0' ? chosen : USUAL_DIRECTORY};
    spill_place_init(&resources->place, named ? options->temporary : &resources->default_directory,
                     named ? (unsigned)options->temporary_count : 1, options->packing);
    resources->ledger.options = &resources->options;
    resources->ledger.directories = resources->place.directories;
    progress_init(&resources->progress, &resources->options, &resources->place, &resources->ledger);
}

void resources_release(struct resources *resources)
{
    progress_end(&resources->progress);
    output_free(resources->output);
    hasher_free(resources->keyed.hasher);
    source_free(resources->source);
    store_close(&resources->store);
    free(resources->listed);
    free(resources->listed_data);
    spill_place_release(&resources->place);
}

static unsigned processors(const struct options *options)
{
    return options->parallel > 0 ? (unsigned)options->parallel : hardware_processors();
}

/* An input cannot be looked at. If the last of several is missing, an output may have been meant. */
_Noreturn static void report_missing_input(const struct resources *resources, const char *name, int error)
{
    const struct options *options = &resources->options;
    const char *last = options->file_count > 1 ? options->files[options->file_count - 1] : NULL, *advice = NULL;
    struct stat status;

    if (options->unique && options->order_key.count == 0)
        advice = "a field belongs to its option, as in --unique=id or --unique=/user/id";
    else if (last != NULL && options->plan.path == NULL && options->scatter == NULL && operand_stat(last, &status) != 0)
        advice = fault_text("every FILE is an input; write -o %s for the output", last);
    operand_report(name, error, advice);
}

void resources_name_files(struct resources *resources)
{
    const struct options *options = &resources->options;
    struct stat status;

    resources->names = options->files;
    resources->name_count = options->file_count;
    if (options->files0_from != NULL) {
        const uint64_t half = ledger_limit(&resources->ledger) / 2;

        operand_list(options->files0_from, half > NAMES_BYTES ? half : NAMES_BYTES, &resources->listed,
                     &resources->name_count, &resources->listed_data);
        resources->names = resources->listed;
    }
    for (size_t i = 0; i < resources->name_count && options->weights != NULL; i++)
        if (operand_is_standard_input(options->weights) && operand_is_standard_input(resources->names[i]))
            die("standard input cannot hold both records and weights");
    if (options->weights != NULL && operand_stat(options->weights, &status) != 0)
        die_advising(options->weights, errno, "write --weight-field=FIELD for a field of each record");
    resources->ledger.inputs = resources->name_count;
    for (size_t i = 0; i < resources->name_count; i++) {
        if (options->plan.each && operand_is_standard_input(resources->names[i]))
            die("-: standard input has no name for --each; name FILEs, or <(COMMAND)");
        resources->ledger.name_bytes += sizeof resources->names[i] + strlen(resources->names[i]) + 1;
        if (operand_stat(resources->names[i], &status) != 0)
            report_missing_input(resources, resources->names[i], errno);
    }
}

/* For header_find_columns: list the fields that are names. */
static void list_columns(struct options *options, struct field_place names[HEADER_NAMES_MAX])
{
    struct key_choice *const keys[] = {&options->split_key, &options->order_key};
    size_t count = 0;

    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < keys[k]->count; i++)
            if (keys[k]->field[i].kind == FIELD_NAME)
                names[count++] = task_field(options, &keys[k]->field[i]);
    if (options->weight_field.kind == FIELD_NAME)
        names[count] = task_field(options, &options->weight_field);
}

void resources_find_columns(struct resources *resources, const char *name, const uint8_t *header, size_t bytes)
{
    struct field_place names[HEADER_NAMES_MAX] = {0};

    list_columns(&resources->options, names);
    header_find_columns(&resources->options.header, &resources->options.format, names, name, header, bytes);
}

void resources_open_files(struct resources *resources)
{
    struct options *options = &resources->options;
    struct source_layout layout = {.format = options->format, .header = options->header};
    const struct key_rule sides = task_key(options, &options->split_key);

    list_columns(options, layout.header.names);
    if (options->compressed)
        layout.decompress = (struct decompress_limits){.programs = processors(options),
                                                       .bytes = ledger_ahead(ledger_limit(&resources->ledger))};
    layout.divides = options->plan.splits > 0;
    layout.reads = &resources->reads;
    resources->reads.apart = options->plan.each;
    layout.replaced = resources->output != NULL && output_needs(resources->output)->replaces;
    resources->source = stream_open(resources->names, resources->name_count, &layout);
    if (record_is(&options->format, RECORD_GROUP))
        archive_begin(resources->source);
    else if (sides.choice != NULL) /* find a record without a key now, not when it is written */
        key_check_begin(resources->source, &sides);
}

void resources_open_output(struct resources *resources)
{
    struct options *options = &resources->options;
    struct output_plan plan = options->plan;

    plan.inputs = resources->names;
    plan.input_count = resources->name_count;
    plan.split_key = task_key(options, &options->split_key);
    plan.packs = options->compressed;
    plan.verbose = options->verbose;
    plan.filters = plan.filter != NULL || plan.packs ? processors(options) : (unsigned)options->parallel;
    plan.format = options->format;
    plan.header = &options->header;
    plan.place = &resources->place;
    plan.key = &resources->order.key;
    plan.framing.format = plan.format;
    plan.groups = task_is_keyed(options) && !options->unique;
    plan.framing.translates = options->echo;
    plan.framing.to = options->delimiter;
    plan.framing.start = record_start(&options->format, &plan.framing.start_bytes);
    if (division_is(&plan, DIVISION_CLASSES))
        plan.class_bytes = ledger_classes(ledger_limit(&resources->ledger));
    plan.is_store = store_is;
    resources->output = output_open(&plan);
}

/* An empty pipe may well be shuffled with a file of random bytes. */
void resources_check_taken(const struct resources *resources)
{
    const struct options *options = &resources->options;
    struct stat status;

    if (options->taken_by == NULL || stream_arrived_bytes(resources->source) > 0 ||
        sys_stat(options->taken, &status) != 0 || !S_ISREG(status.st_mode) ||
        (options->random_source != NULL && operand_forgotten(resources->names, resources->name_count) == NULL))
        return;
    die("--%s=%s: the only file that is named, and standard input is empty; name the FILE to shuffle after it",
        options->taken_by, options->taken);
}

/* A directory of -T or TMPDIR must exist before a pipe is read: it may take hours until memory is full. */
void resources_check_temporary(struct resources *resources)
{
    const struct options *options = &resources->options;
    const bool chosen = strcmp(resources->default_directory, USUAL_DIRECTORY) != 0;
    const bool may_come = resources->source != NULL && !resources->source->known &&
                          room_temporary_bytes(options, UINT64_MAX, 0, false) > 0;

    if (options->temporary_count > 0 || (chosen && may_come))
        spill_place_check(&resources->place, 0);
}

/* Without --seed: 32 bytes from the kernel, in hexadecimal, so that the run can be repeated. */
void resources_take_seed(struct resources *resources)
{
    uint8_t bytes[RESOURCES_SEED_BYTES];

    resources->seed = resources->options.seed;
    if (resources->seed == NULL) {
        if (sys_random(bytes, sizeof bytes) != 0)
            die_errno("random seed", errno);
        for (size_t i = 0; i < sizeof bytes; i++)
            snprintf(resources->seed_text + 2 * i, 3, "%02x", bytes[i]);
        resources->seed = resources->seed_text;
    }
    random_key_init(&resources->order.key, resources->seed, strlen(resources->seed));
    resources->order.leaf_records = resources->options.leaf_records;
}

/* Fill in the ledger: for a run with all useful threads, or with one. */
static void count_pockets(struct resources *resources, bool large)
{
    const struct options *options = &resources->options;
    const unsigned asked = options->scatter != NULL ? (unsigned)options->piles : 0;
    const unsigned there = options->scatter != NULL ? store_piles(options->scatter) : resources->store.format.piles;
    struct ledger *ledger = &resources->ledger;

    ledger->workers = large ? processors(options) : 1;
    ledger->waiting = large && options->parallel == 0 ? WAITING : 0;
    ledger->piles = asked > there ? asked : there;
    ledger->ahead = options->compressed && resources->name_count > 1;
}

uint64_t resources_memory(struct resources *resources, uint64_t bytes)
{
    count_pockets(resources, true);
    return ledger_memory(&resources->ledger, bytes);
}

uint64_t resources_needed_limit(struct resources *resources, uint64_t pool_bytes)
{
    count_pockets(resources, true);
    return engine_needed_limit((struct engine_budget){ledger_left, &resources->ledger}, engine_needed(pool_bytes));
}

/* A name for all inputs together, for messages. */
static const char *name_input(struct resources *resources)
{
    const struct options *options = &resources->options;

    if (options->gather != NULL)
        return options->gather;
    if (resources->name_count == 1)
        return operand_is_standard_input(resources->names[0]) ? "standard input" : resources->names[0];
    snprintf(resources->input_name, sizeof resources->input_name, "%zu input files", resources->name_count);
    return resources->name_count > 1 ? resources->input_name : "the arguments of -e";
}

static void open_keyed(struct resources *resources, struct run *run)
{
    struct options *options = &resources->options;
    const struct key_rule rule = task_key(options, &options->order_key);
    struct keyed *keyed = &resources->keyed;

    if (!task_is_keyed(options))
        return;
    hasher_free(keyed->hasher);
    *keyed = (struct keyed){
        .extra = engine_threads(&run->engine), .has_fields = rule.choice != NULL, .unique = options->unique};
    keyed->hasher = options->unique ? hasher_new(&rule, "unique", "--unique", keyed->extra + 1)
                                    : hasher_new(&rule, "group", "--group-field", keyed->extra + 1);
    hasher_begin(keyed->hasher, &resources->order.key);
    run->keyed = keyed;
}

void resources_open_run(struct resources *resources, struct run *run, uint64_t memory_bytes, bool large)
{
    run->order = resources->order;
    run->format = resources->options.format;
    run->input = resources->source;
    run->strata = resources->output != NULL ? output_needs(resources->output)->strata : NULL;
    run->part = resources->options.part;
    run->parts = resources->options.gather == NULL ? resources->options.parts : 0; /* for a store: whole piles */
    run->skip = resources->options.skip;
    run->limit = resources->options.count;
    run->expected = resources->options.expected_records;
    run->input_name = name_input(resources);
    run->like = resources->like;
    run->progress = &resources->progress.run;
    count_pockets(resources, large);
    progress_begin(&resources->progress, resources->source, resources->output);
    ledger_open_engine(&resources->ledger, &run->engine, memory_bytes, &resources->place);
    if (large)
        resources->place.threads = engine_threads(&run->engine);
    if (resources->output != NULL)
        output_set_threads(resources->output, engine_threads(&run->engine));
    open_keyed(resources, run);
}
