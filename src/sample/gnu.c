/*
 * The generator holds a number that is uniform in [0, most]. A byte makes it number * 256 + byte and most * 256 + 255.
 * Once most reaches the bound of a draw, the largest multiple of the bound + 1 that is no more than most + 1 divides
 * the numbers: below it, the remainder is the draw and the quotient is kept, uniform again; from it on, the difference
 * is kept as a number that is uniform among the few left over, and is tried again. So hardly a bit of the file is
 * wasted.
 *
 * The words of 64 bits wrap around, as they do in GNU shuf: a number left over by a bound above 2^56 may be so large
 * that the next byte pushes its first ones out. Then number may be larger than most, and it matters that a failed try
 * keeps the remainder, not the distance from that multiple, though they are the same otherwise.
 *
 * The draws depend on the number of records alone. So the records are stored in one pile, their order is drawn as
 * numbers, and they are written in that order (shuffle_drawn). If they do not fit into memory and can be read again,
 * they are only counted. For a reservoir of k records, only those that get into it are stored: about k (1 + log(n /
 * k)).
 */

#include "sample/gnu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/types.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "sample/keep.h"
#include "shuffle/pile.h"
#include "shuffle/shuffle.h"
#include "system/file_mark.h"
#include "system/io.h"

/* ---- Numbers ---- */

enum {
    BUFFER_BYTES = 4096, /* the most that shuf reads ahead, from a pipe that others may go on reading */
    AHEAD = 64,          /* swaps between prefetch and use */
};

struct gnu {
    const char *path;
    int fd; /* -1: not yet open */
    struct file_mark mark;
    off_t at;        /* offset of the next byte, if the file is regular */
    uint64_t number; /* uniform in [0, most] */
    uint64_t most;
    size_t next; /* index of the next byte in the buffer */
    size_t end;
    uint8_t buffer[BUFFER_BYTES];
};

_Noreturn static void report_unreadable(const struct gnu *gnu, int error)
{
    die("'%s': read error: %s", gnu->path, fault_cause(error));
}

static void open_file(struct gnu *gnu)
{
    gnu->fd = io_open(gnu->path, O_RDONLY | O_NOCTTY, 0);
    if (gnu->fd < 0 || file_mark_open(&gnu->mark, gnu->fd) != 0)
        file_mark_report(gnu->path);
}

struct gnu *gnu_open(const char *path)
{
    struct gnu *gnu = fault_allocate(1, sizeof *gnu);
    struct stat status;

    gnu->path = path;
    gnu->fd = -1;
    if (io_look(path, &status) != 0) {
        if (errno == EISDIR)
            report_unreadable(gnu, errno);
        die_advising(path, errno,
                     path[0] != '\0' && path[strspn(path, "0123456789")] == '\0' ? "write --seed=STRING for a seed"
                                                                                 : NULL);
    }
    if (S_ISREG(status.st_mode))
        open_file(gnu);
    return gnu;
}

void gnu_free(struct gnu *gnu)
{
    if (gnu == NULL)
        return;
    io_drop(gnu->fd);
    free(gnu);
}

void gnu_check(const struct gnu *gnu)
{
    if (file_mark_check(&gnu->mark, gnu->fd, gnu->mark.bytes) != 0)
        file_mark_report(gnu->path);
}

static void fill_buffer(struct gnu *gnu)
{
    ssize_t got = io_read(gnu->fd, gnu->buffer, (size_t)least(sizeof gnu->buffer, file_mark_left(&gnu->mark, gnu->at)));

    if (got < 0)
        report_unreadable(gnu, errno);
    if (got == 0) {
        gnu_check(gnu);
        die("'%s': end of file", gnu->path);
    }
    gnu->at += (off_t)got;
    gnu->next = 0;
    gnu->end = (size_t)got;
}

static inline void take_byte(struct gnu *gnu)
{
    if (gnu->next == gnu->end)
        fill_buffer(gnu);
    gnu->number = gnu->number << 8 | gnu->buffer[gnu->next++];
    gnu->most = gnu->most << 8 | 0xff;
}

