#include "job/summary.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/number.h"
#include "system/hardware.h"
#include "system/sys.h"

/* Bytes of one line of the summary: as much as a message holds of a seed. */
enum { SAID_BYTES = 6000 };

/* A line of the summary. */
__attribute__((format(printf, 2, 3))) static void say(const char *name, const char *format, ...)
{
    char text[SAID_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fault_note("%-14s %s", name, text);
}

static double seconds(uint64_t from, uint64_t to)
{
    enum { MILLISECONDS = 1000 };

    return (double)(to - from) / MILLISECONDS;
}

static void say_records(const struct resources *resources, const struct run_progress *progress, uint64_t bytes)
{
    say("records:", "%llu read, %llu written", (unsigned long long)counter_get(&progress->records),
        (unsigned long long)counter_get(&progress->written));
    say("bytes:", "%llu", (unsigned long long)bytes);
    say("seed:", "%s", resources->seed);
}

static void say_spilled(const struct resources *resources, const struct run_progress *progress)
{
    const uint64_t plain = atomic_load(&resources->place.plain);
    const uint64_t bytes = atomic_load(&resources->place.bytes);

    say("spilled:", "%llu piles, %llu bytes", (unsigned long long)atomic_load(&resources->place.piles),
        (unsigned long long)bytes);
    if (plain != bytes)
        say("compressed:", "%llu bytes to %llu bytes", (unsigned long long)plain, (unsigned long long)bytes);
    say("started over:", "%llu piles", (unsigned long long)progress->started_over);
}

static void say_peak(void)
{
    char peak[32];

    say("peak memory:", "%s", number_format_size(hardware_peak_memory(), peak));
}

void summary_of_records(const struct resources *resources, const struct run_progress *progress, uint64_t start)
{
    say_records(resources, progress, resources->source != NULL ? source_arrived_bytes(resources->source) : 0);
    say_spilled(resources, progress);
    say_peak();
    say("seconds:", "%.2f scatter, %.2f gather", seconds(start, counter_get(&progress->scattered)),
        seconds(counter_get(&progress->scattered), sys_milliseconds()));
}

void summary_of_batch(const struct resources *resources, const struct run_progress *progress, const char *name,
                      uint64_t start)
{
    say_records(resources, progress, source_arrived_bytes(resources->source));
    say("batch:", "%s", name);
    say_peak();
    say("seconds:", "%.2f scatter, %.2f sync", seconds(start, counter_get(&progress->scattered)),
        seconds(counter_get(&progress->scattered), sys_milliseconds()));
}

void summary_of_store(const struct resources *resources, const struct run_progress *progress, uint64_t bytes,
                      size_t batches, uint64_t start)
{
    say_records(resources, progress, bytes);
    say("batches:", "%zu", batches);
    say_spilled(resources, progress);
    say_peak();
    say("seconds:", "%.2f gather", seconds(start, sys_milliseconds()));
}
