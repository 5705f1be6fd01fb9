#pragma once

/* Files that are filled one after the other: one file gets all units, or each file gets a number of units, or all units
 * that fit into a number of bytes. */

#include "output/division.h"

extern const struct division_kind in_turn_splits, in_turn_whole, in_turn_shards, in_turn_records, in_turn_bytes;
