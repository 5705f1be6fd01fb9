#pragma once

/*
 * Records in the order of their keys, records with the same key in input order, however many they are.
 *
 *     key_order_open --> key_order_put ... --> key_order_write --> key_order_free
 *
 * With a limit (run->limit), records that cannot be among the first ones are not kept.
 */

#include <stdint.h>

#include "input/record_reader.h"
#include "output/output.h"
#include "shuffle/run.h"

struct key_order;

/* Uses ENGINE_KEYS until key_order_write, then the whole buffer. */
struct key_order *key_order_open(struct run *run);

/* Take a piece of a record; all pieces of a record come with its key. */
void key_order_put(struct key_order *keyed, const struct record_piece *piece, uint64_t key);

/* Write all records, or the first run_left of them. */
void key_order_write(struct key_order *keyed, struct output *output);

void key_order_free(struct key_order *keyed);
