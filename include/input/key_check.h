#pragma once

/* Looks at the keys of records as a source delivers them, so that a record without a key ends the run, with the name of
 * its file and its line, before anything is written. */

#include "input/stream.h"
#include "record/key.h"

/* Begin with a source of which nothing has been read; its records have the rule's format. */
void key_check_begin(struct source *source, const struct key_rule *rule);
