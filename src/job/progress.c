/*
 * A thread draws, since workers may wait long for a pipe. If nobody looks, no thread is started. All numbers are those
 * of the current pass, which has its own pace.
 */

#include "job/progress.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/number.h"
#include "job/task.h"
#include "system/fault.h"
#include "system/hardware.h"
#include "system/progress_line.h"
#include "system/sys.h"

/* Five times a second, the thread checks whether it is time to draw. */
static const long TICK_NANOSECONDS = 200000000, SECOND_NANOSECONDS = 1000000000;

/* Milliseconds: without --progress, the first line comes after PATIENCE; whole lines come every LINES_PERIOD. */
enum { PATIENCE = 2000, LINES_PERIOD = 30000 };

/* With at most this much input, and no repetitions, a run ends before that. */
static const uint64_t QUICK_BYTES = (uint64_t)1 << 20;

static const size_t STACK_BYTES = (size_t)256 << 10;

enum { SECOND = 1000, MINUTE = 60, HOUR = 60 * MINUTE, HUNDRED = 100 };

/* Milliseconds: 1000 days; longer times are not shown. */
static const double TELLABLE = 1000.0 * 24 * HOUR * SECOND;

enum { TEXT_BYTES = 512, COLUMNS_USUAL = 80 /* if the terminal does not tell */ };

/* ---- The text ---- */

