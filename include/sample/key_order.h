#ifndef BIGSHUF_SAMPLE_KEY_ORDER_H
#define BIGSHUF_SAMPLE_KEY_ORDER_H

/*
 * Records in the order of their keys, records with the same key in input order, however many they are.
 *
 *     keyed_open --> keyed_put ... --> keyed_write --> keyed_free
 *
 * It is a radix sort like the shuffle's own: records go to piles by ranges of keys, and pile after pile is sorted in
 * memory. A pile that does not fit is started over. With a limit (run->left), records that cannot be among the first
 * ones are not kept.
 */

#include <stdint.h>

#include "input/record_reader.h"
#include "output/output.h"
#include "shuffle/run.h"

struct keyed;

/* Uses the last quarter of the run's buffer until keyed_write, then all of it. NULL after a report. */
struct keyed *keyed_open(struct run *run);

/* Take a piece of a record; all pieces of a record come with its key. 0, or -1 after a report. */
int keyed_put(struct keyed *keyed, const struct walk_piece *piece, uint64_t key);

/* Write all records, or the first run->left of them. 0, or -1 after a report. */
int keyed_write(struct keyed *keyed, struct output *output);

void keyed_free(struct keyed *keyed); /* NULL is fine */

#endif
