/* One stream into several files: every record once, in order, where it belongs; no file before all are complete,
 * whatever fails. */

#include "support/in_memory.h"
#include "support/reports.h"
#include "support/unit.h"

#include <errno.h>
#include <sys/resource.h>

#include "output/output.h"
#include "system/signals.h"
#include "system/sys.h"

pid_t real_sys_wait(pid_t child, int *status, int options);

/* A child is waited for, come what may. */
pid_t sys_wait(pid_t child, int *status, int options)
{
    pid_t ended = real_sys_wait(child, status, options);

    return faulty_fails("wait") ? -1 : ended;
}

/* Not those that remove what is left, nor stat: a file that cannot be looked at is
 * taken to be missing, and found when it is opened. */
static const char swept_calls[] = "open open_anonymous fstat rename_at free_space realpath write pipe spawn wait "
                                  "close allocate random";

static const char *const directories[] = {"."};
static struct spill_place place;
static struct output_plan plan; /* of the running test */

static void init(void)
{
    faulty_reset();
    place.directory = directories;
    place.directories = 1;
    plan = (struct output_plan){
        .path = "%d", .filters = 2, .format = {.kind = RECORD_BYTE, .delimiter = '\n'}, .place = &place};
}

static int setup(void **state)
{
    init();
    return scratch_setup(state);
}

static int setup_in_memory(void **state)
{
    init();
    return in_memory_setup(state);
}

static int teardown(void **state)
{
    return reports_teardown(state);
}

static void split_into(const struct split *splits, size_t count, const char *rest)
{
    plan.split = splits;
    plan.splits = count;
    plan.path = rest;
}

static uint64_t count_lines(const char *lines)
{
    uint64_t count = 0;

    for (; *lines != '\0'; lines++)
        count += *lines == '\n';
    return count;
}

/* Write the lines, in pieces of so many bytes, with the header "H\n" if wanted. 0 if all went well. */
static int run_with(const char *lines, size_t piece, bool header)
{
    struct output *output = output_open(&plan);
    size_t bytes = strlen(lines);
    int status = -1;

    if (output == NULL || output_begin(output, count_lines(lines), "H\n", header ? 2 : 0) != 0)
        goto out;
    for (size_t at = 0; at < bytes; at += piece) {
        uint8_t data[512];
        size_t part = bytes - at < piece ? bytes - at : piece;

        memcpy(data, lines + at, part);
        if (output_write(output, data, part) != 0)
            goto out;
    }
    status = output_commit(output);
out:
    output_free(output);
    return status;
}

static int run(const char *lines)
{
    return run_with(lines, 3, false);
}

static void assert_refused(const char *message)
{
    assert_says(output_open(&plan) == NULL, true, message);
}

static struct split split_of(const char *text)
{
    struct split split;

    assert_int_equal(split_parse(text, &split), 0);
    return split;
}

#define TEST(name)       UNIT_TEST_IN(name, setup, teardown)
#define MANY_FILES(name) UNIT_TEST_IN(name, setup_in_memory, teardown)

/* ---- One file ---- */

TEST(a_single_file_is_a_sink)
{
    plan.path = "F";
    assert_true(scratch_put("F", "old\n", 0640));
    assert_int_equal(run("a\nb\n"), 0);
    assert_true(scratch_holds("F", "a\nb\n"));
    assert_int_equal(scratch_mode("F"), 0640);
    assert_int_equal(run_with("", 1, true), 0);
    assert_true(scratch_holds("F", "H\n"));
    assert_int_equal(scratch_count("."), 1);
}

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
    assert_non_null(output);
    assert_int_equal(output_begin(output, lines, NULL, 0), 0);
    if (behind)
        output_write_behind(output);
    for (unsigned i = 0; i < lines; i++)
        assert_int_equal(output_write(output, line, LINE_BYTES), 0);
    assert_int_equal(output_commit(output), 0);
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

static void write_to_standard_output(void)
{
    struct split splits[] = {{.path = "train", .amount = 2}};

    split_into(splits, 1, NULL);
    CHECK(dup2(open("out", O_WRONLY | O_CREAT, 0600), STDOUT_FILENO) == STDOUT_FILENO);
    CHECK(run_with("a\nb\nc\n", 4, true) == 0);
}

