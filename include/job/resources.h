#pragma once

/* What a job takes before it can work, from the options: the seed, the inputs, the output, places for temporary files,
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

/* Of the main thread alone, but for `progress`. */
struct resources {
    struct options options;   /* a copy; a job that reads a store puts the store's record format in it */
    const char *const *names; /* of the input files; of --each, from the output's opening on, only of the one in work */
    size_t name_count;
    struct hints_reads reads; /* of all FILEs */
    const char *like;         /* the input that has as many records as are expected; NULL if none decides */
    const char **listed;      /* the names that --files0-from lists, which point into listed_data; else NULL */
    char *listed_data;        /* the file that --files0-from names */
    struct ledger ledger;     /* of what is taken beside the engine */
    char input_name[48];      /* what several input files are called together */
    struct source *source;    /* NULL if no input has been opened */
    struct output *output;
    struct keyed keyed;                           /* zeroed without --group-field and --unique */
    struct spill_place place;                     /* of temporary files */
    const char *default_directory;                /* the only one of the place if -T was not given */
    char seed_text[2 * RESOURCES_SEED_BYTES + 1]; /* the seed that was made, if none was given */
    const char *seed;
    struct order order;
    struct progress progress;
    struct store store; /* if the job is on one; zeroed until it is opened */
};

/* Open nothing yet. Both must stay where they are. */
void resources_init(struct resources *resources, const struct options *options);
void resources_release(struct resources *resources);

/* List the names of the input files, each of which must lead to something. */
void resources_name_files(struct resources *resources);

/* Look at the input files and open the source that reads them. */
void resources_open_files(struct resources *resources);

/* Records with this header will be written, which is not that of files: find the column of --split-field there. */
void resources_find_columns(struct resources *resources, const char *name, const uint8_t *header, size_t bytes);

void resources_open_output(struct resources *resources);

/* All input has been read. End the run if it was empty, and an option has taken the FILE: `--seed FILE </dev/null`. */
void resources_check_taken(const struct resources *resources);

/* Can the directories of -T be used? */
void resources_check_temporary(struct resources *resources);

/* Take the seed that was given, or make one. */
void resources_take_seed(struct resources *resources);

/* The memory for the engine: what the limit leaves, which is that of -S, or what the machine has to spare; but no more
 * than is of use for an input of `bytes` bytes (UINT64_MAX if that is not known). */
uint64_t resources_memory(struct resources *resources, uint64_t bytes);

/* The limit, in MiB, that leaves `pool_bytes` bytes for piles beside all else that such a job takes. */
uint64_t resources_needed_limit(struct resources *resources, uint64_t pool_bytes);

/* Open a run with `memory_bytes` bytes of memory and one thread; or if it is `large`, with as many workers as
 * --parallel says; without it, as there are processors, and with some further threads, which work while workers wait
 * for disks. */
void resources_open_run(struct resources *resources, struct run *run, uint64_t memory_bytes, bool large);
