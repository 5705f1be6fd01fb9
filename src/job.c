/*
 * The options say where records come from (open_source) and what is done with them (write_records).
 *
 * An input to be shuffled that turns out to be small after one read is a pile by itself, the root of the tree, and is
 * gathered at once: no thread is started, and nobody looks how much memory the machine has. Any other input is
 * scattered and gathered, with the bytes already read put back.
 */

#include "job.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compress.h"
#include "decimal.h"
#include "draw.h"
#include "gather.h"
#include "gnu.h"
#include "hardware.h"
#include "number.h"
#include "output.h"
#include "plan.h"
#include "repeat.h"
#include "replay.h"
#include "select.h"
#include "shuffle.h"
#include "source.h"
#include "sys.h"
#include "weighted.h"
#include "words.h"

/* What is shuffled in one piece: an input of which 512 piles would be a few hundred bytes each. */
static const size_t SMALL_BYTES = (size_t)256 << 10;

/* More memory than an input can need would only be divided into larger blocks, of which each pile leaves one half
 * unused: a million lines of 9 bytes took 47 ms with 11 GB, 30 ms with 64 MiB. */
enum { ENOUGH_TIMES = 4 };
static const uint64_t ENOUGH_BYTES = (uint64_t)32 << 20;

/* Threads besides the workers, while others wait for disks: gathering 4 GB from piles on disk took 4.0 s with 4 of
 * them, 4.8 s with none, on two processors. None if the user has set a maximum. */
enum { WAITING = 4 };

/* GNU shuf takes a sample of a larger file in another way than of a smaller one. */
static const uint64_t GNU_RESERVOIR_BYTES = (uint64_t)8 << 20;

enum { SEED_BYTES = 32 };

struct job {
    const struct options *options;
    struct fault fault;
    const char **names; /* of --files0-from */
    char *names_data;
    struct source *source; /* NULL if numbers are drawn from a range */
    struct gnu *gnu;       /* NULL without --random-source */
    struct output *output;
    struct spill_place place;
    struct compress compress;           /* without a program if none was given */
    char seed_text[2 * SEED_BYTES + 1]; /* the seed that was made, if none was given */
    const char *seed;
    struct order order;
};

/* Without --seed: 32 bytes from the kernel, in hexadecimal, so that the run can be repeated. */
static int make_seed(struct job *job)
{
    uint8_t bytes[SEED_BYTES];

    job->seed = job->options->seed;
    if (job->seed == NULL) {
        if (sys_random(bytes, sizeof bytes) != 0)
            return fault_report(&job->fault, "random seed", errno);
        for (size_t i = 0; i < sizeof bytes; i++)
            snprintf(job->seed_text + 2 * i, 3, "%02x", bytes[i]);
        job->seed = job->seed_text;
    }
    random_key_init(&job->order.key, job->seed, strlen(job->seed));
    job->order.leaf_records = job->options->leaf_records;
    return 0;
}

static int open_run(struct job *job, struct run *run, uint64_t memory_bytes, unsigned workers)
{
    run->order = job->order;
    run->format = plan_format(job->options);
    run->input = job->source;
    run->place = &job->place;
    if (run_open(run, run_memory(memory_bytes, workers), &job->fault) != 0)
        return -1;
    run->left = job->options->count;
    return 0;
}

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
        if (run_begin(run, job->output, run->records) == 0)
            status = shuffle_piles(run, &piles, order, job->output);
    }
    piles_release(&piles);
    return status;
}

/* Temporary space that is sure to be needed: by promise at most D - 3/4 S, and nothing if D fits into S. */
static uint64_t spill_expected(uint64_t known_bytes, uint64_t memory_bytes)
{
    return known_bytes <= memory_bytes ? 0 : known_bytes - memory_bytes / 4 * 3;
}

static void print_summary(const struct job *job, const struct run *run, double start)
{
    uint64_t bytes = job->source != NULL ? source_delivered_bytes(job->source) : 0;
    char peak[32];

    fprintf(stderr,
            "bigshuf: records:       %llu\n"
            "bigshuf: bytes:         %llu\n"
            "bigshuf: seed:          %s\n"
            "bigshuf: spilled:       %llu piles, %llu bytes\n"
            "bigshuf: started over:  %llu piles\n"
            "bigshuf: peak memory:   %s\n"
            "bigshuf: seconds:       %.2f scatter, %.2f gather\n",
            (unsigned long long)run->records, (unsigned long long)bytes, job->seed,
            (unsigned long long)atomic_load(&job->place.piles), (unsigned long long)atomic_load(&job->place.bytes),
            (unsigned long long)run->started_over, number_format_size(hardware_peak_memory(), peak),
            run->scattered_seconds - start, run_seconds() - run->scattered_seconds);
}

