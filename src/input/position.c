#include "input/position.h"

#include <stdio.h>

#include "base/arithmetic.h"
#include "record/scan.h"
#include "system/fault.h"

void position_begin(struct position *position, const struct source *source, const struct record_format *format)
{
    *position = (struct position){.source = source, .format = format};
}

/* While a file is read, its end is unknown, but no byte that has been read is after it. */
void position_next(struct position *position, uint64_t offset)
{
    const char *before = position->name;

    position->record++;
    position->before = position->passed;
    if (before != NULL && offset < position->ends)
        return;
    position->name = stream_name_at(position->source, offset, &position->ends);
    if (position->ends == UINT64_MAX)
        position->ends = stream_arrived_bytes(position->source);
    if (position->name == before)
        return;
    position->first = position->record;
    position->before = position->passed = 0;
}

void position_follow(struct position *position, const uint8_t *data, size_t bytes)
{
    position->passed += scan_count(data, bytes, position->format->delimiter);
}

/* File by file. Records are counted only if position_say needs that. */
void position_pass(struct position *position, uint64_t offset, const uint8_t *data, size_t bytes)
{
    while (bytes > 0) {
        struct record_scan scan = {0};
        size_t part;
        bool whole;

        position_next(position, offset);
        part = (size_t)least(position->ends - offset, bytes);
        position_follow(position, data, part);
        if (stream_header(position->source)->rule.may_differ)
            position->record += record_count(position->format, &scan, data, part, &whole) - 1;
        offset += part;
        data += part;
        bytes -= part;
    }
}

/* The lines of the header come before. */
const char *position_say(const struct position *position, char said[POSITION_BYTES])
{
    const struct header *header = stream_header(position->source);
    uint64_t number = position->before + scan_count(header->text, header->text_bytes, position->format->delimiter) + 1;
    const char *form = "%s:%llu";

    if (header->rule.may_differ) {
        number = position->record - position->first + 1;
        form = "%s: record %llu";
    }
    snprintf(said, POSITION_BYTES, form, fault_name(position->name), (unsigned long long)number);
    return said;
}
