#include "support/unit.h"

#include "base/escape.h"

#include <errno.h>

enum { ROOM = 16 };

UNIT_TEST(escapes_are_those_of_c_and_other_bytes_stand_for_themselves)
{
    static const struct {
        const char *text, *bytes;
        size_t count;
        int error;
    } cases[] = {
        {"", "", 0, 0},
        {"<|end|>", "<|end|>", 7, 0},
        {"\n\xff%", "\n\xff%", 3, 0},
        {"\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"\\?", "\a\b\f\n\r\t\v\\'\"?", 11, 0},
        {"\\0", "\0", 1, 0},
        {"\\0001", "\0001", 2, 0},
        {"\\128", "\n8", 2, 0},
        {"\\377\\x1e\\xFfg\\xaG", "\377\x1e\xffg\nG", 6, 0},
        {"0123456789abcde\\n", "0123456789abcde\n", 16, 0},
        {"0123456789abcdefg", NULL, 0, ERANGE}, /* more than there is room for */
        {"\\", NULL, 0, EINVAL},
        {"a\\q", NULL, 0, EINVAL},
        {"\\8", NULL, 0, EINVAL},
        {"\\x", NULL, 0, EINVAL},
        {"\\xg", NULL, 0, EINVAL},
        {"\\400", NULL, 0, ERANGE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[ROOM];
        size_t count;

        errno = 0;
        assert_int_equal(escape_parse(cases[i].text, bytes, ROOM, &count), cases[i].error == 0 ? 0 : -1);
        assert_int_equal(errno, cases[i].error);
        if (cases[i].error != 0)
            continue;
        assert_int_equal(count, cases[i].count);
        assert_memory_equal(bytes, cases[i].bytes, count);
    }
}
