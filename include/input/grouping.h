#ifndef BIGSHUF_INPUT_GROUPING_H
#define BIGSHUF_INPUT_GROUPING_H

/*
 * Records of a source that follow each other and have the same key become one: a group (record.h). Its files are one
 * stream, so a group may begin in one and go on in the next.
 */

#include <stdbool.h>

#include "input/source.h"
#include "record/key.h"

enum { GROUPING_BYTES = 1 << 20 };

/* From now on, a source of records of the rule's format, of which nothing has been read, delivers groups with a mark
 * behind each member. However large a group is, it takes no memory; a key, and what stands before it in its record,
 * must be in GROUPING_BYTES. Records with the same key that are no neighbours are several groups, which is warned of
 * once, as far as it is noticed (torn.h), or is an error if groups must be `whole`. */
void grouping_begin(struct source *source, const struct key_rule *rule, bool whole);

#endif