/* The last thing that can fail. */
static int finish(struct job *job, struct run *run, double start)
{
    if (output_commit(job->output) != 0)
        return -1;
    if (run->scattered_seconds == 0)
        run->scattered_seconds = start;
    if (job->options->verbose)
        print_summary(job, run, start);
    return 0;
}

static int write_drawn(struct job *job, struct run *run)
{
    struct words_range range = plan_range(job->options);

    if (job->options->repeat)
        return draw_repeated(run, &range, job->gnu, job->output);
    return job->gnu != NULL ? draw_gnu(run, &range, job->gnu, job->output) : draw_different(run, &range, job->output);
}

static int write_weighted(struct job *job, struct run *run)
{
    const struct options *options = job->options;
    struct weights_place place = {
        .file = options->weights, .field = options->weight_field, .separator = options->field_separator};

    if (options->repeat)
        return weighted_repeat(run, job->source, place, job->output);
    return options->keep_order ? weighted_select(run, job->source, place, job->output)
                               : weighted_order(run, job->source, place, job->output);
}

static int write_replayed(struct job *job, struct run *run)
{
    const struct options *options = job->options;
    uint64_t unused;

    if (options->repeat)
        return replay_repeat(run, job->source, job->gnu, job->output);
    if (options->echo || options->range || options->count == UINT64_MAX ||
        (source_is_known(job->source) && source_known_bytes(job->source) <= GNU_RESERVOIR_BYTES))
        return replay_order(run, job->source, job->gnu, job->output);
    if (gnu_draw(job->gnu, 0, &unused) != 0) /* opens it if it is a FIFO, as shuf does before it reads the input */
        return -1;
    return replay_reservoir(run, job->source, job->gnu, job->output);
}

/* Is standard output one of the inputs? */
static bool is_appended(const struct job *job)
{
    struct stat status;

    return job->options->output == NULL && sys_fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
           source_is_from(job->source, &status);
}

static int write_bernoulli(struct job *job, struct run *run)
{
    struct select_share share;

    if (decimal_threshold(job->options->probability, &share.threshold, &share.all) != 0)
        return fault_report(&job->fault, "--probability", errno);
    share.wait = output_waits(job->output) || is_appended(job);
    return select_bernoulli(run, job->source, share, job->output);
}

/* All but the order of the seed from little input. */
static int write_records(struct job *job, struct run *run)
{
    const struct options *options = job->options;

    if (job->source == NULL)
        return write_drawn(job, run);
    if (plan_is_plain(options))
        return shuffle_source(run, job->source, job->output);
    if (options->weights != NULL || options->weight_field > 0)
        return write_weighted(job, run);
    if (job->gnu != NULL)
        return write_replayed(job, run);
    if (options->repeat)
        return repeat_uniform(run, job->source, job->output);
    if (options->keep_order)
        return select_first(run, job->source, job->output);
    return write_bernoulli(job, run);
}

/* Shuffle an input if it is small. 1 if it was, 0 if not and what was read of it is in front again, from the run's
 * buffer, or -1 after a report. */
static int try_small(struct job *job, struct run *run)
{
    ssize_t bytes = -1;

    if (open_run(job, run, RUN_MEMORY_MIN, 1) == 0)
        bytes = source_read(job->source, run->buffer, SMALL_BYTES);
    if (bytes < 0)
        return -1;
    if ((size_t)bytes < SMALL_BYTES)
        return shuffle_small(job, run, (size_t)bytes) == 0 ? 1 : -1;
    source_unread(job->source, run->buffer, (size_t)bytes);
    return 0;
}

/* Open a run that suits the task. */
static int open_large(struct job *job, struct run *run, uint64_t known_bytes)
{
    const struct options *options = job->options;
    uint64_t memory_bytes = options->memory_bytes;
    unsigned workers = options->parallel;

    if (!plan_is_plain(options) && job->source != NULL && source_is_known(job->source) && known_bytes <= SMALL_BYTES)
        return open_run(job, run, RUN_MEMORY_MIN, 1);
    if (memory_bytes == 0)
        memory_bytes = hardware_memory();
    if (workers == 0)
        workers = hardware_processors();
    if ((options->repeat || options->count == UINT64_MAX) && options->probability == NULL &&
        spill_expected(known_bytes, memory_bytes) > 0 &&
        spill_check(&job->place, spill_expected(known_bytes, memory_bytes)) != 0)
        return -1;
    if (job->source != NULL && plan_is_plain(options) && source_is_known(job->source) &&
        known_bytes < memory_bytes / ENOUGH_TIMES && ENOUGH_TIMES * known_bytes + ENOUGH_BYTES < memory_bytes)
        memory_bytes = ENOUGH_TIMES * known_bytes + ENOUGH_BYTES;
    if (open_run(job, run, memory_bytes, workers) != 0)
        return -1;
    if (options->parallel == 0 && run->memory.workers > 1)
        run->waiting = WAITING;
    return 0;
}

