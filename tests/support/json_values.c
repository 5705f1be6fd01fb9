/* For each two lines of standard input, a JSON Pointer and a text of JSON, print what stands there: a letter and, if it
 * is a value, its bytes in hexadecimal. Each text is read whole, and in pieces of a few bytes, of which each has memory
 * of its own, so that a sanitizer sees what is read after it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/json.h"

enum { ROOM = 1 << 16 };

static enum json_value find(const char *pointer, const char *text, size_t bytes, size_t step, uint8_t *value,
                            size_t *value_bytes)
{
    struct json json;
    enum json_value found;

    json_begin(&json, pointer, value, ROOM, false);
    for (size_t at = 0; at < bytes; at += step) {
        const size_t length = step < bytes - at ? step : bytes - at;
        uint8_t *piece = malloc(length);

        if (piece == NULL)
            exit(EXIT_FAILURE);
        memcpy(piece, text + at, length);
        json_follow(&json, piece, length);
        free(piece);
    }
    found = json_end(&json);
    *value_bytes = found == JSON_TEXT ? json.bytes : 0;
    return found;
}

int main(void)
{
    static uint8_t value[ROOM], other[ROOM];
    char *pointer = NULL, *text = NULL;
    size_t pointer_room = 0, text_room = 0, bytes, other_bytes, lines = 0;
    ssize_t pointer_bytes, text_bytes;

    while ((pointer_bytes = getline(&pointer, &pointer_room, stdin)) > 0 &&
           (text_bytes = getline(&text, &text_room, stdin)) > 0) {
        enum json_value found;

        pointer[pointer_bytes - 1] = '\0';
        found = find(pointer, text, (size_t)text_bytes, (size_t)text_bytes, value, &bytes);
        if (find(pointer, text, (size_t)text_bytes, 1 + ++lines % 9, other, &other_bytes) != found ||
            bytes != other_bytes || memcmp(value, other, bytes) != 0)
            return EXIT_FAILURE;
        putchar("=?0[{!"[found]);
        for (size_t i = 0; i < bytes; i++)
            printf("%02x", value[i]);
        putchar('\n');
    }
    free(pointer);
    free(text);
    return ferror(stdin) || fflush(stdout) != 0;
}
