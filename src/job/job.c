/*
 * task.h decides what the job is, from the options alone; do_task does it, when all that it needs has been opened.
 *
 * If the beginning of the input is all of it, no thread is started, and the machine's memory is not looked up. Any
 * other input is scattered and gathered; what was read of it comes first.
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
#include "job/lending.h"
#include "job/passes.h"
#include "job/resources.h"
#include "job/room.h"
#include "job/task.h"
#include "sample/gnu.h"
#include "sample/in_order.h"
#include "sample/range.h"
#include "sample/replacement.h"
#include "sample/requests.h"
#include "sample/weighted.h"
#include "shuffle/shuffle.h"
#include "system/standard.h"
#include "system/sys.h"

/* An input of fewer bytes is shuffled in one piece: each of 512 piles would be a few hundred bytes. The least memory
 * has room for it. Nor may it have more records than a leaf, as all have with the usual size of leaves. */
TUNABLE(SMALL_BYTES, 256 << 10, 1, ENGINE_UNITS < 128 ? ENGINE_UNITS << 11 : 256 << 10);

struct job {
    enum task task;
    struct resources resources;
    struct gnu *gnu;  /* NULL without --random-source */
    struct run small; /* with the least memory, which holds the beginning of an input that may be small */
    struct run large;
    struct run *run; /* that of these two which does the task */
    size_t left;     /* FILEs of --each that come after the one in work */
};

/* ---- Opening ---- */

static bool has_files(const struct options *options)
{
    return !options->echo && !options->range;
}

static void open_source(struct job *job)
{
    struct resources *resources = &job->resources;
    const struct options *options = &resources->options;
    struct number_range range = task_range(options);

    if (has_files(options))
        resources_open_files(resources);
    else if (options->echo)
        resources->source = generated_words(options->files, options->file_count);
    else if (job->task < TASK_RANGE)
        resources->source = generated_range(&range);
}

/* Bytes that will be read at least. */
static uint64_t known_bytes(const struct job *job)
{
    return job->resources.source != NULL ? source_known_bytes(job->resources.source) : 0;
}

/* Open the small run and hold the beginning of the input there. If that is all, the small run is the job's. */
static void try_small_run(struct job *job)
{
    struct source *source = job->resources.source;

    resources_open_run(&job->resources, &job->small, ENGINE_MEMORY_MIN, 1);
    source_hold(source, &job->small.engine.pool);
    if (source_fill(source, SMALL_BYTES) < SMALL_BYTES)
        job->run = &job->small;
    else
        source_let_go(source);
}

/* Is standard output one of the inputs? */
static bool is_appended(const struct resources *resources)
{
    struct stat status;

    return resources->options.output == NULL && sys_fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
           source_is_from(resources->source, &status);
}

/* Must all input have been read before the first record is written? */
static bool must_wait(const struct resources *resources)
{
    return output_waits(resources->output) || is_appended(resources);
}

/* Could samples read the input again? */
static bool can_reread(const struct resources *resources)
{
    return has_files(&resources->options) && source_is_known(resources->source) && !must_wait(resources);
}

/* May the inputs be mapped? Not if the output is written to one of them, as a filter may do. */
static bool may_lend(const struct resources *resources)
{
    return resources->source != NULL && resources->options.filter == NULL && !is_appended(resources);
}

/* Is it worth while to keep the inputs in memory, to refer to their records? Most samples need few of them. */
static enum lending_use use_of(const struct job *job)
{
    if (job->task == TASK_SHUFFLE &&
        (job->resources.options.count == UINT64_MAX || task_is_keyed(&job->resources.options)))
        return LENDING_ONCE;
    return job->task == TASK_REPEAT ? LENDING_REPEATEDLY : LENDING_SELDOM;
}

static uint64_t memory_of(struct job *job)
{
    const struct source *source = job->resources.source;
    const bool known = job->task == TASK_SHUFFLE && source != NULL && source_is_known(source);

    return resources_memory(&job->resources, known ? known_bytes(job) : UINT64_MAX);
}

