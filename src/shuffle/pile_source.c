#include "shuffle/pile_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "system/fault.h"

struct reading {
    struct piles *piles;
    unsigned pile;
    bool keep;
    struct storage_reader reader;
    struct pile_walk walk; /* which comes after what is in storage */
};

static void begin_reading(struct reading *reading, struct piles *piles, unsigned p, bool keep)
{
    *reading = (struct reading){.piles = piles, .pile = p, .keep = keep, .walk = pile_walk(piles, p)};
    if (piles->pile[p].spilled)
        storage_reader_init(&reading->reader, piles->storage, p);
    reading->reader.discards = !keep;
}

static size_t read_pile(void *context, uint8_t *data, size_t bytes, struct absent *absent)
{
    struct reading *reading = context;
    struct storage_reader *reader = &reading->reader;
    size_t done = 0;

    (void)absent;
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
    free(reading);
}

struct source *pile_source(struct piles *piles, unsigned p, bool keep)
{
    struct reading *reading = fault_allocate(1, sizeof *reading);

    begin_reading(reading, piles, p, keep);
    return source_over(read_pile, reading, free_reading, UINT64_MAX);
}
