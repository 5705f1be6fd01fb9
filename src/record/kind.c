#include "record/kind.h"

#include <string.h>

enum { TEXT = KIND_HEADER | KIND_HEADER_COUNT | KIND_HEADER_START };

static const struct kind_row rows[] = {
    {"lines", "N", "N lines each", KIND_COUNT, RECORD_LINES, .traits = KIND_OF_LINES | TEXT},
    {"bytes", "N", "N bytes each", KIND_BYTES, RECORD_SIZE, .traits = KIND_HEADER | KIND_HEADER_COUNT},
    {"start", "STRING", "the first line of each begins\nwith STRING", KIND_START, RECORD_STRING, .traits = TEXT},
    {"end", "STRING", "each ends with STRING, which\nmay have escapes as in C", KIND_END, RECORD_STRING,
     .traits = TEXT},
    {"csv", NULL, "rows; newlines may be quoted", KIND_ALONE, RECORD_CSV, .traits = KIND_FIELDS | TEXT},
    {"fasta", NULL, "sequences, as start:'>'", KIND_START, RECORD_STRING, .stands_for = ">", .traits = TEXT},
    {"fastq", NULL, "reads, as lines:4", KIND_COUNT, RECORD_LINES, .stands_for = "4", .traits = KIND_OF_LINES | TEXT},
    {"tar", NULL, "samples: members of archives\nwhose names are the same up to\nthe first dot", KIND_ALONE, RECORD_TAR,
     .traits = 0},
    {"tfrecord", NULL, "TFRecord, with its checksums", KIND_ALONE, RECORD_LENGTH, LENGTH_TFRECORD,
     .traits = KIND_HEADER},
    {"u32le", NULL, "their length in 4 bytes before\neach, little-endian", KIND_ALONE, RECORD_LENGTH, LENGTH_U32LE,
     .traits = KIND_HEADER},
    {"u32be", NULL, "the same, big-endian", KIND_ALONE, RECORD_LENGTH, LENGTH_U32BE, .traits = KIND_HEADER},
    {"u64le", NULL, "in 8 bytes, little-endian", KIND_ALONE, RECORD_LENGTH, LENGTH_U64LE, .traits = KIND_HEADER},
    {"u64be", NULL, "in 8 bytes, big-endian", KIND_ALONE, RECORD_LENGTH, LENGTH_U64BE, .traits = KIND_HEADER},
    {"varint", NULL, "as in Protocol Buffers", KIND_ALONE, RECORD_LENGTH, LENGTH_VARINT, .traits = KIND_HEADER},
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const struct kind_row *kind_rows(size_t *count)
{
    *count = ROW_COUNT;
    return rows;
}

const struct kind_row *kind_find(const char *name, size_t bytes)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strlen(rows[i].name) == bytes && memcmp(rows[i].name, name, bytes) == 0)
            return &rows[i];
    return NULL;
}
