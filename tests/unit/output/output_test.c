/* One stream into several files, in pieces of any size, compared with dividing it record by record; bytes that wait
 * until their file is known; when bytes go to disk, and when they must wait for the input. That all files are old or
 * new, whatever fails, is in outputs.sh. */

#include "support/reports.h"
#include "support/unit.h"

#include "output/output.h"

enum { STREAM_BYTES = 2000, LARGE_BYTES = 300000 };

static const char *const directories[] = {"."};
static struct spill_place place = {.directory = directories, .directories = 1, .packing = SPILL_NEVER};
static struct output_plan plan; /* of the running test */
static uint8_t stream[STREAM_BYTES];

static int setup(void **state)
{
    plan = (struct output_plan){.path = "%d", .filters = 2, .format = {.delimiter = '\n'}, .place = &place};
    faulty_reset();
    return scratch_setup_in_memory(state);
}

#define TEST(name) UNIT_TEST_IN(name, setup, reports_teardown)

/* Lines of up to `most` bytes, their lengths from a simple generator, the last one up to the end. */
static void make_lines(size_t most)
{
    uint32_t random = 1;

    memset(stream, 'x', sizeof stream);
    for (size_t at = 0; at < STREAM_BYTES; at += 1 + (random >> 16) % most) {
        random = random * 1664525 + 1013904223;
        if (at > 0)
            stream[at - 1] = '\n';
    }
    stream[STREAM_BYTES - 1] = '\n';
}

/* Write the first bytes of the stream, in pieces. */
static void write_stream(size_t bytes, size_t piece, uint64_t records)
{
    struct output *output;
    uint8_t data[STREAM_BYTES];

    plan.framing.format = plan.format;
    output = output_open(&plan);
    output_begin(output, records, NULL, 0);
    memcpy(data, stream, bytes);
    for (size_t at = 0; at < bytes; at += piece)
        output_write(output, data + at, bytes - at < piece ? bytes - at : piece);
    output_commit(output);
    output_free(output);
}

/* The next file has just these bytes; then it is gone. */
static void assert_file(size_t number, const uint8_t *wanted, size_t bytes)
{
    uint8_t got[STREAM_BYTES + 1];
    char name[24];
    int fd;

    snprintf(name, sizeof name, "%zu", number);
    fd = open(name, O_RDONLY);
    assert_int_equal(read(fd, got, sizeof got), bytes);
    assert_memory_equal(got, wanted, bytes);
    close(fd);
    unlink(name);
}

/* Lines in files of at most so many records, or bytes unless one line alone has more. */
static void assert_lines(uint64_t most_records, uint64_t most_bytes)
{
    size_t start = 0, end = 0, files = 0;
    uint64_t records = 0;

    for (size_t next; end < STREAM_BYTES; end = next, records++) {
        next = (size_t)((uint8_t *)memchr(stream + end, '\n', STREAM_BYTES - end) - stream) + 1;
        if (end > start && (records == most_records || next - start > most_bytes)) {
            assert_file(files++, stream + start, end - start);
            start = end;
            records = 0;
        }
    }
    assert_file(files, stream + start, end - start);
    assert_int_equal(scratch_count("."), 0);
}

TEST(files_get_what_they_may_have_whatever_the_pieces)
{
    static const uint64_t records[] = {3, 100, 511, 512, 513, 2000, UINT64_MAX},
                          bytes[] = {50, 99, 100, 101, 999, 1000, 1999, 2000, 100000, UINT64_MAX - 1};

    for (size_t most = 3; most < 1000; most *= 4) {
        make_lines(most);
        for (size_t piece = 1; piece <= STREAM_BYTES; piece += 2 * piece + 1) {
            plan.shard_bytes = 0;
            for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
                plan.shard_records = records[i];
                write_stream(STREAM_BYTES, piece, UINT64_MAX);
                assert_lines(records[i], UINT64_MAX);
            }
            plan.shard_records = 0;
            for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
                plan.shard_bytes = bytes[i];
                write_stream(STREAM_BYTES, piece, UINT64_MAX);
                assert_lines(UINT64_MAX, bytes[i]);
            }
        }
    }
}

/* The end of such a record depends on all bytes since its beginning, so a lost or doubled one would show. */
TEST(a_scan_with_a_memory_is_kept_in_step)
{
    plan.format = (struct record_format){.kind = &sizes_kind, .count = 10};
    for (size_t i = 0; i < STREAM_BYTES; i++)
        stream[i] = (uint8_t)i;
    for (size_t piece = 1; piece < 64; piece += 7)
        for (plan.shard_bytes = 5; plan.shard_bytes < 60; plan.shard_bytes += 5) {
            const size_t bytes = plan.shard_bytes < 10 ? 10 : (size_t)plan.shard_bytes / 10 * 10;

            write_stream(300, piece, UINT64_MAX);
            for (size_t at = 0; at < 300; at += bytes)
                assert_file(at / bytes, stream + at, 300 - at < bytes ? 300 - at : bytes);
            assert_int_equal(scratch_count("."), 0);
        }
}

