/*
 * task.h decides what the job is, from the options alone. do_task does it after everything has been opened; or a
 * function in `alone`, which opens everything itself.
 *
 * If the beginning of the input is all of it, no thread is started, and the machine's memory is not looked up. Any
 * other input is scattered and gathered, first the part that has been read.
 */

#include "job/job.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/decimal.h"
#include "base/tunable.h"
#include "input/generated.h"
#include "input/operand.h"
#include "input/source.h"
#include "job/passes.h"
#include "job/resources.h"
#include "job/room.h"
#include "job/supply.h"
#include "job/task.h"
#include "sample/gnu.h"
#include "sample/in_order.h"
#include "sample/range.h"
#include "sample/replacement.h"
#include "sample/requests.h"
#include "sample/small.h"
#include "sample/weighted.h"
#include "shuffle/shuffle.h"
#include "system/standard.h"
#include "system/sys.h"

struct job {
    enum task task;
    struct resources resources;
    struct gnu *gnu;  /* NULL without --random-source */
    struct run small; /* with the least memory: holds the beginning of an input that may be small */
    struct run large;
    struct run *run; /* the one that does the task */
    size_t left;     /* FILEs of --each after the current one */
    struct facts facts;
    struct plan plan; /* as carried out */
};

/* ---- Opening ---- */

static bool has_files(const struct options *options)
{
    return !options->echo && !options->range;
}

/* Is standard output one of the inputs? */
static bool is_appended(const struct resources *resources)
{
    struct stat status;

    return resources->source != NULL && resources->options.plan.path == NULL &&
           sys_fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
           stream_is_from(resources->source->stream, &status);
}

/* Open the source, and make a first plan. */
static void open_source(struct job *job)
{
    struct resources *resources = &job->resources;
    const struct options *options = &resources->options;

    if (has_files(options))
        resources_open_files(resources);
    else if (options->echo)
        resources->source = generated_words(options->files, options->file_count);
    else if (job->task < TASK_RANGE)
        resources->source = generated_range(&options->numbers);
    job->facts = (struct facts){.task = job->task,
                                .known = resources->source != NULL && resources->source->known,
                                .bytes = resources->source != NULL ? resources->source->known_bytes : 0,
                                .files = has_files(options) ? resources->name_count : 0,
                                .waits = output_needs(resources->output)->all || is_appended(resources)};
    job->plan = supply_plan(options, &job->facts);
}

/* Look up how much memory there is, and check that there is room for temporary files. */
static void look_up_room(struct job *job)
{
    struct resources *resources = &job->resources;
    const bool known = job->task == TASK_SHUFFLE && job->facts.known;
    uint64_t bytes;

    job->facts.memory_bytes = resources_memory(resources, known ? job->facts.bytes : UINT64_MAX);
    bytes = room_temporary_bytes(&resources->options, job->facts.bytes, job->facts.memory_bytes, job->plan.rereads);
    if (bytes > 0)
        spill_place_check(&resources->place, bytes);
}

/* With --each: look at all FILEs, one by one as they will be read. Returns the least number of bytes of all. */
static uint64_t look_at_each(struct job *job)
{
    struct resources *resources = &job->resources;
    const char *const *first = resources->names;
    uint64_t bytes = 0;

    job->left = resources->name_count - 1;
    resources->name_count = 1;
    for (size_t i = 0; i <= job->left; i++) {
        resources->names = &first[i];
        open_source(job);
        bytes += job->facts.bytes;
        resources_check_temporary(resources);
        look_up_room(job);
        source_free(resources->source);
        resources->source = NULL;
    }
    resources->names = first;
    return bytes;
}

/* Open everything except memory. The output comes before the input: a file that is both must be locked first. */
static void open_all(struct job *job)
{
    struct resources *resources = &job->resources;
    const struct options *options = &resources->options;
    uint64_t bytes = 0;

    room_check_end(options);
    if (has_files(options))
        resources_name_files(resources);
    if (options->random_source != NULL)
        job->gnu = gnu_open(options->random_source);
    resources_open_output(resources);
    if (options->plan.each)
        bytes = look_at_each(job);
    open_source(job);
    room_check_output(options, options->plan.each ? bytes : job->facts.bytes, resources->output);
    resources_check_temporary(resources);
    resources_take_seed(resources);
}

