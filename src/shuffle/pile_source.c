#include "shuffle/pile_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "system/fault.h"

/* What is read twice is checked the second time in parts of this length, or longer ones. */
TUNABLE(PART_BYTES, 256 << 10, 64, 256 << 10);

struct pile_parts {
    size_t bytes;      /* of each part but the last */
    size_t count;      /* of `sum`, so far */
    struct xxh64 hash; /* of the part that is being read the first time */
    uint64_t sum[];
};

struct reading {
    struct piles *piles;
    unsigned pile;
    bool keep;
    struct pile_parts *parts; /* NULL: of no use */
    uint8_t *part;            /* of the second reading: the one that is handed out, */
    size_t at, end;           /* of which these bytes are left */
    struct storage_reader reader;
    struct pile_walk walk; /* which comes after what is in storage */
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

static void end_part(struct pile_parts *parts)
{
    parts->sum[parts->count++] = xxh64_value(&parts->hash);
    xxh64_init(&parts->hash, 0);
}

/* Note the checksums of parts that end in what has just been read the first time. */
static void note_parts(struct pile_parts *parts, const uint8_t *data, size_t bytes)
{
    while (bytes > 0) {
        const size_t some = least_size(bytes, parts->bytes - (size_t)parts->hash.bytes);

        xxh64_update(&parts->hash, data, some);
        if (parts->hash.bytes == parts->bytes)
            end_part(parts);
        data += some;
        bytes -= some;
    }
}

static void begin_reading(struct reading *reading, struct piles *piles, unsigned p, bool keep)
{
    struct pile_parts *parts = piles->pile[p].parts;

    *reading = (struct reading){.piles = piles, .pile = p, .keep = keep, .parts = parts, .walk = pile_walk(piles, p)};
    if (piles->pile[p].spilled)
        storage_reader_init(&reading->reader, piles->storage, p);
    reading->reader.discards = !keep;
    if (parts == NULL)
        return;
    if (keep) {
        xxh64_init(&parts->hash, 0);
    } else {
        if (parts->hash.bytes > 0)
            end_part(parts);
        reading->part = fault_allocate(parts->bytes, 1);
    }
    parts->count = 0;
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

/* Have the next part of the second reading. False: there is none. */
static bool read_part(struct reading *reading)
{
    reading->at = 0;
    reading->end = read_bytes(reading, reading->part, reading->parts->bytes);
    if (reading->end > 0 && xxh64(reading->part, reading->end) != reading->parts->sum[reading->parts->count++])
        pile_check(reading->piles, reading->pile, UINT64_MAX);
    return reading->end > 0;
}

static size_t read_pile(void *context, uint8_t *data, size_t bytes, struct absent *absent)
{
    struct reading *reading = context;
    size_t done = reading->part == NULL ? read_bytes(reading, data, bytes) : 0;

    (void)absent;
    if (reading->part == NULL && reading->parts != NULL)
        note_parts(reading->parts, data, done);
    while (reading->part != NULL && done < bytes && (reading->at < reading->end || read_part(reading))) {
        const size_t some = least_size(bytes - done, reading->end - reading->at);

        memcpy(data + done, reading->part + reading->at, some);
        reading->at += some;
        done += some;
    }
    return done;
}

void pile_source_verify(struct piles *piles, unsigned p, const struct record_format *format, uint8_t *buffer,
                        size_t bytes)
{
    struct record_scan scan = {0};
    struct reading reading;
    uint64_t records = 0;
    bool whole = true;
    size_t got;

    if (!piles->pile[p].spilled)
        return;
    pile_source_twice(piles, p);
    begin_reading(&reading, piles, p, true);
    while ((got = read_pile(&reading, buffer, bytes, NULL)) > 0)
        records += record_count(format, &scan, buffer, got, &whole);
    storage_reader_release(&reading.reader);
    pile_check(piles, p, whole ? records : UINT64_MAX);
}

static void free_reading(void *context)
{
    struct reading *reading = context;

    storage_reader_release(&reading->reader);
    free(reading->part);
    free(reading);
}

struct source *pile_source(struct piles *piles, unsigned p, bool keep)
{
    struct reading *reading = fault_allocate(1, sizeof *reading);

    begin_reading(reading, piles, p, keep);
    return source_over(read_pile, reading, free_reading, UINT64_MAX);
}