struct text {
    char bytes[TEXT_BYTES];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void append_text(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text->length += (size_t)vsnprintf(text->bytes + text->length, TEXT_BYTES - text->length, format, arguments);
    va_end(arguments);
}

/* How many bytes pass 2 will write, by the average length of records; 0: unknown. Drawn numbers have no input. */
static double expect_output(const struct progress *progress, uint64_t written)
{
    const struct options *options = progress->options;
    const double records = (double)counter_get(&progress->run.records);
    const uint64_t read = counter_get(&progress->run.bytes);
    const double shares = options->parts > 0 && options->gather == NULL ? (double)options->parts : 1;
    const double left = records / shares - (double)options->skip; /* `records` of a store are those of the part */
    double wanted = (double)options->count;

    if (records == 0 || options->probability != NULL || (options->repeat && options->count == UINT64_MAX))
        return 0;
    if (!options->repeat && read > 0 && wanted > left)
        wanted = left > 0 ? left : 0;
    return (double)(read > 0 ? read : written) / records * wanted;
}

static void append_time(struct text *text, double milliseconds)
{
    const unsigned long seconds = (unsigned long)(milliseconds / SECOND + 0.5);

    append_text(text, ", ");
    if (seconds >= HOUR)
        append_text(text, "%lu:%02lu", seconds / HOUR, seconds % HOUR / MINUTE);
    else
        append_text(text, "%lu", seconds / MINUTE);
    append_text(text, ":%02lu left", seconds % MINUTE);
}

/* Make the text, the most important part first. Both passes are measured by the bytes and records so far, all bytes,
 * and the time since the pass began. The clock is read last, so that everything counted has happened before. `done`:
 * the text is about the whole run. */
static void make_text(const struct progress *progress, bool done, struct text *text)
{
    const struct run_progress *run = &progress->run;
    const struct source *source = progress->source;
    const uint64_t scattered = counter_get(&run->scattered), spilled = atomic_load(&progress->place->bytes);
    const bool reads = source != NULL && ((scattered == 0 && !done) || progress->output == NULL);
    const bool twice = source != NULL && progress->output != NULL && progress->options->probability == NULL;
    const uint64_t records = counter_get(reads ? &run->records : &run->written);
    const uint64_t bytes = reads ? stream_arrived_bytes(source) : output_written_bytes(progress->output);
    const double all = !reads ? expect_output(progress, bytes) : source->known ? (double)source->known_bytes : 0;
    const uint64_t time = sys_milliseconds() - (reads || done || source == NULL ? progress->start : scattered);
    const double part = all > 0 && !done ? (double)bytes / all : -1; /* that is done; below 0: unknown */
    const double left = (double)time * (1 - part) / part;
    char size[32];

    if (done)
        append_text(text, "done");
    else
        append_text(text, "pass %d of %d", reads || !twice ? 1 : 2, twice ? 2 : 1);
    if (part >= 0) /* never 100 %: a file is still to be closed */
        append_text(text, ", %d%%", part < 0.99 ? (int)(part * HUNDRED) : HUNDRED - 1);
    if (part > 0 && left < TELLABLE)
        append_time(text, left > 0 ? left : 0);
    append_text(text, ", %s", number_format_size(bytes, size));
    append_text(text, ", %s/s", number_format_size((uint64_t)((double)bytes * SECOND / (double)(time + 1)), size));
    if (records > 0)
        append_text(text, ", %llu records", (unsigned long long)records);
    if (spilled > 0)
        append_text(text, ", %s spilled", number_format_size(spilled, size));
}

/* ---- Showing it ---- */

/* Write a whole line. */
static void say_line(const struct progress *progress, bool done)
{
    struct text text = {.length = 0};

    append_text(&text, "bigshuf: ");
    make_text(progress, done, &text);
    append_text(&text, "\n");
    progress_line_say(text.bytes, text.length);
}

/* Without the last column: some terminals begin another line when it is filled. */
static size_t count_columns(void)
{
    const char *variable = getenv("COLUMNS");
    uint64_t columns = sys_terminal_width(STDERR_FILENO);

    if (columns == 0 && (variable == NULL || number_parse(variable, &columns) != 0 || columns == 0))
        columns = COLUMNS_USUAL;
    return (size_t)least(columns, TEXT_BYTES) - 1;
}

/* Draw all parts that fit into the line of a terminal, or as much of the first one as fits. */
static void draw_line(const struct progress *progress)
{
    const size_t room = strlen(PROGRESS_LINE_ERASE) + count_columns();
    struct text text = {.length = 0};
    size_t end;

    append_text(&text, PROGRESS_LINE_ERASE);
    make_text(progress, false, &text);
    for (end = least_size(text.length, room); end < text.length && end > 0 && text.bytes[end] != ',';)
        end--;
    progress_line_draw(text.bytes, end > 0 ? end : room);
}

/* Wait for at most a tick, unless the clock is set back. */
static void await_tick(struct progress *progress)
{
    struct timespec moment;

    clock_gettime(CLOCK_REALTIME, &moment);
    moment.tv_nsec += TICK_NANOSECONDS;
    moment.tv_sec += moment.tv_nsec / SECOND_NANOSECONDS;
    moment.tv_nsec %= SECOND_NANOSECONDS;
    pthread_cond_timedwait(&progress->changed, &progress->mutex, &moment);
}

static void *draw_lines(void *argument)
{
    struct progress *progress = argument;

    pthread_mutex_lock(&progress->mutex);
    for (;;) {
        await_tick(progress);
        if (progress->ends)
            break;
        if (sys_milliseconds() < progress->due)
            continue;
        if (progress->in_lines) {
            say_line(progress, false);
            progress->due = sys_milliseconds() + LINES_PERIOD;
        } else if (!sys_is_in_background(STDERR_FILENO)) {
            draw_line(progress);
        }
    }
    pthread_mutex_unlock(&progress->mutex);
    return NULL;
}

/* The thread blocks all signals, even those that would stop it as it writes to the terminal. */
static void start_thread(struct progress *progress)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    progress->draws = sys_thread(draw_lines, progress, STACK_BYTES, &progress->thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- The summary ---- */

static double seconds(uint64_t from, uint64_t to)
{
    return (double)(to - from) / SECOND;
}

void progress_summarize(const struct progress *progress, const char *seed, const char *batch, size_t batches)
{
    const struct run_progress *run = &progress->run;
    const struct source *source = progress->source;
    const uint64_t start = progress->start, scattered = counter_get(&run->scattered), now = sys_milliseconds();
    const unsigned long long plain = atomic_load(&progress->place->plain),
                             spilled = atomic_load(&progress->place->bytes);
    char peak[32];

    if (!progress->options->verbose)
        return;
    fault_note("records:       %llu read, %llu written", (unsigned long long)counter_get(&run->records),
               (unsigned long long)counter_get(&run->written));
    if (task_is_keyed(progress->options) && !progress->options->unique)
        fault_note("groups:        %llu written", (unsigned long long)counter_get(&run->units));
    if (progress->options->unique)
        fault_note("left out:      %llu records that came again", (unsigned long long)counter_get(&run->left_out));
    fault_note("bytes:         %llu",
               (unsigned long long)(source != NULL ? stream_arrived_bytes(source) : counter_get(&run->bytes)));
    fault_note("seed:          %s", seed);
    if (batches > 0)
        fault_note("batches:       %zu", batches);
    if (batch != NULL)
        fault_note("batch:         %s", batch);
    else
        fault_note("spilled:       %llu piles, %llu bytes", (unsigned long long)atomic_load(&progress->place->piles),
                   spilled);
    if (batch == NULL && plain != spilled)
        fault_note("compressed:    %llu bytes to %llu bytes", plain, spilled);
    if (progress->output != NULL)
        output_note_beside(progress->output);
    if (batch == NULL)
        fault_note("started over:  %llu piles", (unsigned long long)run->started_over);
    ledger_note(progress->ledger, progress->output != NULL ? output_memory(progress->output) : 0);
    fault_note("peak memory:   %s", number_format_size(hardware_peak_memory(), peak));
    if (source == NULL || scattered == 0)
        fault_note("seconds:       %.2f pass 1", seconds(start, now));
    else
        fault_note("seconds:       %.2f pass 1, %.2f %s", seconds(start, scattered), seconds(scattered, now),
                   batch != NULL ? "sync" : "pass 2");
}

/* ---- Whether to show it ---- */

/* Is the output the same terminal as standard error? It may be named /dev/tty, which has another number. */
static bool is_output_terminal(const struct options *options)
{
    struct stat output, terminal, own;

    if (options->scatter != NULL || sys_fstat(STDERR_FILENO, &terminal) != 0 ||
        (options->plan.path != NULL ? sys_stat(options->plan.path, &output) : sys_fstat(STDOUT_FILENO, &output)) != 0)
        return false;
    return S_ISCHR(output.st_mode) &&
           (output.st_rdev == terminal.st_rdev || (sys_stat("/dev/tty", &own) == 0 && output.st_rdev == own.st_rdev));
}

static bool can_draw(const struct options *options)
{
    const char *kind = getenv("TERM");

    return sys_is_terminal(STDERR_FILENO) && kind != NULL && strcmp(kind, "dumb") != 0 && !is_output_terminal(options);
}

/* Would the line disturb a user who types the input? */
static bool is_typed(const struct source *source)
{
    struct stat status;

    return source != NULL && sys_is_terminal(STDIN_FILENO) && sys_fstat(STDIN_FILENO, &status) == 0 &&
           stream_is_from(source->stream, &status);
}

static void show(struct progress *progress)
{
    const struct options *options = progress->options;
    const struct source *source = progress->source;
    const bool usual = options->progress == OPTIONS_PROGRESS_AUTO;
    const bool quick = source != NULL && source->known && source->known_bytes <= QUICK_BYTES;

    if (options->progress == OPTIONS_PROGRESS_NEVER || (usual && ((quick && !options->repeat) || is_typed(source))))
        return;
    progress->in_lines = !can_draw(options);
    if (usual && progress->in_lines)
        return;
    progress->due = progress->start + (progress->in_lines ? LINES_PERIOD : usual ? PATIENCE : 0);
    start_thread(progress);
}

/* ---- From beginning to end ---- */

void progress_init(struct progress *progress, const struct options *options, const struct spill_place *place,
                   const struct ledger *ledger)
{
    *progress = (struct progress){.options = options, .place = place, .ledger = ledger};
    pthread_mutex_init(&progress->mutex, NULL);
    pthread_cond_init(&progress->changed, NULL);
}

void progress_begin(struct progress *progress, const struct source *source, const struct output *output)
{
    pthread_mutex_lock(&progress->mutex);
    progress->run = (struct run_progress){.started_over = 0};
    if (progress->start == 0 || progress->source != source)
        progress->start = sys_milliseconds();
    progress->source = source;
    progress->output = output;
    pthread_mutex_unlock(&progress->mutex);
    if (!progress->draws)
        show(progress);
}

void progress_end(struct progress *progress)
{
    if (progress->draws) {
        pthread_mutex_lock(&progress->mutex);
        progress->ends = true;
        pthread_cond_signal(&progress->changed);
        pthread_mutex_unlock(&progress->mutex);
        pthread_join(progress->thread, NULL);
        progress_line_erase();
        if (progress->in_lines)
            say_line(progress, true);
    }
    pthread_cond_destroy(&progress->changed);
    pthread_mutex_destroy(&progress->mutex);
}
