/* A header may have a million bytes, so it is gone through once: each name is the first field of what is left. */

#include "record/column.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "system/fault.h"

/* Of a list of names, in messages. */
enum { NAMES_BYTES = 300, LIST_BYTES = 2 * NAMES_BYTES + 16 };

/* The columns of a header, one after another. */
struct columns {
    struct field_choice first;
    struct field_place place; /* of the first field */
    const uint8_t *left;
    size_t bytes;
    bool more;       /* is there a next one? */
    uint64_t number; /* of the column at hand */
    struct field field;
    uint8_t *name; /* which has field.bytes */
    size_t room;
};

/* Of a header, without its delimiter. */
static void begin(struct columns *columns, const struct field_place *place, const uint8_t *header, size_t bytes)
{
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf}; /* U+FEFF in UTF-8 */
    const bool marked = bytes >= sizeof mark && memcmp(header, mark, sizeof mark) == 0;

    columns->first = (struct field_choice){.kind = FIELD_NUMBER, .number = 1};
    columns->place = *place;
    columns->place.choice = &columns->first;
    columns->left = marked ? header + sizeof mark : header;
    columns->bytes = marked ? bytes - sizeof mark : bytes;
    columns->more = true;
    columns->number = 0;
}

static bool next(struct columns *columns)
{
    struct field *field = &columns->field;

    if (!columns->more)
        return false;
    field_begin(field, columns->place, true, columns->name, columns->room);
    columns->more = field_follow(field, columns->left, columns->bytes);
    (void)field_end(field, columns->more, '\n');
    columns->left += columns->more ? field->passed : columns->bytes;
    columns->bytes -= columns->more ? field->passed : columns->bytes;
    columns->number++;
    return true;
}

/* No column has the name: list those that there are, as far as there is room. */
_Noreturn static void report_missing(struct columns *columns, const struct field_place *place, const char *file,
                                     const uint8_t *header, size_t bytes)
{
    char list[LIST_BYTES] = "";
    size_t used = 0;

    for (begin(columns, place, header, bytes); used < NAMES_BYTES && next(columns); used = strlen(list))
        snprintf(list + used, sizeof list - used, "%s'%.*s'", used > 0 ? ", " : "",
                 (int)least_size(columns->field.bytes, NAMES_BYTES), (const char *)columns->name);
    if (columns->more)
        memcpy(list + used, ", ...", sizeof ", ...");
    fault_say("%s: no column '%s': the header has %s%s", file, place->choice->text, list,
              field_advice(place, columns->number == 1, header, bytes));
}

/* The number of the column that has this name, the only one. */
static uint64_t find(struct columns *columns, const struct field_place *place, const char *file, const uint8_t *header,
                     size_t bytes, const uint8_t *name, size_t name_bytes)
{
    uint64_t found = 0;

    for (begin(columns, place, header, bytes); next(columns);) {
        if (columns->field.bytes != name_bytes || memcmp(columns->name, name, name_bytes) != 0)
            continue;
        if (found > 0)
            fault_say("%s: columns %llu and %llu are both '%s'; give the number", file, (unsigned long long)found,
                      (unsigned long long)columns->number, place->choice->text);
        found = columns->number;
    }
    if (found == 0)
        report_missing(columns, place, file, header, bytes);
    return found;
}

void column_find(const struct field_place *place, const char *file, const uint8_t *header, size_t bytes)
{
    struct field_choice *choice = place->choice;
    const struct field_place whole = {.separator = '"', .quoted = choice->text[0] == '"'};
    const size_t length = strlen(choice->text), room = bytes + length;
    struct columns columns = {.room = room, .name = fault_allocate(room, 1)};
    uint8_t *name = fault_allocate(room, 1);
    struct field field;
    uint64_t number;

    if (choice->kind == FIELD_NAME && bytes > 0) {
        field_begin(&field, whole, true, name, room);
        (void)field_follow(&field, (const uint8_t *)choice->text, length);
        number = find(&columns, place, file, header, bytes - 1, name, field.bytes);
        if (choice->from != NULL && choice->number != number)
            fault_say("%s: '%s' is column %llu, but column %llu of %s; put the columns into one order first", file,
                      choice->text, (unsigned long long)number, (unsigned long long)choice->number, choice->from);
        choice->number = number;
        choice->from = choice->from != NULL ? choice->from : file;
    }
    free(name);
    free(columns.name);
}
