#pragma once

/* The keys of the records of a source are looked at as these pass, so that a record without one ends the run with the
 * name of its file and its line, before anything is written. */

#include "input/stream.h"
#include "record/key.h"

/* From now on, look at the keys of a source of records of the rule's format, of which nothing has been read. */
void key_check_begin(struct source *source, const struct key_rule *rule);
