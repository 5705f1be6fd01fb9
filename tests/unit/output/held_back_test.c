/* Bytes that are held back in pieces of any size come out as they came, and may be held back again. */

#include "support/scratch.h"
#include "support/unit.h"

#include "base/arithmetic.h"
#include "output/held_back.h"

static size_t drained;

static void drain(void *context, uint8_t *data, size_t bytes)
{
    (void)context;
    for (size_t i = 0; i < bytes; i++, drained++)
        assert_int_equal(data[i], drained % 251);
}

UNIT_TEST_IN(what_is_held_back_comes_out, scratch_setup, scratch_teardown)
{
    static const size_t all[] = {1, HELD_BACK_MEMORY_BYTES + 1, 3 * HELD_BACK_MEMORY_BYTES}, pieces[] = {777, 100000};
    static uint8_t data[3 * HELD_BACK_MEMORY_BYTES];
    struct spill_place place;
    struct held_back held = {.place = &place};

    spill_place_init(&place, (const char *[]){"."}, 1, SPILL_NEVER);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i % 251);
    for (size_t i = 0; i < 6; i++) {
        for (size_t at = 0; at < all[i / 2]; at += pieces[i % 2])
            held_back_append(&held, data + at, least_size(all[i / 2] - at, pieces[i % 2]));
        drained = 0;
        held_back_drain(&held, drain, NULL);
        assert_int_equal(drained, all[i / 2]);
    }
    held_back_release(&held);
    spill_place_release(&place);
}
