/* Bytes that are held back come out as they came, through a buffer that is never exceeded. */

#include "support/scratch.h"
#include "support/unit.h"

#include "output/held_back.h"

static size_t drained;

static void drain(void *context, uint8_t *data, size_t bytes)
{
    (void)context;
    assert_in_range(bytes, 1, HELD_BACK_MEMORY_BYTES);
    for (size_t i = 0; i < bytes; i++, drained++)
        assert_int_equal(data[i], drained % 251);
}

UNIT_TEST_IN(what_is_held_back_in_pieces_of_any_size_comes_out_as_often_as_wanted, scratch_setup, scratch_teardown)
{
    enum { MOST = 3 * HELD_BACK_MEMORY_BYTES };
    static const char *const directories[] = {"."};
    static const size_t all[] = {1, HELD_BACK_MEMORY_BYTES, HELD_BACK_MEMORY_BYTES + 1, MOST},
                        pieces[] = {777, HELD_BACK_MEMORY_BYTES, MOST};
    static uint8_t data[MOST];
    struct spill_place place;
    struct held_back held = {.place = &place};

    spill_place_init(&place, directories, 1, SPILL_NEVER);
    for (size_t i = 0; i < MOST; i++)
        data[i] = (uint8_t)(i % 251);
    for (size_t i = 0; i < 12; i++) {
        for (size_t at = 0, bytes; at < all[i / 3]; at += bytes) {
            bytes = all[i / 3] - at < pieces[i % 3] ? all[i / 3] - at : pieces[i % 3];
            held_back_append(&held, data + at, bytes);
        }
        drained = 0;
        held_back_drain(&held, drain, NULL);
        assert_int_equal(drained, all[i / 3]);
    }
    held_back_release(&held);
    spill_place_release(&place);
}
