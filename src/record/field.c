/* Numbers and keys are short, so that the text is kept up to a length that does not depend on memory; what follows a
 * number may still be blank. */

#include "record/field.h"

#include <string.h>

#include "base/arithmetic.h"

void field_begin(struct field *field, struct field_place place, bool exact, uint8_t *text, size_t room)
{
    const uint64_t left = place.number > 0 ? place.number - 1 : 0;

    *field = (struct field){.place = place, .exact = exact, .left = left, .text = text, .room = room};
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static void add(struct field *field, const uint8_t *data, size_t bytes)
{
    size_t room;

    while (!field->exact && field->bytes == 0 && bytes > 0 && (*data == ' ' || *data == '\t')) {
        data++;
        bytes--;
    }
    room = least_size(field->room - field->bytes, bytes);
    memcpy(field->text + field->bytes, data, room);
    field->bytes += room;
    for (size_t i = room; i < bytes && !field->too_long; i++)
        field->too_long = field->exact || !is_blank(data[i]);
}

/* Each quote opens or closes, as for the ends of records (record.h); one that opens right after another one has closed
 * is a quote of the field. */
static bool follow_quoted(struct field *field, const uint8_t *data, size_t bytes)
{
    static const uint8_t quote = '"';
    const uint8_t separator = field->place.separator;

    for (size_t i = 0; i < bytes; i++) {
        const size_t from = i;

        while (i < bytes && data[i] != quote && (data[i] != separator || field->inside))
            i++;
        if (field->left == 0)
            add(field, data + from, i - from);
        if (i > from)
            field->closed = false;
        if (i == bytes)
            return false;
        if (data[i] == quote) {
            if (field->closed && field->left == 0)
                add(field, &quote, 1);
            field->closed = field->inside;
            field->inside = !field->inside;
            continue;
        }
        field->closed = false;
        if (field->left == 0)
            return true;
        field->left--;
    }
    return false;
}

bool field_follow(struct field *field, const uint8_t *data, size_t bytes)
{
    const uint8_t *end;

    if (field->place.quoted)
        return follow_quoted(field, data, bytes);
    for (; field->left > 0; field->left--) {
        end = memchr(data, field->place.separator, bytes);
        if (end == NULL)
            return false;
        bytes -= (size_t)(end + 1 - data);
        data = end + 1;
    }
    end = field->place.number == 0 ? NULL : memchr(data, field->place.separator, bytes);
    add(field, data, end == NULL ? bytes : (size_t)(end - data));
    return end != NULL;
}

bool field_is_there(const struct field *field)
{
    return field->left == 0;
}

const char *field_advice(const struct field_place *place)
{
    return place->quoted ? "; -t sets the separator of fields"
                         : "; -t sets the separator of fields, --csv makes it a comma";
}

void field_end_line(struct field *field)
{
    if (field->bytes > 0 && field->text[field->bytes - 1] == '\r' && !field->closed)
        field->bytes--;
}
