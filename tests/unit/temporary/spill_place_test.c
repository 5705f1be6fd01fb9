/* When compressing is worth while; and what temporary directories have, where disks are not to be had for a test. */

#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>

#include "system/sys.h"
#include "temporary/spill.h"

static const char *const directories[] = {".", ".."};
static struct spill_place place;
static uint64_t room;

static int setup(void **state)
{
    room = UINT64_MAX;
    spill_place_init(&place, directories, 1, SPILL_NEVER);
    return reports_setup(state);
}

static int teardown(void **state)
{
    spill_place_release(&place);
    return reports_teardown(state);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

int sys_free_space(int fd, uint64_t *bytes)
{
    (void)fd;
    *bytes = room;
    return 0;
}

/* As systems that have no files without names say. */
int sys_open_anonymous(int directory, const char *name, mode_t mode)
{
    (void)directory;
    (void)name;
    (void)mode;
    errno = ENOTSUP;
    return -1;
}

TEST(the_room_of_a_file_system_counts_once)
{
    room = (uint64_t)3 << 20;
    spill_place_release(&place);
    spill_place_init(&place, directories, 2, SPILL_NEVER);
    spill_place_check(&place, room);
    if (scratch_begin_end()) {
        spill_place_check(&place, room + 1);
        _exit(99);
    }
    if (strstr(scratch_ended(), "3 MiB are free") == NULL)
        fail_msg("the message is: %s", scratch.text);
}

/* As it is of a file that is open, and that NFS has to give another name. */
TEST(a_name_that_cannot_be_removed_at_first_is_removed_later)
{
    faulty_fail("unlink", 1, ENOSPC);
    assert_int_equal(spill_place_make_file("."), -1);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(scratch_count("."), 0);
}

/* 2 w (1 - r) against 1.25 c, where c is 2 nanoseconds, or counts for 1. */
TEST(what_shrinks_little_must_save_more_than_it_costs)
{
    static const struct {
        double write_cost;
        unsigned threads;
        bool pressed;
        double left;
        bool packs;
    } rows[] = {
        {0, 1, false, 0.10, false}, /* nothing is known of the disk */
        {6, 1, false, 0.80, false}, {6, 1, false, 0.79, true}, {6, 1, false, 1, false}, {6, 2, false, 0.89, true},
        {6, 2, false, 0.90, false}, {6, 2, true, 0.99, true},  {6, 2, true, 1, false},
    };
    struct iovec piece = {.iov_base = "x", .iov_len = 1};

    place.packing = SPILL_AUTO;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        place.threads = rows[i].threads;
        place.pace = (struct spill_pace){
            .pressed = rows[i].pressed, .write_cost = rows[i].write_cost, .pack_cost = 2, .left = rows[i].left};
        atomic_store(&place.plain, 1); /* no other sample yet */
        if (spill_place_packs(&place, &piece, 1, 1) != rows[i].packs)
            fail_msg("row %zu", i);
    }
}
