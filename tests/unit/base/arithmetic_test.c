#include "support/unit.h"

#include "base/arithmetic.h"

UNIT_TEST(parts_are_even_and_leave_nothing)
{
    static const uint64_t wholes[] = {0, 1, 10, 4294967296, UINT64_MAX};
    static const uint64_t numbers[] = {1, 3, 11, PART_MAX};

    for (int i = 0; i < 20; i++) {
        const uint64_t whole = wholes[i / 4], parts = numbers[i % 4];

        assert_true(part_end(whole, 0, parts) == 0 && part_end(whole, parts, parts) == whole);
        for (uint64_t part = 1; part <= parts; part += parts / 7 + 1) {
            const uint64_t records = part_end(whole, part, parts) - part_end(whole, part - 1, parts);

            assert_true(records == whole / parts || records == whole / parts + 1);
        }
    }
    assert_int_equal(part_end(10, 1, 4), 2);
    assert_int_equal(part_end(10, 2, 4), 5);
    assert_int_equal(part_end(10, 3, 4), 7);
}