/* Draw from the number there is. False if a byte is needed: the number is too small, or one of the few left over. */
static inline bool try_draw(struct gnu *gnu, uint64_t most, uint64_t *number)
{
    uint64_t count = most + 1; /* 0 stands for 2^64: then gnu->most must be `most` */
    uint64_t remainder, left_over;

    if (gnu->most < most)
        return false;
    if (gnu->most == most) {
        *number = gnu->number;
        gnu->number = 0;
        gnu->most = 0;
        return true;
    }
    remainder = gnu->number % count;
    left_over = (gnu->most - most) % count;
    if (gnu->number <= gnu->most - left_over) {
        *number = remainder;
        gnu->number /= count;
        gnu->most = (gnu->most - most) / count;
        return true;
    }
    gnu->number = remainder;
    gnu->most = left_over - 1;
    return false;
}

uint64_t gnu_draw(struct gnu *gnu, uint64_t most)
{
    uint64_t number;

    if (gnu->fd < 0)
        open_file(gnu);
    while (!try_draw(gnu, most, &number))
        take_byte(gnu);
    return number;
}

/* The k-th swap, of k and j[k] >= k, is noted in place k. Undoing the swaps from the last to the first inverts the
 * order: from k on, the table then holds ranks, and below k still j. */
void gnu_ranks(struct gnu *gnu, const struct table *ranks, uint64_t records, uint64_t wanted)
{
    const struct table own = *ranks; /* a copy, so that the compiler keeps its width in a register */

    wanted = least(wanted, records);
    for (uint64_t k = 0; k < wanted; k++)
        table_set(&own, k, k + gnu_draw(gnu, records - 1 - k));
    for (uint64_t k = wanted; k < records; k++)
        table_set(&own, k, k);
    for (uint64_t k = wanted; k-- > 0;) {
        const uint64_t j = table_get(&own, k);

        if (k >= AHEAD)
            table_prefetch(&own, table_get(&own, k - AHEAD));
        if (j > k)
            table_set(&own, k, table_get(&own, j));
        table_set(&own, j, k);
    }
}

/* The number at a position that a swap has reached. Position 0 means empty: those below `wanted` are in `out`. */
struct displaced {
    uint64_t position;
    uint64_t number;
};

/* The slot of a position: its own, or an empty one. */
static struct displaced *find_slot(struct displaced *slots, size_t count, uint64_t position)
{
    uint64_t i = spread(position, count);

    while (slots[i].position != 0 && slots[i].position != position)
        i = spread_next(i, count);
    return &slots[i];
}

void gnu_sparse(struct gnu *gnu, uint64_t most, uint64_t wanted, uint64_t *out)
{
    struct displaced *slots;

    if (wanted == 0)
        return;
    slots = fault_allocate((size_t)wanted, 2 * sizeof *slots); /* at most half of them will be used */
    for (uint64_t i = 0; i < wanted; i++)
        out[i] = i;
    for (uint64_t i = 0; i < wanted; i++) {
        uint64_t number = out[i], position = i + gnu_draw(gnu, most - i);

        if (position < wanted) {
            out[i] = out[position];
            out[position] = number;
        } else {
            struct displaced *slot = find_slot(slots, 2 * (size_t)wanted, position); /* of a position beyond `out` */

            out[i] = slot->position == 0 ? position : slot->number;
            *slot = (struct displaced){.position = position, .number = number};
        }
    }
    free(slots);
}

/* ---- Records ---- */

/* The reservoir's numbers may take 1/RESERVOIR_SHARE of the memory; when memory is full, stored records give up
 * 1/STEP_SHARE of it. In the end there are 12 bytes for each entry, and the memory of shuffle_drawn for all stored
 * records: more than this. */
enum { RESERVOIR_SHARE = 2, RESERVOIR_BYTES = 17 };
TUNABLE(STEP_SHARE, 32, 4, 1024);

/* From files larger than this, shuf takes a sample by way of a reservoir. */
static const uint64_t RESERVOIR_FROM_BYTES = (uint64_t)8 << 20;

struct replay {
    struct run *run;
    struct gnu *gnu;
    struct source *again; /* the input, to be read again; NULL if records are stored */
    struct piles piles;   /* one */
    struct table entry;   /* of the reservoir: number of a stored record, 8 bytes */
    struct table place;   /* and its place in the output */
    uint64_t entries;
};

