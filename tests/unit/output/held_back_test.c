/* What is held comes back as it was, from memory or from a temporary file that is not trusted. */

#include "support/disk.h"

#include "output/held_back.h"
#include "support/scratch.h"
#include "support/unit.h"

enum { LARGE_BYTES = 5 * HELD_BACK_MEMORY_BYTES + 123 };

static const char *const directories[] = {"disk0"};
static struct spill_place place;
static uint8_t data[LARGE_BYTES];

static int setup(void **state)
{
    if (scratch_setup(state) != 0 || mkdir("disk0", 0700) != 0)
        return -1;
    memset(&place, 0, sizeof place);
    place.directory = directories;
    place.directories = 1;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 0x9e3779b97f4a7c15 >> 40);
    return disk_reset();
}

/* No file is left open. */
static int teardown(void **state)
{
    return scratch_teardown(state) == 0 && disk.files == 0 ? 0 : -1;
}

static size_t came_back;

static void compare(void *context, uint8_t *part, size_t bytes)
{
    (void)context;
    assert_true(came_back + bytes <= LARGE_BYTES);
    assert_memory_equal(part, data + came_back, bytes);
    memset(part, 0, bytes); /* it may be changed */
    came_back += bytes;
}

/* Hold so many bytes, appended in pieces, and have them back. */
static void hold_and_drain(struct held_back *hold, size_t bytes, size_t piece)
{
    came_back = 0;
    for (size_t at = 0; at < bytes; at += piece)
        held_back_append(hold, data + at, bytes - at < piece ? bytes - at : piece);
    held_back_drain(hold, compare, NULL);
    held_back_drain(hold, compare, NULL);
    assert_int_equal(came_back, bytes);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

TEST(what_is_held_comes_back_again_and_again)
{
    static const size_t sizes[] = {0,
                                   1,
                                   100,
                                   HELD_BACK_MEMORY_BYTES - 1,
                                   HELD_BACK_MEMORY_BYTES,
                                   HELD_BACK_MEMORY_BYTES + 1,
                                   2 * HELD_BACK_MEMORY_BYTES,
                                   LARGE_BYTES,
                                   5};
    struct held_back held = {.place = &place};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t piece = 999; piece < 2 * (size_t)LARGE_BYTES; piece *= 9)
            hold_and_drain(&held, sizes[i], piece);
    held_back_release(&held);
}

TEST(a_little_needs_no_file)
{
    struct held_back held = {.place = &place};

    hold_and_drain(&held, HELD_BACK_MEMORY_BYTES, 1000);
    assert_int_equal(disk.made[0], 0);
    held_back_release(&held);
    held_back_release(&held);
}

TEST(what_is_never_asked_for_leaves_no_file)
{
    struct held_back held = {.place = &place};

    held_back_append(&held, data, LARGE_BYTES);
    assert_int_equal(disk.files, 1);
    held_back_release(&held);
}

static void fail_on_any(void *context, uint8_t *part, size_t bytes)
{
    (void)context;
    (void)part;
    (void)bytes;
    fail_msg("handed over");
}

TEST(nothing_is_handed_over_of_a_temporary_file_that_has_changed)
{
    for (unsigned read = 1; read <= 6; read++) {
        struct held_back held = {.place = &place};

        held_back_append(&held, data, LARGE_BYTES);
        if (scratch_begin_end()) {
            disk.flip_read = read;
            held_back_drain(&held, fail_on_any, NULL);
            _exit(99);
        }
        assert_non_null(strstr(scratch_ended(), "disk0"));
        held_back_release(&held);
    }
}

TEST(a_temporary_file_that_is_cut_short_is_a_failure)
{
    struct held_back held = {.place = &place};

    held_back_append(&held, data, LARGE_BYTES);
    disk.cut = true;
    assert_ends(held_back_drain(&held, fail_on_any, NULL),
                "bigshuf: temporary file in disk0: file is shorter than what was written\n");
    held_back_release(&held);
}

TEST(missing_memory_is_reported)
{
    struct held_back held = {.place = &place};

    disk.fail_allocation = 1;
    assert_ends(held_back_append(&held, data, 1), "bigshuf: memory: Cannot allocate memory\n");
}
