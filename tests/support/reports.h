#ifndef BIGSHUF_TESTS_REPORTS_H
#define BIGSHUF_TESTS_REPORTS_H

/* For tests of what reports failures: a scratch directory, a fault, and a system in which nothing fails at first. */

#include "support/faulty_sys.h"
#include "support/scratch.h"
#include "system/fault.h"


/* Nothing has been reported. */
static inline void forgive(void)
{
    fault_release();
    fault_init();
}

static inline int reports_setup(void **state)
{
    fault_init();
    faulty_reset();
    return scratch_setup(state);
}

static inline int reports_teardown(void **state)
{
    fault_release();
    faulty_reset();
    return scratch_teardown(state);
}

#endif
