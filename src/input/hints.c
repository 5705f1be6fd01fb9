#include "input/hints.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arithmetic.h"
#include "base/xxh64.h"
#include "input/columns.h"
#include "input/foreign.h"
#include "input/operand.h"
#include "record/record.h"
#include "system/fault.h"

/* Room to say what a file is; and what to do, with the longest path that can be opened. */
enum { WHAT_BYTES = 64, ADVICE_BYTES = 4400 };

struct hint {
    char what[WHAT_BYTES];
    char advice[ADVICE_BYTES];
    bool no_text;
    bool is_rare;     /* usually such a file is something else */
    bool heads;       /* it has a header, which only one of several outputs would get */
    const char *loss; /* what replacing the file would do; NULL: nothing bad, it may be lines to be shuffled */
};

/* Fill in what the file is and what to do. Returns true. */
__attribute__((format(printf, 3, 4))) static bool tell(struct hint *hint, const char *what, const char *advice, ...)
{
    va_list arguments;

    snprintf(hint->what, sizeof hint->what, "%s", what);
    va_start(arguments, advice);
    vsnprintf(hint->advice, sizeof hint->advice, advice, arguments);
    va_end(arguments);
    return true;
}

/* The beginning of a file, decompressed. */
struct preview {
    const char *name;
    const uint8_t *data;
    size_t bytes;
    bool unpacked;
};

static bool is_one_of(char byte, const char *bytes)
{
    return byte != '\0' && strchr(bytes, byte) != NULL;
}

/* Without a byte-order mark. */
static struct preview preview_of(bool unpacked, const char *name, const uint8_t *data, size_t bytes)
{
    const size_t mark = bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    return (struct preview){.name = name, .data = data + mark, .bytes = bytes - mark, .unpacked = unpacked};
}

/* The place of the first byte from `i` on that is none of `blanks`. */
static size_t skip(const struct preview *file, size_t i, const char *blanks)
{
    while (i < file->bytes && is_one_of((char)file->data[i], blanks))
        i++;
    return i;
}

/* The first byte of JSON in the file: '[' or '{' of a value of several lines, '[' of a value that may be the only line;
 * else NUL. */
