#pragma once

/*
 * Records that begin with their length. Where the next one begins is known without looking at the bytes between; but if
 * one length is damaged, all that comes after it makes no sense. So the bytes of each file are checked once, as they
 * are read, and are trusted from then on.
 */

#include "record/record.h"
#include "record/tail.h"

/* As record_ends (record.h). A record that is 2^63 bytes or longer, or whose length is no such number, has no end. */
size_t length_ends(enum length_coding coding, struct length_scan *scan, const uint8_t *data, size_t bytes,
                   uint32_t *ends, size_t room, size_t *scanned);

/* The next bytes of a stream that is at the beginning of a record or in its length, as scan->left is 0. Returns how
 * many bytes belong to the length; once it is whole, scan->left has the bytes of the record that follow it. */
size_t length_take(enum length_coding coding, struct length_scan *scan, const uint8_t *data, size_t bytes);

/* The next bytes of the file. NULL, or what is wrong with the record at check->start: "its length ...". */
const char *length_check(struct length_check *check, enum length_coding coding, const uint8_t *data, size_t bytes);
