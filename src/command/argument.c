/*
 * strtoull reads numbers as shuf does, since the program stays in the C locale; but it also takes a minus sign, so a
 * number with a hyphen in it is refused.
 */

#include "command/argument.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/number.h"
#include "command/suggest.h"
#include "output/by_key.h"
#include "output/split.h"
#include "record/json.h"
#include "system/fault.h"
#include "system/hardware.h"

#define WHOLE_NUMBER "must be a whole number, digits only"
#define ONE_BYTE     "must be one byte, such as ',', or an escape, such as '\\t'"

/* Printed after the message. */
static void tell_of_help(void *context)
{
    (void)context;
    fputs("Try 'bigshuf --help' for more information.\n", stderr);
}

void argument_misused(void)
{
    static const struct fault_duty duty = {.act = tell_of_help};

    fault_set_duty(&duty);
}

/* Refuse an argument: too large if errno is ERANGE, else invalid; `valid` is what would be right ("must be a whole
 * number"). */
_Noreturn static void refuse_argument(const struct parsing *parsing, const char *text, const char *valid)
{
    if (parsing->argument->called != NULL)
        die("invalid %s: '%s': %s", parsing->argument->called, text, valid);
    if (errno == ERANGE)
        die("%s argument '%s' too large", parsing->spelling, text);
    die("invalid %s argument '%s': %s", parsing->spelling, text, valid);
}

static void set_count(const struct parsing *parsing, const struct argument *argument, const char *text, uint64_t *value)
{
    if (number_parse(text, value) != 0 || (argument->is_valid != NULL && !argument->is_valid(text))) {
        if (errno != ERANGE || !argument->capped)
            refuse_argument(parsing, text, argument->valid != NULL ? argument->valid : WHOLE_NUMBER);
        *value = UINT64_MAX;
    }
    if (*value < argument->least)
        die("%s must be at least %llu", parsing->spelling, (unsigned long long)argument->least);
    if (*value <= argument->most)
        return;
    errno = ERANGE;
    if (!argument->capped)
        refuse_argument(parsing, text, "");
    *value = argument->most;
}

/* Refuse a size. Perhaps its unit is right, but in small letters, or after a blank. */
_Noreturn static void refuse_size(const struct parsing *parsing, const char *text, const char *valid)
{
    const int error = errno;
    char meant[32] = "";
    uint64_t bytes;

    for (size_t i = 0, length = 0; text[i] != '\0' && length + 1 < sizeof meant; i++)
        if (text[i] != ' ')
            meant[length++] = (char)(text[i] == 'i' ? 'i' : toupper((unsigned char)text[i]));
    if (error != ERANGE && strcmp(meant, text) != 0 && number_parse_size(meant, 0, &bytes) == 0)
        die("invalid %s argument '%s': write %s", parsing->spelling, text, meant);
    errno = error;
    refuse_argument(parsing, text, valid);
}

static void set_size(const struct parsing *parsing, const char *text, uint64_t *bytes)
{
    const bool has_unit = text[strspn(text, "0123456789")] != '\0';

    if (strchr(text, '%') != NULL || (has_unit ? number_parse_size(text, 0, bytes) : number_parse(text, bytes)) != 0)
        refuse_size(parsing, text, "must be a number of bytes, such as 1000, 64K or 1.5G");
    if (*bytes == 0)
        die("%s must be at least 1", parsing->spelling);
}

/* A field of digits alone is a number. */
static void set_field(struct parsing *parsing, const char *text, struct field_choice *field)
{
    if (field_parse(field, text))
        return;
    if (field->kind != FIELD_NUMBER)
        refuse_argument(parsing, text,
                        field->kind == FIELD_POINTER
                            ? "must be a JSON Pointer, in which ~ is written as ~0, and / in a name as ~1"
                            : "must be the number of a column, its name, or a JSON Pointer");
    argument_misused();
    if (errno != ERANGE)
        die("invalid field value '%s': fields are numbered from 1", text);
    die("field number '%s' is too large", text);
}