/* Of --each: look at all FILEs, one by one as they will be read. Returns how many bytes that will be at least. */
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
        bytes += known_bytes(job);
        resources_check_temporary(resources);
        room_check_temporary(&resources->options, known_bytes(job), memory_of(job), can_reread(resources),
                             &resources->place);
        source_free(resources->source);
        resources->source = NULL;
    }
    resources->names = first;
    return bytes;
}

/* Open everything but memory. The output comes before the input: a file that is both must be locked before anybody
 * reads it. */
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
    if (options->each)
        bytes = look_at_each(job);
    open_source(job);
    room_check_output(options, options->each ? bytes : known_bytes(job), resources->output);
    resources_check_temporary(resources);
    resources_take_seed(resources);
}

/* Open a run that suits the task. */
static void open_large_run(struct job *job)
{
    struct resources *resources = &job->resources;
    const bool known = resources->source != NULL && source_is_known(resources->source);
    const bool files = has_files(&resources->options);
    const bool rereads = known && can_reread(resources);
    const bool keyed = task_is_keyed(&resources->options);
    const struct record_format format = task_format(&resources->options);
    uint64_t memory_bytes;
    bool groups_fit; /* if they cannot be mapped, they can be held */

    job->run = &job->large;
    if ((job->task != TASK_SHUFFLE || keyed) && known && known_bytes(job) <= SMALL_BYTES) {
        resources_open_run(resources, job->run, ENGINE_MEMORY_MIN, 1);
        return;
    }
    memory_bytes = memory_of(job);
    groups_fit = record_is(&format, RECORD_GROUP) && known_bytes(job) <= memory_bytes;
    room_check_temporary(&resources->options, known_bytes(job), memory_bytes, rereads, &resources->place);
    job->run->refers = may_lend(resources) && lending_choose(resources->source, resources->name_count, &format,
                                                             use_of(job), memory_bytes, &memory_bytes);
    resources_open_large_run(resources, job->run, memory_bytes);
    if (files && !job->run->refers && (!known || groups_fit) && use_of(job) == LENDING_ONCE)
        job->run->refers = lending_hold(resources->source, &format, &job->run->engine.pool);
    job->run->rereads = rereads;
}

static void open_run(struct job *job)
{
    if (job->task == TASK_SHUFFLE && !task_is_keyed(&job->resources.options) && known_bytes(job) <= SMALL_BYTES &&
        job->resources.order.leaf_records >= SMALL_BYTES)
        try_small_run(job);
    if (job->run == NULL)
        open_large_run(job);
}

/* ---- Doing ---- */

static struct weight_place place_of_weights(struct resources *resources)
{
    struct options *options = &resources->options;

    return (struct weight_place){.file = options->weights,
                                 .field = task_field(options, &options->weight_field),
                                 .decompressed = options->compressed};
}

/* No input is read, and a list of inputs would be one. */
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
    resources->options.progress = OPTIONS_PROGRESS_NEVER; /* nobody knows the end */
    resources_name_files(resources);
    for (size_t i = 0; i < resources->name_count; i++)
        check_name(resources->names[i]);
    resources_open_files(resources);
    resources_take_seed(resources);
    resources_open_large_run(resources, &run, resources_memory(resources, UINT64_MAX));
    weights.in_steps = true;
    requests_answer(&run, resources->source, task_is_weighted(&resources->options) ? &weights : NULL);
    source_check(resources->source);
    standard_close();
    progress_summarize(&resources->progress, resources->seed, NULL, 0);
    engine_close(&run.engine);
}

static void write_with_probability(struct resources *resources, struct run *run)
{
    struct in_order_share share;

    if (decimal_threshold(resources->options.probability, &share.threshold, &share.all) != 0)
        die_errno("--probability", errno);
    share.wait =
        must_wait(resources) || (resources->options.expected_records < UINT64_MAX && resources->options.output == NULL);
    in_order_bernoulli(run, resources->source, share, resources->output);
}

