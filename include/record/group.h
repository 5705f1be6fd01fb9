#pragma once

/*
 * Groups: records that consist of members of an archive. A group is a sequence of frames (not those of frames.h):
 *
 *     8 bytes       length of the text, little-endian
 *     text          any bytes: a member, or a part of one
 *     1 byte        GROUP_GOES_ON with the next frame, or GROUP_ENDS
 *
 * So its end is found without looking at the text. Only the texts are written to outputs (output/framing.h).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

enum { GROUP_HEAD_BYTES = 8, GROUP_GOES_ON = '+', GROUP_ENDS = '.' };

/* Finds the ends of groups. */
record_ends_function group_ends;

/* Returns how many of the next `bytes` bytes of a stream are text: all, if the format is no group. If `to` is not NULL,
 * the text is moved there; `to` may be `data`. */
size_t group_text(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                  uint8_t *to);
