#pragma once

/* Remembers keys that came before, as far as memory reaches: with --unique, a record whose key came before need not go
 * into a pile. Each lane has its own table, and sees the records of one key in the order of the input. */

#include <stddef.h>
#include <stdint.h>

#include "shuffle/queue.h"

struct seen;

/* How many bytes are worth while under a memory limit of `bytes` bytes. */
size_t seen_memory(uint64_t bytes);

/* Tables for `lanes` lanes, in `bytes` bytes. */
struct seen *seen_open(unsigned lanes, size_t bytes);
void seen_close(struct seen *seen); /* NULL is fine */

/* Leave out the lane's pieces of a routed slice whose keys are known to have come before; but not those of a record
 * that comes in pieces. Returns the new end of the lane's pieces. */
size_t seen_drop(struct seen *seen, struct queue_block *block, unsigned lane);