static char json_bracket(const struct preview *file)
{
    const size_t bytes = least_size(file->bytes, HINTS_LOOK_BYTES);
    const char *text = (const char *)file->data;
    const size_t start = skip(file, 0, " \t\r\n"), next = skip(file, start + 1, " \t\r\n");
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

/* Is each line a record? */
static bool is_by_line(const struct record_format *format)
{
    return format->kind == NULL && format->delimiter == '\n';
}

/* Do the options say whether there is a header? */
static bool is_header_told(const struct hints *hints)
{
    return !header_is_none(hints->header) || hints->header->none;
}

/* "-Z " if it must be added to the advised options. */
static const char *packed(const struct preview *file)
{
    return file->unpacked ? "-Z " : "";
}

static bool find_packer(const struct hints *hints, const struct preview *file, struct hint *hint)
{
    const struct packer *packer = packer_of_beginning(file->data, file->bytes);
    char what[WHAT_BYTES];

    (void)hints;
    if (packer == NULL)
        return false;
    hint->no_text = true;
    snprintf(what, sizeof what, "compressed by %s%s", packer_name(packer), file->unpacked ? " once more" : "");
    return tell(hint, what, "%s", file->unpacked ? "decompress it once before" : "add -Z to shuffle its lines");
}

/* Files that another command must convert before they have lines. */
static bool tell_command(struct hint *hint, const struct preview *file, const char *what, const char *records,
                         const char *command)
{
    const bool has_name = !file->unpacked && !operand_is_standard_input(file->name);
    const char *quote = has_name ? "'" : "";

    return tell(hint, what, "to shuffle its %s, %swrite %s%s%s%s%s | bigshuf", records,
                file->unpacked ? "decompress it and " : "", command, has_name ? " " : "", quote,
                has_name ? file->name : "", quote);
}

/* Do all lines of the file's header stay at the top? If its end is unseen, they do if --header has a mark or number. */
static bool keeps_header(const struct hints *hints, const char *mark, const struct preview *file)
{
    const struct header_rule *rule = hints->header;
    const size_t end = header_find(rule, hints->format, file->data, file->bytes, false).end, bytes = file->bytes - end;

    if (mark == NULL || rule->none)
        return is_header_told(hints);
    if (rule->start != NULL && strncmp(mark, rule->start, strlen(rule->start)) == 0)
        return true;
    return bytes > 0 ? bytes < strlen(mark) || memcmp(file->data + end, mark, strlen(mark)) != 0 : rule->start == NULL;
}

static bool find_foreign(const struct hints *hints, const struct preview *file, struct hint *hint)
{
    const struct record_format *format = hints->format;
    const struct foreign *foreign = foreign_of(file->unpacked ? NULL : file->name, file->data, file->bytes);

    if (foreign == NULL || (foreign->class >= FOREIGN_WHOLE && !is_by_line(format)))
        return false;
    if (foreign->class == FOREIGN_HEADED &&
        (!(is_by_line(format) || record_is(format, RECORD_OF_LINES | RECORD_QUOTED)) || format->delimiter != '\n' ||
         keeps_header(hints, foreign->mark, file)))
        return false;
    hint->no_text = foreign->class == FOREIGN_BINARY;
    hint->is_rare = foreign->class == FOREIGN_PERHAPS;
    if (foreign->command != NULL)
        return tell_command(hint, file, foreign->what, "lines", foreign->command);
    return tell(hint, foreign->what, "%s", foreign->advice);
}

/* Files of other kinds that --records knows. For kinds of text, only if each line would be a record, or, where there is
 * no doubt, records start with a string. */
static bool find_other(const struct hints *hints, const struct preview *file, struct hint *hint)
{
    const bool lines = is_by_line(hints->format), starts = record_is(hints->format, RECORD_STARTS);

    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        const struct record_kind *kind = record_kinds[i];
        const bool doubtful = (kind->traits & RECORD_DOUBTFUL) != 0;

        if (kind->is_begun != NULL && (kind->stands_for == NULL || lines || (starts && !doubtful)) &&
            kind->is_begun(file->data, file->bytes))
            return tell(hint, kind->file, "add %s--records=%s to shuffle its %s", packed(file), kind->name,
                        record_noun(kind));
    }
    return false;
}

static bool find_csv(const struct hints *hints, const struct preview *file, struct hint *hint)
{
    static const char *const options[] = {",", "", ";", " -t ';'", "\t", " -t '\\t'", "|", " -t '|'", NULL};
    const size_t bytes = least_size(file->bytes, HINTS_LOOK_BYTES);

    hint->loss = "records would be torn";
    for (const char *const *option = options; *option != NULL && is_by_line(hints->format); option += 2) {
        const struct columns columns = columns_find(file->data, bytes, **option, 1, SIZE_MAX);

        if (columns.broken && !columns.irregular)
            return tell(hint, "a CSV file with newlines in fields", "add %s--csv%s%s", packed(file), option[1],
                        is_header_told(hints) ? " to shuffle its records"
                                              : " --header to shuffle its records, or --header=0 if line 1 is one");
    }
    return false;
}

/* The name of the member whose elements people mean: the features of GeoJSON, or the first if it is an array. */
static bool find_list(const struct preview *file, char name[WHAT_BYTES])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    const size_t key = skip(file, skip(file, 0, " \t\r\n") + 1, " \t\r\n") + 1, end = skip(file, key, letters);
    const bool features = foreign_finds(file->data, file->bytes, "\"FeatureCollection\"");
    const size_t value = skip(file, end, "\" \t\r\n:");

    snprintf(name, WHAT_BYTES, "%.*s", features ? 8 : (int)least_size(end - key, WHAT_BYTES),
             features ? "features" : (const char *)file->data + key);
    return features || (end > key && value < file->bytes && file->data[value] == '[');
}

