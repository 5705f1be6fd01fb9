#ifndef BIGSHUF_SHUFFLE_TRANSFER_H
#define BIGSHUF_SHUFFLE_TRANSFER_H

/* From a source to an output, record by record, on one thread and in the engine's buffer. */

#include "input/record_reader.h"
#include "input/source.h"
#include "output/output.h"
#include "record/record.h"
#include "shuffle/engine.h"
#include "shuffle/pile.h"

struct transfer {
    struct record_reader reader;
    struct output_buffer outlet;
    struct output *output;
};

/* Uses ENGINE_READING and ENGINE_WRITING until all has come and transfer_end is called; if nothing is put into the
 * outlet, `output` may be NULL, and ENGINE_WRITING is not used. `format` must stay. */
void transfer_init(struct transfer *transfer, const struct engine *engine, const struct record_format *format,
                   struct source *source, struct output *output);

/* Write what is still in the outlet. */
void transfer_end(struct transfer *transfer);

/* Write all that a pile holds, after piles_seal, and give its space back meanwhile. What comes from its file is
 * verified before. Uses ENGINE_WHOLE. */
void transfer_of_pile(const struct engine *engine, const struct record_format *format, struct piles *piles,
                      unsigned pile, struct output *output);

#endif
