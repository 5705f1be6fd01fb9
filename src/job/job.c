/*
 * The options say where records come from (open_source) and what is done with them (write_records).
 *
 * An input to be shuffled that turns out to be small after one read is a pile by itself, the root of the tree, and is
 * gathered at once: no thread is started, and nobody looks how much memory the machine has. Any other input is
 * scattered and gathered, with the bytes already read put back.
 */

#include "job/job.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "input/generated.h"
#include "input/source.h"
#include "job/resources.h"
#include "job/store_job.h"
#include "job/task.h"
#include "sample/gnu_order.h"
#include "sample/gnu_random.h"
#include "sample/in_order.h"
#include "sample/range.h"
#include "sample/replacement.h"
#include "sample/weighted.h"
#include "shuffle/gather.h"
#include "shuffle/shuffle.h"
#include "system/sys.h"

/* What is shuffled in one piece: an input of which 512 piles would be a few hundred bytes each. */
static const size_t SMALL_BYTES = (size_t)256 << 10;

/* GNU shuf takes a sample of a larger file in another way than of a smaller one. */
static const uint64_t GNU_RESERVOIR_BYTES = (uint64_t)8 << 20;

struct job {
    struct resources resources;
    struct gnu_random *gnu; /* NULL without --random-source */
};

static uint64_t count_records(const struct record_format *format, const uint8_t *data, size_t bytes)
{
    enum { ENDS = 1024 };
    uint32_t ends[ENDS];
    uint64_t records = 0;
    struct record_scan scan = {0};

    for (size_t from = 0, scanned; from < bytes; from += scanned)
        records += record_ends(format, &scan, data + from, bytes - from, ends, ENDS, &scanned);
    return records;
}

/* The whole input is run->buffer[0, bytes). */
static int shuffle_small(struct job *job, struct run *run, size_t bytes)
{
    struct gather_order order = {.kind = GATHER_NODE, .order = &run->order, .node = {.root = true}};
    struct piles piles = {0};
    int status = -1;

    if (piles_init(&piles, 1, 1, &run->pool, run->place) == 0 && pile_append(&piles, 0, run->buffer, bytes) == 0) {
        piles_seal(&piles);
        run->records = count_records(&run->format, run->buffer, bytes);
        piles.pile[0].records = run->records;
        run->scattered_seconds = run_seconds();
        if (run_begin(run, job->resources.output, run->records) == 0)
            status = shuffle_piles(run, &piles, order, job->resources.output);
    }
    piles_release(&piles);
    return status;
}

static void print_summary(const struct resources *resources, const struct run *run, double start)
{
    resources_say_records(resources, run, resources->source != NULL ? source_delivered_bytes(resources->source) : 0);
    resources_say_spilled(resources, run);
    resources_say_peak();
    resources_say("seconds:", "%.2f scatter, %.2f gather", run->scattered_seconds - start,
                  run_seconds() - run->scattered_seconds);
}

/* The last thing that can fail. */
static int finish(struct job *job, struct run *run, double start)
{
    if (output_commit(job->resources.output) != 0)
        return -1;
    if (run->scattered_seconds == 0)
        run->scattered_seconds = start;
    if (job->resources.options->verbose)
        print_summary(&job->resources, run, start);
    return 0;
}

static int write_drawn(struct job *job, struct run *run)
{
    struct number_range range = task_range(job->resources.options);

    if (job->resources.options->repeat)
        return range_repeated(run, &range, job->gnu, job->resources.output);
    return job->gnu != NULL ? range_gnu(run, &range, job->gnu, job->resources.output)
                            : range_different(run, &range, job->resources.output);
}

static int write_weighted(struct job *job, struct run *run)
{
    const struct options *options = job->resources.options;
    struct weight_place place = {
        .file = options->weights, .field = options->weight_field, .separator = options->field_separator};

    if (options->repeat)
        return weighted_repeat(run, job->resources.source, place, job->resources.output);
    return options->keep_order ? weighted_select(run, job->resources.source, place, job->resources.output)
                               : weighted_order(run, job->resources.source, place, job->resources.output);
}

static int write_replayed(struct job *job, struct run *run)
{
    const struct options *options = job->resources.options;
    uint64_t unused;

    if (options->repeat)
        return gnu_order_repeat(run, job->resources.source, job->gnu, job->resources.output);
    if (options->echo || options->range || options->count == UINT64_MAX ||
        (source_is_known(job->resources.source) && source_known_bytes(job->resources.source) <= GNU_RESERVOIR_BYTES))
        return gnu_order_all(run, job->resources.source, job->gnu, job->resources.output);
    if (gnu_random_draw(job->gnu, 0, &unused) !=
        0) /* opens it if it is a FIFO, as shuf does before it reads the input */
        return -1;
    return gnu_order_reservoir(run, job->resources.source, job->gnu, job->resources.output);
}

/* Is standard output one of the inputs? */
static bool is_appended(const struct job *job)
{
    struct stat status;

    return job->resources.options->output == NULL && sys_fstat(STDOUT_FILENO, &status) == 0 &&
           S_ISREG(status.st_mode) && source_is_from(job->resources.source, &status);
}

/* Must all input have been read before the first record is written? */
static bool must_wait(const struct job *job)
{
    return output_waits(job->resources.output) || is_appended(job);
}

static int write_bernoulli(struct job *job, struct run *run)
{
    struct in_order_share share;

    if (decimal_threshold(job->resources.options->probability, &share.threshold, &share.all) != 0)
        return fault_report(&job->resources.fault, "--probability", errno);
    share.wait = must_wait(job);
    return in_order_bernoulli(run, job->resources.source, share, job->resources.output);
}

