/* A set of files by their numbers. */

#include "support/unit.h"

#include "output/file_set.h"

enum { FILES = 5000 };

/* Such as inodes have, and such as have the same low bits. */
static uint64_t number_of(size_t i)
{
    return i % 2 == 0 ? i + 1 : (uint64_t)i << 40;
}

UNIT_TEST(each_file_is_found_with_the_number_that_came_first)
{
    struct file_set set = {.count = 0};

    assert_true(file_set_find(&set, 1) == FILE_SET_NONE);
    for (size_t i = 0; i < FILES; i++)
        assert_int_equal(file_set_add(&set, number_of(i), i), i);
    for (size_t i = 0; i < FILES; i++) {
        assert_int_equal(file_set_add(&set, number_of(i), FILES), i);
        assert_int_equal(file_set_find(&set, number_of(i)), i);
        assert_true(file_set_find(&set, number_of(i) + FILES) == FILE_SET_NONE);
    }
    assert_int_equal(set.count, FILES);
    file_set_release(&set);
}

UNIT_TEST(what_is_no_regular_file_is_never_found)
{
    struct file_set set = {.count = 0};

    assert_int_equal(file_set_add(&set, 0, 1), 1);
    assert_int_equal(file_set_add(&set, 0, 2), 2);
    assert_true(file_set_find(&set, 0) == FILE_SET_NONE);
    file_set_release(&set);
}
