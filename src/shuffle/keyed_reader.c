/*
 * What follows the last end in a block goes to the next one, unless that is a whole block. Then a long record has
 * begun, and its key is found before any of it is delivered: what has been read meanwhile is in a temporary file,
 * unless it stays where it stands, and is read again from there.
 */

#include "shuffle/keyed_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/must.h"
#include "base/tunable.h"
#include "system/fault.h"
#include "system/sys.h"

/* Ends that are found at a time where only the last one is wanted. */
TUNABLE(ENDS, 512, 1, 512);

/* Records whose hashes are sought at a time. */
TUNABLE(AT_ONCE, 64, 1, 64);

struct keyed_reader {
    struct keyed_plan plan;
    unsigned piles, bits; /* of a hash, that tell piles apart */
    bool stays;
    const struct record_format *format;
    struct source *source;
    struct spill_place *place;
    const uint8_t *data; /* what has come, but is in no block yet; it begins where `scan` says */
    size_t bytes;
    struct record_scan scan;
    bool inside;              /* a record longer than a block, */
    struct siphash_pair hash; /* whose key has this one; */
    bool bad;                 /* or it has no key */
    struct reread again;      /* what was read in search of a key, before what the source has */
    uint64_t offset;          /* where the next block is in the source */
    bool counts;              /* are lines counted meanwhile? Else the source begins again, if they are wanted */
    struct position position;
};

struct keyed_reader *keyed_reader_open(const struct keyed_plan *plan, unsigned piles, bool stays,
                                       const struct record_format *format, struct source *source,
                                       struct spill_place *place)
{
    struct keyed_reader *reader = fault_allocate(1, sizeof *reader);

    *reader = (struct keyed_reader){
        .plan = *plan, .piles = piles, .stays = stays, .format = format, .source = source, .place = place};
    while (1u << reader->bits < piles)
        reader->bits++;
    reader->counts = plan->first_seen && plan->keyed->has_fields && !stays;
    position_begin(&reader->position, source, format);
    return reader;
}

