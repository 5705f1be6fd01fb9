#ifndef BIGSHUF_PASSAGE_H
#define BIGSHUF_PASSAGE_H

/* From a source to an output, record by record, on one thread and in the run's buffer. */

#include "outlet.h"
#include "output.h"
#include "pile.h"
#include "run.h"
#include "source.h"
#include "walk.h"

struct passage {
    struct walk walk;
    struct outlet outlet;
    struct output *output;
};

/* `output` may be NULL if nothing is put into the outlet. */
void passage_init(struct passage *passage, struct run *run, struct source *source, struct output *output);

/* Write what is still in the outlet. 0, or -1 after a report. */
int passage_end(struct passage *passage);

/* Write all that a pile holds, after piles_seal, and give its space back meanwhile. What comes from its file is
 * verified before. 0, or -1 after a report. */
int passage_of_pile(struct run *run, struct piles *piles, unsigned pile, struct output *output);

#endif
