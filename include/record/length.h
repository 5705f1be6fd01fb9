#pragma once

/*
 * Records that begin with their length. The next one is found without looking at the bytes between; but after a damaged
 * length nothing makes sense. So the bytes of each file are checked once, as they are read, and are trusted from then
 * on.
 */

#include "record/record.h"
#include "record/tail.h"

/* As record_ends (record.h). A record of 2^63 bytes or more, or with an invalid length, has no end. */
size_t length_ends(enum length_coding coding, struct length_scan *scan, const uint8_t *data, size_t bytes,
                   uint32_t *ends, size_t room, size_t *scanned);

/* The next bytes of a stream that is at the beginning of a record or within its length (scan->left is 0). Returns how
 * many of them belong to the length; once that is complete, scan->left is the number of the record's bytes after it. */
size_t length_take(enum length_coding coding, struct length_scan *scan, const uint8_t *data, size_t bytes);

/* Check the next bytes of a file. Returns NULL, or what is wrong with the record at check->start: "its length ...". */
const char *length_check(struct length_check *check, enum length_coding coding, const uint8_t *data, size_t bytes);
