/* Values and nesting of any size. What else stands in a text, of any pieces, Python's json says (fields.sh). */

#include "record/json.h"

#include <string.h>

#include "support/unit.h"

enum { ROOM = 40 };

static struct json json;
static uint8_t value[ROOM];

/* Show a text in pieces of `step` bytes. */
static enum json_value find(const char *pointer, const char *text, size_t step)
{
    const size_t bytes = strlen(text);

    json_begin(&json, pointer, value, ROOM);
    for (size_t at = 0; at < bytes; at += step)
        json_follow(&json, (const uint8_t *)text + at, bytes - at < step ? bytes - at : step);
    return json_end(&json);
}

UNIT_TEST(a_value_may_be_too_long)
{
    char text[2 * ROOM] = "{\"a\":\"";

    memset(text + strlen(text), 'x', ROOM);
    strcat(text, "\"}");
    for (size_t step = 1; step < sizeof text; step++) {
        assert_int_equal(find("/a", text, step), JSON_TEXT);
        assert_int_equal(json.bytes, ROOM);
        assert_false(json.too_long);
    }
    memset(text + strlen(text) - 2, 'x', 2);
    strcat(text, "\"}");
    assert_int_equal(find("/a", text, 7), JSON_TEXT);
    assert_true(json.too_long);
    memcpy(text + strlen(text) - 1, ",\"a\":1}", 8);
    assert_int_equal(find("/a", text, 7), JSON_TEXT); /* the last one counts */
    assert_false(json.too_long);
}

UNIT_TEST(containers_may_be_nested_so_deep)
{
    static char text[2 * JSON_DEPTH_MAX + 3];

    memset(text, '[', JSON_DEPTH_MAX);
    memset(text + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
    assert_int_equal(find("/a", text, 1000), JSON_MISSING);
    memset(text, '[', JSON_DEPTH_MAX + 1);
    memset(text + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
    assert_int_equal(find("/a", text, 1000), JSON_DEEP);
}
