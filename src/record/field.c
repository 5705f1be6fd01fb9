/* Numbers and keys are short, so the text is kept up to a fixed length; bytes after a number may still be blanks. A
 * header may have a million bytes, so its columns are found in one go: each name is the first field of the rest. */

#include "record/field.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/number.h"
#include "base/sha256.h"
#include "record/json_alike.h"
#include "system/fault.h"

/* A byte-order mark, U+FEFF in UTF-8. */
static const uint8_t mark[] = {0xef, 0xbb, 0xbf};

static bool is_json(const struct field_place *place)
{
    return place->choice != NULL && place->choice->kind == FIELD_POINTER;
}

bool field_parse(struct field_choice *field, const char *text)
{
    const bool is_number = text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
    const bool is_pointer = text[0] == '/';

    *field = (struct field_choice){.kind = is_number    ? FIELD_NUMBER
                                           : is_pointer ? FIELD_POINTER
                                                        : FIELD_NAME,
                                   .text = text};
    if (is_number && number_parse(text, &field->number) != 0)
        return false;
    errno = EINVAL;
    return is_number ? field->number > 0 : is_pointer ? json_is_pointer(text) : text[0] != '\0';
}

bool field_is_same(const struct field_choice *one, const struct field_choice *other)
{
    return one->kind == other->kind &&
           (one->kind == FIELD_NUMBER ? one->number == other->number : strcmp(one->text, other->text) == 0);
}

void field_seek(struct field *field, struct field_place place, enum field_form form, uint8_t *text, size_t room)
{
    field->place = place;
    field->form = form;
    field->text = text;
    field->room = room;
}

