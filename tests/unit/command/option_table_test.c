/* What the table must be like for the code that goes over it. What its rows do is in command_line_test.c. */

#include <stdint.h>
#include <string.h>

#include "support/unit.h"

#include "command/option_table.h"

static bool is_name(const char *name)
{
    size_t count;
    const struct option_row *row = option_table_rows(&count);

    for (; count > 0; count--, row++) {
        if (strcmp(row->name, name) == 0)
            return true;
    }
    return false;
}

UNIT_TEST(test_names_and_codes_are_given_once)
{
    size_t count;
    const struct option_row *rows = option_table_rows(&count);

    for (size_t i = 0; i < count; i++) {
        assert_in_range(option_table_code(&rows[i]), 1, OPTION_END - 1);
        assert_ptr_equal(option_table_row(option_table_code(&rows[i])), &rows[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rows[j].name, rows[i].name);
    }
}

/* So that each has one heading. */
UNIT_TEST(test_groups_are_in_one_piece_and_in_order)
{
    size_t count;
    const struct option_row *rows = option_table_rows(&count);

    assert_int_equal(rows[0].group, 0);
    for (size_t i = 1; i < count; i++)
        assert_in_range(rows[i].group, rows[i - 1].group, rows[i - 1].group + 1);
    assert_int_equal(rows[count - 1].group, GROUPS - 1);
}

/* getopt_long knows no optional argument after a letter and a blank. */
UNIT_TEST(test_an_option_with_a_letter_has_an_argument_or_not)
{
    size_t count;
    const struct option_row *row = option_table_rows(&count);

    for (; count > 0; count--, row++)
        assert_false(row->letter != 0 && option_table_is_optional(row));
}

UNIT_TEST(test_an_abbreviation_is_needed_and_begins_a_name)
{
    size_t count, row_count;
    const struct option_abbreviation *abbreviation = option_table_abbreviations(&count);
    const struct option_row *rows = option_table_rows(&row_count);

    for (; count > 0; count--, abbreviation++) {
        size_t length = strlen(abbreviation->name), alike = 0;

        assert_false(is_name(abbreviation->name));
        assert_int_equal(strncmp(option_table_row(abbreviation->letter)->name, abbreviation->name, length), 0);
        for (size_t i = 0; i < row_count; i++)
            alike += strncmp(rows[i].name, abbreviation->name, length) == 0;
        assert_true(alike > 1);
    }
}

/* The first field belongs to none of them. */
UNIT_TEST(test_every_option_sets_something_of_its_own)
{
    size_t count;
    const struct option_row *rows = option_table_rows(&count);

    for (size_t i = 0; i < count; i++) {
        const struct argument *takes = &rows[i].takes;
        const bool has_argument = rows[i].argument != NULL || takes->choices != NULL;

        assert_true(takes->type == ARGUMENT_SPECIAL ? takes->set != NULL : takes->field > 0);
        assert_true(takes->preset == 0 || takes->field > 0);
        assert_true(takes->type == ARGUMENT_SPECIAL ||
                    has_argument == (takes->type != ARGUMENT_FLAG && takes->type != ARGUMENT_CONSTANT));
        for (size_t j = 0; j < i; j++)
            assert_false(takes->field > 0 && takes->field == rows[j].takes.field &&
                         (takes->type != ARGUMENT_CONSTANT || takes->least == rows[j].takes.least));
    }
}

/* Nothing is of no use. */
UNIT_TEST(test_what_an_option_excludes_or_needs_is_there)
{
    unsigned all = CLASS_LINED; /* of a kind of records */
    size_t count;
    const struct option_row *rows = option_table_rows(&count);

    for (size_t i = 0; i < count; i++)
        all |= rows[i].is;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].excludes & ~all, 0);
        assert_int_equal(rows[i].needs & ~all, 0);
        assert_int_equal(rows[i].needs & rows[i].is, 0);
    }
}
