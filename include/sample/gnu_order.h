#ifndef BIGSHUF_SAMPLE_GNU_ORDER_H
#define BIGSHUF_SAMPLE_GNU_ORDER_H

/* The orders of GNU shuf --random-source=FILE (gnu_random.h), of records however many there are. Functions write
 * run->limit records and return 0, or -1 after a report. */

#include "input/source.h"
#include "output/output.h"
#include "sample/gnu_random.h"
#include "shuffle/run.h"

/* The order of all records, or the first ones of it. Takes 8 bytes of memory for each record, 16 from 2^32 on. */
int gnu_order_all(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output);

/* A sample by way of a reservoir, which needs a limit. */
int gnu_order_reservoir(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output);

/* Independent draws. */
int gnu_order_repeat(struct run *run, struct source *source, struct gnu_random *gnu, struct output *output);

#endif
