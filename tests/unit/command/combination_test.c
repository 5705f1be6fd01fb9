/* What goes together with what, and with which message it is refused, is in command_line_test.c. */

#include <stdint.h>

#include "support/unit.h"

#include "command/combination.h"

static bool is_accepted(int one, int other)
{
    bool given[OPTION_END] = {false};
    struct fault fault;
    bool accepted;

    given[one] = true;
    given[other] = true;
    fault_init(&fault);
    accepted = combination_check(given, &fault) == 0;
    assert_int_equal(fault_any(&fault), !accepted);
    fault_release(&fault);
    return accepted;
}

/* Alone, or with one that it needs. */
UNIT_TEST(test_every_option_can_be_given)
{
    size_t count;
    const struct option_row *rows = option_table_rows(&count);

    for (size_t i = 0; i < count; i++) {
        bool accepted = is_accepted(rows[i].code, rows[i].code);

        for (size_t k = 0; k < count && !accepted; k++)
            accepted = is_accepted(rows[i].code, rows[k].code);
        assert_true(accepted);
    }
}
