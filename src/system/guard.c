#include "system/guard.h"

#include <stdatomic.h>

static _Atomic(const struct guard *) guarded;

void guard_set(const struct guard *guard)
{
    atomic_store(&guarded, guard);
}

void guard_access_failed(const void *address)
{
    const struct guard *guard = atomic_load(&guarded);
    const uint8_t *at = address;

    if (guard != NULL && at >= guard->memory && at < guard->memory + guard->bytes)
        guard->failed(guard->context, at);
}