/* Add an entry to the reservoir. */
static void add_to_reservoir(struct replay *r)
{
    struct pool *pool = &r->run->engine.pool;

    if (r->entries + 1 > (uint64_t)r->entry.blocks << table_number_shift(&r->entry)) {
        if (r->entry.blocks >= pool->blocks / RESERVOIR_SHARE)
            engine_report_memory(&r->run->engine, RESERVOIR_BYTES * least(r->run->limit, UINT64_MAX / 64),
                                 "a sample of %llu records", (unsigned long long)r->run->limit);
        if (pool_free(pool) == 0)
            piles_make_room(&r->piles, pool->blocks / STEP_SHARE);
        table_take_block(&r->entry, r->entry.blocks);
    }
    r->entries++;
}

/* Does record i get into the reservoir? */
static bool admit_to_reservoir(void *context, uint64_t i)
{
    struct replay *r = context;
    uint64_t j = i;

    if (i >= r->run->limit)
        j = gnu_draw(r->gnu, i);
    if (j >= r->run->limit)
        return false;
    if (j == r->entries)
        add_to_reservoir(r);
    *table_u64(&r->entry, j) = r->piles.pile[0].records;
    return true;
}

static void draw_order(void *context, struct table *ranks, uint64_t records)
{
    struct replay *r = context;

    if (r->again != NULL)
        source_rewind(r->again);
    gnu_ranks(r->gnu, ranks, records, r->run->limit);
}

void gnu_order(struct run *run, struct source *source, struct gnu *gnu, struct output *output)
{
    struct keep_rule all = {.counts_only = keep_may_count(run, source)};
    struct replay r = {.run = run, .gnu = gnu, .again = all.counts_only ? source : NULL};

    keep_records(run, source, &all, &r.piles, 1);
    run_begin(run, output, counter_get(&run->progress->records));
    shuffle_drawn(run, &r.piles, r.again, draw_order, &r, output);
    piles_release(&r.piles);
}

/* Records that have left the reservoir come after all others. */
static void draw_entries(void *context, struct table *ranks, uint64_t records)
{
    struct replay *r = context;
    const uint64_t all = counter_get(&r->run->progress->records);
    uint64_t next = r->entries;

    if (all >= r->run->limit)
        (void)gnu_draw(r->gnu, all);
    gnu_ranks(r->gnu, &r->place, r->entries, r->entries);
    for (uint64_t i = 0; i < records; i++)
        table_set(ranks, i, records);
    for (uint64_t i = 0; i < r->entries; i++)
        table_set(ranks, *table_u64(&r->entry, i), table_get(&r->place, i));
    for (uint64_t i = 0; i < records; i++)
        if (table_get(ranks, i) == records)
            table_set(ranks, i, next++);
    table_clear(&r->entry);
    table_clear(&r->place);
}

void gnu_sample(struct run *run, struct source *source, struct gnu *gnu, struct output *output)
{
    struct replay r = {.run = run, .gnu = gnu};
    struct keep_rule some = {.admit = admit_to_reservoir, .context = &r};
    size_t bytes;

    if (source->known && source->known_bytes <= RESERVOIR_FROM_BYTES) {
        gnu_order(run, source, gnu, output);
        return;
    }
    (void)gnu_draw(gnu, 0); /* opens a FIFO, as shuf does before it reads the input */
    table_init(&r.entry, &run->engine.pool);
    r.entry.wide = true;
    keep_records(run, source, &some, &r.piles, 1);
    bytes = r.entries <= UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t);
    piles_make_room(&r.piles, pool_blocks_for(&run->engine.pool, r.entries * bytes));
    table_take(&r.place, &run->engine.pool, r.entries, bytes); /* until the order has been drawn, as r.entry */
    table_pin(&r.entry);
    table_pin(&r.place);
    run_begin(run, output, counter_get(&run->progress->records));
    shuffle_drawn(run, &r.piles, NULL, draw_entries, &r, output);
    piles_release(&r.piles);
    table_release(&r.entry);
    table_release(&r.place);
}