/* Tasks before TASK_SHUFFLE open what they need and complete what they write; all others find it open, and `job->run`
 * as well. */
static void do_task(struct job *job)
{
    struct resources *resources = &job->resources;
    const struct options *options = &resources->options;
    const struct number_range range = task_range(options);
    struct run *run = job->run;
    struct source *source = resources->source;
    struct output *output = resources->output;

    switch (job->task) {
    case TASK_ADD_BATCH:
        passes_scatter(resources);
        break;
    case TASK_SWEEP:
        passes_sweep(resources);
        break;
    case TASK_GATHER:
        passes_gather(resources);
        break;
    case TASK_LIST:
        passes_list(resources);
        break;
    case TASK_REQUESTS:
        answer_requests(resources);
        break;
    case TASK_NOTHING:
        write_nothing(resources);
        break;
    case TASK_SHUFFLE:
        if (run == &job->small)
            shuffle_small(run, source, output);
        else
            shuffle_source(run, source, output);
        break;
    case TASK_KEEP_ORDER:
        in_order_first(run, source, output);
        break;
    case TASK_PROBABILITY:
        write_with_probability(resources, run);
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
        gnu_sample(run, resources->source, job->gnu, resources->output);
        break;
    case TASK_RANGE:
        range_different(run, &range, job->gnu, options->keep_order, output);
        break;
    case TASK_RANGE_REPEAT:
        range_repeated(run, &range, job->gnu, output);
        break;
    }
}

/* Use records when memory has no room for references to them, or for all the records referred to. */
static void copy_instead(struct job *job)
{
    struct resources *resources = &job->resources;
    struct run *run = job->run;

    run->refers = false;
    counter_set(&run->progress->records, 0);
    run->progress->must_copy = false;
    if (source_holds(resources->source)) {
        source_let_go(resources->source);
        return;
    }
    source_unmap(resources->source);
    engine_close(&run->engine);
    *run = (struct run){.rereads = run->rereads};
    source_rewind(resources->source);
    resources_open_large_run(resources, run, memory_of(job));
}

static void summarize(const struct resources *resources)
{
    if (resources->options.each && resources->options.verbose)
        fault_note("%s:", resources->names[0]);
    progress_summarize(&resources->progress, resources->seed, NULL, 0);
}

/* Of --each: the FILE in work is done. Go on with the next one, which must have as many records; false if there is
 * none. */
static bool take_next(struct job *job)
{
    struct resources *resources = &job->resources;
    struct source *before = resources->source;

    if (job->left == 0)
        return false;
    output_turn(resources->output);
    summarize(resources);
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
    progress_begin(&resources->progress, resources->source, resources->output); /* and draw nothing of the one before */
    source_free(before);
    return true;
}

/* Complete the output, the last thing that can fail. */
static void finish(struct job *job)
{
    resources_check_taken(&job->resources);
    if (job->gnu != NULL)
        gnu_check(job->gnu);
    output_commit(job->resources.output);
    summarize(&job->resources);
}

/* Do a task that shuffles records, and complete its output. */
static void shuffle_records(struct job *job)
{
    open_all(job);
    do {
        open_run(job);
        do_task(job);
        if (job->run->progress->must_copy) {
            copy_instead(job);
            do_task(job);
        }
        if (job->resources.source != NULL)
            source_check(job->resources.source);
    } while (take_next(job));
    finish(job);
}

void job_run(const struct options *options)
{
    struct job job = {.task = task_of(options)};

    resources_init(&job.resources, options);
    if (job.task < TASK_SHUFFLE)
        do_task(&job);
    else
        shuffle_records(&job);
    engine_close(&job.small.engine);
    engine_close(&job.large.engine);
    gnu_free(job.gnu);
    resources_release(&job.resources);
}
