/* What a file lacks at its end is the same whatever the fragments in which its bytes came. */

#include "support/scratch.h"
#include "support/unit.h"

#include "record/tail.h"

static const struct record_format lines = {.delimiter = '\n'};
static const struct record_format csv = {.kind = &csv_kind, .separator = ','};

/* Show the file to the tail in fragments of `step` bytes. */
static void follow(struct tail *tail, const char *file, size_t step)
{
    size_t bytes = strlen(file);

    tail_begin(tail);
    for (size_t at = 0; at < bytes; at += step)
        tail_follow(tail, "file", (const uint8_t *)file + at, bytes - at < step ? bytes - at : step);
}

static void assert_lacks(struct tail *tail, const char *expected)
{
    const uint8_t *missing;
    const size_t bytes = tail_end(tail, "file", &missing);

    assert_int_equal(bytes, strlen(expected));
    if (bytes > 0)
        assert_memory_equal(missing, expected, bytes);
}

UNIT_TEST(a_file_is_ended_once)
{
    struct tail tail;

    tail_init(&tail, &lines, false);
    follow(&tail, "1\n2", 1);
    assert_lacks(&tail, "\n");
    assert_lacks(&tail, "");
    follow(&tail, "", 1);
    assert_lacks(&tail, "");
    follow(&tail, "1\n", 1);
    assert_lacks(&tail, "");
    follow(&tail, "1", 1);
    assert_lacks(&tail, "\n");
}

UNIT_TEST(a_file_that_is_only_a_start_lacks_a_whole_record)
{
    const struct record_format fasta = {
        .kind = &string_start_kind, .string = (const uint8_t *)"\n>", .string_bytes = 2};
    struct tail tail;

    tail_init(&tail, &fasta, false);
    tail_begin(&tail);
    assert_lacks(&tail, "");
    tail_follow(&tail, "file", NULL, 0);
    assert_lacks(&tail, "\n>");
}

UNIT_TEST(an_archive_is_not_empty)
{
    const struct record_format archive = {.kind = &tar_kind};
    const uint8_t *missing;
    struct tail tail;

    tail_init(&tail, &archive, false);
    follow(&tail, "as much as there is is looked at elsewhere", 5);
    assert_lacks(&tail, "");
    tail_begin(&tail);
    assert_ends(tail_end(&tail, "file", &missing), "bigshuf: file: empty, and so no tar archive\n");
}

UNIT_TEST(line_ends_are_learnt_from_the_first_record_of_all)
{
    for (size_t step = 1; step < 10; step++) {
        struct tail tail;

        tail_init(&tail, &csv, false);
        follow(&tail, "\"", step); /* and not to its end */
        follow(&tail, "1,\"\n\"", step);
        assert_lacks(&tail, "\n");
        follow(&tail, "1,\"\n\"\r\n3\n4", step);
        assert_lacks(&tail, "\r\n");
        follow(&tail, "1\n2\n3\r", step);
        assert_lacks(&tail, "\n");
        follow(&tail, "1\n2\n3", step);
        assert_lacks(&tail, "\r\n");
    }
}

UNIT_TEST(the_line_of_an_open_quote_is_known)
{
    static const struct {
        const char *file;
        uint64_t line;
    } cases[] = {{"\"", 1}, {"1\n\"\"\n\"\n\n\n", 3}, {"\"\n\"\"\n\"\n,\"\"\"\n", 4}, {"\n\n\n\"a", 4}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t step = 1; step < 10; step++) {
            struct tail tail;
            const uint8_t *missing;
            char message[64];

            tail_init(&tail, &csv, false);
            follow(&tail, "\n\n1\n", step);
            follow(&tail, cases[i].file, step);
            snprintf(message, sizeof message, "bigshuf: file: unclosed quote that starts in line %u\n",
                     (unsigned)cases[i].line);
            assert_ends(tail_end(&tail, "file", &missing), message);
        }
    }
}

UNIT_TEST(the_line_of_the_first_quote_within_a_field_is_known)
{
    static const struct {
        const char *file;
        uint64_t line;
    } cases[] = {
        {"a,b\n1,5\" disk\n", 2}, {"\"a\nb\"\n2,5\"\n3,6\"\n", 3},
        {"\xc2\xbd\"\n", 1},      {"\"5\"\" disk\",\"\"\n\"\"", 0},
        {"a, \"b\"\n\t\"c\"", 0}, {"'\"a\"'\n", 0},
        {"\"a\\\"b\\\"\"\n", 1},  {"\nx,TV 5 \" x\n", 2},
        {"a,\"b\" \"c\"\n", 1},   {"x\n  \"a\"  ,  \"b\"\n", 0},
        {"\"a\"b\n", 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t step = 1; step < 10; step++) {
            struct tail tail;

            tail_init(&tail, &csv, false);
            follow(&tail, "1,5\" disk\n", step); /* which is forgotten */
            follow(&tail, cases[i].file, step);
            assert_int_equal(tail.stray_line, cases[i].line);
        }
    }
}
