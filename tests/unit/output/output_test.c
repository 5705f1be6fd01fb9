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

/* Not those that remove what is left, nor stat: a file that cannot be looked at is
 * taken to be missing, and found when it is opened. */
static const char swept_calls[] = "open open_anonymous fstat rename_at free_space realpath write "
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

static struct split split_of(const char *text)
{
    struct split split;

    assert_int_equal(split_parse(text, &split), 0);
    return split;
}

#define TEST(name)       UNIT_TEST_IN(name, setup, teardown)
#define MANY_FILES(name) UNIT_TEST_IN(name, setup_in_memory, teardown)

/* ---- One file ---- */

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

        output_begin(output, 2, "xH\n", 3);
        for (size_t at = 0; at < 7; at += piece)
            output_write(output, (uint8_t *)records + at, 7 - at < piece ? 7 - at : piece);
        output_commit(output);
        output_free(output);
        assert_true(scratch_holds("s0", "xH\n>ay\n"));
        assert_true(scratch_holds("s1", "xH\n>b\n"));
        assert_true(scratch_holds("s2", "xH\n"));
    }
}

/* ---- Shards ---- */

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
    output_begin(output, (uint64_t)shards - 1, NULL, 0);
    CHECK(scratch_count(".") == 0);
    for (int i = 0; i < shards - 1; i++)
        output_write(output, data, 2);
    CHECK(access("s00000", F_OK) != 0);
    output_commit(output);
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
        run_with("1\n2\n3\n4\n5\n6\n7\n", piece, false);
        assert_true(scratch_holds("train", "1\n2\n3\n"));
        assert_true(scratch_holds("none", ""));
        assert_true(scratch_holds("test", "4\n5\n"));
        assert_true(scratch_holds("rest", "6\n7\n"));
    }
    run_with("1\n2\n3\n4\n", 8, true);
    assert_true(scratch_holds("rest", "H\n"));
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
    int status;

    do {
        prepare(existed);
        at++;
        fflush(NULL);
        scratch_listen();
        if (fork() == 0) {
            faulty_fail(swept_calls, at, EIO);
            faulty.never = always_failing;
            run_with("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", 5, false);
            _exit(faulty_stop() ? 0 : 2);
        }
        wait(&status);
        assert_true(WIFEXITED(status));
        if (strstr(scratch_heard(), "complete file") != NULL)
            assert_true(WEXITSTATUS(status) == EXIT_FAILURE && is_kept());
        else
            assert_true(is_whole(WEXITSTATUS(status) != EXIT_FAILURE, existed));
    } while (WEXITSTATUS(status) != 2);
    assert_true(at > 10);
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

static void die_while_writing(void)
{
    static struct output *volatile output; /* where valgrind sees it when the child is killed */
    uint8_t data[] = "x\n";

    signals_install();
    plan.shards = 2000;
    output = output_open(&plan);
    output_begin(output, 2000, NULL, 0);
    for (int i = 0; i < 1999; i++)
        output_write(output, data, 2);
    CHECK(scratch_count(".") > 1900);
    raise(SIGTERM);
}

MANY_FILES(death_by_signal_leaves_none_of_many_files)
{
    assert_int_equal(WTERMSIG(scratch_child(die_while_writing)), SIGTERM);
    assert_int_equal(scratch_count("."), 0);
}
