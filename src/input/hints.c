/* Formats are known by their first bytes: RFC 1952 (gzip), RFC 8878 (zstd), the specifications of xz, bzip2 and of the
 * LZ4 frame; of bzip2 the level that follows is looked at too, since "BZh" could begin a text. */

#include "input/hints.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "input/operand.h"
#include "system/io.h"
#include "system/sys.h"

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

enum { ENCODINGS = sizeof encodings / sizeof encodings[0], BEGINNING_BYTES = 8 };

/* The longest path that can be opened is shorter. */
enum { READABLE_BYTES = 4200 };

static bool begins_with(const struct encoding *encoding, const uint8_t *data, size_t bytes)
{
    if (bytes < encoding->count || memcmp(data, encoding->bytes, encoding->count) != 0)
        return false;
    return data[0] != 'B' || (bytes > encoding->count && data[3] >= '1' && data[3] <= '9');
}

/* What a file is that begins so; NULL if nothing is to be said. */
static const struct encoding *recognise(const struct record_format *format, const uint8_t *data, size_t bytes)
{
    if (format->kind == RECORD_SIZE || format->kind == RECORD_LENGTH)
        return NULL;
    for (size_t i = 0; i < ENCODINGS; i++)
        if (begins_with(&encodings[i], data, bytes))
            return &encodings[i];
    return NULL;
}

/* The command that makes lines of a file, for the shell. `text` has room for it. */
static const char *reading(const struct encoding *encoding, const char *name, char text[READABLE_BYTES])
{
    if (operand_is_standard_input(name))
        return encoding->command;
    snprintf(text, READABLE_BYTES, "%s '%s'", encoding->command, name);
    return text;
}

void hints_look(struct hints *hints, const struct record_format *format, const char *name, const uint8_t *data,
                size_t bytes)
{
    const struct encoding *encoding = hints->encoding_told ? NULL : recognise(format, data, bytes);
    char command[READABLE_BYTES];

    if (encoding == NULL)
        return;
    fault_warn("%s: %s, and shuffled as it is: to shuffle its lines: %s | bigshuf", fault_name(name), encoding->name,
               reading(encoding, name, command));
    hints->encoding_told = true;
}

int hints_refuse(const struct record_format *format, const char *name, struct fault *fault)
{
    uint8_t data[BEGINNING_BYTES];
    struct iovec piece = {.iov_base = data, .iov_len = sizeof data};
    const int fd = operand_open(name);
    const off_t start = fd < 0 ? -1 : sys_seek(fd, 0, SEEK_CUR);
    const struct encoding *encoding;
    char command[READABLE_BYTES];
    size_t bytes;
    int status = 0;

    if (start < 0 || (io_read_at(fd, &piece, 1, start, &bytes) != 0 && errno != 0)) {
        status = fault_report(fault, name, errno);
    } else if ((encoding = recognise(format, data, bytes)) != NULL) {
        status = fault_say(fault,
                           "%s: %s, and an output as well, so that what is in it would be lost: to shuffle its lines: "
                           "%s | bigshuf -o OTHER",
                           fault_name(name), encoding->name, reading(encoding, name, command));
    }
    operand_close(fd);
    return status;
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
