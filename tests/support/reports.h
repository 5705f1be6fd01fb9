#pragma once

/* For tests of what reports failures: a scratch directory, and a system in which nothing fails at first. */

#include "support/faulty_sys.h"
#include "support/scratch.h"

static inline int reports_setup(void **state)
{
    faulty_reset();
    return scratch_setup(state);
}

static inline int reports_teardown(void **state)
{
    faulty_reset();
    return scratch_teardown(state);
}