static void set_key(struct parsing *parsing, const char *text, struct key_choice *key)
{
    struct field_choice field;

    set_field(parsing, text, &field);
    if (!key_add(key, &field))
        die("%s: more than %d fields", parsing->spelling, KEY_FIELDS_MAX);
}

static void set_range(const struct parsing *parsing, const struct argument *argument, const char *text,
                      uint64_t range[2])
{
    const char *rest = number_digits(text, &range[0]);

    if (rest != NULL && *rest == argument->between && range[0] >= argument->least) {
        rest = number_digits(rest + 1, &range[1]);
        if (rest != NULL && *rest == '\0' && range[0] <= range[1] && range[1] <= argument->most)
            return;
    }
    errno = EINVAL;
    refuse_argument(parsing, text, argument->valid);
}

/* Refuse a string that does not fit into a delimiter together with `others` other bytes. */
static void check_string(const struct parsing *parsing, size_t bytes, size_t others)
{
    if (bytes == 0)
        die("%s must not be empty", parsing->spelling);
    if (bytes > RECORD_DELIMITER_BYTES_MAX - others)
        die("%s must be at most %zu bytes", parsing->spelling, RECORD_DELIMITER_BYTES_MAX - others);
}

/* Check the start of a record or of a header's line, without the newline before it: it has no escapes. */
static void check_start_text(const struct parsing *parsing, const char *text)
{
    if (strchr(text, '\n') != NULL)
        die("%s must not have a newline", parsing->spelling);
    check_string(parsing, strlen(text), 1);
}

void argument_list(char text[ARGUMENT_LIST_BYTES], const char *one, bool last)
{
    const size_t bytes = strlen(text);

    snprintf(text + bytes, ARGUMENT_LIST_BYTES - bytes, "%s%s", bytes == 0 ? "" : last ? " or " : ", ", one);
}

/* How many bytes a form is known by: those of "bytes:" in "bytes:N". */
static size_t word_of(const struct argument_form *form)
{
    const size_t word = strcspn(form->text, ":=");

    return form->text[word] == '\0' ? 0 : word + 1;
}

static bool has_form(const struct argument_form *form, const char *text)
{
    if (form->takes.type == ARGUMENT_CONSTANT || form->takes.type == ARGUMENT_PRINT)
        return strcmp(text, form->text) == 0;
    if (form->takes.type == ARGUMENT_RANGE)
        return strchr(text, form->takes.between) != NULL;
    return strncmp(text, form->text, word_of(form)) == 0;
}

/* The first form may take every text, so the others come before it. */
static void set_form(struct parsing *parsing, const struct argument *argument, const char *text)
{
    const struct argument_form *form = argument->forms;
    const size_t bytes = strlen(parsing->spelling);
    size_t word;

    for (const struct argument_form *other = form + 1; other->text != NULL; other++)
        if (has_form(other, text))
            form = other;
    if (!has_form(form, text))
        refuse_argument(parsing, text, argument->valid);
    parsing->form = (unsigned)(form - argument->forms);
    word = word_of(form);
    if (word > 0)
        snprintf(parsing->spelling + bytes, sizeof parsing->spelling - bytes, "=%.*s", (int)word - 1, text);
    argument_set(parsing, &form->takes, text + word);
}

void argument_set(struct parsing *parsing, const struct argument *argument, const char *text)
{
    void *field = (char *)parsing->options + argument->field;

    parsing->argument = argument;
    errno = EINVAL; /* unless another error sets it */
    switch (argument->type) {
    case ARGUMENT_PRINT:
        parsing->print = parsing->code;
        break;
    case ARGUMENT_SPECIAL:
        argument->set(parsing, text);
        break;
    case ARGUMENT_FLAG:
        *(bool *)field = true;
        break;
    case ARGUMENT_CONSTANT:
        *(unsigned *)field = (unsigned)argument->least;
        break;
    case ARGUMENT_COUNT:
        set_count(parsing, argument, text, field);
        break;
    case ARGUMENT_SIZE:
        set_size(parsing, text, field);
        break;
    case ARGUMENT_FIELD:
        set_field(parsing, text, field);
        break;
    case ARGUMENT_KEY:
        set_key(parsing, text, field);
        break;
    case ARGUMENT_RANGE:
        set_range(parsing, argument, text, field);
        break;
    case ARGUMENT_TEXT:
        if (argument->is_valid != NULL && !argument->is_valid(text))
            refuse_argument(parsing, text, argument->valid);
        *(const char **)field = text;
        break;
    case ARGUMENT_START:
        check_start_text(parsing, text);
        *(const char **)field = text;
        break;
    case ARGUMENT_FORMS:
        set_form(parsing, argument, text);
        break;
    }
}

