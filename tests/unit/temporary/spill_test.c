#include "support/disk.h"

#include "support/engine.h"
#include "support/faulty_sys.h"
#include "support/known_bytes.h"
#include "support/scratch.h"
#include "support/unit.h"
#include "temporary/spill.h"

enum { PILES_MAX = 40, PIECES_MAX = 150, PIECE_MAX = 3000, ALL_MAX = 3 << 20 };

static const char *const directories[] = {"disk0", "disk1", "disk2"};
static struct spill_place place;

/* What the running test writes to. */
static struct storage *spill;
static uint64_t bytes[PILES_MAX]; /* in each pile */
static uint64_t random_state;

/* The clock goes on by so much for each byte that is written, and for each that is waited for. */
static unsigned write_nanoseconds, disk_nanoseconds;
static uint64_t waited_nanoseconds, awaited_bytes;

bool sys_own_nanoseconds(uint64_t *nanoseconds)
{
    *nanoseconds = disk.written_bytes * write_nanoseconds + waited_nanoseconds;
    return true;
}

void sys_await_disk(int fd)
{
    const uint64_t bytes_of_file = (uint64_t)lseek(fd, 0, SEEK_END);

    awaited_bytes += bytes_of_file;
    waited_nanoseconds += bytes_of_file * disk_nanoseconds;
}

static void close_spill(void)
{
    storage_free(spill);
    spill = NULL;
}

/* In place of the one before. */
static void open_spill(unsigned piles)
{
    close_spill();
    spill = spill_open(&place, piles);
    assert_non_null(spill);
    memset(bytes, 0, sizeof bytes);
    random_state = 1;
}

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    for (int i = 0; i < 3; i++)
        if (mkdir(directories[i], 0700) != 0)
            return -1;
    known_bytes_period = KNOWN_BYTES;
    write_nanoseconds = disk_nanoseconds = 0;
    waited_nanoseconds = awaited_bytes = 0;
    spill_place_init(&place, directories, 1, SPILL_NEVER);
    return disk_reset();
}

/* No file is left, open or by name. */
static int teardown(void **state)
{
    int result;

    close_spill();
    result = disk.files == 0 ? 0 : -1;
    for (int i = 0; i < 3; i++)
        if (scratch_count(directories[i]) != 0)
            result = -1;
    spill_place_release(&place);
    return scratch_teardown(state) == 0 ? result : -1;
}

/* Append to a pile in `count` pieces. */
static void append(unsigned pile, int count)
{
    static uint8_t data[PIECES_MAX * PIECE_MAX];
    struct iovec pieces[PIECES_MAX];
    size_t total = 0;

    for (int i = 0; i < count; i++) {
        pieces[i] = (struct iovec){.iov_base = data + total, .iov_len = 1 + engine_random(&random_state) % PIECE_MAX};
        total += pieces[i].iov_len;
    }
    known_bytes_put(data, total, pile, bytes[pile]);
    storage_write(spill, pile, pieces, count);
    bytes[pile] += total;
}

/* The next `length` bytes, from `offset` on. */
static void assert_goes_on(struct storage_reader *reader, uint64_t offset, uint64_t length, int count)
{
    static uint8_t data[ALL_MAX];
    struct iovec pieces[PIECES_MAX];

    assert_true(length <= ALL_MAX);
    for (int i = 0; i < count; i++) {
        uint64_t from = length * (uint64_t)i / (uint64_t)count;
        uint64_t to = length * (uint64_t)(i + 1) / (uint64_t)count;

        pieces[i] = (struct iovec){.iov_base = data + from, .iov_len = (size_t)(to - from)};
    }
    memset(data, 0, (size_t)length);
    storage_reader_read(reader, pieces, count);
    if (!known_bytes_are(data, (size_t)length, reader->pile, offset))
        fail_msg("pile %u, bytes from %lu on", reader->pile, (unsigned long)offset);
}

/* All of a pile, at once in so many pieces, and in steps of random lengths. */
static void assert_reads(unsigned pile, int count)
{
    struct storage_reader reader;
    uint64_t step;

    storage_reader_init(&reader, spill, pile);
    assert_true(reader.left == bytes[pile]);
    assert_goes_on(&reader, 0, bytes[pile], count);
    storage_reader_release(&reader);
    storage_reader_init(&reader, spill, pile);
    for (uint64_t offset = 0; offset < bytes[pile]; offset += step) {
        step = 1 + engine_random(&random_state) % 200000;
        step = step < bytes[pile] - offset ? step : bytes[pile] - offset;
        assert_goes_on(&reader, offset, step, 1 + (int)(engine_random(&random_state) % 5));
    }
    storage_reader_release(&reader);
}

