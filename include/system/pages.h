#ifndef BIGSHUF_SYSTEM_PAGES_H
#define BIGSHUF_SYSTEM_PAGES_H

/*
 * Huge pages or small ones, whichever of them cost less here and now. Where memory is cleared and used at once, that is
 * huge ones. Where a virtual machine's host must find the memory first, it is those of which the system has some left
 * that were in use a moment ago, and that changes as they are used up. So both kinds are tried again and again, on
 * memory that is about to be used anyway.
 */

#include <stddef.h>
#include <stdint.h>

/*
 * Memory is looked at in steps of a huge page. The first ones are small pages that nobody touches before they are used,
 * so that small inputs take neither more memory nor time. The rest is divided into windows, each a little longer than
 * the one before, since the system bears only so many changes of kind. One step of a window is touched and timed, and
 * in every few windows one of the other kind.
 */
#define PAGES_STEP ((size_t)2 << 20)
enum { PAGES_STEPS_UNTIMED = 18, PAGES_WINDOW_STEPS = 16, PAGES_WINDOWS = 4 };

enum pages_kind { PAGES_SMALL, PAGES_HUGE };

struct pages {
    uint8_t *next;           /* the window that comes next; the end of memory when there is nothing left to decide */
    uint8_t *end;            /* of memory */
    size_t steps;            /* of the next window */
    unsigned window;         /* its number, from 0 */
    enum pages_kind kind;    /* of the last one */
    uint64_t nanoseconds[2]; /* for a step of either kind, when it was last timed */
};

/* Memory that was mapped just now, and begins with a page. If there is too little to try anything, it is left as the
 * system has it. */
void pages_init(struct pages *pages, uint8_t *memory, size_t bytes);

/* The first use of what comes before `end`; for pages_reach. */
void pages_advance(struct pages *pages, const uint8_t *end);

/* Before the first use of what comes before `end`. Not by two threads at the same time. */
static inline void pages_reach(struct pages *pages, const uint8_t *end)
{
    if (end > pages->next)
        pages_advance(pages, end);
}

#endif