void field_begin(struct field *field)
{
    const uint64_t number = field->place.choice != NULL ? field->place.choice->number : 0;

    field->left = number > 0 ? number - 1 : 0;
    field->marked = memchr(mark, field->place.separator, sizeof mark) == NULL ? 0 : sizeof mark;
    field->state = QUOTES_FIELD;
    field->begun = field->literal = field->too_long = false;
    field->found = field->text;
    field->bytes = 0;
    if (is_json(&field->place))
        json_begin(&field->json, field->place.choice->text, field->text, field->room, field->form == FIELD_FOLDED);
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static void add(struct field *field, const uint8_t *data, size_t bytes)
{
    size_t kept;

    while (field->form == FIELD_TRIMMED && field->bytes == 0 && bytes > 0 && (*data == ' ' || *data == '\t')) {
        data++;
        bytes--;
    }
    kept = sha256_keep(field->text, field->room, field->form == FIELD_FOLDED, &field->bytes, data, bytes);
    for (size_t i = kept; i < bytes && !field->too_long; i++)
        field->too_long = field->form != FIELD_TRIMMED || !is_blank(data[i]);
}

/* How many of the next bytes are text that does not change the state? */
static size_t run_of(const struct field *field, const uint8_t *data, size_t bytes)
{
    const struct field_place *place = &field->place;
    size_t at = 0;

    if (field->state == QUOTES_INSIDE)
        while (at < bytes && data[at] != '"' && data[at] != '\\')
            at++;
    if (field->state == QUOTES_TEXT)
        while (at < bytes && data[at] != place->separator && !quotes_separates(&place->quotes, data[at]) &&
               data[at] != '\r' && data[at] != '\n')
            at++;
    return at;
}

/* Move the state on. Is the byte text of the field? A quote that opens or closes is not, nor is a backslash that
 * counts, unless the quotes began within the field, after a byte that separates other fields. */
static bool step_over_byte(struct field *field, uint8_t byte)
{
    const enum quotes_state before = field->state, after = quotes_step(&field->place.quotes, before, byte);
    const bool opens = after == QUOTES_INSIDE && before == QUOTES_FIELD;

    field->state = after;
    if (opens)
        field->literal = field->begun;
    return field->literal || !(opens || (before == QUOTES_INSIDE && after != QUOTES_INSIDE));
}

static bool follow_quoted(struct field *field, const uint8_t *data, size_t bytes)
{
    for (size_t i = 0, part; i < bytes; i += part) {
        const bool separates =
            field->place.choice != NULL && data[i] == field->place.separator && !quotes_open(field->state);
        const bool is_text = step_over_byte(field, data[i]);

        part = 1;
        field->begun = !separates;
        if (separates && field->left == 0) {
            field->passed = i + 1;
            return true;
        }
        if (separates) {
            field->literal = false;
            field->left--;
            continue;
        }
        part += run_of(field, data + i + 1, bytes - i - 1);
        if (field->left == 0)
            add(field, data + i + !is_text, part - !is_text);
    }
    return false;
}

static bool follow_text(struct field *field, const uint8_t *data, size_t bytes)
{
    const struct field_place *place = &field->place;
    const uint8_t *from = data, *end = NULL;

    if (place->quoted)
        return follow_quoted(field, data, bytes);
    for (; field->left > 0; field->left--) {
        end = memchr(from, place->separator, bytes);
        if (end == NULL)
            return false;
        bytes -= (size_t)(end + 1 - from);
        from = end + 1;
    }
    end = place->choice == NULL ? NULL : memchr(from, place->separator, bytes);
    add(field, from, end == NULL ? bytes : (size_t)(end - from));
    if (end != NULL)
        field->passed = (size_t)(end + 1 - data);
    return end != NULL;
}

/* The bytes of an incomplete mark are text. */
static void settle_mark(struct field *field)
{
    const size_t bytes = field->marked;

    field->marked = sizeof mark;
    if (bytes > 0 && bytes < sizeof mark)
        (void)follow_text(field, mark, bytes);
}

bool field_follow(struct field *field, const uint8_t *data, size_t bytes)
{
    size_t at = 0;
    bool ended;

    if (is_json(&field->place)) {
        json_follow(&field->json, data, bytes);
        return false;
    }
    for (; at < bytes && field->marked < sizeof mark && data[at] == mark[field->marked]; at++)
        field->marked++;
    if (at == bytes)
        return false;
    settle_mark(field);
    ended = follow_text(field, data + at, bytes - at);
    field->passed += at;
    return ended;
}

/* A value that was too long may have been replaced by a short one with the same name. */
static enum field_verdict end_json(struct field *field, enum json_value value)
{
    const enum field_verdict verdict = (enum field_verdict)value;

    field->found = field->json.value;
    field->bytes = field->json.bytes;
    field->too_long = verdict == FIELD_FOUND && field->json.too_long;
    return field->too_long ? FIELD_TOO_LONG : verdict;
}

enum field_verdict field_end(struct field *field, bool ended, uint8_t delimiter)
{
    if (is_json(&field->place))
        return end_json(field, json_end(&field->json));
    settle_mark(field);
    if (field->left > 0) {
        field->bytes = (size_t)(field->place.choice->number - field->left);
        return FIELD_MISSING;
    }
    if (field->too_long)
        return FIELD_TOO_LONG;
    if (!ended && delimiter == '\n' && field->bytes > 0 && field->text[field->bytes - 1] == '\r' &&
        field->state == QUOTES_FIELD)
        field->bytes--;
    return FIELD_FOUND;
}

/* A column of a whole record where it stands there. False: it must be followed, as it may be missing, or does not
 * simply stand between separators, or may not be kept as it is. */
static bool find_in_place(struct field *field, const uint8_t *data, size_t bytes, uint8_t delimiter)
{
    const struct field_place *place = &field->place;
    const uint64_t number = place->choice != NULL ? place->choice->number : 0;
    const uint8_t *end = data, *const record = data, *const ends = data + bytes;

    if (number == 0 || field->form == FIELD_TRIMMED || bytes == 0 || data[0] == mark[0])
        return false;
    for (uint64_t left = number; left > 0 && end != NULL; left--) {
        data = left < number ? end + 1 : data;
        end = memchr(data, place->separator, (size_t)(ends - data));
        if (end == NULL && left > 1)
            return false;
    }
    if (end == NULL)
        end = ends - (delimiter == '\n' && ends > data && ends[-1] == '\r');
    if (place->quoted && memchr(record, '"', (size_t)(end - record)) != NULL)
        return false;
    field->found = data;
    field->bytes = (size_t)(end - data);
    return field->bytes < field->room;
}

enum field_verdict field_find(struct field *field, const uint8_t *data, size_t bytes, uint8_t delimiter)
{
    if (is_json(&field->place))
        return end_json(field, json_alike_find(&field->json, field->place.choice->text, field->text, field->room,
                                               field->form == FIELD_FOLDED, data, bytes));
    if (find_in_place(field, data, bytes, delimiter))
        return FIELD_FOUND;
    field_begin(field);
    return field_end(field, field_follow(field, data, bytes), delimiter);
}

const char *field_say(const struct field_place *place, enum field_verdict verdict, size_t bytes,
                      char said[FIELD_SAID_BYTES])
{
    static const char *const values[] = {[FIELD_MISSING] = "nothing at",
                                         [FIELD_NULL] = "null at",
                                         [FIELD_ARRAY] = "an array at",
                                         [FIELD_OBJECT] = "an object at",
                                         [FIELD_INVALID] = "invalid JSON, which has no",
                                         [FIELD_DEEP] = "JSON nested more than 1024 deep, not searched for"};

    if (is_json(place))
        snprintf(said, FIELD_SAID_BYTES, "%s %s", values[verdict], place->choice->text);
    else
        snprintf(said, FIELD_SAID_BYTES, "no field %s, only %zu", place->choice->text, bytes);
    return said;
}

const char *field_advice(const struct field_place *place, bool first, const uint8_t *record, size_t bytes)
{
    if (is_json(place))
        return "; jq can mend such records, or leave them out";
    if (!first)
        return "";
    if (bytes > 0 && record[0] == '{')
        return "; in lines of JSON, a field is a JSON Pointer, such as /user/id";
    return place->quoted ? "; -t sets the separator of fields"
                         : "; -t sets the separator of fields, --csv makes it a comma";
}

/* ---- Columns by their names ---- */

/* Room for a list of names in messages. */
enum { NAMES_BYTES = 300, LIST_BYTES = 2 * NAMES_BYTES + 16 };

/* The columns of a header, one after another. */
struct header_columns {
    struct field_choice first;
    const uint8_t *left;
    size_t bytes;
    bool more;       /* is there a next column? */
    uint64_t number; /* of the current column */
    struct field field;
    uint8_t *name; /* field.bytes bytes */
    size_t room;
};

/* `header` has no delimiter. */
static void begin_columns(struct header_columns *columns, const struct field_place *place, const uint8_t *header,
                          size_t bytes)
{
    struct field_place first = *place;

    columns->first = (struct field_choice){.kind = FIELD_NUMBER, .number = 1};
    first.choice = &columns->first;
    field_seek(&columns->field, first, FIELD_EXACT, columns->name, columns->room);
    columns->left = header;
    columns->bytes = bytes;
    columns->more = true;
    columns->number = 0;
}

static bool next_column(struct header_columns *columns)
{
    struct field *field = &columns->field;

    if (!columns->more)
        return false;
    field_begin(field);
    field->marked = columns->number > 0 ? sizeof mark : field->marked;
    columns->more = field_follow(field, columns->left, columns->bytes);
    (void)field_end(field, columns->more, '\n');
    columns->left += columns->more ? field->passed : columns->bytes;
    columns->bytes -= columns->more ? field->passed : columns->bytes;
    columns->number++;
    return true;
}

/* No column has the name: list the names, as far as there is room. */
_Noreturn static void report_missing(struct header_columns *columns, const struct field_place *place, const char *file,
                                     const uint8_t *header, size_t bytes)
{
    char list[LIST_BYTES] = "";
    size_t used = 0;

    for (begin_columns(columns, place, header, bytes); used < NAMES_BYTES && next_column(columns); used = strlen(list))
        snprintf(list + used, sizeof list - used, "%s'%.*s'", used > 0 ? ", " : "",
                 (int)least_size(columns->field.bytes, NAMES_BYTES), (const char *)columns->name);
    if (columns->more)
        memcpy(list + used, ", ...", sizeof ", ...");
    die("%s: no column '%s': the header has %s%s", file, place->choice->text, list,
        field_advice(place, columns->number == 1, header, bytes));
}

/* The number of the only column with this name. */
static uint64_t find_column(struct header_columns *columns, const struct field_place *place, const char *file,
                            const uint8_t *header, size_t bytes, const uint8_t *name, size_t name_bytes)
{
    uint64_t found = 0;

    for (begin_columns(columns, place, header, bytes); next_column(columns);) {
        if (columns->field.bytes != name_bytes || memcmp(columns->name, name, name_bytes) != 0)
            continue;
        if (found > 0)
            die("%s: columns %llu and %llu are both '%s'; give the number", file, (unsigned long long)found,
                (unsigned long long)columns->number, place->choice->text);
        found = columns->number;
    }
    if (found == 0)
        report_missing(columns, place, file, header, bytes);
    return found;
}

void field_find_column(const struct field_place *place, const char *file, const uint8_t *header, size_t bytes)
{
    struct field_choice *choice = place->choice;
    const struct field_place whole = {.quoted = choice->text[0] == '"', .quotes.separated = true};
    const size_t length = strlen(choice->text), room = length + NAMES_BYTES; /* no name that is longer can be equal */
    struct header_columns columns = {.room = room, .name = fault_allocate(room, 1)};
    uint8_t *name = fault_allocate(room, 1);
    struct field field;
    uint64_t number;

    if (choice->kind == FIELD_NAME && bytes > 0) {
        field_seek(&field, whole, FIELD_EXACT, name, room);
        (void)field_find(&field, (const uint8_t *)choice->text, length, '\0');
        number = find_column(&columns, place, file, header, bytes - 1, name, field.bytes);
        if (choice->from != NULL && choice->number != number)
            die("%s: '%s' is column %llu, but column %llu of %s; put the columns into one order first", file,
                choice->text, (unsigned long long)number, (unsigned long long)choice->number, choice->from);
        choice->number = number;
        choice->from = choice->from != NULL ? choice->from : file;
    }
    free(name);
    free(columns.name);
}
