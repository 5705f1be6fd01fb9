/* The field of a record is the same whatever the pieces in which the record comes. */

/* tags: bytes */

#include <stdint.h>
#include <string.h>

#include "support/unit.h"

#include "record/field.h"

enum { ROOM = 100 };

/* How a field is looked for. */
enum way { PLAIN, EXACT, QUOTED, SLASHED };

/* Field `number` of the record (0: all of it), with ',' between fields; NULL if there is none. CSV is exact, and its
 * line ends. */
struct example {
    enum way way;
    uint64_t number;
    const char *record, *expected;
    bool ends; /* before the record */
};

static const struct example examples[] = {
    {PLAIN, 1, "abc", "abc", false},
    {PLAIN, 1, "abc,def", "abc", true},
    {PLAIN, 2, "abc,def", "def", false},
    {PLAIN, 3, ",,de,", "de", true},
    {PLAIN, 2, "abc,", "", false},
    {PLAIN, 2, "a, \t b ,", "b ", true},
    {PLAIN, 1, "   ", "", false},
    {PLAIN, 2, "a,3\r", "3\r", false},
    {PLAIN, 3, "abc,d", NULL, false},
    {PLAIN, 2, "", NULL, false},
    {PLAIN, 0, " a,b", "a,b", false},
    {EXACT, 2, "a, b ,c", " b ", true},
    {QUOTED, 1, "a,b", "a", true},
    {QUOTED, 1, "\"a\",b", "a", true},
    {QUOTED, 2, "\"a,\"\",\",b", "b", false},
    {QUOTED, 2, "a,\"b,c\"", "b,c", false},
    {QUOTED, 2, "a,\"b\nc\"\r", "b\nc", false},
    {QUOTED, 1, "\"\"", "", false},
    {QUOTED, 1, "\"\"\"\"", "\"", false},
    {QUOTED, 1, "\"\"\"a\"\"b\"\"\",", "\"a\"b\"", true},
    {QUOTED, 1, "\"\",\"\"", "", true},
    {QUOTED, 2, "\"\",\"\"", "", false},
    {QUOTED, 3, ",,\r", "", false},
    {QUOTED, 1, " a ,b", " a ", true},
    {QUOTED, 2, "a,b\r", "b", false},
    {QUOTED, 1, "\"a\r\"", "a\r", false}, /* in quotes, a carriage return is of the field */
    {QUOTED, 1, "\"a\r\"\r", "a\r", false},
    {QUOTED, 1, "a\r,b\r", "a\r", true},
    {QUOTED, 1, "a\"b\",c", "a\"b\"", true}, /* quotes that do not begin a field are literal */
    {QUOTED, 2, "16\",\"b\"c\"d,\"\"", "bc\"d", true},
    {QUOTED, 1, " \"a,b\"", " \"a", true},
    {QUOTED, 1, "x;\"a,b\";c,d", "x;\"a,b\";c", true}, /* where another separator may be meant */
    {QUOTED, 1, "\"a\\\"b,c", "a\\b", true},
    {SLASHED, 1, "\"a\\\"b,\\c\\\\\",c", "a\"b,c\\", true},
    {SLASHED, 2, "a\\,\"b\\\n\"", "b\n", false},
    {QUOTED, 1, "\xef\xbb\xbf\"a,b\",c", "a,b", true}, /* a byte-order mark is not part of it */
    {EXACT, 1, "\357\273\277a,b", "a", true},
    {EXACT, 0, "\357\273\277a,b", "a,b", false},
    {PLAIN, 1, "\xef\xbb\xbf", "", false},
    {EXACT, 1, "\xef\xbb", "\xef\xbb", false},
    {QUOTED, 1, "\xef\xbb,b", "\xef\xbb", true},
    {EXACT, 2, "a,\357\273\277b", "\357\273\277b", false},
};

static struct field field;
static struct field_choice choice;
static uint8_t text[ROOM];

static void begin(enum way way, uint64_t number, size_t room)
{
    const struct field_place place = {.choice = number > 0 ? &choice : NULL,
                                      .separator = ',',
                                      .quoted = way >= QUOTED,
                                      .quotes.backslash = way == SLASHED};

    choice = (struct field_choice){.kind = FIELD_NUMBER, .number = number};
    field_seek(&field, place, way == PLAIN ? FIELD_TRIMMED : FIELD_EXACT, text, room);
    field_begin(&field);
}

/* Show the record to the field in pieces of `step` bytes. Has the field ended before it? */
static bool follow(const char *record, size_t bytes, size_t step)
{
    bool ended = false;

    for (size_t at = 0; at < bytes && !ended; at += step)
        ended = field_follow(&field, (const uint8_t *)record + at, bytes - at < step ? bytes - at : step);
    return ended;
}

UNIT_TEST(a_field_is_what_stands_between_separators)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *example = &examples[i];

        for (size_t step = 1; step < 12; step++) {
            begin(example->way, example->number, ROOM);
            assert_int_equal(follow(example->record, strlen(example->record), step), example->ends);
            assert_int_equal(field_end(&field, example->ends, example->way >= QUOTED ? '\n' : ';'),
                             example->expected != NULL ? FIELD_FOUND : FIELD_MISSING);
            if (example->expected == NULL)
                continue;
            assert_int_equal(field.bytes, strlen(example->expected));
            assert_memory_equal(field.text, example->expected, field.bytes);
            assert_false(field.too_long);
        }
    }
}

/* Any number of blanks may come before and after it, unless they belong to it. */
UNIT_TEST(a_field_may_have_the_bytes_for_which_there_is_room)
{
    static char record[3 * ROOM];

    for (size_t more = 0; more < 2; more++) {
        memset(record, ' ', sizeof record);
        memset(record + ROOM, '1', ROOM + more);
        for (size_t step = 1; step < sizeof record + 25; step += 25) {
            begin(PLAIN, 1, ROOM);
            assert_false(follow(record, sizeof record, step));
            assert_int_equal(field.bytes, ROOM);
            assert_int_equal(field.too_long, more);
        }
        begin(EXACT, 2, 3 - more);
        assert_true(follow("a, b ,c", 7, 2));
        assert_int_equal(field.too_long, more);
    }
}
