/* A name says what stands under it. What the program does with it, tests/end_to_end/store_races.sh looks at. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>

#include "store/store.h"
#include "system/sys.h"

static const char *host; /* this one's name; NULL: it cannot be told */

int sys_host_name(char *name, size_t bytes)
{
    if (host == NULL)
        return -1;
    snprintf(name, bytes, "%s", host);
    return 0;
}

UNIT_TEST(names_of_batches_are_plain_and_stand_for_nothing_else)
{
    static const char *const good[] = {"a", "Z",   "0",   "9",       "z",      "A",         "_",
                                       "-", "a.b", "-rf", "formats", "Header", "pile-0000", "README"};
    static const char *const bad[] = {"",    ".",   "..",       ".a",     ".old-a", "a b",   "a/b", "a\n", "a~1",
                                      "a:b", "a@b", "\303\244", "format", "header", "a\177", "a[b", "a`b", "a{b"};
    char name[STORE_NAME_MAX + 2];

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(store_name_is_batch(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(store_name_is_batch(bad[i]));
    memset(name, 'x', sizeof name);
    name[STORE_NAME_MAX + 1] = '\0';
    assert_false(store_name_is_batch(name));
    name[STORE_NAME_MAX] = '\0';
    assert_true(store_name_is_batch(name));
}

UNIT_TEST(a_host_of_any_name_gives_a_name)
{
    static char long_host[1000];
    const char *const hosts[] = {NULL, "", "a b/c\n~", "..", "\303\244", "node-7.example", long_host};
    const char *const ends[] = {"unknown", "unknown", "a_b_c__", "..", "__", "node-7.example", "hhh"};
    char name[STORE_NAME_MAX + 1], end[64];

    memset(long_host, 'h', sizeof long_host - 1);
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        host = hosts[i];
        store_name_make_batch(name, 0x123456789abcdef0);
        assert_true(store_name_is_batch(name));
        snprintf(end, sizeof end, "%s-%ld-9abcdef0", ends[i], (long)getpid());
        assert_string_equal(name + strlen(name) - strlen(end), end);
    }
}
