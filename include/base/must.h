#pragma once

/*
 * What must hold, said where it is relied on. MUST is checked in hostile and sanitizer builds (BIGSHUF_CHECKED), and
 * costs nothing in the usual one, where its condition is not evaluated: so it may keep books of its own. MUST_ALWAYS is
 * checked in all builds: for a branch beside a lock, or one that is taken seldom. If the condition does not hold, the
 * program prints where, and aborts.
 */

#include <stdio.h>
#include <stdlib.h>

#define MUST_ALWAYS(condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "bigshuf: a mistake in %s:%d: must hold: %s\n", __FILE__, __LINE__, #condition);           \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#ifdef BIGSHUF_CHECKED
#define MUST(condition) MUST_ALWAYS(condition)
#else
#define MUST(condition) ((void)sizeof(condition))
#endif