/* All but the order of the seed from little input. */
static int write_records(struct job *job, struct run *run)
{
    const struct options *options = job->resources.options;

    if (job->resources.source == NULL)
        return write_drawn(job, run);
    if (task_is_plain(options))
        return shuffle_source(run, job->resources.source, job->resources.output);
    if (options->weights != NULL || options->weight_field > 0)
        return write_weighted(job, run);
    if (job->gnu != NULL)
        return write_replayed(job, run);
    if (options->repeat)
        return replacement_uniform(run, job->resources.source, job->resources.output);
    if (options->keep_order)
        return in_order_first(run, job->resources.source, job->resources.output);
    return write_bernoulli(job, run);
}

/* Shuffle an input if it is small. 1 if it was, 0 if not and what was read of it is in front again, from the run's
 * buffer, or -1 after a report. */
static int try_small(struct job *job, struct run *run)
{
    ssize_t bytes = -1;

    if (resources_run(&job->resources, run, RUN_MEMORY_MIN, 1) == 0)
        bytes = source_read(job->resources.source, run->buffer, SMALL_BYTES);
    if (bytes < 0)
        return -1;
    if ((size_t)bytes < SMALL_BYTES)
        return shuffle_small(job, run, (size_t)bytes) == 0 ? 1 : -1;
    source_unread(job->resources.source, run->buffer, (size_t)bytes);
    return 0;
}

/* Open a run that suits the task. */
static int open_large(struct job *job, struct run *run, uint64_t known_bytes)
{
    struct resources *resources = &job->resources;
    const struct options *options = resources->options;
    bool known = resources->source != NULL && source_is_known(resources->source);
    bool rereads = known && !must_wait(job);
    uint64_t memory_bytes;
    uint64_t spilled_bytes;

    if (!task_is_plain(options) && known && known_bytes <= SMALL_BYTES)
        return resources_run(resources, run, RUN_MEMORY_MIN, 1);
    memory_bytes = resources_memory(resources, task_is_plain(options) && known ? known_bytes : UINT64_MAX);
    spilled_bytes = task_spilled_bytes(options, known_bytes, memory_bytes, rereads);
    if (spilled_bytes > 0 && spill_check(&resources->place, spilled_bytes) != 0)
        return -1;
    if (resources_large_run(resources, run, memory_bytes) != 0)
        return -1;
    run->rereads = rereads;
    return 0;
}

static int do_task(struct job *job)
{
    uint64_t known_bytes = job->resources.source != NULL ? source_known_bytes(job->resources.source) : 0;
    double start = run_seconds();
    struct run small = {0};
    struct run large = {0};
    int done = 0;
    int status = -1;

    if (job->resources.source != NULL && task_is_plain(job->resources.options) && known_bytes <= SMALL_BYTES)
        done = try_small(job, &small);
    if (done > 0)
        status = finish(job, &small, start);
    if (done == 0 && open_large(job, &large, known_bytes) == 0 && write_records(job, &large) == 0)
        status = finish(job, &large, start);
    run_close(&small);
    run_close(&large);
    return status;
}

static int open_source(struct job *job)
{
    const struct options *options = job->resources.options;
    struct number_range range = task_range(options);

    if (task_is_drawn(options))
        return 0;
    if (!options->echo && !options->range)
        return resources_files(&job->resources);
    job->resources.source =
        options->echo ? generated_words(options->files, options->file_count) : generated_range(&range);
    return job->resources.source == NULL ? fault_report(&job->resources.fault, "memory", errno) : 0;
}

/* With -r and no -n the output never ends, so it must be something that can be read meanwhile. */
static int check_end(struct job *job)
{
    const struct options *options = job->resources.options;
    struct stat status;

    if (!task_is_endless(options) || options->output == NULL)
        return 0;
    if (sys_stat(options->output, &status) == 0 && !S_ISREG(status.st_mode))
        return 0;
    return fault_say(&job->resources.fault, "%s: -r without -n would never end", fault_name(options->output));
}

/* Is there room for the output? */
static int check_room(const struct job *job)
{
    uint64_t known_bytes = job->resources.source != NULL ? source_known_bytes(job->resources.source) : 0;

    return output_check_room(job->resources.output, task_output_bytes(job->resources.options, known_bytes));
}

/* No records are wanted, so nothing is opened but the output. */
static int write_nothing(struct resources *resources)
{
    if (resources_output(resources) != 0 || output_begin(resources->output, 0, NULL, 0) != 0)
        return -1;
    return output_commit(resources->output);
}

static int open_all(struct job *job)
{
    const struct options *options = job->resources.options;

    if (check_end(job) != 0 || open_source(job) != 0)
        return -1;
    if (options->random_source != NULL) {
        job->gnu = gnu_random_open(options->random_source, &job->resources.fault);
        if (job->gnu == NULL)
            return -1;
    }
    if (resources_output(&job->resources) != 0 || check_room(job) != 0 || resources_temporary(&job->resources) != 0)
        return -1;
    return resources_seed(&job->resources);
}

int job_run(const struct options *options)
{
    struct job job = {.gnu = NULL};
    int status = -1;

    if (options->scatter != NULL || options->gather != NULL)
        return store_job_run(options);
    resources_init(&job.resources, options);
    if (task_is_empty(options))
        status = write_nothing(&job.resources);
    else if (open_all(&job) == 0)
        status = do_task(&job);
    gnu_random_free(job.gnu);
    resources_release(&job.resources);
    return status;
}
