#pragma once

/*
 * What every unit test is made of: cmocka, and the program that runs the tests of a file. A test is written
 *
 *     UNIT_TEST(what_is_promised)
 *     {
 *         assert_true(...);
 *     }
 *
 * and is run for that; it need not be listed anywhere. To be included by the file of the tests, once.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { UNIT_TESTS_MAX = 128 };

/* Those without a name are none, for cmocka. */
static struct CMUnitTest unit_tests[UNIT_TESTS_MAX];

/* Done for each test before main. */
static inline void unit_add(struct CMUnitTest test)
{
    unsigned i = 0;

    while (unit_tests[i].name != NULL)
        if (++i == UNIT_TESTS_MAX)
            abort();
    unit_tests[i] = test;
}

/* A test between a cmocka fixture's set-up and tear-down; either may be NULL. */
#define UNIT_TEST_IN(name, setup, teardown)                                                                            \
    static void name(void);                                                                                            \
    static void name##_runs(void **state)                                                                              \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        name();                                                                                                        \
    }                                                                                                                  \
    __attribute__((constructor)) static void name##_is_added(void)                                                     \
    {                                                                                                                  \
        unit_add((struct CMUnitTest){#name, name##_runs, setup, teardown, NULL});                                      \
    }                                                                                                                  \
    static void name(void)

#define UNIT_TEST(name) UNIT_TEST_IN(name, NULL, NULL)

/* For each way of a list that this processor has: FOR_EACH_WAY(scan_way, way, scan_ways) { ... } */
#define FOR_EACH_WAY(type, way, list)                                                                                  \
    for (const struct type *way = (list); way->name != NULL; way++)                                                    \
        if (way->supported == NULL || way->supported())

/* Numbers below `bound`, the same in each run. */
static inline size_t below(size_t bound)
{
    static uint64_t x = 1;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (size_t)(x % bound);
}

int main(void)
{
    return cmocka_run_group_tests(unit_tests, NULL, NULL);
}
