/* For each two lines of standard input, a JSON Pointer and a text of JSON, print what stands there: a letter and, if it
 * is a value, its bytes in hexadecimal. Each text is read whole, again, when it is like the one that was learned, and
 * in pieces of a few bytes. All have memory of their own, so that a sanitizer sees what is read after it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/json_alike.h"

enum { ROOM = 1 << 16 };

static uint8_t *copy(const char *text, size_t bytes)
{
    uint8_t *copied = malloc(bytes);

    if (copied == NULL)
        exit(EXIT_FAILURE);
    return memcpy(copied, text, bytes);
}

static enum json_value find(struct json *json, const char *pointer, const char *text, size_t bytes, size_t step,
                            uint8_t *value)
{
    json_begin(json, pointer, value, ROOM, false);
    for (size_t at = 0; at < bytes; at += step) {
        const size_t length = step < bytes - at ? step : bytes - at;
        uint8_t *piece = copy(text + at, length);

        json_follow(json, piece, length);
        free(piece);
    }
    return json_end(json);
}

int main(void)
{
    static uint8_t value[ROOM], other[ROOM];
    char *pointer = NULL, *text = NULL;
    size_t pointer_room = 0, text_room = 0, lines = 0;
    ssize_t pointer_bytes, text_bytes;

    while ((pointer_bytes = getline(&pointer, &pointer_room, stdin)) > 0 &&
           (text_bytes = getline(&text, &text_room, stdin)) > 0) {
        const size_t length = (size_t)text_bytes, step = 1 + ++lines % 9;
        struct json json = {.text = NULL};
        enum json_value found;
        size_t bytes;

        pointer[pointer_bytes - 1] = '\0';
        found = find(&json, pointer, text, length, step, value);
        bytes = found == JSON_TEXT ? json.bytes : 0;
        for (int i = 0; i < 2; i++) {
            uint8_t *whole = copy(text, length);

            if (json_alike_find(&json, pointer, other, ROOM, false, whole, length) != found ||
                (found == JSON_TEXT && (json.bytes != bytes || memcmp(json.value, value, bytes) != 0)))
                return EXIT_FAILURE;
            free(whole);
        }
        putchar("=?0[{!"[found]);
        for (size_t i = 0; i < bytes; i++)
            printf("%02x", value[i]);
        putchar('\n');
    }
    free(pointer);
    free(text);
    return ferror(stdin) || fflush(stdout) != 0;
}
