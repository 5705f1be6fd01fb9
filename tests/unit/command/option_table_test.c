/* What the tables must be like for the code that goes over them. Which options go together is in options_test.c. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "command/option_table.h"

static bool is_name(const char *name)
{
    size_t count;
    const struct help_row *row = option_table_rows(&count);

    for (; count > 0; count--, row++) {
        if (strcmp(row->name, name) == 0)
            return true;
    }
    return false;
}

static void test_names_and_codes_are_given_once(void **state)
{
    size_t count;
    const struct help_row *rows = option_table_rows(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        assert_in_range(rows[i].code, 1, OPTION_END - 1);
        assert_ptr_equal(option_table_row(rows[i].code), &rows[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rows[j].name, rows[i].name);
    }
}

/* getopt_long knows no optional argument after a letter and a blank. */
static void test_an_option_with_a_letter_has_an_argument_or_not(void **state)
{
    size_t count;
    const struct help_row *row = option_table_rows(&count);

    (void)state;
    for (; count > 0; count--, row++)
        assert_false(help_has_letter(row) && help_is_optional(row));
}

static void test_an_abbreviation_is_needed_and_begins_a_name(void **state)
{
    size_t count, row_count;
    const struct option_abbreviation *abbreviation = option_table_abbreviations(&count);
    const struct help_row *rows = option_table_rows(&row_count);

    (void)state;
    for (; count > 0; count--, abbreviation++) {
        size_t length = strlen(abbreviation->name), alike = 0;

        assert_false(is_name(abbreviation->name));
        assert_int_equal(strncmp(option_table_row(abbreviation->code)->name, abbreviation->name, length), 0);
        for (size_t i = 0; i < row_count; i++)
            alike += strncmp(rows[i].name, abbreviation->name, length) == 0;
        assert_true(alike > 1);
    }
}

static bool is_accepted(int one, int other)
{
    bool given[OPTION_END] = {false};
    struct fault fault;
    bool accepted;

    given[one] = true;
    given[other] = true;
    fault_init(&fault);
    accepted = option_table_check(given, &fault) == 0;
    assert_int_equal(fault_any(&fault), !accepted);
    fault_release(&fault);
    return accepted;
}

/* Alone, or with one that it needs. */
static void test_every_option_can_be_given(void **state)
{
    size_t count;
    const struct help_row *rows = option_table_rows(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        bool accepted = is_accepted(rows[i].code, rows[i].code);

        for (size_t k = 0; k < count && !accepted; k++)
            accepted = is_accepted(rows[i].code, rows[k].code);
        assert_true(accepted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_codes_are_given_once),
        cmocka_unit_test(test_an_option_with_a_letter_has_an_argument_or_not),
        cmocka_unit_test(test_an_abbreviation_is_needed_and_begins_a_name),
        cmocka_unit_test(test_every_option_can_be_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
