#ifndef BIGSHUF_SAMPLE_KEEP_H
#define BIGSHUF_SAMPLE_KEEP_H

/* Pass 1 of a sample: the records that may be drawn are kept in one pile, in the order of the input. */

#include <stdbool.h>
#include <stdint.h>

#include "input/record_reader.h"
#include "input/source.h"
#include "shuffle/pile.h"
#include "shuffle/run.h"

/* Which records are kept. */
struct keep_rule {
    /* The next piece, got from record_reader_next and looked at; returns the same. NULL: record_reader_next itself. */
    bool (*next)(void *context, struct record_reader *reader, struct record_piece *piece);

    /* Asked when record number `record` of the input begins: is it kept? NULL: all are. */
    bool (*admit)(void *context, uint64_t record);
    void *context;

    bool counts_only; /* their bytes are not stored, since the source will be read again */
};

/* Are records only to be counted, since they can be read again and there is no room for them, or for references to
 * them, in memory? */
bool keep_may_count(const struct run *run, const struct source *source);

/* Read all of `source`. Records that are kept, or references to them (piles_refer), go to pile `pile`, which counts
 * them, and the piles are sealed; all are counted in run->progress. If there is no room for all references
 * (run->progress->must_copy), the rest is not read. Uses ENGINE_READING. */
void keep_records(struct run *run, struct source *source, const struct keep_rule *rule, struct piles *piles,
                  unsigned pile);

#endif
