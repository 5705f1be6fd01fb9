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

/* Who draws. Functions return 0, or -1 after a report. */
struct replacement_draws {
    /* The next piece of the input's records, which it gets from record_reader_next and may look at; returns the same.
     * NULL: record_reader_next itself. */
    int (*next)(void *context, struct record_reader *reader, struct record_piece *piece);

    /* All have come. *at_random, which is true, becomes false if `draw` takes long for every call, so that it should be
     * asked for many records at a time, even if all records are in memory. May be NULL. */
    int (*prepare)(void *context, struct replacement *repeat, uint64_t records, bool *at_random);

    /* Put the numbers of the next `count` records of the output, each less than `records`, into numbers[0, count), a
     * table of 8-byte numbers. */
    int (*draw)(void *context, struct replacement *repeat, uint64_t records, struct table *numbers, uint64_t count);
    void *context;
};

/* All records once more, from the first one, one such source at a time. For `prepare` and `draw`. NULL after a report.
 */
struct source *replacement_again(struct replacement *repeat);
void replacement_done(const struct replacement *repeat, struct source *source); /* NULL is fine */

/* Verify what was kept of the records, for those who must know before they use the first byte. 0, or -1 after a report.
 */
int replacement_verify(struct replacement *repeat);

/* Write the records of a source that are drawn, run->limit of them, for ever without a limit. What is drawn does not
 * depend on the memory. What does not fit into memory is read again if it may be (run->rereads), else spilled. No
 * records at all are an error. 0, or -1 after a report. */
int replacement_source(struct run *run, struct source *source, const struct replacement_draws *lots,
                       struct output *output);

/* All equally likely, by the words labelled "repeat". */
int replacement_uniform(struct run *run, struct source *source, struct output *output);

#endif
