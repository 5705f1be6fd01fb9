#include "shuffle/pile_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "system/fault.h"

/* Piles that are read twice are checked in parts of at least this length. */
TUNABLE(PART_BYTES, 256 << 10, 64, 256 << 10);

struct pile_parts {
    size_t bytes;   /* of each part except the last */
    size_t count;   /* number of parts that have been read */
    uint64_t sum[]; /* checksum of each */
};

struct reading {
    struct piles *piles;
    unsigned pile;
    bool keep;
    struct pile_parts *parts; /* NULL: the pile is read once */
    uint8_t *part;            /* the part being handed out */
    size_t at, end;           /* places in it of the bytes left */
    size_t next;              /* number of the next part */
    struct storage_reader reader;
    struct pile_walk walk; /* through the bytes in memory, after those in storage */
};

void pile_source_twice(struct piles *piles, unsigned p)
{
    struct pile *pile = &piles->pile[p];
    size_t bytes = PART_BYTES;

    while (bytes * (uint64_t)bytes / sizeof(uint64_t) < pile_bytes(piles, p))
        bytes *= 2;
    free(pile->parts);
    pile->parts =
        fault_allocate(1, sizeof *pile->parts + (size_t)(pile_bytes(piles, p) / bytes + 1) * sizeof(uint64_t));
    pile->parts->bytes = bytes;
}

static void begin_parts(struct reading *reading, struct piles *piles, unsigned p, bool keep)
{
    struct pile_parts *parts = piles->pile[p].parts;

    *reading = (struct reading){.piles = piles, .pile = p, .keep = keep, .parts = parts, .walk = pile_walk(piles, p)};
    if (piles->pile[p].spilled)
        storage_reader_init(&reading->reader, piles->storage, p);
    reading->reader.discards = !keep;
    if (parts != NULL)
        reading->part = fault_allocate(parts->bytes, 1);
}

static void end_parts(struct reading *reading)
{
    storage_reader_release(&reading->reader);
    free(reading->part);
}

static size_t read_bytes(struct reading *reading, uint8_t *data, size_t bytes)
{
    struct storage_reader *reader = &reading->reader;
    size_t done = 0;

    while (done < bytes && reader->left > 0) {
        struct iovec piece = {.iov_base = data + done, .iov_len = (size_t)least(bytes - done, reader->left)};

        done += piece.iov_len;
        storage_reader_read(reader, &piece, 1);
    }
    while (done < bytes && reading->walk.left > 0) {
        size_t part;
        const uint8_t *from = pile_next(reading->piles, reading->pile, &reading->walk, bytes - done, &part);

        memcpy(data + done, from, part);
        done += part;
        if (!reading->keep && reading->walk.inside == 0 && reading->walk.left > 0)
            pile_give_block(reading->piles, reading->pile, false);
    }
    return done;
}

/* Read the next part; the run ends if it was read before and has changed. False: no more. */
static bool read_part(struct reading *reading)
{
    struct pile_parts *parts = reading->parts;
    uint64_t sum;

    reading->at = 0;
    reading->end = read_bytes(reading, reading->part, parts->bytes);
    if (reading->end == 0)
        return false;
    sum = xxh64(reading->part, reading->end);
    if (reading->next == parts->count)
        parts->sum[parts->count++] = sum;
    if (parts->sum[reading->next++] != sum)
        pile_check(reading->piles, reading->pile, UINT64_MAX);
    return true;
}

static size_t read_pile_bytes(void *context, uint8_t *data, size_t bytes, struct absent *absent)
{
    struct reading *reading = context;
    size_t done = 0;

    (void)absent;
    if (reading->parts == NULL)
        return read_bytes(reading, data, bytes);
    while (done < bytes && (reading->at < reading->end || read_part(reading))) {
        const size_t some = least_size(bytes - done, reading->end - reading->at);

        memcpy(data + done, reading->part + reading->at, some);
        reading->at += some;
        done += some;
    }
    return done;
}

void pile_source_verify(const struct engine *engine, struct piles *piles, unsigned p,
                        const struct record_format *format)
{
    const struct engine_space buffer = engine_buffer(engine, ENGINE_WHOLE);
    struct record_scan scan = {0};
    struct reading reading;
    uint64_t records = 0;
    bool whole = true;
    size_t got;

    if (!piles->pile[p].spilled)
        return;
    pile_source_twice(piles, p);
    begin_parts(&reading, piles, p, true);
    while ((got = read_pile_bytes(&reading, buffer.data, buffer.bytes, NULL)) > 0)
        records += record_count(format, &scan, buffer.data, got, &whole);
    end_parts(&reading);
    pile_check(piles, p, whole ? records : UINT64_MAX);
}

static void free_reading(void *context)
{
    end_parts(context);
    free(context);
}

struct source *pile_source(struct piles *piles, unsigned p, bool keep)
{
    struct reading *reading = fault_allocate(1, sizeof *reading);

    begin_parts(reading, piles, p, keep);
    return source_over(read_pile_bytes, reading, free_reading, UINT64_MAX);
}