/* ---- What is shuffled, and how ---- */

/* Read the text up to `end` as one number. 0, or -1 with errno: EINVAL if it is no number; ERANGE, and *value is
 * UINT64_MAX, if it is too large. */
static int read_part(const char *text, const char *end, uint64_t *value)
{
    char *stop;

    errno = 0;
    *value = strtoull(text, &stop, 10);
    if (stop == text || stop != end || memchr(text, '-', (size_t)(end - text)) != NULL)
        errno = EINVAL;
    return errno == 0 ? 0 : -1;
}

/* Refuse a range for its part from `text` to `end`, which is too large if errno is ERANGE. Without digits, it may be
 * meant as -i of sed. */
_Noreturn static void refuse_range(const char *text, const char *end)
{
    const bool is_name = text < end && strpbrk(text, "0123456789") == NULL;
    const char *cause =
        errno == ERANGE ? strerror(EOVERFLOW) : "must be LO-HI, the smaller number first, such as 1-100";

    die("invalid input range: '%.*s': %s%s", (int)(end - text), text, cause,
        is_name ? "; write FILE alone to shuffle it, -o FILE FILE in place" : "");
}

void argument_head_count(struct parsing *parsing, const char *text)
{
    uint64_t count;

    if (read_part(text, text + strlen(text), &count) != 0 && errno != ERANGE)
        die("invalid line count: '%s': " WHOLE_NUMBER "%s", text,
            strpbrk(text, "%.") != NULL && text[strspn(text, "0123456789.%")] == '\0'
                ? "; write --probability=P for about a share of the lines, --split=P%:FILE -o /dev/null for exactly one"
            : strchr(text, '/') != NULL ? "; write --shards=K -o part-%05d for K files"
                                        : "; write -n COUNT");
    if (count < parsing->options->count)
        parsing->options->count = count;
}

void argument_input_range(struct parsing *parsing, const char *text)
{
    const char *hyphen = text + strcspn(text, "-"), *end = text + strlen(text);
    struct options *options = parsing->options;
    uint64_t low, high;

    if (options->range)
        die("multiple -i options specified; give one");
    if (read_part(text, hyphen, &low) != 0 || hyphen == end)
        refuse_range(text, hyphen);
    if (read_part(hyphen + 1, end, &high) != 0)
        refuse_range(hyphen + 1, end);
    if (low > high && low - high > 1)
        refuse_range(text, end);
    options->range = true;
    options->numbers.first = low;
    options->numbers.count = high - low + 1; /* 2^64 is 0 */
    options->numbers.full = low == 0 && high == UINT64_MAX;
}

void argument_separator(struct parsing *parsing, const char *text)
{
    struct options *options = parsing->options;
    uint8_t byte = (uint8_t)text[0];
    size_t bytes = 1;

    if (text[0] == '\0')
        die("empty tab: " ONE_BYTE);
    if (text[1] != '\0' && (escape_parse(text, &byte, 1, &bytes) != 0 || bytes != 1))
        die("multi-character tab '%s': " ONE_BYTE "; %s", text,
            text[0] == '/' ? "write -T DIR for temporary files"
                           : "for others, write sed 's/::/\\t/g' FILE | bigshuf -t '\\t'");
    if (options->separator_given && byte != options->field_separator)
        die("multiple field separators specified; give one");
    options->separator_given = true;
    options->field_separator = byte;
}

/* ---- Records ---- */

