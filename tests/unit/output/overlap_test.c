/* Which outputs may be inputs: all or none, and the file of the rest; what is refused in any case. Where the names come
 * from, and what becomes of the files, is in outputs.sh.
 */

#include "support/reports.h"
#include "support/unit.h"

#include "output/overlap.h"
#include "output/target.h"

static struct output_plan plan;
static struct output_file file[100];
static struct files files;

static int setup(void **state)
{
    plan = (struct output_plan){.path = "%d", .shards = 2};
    files = (struct files){.plan = &plan, .file = file};
    memset(file, 0, sizeof file);
    return reports_setup(state);
}

static int teardown(void **state)
{
    file_set_release(&files.set);
    return reports_teardown(state);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* The outputs are files of these names, the first of which are there. */
static void write_to(const char *const *names, size_t count, size_t there)
{
    files.count = count;
    for (size_t i = 0; i < count; i++) {
        file[i].path = names[i];
        assert_true(i >= there || scratch_put(names[i], "", 0600));
        file_set_add(&files.set, target_number(names[i]), i);
    }
}

static void check(const char *const *inputs, size_t count)
{
    overlap_check(&files, inputs, count);
    while (files.locks > 0)
        assert_int_equal(close(files.lock[--files.locks]), 0);
    for (size_t i = 0; i < files.count; i++)
        file[i] = (struct output_file){.path = file[i].path};
}

static const char *const names[] = {"0", "1", "2", "in"};

TEST(files_of_which_none_is_both_are_fine)
{
    write_to(names, 2, 2);
    assert_true(scratch_put("in", "", 0600));
    assert_hears(check(&names[3], 1), "");
    assert_hears(check(NULL, 0), "");
}

TEST(files_that_are_all_both_are_fine_by_any_name)
{
    static const char *const inputs[] = {"./1", "0"};

    write_to(names, 2, 2);
    assert_hears(check(inputs, 2), "");
}

TEST(an_output_that_is_an_input_twice_by_any_name_is_refused)
{
    static const char *const inputs[] = {"./0", "in", "in", "0"};

    plan = (struct output_plan){.path = "0"};
    write_to(names, 1, 1);
    assert_true(scratch_put("in", "", 0600));
    assert_hears(check(&inputs[1], 2), "");
    assert_ends(check(inputs, 4),
                "bigshuf: 0: an output, and an input twice: each run would double its records: name it once\n");
}

TEST(a_shard_that_is_an_input_twice_is_refused)
{
    static const char *const inputs[] = {"0", "1", "./1"};

    write_to(names, 2, 2);
    assert_ends(check(inputs, 3),
                "bigshuf: ./1: an output, and an input twice: each run would double its records: name it once\n");
}

TEST(an_input_more_is_refused)
{
    write_to(names, 2, 2);
    assert_true(scratch_put("2", "", 0600));
    assert_ends(check(names, 3),
                "bigshuf: 0 is an input and an output file, but 2 only an input: give the output other names\n");
}

TEST(an_output_more_is_refused_though_it_is_not_there)
{
    write_to(names, 3, 2);
    assert_ends(check(names, 2),
                "bigshuf: 0 is an input and an output file, but 2 only an output: give the output other names\n");
}

TEST(a_shard_that_may_never_be_made_does_not_count)
{
    plan = (struct output_plan){.path = "%d", .shard_records = 1};
    write_to(names, 3, 2);
    assert_hears(check(names, 2), "");
}

TEST(the_file_of_the_rest_may_be_an_input_or_not)
{
    plan = (struct output_plan){.path = "1", .splits = 1};
    write_to(names, 2, 0);
    assert_true(scratch_put("1", "", 0600));
    assert_hears(check(&names[1], 1), "");
    assert_hears(check(&names[1], 2),
                 "bigshuf: warning: 1: the output, and one of several inputs: another run would add the others to it "
                 "once more\n");
    assert_true(scratch_put("0", "", 0600));
    assert_hears(check(names, 1), "");
    assert_hears(check(names, 2), "");
    assert_ends(check(names, 3),
                "bigshuf: 0 is an input and an output file, but 2 only an input: give the output other names\n");
}

TEST(a_split_that_is_an_input_is_refused_if_the_rest_of_an_earlier_run_would_be_lost)
{
    plan = (struct output_plan){.path = "1", .splits = 1};
    write_to(names, 2, 1);
    assert_hears(check(names, 1), "");
    assert_true(scratch_put("1", "x\n", 0600));
    assert_ends(check(names, 1),
                "bigshuf: 0 is an input and an output file, and 1 has what an earlier run may have taken out of it: "
                "remove that, or give the output other names\n");
}

TEST(a_compressed_input_is_no_output)
{
    plan = (struct output_plan){.path = "0"};
    write_to(names, 1, 0);
    assert_true(scratch_put("0", "\x1f\x8b", 0600));
    assert_ends(
        check(names, 1),
        "bigshuf: 0: compressed by gzip, and an output as well, so that what is in it would be lost: to shuffle "
        "its lines: bigshuf -Z\n");
    plan.format = (struct record_format){.kind = RECORD_SIZE, .count = 1};
    assert_hears(check(names, 1), "");
}

TEST(what_is_written_through_a_filter_may_be_any_input)
{
    plan.filter = "cat";
    write_to(names, 2, 2);
    assert_hears(check(names, 1), "");
}

TEST(one_file_may_be_an_input_and_a_warning_tells_what_others_come_to)
{
    plan = (struct output_plan){.path = "0"};
    write_to(names, 1, 1);
    assert_hears(check(names, 1), "");
    assert_true(scratch_put("2", "", 0600));
    assert_hears(check(names, 3),
                 "bigshuf: warning: 0: the output, and one of several inputs: another run would add the others to it "
                 "once more\n");
}

/* The shard of this number has been added. */
static void check_last(struct file_set *seen, size_t last, const char *const *inputs, size_t count)
{
    static char name[16];

    snprintf(name, sizeof name, "%zu", last);
    file[last].path = name;
    files.count = last + 1;
    overlap_check_last(seen, &files, inputs, count);
}

TEST(a_shard_after_a_gap_that_is_an_input_is_refused_in_its_turn)
{
    static const char *const inputs[] = {"in", "9", "4"};
    struct file_set seen = {.count = 0};

    plan = (struct output_plan){.path = "%d", .shard_records = 1};
    for (size_t i = 0; i < 3; i++)
        assert_true(scratch_put(inputs[i], "", 0600));
    assert_true(scratch_put("2", "", 0600));
    assert_true(scratch_put("8", "", 0600));
    assert_int_equal(symlink("./4", "3"), 0);
    for (size_t last = 1; last < 9; last++)
        assert_hears(check_last(&seen, last, inputs, 2), "");
    assert_ends(check_last(&seen, 9, inputs, 2),
                "bigshuf: 9 is an input and an output file: give the output other names\n");
    file_set_release(&seen);
    assert_hears(check_last(&seen, 2, inputs, 3), "");
    assert_ends(check_last(&seen, 3, inputs, 3),
                "bigshuf: 3 is an input and an output file: give the output other names\n");
    file_set_release(&seen);
}

TEST(inputs_are_looked_up_a_few_times_however_many_shards_come_after_a_gap)
{
    enum { SHARDS = sizeof file / sizeof *file };
    static const char *inputs[SHARDS];
    struct file_set seen = {.count = 0};
    char name[16];

    plan = (struct output_plan){.path = "%d", .shard_records = 1};
    for (size_t i = 0; i < SHARDS; i++) {
        snprintf(name, sizeof name, "%zu", i);
        assert_true(i % 2 == 0 || scratch_put(name, "", 0600));
        inputs[i] = "in";
    }
    assert_true(scratch_put("in", "", 0600));
    faulty_fail("stat", 0, 0);
    for (size_t i = 1; i < SHARDS; i++)
        check_last(&seen, i, inputs, SHARDS);
    assert_true(faulty.calls < 10 * SHARDS);
    file_set_release(&seen);
}
