#pragma once

/* Draws from weights that change, by requests on standard input, which bigshuf-requests(7) describes. The answers
 * depend on the seed, the input and the requests so far, and on nothing else; bigshuf-order(7) defines them. */

#include "input/stream.h"
#include "sample/dialogue.h"
#include "sample/weight_input.h"
#include "shuffle/run.h"

/* For lines that wait, at least; more have a part of the pool. */
enum { REQUESTS_LINES_BYTES = 2 * DIALOGUE_LINE_BYTES };

/* Answer requests up to their end. Without a place of weights all are 1. The run's engine is new, and nothing has been
 * read of the source. */
void requests_answer(struct run *run, struct source *source, const struct weight_place *weights);