TEST(what_no_split_takes_goes_to_standard_output)
{
    assert_int_equal(scratch_child(write_to_standard_output), 0);
    assert_true(scratch_holds("train", "H\na\nb\n"));
    assert_true(scratch_holds("out", "H\nc\n"));
}

TEST(the_framing_is_that_of_every_file)
{
    plan.path = "s%d";
    plan.shards = 3;
    plan.framing =
        (struct framing){.translates = true, .from = 'x', .to = 'y', .start = (const uint8_t *)">", .start_bytes = 1};
    plan.format.delimiter = '>';
    for (size_t piece = 1; piece < 12; piece++) {
        struct output *output = output_open(&plan);
        char records[] = "ax\n>b\n>";

        assert_non_null(output);
        assert_int_equal(output_begin(output, 2, "xH\n", 3), 0);
        for (size_t at = 0; at < 7; at += piece)
            assert_int_equal(output_write(output, (uint8_t *)records + at, 7 - at < piece ? 7 - at : piece), 0);
        assert_int_equal(output_commit(output), 0);
        output_free(output);
        assert_true(scratch_holds("s0", "xH\n>ay\n"));
        assert_true(scratch_holds("s1", "xH\n>b\n"));
        assert_true(scratch_holds("s2", "xH\n"));
    }
}

/* ---- Shards ---- */

TEST(shards_differ_by_one_record_at_most_the_first_ones_larger)
{
    plan.path = "s-%02d";
    plan.shards = 3;
    for (size_t piece = 1; piece < 20; piece++) {
        assert_int_equal(run_with("1\n22\n3\n4\n5\n66\n7\n8\n", piece, false), 0);
        assert_true(scratch_holds("s-00", "1\n22\n3\n"));
        assert_true(scratch_holds("s-01", "4\n5\n66\n"));
        assert_true(scratch_holds("s-02", "7\n8\n"));
    }
    assert_int_equal(scratch_count("."), 3);
}

TEST(shards_without_records_are_made)
{
    plan.shards = 12;
    assert_int_equal(run_with("a\nb\n", 4, true), 0);
    assert_true(scratch_holds("0", "H\na\n"));
    assert_true(scratch_holds("1", "H\nb\n"));
    assert_true(scratch_holds("2", "H\n"));
    assert_true(scratch_holds("11", "H\n"));
    assert_int_equal(scratch_count("."), 12);
    assert_int_equal(run(""), 0);
    assert_true(scratch_holds("0", ""));
    assert_true(scratch_holds("11", ""));
}

TEST(shards_of_so_many_records_are_as_many_as_it_takes)
{
    plan.shard_records = 2;
    assert_int_equal(run(""), 0);
    assert_int_equal(scratch_count("."), 0);
    assert_int_equal(run("a\nb\nc\nd\n"), 0);
    assert_true(scratch_holds("0", "a\nb\n"));
    assert_true(scratch_holds("1", "c\nd\n"));
    assert_int_equal(scratch_count("."), 2);
    assert_int_equal(run_with("1\n2\n3\n", 100, true), 0);
    assert_true(scratch_holds("0", "H\n1\n2\n"));
    assert_true(scratch_holds("1", "H\n3\n"));
    assert_int_equal(scratch_count("."), 2);
}

TEST(files_of_an_earlier_run_that_are_not_needed_stay)
{
    assert_true(scratch_put("0", "old 0\n", 0644));
    assert_true(scratch_put("1", "old 1\n", 0644));
    assert_true(scratch_put("2", "old 2\n", 0644));
    plan.shard_records = 2;
    assert_int_equal(run("a\nb\n"), 0);
    assert_true(scratch_holds("0", "a\nb\n"));
    assert_true(scratch_holds("1", "old 1\n"));
    assert_true(scratch_holds("2", "old 2\n"));
    assert_int_equal(scratch_count("."), 3);
}

TEST(shards_by_bytes_split_no_record)
{
    plan.shard_bytes = 6;
    for (size_t piece = 1; piece < 30; piece++) {
        assert_int_equal(run_with("aa\nbb\nc\nlong record\nd\ne\n", piece, true), 0);
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
        assert_non_null(output);
        assert_int_equal(output_begin(output, UINT64_MAX, NULL, 0), 0);
        assert_int_equal(output_write(output, extra ? small : small + 1, extra ? 2 : 1), 0);
        for (size_t at = 0; at < 300000; at += 10000)
            assert_int_equal(output_write(output, large + at, 10000), 0);
        assert_int_equal(output_commit(output), 0);
        output_free(output);
        assert_int_equal(stat("0", &status), 0);
        assert_int_equal(status.st_size, extra ? 2 : 300001);
        assert_int_equal(scratch_count("."), extra + 1);
    }
    assert_int_equal(stat("1", &status), 0);
    assert_int_equal(status.st_size, 300000);
}

