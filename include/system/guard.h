#pragma once

/* Memory in which files are mapped. Reading it fails (SIGBUS) when a file has become shorter or its disk cannot be
 * read: then `failed` is called, in the thread that reads, and ends the run. */

#include <stddef.h>
#include <stdint.h>

struct guard {
    const uint8_t *memory;
    size_t bytes;
    void (*failed)(void *context, const uint8_t *address);
    void *context;
};
void guard_set(const struct guard *guard); /* must stay until the next call; NULL: there is none any more */

/* For signals.c: the thread's own access at this address has failed, outside of any function that must not be
 * interrupted, so that any function may be called. Returns if that is not guarded. */
void guard_access_failed(const void *address);
