/* A sample that begins a second time in its archive is told once, but not if there is another reason for that. */

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

#include "input/torn.h"

static struct torn torn;
static struct key key;

static int setup(void **state)
{
    (void)state;
    memset(&torn, 0, sizeof torn);
    torn_begin(&torn);
    key.bytes = 0;
    return 0;
}

#define TEST(name) UNIT_TEST_IN(name, setup, NULL)

/* Members come as in an archive. Is a sample torn? */
static bool look(const char *name)
{
    const struct tar_text text = {(const uint8_t *)name, strlen(name)};
    const struct key before = key;

    key.bytes = tar_headers_key(text, key.text);
    return torn_look(&torn, &key, text, key_is(&key, &before));
}

TEST(a_sample_that_begins_twice_is_torn)
{
    assert_false(look("d/1.jpg"));
    assert_false(look("d/1.txt"));
    assert_false(look("d/2.jpg"));
    assert_false(look("1.cls"));
    assert_true(look("d/1.cls"));
}

TEST(it_is_told_once)
{
    for (unsigned i = 0; i < 3; i++) {
        torn_begin(&torn);
        assert_false(look("1.jpg"));
        assert_false(look("2.jpg"));
        assert_int_equal(look("1.cls"), i == 0);
        assert_false(look("2.cls"));
    }
}

TEST(other_archives_may_have_the_same_keys)
{
    assert_false(look("1.jpg"));
    assert_false(look("2.jpg"));
    torn_begin(&torn);
    assert_false(look("1.cls"));
    assert_false(look("2.cls"));
    torn_begin(&torn);
    assert_false(look("2.jpg"));
    assert_false(look("1.jpg"));
    assert_true(look("2.cls"));
}

TEST(a_sample_may_be_there_twice)
{
    for (unsigned i = 0; i < 3; i++) {
        assert_false(look("1.cls"));
        assert_false(look("1.jpg"));
        assert_false(look("2.cls"));
        assert_false(look("2.jpg"));
    }
}

TEST(names_that_are_sorted_are_not_torn)
{
    static const char *const names[] = {"._1.jpg", "._2",     "._2.jpg",  ".profile", ".profile-2", ".profile.x",
                                        "1.cls",   "1.jpg",   "2",        "2-1.jpg",  "2.cls",      "2.jpg",
                                        "README",  "README+", "README-x", "README.md"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_false(look(names[i]));
}

TEST(what_macos_puts_before_a_member_hides_nothing)
{
    assert_false(look("._1.jpg"));
    assert_false(look("1.jpg"));
    assert_false(look("._2.jpg"));
    assert_false(look("2.jpg"));
    assert_false(look("._1.cls"));
    assert_true(look("1.cls"));
}

TEST(the_first_of_many_samples_are_remembered)
{
    char name[32];

    for (unsigned i = 0; i < 20 * TORN_SAMPLES; i++) {
        snprintf(name, sizeof name, "%u.jpg", i);
        assert_false(look(name));
    }
    assert_true(look("0.cls"));
}
