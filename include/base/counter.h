#ifndef BIGSHUF_BASE_COUNTER_H
#define BIGSHUF_BASE_COUNTER_H

/* A number that any thread and any signal handler may look at while it is changed. Either one thread at a time changes
 * it, which costs no more than another number does, or all that do use counter_add_shared. */

#include <stdatomic.h>
#include <stdint.h>

typedef atomic_uint_least64_t counter;

static inline uint64_t counter_get(const counter *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

static inline void counter_set(counter *number, uint64_t value)
{
    atomic_store_explicit(number, value, memory_order_relaxed);
}

static inline void counter_add(counter *number, uint64_t more)
{
    counter_set(number, counter_get(number) + more);
}

static inline void counter_add_shared(counter *number, uint64_t more)
{
    atomic_fetch_add_explicit(number, more, memory_order_relaxed);
}

static inline void counter_subtract(counter *number, uint64_t less)
{
    counter_set(number, counter_get(number) - less);
}

#endif
