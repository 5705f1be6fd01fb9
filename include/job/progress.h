#pragma once

/*
 * The progress of a job on standard error: on a terminal one line that is drawn again and again, else a whole line now
 * and then; with --verbose, also a summary at the end. Workers only count, in `run`, in the source, in the output and
 * in the place of temporary files.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "command/options.h"
#include "input/stream.h"
#include "job/ledger.h"
#include "output/output.h"
#include "shuffle/run.h"
#include "temporary/spill.h"

struct progress {
    struct run_progress run; /* of the job's run */
    const struct options *options;
    const struct spill_place *place;
    const struct ledger *ledger;
    uint64_t start; /* when the work began, by sys_milliseconds; 0: not yet */

    /* All below is guarded by `mutex` while a thread draws, which writes only `due`; the thread that runs the passes
     * writes the rest. */
    bool draws;    /* is there such a thread? */
    bool ends;     /* must it end? */
    bool in_lines; /* does it write whole lines? */
    uint64_t due;  /* when it draws next, by sys_milliseconds */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    const struct source *source; /* NULL: none */
    const struct output *output;
};

/* All arguments must stay. */
void progress_init(struct progress *progress, const struct options *options, const struct spill_place *place,
                   const struct ledger *ledger);

/* The work begins, or begins again, perhaps with another source: records come from `source` (NULL: none) and go to
 * `output` (NULL: none). Starts a thread if the progress is to be shown. */
void progress_begin(struct progress *progress, const struct source *source, const struct output *output);

/* Stop drawing; after whole lines, a last one says that the work is done. Call it before the arguments are freed. */
void progress_end(struct progress *progress);

/* With --verbose, print what was done, as lines on standard error. `batch` is the batch added to a store, or NULL;
 * `batches` is the number of batches of a store that were read, or 0. */
void progress_summarize(const struct progress *progress, const char *seed, const char *batch, size_t batches);
