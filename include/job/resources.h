#ifndef BIGSHUF_JOB_RESOURCES_H
#define BIGSHUF_JOB_RESOURCES_H

/* What a job needs before it can work, from the options: the seed, the inputs, the output, places for temporary files,
 * memory and threads. Functions that return int return 0, or -1 after a report. */

#include "command/options.h"
#include "input/source.h"
#include "output/output.h"
#include "shuffle/run.h"
#include "system/fault.h"
#include "temporary/compress.h"
#include "temporary/spill.h"

enum { SETUP_SEED_BYTES = 32 };

struct setup {
    const struct options *options;
    struct fault fault;
    const char *const *names; /* of the input files */
    size_t name_count;
    const char **listed; /* those that --files0-from lists */
    char *listed_data;
    uint64_t listed_memory; /* that they take of the memory limit */
    struct source *source;  /* NULL if no input has been opened */
    struct output *output;
    struct spill_place place;
    const char *directory;                    /* that of the place if none was given */
    struct compress compress;                 /* without a program if none was given */
    char seed_text[2 * SETUP_SEED_BYTES + 1]; /* the seed that was made, if none was given */
    const char *seed;
    struct order order;
};

/* Nothing is opened. It stays where it is. */
void setup_init(struct setup *setup, const struct options *options);
void setup_release(struct setup *setup);

/* The input files, to be read as the options say. */
int setup_files(struct setup *setup);

int setup_output(struct setup *setup);

/* The temporary directories that were given: can they be used? */
int setup_temporary(struct setup *setup);

int setup_seed(struct setup *setup);

/* The memory limit: the one that was given, or what the machine has to spare, but no more than an input of `bytes`
 * bytes, UINT64_MAX if that is not known, has use for. */
uint64_t setup_memory(const struct setup *setup, uint64_t bytes);

/* Open a run with so much memory and so many workers at most. */
int setup_run(struct setup *setup, struct run *run, uint64_t memory_bytes, unsigned workers);

/* The same with as many workers as were given, or as there are processors, and some more threads that wait for disks
 * if none were given. */
int setup_large_run(struct setup *setup, struct run *run, uint64_t memory_bytes);

/* The summary of --verbose: records, bytes and seed; what was spilled; anything else, in printf's manner; and, at its
 * end, the peak of memory. Lines on standard error. */
void setup_say_records(const struct setup *setup, const struct run *run, uint64_t bytes);
void setup_say_spilled(const struct setup *setup, const struct run *run);
void setup_say_peak(void);
void setup_say(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