void keyed_reader_close(struct keyed_reader *reader)
{
    reread_release(&reader->again);
    free(reader);
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

/* As source_next, but what is stored comes first; then fewer may come before the end. */
static size_t next_bytes(struct keyed_reader *reader, uint8_t *room, size_t bytes, const uint8_t **data)
{
    if (!reread_has(&reader->again))
        return source_next(reader->source, room, bytes, data, NULL);
    *data = room;
    return reread_next(&reader->again, room, bytes);
}

/* Have more at hand, up to `most` bytes, in the block's buffer unless they stay where they stand. False: there is
 * nothing more. */
static bool look_further(struct keyed_reader *reader, struct queue_block *block, size_t most)
{
    uint8_t *room = NULL;
    const uint8_t *data;
    size_t got;

    if (!source_stays(reader->source)) {
        if (reader->bytes > 0)
            memmove(block->buffer, reader->data, reader->bytes);
        reader->data = block->buffer;
        room = block->buffer + reader->bytes;
    }
    MUST(room == NULL || most <= block->data_bytes);
    got = next_bytes(reader, room, most - reader->bytes, &data);
    if (room == NULL && reader->bytes == 0 && got > 0)
        reader->data = data;
    reader->bytes += got;
    return got > 0;
}

/* All that was looked at in search of a key, the last of it in the block's buffer, is to be read again. */
static void read_again(struct keyed_reader *reader, struct queue_block *block, struct reread *looked_at)
{
    reread_append(looked_at, reader->place, reader->data, reader->bytes);
    while (reread_has(&reader->again)) /* what had been looked at for the record before, and follows it */
        reread_append(looked_at, reader->place, block->buffer,
                      reread_next(&reader->again, block->buffer, block->data_bytes));
    reader->bytes = 0;
    reader->again = *looked_at;
    reread_begin(&reader->again);
}

/* A record begins that is longer than a block: find its key. Afterwards all that has been read is at hand again. */
static void look_for_key(struct keyed_reader *reader, struct queue_block *block)
{
    const struct keyed *keyed = reader->plan.keyed;
    struct reread looked_at = {.storage = NULL};
    struct record_scan scan = {0};
    size_t at = 0, scanned;
    enum key_found found;
    bool stays;
    uint32_t end;

    for (bool first = true;; first = false) {
        const bool last =
            record_ends(reader->format, &scan, reader->data + at, reader->bytes - at, &end, 1, &scanned) > 0;

        found = hasher_piece(keyed->hasher, keyed->extra, reader->data + at, scanned, first, last, &reader->hash);
        if (found != KEY_TO_COME)
            break;
        at += scanned;
        stays = source_stays(reader->source); /* perhaps no longer: then what stayed is stored as well */
        if (!stays) {
            reread_append(&looked_at, reader->place, reader->data, reader->bytes);
            reader->bytes = at = 0;
        }
        if (!look_further(reader, block, stays ? at + QUEUE_BLOCK_BYTES_MAX : block->data_bytes))
            break;
    }
    reader->bad = found != KEY_FOUND;
    if (reread_has(&looked_at))
        read_again(reader, block, &looked_at);
    reader->inside = true;
}

void keyed_reader_fill(struct keyed_reader *reader, struct queue_block *block, size_t most)
{
    struct record_scan scan;
    size_t bytes, last;

    block->bytes = 0;
    block->bad = block->bad_inner = false;
    if (reader->bad)
        return;
    for (;;) {
        scan = reader->scan;
        bytes = least_size(reader->bytes, most);
        last = find_last_end(reader->format, &scan, reader->data, bytes);
        if (last > 0 || (bytes < most ? !look_further(reader, block, most) : reader->inside))
            break;
        if (bytes == most)
            look_for_key(reader, block);
    }
    block->bytes = last > 0 ? last : bytes;
    block->data = bytes > 0 ? reader->data : block->buffer;
    block->begins = reader->scan;
    block->inner = reader->hash;
    block->bad = block->bad_inner = reader->bad;
    block->offset = reader->offset;
    block->position = reader->position;
    reader->scan = scan;
    if (last > 0)
        reader->scan = (struct record_scan){0};
    reader->inside = reader->inside && last == 0;
    reader->data = block->data + block->bytes;
    reader->bytes -= block->bytes;
    reader->offset += block->bytes;
    if (reader->counts)
        position_pass(&reader->position, block->offset, block->data, block->bytes);
}

/* Find the hashes of the slice's records. Returns how many come before the first without a key. */
static size_t find_hashes(struct hasher *hasher, const struct queue_block *block, unsigned thread)
{
    struct siphash_text record[AT_ONCE];
    const uint8_t *data = block->data + block->from;
    size_t i = 0, start = 0;

    if (block->continues) {
        block->hash[0] = block->inner;
        start = block->records > 0 ? block->ends[0] : 0;
        i = block->records > 0;
    }
    while (i < block->records) {
        size_t n = 0, found;

        for (; n < AT_ONCE && i + n < block->records; start = block->ends[i + n++])
            record[n] = (struct siphash_text){data + start, block->ends[i + n] - start};
        found = hasher_whole(hasher, thread, record, n, block->hash + i);
        i += found;
        if (found < n)
            return i;
    }
    if (block->open)
        block->hash[i++] = block->inner;
    return i;
}

static unsigned pile_of(const struct keyed_reader *reader, struct siphash_pair hash)
{
    const struct siphash_pair *around = reader->plan.around;

    if (around == NULL)
        return keyed_digit(hash, reader->plan.bits, reader->bits);
    if (keyed_is_same(hash, *around))
        return reader->piles;
    return keyed_is_before(*around, hash);
}

void keyed_reader_route(const struct keyed_reader *reader, struct queue_block *block, unsigned thread)
{
    const size_t records = block->records + block->open;
    const size_t found = block->bad > 0 ? 0 : find_hashes(reader->plan.keyed->hasher, block, thread);

    if (block->bad == 0 && found < records)
        block->bad = found + 1;
    for (size_t i = 0; i < records; i++)
        block->pile[i] = (uint16_t)(i < found ? pile_of(reader, block->hash[i]) : reader->piles);
}

static void vote_for(struct keyed_vote *vote, struct siphash_pair hash, uint64_t bytes)
{
    if (keyed_is_same(vote->hash, hash))
        vote->lead += bytes;
    else if (bytes <= vote->lead)
        vote->lead -= bytes;
    else
        *vote = (struct keyed_vote){hash, bytes - vote->lead, vote->in_pieces};
}

void keyed_reader_vote(const struct keyed_reader *reader, const struct queue_block *block, size_t first, size_t end)
{
    for (size_t i = first; i < end && reader->plan.votes != NULL; i++) {
        struct keyed_vote *vote = &reader->plan.votes[block->pieces[i].pile];

        vote_for(vote, block->hash[block->number[i]], block->pieces[i].length);
        vote->in_pieces = vote->in_pieces || block->continues || block->open;
    }
}

/* What stays is gone through once more, for the lines before a block; it must have come as well. */
static void count_again(const struct keyed_reader *reader, const struct queue_block *block, struct position *position)
{
    const uint8_t *data;
    uint64_t at = 0;

    MUST(reader->stays);
    source_rewind(reader->source);
    for (size_t got = 1; at < block->offset + block->bytes && got > 0; at += got) {
        got = source_next(reader->source, NULL, QUEUE_BLOCK_BYTES_MAX, &data, NULL);
        position_pass(position, at, data, (size_t)least(block->offset - least(block->offset, at), got));
    }
    fault_same_input(at >= block->offset + block->bytes);
}

_Noreturn void keyed_reader_refuse(const struct keyed_reader *reader, const struct queue_block *block)
{
    struct hasher *hasher = reader->plan.keyed->hasher;
    const size_t i = block->bad - 1, start = block->from + (i > 0 ? block->ends[i - 1] : 0);
    const size_t end = i < block->records ? block->from + block->ends[i] : block->to;
    const unsigned thread = block->bad_inner ? reader->plan.keyed->extra : 0;
    struct position position = block->position;
    char place[POSITION_BYTES];
    struct siphash_pair hash;

    if (!reader->plan.first_seen || (!block->bad_inner && hasher_piece(hasher, thread, block->data + start, end - start,
                                                                       true, true, &hash) == KEY_FOUND))
        fault_same_input(false);
    if (!reader->counts)
        count_again(reader, block, &position);
    position_pass(&position, block->offset, block->data, start);
    position_next(&position, block->offset + start);
    hasher_refuse(hasher, thread, position_say(&position, place), block->first_record + i, block->data + start,
                  end - start - 1);
}
