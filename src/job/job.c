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
    struct setup setup;
    struct gnu *gnu; /* NULL without --random-source */
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
        if (run_begin(run, job->setup.output, run->records) == 0)
            status = shuffle_piles(run, &piles, order, job->setup.output);
    }
    piles_release(&piles);
    return status;
}

/* Temporary space that is sure to be needed: by promise at most D - 3/4 S, and nothing if D fits into S.
 *
 * Where temporary files and output share a disk, this much and what the output needs do not add up. Every byte of the
 * input is in memory, in a temporary file or in the output, and in one of them alone: pass 1 writes no output, and pass
 * 2 gives back what it has read of a pile before it writes the pile. So the temporary files and the output together
 * grow from T, all that was spilled, while piles are written that were in memory, to D at most, and stay there to the
 * end. The peak is the larger one of T and D, and each of them is compared with what is free by itself. */
static uint64_t spill_expected(uint64_t known_bytes, uint64_t memory_bytes)
{
    return known_bytes <= memory_bytes ? 0 : known_bytes - memory_bytes / 4 * 3;
}

static void print_summary(const struct setup *setup, const struct run *run, double start)
{
    setup_say_records(setup, run, setup->source != NULL ? source_delivered_bytes(setup->source) : 0);
    setup_say_spilled(setup, run);
    setup_say_peak();
    setup_say("seconds:", "%.2f scatter, %.2f gather", run->scattered_seconds - start,
              run_seconds() - run->scattered_seconds);
}

/* The last thing that can fail. */
static int finish(struct job *job, struct run *run, double start)
{
    if (output_commit(job->setup.output) != 0)
        return -1;
    if (run->scattered_seconds == 0)
        run->scattered_seconds = start;
    if (job->setup.options->verbose)
        print_summary(&job->setup, run, start);
    return 0;
}

static int write_drawn(struct job *job, struct run *run)
{
    struct words_range range = plan_range(job->setup.options);

    if (job->setup.options->repeat)
        return draw_repeated(run, &range, job->gnu, job->setup.output);
    return job->gnu != NULL ? draw_gnu(run, &range, job->gnu, job->setup.output)
                            : draw_different(run, &range, job->setup.output);
}

static int write_weighted(struct job *job, struct run *run)
{
    const struct options *options = job->setup.options;
    struct weights_place place = {
        .file = options->weights, .field = options->weight_field, .separator = options->field_separator};

    if (options->repeat)
        return weighted_repeat(run, job->setup.source, place, job->setup.output);
    return options->keep_order ? weighted_select(run, job->setup.source, place, job->setup.output)
                               : weighted_order(run, job->setup.source, place, job->setup.output);
}

static int write_replayed(struct job *job, struct run *run)
{
    const struct options *options = job->setup.options;
    uint64_t unused;

    if (options->repeat)
        return replay_repeat(run, job->setup.source, job->gnu, job->setup.output);
    if (options->echo || options->range || options->count == UINT64_MAX ||
        (source_is_known(job->setup.source) && source_known_bytes(job->setup.source) <= GNU_RESERVOIR_BYTES))
        return replay_order(run, job->setup.source, job->gnu, job->setup.output);
    if (gnu_draw(job->gnu, 0, &unused) != 0) /* opens it if it is a FIFO, as shuf does before it reads the input */
        return -1;
    return replay_reservoir(run, job->setup.source, job->gnu, job->setup.output);
}

/* Is standard output one of the inputs? */
static bool is_appended(const struct job *job)
{
    struct stat status;

    return job->setup.options->output == NULL && sys_fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
           source_is_from(job->setup.source, &status);
}

static int write_bernoulli(struct job *job, struct run *run)
{
    struct select_share share;

    if (decimal_threshold(job->setup.options->probability, &share.threshold, &share.all) != 0)
        return fault_report(&job->setup.fault, "--probability", errno);
    share.wait = output_waits(job->setup.output) || is_appended(job);
    return select_bernoulli(run, job->setup.source, share, job->setup.output);
}

/* All but the order of the seed from little input. */
static int write_records(struct job *job, struct run *run)
{
    const struct options *options = job->setup.options;

    if (job->setup.source == NULL)
        return write_drawn(job, run);
    if (plan_is_plain(options))
        return shuffle_source(run, job->setup.source, job->setup.output);
    if (options->weights != NULL || options->weight_field > 0)
        return write_weighted(job, run);
    if (job->gnu != NULL)
        return write_replayed(job, run);
    if (options->repeat)
        return repeat_uniform(run, job->setup.source, job->setup.output);
    if (options->keep_order)
        return select_first(run, job->setup.source, job->setup.output);
    return write_bernoulli(job, run);
}

