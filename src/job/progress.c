/*
 * A thread draws, so that nothing is to be done where the work is, however long that waits for a pipe. It is not there
 * if there is nothing to be shown, and signals are answered in their handler: so a run that nobody looks at starts
 * none.
 */

#include "job/progress.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/number.h"
#include "job/gauge.h"
#include "system/sys.h"
#include "system/threads.h"

/* The thread looks this often, five times a second, whether it is time. */
static const long TICK_NANOSECONDS = 200000000;

/* Milliseconds: a run that has not been asked shows its progress after this time; and whole lines come in between. */
enum { PATIENCE = 2000, LINES_PERIOD = 30000 };

/* A run over no more input than this, and which does not repeat it, does not come to that. */
static const uint64_t QUICK_BYTES = (uint64_t)1 << 20;

static const size_t STACK_BYTES = (size_t)256 << 10;

enum { COLUMNS_USUAL = 80, ERASE_BYTES = sizeof SIGNALS_ERASE - 1 };

/* ---- What is known ---- */

static uint64_t to_uint64(double number)
{
    return number < (double)GAUGE_UNKNOWN ? (uint64_t)number : GAUGE_UNKNOWN;
}

/* How many bytes will be written in all, by the average length of records. Piles that were in a store, and numbers that
 * are drawn one by one, come from no source. */
static uint64_t expect_output(const struct progress *progress, const struct gauge *gauge, bool is_read)
{
    const struct options *options = progress->options;
    const uint64_t stored = counter_get(&progress->run.bytes), records = counter_get(&progress->run.records);
    uint64_t all = gauge->to_read, bytes = gauge->read_bytes, expected;

    if (!is_read) {
        all = stored > 0 ? stored : GAUGE_UNKNOWN;
        bytes = stored > 0 ? stored : gauge->written_bytes;
    }
    if (options->count == UINT64_MAX)
        return options->repeat || all == GAUGE_UNKNOWN ? GAUGE_UNKNOWN : to_uint64((double)all * progress->share);
    if (records == 0)
        return GAUGE_UNKNOWN;
    expected = to_uint64((double)options->count * progress->share * ((double)bytes / (double)records));
    return expected > all && !options->repeat ? all : expected;
}

/* The clock comes last, so that nothing has happened after it. */
static struct gauge look(const struct progress *progress)
{
    const struct source *source = atomic_load(&progress->source);
    const struct output *output = atomic_load(&progress->output);
    const struct run_progress *run = &progress->run;
    const uint64_t scattered = counter_get(&run->scattered), start = counter_get(&progress->start);
    const uint64_t now = sys_milliseconds(), middle = scattered > 0 ? scattered : now;
    const bool reads = source != NULL && scattered == 0;
    struct gauge gauge = {.pass = reads || output == NULL ? 1 : 2};

    gauge.records = counter_get(gauge.pass == 1 ? &run->records : &run->written);
    gauge.spilled_bytes = atomic_load(&progress->place->bytes);
    if (source != NULL)
        gauge.read_bytes = reads ? source_arrived_bytes(source) : counter_get(&run->bytes);
    if (reads ? !source_is_known(source) : source == NULL && output == NULL)
        gauge.to_read = GAUGE_UNKNOWN;
    else
        gauge.to_read = reads ? source_known_bytes(source) : gauge.read_bytes;
    if (output != NULL) {
        gauge.written_bytes = output_written_bytes(output);
        gauge.to_write = expect_output(progress, &gauge, source != NULL);
    }
    if (start > 0 && source != NULL)
        gauge.read_time = middle - start;
    if (start > 0)
        gauge.write_time = now - (source != NULL ? middle : start);
    return gauge;
}

/* ---- Showing it ---- */

/* A whole line. */
static void say_gauge(const struct gauge *gauge)
{
    char text[ERASE_BYTES + GAUGE_TEXT_BYTES];
    const size_t erase = signals_is_line_drawn() ? ERASE_BYTES : 0;

    memcpy(text, SIGNALS_ERASE, erase);
    signals_say(text, erase + gauge_say(gauge, text + erase));
}

/* A signal handler does this. */
static void say(void *context)
{
    const struct gauge gauge = look(context);

    say_gauge(&gauge);
}

static void say_done(const struct progress *progress)
{
    struct gauge gauge = look(progress);

    gauge.done = true;
    say_gauge(&gauge);
}

static unsigned count_columns(void)
{
    const char *variable = getenv("COLUMNS");
    uint64_t columns = sys_terminal_width(STDERR_FILENO);

    if (columns > 0 || (variable != NULL && number_parse(variable, &columns) == 0 && columns > 0))
        return columns < UINT_MAX ? (unsigned)columns : UINT_MAX;
    return COLUMNS_USUAL;
}

