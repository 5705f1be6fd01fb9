/* Neighbouring records with the same key become one, whatever the pieces in which they are read. */

#include "input/grouping.h"

#include "support/scratch.h"
#include "support/unit.h"

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

enum { BYTES_MAX = 1 << 24 };

static const struct key_rule first = {.format = {.delimiter = '\n'}, .field = {.number = 1, .separator = '\t'}};
static const struct key_rule csv = {.format = {.kind = &csv_kind, .delimiter = '\n'},
                                    .field = {.number = 2, .separator = ',', .quoted = true}};

static char delivered[BYTES_MAX];
static size_t delivered_bytes;

/* Read to the end in pieces of `step` bytes. */
static void read_all(struct source *source, size_t step)
{
    size_t got;

    delivered_bytes = 0;
    do {
        got = source_read(source, (uint8_t *)delivered + delivered_bytes, step);
        delivered_bytes += got;
    } while (got == step);
    delivered[delivered_bytes] = '\0';
}

static struct source *open_groups(const char *const *names, size_t count, const struct key_rule *rule)
{
    const struct source_layout layout = {.format = rule->format};
    struct source *source = source_open(names, count, &layout);

    grouping_begin(source, rule, false);
    return source;
}

/* The files a and b (NULL: there is none) are delivered like this, twice. */
static void assert_groups(const struct key_rule *rule, const char *a, const char *b, const char *expected)
{
    static const char *const names[] = {"a", "b"};

    assert_true(scratch_put("a", a, 0600));
    assert_true(b == NULL || scratch_put("b", b, 0600));
    for (size_t step = 1; step < 30; step++) {
        struct source *source = open_groups(names, b == NULL ? 1 : 2, rule);
        uint64_t mapped;

        assert_false(source_map(source, &mapped));
        read_all(source, step);
        assert_string_equal(delivered, expected);
        source_rewind(source);
        read_all(source, 2 * step);
        assert_string_equal(delivered, expected);
        source_free(source);
    }
}

/* Lines of this file are refused, with this message. */
static void assert_refused(const struct key_rule *rule, const char *text, const char *said)
{
    static const char *const names[] = {"a"};
    struct source *source;

    assert_true(scratch_put("a", text, 0600));
    source = open_groups(names, 1, rule);
    assert_ends(read_all(source, 100), said);
    source_free(source);
}

TEST(members_with_the_same_key_are_one_record)
{
    assert_groups(&first, "", NULL, "");
    assert_groups(&first, "a\t1\n", NULL, "a\t1\n.");
    assert_groups(&first, "a\t1\na\t2\nb\t1\na\t1\n", NULL, "a\t1\n+a\t2\n.b\t1\n.a\t1\n.");
    assert_groups(&first, "a\naa\na\t\naa\n", NULL, "a\n.aa\n.a\t\n.aa\n.");
}

TEST(an_empty_key_is_a_key)
{
    assert_groups(&first, "\n\n\t1\nb\n\n", NULL, "\n+\n+\t1\n.b\n.\n.");
}

TEST(a_last_line_without_newline_is_completed)
{
    assert_groups(&first, "a\na", NULL, "a\n+a\n.");
}

TEST(a_carriage_return_before_the_newline_is_none_of_the_key)
{
    assert_groups(&first, "a\r\na\na\r\t1\na\t1\r\n", NULL, "a\r\n+a\n.a\r\t1\n.a\t1\r\n.");
}

TEST(a_group_goes_on_in_the_next_file)
{
    assert_groups(&first, "a\t1\nb\t1", "b\t2\nc\n", "a\t1\n.b\t1\n+b\t2\n.c\n.");
    assert_groups(&first, "", "a\na\n", "a\n+a\n.");
}

TEST(quotes_are_none_of_a_key)
{
    assert_groups(&csv, "1,a\n2,\"a\"\n3,\"a\nb\"\n\"4,x\",\"a\nb\"\n5,\"\"\"\"\n", NULL,
                  "1,a\n+2,\"a\"\n.3,\"a\nb\"\n+\"4,x\",\"a\nb\"\n.5,\"\"\"\"\n.");
}

TEST(a_record_without_the_field_is_an_error)
{
    assert_refused(&csv, "1,a\n2,b\n3\n", "bigshuf: a: record 3 of the input has no field 2\n");
}

TEST(a_key_has_so_many_bytes_at_most)
{
    static const char *const names[] = {"a"};
    static char text[2 * KEY_BYTES_MAX + 6];
    struct source *source;

    memset(text, 'x', sizeof text - 1);
    text[KEY_BYTES_MAX] = text[2 * KEY_BYTES_MAX + 1] = '\n';
    text[2 * KEY_BYTES_MAX + 4] = '\n';
    assert_true(scratch_put("a", text, 0600));
    source = open_groups(names, 1, &first);
    read_all(source, 1 << 16);
    assert_int_equal(delivered_bytes, sizeof text - 1 + 3);
    assert_int_equal(delivered[KEY_BYTES_MAX + 1], RECORD_GOES_ON);
    assert_int_equal(delivered[2 * KEY_BYTES_MAX + 3], RECORD_ENDS);
    source_free(source);
    text[KEY_BYTES_MAX] = 'x';
    assert_refused(&first, text, "bigshuf: a: record 1 of the input: field 1 has more than 65536 bytes\n");
}

/* A record with so many bytes before its second field, and many behind it. */
static const char *far_key(size_t bytes)
{
    static char text[3 * GROUPING_BYTES];

    memset(text, 'x', sizeof text - 1);
    text[bytes] = ',';
    text[bytes + 2] = ',';
    text[sizeof text - 2] = '\n';
    return text;
}

TEST(a_key_may_stand_so_far_behind)
{
    static const char *const names[] = {"a", "a"};
    struct source *source;

    assert_true(scratch_put("a", far_key(GROUPING_BYTES - 3), 0600));
    source = open_groups(names, 2, &csv);
    read_all(source, 1 << 20);
    assert_int_equal(delivered_bytes, 2 * (3 * GROUPING_BYTES - 1) + 2);
    assert_int_equal(delivered[3 * GROUPING_BYTES - 1], RECORD_GOES_ON);
    source_free(source);
    assert_refused(&csv, far_key(GROUPING_BYTES - 2),
                   "bigshuf: a: record 1 of the input: field 2 does not end in its first 1048576 bytes\n");
}