static bool find_json(const struct hints *hints, const struct preview *file, struct hint *hint)
{
    const char bracket = is_by_line(hints->format) ? json_bracket(file) : '\0';
    const char *what = bracket == '[' ? "a JSON array" : "JSON with several lines for a value";
    char name[WHAT_BYTES] = "", command[WHAT_BYTES + 16];

    if (bracket == '\0')
        return false;
    if (memchr(file->data, '\n', file->bytes - 1) == NULL)
        hint->loss = NULL; /* nothing is lost */
    if (bracket == '{' && !find_list(file, name))
        return tell_command(hint, file, what, "values", "jq -c .");
    snprintf(command, sizeof command, "jq -c '.%s[]'", name);
    return tell_command(hint, file, what, bracket == '[' ? "elements" : name, command);
}

/* Lines of the old Macintosh, which end with a carriage return: together they would be one record. */
static bool find_returns(const struct hints *hints, const struct preview *file, struct hint *hint)
{
    const bool quoted = record_is(hints->format, RECORD_QUOTED);
    const uint8_t *end = memchr(file->data, '\r', file->bytes);

    return (is_by_line(hints->format) || quoted) && end != NULL && end + 1 < file->data + file->bytes &&
           memchr(file->data, '\n', file->bytes) == NULL && memchr(file->data, '\0', file->bytes) == NULL &&
           tell(hint, "lines that end with CR alone", "%s",
                quoted ? "write tr '\\r' '\\n' < FILE | bigshuf --csv" : "add --delimiter='\\r' to shuffle them");
}

/* ---- Tables and pairs ---- */

/* A table whose separator is the delimiter: its fields would be records, with newlines in them. */
static bool find_torn(const struct hints *hints, const struct preview *file, struct hint *hint)
{
    const char separator[] = {(char)hints->format->delimiter, '\0'};
    struct columns columns;

    if (hints->format->kind != NULL || !is_one_of(separator[0], ",;|\t"))
        return false;
    columns = columns_find(file->data, file->bytes, separator[0], COLUMNS_ROWS_FEW, COLUMNS_ROWS_FEW);
    hint->loss = "records would be torn";
    return columns.count > 0 && !columns.closed &&
           tell(hint, "lines with fields", "leave --delimiter out to shuffle lines; fields are separated by -t '%s'",
                separator[0] == '\t' ? "\\t" : separator);
}

/* The names of a file's first reads, up to a blank, without the digit of the mate, which follows one of `before`. */
static void list_reads(struct hints_reads *reads, const struct preview *file, const char *before)
{
    const uint8_t *data = file->data, *const last = data + file->bytes, *end;

    reads->count = 0;
    for (size_t line = 0; reads->count < HINTS_READS && (end = memchr(data, '\n', (size_t)(last - data))) != NULL;
         data = end + 1) {
        size_t bytes = 0;

        if (line++ % 4 != 0)
            continue;
        while (data[bytes] != ' ' && data[bytes] != '\t' && data[bytes] != '\r' && data[bytes] != '\n')
            bytes++;
        bytes -= bytes > 1 && is_one_of((char)data[bytes - 2], before) && is_one_of((char)data[bytes - 1], "1234");
        reads->hash[reads->count++] = xxh64(data, bytes);
    }
}

/* Are the first reads, `least` or more of them, pairs with equal names? */
static bool are_pairs(const struct preview *file, const char *before, size_t least)
{
    struct hints_reads reads;
    bool pairs;

    list_reads(&reads, file, before);
    pairs = reads.count >= least;
    for (size_t i = 1; i < reads.count; i++)
        pairs = pairs && (reads.hash[i] == reads.hash[i - 1]) == (i % 2 == 1);
    return pairs;
}

/* After a dot, 1 and 2 may also be numbers of reads, so two reads are not enough. */
static bool find_pairs(const struct hints *hints, const struct preview *file, struct hint *hint)
{
    hint->loss = "pairs would be separated";
    return hints->format->as == &sequences_fastq && (are_pairs(file, "/", 2) || are_pairs(file, ".", 4)) &&
           tell(hint, "a FASTQ file with pairs of reads", "write --records=lines:8 to keep each pair together");
}

/* A table with names of columns, which would be shuffled as a record. */
static bool find_names(const struct hints *hints, const struct preview *file, struct hint *hint)
{
    const struct record_format *format = hints->format;
    bool named = false;

    if (is_header_told(hints) || !(is_by_line(format) || record_is(format, RECORD_QUOTED)) || format->delimiter != '\n')
        return false;
    for (const char *separator = "\t,;"; *separator != '\0' && !named; separator++)
        named = columns_find(file->data, file->bytes, *separator, COLUMNS_ROWS_MANY, COLUMNS_ROWS_MANY).named;
    hint->heads = named;
    hint->loss = "header would be lost";
    return named && tell(hint, "a table whose first line names its columns",
                         "add --header to keep that line at the top, or --header=0 if it is none");
}

