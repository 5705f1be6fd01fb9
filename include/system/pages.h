#ifndef BIGSHUF_SYSTEM_PAGES_H
#define BIGSHUF_SYSTEM_PAGES_H

/*
 * Huge pages or small ones, whichever of them cost less here: where memory is cleared and used at once, that is huge
 * ones; where a virtual machine's host must find the memory first, it may be either. So both are tried, on memory that
 * is about to be used anyway, and the rest goes on with the cheaper ones.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory is looked at in steps of a huge page. The first ones are small pages that nobody touches before they are used,
 * so that small inputs take neither more memory nor time; then come as many of either kind, in turn, touched and timed.
 */
#define PAGES_STEP ((size_t)2 << 20)
enum { PAGES_STEPS_UNTIMED = 18, PAGES_STEPS_TIMED = 8 };

struct pages {
    uint8_t *memory;
    size_t bytes;
    uint8_t *next; /* the step that comes next; the end of memory when there is nothing left to decide */
    unsigned step; /* its number, from 0 */
    uint64_t small_nanoseconds;
    uint64_t huge_nanoseconds;
};

/* Memory that was mapped just now, and begins with a page. If there is too little to try anything, it is left as the
 * system has it. */
void pages_init(struct pages *pages, uint8_t *memory, size_t bytes);

/* What the trial has taken: should the rest be huge pages? */
bool pages_are_cheaper_huge(uint64_t small_nanoseconds, uint64_t huge_nanoseconds);

/* The first use of what comes before `end`; for pages_reach. */
void pages_advance(struct pages *pages, const uint8_t *end);

/* Before the first use of what comes before `end`. Not by two threads at the same time. */
static inline void pages_reach(struct pages *pages, const uint8_t *end)
{
    if (end > pages->next)
        pages_advance(pages, end);
}

#endif
