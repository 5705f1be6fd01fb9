#pragma once

/* Files that are filled one after the other: all that come go to one file, or a number of units to each, or as many as
 * make no file larger than a number of bytes. */

#include "output/division.h"

extern const struct division_kind in_turn_splits, in_turn_whole, in_turn_shards, in_turn_records, in_turn_bytes;
