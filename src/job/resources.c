/* Each function opens one thing, so that a job takes what it needs in the order that tells of failures first. */

#include "job/resources.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "job/task.h"
#include "system/hardware.h"
#include "system/sys.h"

/* Threads besides the workers, while others wait for disks: gathering 4 GB from piles on disk took 4.0 s with 4 of
 * them, 4.8 s with none, on two processors. None if the user has set a maximum. */
enum { WAITING = 4 };

/* More memory than an input can need would only be divided into larger blocks, of which each pile leaves one half
 * unused: a million lines of 9 bytes took 47 ms with 11 GB, 30 ms with 64 MiB. */
enum { ENOUGH_TIMES = 4 };
static const uint64_t ENOUGH_BYTES = (uint64_t)32 << 20;

/* Names of inputs, with what is kept for each: this much is not taken off the memory limit. */
static const uint64_t NAMES_BYTES = (uint64_t)10 << 20;

/* $TMPDIR, or /var/tmp, as /tmp is often kept in memory. */
static const char *default_directory(void)
{
    const char *directory = getenv("TMPDIR");

    return directory != NULL && directory[0] != '\0' ? directory : "/var/tmp";
}

void setup_init(struct setup *setup, const struct options *options)
{
    *setup = (struct setup){.options = options, .directory = default_directory()};
    fault_init(&setup->fault);
    compress_init(&setup->compress, options->compress_program, &setup->fault);
    setup->place.fault = &setup->fault;
    setup->place.compress = options->compress_program != NULL ? &setup->compress : NULL;
    setup->place.directory = options->temporary_count > 0 ? options->temporary : &setup->directory;
    setup->place.directories = options->temporary_count > 0 ? (unsigned)options->temporary_count : 1;
}

void setup_release(struct setup *setup)
{
    output_free(setup->output);
    source_free(setup->source);
    free(setup->listed);
    free(setup->listed_data);
    compress_release(&setup->compress);
    fault_release(&setup->fault);
}

static uint64_t memory_limit(const struct setup *setup)
{
    return setup->options->memory_bytes > 0 ? setup->options->memory_bytes : hardware_memory();
}

/* A few names are among what the promise leaves for lists; more may take half of the limit, and are taken off it. */
static int list_files(struct setup *setup)
{
    const uint64_t half = memory_limit(setup) / 2;
    uint64_t memory = half > NAMES_BYTES ? half : NAMES_BYTES;

    if (source_names(setup->options->files0_from, &memory, &setup->listed, &setup->name_count, &setup->listed_data,
                     &setup->fault) != 0)
        return -1;
    setup->names = setup->listed;
    setup->listed_memory = memory > NAMES_BYTES ? memory - NAMES_BYTES : 0;
    return 0;
}

int setup_files(struct setup *setup)
{
    const struct options *options = setup->options;
    const struct source_layout layout = plan_layout(options);

    setup->names = options->files;
    setup->name_count = options->file_count;
    if (options->files0_from != NULL && list_files(setup) != 0)
        return -1;
    for (size_t i = 0; options->weights != NULL && strcmp(options->weights, "-") == 0 && i < setup->name_count; i++)
        if (strcmp(setup->names[i], "-") == 0)
            return fault_say(&setup->fault, "standard input cannot hold both records and weights");
    setup->source = source_open(setup->names, setup->name_count, &layout, &setup->fault);
    return setup->source == NULL ? -1 : 0;
}

int setup_output(struct setup *setup)
{
    struct output_plan plan = plan_output(setup->options, &setup->place);

    if (plan.filter != NULL && plan.filters == 0)
        plan.filters = hardware_processors();
    setup->output = output_open(&plan, &setup->fault);
    return setup->output == NULL ? -1 : 0;
}

int setup_temporary(struct setup *setup)
{
    return setup->options->temporary_count > 0 ? spill_check(&setup->place, 0) : 0;
}

/* Without --seed: 32 bytes from the kernel, in hexadecimal, so that the run can be repeated. */
int setup_seed(struct setup *setup)
{
    uint8_t bytes[SETUP_SEED_BYTES];

    setup->seed = setup->options->seed;
    if (setup->seed == NULL) {
        if (sys_random(bytes, sizeof bytes) != 0)
            return fault_report(&setup->fault, "random seed", errno);
        for (size_t i = 0; i < sizeof bytes; i++)
            snprintf(setup->seed_text + 2 * i, 3, "%02x", bytes[i]);
        setup->seed = setup->seed_text;
    }
    random_key_init(&setup->order.key, setup->seed, strlen(setup->seed));
    setup->order.leaf_records = setup->options->leaf_records;
    return 0;
}

uint64_t setup_memory(const struct setup *setup, uint64_t bytes)
{
    uint64_t memory_bytes = memory_limit(setup) - setup->listed_memory;

    if (bytes < memory_bytes / ENOUGH_TIMES && ENOUGH_TIMES * bytes + ENOUGH_BYTES < memory_bytes)
        return ENOUGH_TIMES * bytes + ENOUGH_BYTES;
    return memory_bytes;
}

int setup_run(struct setup *setup, struct run *run, uint64_t memory_bytes, unsigned workers)
{
    run->order = setup->order;
    run->format = plan_format(setup->options);
    run->input = setup->source;
    run->place = &setup->place;
    if (run_open(run, run_memory(memory_bytes, workers), &setup->fault) != 0)
        return -1;
    run->left = setup->options->count;
    return 0;
}

int setup_large_run(struct setup *setup, struct run *run, uint64_t memory_bytes)
{
    unsigned given = setup->options->parallel;

    if (setup_run(setup, run, memory_bytes, given > 0 ? given : hardware_processors()) != 0)
        return -1;
    if (given == 0)
        run->waiting = WAITING;
    return 0;
}

void setup_say(const char *name, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "bigshuf: %-14s ", name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    putc('\n', stderr);
}

void setup_say_records(const struct setup *setup, const struct run *run, uint64_t bytes)
{
    setup_say("records:", "%llu", (unsigned long long)run->records);
    setup_say("bytes:", "%llu", (unsigned long long)bytes);
    setup_say("seed:", "%s", setup->seed);
}

void setup_say_spilled(const struct setup *setup, const struct run *run)
{
    setup_say("spilled:", "%llu piles, %llu bytes", (unsigned long long)atomic_load(&setup->place.piles),
              (unsigned long long)atomic_load(&setup->place.bytes));
    setup_say("started over:", "%llu piles", (unsigned long long)run->started_over);
}

void setup_say_peak(void)
{
    char peak[32];

    setup_say("peak memory:", "%s", number_format_size(hardware_peak_memory(), peak));
}
