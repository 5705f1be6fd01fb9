/* What goes together with what, and with which message it is refused, is in command_line_test.c. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
static void test_every_option_can_be_given(void **state)
{
    size_t count;
    const struct option_row *rows = option_table_rows(&count);

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
        cmocka_unit_test(test_every_option_can_be_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