/* Open the small run and hold the beginning of the input there. If that is all, the small run does the job. */
static void try_small_run(struct job *job)
{
    struct source *source = job->resources.source;
    const uint8_t *data;
    size_t got;

    resources_open_run(&job->resources, &job->small, ENGINE_MEMORY_MIN, false);
    source_hold(source, &job->small.engine.pool, 0);
    got = source_next(source, NULL, SUPPLY_SMALL_BYTES, &data, NULL);
    source_rewind(source);
    if (got < SUPPLY_SMALL_BYTES)
        job->run = &job->small;
    else
        source_let_go(source);
}

/* Open a run as planned. The plan may change when the memory and the length of records are known. */
static void open_run(struct job *job)
{
    struct resources *resources = &job->resources;
    struct source *source = resources->source;
    struct run *run = &job->large;

    if (job->plan.supply == SUPPLY_SMALL)
        try_small_run(job);
    if (job->run != NULL)
        return;
    job->run = run;
    job->facts.larger = true;
    job->plan = supply_plan(&resources->options, &job->facts);
    if (job->plan.least) {
        resources_open_run(resources, run, job->plan.memory_bytes, false);
        return;
    }
    look_up_room(job);
    job->plan = supply_plan(&resources->options, &job->facts);
    run->rereads = job->plan.rereads;
    resources_open_run(resources, run, job->plan.memory_bytes, true);
    if (job->plan.supply == SUPPLY_COPIED)
        return;
    supply_hold(source, &resources->options.format, &run->engine.pool, &job->facts);
    job->plan = supply_plan(&resources->options, &job->facts);
    run->refers = job->plan.supply == SUPPLY_HELD;
    if (!run->refers)
        source_let_go(source);
}

/* ---- Doing ---- */

static struct weight_place place_of_weights(struct resources *resources)
{
    struct options *options = &resources->options;

    return (struct weight_place){.file = options->weights,
                                 .field = task_field(options, &options->weight_field),
                                 .decompressed = options->compressed};
}

/* No input is read, not even a list of inputs. */
static void write_nothing(struct resources *resources)
{
    const struct options *options = &resources->options;

    if (has_files(options) && options->file_count > 0 && !operand_is_standard_input(options->files[0])) {
        resources->names = options->files;
        resources->name_count = options->file_count;
    }
    resources_open_output(resources);
    output_begin(resources->output, 0, NULL, 0);
    output_commit(resources->output);
}

static void check_name(const char *name)
{
    if (name != NULL && operand_is_standard_input(name))
        die("--requests: standard input is for requests; name the FILEs of records and weights");
}

static void answer_requests(struct resources *resources)
{
    struct weight_place weights = place_of_weights(resources);
    struct run run = {.rereads = false};

    if (sys_access_mode(STDIN_FILENO) < 0)
        die_errno("standard input", errno);
    standard_open();
    check_name(resources->options.files0_from);
    check_name(resources->options.weights);
    resources->options.progress = OPTIONS_PROGRESS_NEVER; /* the end is unknown */
    resources_name_files(resources);
    for (size_t i = 0; i < resources->name_count; i++)
        check_name(resources->names[i]);
    resources_open_files(resources);
    resources_take_seed(resources);
    resources_open_run(resources, &run, resources_memory(resources, UINT64_MAX), true);
    weights.in_steps = true;
    requests_answer(&run, resources->source, task_is_weighted(&resources->options) ? &weights : NULL);
    standard_close();
    progress_summarize(&resources->progress, resources->seed, NULL, 0);
    engine_close(&run.engine);
}

static void write_with_probability(struct job *job)
{
    struct resources *resources = &job->resources;
    const struct options *options = &resources->options;
    struct in_order_share share;

    if (decimal_threshold(options->probability, &share.threshold, &share.all) != 0)
        die_errno("--probability", errno);
    share.wait = job->facts.waits || (options->expected_records < UINT64_MAX && options->plan.path == NULL);
    in_order_bernoulli(job->run, resources->source, share, resources->output);
}

