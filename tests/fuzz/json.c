/* What is at a JSON Pointer in a text is the same whatever the pieces in which the text comes. */

#include "fuzz.h"

#include "record/json.h"

enum { ROOM = 64, POINTER_MAX = 20 };

static enum json_value find(const char *pointer, const struct fuzz *text, size_t step, struct json *json,
                            uint8_t value[ROOM])
{
    json_begin(json, pointer, value, ROOM);
    for (size_t at = 0; at < text->bytes; at += step) {
        const size_t bytes = step < text->bytes - at ? step : text->bytes - at;
        uint8_t *piece = fuzz_copy(text->data + at, bytes);

        json_follow(json, piece, bytes);
        free(piece);
    }
    return json_end(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};
    char pointer[POINTER_MAX + 1] = "";
    uint8_t whole_value[ROOM], value[ROOM];
    struct json whole, json;
    enum json_value found;

    for (size_t i = 0; i < POINTER_MAX && fuzz.bytes > 0 && *fuzz.data != '\n'; i++)
        pointer[i] = (char)fuzz_byte(&fuzz);
    if (!json_is_pointer(pointer))
        return 0;
    found = find(pointer, &fuzz, fuzz.bytes + 1, &whole, whole_value);
    FUZZ_CHECK(whole.bytes <= ROOM);
    for (size_t step = 1; step < 20; step += 3) {
        FUZZ_CHECK(find(pointer, &fuzz, step, &json, value) == found);
        FUZZ_CHECK(found != JSON_TEXT || (json.bytes == whole.bytes && json.too_long == whole.too_long &&
                                          memcmp(value, whole_value, json.bytes) == 0));
    }
    return 0;
}
