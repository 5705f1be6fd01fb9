/* When bytes go to disk, and when they must wait for the input. All else of outputs is in outputs.sh. */

#include "support/reports.h"
#include "support/unit.h"

#include "output/output.h"

static const char *const directories[] = {"."};
static struct spill_place place = {.directory = directories, .directories = 1, .packing = SPILL_NEVER};

#define TEST(name) UNIT_TEST_IN(name, reports_setup, reports_teardown)

/* Records of half a MiB, in as many shards, or in one file. How often were files told to go to disk? */
static unsigned times_told(unsigned lines, unsigned shards, bool behind)
{
    static _Alignas(struct unit_mark) uint8_t line[(1 << 19) + sizeof(struct unit_mark)];
    struct output_buffer buffer;
    struct units units;
    const struct output_plan plan = {
        .path = "F%d", .shards = shards, .filters = 2, .framing = {.format = {.delimiter = '\n'}}, .place = &place};
    struct output *output = output_open(&plan);

    faulty.write_backs = 0;
    output_begin(output, lines, NULL, 0);
    if (behind)
        output_write_behind(output);
    output_buffer_init(&buffer, line, sizeof line, true, NULL, NULL);
    buffer.at = line + (1 << 19);
    (void)output_buffer_mark(&buffer, buffer.at, buffer.end);
    units = output_buffer_take(&buffer);
    units.count = 1;
    for (unsigned i = 0; i < lines; i++)
        output_write(output, &units);
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
    const bool answer = output_needs(output)->all;

    output_free(output);
    return answer;
}

TEST(output_waits_for_the_input_only_where_it_must)
{
    struct split split = {.path = "s"};

    assert_false(waits((struct output_plan){.path = "F", .filters = 1}));
    assert_true(scratch_put("F", "old\n", 0644));
    assert_false(waits((struct output_plan){.path = "F", .filters = 1}));
    assert_true(waits((struct output_plan){.path = "%d", .filters = 1, .shard_records = 5}));
    assert_true(waits((struct output_plan){.path = "%d", .filters = 1, .shards = 2}));
    assert_true(waits((struct output_plan){.path = "r", .filters = 1, .split = &split, .splits = 1}));
    assert_true(waits((struct output_plan){.path = "f", .filters = 1, .filter = "cat > $FILE"}));
}
