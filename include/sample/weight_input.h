#pragma once

/*
 * The weights of records: a field of each record, or the lines of a file, in the records' order.
 *
 *     weight_input_open --> weight_input_next ... --> weight_input_end --> weight_input_free
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/decimal.h"
#include "input/record_reader.h"
#include "input/stream.h"
#include "record/field.h"
#include "record/record.h"
#include "shuffle/engine.h"
#include "system/fault.h"

/* Where weights stand. */
struct weight_place {
    const char *file; /* with a number a line; or NULL: */
    struct field_place field;
    bool decompressed; /* is the file decompressed, if it is compressed? */
    bool in_steps;     /* must weights be in the range of base/steps.h? */
};

struct weight_input;

/* Records come from `source`; messages name their file and line. Uses ENGINE_WEIGHTS until weight_input_end; `format`
 * is that of the records, and must stay. */
struct weight_input *weight_input_open(struct engine *engine, const struct record_format *format,
                                       struct weight_place place, struct source *source);

/* The next piece of the records, as record_reader_next gives it; with the first piece of a record, *weight receives the
 * record's weight. If the weight is not in the first piece that the reader gives, the pieces up to it are read a second
 * time, from a temporary file (reread.h). False at the end. `weights` NULL: there are none. */
bool weight_input_next(struct weight_input *weights, struct record_reader *reader, struct record_piece *piece,
                       struct decimal *weight);

/* After the last record: the run ends if there are more weights. */
void weight_input_end(struct weight_input *weights);

void weight_input_free(struct weight_input *weights);
