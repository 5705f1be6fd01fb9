/*
 * What follows the last end in a block goes to the next one, unless that is a whole block. Then a long record has
 * begun, and its key is found before any of it is delivered: what has been read meanwhile is in a temporary file,
 * unless it is lent, and is read again from there.
 */

#include "shuffle/ahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "system/fault.h"

/* Ends that are found at a time where only the last one is wanted. */
TUNABLE(ENDS, 512, 1, 512);

struct ahead {
    struct ahead_plan plan;
    unsigned bits; /* of a hash that tell piles apart */
    const struct record_format *format;
    struct source *source;
    struct spill_place *place;
    const uint8_t *data; /* what was read, or lent, but is in no block yet; it begins where `scan` says */
    size_t bytes;
    struct record_scan scan;
    bool inside;                  /* a record longer than a block, */
    struct siphash_pair hash;     /* whose key has this one; */
    bool bad;                     /* or it has no key */
    struct storage *stored;       /* what was read in search of a key, before what the source has, */
    struct storage_reader reader; /* and is read from here */
    const uint8_t *lent;          /* the end of what the source has lent, if it did */
    uint64_t offset;              /* where the next block is in the source */
    struct position position;
};

struct ahead *ahead_open(const struct ahead_plan *plan, const struct record_format *format, struct source *source,
                         struct spill_place *place)
{
    struct ahead *ahead = fault_allocate(1, sizeof *ahead);

    *ahead = (struct ahead){.plan = *plan, .format = format, .source = source, .place = place};
    while (1u << ahead->bits < plan->piles)
        ahead->bits++;
    position_begin(&ahead->position, source, format);
    return ahead;
}

static void drop_stored(struct ahead *ahead)
{
    if (ahead->stored == NULL)
        return;
    storage_reader_release(&ahead->reader);
    storage_free(ahead->stored);
    ahead->stored = NULL;
}

const uint8_t *ahead_close(struct ahead *ahead)
{
    const uint8_t *lent = ahead->lent;

    drop_stored(ahead);
    free(ahead);
    return lent;
}

/* Where the last record ends that ends there; 0: none does. *scan moves on to the end of the bytes. */
static size_t find_last_end(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                            size_t bytes)
{
    uint32_t ends[ENDS];
    size_t last = 0, scanned;

    if (format->kind == NULL) {
        record_advance(format, scan, data, bytes);
        for (last = bytes; last > 0 && data[last - 1] != format->delimiter;)
            last--;
        return last;
    }
    for (size_t at = 0; at < bytes; at += scanned) {
        const size_t found = record_ends(format, scan, data + at, bytes - at, ends, ENDS, &scanned);

        last = found > 0 ? at + ends[found - 1] : last;
    }
    return last;
}

/* As source_read, but what is stored comes first. */
static size_t read_on(struct ahead *ahead, uint8_t *data, size_t bytes)
{
    size_t done = 0;

    if (ahead->stored != NULL) {
        struct iovec piece = {.iov_base = data, .iov_len = (size_t)least(bytes, ahead->reader.left)};

        done = piece.iov_len;
        storage_reader_read(&ahead->reader, &piece, 1);
        if (ahead->reader.left == 0)
            drop_stored(ahead);
    }
    return done < bytes ? done + source_read(ahead->source, data + done, bytes - done) : done;
}

/* Have more at hand, up to `most` bytes, in the block's buffer if the source does not lend. False: there is nothing
 * more. */
static bool look_further(struct ahead *ahead, struct queue_block *block, size_t most)
{
    const uint8_t *data;
    size_t got;

    if (source_base(ahead->source) != NULL) {
        got = source_lend(ahead->source, &data, most - ahead->bytes);
        if (got > 0 && ahead->bytes == 0)
            ahead->data = data;
        ahead->lent = got > 0 ? data + got : ahead->lent;
    } else {
        if (ahead->bytes > 0)
            memmove(block->buffer, ahead->data, ahead->bytes);
        ahead->data = block->buffer;
        got = read_on(ahead, block->buffer + ahead->bytes, most - ahead->bytes);
    }
    ahead->bytes += got;
    return got > 0;
}

static void store(struct storage *stored, const uint8_t *data, size_t bytes)
{
    union {
        const uint8_t *in;
        void *out; /* which nobody writes to */
    } base = {data};
    const struct iovec piece = {.iov_base = base.out, .iov_len = bytes};

    storage_write(stored, 0, &piece, 1);
}

/* All that was looked at in search of a key, the last of it in the block's buffer, is to be read again. */
static void read_again(struct ahead *ahead, struct queue_block *block, struct storage *stored)
{
    store(stored, ahead->data, ahead->bytes);
    while (ahead->stored != NULL) { /* what had been stored for the record before, and follows it */
        const size_t got = read_on(ahead, block->buffer, (size_t)least(block->data_bytes, ahead->reader.left));

        store(stored, block->buffer, got);
    }
    ahead->bytes = 0;
    ahead->stored = stored;
    storage_reader_init(&ahead->reader, stored, 0);
}

