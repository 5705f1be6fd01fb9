#include "support/unit.h"

#include "system/pages.h"

#include <string.h>

#include "system/sys.h"

enum { STEPS_AFTER = 10, STEPS = PAGES_STEPS_UNTIMED + 2 * PAGES_STEPS_TIMED + STEPS_AFTER };

/* What the system was asked for: of each step whether it should be huge pages, and how many pages of it are touched.
 * Memory is not mapped as the system would, and the clock goes by what is touched. */
static struct {
    uint8_t *memory;
    bool huge[STEPS];
    bool small;
    uint64_t small_cost; /* nanoseconds for each reading of the clock, after a step of this kind */
    uint64_t huge_cost;
    uint64_t now;
    unsigned readings;
    struct pages pages;
} machine;

void sys_huge_pages(void *memory, size_t bytes)
{
    const size_t first = (size_t)((uint8_t *)memory - machine.memory) / PAGES_STEP;

    for (size_t i = first; i < STEPS && i < first + (bytes + PAGES_STEP - 1) / PAGES_STEP; i++)
        machine.huge[i] = true;
}

void sys_small_pages(void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
    machine.small = true;
}

/* Every second reading is the end of a step: first a small one, then a huge one. */
uint64_t sys_thread_nanoseconds(void)
{
    const uint64_t cost[] = {0, machine.small_cost, 0, machine.huge_cost};

    machine.now += cost[machine.readings++ % 4];
    return machine.now;
}

static int open_machine(void **state)
{
    (void)state;
    memset(&machine, 0, sizeof machine);
    machine.memory = sys_map((STEPS + 1) * PAGES_STEP);
    assert_non_null(machine.memory);
    machine.memory += PAGES_STEP - (uintptr_t)machine.memory % PAGES_STEP;
    return 0;
}

static int close_machine(void **state)
{
    (void)state;
    return 0;
}

#define ON_A_MACHINE(name) UNIT_TEST_IN(name, open_machine, close_machine)

/* Use memory from front to back, up to `steps` steps, in blocks. */
static void use(unsigned steps)
{
    enum { BLOCK_BYTES = 4096 };

    for (size_t end = BLOCK_BYTES; end <= steps * PAGES_STEP; end += BLOCK_BYTES)
        pages_reach(&machine.pages, machine.memory + end);
}

UNIT_TEST(the_cheaper_pages_are_taken)
{
    assert_true(pages_are_cheaper_huge(300, 100));
    assert_false(pages_are_cheaper_huge(300, 301));
}

UNIT_TEST(pages_that_cost_the_same_are_huge)
{
    assert_true(pages_are_cheaper_huge(300, 300));
    assert_true(pages_are_cheaper_huge(0, 0));
}

ON_A_MACHINE(little_memory_is_left_as_the_system_has_it)
{
    pages_init(&machine.pages, machine.memory, (PAGES_STEPS_UNTIMED + 2 * PAGES_STEPS_TIMED) * PAGES_STEP);
    use(PAGES_STEPS_UNTIMED + 2 * PAGES_STEPS_TIMED);
    assert_false(machine.small);
    assert_int_equal(machine.readings, 0);
}

ON_A_MACHINE(small_inputs_are_not_timed)
{
    pages_init(&machine.pages, machine.memory, STEPS * PAGES_STEP);
    use(PAGES_STEPS_UNTIMED);
    assert_true(machine.small);
    assert_int_equal(machine.readings, 0);
    for (unsigned i = 0; i < STEPS; i++)
        assert_false(machine.huge[i]);
}

ON_A_MACHINE(both_kinds_are_tried_in_turn)
{
    pages_init(&machine.pages, machine.memory, STEPS * PAGES_STEP);
    use(PAGES_STEPS_UNTIMED + 2 * PAGES_STEPS_TIMED - 1);
    for (unsigned i = 0; i < 2 * PAGES_STEPS_TIMED - 1; i++)
        assert_int_equal(machine.huge[PAGES_STEPS_UNTIMED + i], i % 2);
    assert_int_equal(machine.readings, 2 * (2 * PAGES_STEPS_TIMED - 1));
}

ON_A_MACHINE(the_rest_is_huge_pages_where_they_are_cheaper)
{
    machine.small_cost = 700;
    machine.huge_cost = 150;
    pages_init(&machine.pages, machine.memory, STEPS * PAGES_STEP);
    use(STEPS);
    assert_int_equal(machine.pages.small_nanoseconds, PAGES_STEPS_TIMED * 700);
    assert_int_equal(machine.pages.huge_nanoseconds, PAGES_STEPS_TIMED * 150);
    for (unsigned i = STEPS - STEPS_AFTER; i < STEPS; i++)
        assert_true(machine.huge[i]);
    assert_int_equal(machine.readings, 4 * PAGES_STEPS_TIMED);
}

ON_A_MACHINE(the_rest_is_small_pages_where_they_are_cheaper)
{
    machine.small_cost = 700;
    machine.huge_cost = 4000;
    pages_init(&machine.pages, machine.memory, STEPS * PAGES_STEP);
    use(STEPS);
    for (unsigned i = STEPS - STEPS_AFTER; i < STEPS; i++)
        assert_false(machine.huge[i]);
    assert_int_equal(machine.readings, 4 * PAGES_STEPS_TIMED);
}

ON_A_MACHINE(memory_may_begin_anywhere_and_be_used_at_once)
{
    const size_t page = sys_page_bytes();

    pages_init(&machine.pages, machine.memory + page, STEPS * PAGES_STEP - 2 * page);
    pages_reach(&machine.pages, machine.memory + STEPS * PAGES_STEP - page);
    assert_int_equal(machine.readings, 4 * PAGES_STEPS_TIMED);
    assert_true(machine.huge[STEPS - 1]);
}
