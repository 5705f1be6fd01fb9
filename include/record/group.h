#pragma once

/*
 * Groups: records that consist of members of an archive. A group is a sequence of frames:
 *
 *     8 bytes       how long the text is, little-endian
 *     text          any bytes: a member, or some of it
 *     1 byte        does the group go on with the next frame, or end?
 *
 * So its end is found without a look at the text. The texts alone are what is written (output/framing.h).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

enum { GROUP_HEAD_BYTES = 8, GROUP_GOES_ON = '+', GROUP_ENDS = '.' };

/* The ends of groups. */
record_ends_function group_ends;

/* How many of the next bytes of a stream are text: all of them if these are no groups. They are moved together to `to`,
 * which may be `data`, unless it is NULL. */
size_t group_text(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                  uint8_t *to);
