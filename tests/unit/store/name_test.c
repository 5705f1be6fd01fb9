/* A name says what stands under it, and nobody else makes the same. */

#include "support/folders.h"
#include "support/unit.h"

#include <time.h>

#include "store/name.h"
#include "store/store.h"

#define TEST(name) UNIT_TEST_IN(name, folders_setup, folders_teardown)

TEST(names_of_batches_are_plain_and_stand_for_nothing_else)
{
    static const char *const good[] = {
        "a", "Z", "0", "_", "-", "a.b", "2026-11-20T12_00.x-1", "-rf", "formats", "Header", "pile-0000", "manifest"};
    static const char *const bad[] = {"",    ".",   "..",  ".a",       ".new-a", ".old-a", "a b",   "a/b", "/",
                                      "a\n", "a~1", "a:b", "\303\244", "format", "header", "a\177", "a+b", "*"};
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

TEST(a_batch_without_a_name_is_given_one_that_sorts_by_age)
{
    char name[STORE_NAME_MAX + 1], later[STORE_NAME_MAX + 1], end[64];
    time_t now = time(NULL);
    char date[32];

    folders.host = "node-7.example";
    store_name_make_batch(name);
    assert_true(store_name_is_batch(name));
    strftime(date, sizeof date, "%Y%m", gmtime(&now));
    if (time(NULL) / 86400 == now / 86400)
        assert_memory_equal(name, date, 6);
    snprintf(end, sizeof end, "Z-node-7.example-%ld", (long)getpid());
    assert_string_equal(name + strlen("20261120T120642.123456"), end);
    nanosleep(&(struct timespec){.tv_nsec = 2000}, NULL);
    store_name_make_batch(later);
    assert_true(strcmp(name, later) < 0);
}

TEST(a_host_of_any_name_gives_a_name)
{
    static char long_host[1000];
    const char *const hosts[] = {"", "a b/c\n~", "..", "\303\244", long_host};
    char name[STORE_NAME_MAX + 1];

    memset(long_host, 'h', sizeof long_host - 1);
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        folders.host = hosts[i];
        store_name_make_batch(name);
        assert_true(store_name_is_batch(name));
        assert_non_null(strstr(name, "Z-"));
    }
    faulty_fail_all("host_name", EFAULT);
    store_name_make_batch(name);
    assert_true(store_name_is_batch(name));
}

TEST(files_of_piles_are_numbered)
{
    char name[STORE_NAME_PILE_BYTES];

    assert_string_equal(store_name_of_pile(0, name), "pile-0000");
    assert_string_equal(store_name_of_pile(STORE_FORMAT_PILES_MAX - 1, name), "pile-4095");
}

TEST(what_may_be_left_behind_is_known_by_its_name)
{
#define NUMBER "~0123456789abcdef"
    static const struct {
        const char *name;
        enum store_name_kind kind;
    } cases[] = {
        {".new-a" NUMBER, STORE_NAME_DRAFT},
        {".new-format" NUMBER, STORE_NAME_BEGUN},
        {".new-header" NUMBER, STORE_NAME_BEGUN},
        {".old-a" NUMBER, STORE_NAME_LEFT},
        {".old-a", STORE_NAME_LEFT}, /* as users rename it */
        {"a", STORE_NAME_OTHER},
        {"format", STORE_NAME_OTHER},
        {".new-a", STORE_NAME_OTHER},
        {".new-.a" NUMBER, STORE_NAME_OTHER},
        {".new-a~1", STORE_NAME_OTHER},
        {".new-a" NUMBER "0", STORE_NAME_OTHER},
        {".new-a" NUMBER ".other", STORE_NAME_OTHER},
        {".old-format", STORE_NAME_OTHER},
        {".old-a" NUMBER ".other", STORE_NAME_OTHER},
        {".new-format~host-1-2.3", STORE_NAME_OTHER},
    };
    char name[STORE_NAME_BYTES];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(store_name_kind(cases[i].name), cases[i].kind);
    store_name_make_unused(name, STORE_NAME_DRAFT_PREFIX, "a");
    assert_int_equal(store_name_kind(name), STORE_NAME_DRAFT);
    store_name_make_unused(name, STORE_NAME_LEFT_PREFIX, "a");
    assert_int_equal(store_name_kind(name), STORE_NAME_LEFT);
}
