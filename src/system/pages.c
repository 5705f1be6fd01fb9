/*
 * Processor time is what is measured: other programs do not count, while the time that a host takes to find memory
 * does, since the processor seems busy to its guest. (The first touch of 1 GB on a virtual machine, in seconds: 0.34 to
 * 0.54 with small pages, 0.13 with huge ones that the host still had, 0.2 to 0.4 with others; up to 2.5 has been seen.)
 *
 * The first 512 blocks, one for each pile, are up to 32 MiB, of which a small input uses little: the trial comes later.
 */

#include "system/pages.h"

#include "system/sys.h"

enum { STEPS = PAGES_STEPS_UNTIMED + 2 * PAGES_STEPS_TIMED };

void pages_init(struct pages *pages, uint8_t *memory, size_t bytes)
{
    const size_t over = (uintptr_t)memory % PAGES_STEP;

    *pages = (struct pages){.memory = memory, .bytes = bytes, .next = memory + bytes};
    if (bytes / PAGES_STEP <= STEPS + 1)
        return;
    pages->next = memory + (PAGES_STEP - over) % PAGES_STEP;
    sys_small_pages(memory, bytes);
}

bool pages_are_cheaper_huge(uint64_t small_nanoseconds, uint64_t huge_nanoseconds)
{
    return huge_nanoseconds <= small_nanoseconds;
}

/* Touch every page of a step. Returns how long it took. */
static uint64_t touch(volatile uint8_t *memory)
{
    const size_t page = sys_page_bytes();
    const uint64_t start = sys_thread_nanoseconds();

    for (size_t i = 0; i < PAGES_STEP; i += page)
        memory[i] = 0;
    return sys_thread_nanoseconds() - start;
}

static void try_step(struct pages *pages)
{
    if (pages->step < PAGES_STEPS_UNTIMED)
        return;
    if (pages->step % 2 == 0) {
        pages->small_nanoseconds += touch(pages->next);
    } else {
        sys_huge_pages(pages->next, PAGES_STEP);
        pages->huge_nanoseconds += touch(pages->next);
    }
}

void pages_advance(struct pages *pages, const uint8_t *end)
{
    for (; pages->next < end && pages->step < STEPS; pages->next += PAGES_STEP, pages->step++)
        try_step(pages);
    if (pages->step < STEPS)
        return;
    if (pages_are_cheaper_huge(pages->small_nanoseconds, pages->huge_nanoseconds))
        sys_huge_pages(pages->next, (size_t)(pages->memory + pages->bytes - pages->next));
    pages->next = pages->memory + pages->bytes;
}
