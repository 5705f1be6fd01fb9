#include "support/unit.h"

#include "temporary/pace.h"

#include <stdbool.h>

enum { MIB = 1 << 20, WRITE = 1 << 18 };

static struct pace pace;

static int setup(void **state)
{
    (void)state;
    pace_init(&pace);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    pace_release(&pace);
    return 0;
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* A world in which times are known: nanoseconds for a byte that is written into memory, for one that is to be on the
 * disk, and for one that is compressed; and what compressing leaves of 100 bytes. */
struct world {
    double write, disk, pack;
    unsigned left;
};

static struct world world;
static uint64_t asked_bytes, packed_bytes, samples, measurements;

static struct pace_part part(uint64_t bytes)
{
    return (struct pace_part){.fd = -1, .bytes = (off_t)bytes};
}

/* So many MiB come and are written. */
static void come(unsigned mebibytes)
{
    asked_bytes = packed_bytes = samples = measurements = 0;
    for (uint64_t left = (uint64_t)mebibytes * MIB; left > 0; left -= WRITE) {
        uint64_t bytes = WRITE;
        bool measured;

        if (pace_come(&pace, WRITE)) {
            const struct frames_sample sample = {65536, 65536 * world.left / 100, (uint64_t)(65536 * world.pack)};

            pace_sampled(&pace, &sample);
            samples++;
        }
        if (pace_advice(&pace) == PACE_PACKED) {
            packed_bytes += WRITE;
            bytes = bytes * world.left / 100;
        }
        measured = pace_measures(&pace, bytes);
        if (measured)
            pace_wrote(&pace, bytes, (uint64_t)((double)bytes * world.write));
        if (pace_asks(&pace, part(bytes))) {
            asked_bytes += pace.part_bytes;
            assert_false(pace_asks(&pace, part(bytes))); /* one at a time */
            pace_asked(&pace, (uint64_t)((double)pace.part_bytes * world.disk));
        }
        measurements += measured;
    }
}

TEST(a_fast_disk_is_left_alone)
{
    world = (struct world){.write = 0.4, .disk = 0.8, .pack = 2, .left = 50};
    come(4096);
    assert_true(packed_bytes == 0);
    assert_true(asked_bytes == 16 * MIB); /* once */
    assert_true(samples <= 4096 / 32 + 1);
    assert_true(measurements <= 4096);
}

TEST(a_disk_that_makes_every_write_wait_is_noticed_soon)
{
    world = (struct world){.write = 6.7, .disk = 6.7, .pack = 2, .left = 50};
    come(4096);
    assert_true(packed_bytes >= (uint64_t)4000 * MIB);
}

/* As it is with hundreds of gigabytes of memory: only asking tells. */
TEST(a_slow_disk_behind_much_memory_is_noticed_within_a_few_hundred_megabytes)
{
    world = (struct world){.write = 0.4, .disk = 6.7, .pack = 2, .left = 50};
    come(4096);
    assert_true(packed_bytes >= (uint64_t)3900 * MIB);
}

TEST(a_disk_that_becomes_slow_is_noticed)
{
    world = (struct world){.write = 0.4, .disk = 0.8, .pack = 2, .left = 50};
    come(1024);
    world.write = 20;
    come(1024);
    assert_true(packed_bytes >= (uint64_t)700 * MIB);
}

/* Compressed bytes may come slowly enough for memory to take them at once: that does not make the disk a fast one. */
TEST(a_slow_disk_stays_one)
{
    world = (struct world){.write = 6.7, .disk = 6.7, .pack = 2, .left = 50};
    come(1024);
    world.write = 0.4;
    come(2048);
    assert_true(packed_bytes == (uint64_t)2048 * MIB);
}

TEST(a_slow_disk_is_remembered_while_the_data_do_not_shrink)
{
    world = (struct world){.write = 0.4, .disk = 6.7, .pack = 2, .left = 100};
    come(1024);
    assert_true(packed_bytes == 0);
    world.left = 50;
    come(1024);
    assert_true(packed_bytes >= (uint64_t)960 * MIB);
}

/* It is asked again until it has told something; meanwhile, writes do. */
TEST(a_disk_that_cannot_be_asked_is_measured)
{
    world = (struct world){.write = 0.4, .disk = 0, .pack = 2, .left = 50};
    come(512);
    assert_true(asked_bytes > 64 * MIB && packed_bytes == 0);
    world.write = 20;
    come(512);
    assert_true(packed_bytes >= (uint64_t)300 * MIB);
}

TEST(what_does_not_shrink_is_never_compressed)
{
    world = (struct world){.write = 100, .disk = 100, .pack = 0.5, .left = 100};
    come(1024);
    assert_true(packed_bytes == 0);
    world.left = 50;
    come(1024);
    assert_true(packed_bytes >= (uint64_t)900 * MIB);
    world.left = 100;
    come(1024);
    assert_true(packed_bytes <= (uint64_t)64 * MIB);
}

TEST(what_shrinks_little_must_save_more_than_it_costs)
{
    world = (struct world){.write = 6, .disk = 6, .pack = 2, .left = 80};
    come(1024);
    assert_true(packed_bytes == 0);
    world.write = world.disk = 20;
    come(1024);
    assert_true(packed_bytes >= (uint64_t)700 * MIB);
}

TEST(threads_that_compress_side_by_side_save_more)
{
    world = (struct world){.write = 6, .disk = 6, .pack = 2, .left = 80};
    pace_use_threads(&pace, 2);
    come(1024);
    assert_true(packed_bytes >= (uint64_t)700 * MIB);
    pace_release(&pace);
    pace_init(&pace);
    pace_use_threads(&pace, 100);
    world.write = world.disk = 2;
    come(1024);
    assert_true(packed_bytes == 0);
}

TEST(on_a_disk_that_is_too_small_whatever_shrinks_is_compressed_at_once)
{
    world = (struct world){.write = 0.4, .disk = 0.8, .pack = 2, .left = 90};
    pace_press(&pace, 0.95);
    come(1024);
    assert_true(packed_bytes == (uint64_t)1024 * MIB);
    world.left = 100;
    come(1024);
    assert_true(packed_bytes <= (uint64_t)64 * MIB);
}

TEST(what_does_not_shrink_as_much_as_it_must_is_hopeless_at_once)
{
    world = (struct world){.write = 0.4, .disk = 0.4, .pack = 2, .left = 51};
    pace_press(&pace, 0.5);
    assert_false(pace_advice(&pace) == PACE_HOPELESS);
    come(1);
    assert_true(pace_advice(&pace) == PACE_HOPELESS);
}

/* From the next bytes on, as long as they shrink. */
TEST(on_a_disk_that_fills_whatever_shrinks_is_compressed)
{
    world = (struct world){.write = 0.4, .disk = 0.4, .pack = 2, .left = 90};
    come(100);
    assert_true(packed_bytes == 0);
    pace_press(&pace, 0);
    come(100);
    assert_true(packed_bytes == (uint64_t)100 * MIB);
    world.left = 100;
    come(1024);
    assert_true(packed_bytes <= (uint64_t)164 * MIB);
    assert_false(pace_advice(&pace) == PACE_HOPELESS);
}

TEST(what_shrinks_less_later_is_not_given_up)
{
    world = (struct world){.write = 0.4, .disk = 0.4, .pack = 2, .left = 50};
    pace_press(&pace, 0.5);
    come(1);
    world.left = 90;
    come(1024);
    assert_false(pace_advice(&pace) == PACE_HOPELESS);
}
