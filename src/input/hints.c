#include "input/hints.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arithmetic.h"
#include "input/operand.h"
#include "record/record.h"
#include "system/fault.h"

/* Of what a file is; and of what to do, with its path. The longest path that can be opened is shorter. */
enum { WHAT_BYTES = 64, ADVICE_BYTES = 4400 };

#define NO_LINES "its rows are not lines; convert it to text first"

struct hint {
    char what[WHAT_BYTES];
    char advice[ADVICE_BYTES];
    bool may_be_text; /* as well: then the user may want to shuffle its lines */
};

/* What a file begins with, or what it was compressed from. */
struct beginning {
    const char *name;
    const uint8_t *data;
    size_t bytes;
    bool unpacked;
};

static bool is_one_of(char byte, const char *bytes)
{
    return byte != '\0' && strchr(bytes, byte) != NULL;
}

static bool begins_with(const struct beginning *file, const char *mark, size_t bytes)
{
    return file->bytes >= bytes && memcmp(file->data, mark, bytes) == 0;
}

/* Where text begins: behind a byte-order mark. */
static size_t text_start(const struct beginning *file)
{
    return begins_with(file, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* What separates the fields, if this is CSV with a newline in a field; else NUL. Each quote begins or ends a field,
 * except for doubled ones, and all records have the same number of fields, at least two. */
static char csv_separator(const struct beginning *file)
{
    const size_t bytes = least_size(file->bytes, HINTS_LOOK_BYTES);
    bool quoted = false, begins = true; /* is this within quotes, or at the beginning of a field? */
    bool broken = false, found = false; /* is there a newline in this record, and in one that is whole? */
    size_t fields = 1, first_fields = 0;
    char separator = '\0';

    for (size_t i = text_start(file); i < bytes; i++) {
        const char byte = (char)file->data[i];

        if (byte == '"' && quoted && i + 1 < bytes && file->data[i + 1] == '"') {
            i++;
        } else if (byte == '"' && (quoted || begins)) {
            quoted = !quoted;
            begins = false;
            if (!quoted && i + 1 < bytes && !is_one_of((char)file->data[i + 1], ",;\t\r\n"))
                return '\0';
        } else if (quoted) {
            broken = broken || byte == '\n';
        } else if (byte == '"') {
            return '\0';
        } else if (byte == '\n') {
            first_fields = first_fields == 0 ? fields : first_fields;
            if (fields != first_fields || fields < 2)
                return '\0';
            found = found || broken;
            broken = false;
            begins = true;
            fields = 1;
        } else {
            if (separator == '\0' && (byte == ',' || byte == ';' || byte == '\t'))
                separator = byte;
            begins = byte == separator;
            fields += begins;
        }
    }
    return found ? separator : '\0';
}

/* The first byte from `i` on that is none of these. */
static size_t skip(const struct beginning *file, size_t i, const char *blanks)
{
    while (i < file->bytes && is_one_of((char)file->data[i], blanks))
        i++;
    return i;
}

/* With what the file begins, if that is JSON: '[' or '{' of a value that goes over a line, '[' of an array of objects
 * that is, or may be, the only line; else NUL. */
static char json_bracket(const struct beginning *file)
{
    const size_t bytes = least_size(file->bytes, HINTS_LOOK_BYTES);
    const char *text = (const char *)file->data;
    const size_t start = skip(file, text_start(file), " \t\r\n"), next = skip(file, start + 1, " \t\r\n");
    size_t depth = 1, i = start + 1;

    if (next >= bytes || !is_one_of(text[start], "[{") ||
        !is_one_of(text[next], text[start] == '{' ? "\"" : "[{\"-0123456789"))
        return '\0';
    for (; i < bytes && depth > 0; i++) {
        if (text[i] == '\n')
            return text[start];
        if (text[i] == '"') {
            for (i++; i < bytes && text[i] != '"' && text[i] != '\n'; i++)
                i += text[i] == '\\';
            if (i < bytes && text[i] == '\n')
                return '\0';
        } else if (!is_one_of(text[i], " \t\r[]{},:-+.0123456789eEtrufalsn")) {
            return '\0';
        }
        depth += i < bytes && is_one_of(text[i], "[{");
        depth -= i < bytes && is_one_of(text[i], "]}");
    }
    return text[start] == '[' && text[next] == '{' && skip(file, i, "\r\n") >= bytes ? '[' : '\0';
}

/* What its first bytes tell of a file. Text may begin with the mark of Parquet, too, but not with what comes next: the
 * type of the first field of a header in Thrift's compact protocol. */
static const struct {
    const char *what;
    const char *beginning;
    size_t bytes;
    const char *advice; /* NULL: a command makes lines of it */
} rows[] = {
    {"text in UTF-16", "\xff\xfe", 2, NULL},
    {"text in UTF-16", "\xfe\xff", 2, NULL},
    {"a zip archive", "PK\3\4", 4, "write unzip -p FILE | bigshuf to shuffle lines in it"},
    {"a Parquet file", "PAR1\x15", 5, NO_LINES},
    {"an Arrow file", "ARROW1\0", 7, NO_LINES},
    {"an SQLite database", "SQLite format 3\0", 16, NO_LINES},
    {"an HDF5 file", "\x89HDF\r\n\x1a\n", 8, NO_LINES},
    {"an Avro file", "Obj\1", 4, NO_LINES},
    {"a NumPy file", "\x93NUMPY", 6, NO_LINES},
    {"a BAM file", "BAM\1", 4, NO_LINES},
};

/* Is each line a record? */
static bool is_by_line(const struct record_format *format)
{
    return format->kind == NULL && format->delimiter == '\n';
}

static bool find_packer(const struct beginning *file, struct hint *hint)
{
    const struct packer *packer = packer_of_beginning(file->data, file->bytes);

    if (packer == NULL)
        return false;
    snprintf(hint->what, sizeof hint->what, "compressed by %s%s", packer_name(packer),
             file->unpacked ? " once more" : "");
    snprintf(hint->advice, sizeof hint->advice, "%s",
             file->unpacked ? "decompress it once before" : "add -Z to shuffle its lines");
    return true;
}

/* Files that another command must convert before they have lines. */
static void advise_command(const struct beginning *file, const char *records, const char *command, struct hint *hint)
{
    const bool has_name = !file->unpacked && !operand_is_standard_input(file->name);
    const char *quote = has_name ? " '" : "";

    snprintf(hint->advice, sizeof hint->advice, "to shuffle its %s, %swrite %s%s%s%s | bigshuf", records,
             file->unpacked ? "decompress it and " : "", command, quote, has_name ? file->name : "",
             has_name ? "'" : "");
}

static bool find_row(const struct beginning *file, struct hint *hint)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (begins_with(file, rows[i].beginning, rows[i].bytes)) {
            snprintf(hint->what, sizeof hint->what, "%s", rows[i].what);
            if (rows[i].advice == NULL)
                advise_command(file, "lines", "iconv -f UTF-16 -t UTF-8", hint);
            else
                snprintf(hint->advice, sizeof hint->advice, "%s", rows[i].advice);
            return true;
        }
    return false;
}

/* Files of other kinds, which --records knows. Of one that is a kind of text, it is told where each line would be a
 * record; and if there is no doubt, also where each record would start with a string. */
static bool find_other(const struct record_format *format, const struct beginning *file, struct hint *hint)
{
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        const struct record_kind *kind = record_kinds[i];
        const bool doubtful = (kind->traits & RECORD_DOUBTFUL) != 0;
        const bool starts = !doubtful && record_is(format, RECORD_STARTS);

        if (kind->is_begun == NULL || (kind->stands_for != NULL && !is_by_line(format) && !starts) ||
            !kind->is_begun(file->data, file->bytes))
            continue;
        snprintf(hint->what, sizeof hint->what, "%s", kind->file);
        snprintf(hint->advice, sizeof hint->advice, "add %s--records=%s to shuffle its %s", file->unpacked ? "-Z " : "",
                 kind->name, record_noun(kind));
        hint->may_be_text = doubtful;
        return true;
    }
    return false;
}

