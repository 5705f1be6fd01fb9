/*
 * An input that turns out to be small after one read is a pile by itself, the root of the tree, and is gathered at
 * once: no thread is started, and nobody looks how much memory the machine has. Any other input is scattered and
 * gathered, with the bytes already read put back.
 */

#include "job.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gather.h"
#include "hardware.h"
#include "number.h"
#include "shuffle.h"
#include "sink.h"
#include "source.h"
#include "sys.h"

/* What is shuffled in one piece: an input of which 512 piles would be a few hundred bytes each. */
static const size_t SMALL_BYTES = (size_t)256 << 10;

/* Threads besides the workers, while others wait for disks: gathering 4 GB from piles on disk took 4.0 s with 4 of
 * them, 4.8 s with none, on two processors. None if the user has set a maximum. */
enum { WAITING = 4 };

enum { SEED_BYTES = 32 };

struct job {
    const struct options *options;
    struct fault fault;
    struct source *source;
    struct sink *sink;
    struct spill_place place;
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
    int status = -1;

    if (piles_init(&piles, 1, 1, &run->pool, run->place) == 0 && pile_append(&piles, 0, run->buffer, bytes) == 0) {
        piles_seal(&piles);
        run->records = count_records(&run->format, run->buffer, bytes);
        piles.pile[0].records = run->records;
        run->scattered_seconds = run_seconds();
        status = shuffle_piles(run, &piles, order, job->sink);
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
    uint64_t bytes = source_delivered_bytes(job->source);
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
            (unsigned long long)run->piles_spilled, (unsigned long long)atomic_load(&job->place.bytes),
            (unsigned long long)run->started_over, number_format_size(hardware_peak_memory(), peak),
            run->scattered_seconds - start, run_seconds() - run->scattered_seconds);
}

/* The last thing that can fail. */
static int finish(struct job *job, const struct run *run, double start)
{
    if (sink_commit(job->sink) != 0)
        return -1;
    if (job->options->verbose)
        print_summary(job, run, start);
    return 0;
}

static int shuffle(struct job *job)
{
    const struct options *options = job->options;
    uint64_t known_bytes = source_known_bytes(job->source);
    uint64_t memory_bytes = options->memory_bytes;
    unsigned workers = options->parallel;
    double start = run_seconds();
    struct run small = {0};
    struct run large = {0};
    int status = -1;

    if (known_bytes <= SMALL_BYTES) {
        ssize_t bytes = -1;

        if (open_run(job, &small, RUN_MEMORY_MIN, 1) == 0)
            bytes = source_read(job->source, small.buffer, SMALL_BYTES);
        if (bytes < 0)
            goto out;
        if ((size_t)bytes < SMALL_BYTES) {
            if (shuffle_small(job, &small, (size_t)bytes) == 0)
                status = finish(job, &small, start);
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
    if (open_run(job, &large, memory_bytes, workers) != 0)
        goto out;
    if (options->parallel == 0 && large.memory.workers > 1)
        large.waiting = WAITING;
    if (shuffle_source(&large, job->source, job->sink) == 0)
        status = finish(job, &large, start);

out:
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
    status = shuffle(&job);

out:
    sink_free(job.sink);
    source_free(job.source);
    free(found);
    free(found_data);
    fault_release(&job.fault);
    return status;
}
