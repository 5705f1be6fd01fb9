#include "input/hints.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "input/operand.h"
#include "system/io.h"
#include "system/sys.h"

/* The longest path that can be opened is shorter. */
enum { HINT_BYTES = 4400 };

#define FROM_UTF16 "iconv -f UTF-16 -t UTF-8"

/* The beginnings of text in UTF-16, either way round. */
static bool is_utf16(const uint8_t *data, size_t bytes)
{
    return bytes >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0);
}

/* The mark of POSIX in the first header, and of GNU tar; what has none is older than 1988. */
static bool is_tar(const uint8_t *data, size_t bytes)
{
    return bytes >= HINTS_LOOK_BYTES && memcmp(data + HINTS_LOOK_BYTES - 5, "ustar", 5) == 0;
}

static bool is_zip(const uint8_t *data, size_t bytes)
{
    return bytes >= 4 && memcmp(data, "PK\3\4", 4) == 0;
}

/* Files of tables and arrays. Text may begin with the mark of Parquet, too, but not with what comes next: the type of
 * the first field of a header in Thrift's compact protocol. */
static const struct {
    const char *what;
    const char *beginning;
    size_t bytes;
} tables[] = {
    {"a Parquet file", "PAR1\x15", 5},
    {"an Arrow file", "ARROW1\0", 7},
    {"an SQLite database", "SQLite format 3\0", 16},
    {"an HDF5 file", "\x89HDF\r\n\x1a\n", 8},
    {"an Avro file", "Obj\1", 4},
};

/* What a file of rows is called that begins so; NULL if it is none of these. */
static const char *find_table(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (bytes >= tables[i].bytes && memcmp(data, tables[i].beginning, tables[i].bytes) == 0)
            return tables[i].what;
    return NULL;
}

/* Records that are no text may begin like that by chance. */
static bool is_text(const struct record_format *format)
{
    return format->kind != RECORD_SIZE && format->kind != RECORD_LENGTH && format->kind != RECORD_TAR;
}

/* What a file is that begins so, and what to do: a hint in `text`. NULL if nothing is to be said. */
static const char *hint_at(const char *name, const uint8_t *data, size_t bytes, const char *what_happens,
                           char text[HINT_BYTES])
{
    const struct packer *packer = packer_of_beginning(data, bytes);
    const char *const table = find_table(data, bytes);

    if (packer != NULL)
        snprintf(text, HINT_BYTES, "compressed by %s, and %s: to shuffle its lines: bigshuf -Z", packer_name(packer),
                 what_happens);
    else if (is_utf16(data, bytes) && operand_is_standard_input(name))
        snprintf(text, HINT_BYTES, "text in UTF-16, and %s: to shuffle its lines: " FROM_UTF16 " | bigshuf",
                 what_happens);
    else if (is_utf16(data, bytes))
        snprintf(text, HINT_BYTES, "text in UTF-16, and %s: to shuffle its lines: " FROM_UTF16 " '%s' | bigshuf",
                 what_happens, name);
    else if (is_zip(data, bytes))
        snprintf(text, HINT_BYTES, "a zip archive, and %s: to shuffle lines in it: unzip -p", what_happens);
    else if (is_tar(data, bytes))
        snprintf(text, HINT_BYTES, "a tar archive, and %s: to shuffle its members: bigshuf --tar", what_happens);
    else if (table != NULL)
        snprintf(text, HINT_BYTES, "%s, and %s: its rows are no lines: convert it to text first", table, what_happens);
    else
        return NULL;
    return text;
}

void hints_look(struct hints *hints, const struct record_format *format, const char *name, const uint8_t *data,
                size_t bytes)
{
    char text[HINT_BYTES];

    if (hints->content_told || !is_text(format) || hint_at(name, data, bytes, "shuffled as it is", text) == NULL)
        return;
    fault_warn("%s: %s", fault_name(name), text);
    hints->content_told = true;
}

int hints_refuse(const struct record_format *format, bool decompressed, const char *name, struct fault *fault)
{
    uint8_t data[HINTS_LOOK_BYTES];
    struct iovec piece = {.iov_base = data, .iov_len = sizeof data};
    const int fd = operand_open(name, true);
    const off_t start = fd < 0 ? -1 : sys_seek(fd, 0, SEEK_CUR);
    char text[HINT_BYTES];
    size_t bytes;
    int status = 0;

    if (start < 0 || (io_read_at(fd, &piece, 1, start, &bytes) != 0 && errno != 0))
        status = fault_report(fault, name, errno);
    else if (is_text(format) && !(decompressed && packer_of_beginning(data, bytes) != NULL) &&
             hint_at(name, data, bytes, "an output as well, so that what is in it would be lost", text) != NULL)
        status = fault_say(fault, "%s: %s", fault_name(name), text);
    operand_close(fd);
    return status;
}

int hints_refuse_packed(enum record_kind kind, const struct packer *packer, const char *name, struct fault *fault)
{
    return fault_say(fault, "%s: compressed by %s: to shuffle its %s: bigshuf -Z", fault_name(name),
                     packer_name(packer), kind == RECORD_TAR ? "members" : "records");
}

void hints_look_at_name(struct hints *hints, const char *name)
{
    if (hints->name_told || packer_of_name(name) == NULL)
        return;
    fault_warn("%s: is not compressed, whatever its name says, and read as it is", name);
    hints->name_told = true;
}

void hints_look_at_quotes(struct hints *hints, const struct tail *tail, const char *name)
{
    if (hints->quote_told || tail->stray_line == 0)
        return;
    fault_warn("%s:%llu: a quote that neither begins nor ends a field: from there on, --csv may take several lines for "
               "one",
               fault_name(name), (unsigned long long)tail->stray_line);
    hints->quote_told = true;
}
