#pragma once

/* What a job needs before it can work, from the options: the seed, the inputs, the output, places for temporary files,
 * memory and threads. */

#include "command/options.h"
#include "input/stream.h"
#include "job/ledger.h"
#include "job/progress.h"
#include "output/output.h"
#include "shuffle/run.h"
#include "store/store.h"
#include "system/fault.h"
#include "temporary/spill.h"
#include "temporary/spill_place.h"

enum { RESOURCES_SEED_BYTES = 32 };

/* Of the main thread alone, except `progress`. */
struct resources {
    struct options options;   /* a copy; a job that reads a store puts the store's record format into it */
    const char *const *names; /* of the input files; with --each, only the current one once the output is open */
    size_t name_count;
    struct hints_reads reads; /* of all FILEs */
    const char *like;         /* the input whose number of records is expected of the others; NULL: none */
    const char **listed;      /* with --files0-from: the names, which point into listed_data; else NULL */
    char *listed_data;        /* contents of the file that --files0-from names */
    struct ledger ledger;     /* of memory beside the engine */
    char input_name[48];      /* for messages: several input files together */
    struct source *source;    /* NULL: no input is open */
    struct output *output;
    struct keyed keyed;                           /* zeroed without --group-field and --unique */
    struct spill_place place;                     /* of temporary files */
    const char *default_directory;                /* without -T: the only directory of `place` */
    char seed_text[2 * RESOURCES_SEED_BYTES + 1]; /* without --seed: the seed that was made */
    const char *seed;
    struct order order;
    struct progress progress;
    struct store store; /* of a job on a store; zeroed until it is open */
};

/* Opens nothing yet. *resources must not be moved, and `options` must stay. */
void resources_init(struct resources *resources, const struct options *options);
void resources_release(struct resources *resources);

/* List the names of the input files; the run ends if one is missing. */
void resources_name_files(struct resources *resources);

/* Look at the input files and open the source that reads them. */
void resources_open_files(struct resources *resources);

/* For records whose header is not that of input files: find the columns of names in it. */
void resources_find_columns(struct resources *resources, const char *name, const uint8_t *header, size_t bytes);

void resources_open_output(struct resources *resources);

/* All input has been read: end the run if it was empty, and an option has taken the FILE, as in `--seed FILE
 * </dev/null`. */
void resources_check_taken(const struct resources *resources);

/* End the run if a directory of -T, or of TMPDIR if it may be needed, cannot be used. */
void resources_check_temporary(struct resources *resources);

/* Use --seed, or make a seed. */
void resources_take_seed(struct resources *resources);

/* The memory for the engine, by ledger_memory: `bytes` bytes of input (UINT64_MAX: unknown) are expected. */
uint64_t resources_memory(struct resources *resources, uint64_t bytes);

/* The limit, in MiB, that leaves `pool_bytes` bytes for the pool of a large run. */
uint64_t resources_needed_limit(struct resources *resources, uint64_t pool_bytes);

/* Open a run with `memory_bytes` bytes of memory and one thread; or, if it is `large`, with the workers of --parallel,
 * or without that, one for each processor, and some further threads, which work while workers wait for disks. */
void resources_open_run(struct resources *resources, struct run *run, uint64_t memory_bytes, bool large);