/* The last column stays empty: some terminals begin another line when it is filled. */
static void draw(const struct progress *progress)
{
    const struct gauge gauge = look(progress);
    char text[ERASE_BYTES + GAUGE_TEXT_BYTES];

    memcpy(text, SIGNALS_ERASE, ERASE_BYTES);
    signals_draw(text, ERASE_BYTES + gauge_draw(&gauge, count_columns() - 1, text + ERASE_BYTES));
}

/* Wait for the end, or a tick. The mutex is held. */
static void wait_a_tick(struct progress *progress)
{
    threads_await(&progress->changed, &progress->mutex, TICK_NANOSECONDS);
}

static void *work(void *argument)
{
    struct progress *progress = argument;

    pthread_mutex_lock(&progress->mutex);
    for (wait_a_tick(progress); !progress->ends; wait_a_tick(progress)) {
        if (sys_milliseconds() < progress->due)
            continue;
        if (progress->lines) {
            say(progress);
            progress->due = sys_milliseconds() + LINES_PERIOD;
        } else if (!sys_is_in_background(STDERR_FILENO)) {
            draw(progress);
        }
    }
    pthread_mutex_unlock(&progress->mutex);
    return NULL;
}

/* No signal is for this thread, not even one that stops it as it writes to the terminal. */
static void start_thread(struct progress *progress)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    progress->draws = sys_thread(work, progress, STACK_BYTES, &progress->thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- Whether to show it ---- */

/* Does the output go to the terminal that is standard error? It may be called /dev/tty, which has a number of its own.
 */
static bool is_output_terminal(const struct options *options)
{
    struct stat output, terminal, own;

    if (options->scatter != NULL || sys_fstat(STDERR_FILENO, &terminal) != 0 ||
        (options->output != NULL ? sys_stat(options->output, &output) : sys_fstat(STDOUT_FILENO, &output)) != 0)
        return false;
    return S_ISCHR(output.st_mode) &&
           (output.st_rdev == terminal.st_rdev || (sys_stat("/dev/tty", &own) == 0 && output.st_rdev == own.st_rdev));
}

static bool can_draw(const struct options *options)
{
    const char *kind = getenv("TERM");

    return sys_is_terminal(STDERR_FILENO) && kind != NULL && strcmp(kind, "dumb") != 0 && !is_output_terminal(options);
}

/* Will the run be over before anybody has looked? */
static bool is_quick(const struct options *options, const struct source *source)
{
    return source != NULL && source_is_known(source) && source_known_bytes(source) <= QUICK_BYTES && !options->repeat;
}

/* Would a line be drawn over what somebody types? */
static bool is_typed(const struct source *source)
{
    struct stat status;

    return source != NULL && sys_is_terminal(STDIN_FILENO) && sys_fstat(STDIN_FILENO, &status) == 0 &&
           source_is_from(source, &status);
}

static void show(struct progress *progress, const struct source *source)
{
    const struct options *options = progress->options;
    const bool usual = options->progress == OPTIONS_PROGRESS_USUAL;

    if (options->progress == OPTIONS_PROGRESS_HIDDEN || (usual && (is_quick(options, source) || is_typed(source))))
        return;
    progress->lines = !can_draw(options);
    if (usual && progress->lines)
        return;
    progress->due = counter_get(&progress->start) + (progress->lines ? LINES_PERIOD : usual ? PATIENCE : 0);
    start_thread(progress);
}

/* ---- From beginning to end ---- */

void progress_init(struct progress *progress, const struct options *options, const struct spill_place *place)
{
    uint64_t threshold;
    bool all;

    *progress = (struct progress){.options = options, .place = place, .share = 1};
    if (options->probability != NULL && decimal_threshold(options->probability, &threshold, &all) == 0 && !all)
        progress->share = (double)threshold * 0x1p-64;
    if (options->parts > 0)
        progress->share = 1 / (double)options->parts;
    pthread_mutex_init(&progress->mutex, NULL);
    pthread_cond_init(&progress->changed, NULL);
    progress->answer = (struct signals_answer){.give = say, .context = progress};
    signals_answer(&progress->answer);
}

void progress_begin(struct progress *progress, const struct source *source, const struct output *output)
{
    counter_set(&progress->run.records, 0);
    counter_set(&progress->run.bytes, 0);
    counter_set(&progress->run.written, 0);
    counter_set(&progress->run.scattered, 0);
    progress->run.started_over = 0;
    progress->run.must_copy = false;
    counter_set(&progress->start, sys_milliseconds());
    atomic_store(&progress->source, source);
    atomic_store(&progress->output, output);
    if (!progress->draws)
        show(progress, source);
}

void progress_end(struct progress *progress)
{
    signals_answer(NULL);
    if (progress->draws) {
        pthread_mutex_lock(&progress->mutex);
        progress->ends = true;
        pthread_cond_signal(&progress->changed);
        pthread_mutex_unlock(&progress->mutex);
        pthread_join(progress->thread, NULL);
        signals_erase();
        if (progress->lines)
            say_done(progress);
    }
    pthread_cond_destroy(&progress->changed);
    pthread_mutex_destroy(&progress->mutex);
}
