#ifndef BIGSHUF_SHUFFLE_TRANSFER_H
#define BIGSHUF_SHUFFLE_TRANSFER_H

/* From a source to an output, record by record, on one thread and in the run's buffer. */

#include "input/record_reader.h"
#include "input/source.h"
#include "output/buffer.h"
#include "output/output.h"
#include "shuffle/pile.h"
#include "shuffle/run.h"

struct transfer {
    struct record_reader reader;
    struct output_buffer outlet;
    struct output *output;
};

/* `output` may be NULL if nothing is put into the outlet. */
void transfer_init(struct transfer *transfer, struct run *run, struct source *source, struct output *output);

/* Write what is still in the outlet. 0, or -1 after a report. */
int transfer_end(struct transfer *transfer);

/* Write all that a pile holds, after piles_seal, and give its space back meanwhile. What comes from its file is
 * verified before. 0, or -1 after a report. */
int transfer_of_pile(struct run *run, struct piles *piles, unsigned pile, struct output *output);

#endif
