/*
 * The promise is a peak of the limit plus 16 MiB. The program, its libraries and small things take 4 MiB of these; rows
 * may take 12. If they take more, that comes off the limit, and the engine gets the rest. Rows are upper bounds, known
 * by the modules that take the memory; all of a row is seldom touched.
 *
 * The number of outputs is often unknown in advance, so their memory does not count for the limit: the promise names it
 * beside the 16 MiB.
 */

#include "job/ledger.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/number.h"
#include "base/tunable.h"
#include "input/archive.h"
#include "input/stream.h"
#include "job/task.h"
#include "output/division.h"
#include "output/output.h"
#include "output/strata.h"
#include "record/header.h"
#include "record/key.h"
#include "sample/requests.h"
#include "shuffle/engine.h"
#include "shuffle/order.h"
#include "shuffle/pile.h"
#include "shuffle/scatter.h"
#include "shuffle/seen.h"
#include "store/draft.h"
#include "store/manifest.h"
#include "system/fault.h"
#include "system/hardware.h"
#include "system/sys.h"
#include "system/threads.h"
#include "temporary/frames.h"
#include "temporary/storage.h"

/* How much the rows may take beside the limit. */
static const uint64_t BESIDE_BYTES = (uint64_t)12 << 20;

/* 1/SHARE of a limit from SHARE_FROM_BYTES on is for bytes decompressed ahead, and as much for classes; below that it
 * is less and less, and classes have a minimum. */
TUNABLE(SHARE_FROM_BYTES, 64 << 20, 8 << 20, 64 << 20);
enum { SHARE = 8 };
static const uint64_t CLASSES_BYTES = (uint64_t)1 << 20;

/* Tables have lists of their blocks. Divided piles have lists of children, archives a list of long records: together at
 * most 1/LISTS_SHARE of the limit, and some pages for each thread. */
enum { LISTS_SHARE = 2048, LISTS_BYTES = 16 << 10 };

/* For an input of D bytes, ENOUGH_TIMES * D + ENOUGH_BYTES bytes of memory are enough. More memory would only be
 * divided into larger blocks, and each pile leaves half a block unused on average: a million lines of 9 bytes took 47
 * ms with 11 GB, 30 ms with 64 MiB. */
enum { ENOUGH_TIMES = 4 };
TUNABLE(ENOUGH_BYTES, 32 << 20, ENGINE_MEMORY_MIN, 32 << 20);

/* Every machine has this much memory, so it is not looked up. */
static const uint64_t DOUBTLESS_BYTES = (uint64_t)64 << 20;

/* Bytes of addresses left for other things when memory is scarce. */
enum { ROOM_BYTES = 16 << 20 };

/* ---- Rows ---- */

/* Rows of fewer bytes are not printed. */
enum { TOLD_BYTES = 256 << 10, NOTE_BYTES = 512 };

struct row {
    const char *what;
    uint64_t each, count;
};

enum { ROWS = 19 };

uint64_t ledger_ahead(uint64_t limit_bytes)
{
    const uint64_t from = SHARE_FROM_BYTES / 4 * 3;

    return limit_bytes > from ? least(limit_bytes / SHARE, (limit_bytes - from) / 2) : 0;
}

uint64_t ledger_classes(uint64_t limit_bytes)
{
    const uint64_t share = ledger_ahead(limit_bytes);

    return share > CLASSES_BYTES ? share : CLASSES_BYTES;
}

/* Fill in the rows, for the threads that the limit can keep busy. */
static void fill_rows(const struct ledger *ledger, uint64_t limit, struct row rows[ROWS])
{
    const struct options *options = ledger->options;
    const struct engine_memory memory = engine_memory(limit, ledger->workers);
    const unsigned workers = memory.workers, threads = workers + ledger->waiting;
    const unsigned piles = 1 << ORDER_ROOT_BITS, most = ledger->piles > piles ? ledger->piles : piles;
    const size_t split_key = key_memory(&options->split_key);
    const size_t order_key = key_memory(&options->order_key);
    const unsigned keyed = task_is_keyed(options) ? threads + 1 : 0;
    const unsigned scatters = scatter_lanes(workers), most_lanes = scatters > threads ? scatters : threads;
    const bool stratified = division_is(&options->plan, DIVISION_CLASSES);
    const unsigned lanes = stratified ? most_lanes : 0;
    const bool headers = options->gather != NULL || !header_is_none(&options->header);
    const struct row all[ROWS] = {
        {"names", 1, ledger->name_bytes},
        {"inputs", STREAM_FILE_BYTES, ledger->inputs},
        {"archives", archive_bytes(), record_is(&options->format, RECORD_GROUP)},
        {"stacks", THREADS_STACK_BYTES, threads},
        {"desks", frames_desk_bytes(), options->packing != SPILL_NEVER ? threads + 1 : 0},
        {"rings", 1, scatter_bytes(workers, most)},
        {"piles", piles_bytes(1, ledger->directories), most + piles}, /* and those of a pile that is started over */
        {"blocks", sizeof(uint8_t *), limit / memory.block_bytes},
        {"lists", 1, limit / LISTS_SHARE + threads * (uint64_t)LISTS_BYTES},
        {"classes", 1, stratified ? ledger_classes(limit) : 0},
        {"lanes", strata_lane_bytes(), lanes},
        {"sides", output_beside_bytes(), division_is(&options->plan, DIVISION_BESIDE) ? options->plan.splits + 1 : 0},
        {"keys", 1, split_key * (2 + lanes + threads) + order_key * (1 + keyed)},
        /* of the first file, and of another one, or of the store */
        {"headers", HEADER_BYTES_MAX, headers ? 2 + (options->scatter != NULL) : 0},
        {"seen", 1, options->unique ? seen_memory(limit) : 0},
        {"ahead", 1, ledger->ahead ? ledger_ahead(limit) : 0},
        {"requests", REQUESTS_LINES_BYTES, options->requests},
        {"parts", sizeof(struct storage_reader) + threads * MANIFEST_PILE_BYTES, options->gather != NULL ? most : 0},
        {"places", draft_pile_bytes(), options->scatter != NULL ? most : 0},
    };

    memcpy(rows, all, sizeof all);
}