static bool find_csv(const struct record_format *format, const struct beginning *file, struct hint *hint)
{
    const char separator = is_by_line(format) ? csv_separator(file) : '\0';

    if (separator == '\0')
        return false;
    snprintf(hint->what, sizeof hint->what, "a CSV file with newlines in fields");
    snprintf(hint->advice, sizeof hint->advice, "add %s--csv%s to shuffle its records", file->unpacked ? "-Z " : "",
             separator == ';'    ? " -t ';'"
             : separator == '\t' ? " -t '\\t'"
                                 : "");
    return true;
}

static bool find_json(const struct record_format *format, const struct beginning *file, struct hint *hint)
{
    const char bracket = is_by_line(format) ? json_bracket(file) : '\0';

    if (bracket == '\0')
        return false;
    hint->may_be_text = memchr(file->data, '\n', file->bytes - 1) == NULL; /* and it stays as it is */
    snprintf(hint->what, sizeof hint->what, bracket == '[' ? "a JSON array" : "JSON with several lines for a value");
    advise_command(file, bracket == '[' ? "elements" : "values", bracket == '[' ? "jq -c '.[]'" : "jq -c .", hint);
    return true;
}

/* Does the file begin like one that is to be read in another way? Then what it is, and what to do. */
static bool find_hint(const struct record_format *format, const struct beginning *file, struct hint *hint)
{
    hint->may_be_text = false;
    return record_is(format, RECORD_TEXT) &&
           (find_packer(file, hint) || find_row(file, hint) || find_other(format, file, hint) ||
            find_csv(format, file, hint) || find_json(format, file, hint));
}

void hints_look(struct hints *hints, const struct record_format *format, bool unpacked, const char *name,
                const uint8_t *data, size_t bytes)
{
    const struct beginning file = {.name = name, .data = data, .bytes = bytes, .unpacked = unpacked};
    struct hint hint;

    if (hints->content_told || !find_hint(format, &file, &hint))
        return;
    fault_warn("%s: %s, and shuffled as it is; %s", fault_name(name), hint.what, hint.advice);
    hints->content_told = true;
}

void hints_refuse(const struct record_format *format, bool unpacked, const char *name, const uint8_t *data,
                  size_t bytes)
{
    const struct beginning file = {.name = name, .data = data, .bytes = bytes, .unpacked = unpacked};
    struct hint hint;

    if (find_hint(format, &file, &hint) && !hint.may_be_text)
        fault_say("%s: %s, and also the output, so its contents would be lost; %s", fault_name(name), hint.what,
                  hint.advice);
}

void hints_refuse_packed(const struct record_kind *kind, const struct packer *packer, const char *name)
{
    fault_say("%s: compressed by %s; add -Z to shuffle its %s", fault_name(name), packer_name(packer),
              record_noun(kind));
}

/* A list of one name may lack its NUL. */
void hints_look_at_end(struct hints *hints, const struct tail *tail)
{
    const struct record_format *format = tail->format;
    const bool byte = format->kind == NULL && format->delimiter != '\n';

    if (hints->end_told || tail->end_known || (!byte && format->kind != &string_end_kind))
        return;
    if (!byte || format->delimiter != '\0')
        fault_warn("the input does not contain the delimiter, so each file is one record");
    else if (tail->newline)
        fault_warn("-z: the input does not contain NUL, so each file is one record; leave -z out to shuffle lines");
    hints->end_told = true;
}