static void many_shards(void)
{
    const int shards = (int)scratch_scale(500, 500, 10000);
    char name[16];
    struct rlimit limit;
    uint8_t data[] = "x\n";
    struct output *output;

    plan.path = "s%05d";
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = 48;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    plan.shards = (uint64_t)shards;
    output = output_open(&plan);
    CHECK(output != NULL && output_begin(output, (uint64_t)shards - 1, NULL, 0) == 0);
    CHECK(scratch_count(".") == 0);
    for (int i = 0; i < shards - 1; i++)
        CHECK(output_write(output, data, 2) == 0);
    CHECK(access("s00000", F_OK) != 0 && output_commit(output) == 0);
    output_free(output);
    CHECK(scratch_count(".") == shards && scratch_holds("s00000", "x\n"));
    snprintf(name, sizeof name, "s%05d", shards - 2);
    CHECK(scratch_holds(name, "x\n"));
    snprintf(name, sizeof name, "s%05d", shards - 1);
    CHECK(scratch_holds(name, ""));
}

MANY_FILES(many_shards_need_few_descriptors)
{
    assert_int_equal(scratch_child(many_shards), 0);
}

static bool waits(void)
{
    struct output *output = output_open(&plan);
    bool answer;

    assert_non_null(output);
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

/* ---- Splits ---- */

TEST(splits_take_their_records_and_leave_the_rest)
{
    struct split splits[] = {split_of("50%:train"), split_of("0:none"), split_of("2:test")};

    split_into(splits, 3, "rest");
    for (size_t piece = 1; piece < 20; piece++) {
        assert_int_equal(run_with("1\n2\n3\n4\n5\n6\n7\n", piece, false), 0);
        assert_true(scratch_holds("train", "1\n2\n3\n"));
        assert_true(scratch_holds("none", ""));
        assert_true(scratch_holds("test", "4\n5\n"));
        assert_true(scratch_holds("rest", "6\n7\n"));
    }
    assert_int_equal(run_with("1\n2\n3\n4\n", 8, true), 0);
    assert_true(scratch_holds("rest", "H\n"));
}

TEST(splits_that_want_more_than_there_is_fail_before_any_output)
{
    struct split splits[] = {split_of("2:train"), split_of("2:test")};

    split_into(splits, 2, "rest");
    assert_true(scratch_put("train", "old\n", 0644));
    assert_ends(run("1\n2\n3\n"), "bigshuf: the splits take more than the 3 records there are\n");
    assert_true(scratch_holds("train", "old\n"));
    assert_int_equal(scratch_count("."), 1);
}

/* ---- What is refused at once ---- */

TEST(patterns_without_one_number_are_refused)
{
    plan.path = "out";
    plan.shards = 2;
    assert_refused("bigshuf: out: a name with one %d, or %0Nd for N digits, is needed, such as part-%05d\n");
    plan.path = "%d%d";
    assert_refused("bigshuf: %d%d: a name with one %d, or %0Nd for N digits, is needed, such as part-%05d\n");
    plan.path = NULL;
    assert_refused(
        "bigshuf: standard output: a name with one %d, or %0Nd for N digits, is needed, such as part-%05d\n");
    plan.path = "%d";
    plan.shards = OUTPUT_FILES_MAX + 1;
    assert_refused("bigshuf: %d: more than 1000000 files\n");
    assert_int_equal(scratch_count("."), 0);
}

TEST(two_outputs_that_are_one_file_are_refused)
{
    struct split splits[] = {split_of("1:a"), split_of("1:b")};

    split_into(splits, 2, "rest");
    splits[1].path = "./a";
    assert_refused("bigshuf: a and ./a: the same output file\n");
    splits[1].path = "b";
    assert_int_equal(symlink("rest", "b"), 0);
    assert_refused("bigshuf: b and rest: the same output file\n");
    assert_true(scratch_put("rest", "old\n", 0644));
    assert_refused("bigshuf: b and rest: the same output file\n");
    assert_int_equal(unlink("b"), 0);
    assert_int_equal(link("rest", "a"), 0);
    assert_refused("bigshuf: a and rest: the same output file\n");
    splits[0].path = splits[1].path = plan.path = "/dev/null";
    assert_int_equal(run("1\n2\n3\n"), 0);
    assert_true(scratch_holds("rest", "old\n"));
}

TEST(percentages_above_the_whole_are_refused)
{
    struct split splits[] = {split_of("60%:a"), split_of("40.1%:b")};

    split_into(splits, 2, "rest");
    assert_refused("bigshuf: the splits take more than 100% of the records\n");
}

TEST(a_file_that_cannot_be_made_is_refused_wherever_it_stands)
{
    assert_int_equal(mkdir("11", 0755), 0);
    plan.shards = 12;
    assert_refused("bigshuf: 11: Is a directory: name a file in it\n");
    plan.shards = 0;
    plan.shard_bytes = 5;
    plan.path = "nowhere/%d";
    assert_refused("bigshuf: nowhere/0: No such file or directory: there is no folder 'nowhere'\n");
    assert_int_equal(scratch_count("."), 1);
}

TEST(a_name_after_the_files_of_an_earlier_run_is_looked_at_in_its_turn)
{
    assert_int_equal(mkdir("1", 0755), 0);
    assert_true(scratch_put("0", "old\n", 0644));
    plan.shard_bytes = 5;
    assert_ends(run("a\nb\nc\n"), "bigshuf: 1: Is a directory: name a file in it\n");
    assert_true(scratch_holds("0", "old\n"));
    assert_says(run("a\nb\n"), 0, "");
    assert_true(scratch_holds("0", "a\nb\n"));
    assert_int_equal(scratch_count("."), 2);
}

/* ---- Filters ---- */

TEST(every_file_goes_through_the_filter)
{
    plan.path = "s%d";
    plan.shards = 20;
    plan.filter = "tr a-z A-Z > $FILE.up";
    assert_int_equal(run_with("a\nb\nc\n", 6, true), 0);
    assert_true(scratch_holds("s0.up", "H\nA\n"));
    assert_true(scratch_holds("s2.up", "H\nC\n"));
    assert_true(scratch_holds("s19.up", "H\n"));
    assert_int_equal(scratch_count("."), 20);
}

static void write_beside_filters(void)
{
    struct split splits[] = {{.path = "train", .amount = 1}, {.path = "test", .amount = 1}};

    split_into(splits, 2, NULL);
    plan.filter = "cat > $FILE.out";
    CHECK(dup2(open("out", O_WRONLY | O_CREAT, 0600), STDOUT_FILENO) == STDOUT_FILENO);
    CHECK(run("a\nb\nc\n") == 0);
}

TEST(standard_output_is_not_filtered)
{
    assert_int_equal(scratch_child(write_beside_filters), 0);
    assert_true(scratch_holds("train.out", "a\n"));
    assert_true(scratch_holds("test.out", "b\n"));
    assert_true(scratch_holds("out", "c\n"));
    assert_int_equal(scratch_count("."), 3);
}

TEST(a_filter_that_fails_fails_the_run)
{
    plan.path = "s%d";
    plan.shards = 3;
    plan.filter = "cat > $FILE; test $FILE != s1";
    assert_ends(run("a\nb\nc\n"),
                "bigshuf: with FILE=s1, exit 1 from command: cat > $FILE; test $FILE != s1\n"
                "bigshuf: warning: what was made with FILE=s0 to FILE=s2 may be incomplete\n");
}

TEST(two_splits_for_one_command_are_refused)
{
    struct split splits[] = {split_of("1:a"), split_of("1:a")};

    split_into(splits, 2, "rest");
    plan.filter = "cat >/dev/null";
    assert_refused("bigshuf: a and a: the same output file\n");
}

/* ---- Failures ---- */

enum { SWEPT = 11 };

/* Are all files what they should be after a run that was complete, or was not? */
static bool is_whole(bool complete, bool existed)
{
    for (int i = 0; i < SWEPT; i++) {
        char name[16], content[32];

        snprintf(name, sizeof name, "%d", i);
        snprintf(content, sizeof content, complete ? "%d\n" : "old %d\n", i);
        if (!complete && !existed ? access(name, F_OK) == 0 : !scratch_holds(name, content))
            return false;
    }
    return scratch_count(".") == (complete || existed ? SWEPT : 0);
}

/* Has each file what a complete run puts into it, under its name or a temporary one? */
static bool is_kept(void)
{
    struct dirent *entry;
    DIR *directory = opendir(".");
    int found = 0, number;

    while ((entry = readdir(directory)) != NULL) {
        char content[32];

        if (sscanf(entry->d_name, entry->d_name[0] == '.' ? ".%d." : "%d", &number) == 1) {
            snprintf(content, sizeof content, "%d\n", number);
            found += scratch_holds(entry->d_name, content);
        }
    }
    closedir(directory);
    return found == SWEPT;
}

static void prepare(bool existed)
{
    scratch_empty(open(".", O_RDONLY | O_DIRECTORY));
    for (int i = 0; i < SWEPT && existed; i++) {
        char name[16], content[32];

        snprintf(name, sizeof name, "%d", i);
        snprintf(content, sizeof content, "old %d\n", i);
        assert_true(scratch_put(name, content, 0644));
    }
}

/* Fail each call in turn, until a run has fewer calls. */
static void sweep(const char *always_failing, bool existed)
{
    unsigned at = 0;

    do {
        bool complete, is_told;

        prepare(existed);
        faulty_fail(swept_calls, ++at, EIO);
        faulty.never = always_failing;
        scratch_listen();
        complete = run_with("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", 5, false) == 0;
        is_told = strstr(scratch_heard(), "complete file") != NULL;
        assert_int_equal(complete, !fault_any());
        assert_true(is_told ? is_kept() : is_whole(complete, existed));
    } while (faulty_stop());
    assert_true(at > 10);
    faulty_reset();
}

MANY_FILES(whichever_call_fails_all_files_are_old_or_all_are_new_or_kept)
{
    static const char *const always_failing[] = {NULL, "open_anonymous"};

    for (size_t i = 0; i < 2; i++)
        for (int existed = 0; existed < 2; existed++) {
            plan.shards = SWEPT;
            plan.shard_records = 0;
            sweep(always_failing[i], existed);
            plan.shards = 0;
            plan.shard_records = 1;
            sweep(always_failing[i], existed);
        }
}

TEST(whichever_call_fails_a_filtered_run_says_so)
{
    unsigned at = 0;

    plan.shards = 3;
    plan.filter = "cat > $FILE";
    do {
        bool complete;
        faulty_fail(swept_calls, ++at, EIO);
        scratch_listen();
        complete = run("a\nb\nc\n") == 0;
        (void)scratch_heard();
        assert_int_equal(complete, !fault_any());
        if (complete)
            assert_true(scratch_holds("0", "a\n") && scratch_holds("1", "b\n") && scratch_holds("2", "c\n"));
    } while (faulty_stop());
    assert_true(at > 10);
}

TEST(nothing_is_seen_of_few_files_in_the_making)
{
    int fd = sys_open_anonymous(AT_FDCWD, ".", 0600);
    uint8_t data[] = "a\nb\nc\nd\n";
    struct output *output;

    if (fd < 0)
        skip();
    close(fd);
    plan.shards = 4;
    output = output_open(&plan);
    assert_non_null(output);
    assert_int_equal(output_begin(output, 4, NULL, 0), 0);
    assert_int_equal(output_write(output, data, 8), 0);
    assert_int_equal(scratch_count("."), 0);
    output_free(output);
    assert_int_equal(scratch_count("."), 0);
}

static void die_while_writing(void)
{
    static struct output *volatile output; /* where valgrind sees it when the child is killed */
    uint8_t data[] = "x\n";

    signals_install();
    plan.shards = 2000;
    output = output_open(&plan);
    CHECK(output != NULL && output_begin(output, 2000, NULL, 0) == 0);
    for (int i = 0; i < 1999; i++)
        CHECK(output_write(output, data, 2) == 0);
    CHECK(scratch_count(".") > 1900);
    raise(SIGTERM);
}

MANY_FILES(death_by_signal_leaves_none_of_many_files)
{
    assert_int_equal(WTERMSIG(scratch_child(die_while_writing)), SIGTERM);
    assert_int_equal(scratch_count("."), 0);
}

TEST(no_slot_stays_taken)
{
    int slot = signals_register("probe"), again;

    signals_forget(slot);
    plan.shards = 30;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run("a\nb\n"), 0);
        output_free(output_open(&plan));
    }
    again = signals_register("probe");
    signals_forget(again);
    assert_int_equal(again, slot);
}
