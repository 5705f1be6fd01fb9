/* Files of so many bytes, in pieces of any size; when bytes go to disk, and when they must wait for the input. All else
 * of outputs is in outputs.sh. */

#include "support/reports.h"
#include "support/unit.h"

#include "output/output.h"
#include "record/group.h"

static const char *const directories[] = {"."};
static struct spill_place place = {.directory = directories, .directories = 1, .packing = SPILL_NEVER};

#define TEST(name) UNIT_TEST_IN(name, reports_setup, reports_teardown)

enum { RECORDS = 20 };

/* Of records that are all the same, each file has as many as it has room for, but one at least. */
static void assert_filled(const struct record_format *format, const uint8_t *record, size_t record_bytes,
                          const char *written, size_t piece, size_t shard_bytes)
{
    const struct output_plan plan = {.path = "%d",
                                     .shard_bytes = shard_bytes,
                                     .filters = 1,
                                     .format = *format,
                                     .framing = {.format = *format},
                                     .place = &place};
    const size_t each = strlen(written), bytes = RECORDS * record_bytes;
    const size_t most = shard_bytes < each ? 1 : shard_bytes / each;
    struct output *output = output_open(&plan);
    uint8_t stream[RECORDS * 21];

    for (size_t i = 0; i < bytes; i++)
        stream[i] = (uint8_t)record[i % record_bytes];
    output_begin(output, UINT64_MAX, NULL, 0);
    for (size_t at = 0; at < bytes; at += piece)
        output_write(output, stream + at, bytes - at < piece ? bytes - at : piece);
    output_commit(output);
    output_free(output);
    for (size_t left = RECORDS, file = 0; left > 0; file++) {
        char name[24], wanted[RECORDS * 10 + 1] = "";

        for (size_t i = 0; i < most && left > 0; i++, left--)
            strcat(wanted, written);
        snprintf(name, sizeof name, "%zu", file);
        assert_true(scratch_holds(name, wanted));
        unlink(name);
    }
    assert_int_equal(scratch_count("."), 0);
}

TEST(files_have_whole_records_and_no_frames_of_groups_whatever_the_pieces)
{
    static const uint8_t framed[] = {2, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', '+', 1, 0, 0, 0, 0, 0, 0, 0, '\n', '.'};
    const struct record_format sizes = {.kind = &sizes_kind, .count = 10}, groups = {.kind = &group_kind};

    for (size_t piece = 1; piece < 64; piece += 9)
        for (size_t bytes = 1; bytes < 60; bytes += 13) {
            assert_filled(&sizes, (const uint8_t *)"0123456789", 10, "0123456789", piece, bytes);
            assert_filled(&groups, framed, sizeof framed, "ab\n", piece, bytes);
        }
}

/* Records of half a MiB, in as many shards, or in one file. How often were files told to go to disk? */
static unsigned times_told(unsigned lines, unsigned shards, bool behind)
{
    static uint8_t line[1 << 19];
    const struct output_plan plan = {
        .path = "F%d", .shards = shards, .filters = 2, .framing = {.format = {.delimiter = '\n'}}, .place = &place};
    struct output *output = output_open(&plan);

    faulty.write_backs = 0;
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

    assert_false(waits((struct output_plan){.path = "F", .filters = 1}));
    assert_true(scratch_put("F", "old\n", 0644));
    assert_false(waits((struct output_plan){.path = "F", .filters = 1}));
    assert_true(waits((struct output_plan){.path = "%d", .filters = 1, .shard_records = 5}));
    assert_true(waits((struct output_plan){.path = "%d", .filters = 1, .shards = 2}));
    assert_true(waits((struct output_plan){.path = "r", .filters = 1, .split = &split, .splits = 1}));
    assert_true(waits((struct output_plan){.path = "f", .filters = 1, .filter = "cat > $FILE"}));
}