/* Mates in two files stay mates if they stand in the same order. */
static void compare_reads(struct hints *hints, const struct preview *file)
{
    struct hints_reads *const first = hints->reads, reads = {.file = file->name};
    size_t count, other = 0;

    if (first == NULL || hints->format->as != &sequences_fastq || file->bytes == 0 || file->data[0] != '@')
        return;
    list_reads(&reads, file, "/._-");
    reads.apart = first->apart;
    if (first->file == NULL)
        *first = reads;
    count = least_size(first->count, reads.count);
    for (size_t i = 0; i < count; i++)
        other += reads.hash[i] != first->hash[i];
    if (first->apart && other > 0)
        (other == count ? die
                        : fault_warn)("%s: %zu of the first %zu reads have other names than in %s, so they are no "
                                      "mates; sort both by name first, or write --records=lines:4",
                                      fault_name(file->name), other, count, fault_name(first->file));
    if (first->apart || count == 0 || other > 0 || hints->content_told || strcmp(file->name, first->file) == 0)
        return;
    fault_warn("%s: its reads have the names of those in %s; if they are mates, write --each -o 'new/%%s'",
               fault_name(file->name), fault_name(first->file));
    hints->content_told = true;
}

/* Text hardly has NUL bytes. */
static bool find_zeros(const struct hints *hints, const struct preview *file, struct hint *hint)
{
    hint->is_rare = true;
    return is_by_line(hints->format) && memchr(file->data, '\0', least_size(file->bytes, HINTS_LOOK_BYTES)) != NULL &&
           tell(hint, "a file with NUL bytes",
                "add -z if they end its records, --records=bytes:N if these have N bytes, or --records=lines:1 if they "
                "are lines");
}

/* Does the file begin like one that must be read in another way? The first row that fits gives the hint. */
static bool find_hint(const struct hints *hints, const struct preview *file, struct hint *hint)
{
    static bool (*const rows[])(const struct hints *, const struct preview *,
                                struct hint *) = {find_packer,  find_other, find_foreign, find_csv,   find_json,
                                                  find_returns, find_torn,  find_pairs,   find_names, find_zeros};
    bool found = false;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !found && record_is(hints->format, RECORD_TEXT); i++) {
        *hint = (struct hint){.loss = "contents would be lost"};
        found = rows[i](hints, file, hint);
    }
    return found;
}

void hints_look(struct hints *hints, bool unpacked, const char *name, const uint8_t *data, size_t bytes)
{
    const struct preview file = preview_of(unpacked, name, data, bytes);
    struct hint hint;

    compare_reads(hints, &file);
    if ((hints->content_told && !hints->decompresses) || !find_hint(hints, &file, &hint) || hint.is_rare)
        return;
    if (hints->decompresses && hint.no_text)
        die("%s: %s, which -Z does not read; %s", fault_name(name), hint.what, hint.advice);
    if (hints->divides && hint.heads)
        die("%s: %s, and only one of the outputs would have it; %s", fault_name(name), hint.what, hint.advice);
    if (!hints->content_told)
        fault_warn("%s: %s, and shuffled as it is; %s", fault_name(name), hint.what, hint.advice);
    hints->content_told = true;
    hints->differs = hints->differs || hint.heads; /* that hint tells of the header */
}

void hints_follow(struct hints *hints, bool first, bool replaced, const char *name, const uint8_t *data, size_t bytes)
{
    const struct foreign *foreign = first && is_by_line(hints->format) ? foreign_of(NULL, data, bytes) : NULL;
    struct record_format format = {.kind = &string_delimiter_kind};
    bool whole;

    if (first) {
        hints->until = foreign != NULL && !hints->until_told ? foreign->until : NULL;
        hints->scan = (struct record_scan){0};
    }
    if (hints->until == NULL)
        return;
    format.string = (const uint8_t *)hints->until;
    format.string_bytes = strlen(hints->until);
    if (record_count(&format, &hints->scan, data, bytes, &whole) == 0)
        return;
    (replaced ? die : fault_warn)("%s: '##FASTA' begins sequences, which are no features; write "
                                  "sed '/^##FASTA/,$d' FILE | bigshuf --header=start:'#' for features, "
                                  "sed '1,/^##FASTA/d' FILE for sequences",
                                  fault_name(name));
    hints->until = NULL;
    hints->until_told = true;
}