static int do_task(struct job *job)
{
    uint64_t known_bytes = job->source != NULL ? source_known_bytes(job->source) : 0;
    double start = run_seconds();
    struct run small = {0};
    struct run large = {0};
    int done = 0;
    int status = -1;

    if (job->source != NULL && plan_is_plain(job->options) && known_bytes <= SMALL_BYTES)
        done = try_small(job, &small);
    if (done > 0)
        status = finish(job, &small, start);
    if (done == 0 && open_large(job, &large, known_bytes) == 0 && write_records(job, &large) == 0)
        status = finish(job, &large, start);
    run_close(&small);
    run_close(&large);
    return status;
}

/* -T, or $TMPDIR, or /var/tmp, as /tmp is often kept in memory. */
static const char *default_directory(void)
{
    const char *directory = getenv("TMPDIR");

    return directory != NULL && directory[0] != '\0' ? directory : "/var/tmp";
}

static int open_files(struct job *job)
{
    const struct options *options = job->options;
    const char *const *names = options->files;
    size_t count = options->file_count;
    const struct source_layout layout = plan_layout(options);

    if (options->files0_from != NULL) {
        if (source_names(options->files0_from, &job->names, &count, &job->names_data, &job->fault) != 0)
            return -1;
        names = job->names;
    }
    for (size_t i = 0; options->weights != NULL && strcmp(options->weights, "-") == 0 && i < count; i++)
        if (strcmp(names[i], "-") == 0)
            return fault_say(&job->fault, "standard input cannot hold both records and weights");
    job->source = source_open(names, count, &layout, &job->fault);
    return job->source == NULL ? -1 : 0;
}

static int open_source(struct job *job)
{
    const struct options *options = job->options;
    struct words_range range = plan_range(options);

    if (plan_is_drawn(options))
        return 0;
    if (!options->echo && !options->range)
        return open_files(job);
    job->source = options->echo ? words_source(options->files, options->file_count) : words_range_source(&range);
    return job->source == NULL ? fault_report(&job->fault, "memory", errno) : 0;
}

/* With -r and no -n the output never ends, so it must be something that can be read meanwhile. */
static int check_end(struct job *job)
{
    const struct options *options = job->options;
    struct stat status;

    if (!plan_is_endless(options) || options->output == NULL)
        return 0;
    if (sys_stat(options->output, &status) == 0 && !S_ISREG(status.st_mode))
        return 0;
    return fault_say(&job->fault, "%s: -r without -n would never end", options->output);
}

static int open_output(struct job *job)
{
    struct output_plan plan = plan_output(job->options, &job->place);

    if (plan.filter != NULL && plan.filters == 0)
        plan.filters = hardware_processors();
    job->output = output_open(&plan, &job->fault);
    return job->output == NULL ? -1 : 0;
}

/* No records are wanted, so nothing is opened but the output. */
static int write_nothing(struct job *job)
{
    if (open_output(job) != 0 || output_begin(job->output, 0, NULL, 0) != 0)
        return -1;
    return output_commit(job->output);
}

static int open_all(struct job *job)
{
    const struct options *options = job->options;

    if (check_end(job) != 0 || open_source(job) != 0)
        return -1;
    if (options->random_source != NULL) {
        job->gnu = gnu_open(options->random_source, &job->fault);
        if (job->gnu == NULL)
            return -1;
    }
    if (open_output(job) != 0 || (options->temporary_count > 0 && spill_check(&job->place, 0) != 0))
        return -1;
    return make_seed(job);
}

int job_run(const struct options *options)
{
    struct job job = {.options = options};
    const char *directory = default_directory();
    int status = -1;

    fault_init(&job.fault);
    compress_init(&job.compress, options->compress_program, &job.fault);
    job.place.fault = &job.fault;
    job.place.compress = options->compress_program != NULL ? &job.compress : NULL;
    job.place.directory = options->temporary_count > 0 ? options->temporary : &directory;
    job.place.directories = options->temporary_count > 0 ? (unsigned)options->temporary_count : 1;
    if (plan_is_empty(options))
        status = write_nothing(&job);
    else if (open_all(&job) == 0)
        status = do_task(&job);
    output_free(job.output);
    source_free(job.source);
    gnu_free(job.gnu);
    free(job.names);
    free(job.names_data);
    compress_release(&job.compress);
    fault_release(&job.fault);
    return status;
}