void argument_delimiter(struct parsing *parsing, const char *text)
{
    size_t *bytes = &parsing->delimiter_bytes;
    int result = escape_parse(text, parsing->delimiter, RECORD_DELIMITER_BYTES_MAX, bytes);

    if (result != 0 && errno == ERANGE && *bytes == RECORD_DELIMITER_BYTES_MAX)
        *bytes = RECORD_DELIMITER_BYTES_MAX + 1; /* it has this many bytes or more */
    else if (result != 0)
        refuse_argument(parsing, text,
                        "must have one of abfnrtv\\ or a byte's number behind a backslash, such as \\n or \\xff");
    check_string(parsing, *bytes, 0);
}

/* STRING is a line; with escapes, as in --delimiter, the user wants one of two things. */
static void check_end(const struct parsing *parsing, const char *text)
{
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    size_t bytes, line = strlen(text);

    if (strchr(text, '\\') == NULL || escape_parse(text, string, sizeof string, &bytes) != 0)
        return;
    for (; line >= 2 && (strcmp(text + line - 2, "\\n") == 0 || strncmp(text + line - 2, "\\r\\n", 4) == 0);)
        line -= 2;
    if (line > 0 && memchr(text, '\\', line) == NULL)
        die("%s takes a line, without escapes; write --records=end:'%.*s' for records whose last line is that, or "
            "--delimiter='%s'",
            parsing->spelling, (int)line, text, text);
    die("%s takes a line, without escapes; write --delimiter='%s'", parsing->spelling, text);
}

/* The kind is unknown. */
_Noreturn static void refuse_kind(const char *text)
{
    char valid[ARGUMENT_LIST_BYTES] = "", suggestion[SUGGEST_BYTES];

    if (suggest_kind(text, suggestion)[0] != '\0')
        die("invalid record kind '%s'%s", text, suggestion);
    for (const struct record_kind *const *kind = record_kinds; *kind != NULL; kind++) {
        const char *argument = (*kind)->argument;
        char word[64];

        snprintf(word, sizeof word, "%s%s%s", (*kind)->name, argument != NULL ? ":" : "",
                 argument != NULL ? argument : "");
        argument_list(valid, word, kind[1] == NULL);
    }
    die("invalid record kind '%s': must be one of %s", text, valid);
}

/* Set the kind; `text` is its argument after its name; "": none. */
static void set_kind(struct parsing *parsing, const struct record_kind *kind, const char *text)
{
    struct record_format *format = &parsing->options->format;
    uint8_t *string = parsing->options->string;
    static const struct argument count = {.least = 1, .most = UINT64_MAX};

    record_take(format, kind, string);
    switch (kind->takes) {
    case RECORD_ALONE:
        break;
    case RECORD_COUNT:
        set_count(parsing, &count, text, &format->count);
        break;
    case RECORD_BYTES:
        set_size(parsing, text, &format->count);
        break;
    case RECORD_LINE: /* the delimiter begins with the newline before it */
        if (kind == &last_line_end)
            check_end(parsing, text);
        check_start_text(parsing, text);
        string[0] = '\n';
        format->string_bytes = strlen(text) + 1;
        memcpy(string + 1, text, format->string_bytes - 1);
        break;
    }
}

void argument_records(struct parsing *parsing, const char *name)
{
    const char *argument = strchr(name, ':');
    const size_t bytes = argument != NULL ? (size_t)(argument - name) : strlen(name);
    const struct record_kind *kind = record_kind_of_name(name, bytes);

    if (kind == NULL || (kind->argument != NULL) != (argument != NULL))
        refuse_kind(name);
    if (parsing->kind != NULL && strcmp(parsing->kind_text, name) != 0)
        die("multiple kinds of records specified; give one");
    if (parsing->argument->set == argument_records)
        snprintf(parsing->spelling, sizeof parsing->spelling, "--records=%s", kind->name);
    memcpy(parsing->kind_spelling, parsing->spelling, sizeof parsing->spelling);
    parsing->kind_text = name;
    if (kind->stands_for != NULL) {
        parsing->options->format.as = kind;
        argument = strchr(kind->stands_for, ':');
        kind = record_kind_of_name(kind->stands_for, (size_t)(argument - kind->stands_for));
    }
    parsing->kind = kind;
    set_kind(parsing, kind, argument != NULL ? argument + 1 : "");
}

