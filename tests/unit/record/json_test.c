/* The value at a JSON Pointer is the same whatever the pieces of the text. (Python's json has a say in
 * tests/end_to_end/fields.sh.) */

#include "record/json.h"

#include <string.h>

#include "support/unit.h"

enum { ROOM = 40 };

static const struct {
    const char *pointer, *text;
    enum json_value found;
    const char *value;
} rows[] = {
    {"/a", "{\"a\":\"x\"}", JSON_TEXT, "x"},
    {"/a", " {\t\"b\" : {\"a\": 1 } ,\"a\" : \"\" }\r", JSON_TEXT, ""},
    {"/a", "{\"a\":-0.50E+07}", JSON_TEXT, "-0.50E+07"},
    {"/a", "{\"a\":true,\"b\":false}", JSON_TEXT, "true"},
    {"/b", "{\"a\":true,\"b\":false}", JSON_TEXT, "false"},
    {"/a", "{\"a\":null}", JSON_NULL, ""},
    {"/a", "{\"a\":NaN}", JSON_NULL, ""},
    {"/a", "{\"a\":-Infinity}", JSON_NULL, ""},
    {"/b", "{\"a\":-Infinity,\"b\":1}", JSON_TEXT, "1"},
    {"/a", "{\"a\":{}}", JSON_OBJECT, ""},
    {"/a", "{\"a\":[{\"a\":1}]}", JSON_ARRAY, ""},
    {"/a", "{\"b\":1}", JSON_MISSING, ""},
    {"/a", "{}", JSON_MISSING, ""},
    {"/a", "3", JSON_MISSING, ""},
    {"/a", "\"a\"", JSON_MISSING, ""},
    {"/a", "[\"a\"]", JSON_MISSING, ""},

    /* Pointers. */
    {"/", "{\"\":1}", JSON_TEXT, "1"},
    {"//", "{\"\":{\"\":1}}", JSON_TEXT, "1"},
    {"/a/b", "{\"b\":2,\"a\":{\"a\":{\"b\":3},\"b\":1}}", JSON_TEXT, "1"},
    {"/a/b", "{\"a\":{\"bb\":1},\"b\":2}", JSON_MISSING, ""},
    {"/a/b", "{\"a\":{\"\":1},\"b\":2}", JSON_MISSING, ""},
    {"/ab", "{\"a\":1,\"abc\":2,\"ab\":3}", JSON_TEXT, "3"},
    {"/~01~1~0", "{\"~1/~\":1}", JSON_TEXT, "1"},
    {"/~01", "{\"/\":2,\"~1\":1}", JSON_TEXT, "1"},
    {"/0", "[5,6]", JSON_TEXT, "5"},
    {"/1", "[5,[7],6]", JSON_ARRAY, ""},
    {"/1/0/a", "[5,[{\"a\":7},{\"a\":8}],6]", JSON_TEXT, "7"},
    {"/2/1", "[[0,1],[2,3],[4,5],[6,7]]", JSON_TEXT, "5"},
    {"/2", "[5,6]", JSON_MISSING, ""},
    {"/0", "[]", JSON_MISSING, ""},
    {"/0/0", "[[],5]", JSON_MISSING, ""},
    {"/0/1", "[[5],6]", JSON_MISSING, ""},
    {"/0", "{\"a\":1}", JSON_MISSING, ""},
    {"/0/0", "[{},5,[6]]", JSON_MISSING, ""},
    {"/a/0", "{\"a\":[],\"b\":5}", JSON_MISSING, ""},
    {"/0/3", "[[5],[1,2,3,4]]", JSON_MISSING, ""},
    {"/00", "[5,6]", JSON_MISSING, ""},
    {"/-", "[5,6]", JSON_MISSING, ""},
    {"/-", "{\"-\":1}", JSON_TEXT, "1"},
    {"/18446744073709551616", "[5,6]", JSON_MISSING, ""},
    {"/0", "{\"0\":1}", JSON_TEXT, "1"},
    {"/\xc3\xa9", "{\"\\u00e9\":1}", JSON_TEXT, "1"},

    /* The last of several counts, also on the way. */
    {"/a", "{\"a\":1,\"a\":\"2\"}", JSON_TEXT, "2"},
    {"/a", "{\"a\":1,\"a\":null}", JSON_NULL, ""},
    {"/a", "{\"a\":[],\"\\u0061\":1}", JSON_TEXT, "1"},
    {"/a/b", "{\"a\":{\"b\":1},\"a\":{}}", JSON_MISSING, ""},
    {"/a/b", "{\"a\":{\"b\":1},\"a\":7}", JSON_MISSING, ""},
    {"/a/b", "{\"a\":{\"b\":1},\"a\":{\"b\":2}}", JSON_TEXT, "2"},
    {"/a", "{\"a\":\"1234567890123456789012345678901234567890+\",\"a\":1}", JSON_TEXT, "1"},

    /* Strings. */
    {"/a", "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", JSON_TEXT, "\"\\/\b\f\n\r\t"},
    {"/a", "{\"a\":\"\\u00E9\\u20ac\\uD834\\udd1e\"}", JSON_TEXT, "\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e"},
    {"/a", "{\"a\":\"\\ud800\"}", JSON_TEXT, "\xed\xa0\x80"},
    {"/a", "{\"a\":\"\\ud800x\\udc00\\ud800\\ud800\\udc00\\ud800\\n\"}", JSON_TEXT,
     "\xed\xa0\x80x\xed\xb0\x80\xed\xa0\x80\xf0\x90\x80\x80\xed\xa0\x80\n"},
    {"/a", "{\"a\":\"\xff\xc3 \x7f\"}", JSON_TEXT, "\xff\xc3 \x7f"},
    {"/a", "\xef\xbb\xbf{\"a\":1}", JSON_TEXT, "1"},

    /* What is no JSON. */
    {"/a", "", JSON_INVALID, ""},
    {"/a", " ", JSON_INVALID, ""},
    {"/a", "{\"a\":1", JSON_INVALID, ""},
    {"/a", "{\"a\":1}}", JSON_INVALID, ""},
    {"/a", "{\"a\":1} 2", JSON_INVALID, ""},
    {"/a", "{\"a\":1]", JSON_INVALID, ""},
    {"/a", "{\"a\":1,}", JSON_INVALID, ""},
    {"/a", "{\"a\" 1}", JSON_INVALID, ""},
    {"/a", "{\"a\"}", JSON_INVALID, ""},
    {"/a", "{\"a\":}", JSON_INVALID, ""},
    {"/a", "{a:1}", JSON_INVALID, ""},
    {"/a", "{\"a\":1,\"b\":[1,]}", JSON_INVALID, ""},
    {"/a", "{\"a\":1,\"b\":[1:2]}", JSON_INVALID, ""},
    {"/a", "{\"a\":1,\"b\":[1}}", JSON_INVALID, ""},
    {"/a", "{\"a\":1 2}", JSON_INVALID, ""},
    {"/a", "{\"a\":01}", JSON_INVALID, ""},
    {"/a", "{\"a\":1.}", JSON_INVALID, ""},
    {"/a", "{\"a\":.5}", JSON_INVALID, ""},
    {"/a", "{\"a\":+1}", JSON_INVALID, ""},
    {"/a", "{\"a\":-}", JSON_INVALID, ""},
    {"/a", "{\"a\":1e}", JSON_INVALID, ""},
    {"/a", "{\"a\":1e+}", JSON_INVALID, ""},
    {"/a", "{\"a\":1.5.5}", JSON_INVALID, ""},
    {"/a", "{\"a\":tru}", JSON_INVALID, ""},
    {"/a", "{\"a\":truex}", JSON_INVALID, ""},
    {"/a", "{\"a\":nul", JSON_INVALID, ""},
    {"/a", "{\"a\":+Infinity}", JSON_INVALID, ""},
    {"/a", "{\"a\":\"x}", JSON_INVALID, ""},
    {"/a", "{\"a\":\"\t\"}", JSON_INVALID, ""},
    {"/a", "{\"a\":\"1234\x1f\"}", JSON_INVALID, ""},
    {"/a", "{\"a\":\"\\x\"}", JSON_INVALID, ""},
    {"/a", "{\"a\":\"\\u12G4\"}", JSON_INVALID, ""},
    {"/a", "{\"a\":'x'}", JSON_INVALID, ""},
    {"/a", "-", JSON_INVALID, ""},
    {"/a", "1.", JSON_INVALID, ""},
    {"/a", " \xef\xbb\xbf{\"a\":1}", JSON_INVALID, ""},
    {"/a", "\xef\xbb{\"a\":1}", JSON_INVALID, ""},
    {"/a", "\xef\xbb\xbf\xef\xbb\xbf{\"a\":1}", JSON_INVALID, ""},
    {"/a", "{\"a\":1}\n{\"a\":1}", JSON_INVALID, ""},
};

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

UNIT_TEST(a_value_is_found_and_decoded_whatever_the_pieces)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t step = 1; step < 60; step++) {
            const enum json_value found = find(rows[i].pointer, rows[i].text, step);

            if (found != rows[i].found || (found == JSON_TEXT && json.bytes != strlen(rows[i].value)))
                fail_msg("%s in %s: %d, %zu bytes", rows[i].pointer, rows[i].text, (int)found, json.bytes);
            if (found == JSON_TEXT)
                assert_memory_equal(value, rows[i].value, json.bytes);
            assert_false(found == JSON_TEXT && json.too_long);
        }
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

UNIT_TEST(pointers_begin_with_a_slash_and_have_two_escapes)
{
    static const char *const pointers[] = {"/", "/a", "/a/b//", "/~0~1", "/a~1", "/\"~01"};
    static const char *const others[] = {"", "a", "a/b", "/~", "/~2", "/a~1~", "/a~/b", "~0"};

    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++)
        assert_true(json_is_pointer(pointers[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(json_is_pointer(others[i]));
}
