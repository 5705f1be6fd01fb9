/* A field of each record decides which file it goes to, whatever the order and the pieces in which records come. */

#include "support/reports.h"
#include "support/unit.h"

#include "output/output.h"
#include "output/sides.h"

#define TEST(name) UNIT_TEST_IN(name, reports_setup, reports_teardown)

enum { TEXT_MAX = 1 << 18 };

static const char *const directories[] = {"."};
static struct spill_place place = {.directory = directories, .directories = 1, .packing = SPILL_NEVER};
static const struct split splits[] = {{.path = "a", .amount = 250000, .is_percentage = true},
                                      {.path = "b", .amount = 250000, .is_percentage = true}};
static struct random_key key;
static struct field_choice choice;

static struct output_plan plan_of(struct record_format format, uint64_t number)
{
    random_key_init(&key, "42", 2);
    choice = (struct field_choice){.kind = FIELD_NUMBER, .text = "N", .number = number};
    return (struct output_plan){.path = "rest",
                                .split = splits,
                                .splits = 2,
                                .split_field = {.choice = &choice, .separator = '\t'},
                                .key = &key,
                                .filters = 1,
                                .format = format,
                                .framing = {.format = format},
                                .place = &place};
}

static void run(const struct output_plan *plan, const char *text, size_t step)
{
    static uint8_t data[TEXT_MAX];
    const size_t bytes = strlen(text);
    struct output *output = output_open(plan);

    memcpy(data, text, bytes + 1);
    output_begin(output, UINT64_MAX, "h\n", 2);
    for (size_t at = 0; at < bytes; at += step)
        output_write(output, data + at, bytes - at < step ? bytes - at : step);
    output_commit(output);
    output_free(output);
}

/* The side of a key, as the header defines it. */
static size_t side_of(const char *text)
{
    struct random_key derived;
    double share;

    random_key_derive(&derived, &key, "split", NULL, 0);
    share = (double)random_hash(&derived, text, strlen(text)) / 18446744073709551616.0;
    return share < 0.25 ? 0 : share < 0.5 ? 1 : 2;
}

TEST(records_go_where_their_keys_belong_in_whatever_pieces)
{
    static const char *const names[] = {"a", "b", "rest"};
    const struct output_plan plan = plan_of((struct record_format){.delimiter = '\n'}, 2);
    char text[TEXT_MAX / 64] = "", wanted[3][TEXT_MAX / 64] = {"h\n", "h\n", "h\n"};

    for (unsigned i = 0; i < 100; i++) {
        char line[32], field[8];

        snprintf(field, sizeof field, "%.*u", i % 10 == 0 ? 0 : 1, i % 10 == 0 ? 0 : i % 23);
        snprintf(line, sizeof line, i % 3 == 0 ? "%u\t%s\n" : "%u\t%s\tx\n", i, field);
        strcat(text, line);
        strcat(wanted[side_of(field)], line);
    }
    for (size_t step = 1; step < 40; step++) {
        run(&plan, text, step);
        for (size_t i = 0; i < 3; i++)
            assert_true(scratch_holds(names[i], wanted[i]));
    }
}

TEST(groups_go_by_their_first_members)
{
    const struct output_plan plan = plan_of((struct record_format){.delimiter = '\n', .grouped = true}, 1);

    for (size_t step = 1; step < 20; step++) {
        char wanted[3][64] = {"h\n", "h\n", "h\n"};

        run(&plan, "1\ta\n+1\tb\n.2\n+2\n+2\n.3\n.", step);
        strcat(wanted[side_of("1")], "1\ta\n1\tb\n");
        strcat(wanted[side_of("2")], "2\n2\n2\n");
        strcat(wanted[side_of("3")], "3\n");
        assert_true(scratch_holds("a", wanted[0]) && scratch_holds("b", wanted[1]) && scratch_holds("rest", wanted[2]));
    }
}

TEST(a_carriage_return_is_none_of_the_key)
{
    const struct output_plan plan = plan_of((struct record_format){.delimiter = '\n'}, 1);
    const char *const name[] = {"a", "b", "rest"};

    for (size_t step = 1; step < 10; step++) {
        run(&plan, "7\r\n7\t\n", step);
        assert_true(scratch_holds(name[side_of("7")], "h\n7\r\n7\t\n"));
    }
}

TEST(what_comes_before_a_key_may_be_of_any_length)
{
    static char text[TEXT_MAX];
    const struct output_plan plan = plan_of((struct record_format){.delimiter = '\n'}, 2);
    struct stat status;

    memset(text, 'x', sizeof text - 4);
    strcpy(text + sizeof text - 8, "\tkey\n");
    run(&plan, text, 1000);
    assert_int_equal(stat(side_of("key") == 2 ? "rest" : side_of("key") == 1 ? "b" : "a", &status), 0);
    assert_int_equal(status.st_size, strlen(text) + 2);
}

TEST(a_key_has_a_limit)
{
    static char text[TEXT_MAX];
    const struct output_plan plan = plan_of((struct record_format){.delimiter = '\n'}, 1);

    memset(text, 'x', 65537);
    strcpy(text + 65537, "\n");
    for (size_t step = 1000; step < TEXT_MAX; step *= 10) {
        assert_ends(run(&plan, text, step), "bigshuf: --split-field: field N has more than 65536 bytes\n");
        run(&plan, text + 1, step);
    }
}
