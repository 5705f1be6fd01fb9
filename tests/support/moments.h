/*
 * Included before every file of the hostile build: what a thread can wait at, or be overtaken at, goes through
 * moments.c, which decides who runs on. Names are exchanged, so that the headers declare what stands here. Counters
 * that are read and written relaxed are left alone: they are for the display. System calls come by as they count
 * themselves (faulty_sys.c).
 */
#pragma once

#include <stdatomic.h>

#define pthread_create         moments_create
#define pthread_join           moments_join
#define pthread_mutex_lock     moments_lock
#define pthread_mutex_unlock   moments_unlock
#define pthread_cond_wait      moments_wait
#define pthread_cond_timedwait moments_timedwait
#define pthread_cond_signal    moments_signal
#define pthread_cond_broadcast moments_broadcast

/* Others may run now. */
void moments_pass(void);

/* Before and after. */
#define MOMENTS_AROUND(type, expression)                                                                               \
    __extension__({                                                                                                    \
        moments_pass();                                                                                                \
        type moments_value = (expression);                                                                             \
        moments_pass();                                                                                                \
        moments_value;                                                                                                 \
    })

#undef atomic_load
#undef atomic_store
#undef atomic_exchange
#undef atomic_fetch_add
#undef atomic_fetch_sub
#undef atomic_compare_exchange_weak
#define atomic_load(at)         MOMENTS_AROUND(__auto_type, atomic_load_explicit(at, memory_order_seq_cst))
#define atomic_store(at, value) (moments_pass(), atomic_store_explicit(at, value, memory_order_seq_cst), moments_pass())
#define atomic_exchange(at, value)                                                                                     \
    MOMENTS_AROUND(__auto_type, atomic_exchange_explicit(at, value, memory_order_seq_cst))
#define atomic_fetch_add(at, value)                                                                                    \
    MOMENTS_AROUND(__auto_type, atomic_fetch_add_explicit(at, value, memory_order_seq_cst))
#define atomic_fetch_sub(at, value)                                                                                    \
    MOMENTS_AROUND(__auto_type, atomic_fetch_sub_explicit(at, value, memory_order_seq_cst))
#define atomic_compare_exchange_weak(at, before, value)                                                                \
    MOMENTS_AROUND(                                                                                                    \
        _Bool, atomic_compare_exchange_weak_explicit(at, before, value, memory_order_seq_cst, memory_order_seq_cst))