/* Tasks that open all they need, and complete their output. */
static void (*const alone[TASK_SHUFFLE])(struct resources *resources) = {
    [TASK_ADD_BATCH] = passes_scatter, [TASK_SWEEP] = passes_sweep,       [TASK_GATHER] = passes_gather,
    [TASK_LIST] = passes_list,         [TASK_REQUESTS] = answer_requests, [TASK_NOTHING] = write_nothing,
};

/* All others find it open, and `job->run` as well. False, with nothing written: see shuffle_source. */
static bool do_task(struct job *job)
{
    struct resources *resources = &job->resources;
    const struct options *options = &resources->options;
    struct run *run = job->run;
    struct source *source = resources->source;
    struct output *output = resources->output;

    switch (job->task) {
    case TASK_SHUFFLE:
        if (run == &job->small)
            small_shuffle(run, source, output);
        else
            return shuffle_source(run, source, output);
        break;
    case TASK_KEEP_ORDER:
        in_order_first(run, source, output);
        break;
    case TASK_PROBABILITY:
        write_with_probability(job);
        break;
    case TASK_REPEAT:
        replacement_uniform(run, source, job->gnu, output);
        break;
    case TASK_WEIGHTED:
        weighted_order(run, source, place_of_weights(resources), options->keep_order, output);
        break;
    case TASK_WEIGHTED_REPEAT:
        weighted_repeat(run, source, place_of_weights(resources), output);
        break;
    case TASK_GNU:
        gnu_order(run, source, job->gnu, output);
        break;
    case TASK_GNU_SAMPLE:
        gnu_sample(run, source, job->gnu, output);
        break;
    case TASK_RANGE:
        range_different(run, &options->numbers, job->gnu, options->keep_order, output);
        break;
    case TASK_RANGE_REPEAT:
        range_repeated(run, &options->numbers, job->gnu, output);
        break;
    default:
        break;
    }
    return true;
}

/* Copy the records to piles, first those that are held. */
static void copy_instead(struct job *job)
{
    struct run *run = job->run;

    run->refers = false;
    job->plan.supply = SUPPLY_COPIED;
    counter_set(&run->progress->records, 0);
    source_rewind(job->resources.source);
    source_let_go(job->resources.source);
}

static void summarize(const struct job *job)
{
    const struct resources *resources = &job->resources;

    if (resources->options.plan.each && resources->options.verbose)
        fault_note("%s:", resources->names[0]);
    progress_summarize(&resources->progress, resources->seed, NULL, 0);
    if (resources->options.verbose)
        supply_note(&job->plan, &job->facts, engine_threads(&job->run->engine));
}

/* With --each: the current FILE is done. Go on with the next one, which must have as many records; false: no more. */
static bool take_next(struct job *job)
{
    struct resources *resources = &job->resources;
    struct source *before = resources->source;

    if (job->left == 0)
        return false;
    output_turn(resources->output);
    summarize(job);
    if (resources->options.expected_records == UINT64_MAX) {
        resources->options.expected_records = counter_get(&job->run->progress->records);
        resources->like = resources->names[0];
    }
    engine_close(&job->small.engine);
    engine_close(&job->large.engine);
    job->small = job->large = (struct run){.expected = 0};
    job->run = NULL;
    spill_place_restart(&resources->place);
    job->left--;
    resources->names++;
    open_source(job);
    progress_begin(&resources->progress, resources->source,
                   resources->output); /* draws nothing about the FILE before */
    source_free(before);
    return true;
}

/* Complete the output, the last thing that can fail. */
static void finish_output(struct job *job)
{
    resources_check_taken(&job->resources);
    if (job->gnu != NULL)
        gnu_check(job->gnu);
    output_commit(job->resources.output);
    summarize(job);
}

/* Do a task that shuffles records, and complete its output. */
static void shuffle_records(struct job *job)
{
    open_all(job);
    do {
        open_run(job);
        while (!do_task(job))
            copy_instead(job);
    } while (take_next(job));
    finish_output(job);
}

void job_run(const struct options *options)
{
    struct job job = {.task = task_of(options)};

    resources_init(&job.resources, options);
    if (job.task < TASK_SHUFFLE)
        alone[job.task](&job.resources);
    else
        shuffle_records(&job);
    engine_close(&job.small.engine);
    engine_close(&job.large.engine);
    gnu_free(job.gnu);
    resources_release(&job.resources);
}
