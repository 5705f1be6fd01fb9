/* What a file of CSV lacks at its end, and in which lines its quotes stand, is the same whatever the fragments in which
 * its bytes came. */

#include "support/scratch.h"
#include "support/unit.h"

#include "record/tail.h"

static const struct record_format csv = {.kind = &csv_kind, .separator = ','};
static struct tail tail;

/* Show the file to the tail in fragments of `step` bytes. */
static void follow(const char *file, size_t step)
{
    const size_t bytes = strlen(file);

    tail_begin(&tail);
    for (size_t at = 0; at < bytes; at += step)
        tail_follow(&tail, "file", (const uint8_t *)file + at, bytes - at < step ? bytes - at : step);
}

static void assert_lacks(const char *expected)
{
    const uint8_t *missing;
    const size_t bytes = tail_end(&tail, "file", &missing);

    assert_int_equal(bytes, strlen(expected));
    if (bytes > 0)
        assert_memory_equal(missing, expected, bytes);
}

UNIT_TEST(line_ends_are_learnt_from_the_first_record_of_all)
{
    for (size_t step = 1; step < 10; step++) {
        tail_init(&tail, &csv, false);
        follow("\"", step); /* and not to its end */
        follow("1,\"\n\"", step);
        assert_lacks("\n");
        follow("1,\"\n\"\r\n3\n4", step);
        assert_lacks("\r\n");
        follow("1\n2\n3\r", step);
        assert_lacks("\n");
        assert_lacks("");
        follow("1\n2\n3", step);
        assert_lacks("\r\n");
    }
}

/* The line of a quote that is open at the end, and of the first one within a field; 0: there is none. */
UNIT_TEST(the_lines_of_quotes_are_known)
{
    static const struct {
        const char *file;
        uint64_t open, within;
    } cases[] = {
        {"\"", 1, 0},
        {"1\n\"\"\n\"\n\n\n", 3, 0},
        {"\"\n\"\"\n\"\n,\"\"\"\n", 4, 0},
        {"\n\n\n\"a", 4, 0},
        {"a,b\n1,5\" disk\n", 2, 2},
        {"\"a\nb\"\n2,5\"\n3,6\"\n", 0, 3},
        {"\xc2\xbd\"\n", 1, 1},
        {"\"5\"\" disk\",\"\"\n\"\"", 0, 0},
        {"a, \"b\"\n\t\"c\"", 0, 0},
        {"'\"a\"'\n", 0, 0},
        {"\"a\\\"b\\\"\"\n", 0, 1},
        {"\nx,TV 5 \" x\n", 2, 2},
        {"a,\"b\" \"c\"\n", 0, 1},
        {"x\n  \"a\"  ,  \"b\"\n", 0, 0},
        {"\"a\"b\n", 0, 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t step = 1; step < 10; step++) {
            const uint8_t *missing;
            char message[64];

            tail_init(&tail, &csv, false);
            follow("1,5\" disk\n", step); /* which is forgotten */
            follow(cases[i].file, step);
            assert_int_equal(tail.stray_line, cases[i].within);
            snprintf(message, sizeof message, "bigshuf: file: unclosed quote that starts in line %u\n",
                     (unsigned)cases[i].open);
            if (cases[i].open > 0)
                assert_ends(tail_end(&tail, "file", &missing), message);
        }
    }
}