void argument_csv(struct parsing *parsing, const char *text)
{
    if (text[0] != '\0' && strcmp(text, "backslash") != 0)
        refuse_argument(parsing, text, "must be backslash, or nothing; for a separator write -t C");
    parsing->options->format.quotes.backslash |= text[0] != '\0';
    argument_records(parsing, csv_kind.name);
}

void argument_settle_records(struct parsing *parsing)
{
    struct options *options = parsing->options;
    struct record_format *format = &options->format;

    if (parsing->kind == NULL && parsing->delimiter_bytes > 0) {
        format->kind = &string_delimiter_kind;
        format->string = options->string;
        format->string_bytes = parsing->delimiter_bytes;
        memcpy(options->string, parsing->delimiter, parsing->delimiter_bytes);
    }
    if (options->zero_terminated)
        format->delimiter = '\0';
    else if (parsing->delimiter_bytes > 0)
        format->delimiter = parsing->delimiter[0];
    if (format->kind == &string_delimiter_kind && format->string_bytes == 1) {
        format->kind = NULL;
        format->delimiter = options->string[0];
    }
    format->quotes.separated = options->separator_given && record_is(format, RECORD_QUOTED);
    format->quotes.separator = options->field_separator;
    if (format->quotes.separated &&
        (options->field_separator == '"' || options->field_separator == '\r' || options->field_separator == '\n'))
        die("-t must be another byte than a quote or a line end with CSV");
    options->delimiter = options->numbers.delimiter = format->delimiter;
    if (options->echo)
        format->delimiter = '\0';
}

/* ---- Keys ---- */

const char argument_whole[] = "";

void argument_unique(struct parsing *parsing, const char *text)
{
    struct options *options = parsing->options;
    struct key_choice *key = &options->order_key;
    const bool whole = text == argument_whole;

    if (options->unique && whole != (key->count == 0))
        die("cannot combine --unique and --unique=%s", whole ? key->field[0].text : text);
    if (!whole)
        set_key(parsing, text, key);
    options->unique = true;
}

/* ---- Outputs ---- */

void argument_split(struct parsing *parsing, const char *text)
{
    if (split_parse(text, &parsing->options->plan.split[parsing->options->plan.splits]) != 0)
        refuse_argument(parsing, text,
                        "must be N:FILE or P%:FILE, such as 100:test or 2.5%:test, with at most four decimals");
    for (const char *name = parsing->options->plan.split[parsing->options->plan.splits].path; name != NULL;
         name = strchr(name, ',')) {
        size_t amount;

        name += *name == ',';
        amount = strspn(name, "0123456789.%");
        if (amount > 0 && name[amount] == ':')
            die("%s=%s: repeat %s for each file, as in --split=10%%:test --split=10%%:valid -o train",
                parsing->spelling, text, parsing->spelling);
    }
    parsing->options->plan.splits++;
}

void argument_split_field(struct parsing *parsing, const char *text)
{
    set_key(parsing, text, &parsing->options->split_key);
    parsing->options->plan.split_by = &by_key_field;
}

void argument_stratify_field(struct parsing *parsing, const char *text)
{
    set_key(parsing, text, &parsing->options->split_key);
    parsing->options->plan.split_by = &by_key_class;
}

void argument_memory(struct parsing *parsing, const char *text)
{
    const uint64_t whole_bytes = strchr(text, '%') != NULL ? hardware_whole_memory() : 0;
    uint64_t *bytes = &parsing->options->memory_bytes;
    char least[32];

    if (number_parse_size(text, whole_bytes, bytes) != 0)
        refuse_size(parsing, text, "must be a number and a unit, such as 64M, 1.5G or 50%");
    if (*bytes < HARDWARE_MEMORY_MIN)
        die("%s %s: memory must be at least %s%s", parsing->spelling, text,
            number_format_size(HARDWARE_MEMORY_MIN, least),
            text[strspn(text, "0123456789")] == '\0' ? "; a number alone counts KiB, so add a unit, such as 64M" : "");
}

void argument_temporary(struct parsing *parsing, const char *text)
{
    parsing->options->temporary[parsing->options->temporary_count++] = text;
}
