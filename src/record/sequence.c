#include "record/sequence.h"

#include <string.h>

const uint8_t *sequence_next_line(const uint8_t *data, size_t bytes, size_t *at, size_t *line_bytes)
{
    const uint8_t *line = data + *at;
    const uint8_t *end = memchr(line, '\n', bytes - *at);

    if (end == NULL)
        return NULL;
    *line_bytes = (size_t)(end - line);
    *at += *line_bytes + 1;
    return line;
}

bool sequence_is(const uint8_t *line, size_t bytes)
{
    if (bytes > 0 && line[bytes - 1] == '\r')
        bytes--;
    for (size_t i = 0; i < bytes; i++) {
        const uint8_t lower = line[i] | 0x20;

        if ((lower < 'a' || lower > 'z') && (i == 0 || (line[i] != '*' && line[i] != '-')))
            return false;
    }
    return bytes > 0;
}
