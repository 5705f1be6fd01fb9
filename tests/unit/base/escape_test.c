#include "support/unit.h"

#include "base/escape.h"

#include <errno.h>

enum { ROOM = 16 };

static void assert_means(const char *text, const char *expected, size_t expected_count)
{
    uint8_t bytes[ROOM];
    size_t count;

    assert_int_equal(escape_parse(text, bytes, ROOM, &count), 0);
    assert_int_equal(count, expected_count);
    if (count > 0)
        assert_memory_equal(bytes, expected, count);
}

static void assert_refused(const char *text, int error)
{
    uint8_t bytes[ROOM];
    size_t count;

    errno = 0;
    assert_int_equal(escape_parse(text, bytes, ROOM, &count), -1);
    assert_int_equal(errno, error);
}

UNIT_TEST(ordinary_bytes_stand_for_themselves)
{
    assert_means("", "", 0);
    assert_means("<|end|>", "<|end|>", 7);
    assert_means("\n\xff%", "\n\xff%", 3);
}

UNIT_TEST(escapes_are_those_of_c)
{
    assert_means("\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"\\?", "\a\b\f\n\r\t\v\\'\"?", 11);
    assert_means("\\0", "\0", 1);
    assert_means("\\0001", "\0001", 2);
    assert_means("\\128", "\n8", 2);
    assert_means("\\377\\x1e\\xFfa\\xaG",
                 "\377\x1e\xff"
                 "a\nG",
                 6);
}

UNIT_TEST(no_other_escape_is_taken)
{
    assert_refused("\\", EINVAL);
    assert_refused("a\\q", EINVAL);
    assert_refused("\\8", EINVAL);
    assert_refused("\\x", EINVAL);
    assert_refused("\\xg", EINVAL);
    assert_refused("\\400", ERANGE);
}

UNIT_TEST(no_more_is_written_than_there_is_room_for)
{
    assert_means("0123456789abcde\\n", "0123456789abcde\n", 16);
    assert_refused("0123456789abcdefg", ERANGE);
}
