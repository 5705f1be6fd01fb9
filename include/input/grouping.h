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

/* Make a source of records of the rule's format, from which nothing has been read, deliver groups with a mark behind
 * each member. A group of any size takes no memory; a key, and the bytes before it in its record, must fit in
 * GROUPING_BYTES. Records with the same key that are not neighbours become several groups. If that is noticed (torn.h),
 * one warning says so, or the run ends if groups must be `whole`. */
void grouping_begin(struct source *source, const struct key_rule *rule, bool whole);

/* What it takes of memory. */
size_t grouping_bytes(void);

#endif