static uint64_t bytes_of(const struct row *row)
{
    return row->each * row->count;
}

uint64_t ledger_left(const void *ledger, uint64_t limit_bytes)
{
    struct row rows[ROWS];
    uint64_t bytes = 0;

    fill_rows(ledger, limit_bytes, rows);
    for (size_t i = 0; i < ROWS; i++)
        bytes += bytes_of(&rows[i]);
    bytes = bytes > BESIDE_BYTES ? bytes - BESIDE_BYTES : 0;
    return limit_bytes - least(bytes, limit_bytes);
}

void ledger_note(const struct ledger *ledger, uint64_t outputs)
{
    char text[NOTE_BYTES] = "", said[32];
    struct row rows[ROWS];
    size_t used = 0;

    if (ledger->limit_bytes == 0)
        return;
    fill_rows(ledger, ledger->limit_bytes, rows);
    for (size_t i = 0; i < ROWS; i++)
        if (bytes_of(&rows[i]) >= TOLD_BYTES)
            used += (size_t)snprintf(text + used, sizeof text - used, ", %s %s", rows[i].what,
                                     number_format_size(bytes_of(&rows[i]), said));
    if (outputs >= TOLD_BYTES)
        used += (size_t)snprintf(text + used, sizeof text - used, ", outputs %s", number_format_size(outputs, said));
    if (used > 0)
        fault_note("besides:       %s", text + 2);
}

/* ---- Memory ---- */

uint64_t ledger_limit(struct ledger *ledger)
{
    if (ledger->limit_bytes == 0)
        ledger->limit_bytes = ledger->options->memory_bytes > 0 ? ledger->options->memory_bytes : hardware_memory();
    return ledger->limit_bytes;
}

uint64_t ledger_memory(struct ledger *ledger, uint64_t bytes)
{
    const uint64_t left = ledger_left(ledger, ledger_limit(ledger));

    if (bytes < left / ENOUGH_TIMES && ENOUGH_TIMES * bytes + ENOUGH_BYTES < left)
        return ENOUGH_TIMES * bytes + ENOUGH_BYTES;
    return left > ENGINE_MEMORY_MIN ? left : ENGINE_MEMORY_MIN; /* check_given refuses less */
}

/* End the run if -S is too little for all pockets and the least engine. */
static void check_given(struct ledger *ledger, struct engine_budget budget)
{
    const uint64_t limit = ledger_limit(ledger);
    struct row rows[ROWS];
    size_t largest = 0;
    char said[32];

    if (ledger_left(ledger, limit) >= ENGINE_MEMORY_MIN)
        return;
    fill_rows(ledger, limit, rows);
    for (size_t i = 0; i < ROWS; i++)
        if (bytes_of(&rows[i]) > bytes_of(&rows[largest]))
            largest = i;
    die("-S: too small, since %s (%s) and others take more than the limit leaves; use -S %lluM or more",
        rows[largest].what, number_format_size(bytes_of(&rows[largest]), said),
        (unsigned long long)engine_needed_limit(budget, ENGINE_MEMORY_MIN >> 20));
}

/* Warn if -S is more than there is: the system kills a process that takes more, without a message. */
static void doubt(struct ledger *ledger, uint64_t bytes)
{
    char said[32], whole[32];
    uint64_t whole_bytes;

    if (bytes <= DOUBTLESS_BYTES || ledger->doubted)
        return;
    whole_bytes = hardware_whole_memory();
    if (whole_bytes == 0 || bytes <= whole_bytes)
        return;
    fault_warn("-S: %s is more than this machine or its control group has, %s; the run may be killed",
               number_format_size(ledger->limit_bytes, said), number_format_size(whole_bytes, whole));
    ledger->doubted = true;
}

/* Open the engine so that `bytes` more bytes are left. */
static bool open_beside(struct engine *engine, struct engine_memory memory, struct spill_place *place, size_t bytes)
{
    void *room = bytes > 0 ? sys_map(bytes) : NULL;
    const bool opened = (bytes == 0 || room != NULL) && engine_open(engine, memory, place);

    if (room != NULL)
        sys_unmap(room, bytes);
    return opened;
}

void ledger_open_engine(struct ledger *ledger, struct engine *engine, uint64_t bytes, struct spill_place *place)
{
    const bool is_given = ledger->options->memory_bytes > 0;
    size_t room = 0;

    engine->budget = (struct engine_budget){ledger_left, ledger};
    engine->waiting = ledger->waiting;
    if (is_given) {
        check_given(ledger, engine->budget);
        doubt(ledger, bytes);
    }
    while (!open_beside(engine, engine_memory(bytes, ledger->workers), place, room)) {
        if (is_given || bytes == ENGINE_MEMORY_MIN)
            die("cannot get %llu MiB of memory: %s; %s", (unsigned long long)bytes >> 20, strerror(errno),
                is_given ? "use a smaller -S" : "raise the limits of memory, or end other programs");
        bytes = bytes / 2 > ENGINE_MEMORY_MIN ? bytes / 2 : ENGINE_MEMORY_MIN;
        room = bytes > ENGINE_MEMORY_MIN ? ROOM_BYTES : 0;
    }
}
