#pragma once

/* Draws from weights that change, by requests on standard input, which bigshuf-requests(7) describes. The answers
 * depend only on the seed, the input and the requests so far; bigshuf-order(7) defines them. */

#include "input/stream.h"
#include "sample/dialogue.h"
#include "sample/weight_input.h"
#include "shuffle/run.h"

/* Least room for lines that wait; in a large pool they have a part of it. */
enum { REQUESTS_LINES_BYTES = 2 * DIALOGUE_LINE_BYTES };

/* Answer all requests. `weights` NULL: all weights are 1. The run's engine must be new, and the source unread. */
void requests_answer(struct run *run, struct source *source, const struct weight_place *weights);
