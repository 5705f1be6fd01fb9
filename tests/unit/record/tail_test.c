/* What a file of CSV lacks at its end is the same whatever the fragments in which its bytes came. */

/* tags: bytes */

#include "support/scratch.h"
#include "support/unit.h"

#include "record/tail.h"

static const struct record_format csv = {.kind = &csv_kind, .delimiter = '\n'};
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

UNIT_TEST(the_line_of_an_open_quote_is_known)
{
    static const struct {
        const char *file;
        unsigned line;
    } cases[] = {{"\"", 1},
                 {"1\n\"\"\n\"\n\n\n", 3},
                 {"\"\n\"\"\n\"\n,\"\"\"\n", 4},
                 {"\n\n\n\"a", 4},
                 {"a\n,\"\n\"\"b\"\"\n", 2}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t step = 1; step < 10; step++) {
            const uint8_t *missing;
            char message[64];

            tail_init(&tail, &csv, false);
            follow("\n\n1\n", step);
            follow(cases[i].file, step);
            snprintf(message, sizeof message, "bigshuf: file: unclosed quote that starts in line %u\n", cases[i].line);
            assert_ends(tail_end(&tail, "file", &missing), message);
        }
    }
}