/* A record begins that is longer than a block: find its key. Afterwards all that has been read is at hand again. */
static void look_for_key(struct ahead *ahead, struct queue_block *block)
{
    const unsigned thread = keyed_extra(ahead->plan.keyed);
    struct storage *stored = NULL;
    struct record_scan scan = {0};
    size_t at = 0, scanned;
    bool lends;
    uint32_t end;

    keyed_record(ahead->plan.keyed, thread);
    for (;;) {
        const bool last = record_ends(ahead->format, &scan, ahead->data + at, ahead->bytes - at, &end, 1, &scanned) > 0;

        if (keyed_follow(ahead->plan.keyed, thread, ahead->data + at, scanned, last) || last)
            break;
        at += scanned;
        lends = source_base(ahead->source) != NULL; /* perhaps no longer: what it has lent is stored as well */
        if (!lends) {
            stored = stored != NULL ? stored : spill_open(ahead->place, 1);
            store(stored, ahead->data, ahead->bytes);
            ahead->bytes = at = 0;
        }
        if (!look_further(ahead, block, lends ? at + QUEUE_BLOCK_BYTES_MAX : block->data_bytes))
            break;
    }
    ahead->bad = !keyed_end(ahead->plan.keyed, thread, &ahead->hash);
    if (stored != NULL && !ahead->bad)
        read_again(ahead, block, stored);
    else if (stored != NULL)
        storage_free(stored);
    ahead->inside = true;
}

void ahead_fill(struct ahead *ahead, struct queue_block *block, size_t most)
{
    struct record_scan scan;
    size_t bytes, last;

    block->bytes = 0;
    block->bad = block->bad_inner = false;
    if (ahead->bad)
        return;
    for (;;) {
        scan = ahead->scan;
        bytes = least_size(ahead->bytes, most);
        last = find_last_end(ahead->format, &scan, ahead->data, bytes);
        if (last > 0 || (bytes < most ? !look_further(ahead, block, most) : ahead->inside))
            break;
        if (bytes == most)
            look_for_key(ahead, block);
        if (ahead->bad)
            ahead->bytes = bytes;
    }
    block->bytes = last > 0 ? last : bytes;
    block->data = bytes > 0 ? ahead->data : block->buffer;
    block->begins = ahead->scan;
    block->inner = ahead->hash;
    block->bad = block->bad_inner = ahead->bad;
    block->offset = ahead->offset;
    block->position = ahead->position;
    ahead->scan = scan;
    if (last > 0)
        ahead->scan = (struct record_scan){0};
    ahead->inside = ahead->inside && last == 0;
    ahead->data = block->data + block->bytes;
    ahead->bytes -= block->bytes;
    ahead->offset += block->bytes;
    if (ahead->plan.first_seen && keyed_has_fields(ahead->plan.keyed))
        position_pass(&ahead->position, block->offset, block->data, block->bytes);
}

void ahead_route(const struct ahead *ahead, struct queue_block *block, unsigned thread)
{
    struct keyed *keyed = ahead->plan.keyed;
    const uint8_t *data = block->data + block->from;
    size_t start = 0;

    for (size_t i = 0; i < block->records + block->open; i++) {
        struct siphash_pair *hash = &block->hash[i];
        const size_t end = i < block->records ? block->ends[i] : start;
        const bool inner = (i == 0 && block->continues) || i == block->records;

        if (inner)
            *hash = block->inner;
        else if (block->bad == 0 && !keyed_find(keyed, thread, data + start, end - start, hash))
            block->bad = i + 1;
        block->pile[i] = (uint16_t)ahead->plan.piles;
        if (block->bad == 0 &&
            (inner || !ahead->plan.drops || !keyed_is_again(keyed, thread, *hash, block->first_record + i)))
            block->pile[i] = (uint16_t)keyed_digit(*hash, ahead->plan.from, ahead->bits);
        start = end;
    }
}

_Noreturn void ahead_refuse(const struct ahead *ahead, const struct queue_block *block)
{
    struct keyed *keyed = ahead->plan.keyed;
    const size_t i = block->bad - 1, start = block->from + (i > 0 ? block->ends[i - 1] : 0);
    const size_t end = i < block->records ? block->from + block->ends[i] : block->to;
    const unsigned thread = block->bad_inner ? keyed_extra(keyed) : 0;
    struct position position = block->position;
    char place[POSITION_BYTES];
    struct siphash_pair hash;

    if (!ahead->plan.first_seen ||
        (!block->bad_inner && keyed_find(keyed, thread, block->data + start, end - start, &hash)))
        die("the input has changed while it was read");
    position_pass(&position, block->offset, block->data, start);
    position_next(&position, block->offset + start);
    keyed_refuse(keyed, thread, position_say(&position, place), block->first_record + i, block->data + start,
                 end - start - 1);
}
