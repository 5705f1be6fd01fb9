#include "support/unit.h"

#include "system/pages.h"

#include <string.h>

#include "system/sys.h"

enum { STEPS = 400, FIRST = PAGES_STEPS_UNTIMED };

/* What the system was asked for: of each step whether it should be huge pages. A step that is timed costs what those of
 * its kind cost there. */
static struct {
    uint8_t *memory;
    bool huge[STEPS];
    bool small;
    uint64_t (*cost)(size_t step, bool huge);
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

/* Every second reading is the end of a step. */
uint64_t sys_thread_nanoseconds(void)
{
    const size_t step = (size_t)(machine.pages.next - machine.memory) / PAGES_STEP;

    if (machine.readings++ % 2 == 1 && machine.cost != NULL)
        machine.now += machine.cost(step, machine.huge[step]);
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

/* Are these steps of one kind, but for those that may have been tried? */
static void assert_kind(bool huge, size_t first, size_t last)
{
    size_t others = 0;

    for (size_t i = first; i < last; i++)
        others += machine.huge[i] != huge;
    assert_in_range(others, 0, (last - first) / (PAGES_WINDOW_STEPS * PAGES_WINDOWS) + 1);
}

ON_A_MACHINE(little_memory_is_left_as_the_system_has_it)
{
    pages_init(&machine.pages, machine.memory, (FIRST + PAGES_WINDOW_STEPS + 1) * PAGES_STEP);
    use(FIRST + PAGES_WINDOW_STEPS + 1);
    assert_false(machine.small);
    assert_int_equal(machine.readings, 0);
}

ON_A_MACHINE(small_inputs_are_not_timed)
{
    pages_init(&machine.pages, machine.memory, STEPS * PAGES_STEP);
    use(FIRST);
    assert_true(machine.small);
    assert_int_equal(machine.readings, 0);
    for (unsigned i = 0; i < STEPS; i++)
        assert_false(machine.huge[i]);
}

static uint64_t cheap_huge(size_t step, bool huge)
{
    (void)step;
    return huge ? 100 : 700;
}

static uint64_t cheap_small(size_t step, bool huge)
{
    (void)step;
    return huge ? 4900 : 700;
}

/* There are a few huge pages that are cheap, more small ones, and then none. */
static size_t huge_end;

static uint64_t used_up(size_t step, bool huge)
{
    if (huge)
        return step < huge_end ? 100 : 4900;
    return step < 300 ? 700 : 6200;
}

ON_A_MACHINE(pages_are_huge_where_those_are_cheaper)
{
    machine.cost = cheap_huge;
    pages_init(&machine.pages, machine.memory, STEPS * PAGES_STEP);
    use(STEPS - FIRST);
    assert_kind(true, FIRST, STEPS - FIRST);
}

ON_A_MACHINE(pages_are_small_where_those_are_cheaper)
{
    machine.cost = cheap_small;
    pages_init(&machine.pages, machine.memory, STEPS * PAGES_STEP);
    use(STEPS - FIRST);
    assert_kind(false, FIRST, STEPS - FIRST);
}

ON_A_MACHINE(pages_that_cost_the_same_are_huge)
{
    pages_init(&machine.pages, machine.memory, STEPS * PAGES_STEP);
    use(STEPS - FIRST);
    assert_kind(true, FIRST, STEPS - FIRST);
}

/* It is seen when the next window begins. */
ON_A_MACHINE(what_is_cheaper_may_change)
{
    machine.cost = used_up;
    for (huge_end = FIRST + 2; huge_end < 200; huge_end++) {
        memset(machine.huge, 0, sizeof machine.huge);
        pages_init(&machine.pages, machine.memory, STEPS * PAGES_STEP);
        use(STEPS - FIRST);
        assert_kind(true, FIRST, huge_end);
        assert_kind(false, huge_end + 2 * PAGES_WINDOW_STEPS, 300);
        assert_kind(true, 300 + 2 * PAGES_WINDOW_STEPS, STEPS - FIRST - PAGES_WINDOW_STEPS);
    }
}

/* One step of a window is timed, of each fourth one a step of either kind. */
ON_A_MACHINE(few_steps_are_timed)
{
    machine.cost = cheap_huge;
    pages_init(&machine.pages, machine.memory, STEPS * PAGES_STEP);
    use(FIRST + 7 * PAGES_WINDOW_STEPS);
    assert_int_equal(machine.readings, 2 * (7 + 2));
}

ON_A_MACHINE(memory_may_begin_anywhere_and_be_used_at_once)
{
    const size_t page = sys_page_bytes();

    pages_init(&machine.pages, machine.memory + page, STEPS * PAGES_STEP - 2 * page);
    pages_reach(&machine.pages, machine.memory + STEPS * PAGES_STEP - page);
    assert_true(machine.huge[STEPS / 2]);
    assert_ptr_equal(machine.pages.next, machine.memory + STEPS * PAGES_STEP - page);
}