/* Shuffle an input if it is small. 1 if it was, 0 if not and what was read of it is in front again, from the run's
 * buffer, or -1 after a report. */
static int try_small(struct job *job, struct run *run)
{
    ssize_t bytes = -1;

    if (setup_run(&job->setup, run, RUN_MEMORY_MIN, 1) == 0)
        bytes = source_read(job->setup.source, run->buffer, SMALL_BYTES);
    if (bytes < 0)
        return -1;
    if ((size_t)bytes < SMALL_BYTES)
        return shuffle_small(job, run, (size_t)bytes) == 0 ? 1 : -1;
    source_unread(job->setup.source, run->buffer, (size_t)bytes);
    return 0;
}

/* Open a run that suits the task. */
static int open_large(struct job *job, struct run *run, uint64_t known_bytes)
{
    struct setup *setup = &job->setup;
    const struct options *options = setup->options;
    bool known = setup->source != NULL && source_is_known(setup->source);
    uint64_t memory_bytes;

    if (!plan_is_plain(options) && known && known_bytes <= SMALL_BYTES)
        return setup_run(setup, run, RUN_MEMORY_MIN, 1);
    memory_bytes = setup_memory(setup, plan_is_plain(options) && known ? known_bytes : UINT64_MAX);
    if ((options->repeat || options->count == UINT64_MAX) && options->probability == NULL &&
        spill_expected(known_bytes, memory_bytes) > 0 &&
        spill_check(&setup->place, spill_expected(known_bytes, memory_bytes)) != 0)
        return -1;
    return setup_large_run(setup, run, memory_bytes);
}

static int do_task(struct job *job)
{
    uint64_t known_bytes = job->setup.source != NULL ? source_known_bytes(job->setup.source) : 0;
    double start = run_seconds();
    struct run small = {0};
    struct run large = {0};
    int done = 0;
    int status = -1;

    if (job->setup.source != NULL && plan_is_plain(job->setup.options) && known_bytes <= SMALL_BYTES)
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
    const struct options *options = job->setup.options;
    struct words_range range = plan_range(options);

    if (plan_is_drawn(options))
        return 0;
    if (!options->echo && !options->range)
        return setup_files(&job->setup);
    job->setup.source = options->echo ? words_source(options->files, options->file_count) : words_range_source(&range);
    return job->setup.source == NULL ? fault_report(&job->setup.fault, "memory", errno) : 0;
}

/* With -r and no -n the output never ends, so it must be something that can be read meanwhile. */
static int check_end(struct job *job)
{
    const struct options *options = job->setup.options;
    struct stat status;

    if (!plan_is_endless(options) || options->output == NULL)
        return 0;
    if (sys_stat(options->output, &status) == 0 && !S_ISREG(status.st_mode))
        return 0;
    return fault_say(&job->setup.fault, "%s: -r without -n would never end", fault_name(options->output));
}

/* Is there room for the output? */
static int check_room(const struct job *job)
{
    uint64_t known_bytes = job->setup.source != NULL ? source_known_bytes(job->setup.source) : 0;

    return output_check_room(job->setup.output, plan_output_bytes(job->setup.options, known_bytes));
}

/* No records are wanted, so nothing is opened but the output. */
static int write_nothing(struct setup *setup)
{
    if (setup_output(setup) != 0 || output_begin(setup->output, 0, NULL, 0) != 0)
        return -1;
    return output_commit(setup->output);
}

static int open_all(struct job *job)
{
    const struct options *options = job->setup.options;

    if (check_end(job) != 0 || open_source(job) != 0)
        return -1;
    if (options->random_source != NULL) {
        job->gnu = gnu_open(options->random_source, &job->setup.fault);
        if (job->gnu == NULL)
            return -1;
    }
    if (setup_output(&job->setup) != 0 || check_room(job) != 0 || setup_temporary(&job->setup) != 0)
        return -1;
    return setup_seed(&job->setup);
}

int job_run(const struct options *options)
{
    struct job job = {.gnu = NULL};
    int status = -1;

    if (options->scatter != NULL || options->gather != NULL)
        return stored_run(options);
    setup_init(&job.setup, options);
    if (plan_is_empty(options))
        status = write_nothing(&job.setup);
    else if (open_all(&job) == 0)
        status = do_task(&job);
    gnu_free(job.gnu);
    setup_release(&job.setup);
    return status;
}
