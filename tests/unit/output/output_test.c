/* One stream into several files, in whatever pieces it comes; when it goes to disk, and when it must wait. Where
 * records belong, and that all files are old or new whatever fails, is in outputs.sh. */

#include "support/reports.h"
#include "support/unit.h"

#include "output/output.h"

static const char *const directories[] = {"."};
static struct spill_place place;
static struct output_plan plan; /* of the running test */

static void init(void)
{
    faulty_reset();
    place.directory = directories;
    place.directories = 1;
    plan = (struct output_plan){.path = "%d", .filters = 2, .format = {.delimiter = '\n'}, .place = &place};
}

static int setup(void **state)
{
    init();
    return scratch_setup(state);
}

static int teardown(void **state)
{
    return reports_teardown(state);
}

static uint64_t count_lines(const char *lines)
{
    uint64_t count = 0;

    for (; *lines != '\0'; lines++)
        count += *lines == '\n';
    return count;
}

/* Write the lines, in pieces of so many bytes, with the header "H\n" if wanted. */
static void run_with(const char *lines, size_t piece, bool header)
{
    struct output *output = output_open(&plan);
    size_t bytes = strlen(lines);

    output_begin(output, count_lines(lines), "H\n", header ? 2 : 0);
    for (size_t at = 0; at < bytes; at += piece) {
        uint8_t data[512];
        size_t part = bytes - at < piece ? bytes - at : piece;

        memcpy(data, lines + at, part);
        output_write(output, data, part);
    }
    output_commit(output);
    output_free(output);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* Records of half a MiB, in as many shards, or in one file. How often were files told to go to disk? */
static unsigned times_told(unsigned lines, unsigned shards, bool behind)
{
    enum { LINE_BYTES = 1 << 19 };
    uint8_t *line = memset(calloc(LINE_BYTES, 1), 'x', LINE_BYTES - 1);
    struct output *output;

    line[LINE_BYTES - 1] = '\n';
    faulty.write_backs = 0;
    plan.path = "F%d";
    plan.shards = shards;
    output = output_open(&plan);
    output_begin(output, lines, NULL, 0);
    if (behind)
        output_write_behind(output);
    for (unsigned i = 0; i < lines; i++)
        output_write(output, line, LINE_BYTES);
    output_commit(output);
    output_free(output);
    free(line);
    return faulty.write_backs;
}

TEST(what_memory_cannot_hold_goes_to_disk_in_time)
{
    assert_int_equal(times_told(10, 0, true), 5);
    assert_int_equal(times_told(11, 0, true), 6);
    assert_int_equal(times_told(12, 4, true), 8);
    assert_int_equal(times_told(12, 4, false), 0);
}

TEST(shards_by_bytes_split_no_record)
{
    plan.shard_bytes = 6;
    for (size_t piece = 1; piece < 30; piece++) {
        run_with("aa\nbb\nc\nlong record\nd\ne\n", piece, true);
        assert_true(scratch_holds("0", "H\naa\nbb\n"));
        assert_true(scratch_holds("1", "H\nc\n"));
        assert_true(scratch_holds("2", "H\nlong record\n"));
        assert_true(scratch_holds("3", "H\nd\ne\n"));
        assert_int_equal(scratch_count("."), 4);
    }
}

TEST(a_large_record_waits_in_a_temporary_file)
{
    static uint8_t large[300000];
    struct output *output;
    struct stat status;

    plan.shard_bytes = 300001;
    memset(large, 'x', 300000);
    large[299999] = '\n';
    for (int extra = 0; extra < 2; extra++) {
        uint8_t small[] = "s\n";

        output = output_open(&plan);
        output_begin(output, UINT64_MAX, NULL, 0);
        output_write(output, extra ? small : small + 1, extra ? 2 : 1);
        for (size_t at = 0; at < 300000; at += 10000)
            output_write(output, large + at, 10000);
        output_commit(output);
        output_free(output);
        assert_int_equal(stat("0", &status), 0);
        assert_int_equal(status.st_size, extra ? 2 : 300001);
        assert_int_equal(scratch_count("."), extra + 1);
    }
    assert_int_equal(stat("1", &status), 0);
    assert_int_equal(status.st_size, 300000);
}

static bool waits(void)
{
    struct output *output = output_open(&plan);
    bool answer;

    answer = output_waits(output);
    output_free(output);
    return answer;
}

TEST(output_waits_for_the_input_only_where_it_must)
{
    char name[32];
    int fd;

    assert_false(waits());
    assert_true(scratch_put("%d", "old\n", 0644));
    assert_false(waits());
    snprintf(name, sizeof name, "/dev/fd/%d", fd = open("%d", O_RDWR));
    plan.path = name; /* written in place */
    assert_true(waits());
    close(fd);
    assert_true(scratch_holds("%d", "old\n"));
    plan.path = "s%d"; /* a shard that is found late may be one of the inputs */
    plan.shard_records = 5;
    assert_true(waits());
    plan.shard_records = 0;
    plan.shards = 2;
    assert_true(waits());
    plan.path = "f"; /* nobody knows what a command does to the file */
    plan.shards = 0;
    plan.filter = "cat > $FILE";
    assert_true(waits());
}