TEST(marks_of_groups_are_neither_counted_nor_written)
{
    enum { GROUPS = 20 };
    static const uint8_t group[] = {'a', '\n', '+', 'b', '\n', '.'}, unmarked[] = {'a', '\n', 'b', '\n'};
    uint8_t wanted[4 * GROUPS];

    plan.format.grouped = true;
    for (size_t i = 0; i < GROUPS; i++) {
        memcpy(stream + 6 * i, group, sizeof group);
        memcpy(wanted + 4 * i, unmarked, sizeof unmarked);
    }
    for (size_t piece = 1; piece < 64; piece += 5)
        for (plan.shard_bytes = 1; plan.shard_bytes < 30; plan.shard_bytes++) {
            const size_t bytes = plan.shard_bytes < 4 ? 4 : (size_t)plan.shard_bytes / 4 * 4;

            write_stream((size_t)6 * GROUPS, piece, UINT64_MAX);
            for (size_t at = 0; at < sizeof wanted; at += bytes)
                assert_file(at / bytes, wanted + at, sizeof wanted - at < bytes ? sizeof wanted - at : bytes);
            assert_int_equal(scratch_count("."), 0);
        }
}

/* The next file has so many bytes; then it is gone. */
static void assert_bytes(unsigned number, off_t bytes)
{
    char name[16];
    struct stat status;

    snprintf(name, sizeof name, "%u", number);
    assert_int_equal(stat(name, &status), 0);
    assert_int_equal(status.st_size, bytes);
    unlink(name);
}

/* A short record and a large one, twice; both fit into a file if the short one has no more than a byte. */
TEST(a_large_record_waits_in_a_temporary_file)
{
    static uint8_t data[2 + LARGE_BYTES];

    plan.shard_bytes = LARGE_BYTES + 1;
    data[1] = data[1 + LARGE_BYTES] = '\n';
    for (size_t start = 0; start < 3; start++)
        for (size_t piece = 9999; piece < 3 * (size_t)LARGE_BYTES; piece *= 4) {
            struct output *output = output_open(&plan);
            unsigned files = 0;

            output_begin(output, UINT64_MAX, NULL, 0);
            for (int again = 0; again < 2; again++)
                for (size_t at = start; at < sizeof data; at += piece)
                    output_write(output, data + at, sizeof data - at < piece ? sizeof data - at : piece);
            output_commit(output);
            output_free(output);
            for (int again = 0; again < 2; again++) {
                if (start == 0)
                    assert_bytes(files++, 2);
                assert_bytes(files++, LARGE_BYTES + (start == 1));
            }
            assert_int_equal(scratch_count("."), 0);
        }
}

/* Records of half a MiB, in as many shards, or in one file. How often were files told to go to disk? */
static unsigned times_told(unsigned lines, unsigned shards, bool behind)
{
    static uint8_t line[1 << 19];
    struct output *output;

    faulty.write_backs = 0;
    plan.path = "F%d";
    plan.shards = shards;
    output = output_open(&plan);
    output_begin(output, lines, NULL, 0);
    if (behind)
        output_write_behind(output);
    line[sizeof line - 1] = '\n';
    for (unsigned i = 0; i < lines; i++)
        output_write(output, line, sizeof line);
    output_commit(output);
    output_free(output);
    return faulty.write_backs;
}

TEST(what_memory_cannot_hold_goes_to_disk_in_time)
{
    assert_int_equal(times_told(10, 0, true), 5);
    assert_int_equal(times_told(11, 0, true), 6);
    assert_int_equal(times_told(12, 4, true), 8);
    assert_int_equal(times_told(12, 4, false), 0);
}

static bool waits(struct output_plan one)
{
    struct output *output = output_open(&one);
    const bool answer = output_waits(output);

    output_free(output);
    return answer;
}

TEST(output_waits_for_the_input_only_where_it_must)
{
    const struct split split = {.path = "s"};
    char name[32];

    assert_false(waits((struct output_plan){.path = "F", .filters = 1}));
    assert_true(scratch_put("F", "old\n", 0644));
    assert_false(waits((struct output_plan){.path = "F", .filters = 1}));
    snprintf(name, sizeof name, "/dev/fd/%d", open("F", O_RDWR)); /* which is written in place */
    assert_true(waits((struct output_plan){.path = name, .filters = 1}));
    assert_true(scratch_holds("F", "old\n"));
    assert_true(waits((struct output_plan){.path = "%d", .filters = 1, .shard_records = 5}));
    assert_true(waits((struct output_plan){.path = "%d", .filters = 1, .shards = 2}));
    assert_true(waits((struct output_plan){.path = "r", .filters = 1, .split = &split, .splits = 1}));
    assert_true(waits((struct output_plan){.path = "f", .filters = 1, .filter = "cat > $FILE"}));
}
