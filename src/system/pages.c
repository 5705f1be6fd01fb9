/*
 * Processor time is what is measured: other programs do not count, while the time that a host takes to find memory
 * does, since the processor seems busy to its guest. The first touch of 64 MiB on such a machine (AMD EPYC), in
 * milliseconds: 3 with huge pages that were in use a second ago and 22 with small ones; else 150 and 100 to 200. Of 1
 * GB, the former were used up after 200 MB for huge pages, and after 900 MB for small ones.
 *
 * The first 512 blocks, one for each pile, are up to 32 MiB, of which a small input uses little: the trial comes later.
 */

#include "system/pages.h"

#include "system/sys.h"

void pages_init(struct pages *pages, uint8_t *memory, size_t bytes)
{
    const size_t over = (uintptr_t)memory % PAGES_STEP;

    *pages = (struct pages){.next = memory + bytes, .end = memory + bytes, .steps = PAGES_WINDOW_STEPS};
    if (bytes / PAGES_STEP <= PAGES_STEPS_UNTIMED + PAGES_WINDOW_STEPS + 1)
        return;
    pages->next = memory + (PAGES_STEP - over) % PAGES_STEP + PAGES_STEPS_UNTIMED * PAGES_STEP;
    sys_small_pages(memory, bytes);
}

/* Touch every page of the next step, and see how long it takes. */
static void try_step(struct pages *pages, enum pages_kind kind)
{
    volatile uint8_t *memory = pages->next;
    const size_t page = sys_page_bytes();
    uint64_t start;

    if (kind == PAGES_HUGE)
        sys_huge_pages(pages->next, PAGES_STEP);
    start = sys_thread_nanoseconds();
    for (size_t i = 0; i < PAGES_STEP; i += page)
        memory[i] = 0;
    pages->nanoseconds[kind] = sys_thread_nanoseconds() - start;
    pages->next += PAGES_STEP;
}

static void decide_window(struct pages *pages)
{
    const enum pages_kind kind = pages->kind;
    uint8_t *end = pages->next + pages->steps * PAGES_STEP;

    try_step(pages, kind);
    if (pages->window % PAGES_WINDOWS == 0)
        try_step(pages, kind == PAGES_HUGE ? PAGES_SMALL : PAGES_HUGE);
    pages->kind = pages->nanoseconds[PAGES_HUGE] <= pages->nanoseconds[PAGES_SMALL] ? PAGES_HUGE : PAGES_SMALL;
    if (pages->kind == PAGES_HUGE)
        sys_huge_pages(pages->next, (size_t)(end - pages->next));
    pages->next = end;
    pages->steps += pages->steps / PAGES_WINDOW_STEPS;
    pages->window++;
}

void pages_advance(struct pages *pages, const uint8_t *end)
{
    while (pages->next < end && (size_t)(pages->end - pages->next) / PAGES_STEP >= pages->steps)
        decide_window(pages);
    if (pages->next < end)
        pages->next = pages->end;
}