void hints_refuse(const struct hints *hints, bool unpacked, const char *name, const uint8_t *data, size_t bytes)
{
    const struct preview file = preview_of(unpacked, name, data, bytes);
    struct hint hint;

    if (find_hint(hints, &file, &hint) && hint.loss != NULL)
        die("%s: %s, and also the output, so its %s; %s", fault_name(name), hint.what, hint.loss, hint.advice);
    if (record_is(hints->format, RECORD_QUOTED) && !is_header_told(hints))
        die("%s: is also the output, so a header would be lost; add --header, or --header=0 if there is none",
            fault_name(name));
}

void hints_refuse_packed(const struct record_kind *kind, const struct packer *packer, const char *name)
{
    die("%s: compressed by %s; add -Z to shuffle its %s", fault_name(name), packer_name(packer), record_noun(kind));
}

/* ---- Headers ---- */

/* Rows of CSV, or lines that look like names of columns: several, and none is a number. Commas count in .csv only. */
static bool may_be_header(const struct record_format *format, const char *name, const uint8_t *data, size_t bytes)
{
    const char *separators = strstr(name, ".csv") != NULL ? "\t,;|" : "\t";
    bool begins = true, several = false;

    for (size_t i = 0; i < bytes && !record_is(format, RECORD_QUOTED); i++) {
        if (begins && is_one_of((char)data[i], "0123456789+-.\t,;|\r\n"))
            return false;
        begins = is_one_of((char)data[i], separators);
        several = several || begins;
    }
    return several || record_is(format, RECORD_QUOTED);
}

void hints_compare(struct hints *hints, const struct file_mark *mark, const char *name, const uint8_t *data,
                   size_t bytes)
{
    const struct record_format *format = hints->format;
    struct record_scan scan = {0};
    uint32_t end = 0;
    size_t scanned;
    uint64_t hash;

    if (hints->differs || (hints->first != NULL && file_mark_is_known(mark) && hints->first->file == mark->file))
        return;
    hints->differs = !header_is_none(hints->header) || !(is_by_line(format) || record_is(format, RECORD_QUOTED)) ||
                     record_ends(format, &scan, data, least_size(bytes, HINTS_LOOK_BYTES), &end, 1, &scanned) == 0 ||
                     (hints->first == NULL && !may_be_header(format, name, data, end));
    if (hints->differs)
        return;
    hash = xxh64(data, end);
    if (hints->first == NULL) {
        hints->first = mark;
        hints->first_name = name;
        hints->first_hash = hash;
        end -= end > 1 && data[end - 2] == '\r' ? 2 : 1;
        snprintf(hints->text, sizeof hints->text, "%.*s", (int)end, (const char *)data);
    } else {
        hints->differs = hash != hints->first_hash;
        hints->same++;
    }
}

/* ---- Ends ---- */

/* A list of one name may lack its NUL. */
void hints_look_at_end(struct hints *hints, const struct tail *tail)
{
    const struct record_format *format = tail->format;
    const bool byte = format->kind == NULL && format->delimiter != '\n';

    if (hints->same > 0 && !hints->differs)
        fault_warn("%s: begins with '%s' as all FILEs do; if that is a header, add --header",
                   fault_name(hints->first_name), hints->text);
    hints->differs = true; /* so as to warn only once */
    if (hints->end_told || tail->end_known || (!byte && format->kind != &string_delimiter_kind))
        return;
    if (!byte || format->delimiter != '\0')
        fault_warn("the input does not contain the delimiter, so each file is one record");
    else if (tail->newline)
        fault_warn("-z: the input does not contain NUL, so each file is one record; leave -z out to shuffle lines");
    hints->end_told = true;
}