/* Write to `piles` piles by turns until each has about `most` bytes; read all of each, at once and in steps. */
static void write_and_read(unsigned piles, uint64_t most)
{
    uint64_t total = 0;

    open_spill(piles);
    random_state = piles;
    assert_int_equal(disk.files, 0);
    for (bool written = true; written;) {
        written = false;
        for (unsigned p = 0; p < piles; p++)
            if (bytes[p] < most && engine_random(&random_state) % 4 != 0) {
                append(p, 1 + (int)(engine_random(&random_state) % PIECES_MAX));
                written = true;
            }
        written |= bytes[0] < most;
    }
    for (unsigned p = 0; p < piles; p++) {
        total += bytes[p];
        assert_reads(p, p % 2 == 0 ? 7 : PIECES_MAX);
    }
    assert_true(place.bytes == disk.written_bytes);
    assert_true(place.packing != SPILL_NEVER || disk.written_bytes == total);
    close_spill();
}

#define IN_SCRATCH(name) UNIT_TEST_IN(name, setup, teardown)

/* A disk that is new, and bytes that are stored as they are or in frames, where they take less. */
static void begin(bool packed)
{
    disk_reset();
    atomic_store(&place.bytes, 0);
    atomic_store(&place.plain, 0);
    place.packing = packed ? SPILL_ALWAYS : SPILL_NEVER;
    place.pace = (struct spill_pace){.pressed = false};
    known_bytes_period = packed ? 1021 : KNOWN_BYTES;
}

IN_SCRATCH(what_was_written_is_read_in_any_pieces)
{
    for (int packed = 0; packed < 2; packed++) {
        begin(packed);
        write_and_read(1, 1 << 20);
        begin(packed);
        write_and_read(7, 600000);
        assert_int_equal(disk.made[0], 7);
        assert_int_equal(atomic_load(&place.bytes) < atomic_load(&place.plain), packed);
    }
}

IN_SCRATCH(piles_share_files_where_descriptors_are_few)
{
    disk.descriptors = 8;
    write_and_read(11, 2500000);                        /* over several stripes */
    assert_true(disk.made[0] > 1 && disk.made[0] <= 4); /* half of them are left for later */
}

/* Also in the middle of a frame. */
IN_SCRATCH(a_pile_goes_on_in_the_next_directory_when_one_is_full)
{
    static const uint64_t rooms[] = {0, 1, 2, 3, 4, 5, 1000, 4096, 123457, 500001};

    place.directories = 3;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        for (int packed = 0; packed < 2; packed++) {
            begin(packed);
            disk.room[0] = packed && rooms[i] > 1000 ? 5000 : rooms[i];
            disk.room[2] = disk.room[0] / 2;
            write_and_read(1, 600000);
            assert_int_equal(disk.room[0], 0);
            assert_int_equal(disk.made[1], 1);
            begin(packed);
            disk.room[0] = disk.room[1] = rooms[i];
            write_and_read(8, 100000);
        }
}

IN_SCRATCH(a_dropped_pile_has_given_its_space_back_and_can_be_written_again)
{
    static const unsigned descriptors[] = {0, 4};

    for (int i = 0; i < 2; i++) {
        unsigned files;

        begin(false);
        place.directories = 2;
        disk.descriptors = descriptors[i]; /* a file each, or one for all in each directory */
        disk.room[1] = 1000000;
        disk.room[0] = 1500000;
        open_spill(6);
        for (unsigned p = 1; p < 4; p++)
            while (bytes[p] < 600000)
                append(p, 50);
        files = disk.files;
        storage_drop(spill, 3); /* which is in both directories */
        if (descriptors[i] == 0)
            assert_int_equal(disk.files, files - 2);
        else
            assert_true(disk.punched_bytes == bytes[3]);
        assert_reads(1, 3);
        bytes[3] = 0;
        disk.room[0] = disk.room[1] = UINT64_MAX;
        append(3, 100);
        assert_reads(3, 3);
        assert_reads(2, 3);
        storage_drop(spill, 5);
        close_spill();
    }
}

IN_SCRATCH(what_was_read_is_given_back_and_no_more)
{
    for (int i = 0; i < 3; i++) {
        struct storage_reader reader;
        uint64_t before;

        begin(i == 2);
        disk.descriptors = i == 1 ? 2 : 0;
        open_spill(3);
        for (unsigned p = 0; p < 3; p++)
            while (bytes[p] < 1500000)
                append(p, PIECES_MAX);
        storage_reader_init(&reader, spill, 1);
        assert_goes_on(&reader, 0, 1000001, 3);
        storage_reader_discard(&reader);
        before = disk.punched_bytes;
        assert_true(i == 2 ? before > disk.written_bytes / 5 : before == 1000001);
        assert_goes_on(&reader, 1000001, 200000, 3);
        storage_reader_discard(&reader);
        assert_true(i == 2 || disk.punched_bytes == 1200001);
        assert_goes_on(&reader, 1200001, bytes[1] - 1200001, 3);
        storage_reader_release(&reader);
        assert_reads(0, 3);
        assert_reads(2, 3);
        close_spill();
    }
}

