#ifndef BIGSHUF_SAMPLE_GNU_ORDER_H
#define BIGSHUF_SAMPLE_GNU_ORDER_H

/* The orders of GNU shuf --random-source=FILE (gnu_random.h), of records however many there are. Functions write
 * run->limit records. */

#include "input/source.h"
#include "output/output.h"
#include "sample/gnu_random.h"
#include "shuffle/run.h"

/* The order of all records, or the first ones of it. Takes 4 bytes of memory for each record, 8 from 2^32 on, and an
 * eighth of that. What does not fit is read again if it may be (run->rereads), else spilled. */
void gnu_order_all(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output);

/* A sample by way of a reservoir, which needs a limit. Takes 16 bytes of memory for each of its records, and in the end
 * 12 and as much as an order of all that were in it. */
void gnu_order_reservoir(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output);

/* A sample as shuf takes it, which needs a limit: of a file that is known to be small the first ones of the order of
 * all, else by way of a reservoir. */
void gnu_order_sample(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output);

/* Independent draws. */
void gnu_order_repeat(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output);

#endif
