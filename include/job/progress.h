#pragma once

/*
 * The progress of a job on standard error: on a terminal one line that is drawn again and again, else a whole line now
 * and then; and with --verbose a summary at the end. The workers only count, in `run`, in the source, in the output and
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
    struct run_progress run; /* of the run that does the job */
    const struct options *options;
    const struct spill_place *place;
    const struct ledger *ledger;
    uint64_t start; /* when the work began, by sys_milliseconds; 0: it has not */

    /* Of the thread that draws, all under `mutex` while there is one; who runs the passes writes `ends`, `source` and
     * `output`. */
    bool draws;    /* is there one? */
    bool ends;     /* it is to end */
    bool in_lines; /* it writes whole lines */
    uint64_t due;  /* when it draws next */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    const struct source *source; /* NULL: there is none */
    const struct output *output;
};

/* What is passed must stay, as must the progress. */
void progress_init(struct progress *progress, const struct options *options, const struct spill_place *place,
                   const struct ledger *ledger);

/* The work begins, or begins again with nothing done, or with another source: records come from this source (NULL:
 * there is none) and go to this output (NULL: none). Starts a thread if the progress is to be shown. */
void progress_begin(struct progress *progress, const struct source *source, const struct output *output);

/* Stop drawing; after whole lines, a last one says that the work is done. To be called before any of the above is
 * freed. */
void progress_end(struct progress *progress);

/* With --verbose, print what has been done, as lines on standard error. `batch` is the one that was added to a store,
 * NULL if none was; `batches` is from how many of a store the records came, 0 if from none. */
void progress_summarize(const struct progress *progress, const char *seed, const char *batch, size_t batches);
