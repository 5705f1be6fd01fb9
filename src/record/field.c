/* Numbers are short, so that the text is kept up to a length that does not depend on memory; what follows it may still
 * be blank. */

#include "record/field.h"

#include <string.h>

void field_begin(struct field *field, uint64_t number, uint8_t separator)
{
    field->separator = separator;
    field->alone = false;
    field->left = number - 1;
    field->too_long = false;
    field->bytes = 0;
}

void field_begin_alone(struct field *field)
{
    field_begin(field, 1, 0);
    field->alone = true;
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static void add(struct field *field, const uint8_t *data, size_t bytes)
{
    size_t room;

    while (field->bytes == 0 && bytes > 0 && (*data == ' ' || *data == '\t')) {
        data++;
        bytes--;
    }
    room = FIELD_BYTES_MAX - field->bytes;
    room = room < bytes ? room : bytes;
    memcpy(field->text + field->bytes, data, room);
    field->bytes += room;
    for (size_t i = room; i < bytes && !field->too_long; i++)
        field->too_long = !is_blank(data[i]);
}

bool field_follow(struct field *field, const uint8_t *data, size_t bytes)
{
    const uint8_t *end;

    for (; field->left > 0; field->left--) {
        end = memchr(data, field->separator, bytes);
        if (end == NULL)
            return false;
        bytes -= (size_t)(end + 1 - data);
        data = end + 1;
    }
    end = field->alone ? NULL : memchr(data, field->separator, bytes);
    add(field, data, end == NULL ? bytes : (size_t)(end - data));
    return end != NULL;
}

bool field_is_there(const struct field *field)
{
    return field->left == 0;
}

void field_end_line(struct field *field)
{
    if (field->bytes > 0 && field->text[field->bytes - 1] == '\r')
        field->bytes--;
}
