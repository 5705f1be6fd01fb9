/*
 * An input that turns out to be small after one read is a pile by itself, the root of the tree, and is gathered at once: no thread,
 * no look at the machine's memory. Any other input is scattered and gathered, with the bytes already read put back.
 */

#include "job.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gather.h"
#include "hardware.h"
#include "number.h"
#include "scatter.h"
#include "sink.h"
#include "source.h"
#include "sys.h"

/* What is shuffled in one piece: an input of which 512 piles would be a few hundred bytes each. */
static const size_t SMALL_BYTES = (size_t)256 << 10;

enum { SEED_BYTES = 32, ROOT_PILES = 1 << ORDER_ROOT_BITS };

struct job {
    const struct options *options;
    struct fault fault;
    struct source *source;
    struct sink *sink;
    struct spill_place place;
    char seed_text[2 * SEED_BYTES + 1]; /* the seed that was made, if none was given */
    const char *seed;
    struct order order;
    uint64_t records;
    uint64_t piles_spilled;
    uint64_t started_over;
    double seconds[2];
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

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
    run->format.delimiter = job->options->delimiter;
    run->place = &job->place;
    return run_open(run, run_memory(memory_bytes, workers), &job->fault);
}

static uint64_t count_records(const struct record_format *format, const uint8_t *data, size_t bytes)
{
    enum { ENDS = 1024 };
    uint32_t ends[ENDS];
    uint64_t records = 0;

    for (size_t from = 0, scanned; from < bytes; from += scanned)
        records += record_ends(format, data + from, bytes - from, ends, ENDS, &scanned);
    return records;
}

/* The whole input is run->buffer[0, bytes). */
static int shuffle_small(struct job *job, struct run *run, size_t bytes)
{
    struct gather_order order = {.kind = GATHER_NODE, .node = {.root = true}};
    struct piles piles = {0};
    double start = now();
    int status = -1;

    if (piles_init(&piles, 1, 1, &run->pool, run->place) != 0 || pile_append(&piles, 0, run->buffer, bytes) != 0)
        goto out;
    piles_seal(&piles);
    job->records = count_records(&run->format, run->buffer, bytes);
    piles.pile[0].records = job->records;
    status = gather(run, &piles, order, job->sink);
    job->seconds[1] = now() - start;

out:
    piles_release(&piles);
    return status;
}

struct root_route {
    const struct order *order;
};

static void route_by_root(const void *context, uint64_t first, size_t count, uint16_t *pile)
{
    order_scatter(context, (struct order_node){.root = true}, ORDER_ROOT_BITS, first, count, pile);
}

static int shuffle_large(struct job *job, struct run *run)
{
    struct gather_order order = {.kind = GATHER_CHILDREN, .node = {.root = true}};
    struct piles piles = {0};
    double start = now();
    int status = -1;

    if (scatter(run, job->source, route_by_root, &run->order, ROOT_PILES, &piles) != 0)
        goto out;
    for (unsigned p = 0; p < piles.count; p++)
        job->records += piles.pile[p].records;
    job->seconds[0] = now() - start;
    status = gather(run, &piles, order, job->sink);
    job->seconds[1] = now() - start - job->seconds[0];

out:
    job->piles_spilled = atomic_load(&run->piles_spilled);
    job->started_over = atomic_load(&run->started_over);
    piles_release(&piles);
    return status;
}

/* Temporary space that is sure to be needed: by promise at most D - 3/4 S, and nothing if D fits into S. */
static uint64_t spill_expected(uint64_t known_bytes, uint64_t memory_bytes)
{
    return known_bytes <= memory_bytes ? 0 : known_bytes - memory_bytes / 4 * 3;
}

static int shuffle(struct job *job)
{
    const struct options *options = job->options;
    uint64_t known_bytes = source_known_bytes(job->source);
    uint64_t memory_bytes = options->memory_bytes;
    unsigned workers = options->parallel;
    struct run small = {0};
    struct run large = {0};
    ssize_t bytes = 0;
    int status = -1;

    if (known_bytes <= SMALL_BYTES) {
        if (open_run(job, &small, RUN_MEMORY_MIN, 1) != 0)
            goto out;
        bytes = source_read(job->source, small.buffer, SMALL_BYTES);
        if (bytes < 0)
            goto out;
        if ((size_t)bytes < SMALL_BYTES) {
            status = shuffle_small(job, &small, (size_t)bytes);
            goto out;
        }
        source_unread(job->source, small.buffer, (size_t)bytes);
    }
    if (memory_bytes == 0)
        memory_bytes = hardware_memory();
    if (workers == 0)
        workers = hardware_processors();
    if (spill_expected(known_bytes, memory_bytes) > 0 &&
        spill_check(&job->place, spill_expected(known_bytes, memory_bytes)) != 0)
        goto out;
    if (open_run(job, &large, memory_bytes, workers) == 0)
        status = shuffle_large(job, &large);

out:
    run_close(&small);
    run_close(&large);
    return status;
}

static void print_summary(struct job *job)
{
    char bytes[32];
    char spilled[32];
    char peak[32];

    fprintf(stderr,
            "bigshuf: records:       %llu\n"
            "bigshuf: bytes:         %llu (%s)\n"
            "bigshuf: seed:          %s\n"
            "bigshuf: piles spilled: %llu, %s, started over %llu times\n"
            "bigshuf: peak memory:   %s\n"
            "bigshuf: seconds:       %.2f scatter, %.2f gather\n",
            (unsigned long long)job->records, (unsigned long long)source_delivered_bytes(job->source),
            number_format_size(source_delivered_bytes(job->source), bytes), job->seed,
            (unsigned long long)job->piles_spilled, number_format_size(atomic_load(&job->place.bytes), spilled),
            (unsigned long long)job->started_over, number_format_size(hardware_peak_memory(), peak), job->seconds[0],
            job->seconds[1]);
}

/* -T, or $TMPDIR, or /var/tmp, as /tmp is often kept in memory. */
static const char *default_directory(void)
{
    const char *directory = getenv("TMPDIR");

    return directory != NULL && directory[0] != '\0' ? directory : "/var/tmp";
}

int job_run(const struct options *options)
{
    struct job job = {.options = options};
    const char *directory = default_directory();
    const char *const *names = options->files;
    size_t count = options->file_count;
    const char **found = NULL;
    char *found_data = NULL;
    int status = -1;

    fault_init(&job.fault);
    job.place.fault = &job.fault;
    job.place.directory = options->temporary_count > 0 ? options->temporary : &directory;
    job.place.directories = options->temporary_count > 0 ? (unsigned)options->temporary_count : 1;
    if (options->files0_from != NULL) {
        if (source_names(options->files0_from, &found, &count, &found_data, &job.fault) != 0)
            goto out;
        names = found;
    }
    job.source = source_open(names, count, options->delimiter, &job.fault);
    if (job.source == NULL)
        goto out;
    job.sink = sink_open(options->output, &job.fault);
    if (job.sink == NULL || (options->temporary_count > 0 && spill_check(&job.place, 0) != 0) || make_seed(&job) != 0)
        goto out;
    if (shuffle(&job) != 0 || sink_commit(job.sink) != 0)
        goto out;
    if (options->verbose)
        print_summary(&job);
    status = 0;

out:
    sink_free(job.sink);
    source_free(job.source);
    free(found);
    free(found_data);
    fault_release(&job.fault);
    return status;
}
