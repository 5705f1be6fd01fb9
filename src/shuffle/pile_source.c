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
    uint32_t block; /* in the chain, which comes after what is in storage */
    uint32_t left;  /* blocks, this one among them */
    size_t inside;  /* bytes of it that were read */
};

static void begin_reading(struct reading *reading, struct piles *piles, unsigned p, bool keep)
{
    *reading = (struct reading){.piles = piles, .pile = p, .keep = keep};
    reading->block = piles->pile[p].first;
    reading->left = piles->pile[p].blocks;
    if (piles->pile[p].spilled)
        storage_reader_init(&reading->reader, piles->storage, p);
    reading->reader.discards = !keep;
}

/* The block that was read is done with. */
static void leave_block(struct reading *reading)
{
    reading->block = reading->piles->pool->next[reading->block];
    reading->left--;
    reading->inside = 0;
    if (!reading->keep && reading->left > 0)
        pile_give_block(reading->piles, reading->pile, false);
}

static size_t read_pile(void *context, uint8_t *data, size_t bytes, struct absent *absent)
{
    struct reading *reading = context;
    struct storage_reader *reader = &reading->reader;
    const struct pool *pool = reading->piles->pool;
    size_t done = 0;

    (void)absent;
    while (done < bytes && reader->left > 0) {
        struct iovec piece = {.iov_base = data + done, .iov_len = (size_t)least(bytes - done, reader->left)};

        done += piece.iov_len;
        storage_reader_read(reader, &piece, 1);
    }
    while (done < bytes && reading->left > 0) {
        const uint8_t *block = pool_block(pool, reading->block);
        const uint8_t *end = reading->left > 1 ? block + pool->block_bytes : reading->piles->pile[reading->pile].at;
        const size_t left = (size_t)(end - block) - reading->inside, length = least_size(bytes - done, left);

        memcpy(data + done, block + reading->inside, length);
        done += length;
        reading->inside += length;
        if (length == left)
            leave_block(reading);
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
