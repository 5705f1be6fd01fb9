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

enum { RESOURCES_SEED_BYTES = 32 };

struct resources {
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
    const char *directory;                        /* that of the place if none was given */
    struct compress compress;                     /* without a program if none was given */
    char seed_text[2 * RESOURCES_SEED_BYTES + 1]; /* the seed that was made, if none was given */
    const char *seed;
    struct order order;
};

/* Nothing is opened. It stays where it is. */
void resources_init(struct resources *resources, const struct options *options);
void resources_release(struct resources *resources);

/* The input files, to be read as the options say. */
int resources_files(struct resources *resources);

int resources_output(struct resources *resources);

/* The temporary directories that were given: can they be used? */
int resources_temporary(struct resources *resources);

int resources_seed(struct resources *resources);

/* The memory limit: the one that was given, or what the machine has to spare, but no more than an input of `bytes`
 * bytes, UINT64_MAX if that is not known, has use for. */
uint64_t resources_memory(const struct resources *resources, uint64_t bytes);

/* Open a run with so much memory and so many workers at most. */
int resources_run(struct resources *resources, struct run *run, uint64_t memory_bytes, unsigned workers);

/* The same with as many workers as were given, or as there are processors, and some more threads that wait for disks
 * if none were given. */
int resources_large_run(struct resources *resources, struct run *run, uint64_t memory_bytes);

/* The summary of --verbose: records, bytes and seed; what was spilled; anything else, in printf's manner; and, at its
 * end, the peak of memory. Lines on standard error. */
void resources_say_records(const struct resources *resources, const struct run *run, uint64_t bytes);
void resources_say_spilled(const struct resources *resources, const struct run *run);
void resources_say_peak(void);
void resources_say(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
