#ifndef BIGSHUF_SAMPLE_REPLACEMENT_H
#define BIGSHUF_SAMPLE_REPLACEMENT_H

/* Sampling with replacement. */

#include <stdbool.h>
#include <stdint.h>

#include "input/record_reader.h"
#include "input/source.h"
#include "output/output.h"
#include "shuffle/run.h"
#include "system/table.h"

struct replacement;

/* Who draws. */
struct replacement_draws {
    /* The next piece of the input's records, which it gets from record_reader_next and may look at; returns the same.
     * NULL: record_reader_next itself. */
    bool (*next)(void *context, struct record_reader *reader, struct record_piece *piece);

    /* All have come. Returns false if `draw` takes long for every call, so that it should be asked for many records at
     * a time, even if all records are in memory. May be NULL. */
    bool (*prepare)(void *context, struct replacement *repeat, uint64_t records);

    /* Put the numbers of the next `count` records of the output, each less than `records`, into numbers[0, count), a
     * table of 8-byte numbers. */
    void (*draw)(void *context, struct replacement *repeat, uint64_t records, struct table *numbers, uint64_t count);
    void *context;
};

/* All records once more, from the first one, one such source at a time. For `prepare` and `draw`. */
struct source *replacement_again(struct replacement *repeat);
void replacement_done(const struct replacement *repeat, struct source *source); /* NULL is fine */

/* Verify what was kept of the records, for those who must know before they use the first byte. */
void replacement_verify(struct replacement *repeat);

/* Write the records of a source that are drawn, run->limit of them, for ever without a limit. What is drawn does not
 * depend on the memory. What does not fit into memory is read again if it may be (run->rereads), else spilled. If there
 * is no room for references, run->progress->must_copy is set and nothing is written. */
void replacement_source(struct run *run, struct source *source, const struct replacement_draws *lots,
                        struct output *output);

/* All equally likely, by the words labelled "repeat". */
void replacement_uniform(struct run *run, struct source *source, struct output *output);

#endif
