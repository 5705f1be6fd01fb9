#pragma once

/*
 * Splits by a field of each record, its key, in whatever order records come. With --split-field, all records with the
 * same key go to the same file, which only the key and the seed decide: with h the first word of the siphash_pair of
 * the field, under the key labelled "split", it is the file that has millionth number h * 10^6 / 2^64. Records of no
 * split are the rest. With --stratify-field, strata.h decides instead.
 */

#include "output/division.h"

extern const struct division_kind by_key_field, by_key_class;
