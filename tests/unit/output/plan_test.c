/* Names of numbered files: one %d, and nothing else that printf would have. */

#include <stdint.h>
#include <stdlib.h>

#include "support/unit.h"

#include "output/plan.h"

static void assert_name(const char *pattern, uint64_t number, const char *expected)
{
    char *name = output_plan_name(pattern, number);

    assert_non_null(name);
    assert_string_equal(name, expected);
    free(name);
}

UNIT_TEST(the_number_stands_where_the_pattern_says)
{
    assert_name("out-%d", 0, "out-0");
    assert_name("%d", 7, "7");
    assert_name("part-%d.jsonl", 12345, "part-12345.jsonl");
    assert_name("%d", UINT64_MAX, "18446744073709551615");
}

UNIT_TEST(zeros_fill_the_number_and_never_cut_it)
{
    assert_name("out-%05d.jsonl", 42, "out-00042.jsonl");
    assert_name("%05d", 123456, "123456");
    assert_name("%01d", 3, "3");
    assert_name("%020d", 1, "00000000000000000001");
    assert_name("%005d", 1, "00001");
}

UNIT_TEST(two_percent_signs_are_one)
{
    assert_name("100%%-%d", 1, "100%-1");
    assert_name("%%%d%%", 1, "%1%");
    assert_name("%%d-%d", 1, "%d-1");
}

UNIT_TEST(all_else_is_refused)
{
    static const char *const patterns[] = {
        "",
        "out",
        "%%d",
        "%",
        "out-%",
        "%d%d",
        "%d-%d",
        "%s",
        "%n",
        "%5d",
        "%-5d",
        "%+d",
        "% d",
        "%'d",
        "%1$d",
        "%ld",
        "%i",
        "%u",
        "%x",
        "%D",
        "%0d",
        "%00d",
        "%.5d",
        "%*d",
        "%d%",
        "%d%s",
        "%s%05d",
        "%05s",
        "%021d",
        "%05",
        "%0",
        "%0-5d",
        "%99999999999999999999d",
        "%0999999999999999999999d",
    };

    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        assert_false(output_plan_is_pattern(patterns[i]));
}
