#pragma once

/*
 * What the unit tests of `make check-machines` use of cmocka, which has no packages for other machines. The first test
 * that fails ends the program.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test_func)(void **state);
    int (*setup_func)(void **state);
    int (*teardown_func)(void **state);
    void *initial_state;
};

#define fail_msg(...) (printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), puts(""), fflush(stdout), abort())

#define assert_true(condition)           ((condition) ? (void)0 : fail_msg("not true: %s", #condition))
#define assert_false(condition)          assert_true(!(condition))
#define assert_null(pointer)             assert_true((pointer) == NULL)
#define assert_non_null(pointer)         assert_true((pointer) != NULL)
#define assert_ptr_equal(a, b)           assert_true((a) == (b))
#define assert_string_equal(a, b)        assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, bytes) assert_true(memcmp(a, b, bytes) == 0)
#define assert_int_not_equal(a, b)       assert_true((uintmax_t)(a) != (uintmax_t)(b))
#define assert_int_equal(a, b)           cmocka_equal((uintmax_t)(a), (uintmax_t)(b), __FILE__, __LINE__)
#define assert_in_range(value, least, most)                                                                            \
    cmocka_in_range((uintmax_t)(value), (uintmax_t)(least), (uintmax_t)(most), __FILE__, __LINE__)
#define cmocka_run_group_tests(tests, setup, teardown) cmocka_run(tests)

static inline void cmocka_in_range(uintmax_t value, uintmax_t least, uintmax_t most, const char *file, int line)
{
    if (value < least || value > most)
        fail_msg("%s:%d: %#jx is not from %#jx to %#jx", file, line, value, least, most);
}

static inline void cmocka_equal(uintmax_t a, uintmax_t b, const char *file, int line)
{
    cmocka_in_range(a, b, b, file, line);
}

/* The last one has no name. */
static inline int cmocka_run(const struct CMUnitTest *test)
{
    unsigned passed = 0;

    for (void *state = NULL; test->name != NULL; test++, passed++) {
        printf("%s\n", test->name);
        assert_true(test->setup_func == NULL || test->setup_func(&state) == 0);
        test->test_func(&state);
        assert_true(test->teardown_func == NULL || test->teardown_func(&state) == 0);
    }
    printf("[  PASSED  ] %u test(s).\n", passed);
    return 0;
}
