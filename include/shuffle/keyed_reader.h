#pragma once

/* Blocks of whole records, for a scatter by keys: a record does not go on in the next block. Only one that is longer
 * than a block comes in pieces, and the hash of its key is known before the first of them is delivered. */

#include "input/source.h"
#include "shuffle/keyed.h"
#include "shuffle/queue.h"
#include "temporary/reread.h"

struct keyed_reader;

/* Where records go by their keys. */
struct keyed_plan {
    const struct keyed *keyed;
    unsigned bits;                     /* piles go by the bits of a hash after these; */
    const struct siphash_pair *around; /* not NULL: hashes less than this go to the first of two piles, greater ones to
                                        * the second, and records with this one are left out */
    struct keyed_vote *votes;          /* of the piles that hold records; NULL: nobody asks */
    bool first_seen;                   /* nobody has looked at these keys before, so that some may be missing */
    bool keeps_all; /* else, if keys are unique, records whose keys came before are left out (seen.h) */
};

/* A reader of `source`, for `piles` piles. `stays`: all that comes stays where it stands, and may come once more. */
struct keyed_reader *keyed_reader_open(const struct keyed_plan *plan, unsigned piles, bool stays,
                                       const struct record_format *format, struct source *source,
                                       struct spill_place *place);
void keyed_reader_close(struct keyed_reader *reader);

/* Fill a block: its data, of at most `most` bytes if they stay where they stand, where in a record they begin, and what
 * stands there (queue.h). No bytes: the source is at its end, or there was a long record without a key. */
void keyed_reader_fill(struct keyed_reader *reader, struct queue_block *block, size_t most);

/* Find hash and pile of each record in a slice that was scanned. The number after the last pile stands for none: of
 * what is left out, and of all from a record without a key on, which becomes block->bad. */
void keyed_reader_route(const struct keyed_reader *reader, struct queue_block *block, unsigned thread);

/* Have pieces [first, end) of a slice that was routed, all of one lane, vote in their piles, if somebody asks. */
void keyed_reader_vote(const struct keyed_reader *reader, const struct queue_block *block, size_t first, size_t end);

/* End the run: name the bad record of this block, when all threads have ended. */
_Noreturn void keyed_reader_refuse(const struct keyed_reader *reader, const struct queue_block *block);
