/* Neighbouring records with the same key become one, whatever the pieces in which they are read. What is said of keys
 * is in groups.sh. */

#include "input/grouping.h"

#include "support/scratch.h"
#include "support/unit.h"

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

static struct field_choice one = {.kind = FIELD_NUMBER, .text = "1", .number = 1};
static struct field_choice two = {.kind = FIELD_NUMBER, .text = "2", .number = 2};
static const struct key_rule first = {.format = {.delimiter = '\n'}, .field = {.choice = &one, .separator = '\t'}};
static const struct key_rule csv = {.format = {.kind = &csv_kind, .delimiter = '\n'},
                                    .field = {.choice = &two, .separator = ',', .quoted = true}};

static char delivered[1 << 24];
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

/* Files a and b. */
static struct source *open_groups(const char *a, const char *b, const struct key_rule *rule)
{
    static const char *const names[] = {"a", "b"};
    const struct source_layout layout = {.format = rule->format};
    struct source *source;

    assert_true(scratch_put("a", a, 0600) && scratch_put("b", b, 0600));
    source = source_open(names, 2, &layout);
    grouping_begin(source, rule, false);
    return source;
}

/* Files a and b, and what is delivered, twice. */
static const struct {
    const struct key_rule *rule;
    const char *a, *b, *expected;
} cases[] = {
    {&first, "", "", ""},
    {&first, "a\t1\n", "", "a\t1\n."},
    {&first, "a\t1\na\t2\nb\t1\na\t1\n", "", "a\t1\n+a\t2\n.b\t1\n.a\t1\n."},
    {&first, "a\naa\na\t\naa\n", "", "a\n.aa\n.a\t\n.aa\n."},
    {&first, "\n\n\t1\nb\n\n", "", "\n+\n+\t1\n.b\n.\n."},
    {&first, "a\na", "", "a\n+a\n."},
    {&first, "a\r\na\na\r\t1\na\t1\r\n", "", "a\r\n+a\n.a\r\t1\n.a\t1\r\n."},
    {&first, "a\t1\nb\t1", "b\t2\nc\n", "a\t1\n.b\t1\n+b\t2\n.c\n."},
    {&first, "", "a\na\n", "a\n+a\n."},
    {&csv, "1,a\n2,\"a\"\n3,\"a\nb\"\n\"4,x\",\"a\nb\"\n5,\"\"\"\"\n", "",
     "1,a\n+2,\"a\"\n.3,\"a\nb\"\n+\"4,x\",\"a\nb\"\n.5,\"\"\"\"\n."},
};

TEST(members_with_the_same_key_are_one_record)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t step = 1; step < 30; step++) {
            struct source *source = open_groups(cases[i].a, cases[i].b, cases[i].rule);
            uint64_t mapped;

            assert_false(source_map(source, &mapped));
            read_all(source, step);
            assert_string_equal(delivered, cases[i].expected);
            source_rewind(source);
            read_all(source, 2 * step);
            assert_string_equal(delivered, cases[i].expected);
            source_free(source);
        }
}

/* A record with so many bytes before its second field, and many behind it. */
static const char *far_key(size_t bytes)
{
    static char text[3 * GROUPING_BYTES];

    memset(text, 'x', sizeof text - 1);
    text[bytes] = text[bytes + 2] = ',';
    text[sizeof text - 2] = '\n';
    return text;
}

TEST(a_key_may_stand_so_far_behind)
{
    struct source *source = open_groups(far_key(GROUPING_BYTES - 3), far_key(GROUPING_BYTES - 3), &csv);

    read_all(source, 1 << 20);
    assert_int_equal(delivered_bytes, 2 * (3 * GROUPING_BYTES - 1) + 2);
    assert_int_equal(delivered[3 * GROUPING_BYTES - 1], RECORD_GOES_ON);
    source_free(source);
    source = open_groups(far_key(GROUPING_BYTES - 2), "", &csv);
    assert_ends(read_all(source, 100), "bigshuf: a: record 1: field 2 does not end in the first 1048576 bytes\n");
    source_free(source);
}