/* As it is of a file that is open, and that NFS has to give another name. */
IN_SCRATCH(a_name_that_cannot_be_removed_at_first_is_removed_later)
{
    disk.names = true;
    faulty_fail("unlink", 1, ENOSPC);
    assert_int_equal(spill_place_make_file(directories[0]), -1);
    assert_int_equal(errno, ENOSPC);
    assert_true(faulty_stop());
}

IN_SCRATCH(a_check_counts_a_file_system_once)
{
    place.directories = 2;
    disk.one = true;
    disk.room[0] = disk.room[1] = (uint64_t)3 << 20;
    spill_place_check(&place, (uint64_t)3 << 20);
    assert_ends_about(spill_place_check(&place, ((uint64_t)3 << 20) + 1), "3 MiB are free");
}

/* ---- Compressed if it is worth while ---- */

/* Are bytes packed after samples of which so much of 100 was left, which took 2 ns a byte? */
static bool packs(unsigned left)
{
    struct iovec piece = {.iov_base = "x", .iov_len = 1};

    place.packing = SPILL_AUTO;
    atomic_store(&place.plain, 1); /* no other sample yet */
    place.pace.left = left / 100.0;
    place.pace.pack_cost = 2;
    return spill_place_packs(&place, &piece, 1, 1);
}

/* 2 w (1 - r) against 1.25 c, where c is 2 nanoseconds, or counts for 1. */
IN_SCRATCH(what_shrinks_little_must_save_more_than_it_costs)
{
    assert_false(packs(10)); /* nothing is known of the disk */
    place.pace.write_cost = 6;
    assert_false(packs(80));
    assert_true(packs(79));
    assert_false(packs(100));
    place.threads = 2;
    assert_true(packs(89));
    assert_false(packs(90));
    place.pace.pressed = true;
    assert_true(packs(99));
    assert_false(packs(100));
}

/* A pile that has begun as it is goes on in frames, which are packed or not. */
IN_SCRATCH(a_pile_may_begin_as_it_is_and_go_on_in_frames)
{
    uint64_t before;

    begin(true);
    place.packing = SPILL_NEVER;
    open_spill(3);
    append(1, 50);
    assert_true(atomic_load(&place.bytes) == bytes[1]);
    assert_reads(1, 1);
    place.packing = SPILL_ALWAYS;
    for (unsigned p = 0; p < 3; p++)
        append(p, PIECES_MAX);
    assert_true(atomic_load(&place.bytes) < (bytes[0] + bytes[1] + bytes[2]) / 2);
    place.packing = SPILL_NEVER;
    append(1, 50);
    append(2, 50);
    for (unsigned p = 0; p < 3; p++)
        assert_reads(p, 7);
    storage_drop(spill, 1);
    bytes[1] = 0;
    before = atomic_load(&place.bytes);
    append(1, 50);
    assert_true(atomic_load(&place.bytes) == before + bytes[1]);
    assert_reads(1, 3);
}

/* Bytes that are sure to be compressed may need any room; bytes that may be compressed need a quarter, if the first
 * sample shrinks to that. */
IN_SCRATCH(a_check_leaves_room_for_hope_where_bytes_may_be_compressed)
{
    begin(true);
    disk.room[0] = (uint64_t)1 << 20;
    spill_place_check(&place, (uint64_t)100 << 20);
    place.packing = SPILL_AUTO;
    spill_place_check(&place, (uint64_t)1 << 20);
    assert_false(place.pace.pressed);
    spill_place_check(&place, (uint64_t)4 << 20);
    assert_true(place.pace.pressed);
    assert_ends_about(spill_place_check(&place, (uint64_t)5 << 20), "about 5 MiB are needed, 1 MiB are free: name");
    place.pace.needed = 0.001;
    open_spill(1);
    assert_ends_about(append(0, PIECES_MAX),
                      "about 4 MiB are needed without compression, which does not suffice, 1 MiB");
    atomic_store(&place.plain, 1); /* what comes later need not */
    append(0, 1);
}

/* A disk that makes writes wait, one that takes them and is slow, and one that is not. */
IN_SCRATCH(what_comes_to_a_slow_disk_is_compressed_from_some_time_on)
{
    for (int i = 0; i < 3; i++) {
        begin(true);
        place.packing = SPILL_AUTO;
        atomic_store(&place.plain, ((uint64_t)64 << 20) - 1); /* a sample is next */
        atomic_store(&place.measured_bytes, 0);
        atomic_store(&place.measured_nanoseconds, 0);
        write_nanoseconds = i == 0 ? 10000 : 0;
        disk_nanoseconds = i == 1 ? 10000 : 0;
        waited_nanoseconds = awaited_bytes = 0;
        open_spill(30);
        for (unsigned p = 0; p < 30; p++)
            while (bytes[p] < 700000)
                append(p, PIECES_MAX);
        assert_in_range(awaited_bytes, 16 << 20, 17 << 20);
        assert_int_equal(atomic_load(&place.bytes) < 20 << 20, i < 2);
        for (unsigned p = 0; p < 3; p++)
            assert_reads(p, 3);
    }
}
