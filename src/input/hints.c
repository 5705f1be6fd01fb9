/* Formats are known by their first bytes: RFC 1952 (gzip), RFC 8878 (zstd), the specifications of xz, bzip2 and of the
 * LZ4 frame; of bzip2 the level that follows is looked at too, since "BZh" could begin a text. */

#include "input/hints.h"

#include <string.h>

#include "system/fault.h"

struct encoding {
    const char *name;
    const char *bytes; /* with which such a file begins */
    size_t count;
    const char *command; /* that makes lines of it */
};

static const struct encoding encodings[] = {
    {"compressed by gzip", "\x1f\x8b", 2, "gzip -dc"},
    {"compressed by zstd", "\x28\xb5\x2f\xfd", 4, "zstd -dc"},
    {"compressed by xz",
     "\xfd"
     "7zXZ\0",
     6, "xz -dc"},
    {"compressed by bzip2", "BZh", 3, "bzip2 -dc"},
    {"compressed by lz4", "\x04\x22\x4d\x18", 4, "lz4 -dc"},
    {"text in UTF-16", "\xff\xfe", 2, "iconv -f UTF-16 -t UTF-8"},
    {"text in UTF-16", "\xfe\xff", 2, "iconv -f UTF-16 -t UTF-8"},
};

enum { ENCODINGS = sizeof encodings / sizeof encodings[0] };

static bool begins_with(const struct encoding *encoding, const uint8_t *data, size_t bytes)
{
    if (bytes < encoding->count || memcmp(data, encoding->bytes, encoding->count) != 0)
        return false;
    return data[0] != 'B' || (bytes > encoding->count && data[3] >= '1' && data[3] <= '9');
}

void hints_look(struct hints *hints, const struct record_format *format, const char *name, const uint8_t *data,
                size_t bytes)
{
    if (hints->encoding_told || format->kind == RECORD_SIZE || format->kind == RECORD_TAR)
        return;
    for (size_t i = 0; i < ENCODINGS && !hints->encoding_told; i++) {
        if (!begins_with(&encodings[i], data, bytes))
            continue;
        fault_warn("%s: %s, and shuffled as it is: to shuffle its lines: %s FILE | bigshuf", fault_name(name),
                   encodings[i].name, encodings[i].command);
        hints->encoding_told = true;
    }
}

void hints_look_at_quotes(struct hints *hints, const struct tail *tail, const char *name)
{
    if (hints->quote_told || tail->stray_line == 0)
        return;
    fault_warn("%s:%llu: a quote within a field that does not begin with one: from there on, --csv may take several "
               "lines for one",
               fault_name(name), (unsigned long long)tail->stray_line);
    hints->quote_told = true;
}
