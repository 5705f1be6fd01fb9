/* How the input is supplied: a user sees it only in time, memory, and what -v says. */

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/unit.h"

#include "job/supply.h"

static const uint64_t MIB = (uint64_t)1 << 20;

/* ---- The plan ---- */

/* Of a file, mapped to see, in 64 MiB of memory, unless a row says anything else. */
#define FILE_OF(mebibytes)                                                                                             \
    .known = true, .fixed = true, .files = 1, .bytes = (mebibytes)*MIB, .mapped_bytes = (mebibytes)*MIB
#define LINES(length) .memory_bytes = 64 * MIB, .addresses = UINT64_MAX, .record_bytes = (length)
#define BUT(mapped, fix, count, room)                                                                                  \
    .task = TASK_SHUFFLE, .known = true, .bytes = 4 * MIB, .memory_bytes = 64 * MIB, .record_bytes = 100,              \
    .mapped_bytes = (mapped), .fixed = (fix), .files = (count), .addresses = (room)
#define ALL .count = UINT64_MAX, .leaf_records = UINT64_MAX
#define TAR .count = UINT64_MAX, .format.kind = &tar_kind

UNIT_TEST(the_plan_follows_from_options_and_facts)
{
    static const struct {
        struct options options;
        struct facts facts;
        enum supply supply;
        uint64_t mebibytes; /* for the engine */
    } rows[] = {
        {{ALL}, {.task = TASK_SHUFFLE, .files = 1}, SUPPLY_SMALL, 8},
        {{ALL}, {.task = TASK_SHUFFLE, .files = 1, .larger = true}, SUPPLY_HELD, 0},  /* memory is to be looked up */
        {{ALL}, {.task = TASK_SHUFFLE, .larger = true, LINES(0)}, SUPPLY_COPIED, 64}, /* words, numbers */
        {{.count = 3}, {.task = TASK_SHUFFLE, .files = 1, .larger = true, LINES(0)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_REPEAT, .known = true, .files = 1, .bytes = 1000}, SUPPLY_COPIED, 8},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(100)}, SUPPLY_MAPPED, 60},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(10)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(24)}, SUPPLY_MAPPED, 60},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(51), LINES(100)}, SUPPLY_COPIED, 64}, /* no room for references */
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(50), LINES(100)}, SUPPLY_MAPPED, 14},
        {{ALL}, {.task = TASK_SHUFFLE, FILE_OF(65), LINES(0)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_REPEAT, FILE_OF(48), LINES(100)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_REPEAT, FILE_OF(47), LINES(100)}, SUPPLY_MAPPED, 17},
        {{.count = 3}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(100)}, SUPPLY_COPIED, 64},
        {{ALL}, {.task = TASK_KEEP_ORDER, FILE_OF(4), LINES(100)}, SUPPLY_COPIED, 64},
        {{TAR}, {.task = TASK_SHUFFLE, FILE_OF(43), LINES(1)}, SUPPLY_MAPPED, 21},
        {{TAR}, {.task = TASK_REPEAT, FILE_OF(43), LINES(1)}, SUPPLY_COPIED, 64},
        {{TAR}, {.task = TASK_SHUFFLE, FILE_OF(56), LINES(1)}, SUPPLY_HELD, 64},
        {{TAR}, {.task = TASK_SHUFFLE, FILE_OF(65), LINES(1)}, SUPPLY_COPIED, 64},
        {{ALL, .unique = true}, {.task = TASK_SHUFFLE, .files = 1}, SUPPLY_HELD, 0}, /* keys are never small */
        {{ALL, .unique = true}, {.task = TASK_SHUFFLE, .known = true, .files = 1, .bytes = 9}, SUPPLY_COPIED, 8},
        {{.count = 3, .unique = true}, {.task = TASK_SHUFFLE, FILE_OF(4), LINES(100)}, SUPPLY_MAPPED, 60},
        {{ALL}, {BUT(0, true, 1, UINT64_MAX)}, SUPPLY_COPIED, 64},
        {{ALL}, {BUT(4 * MIB, false, 1, UINT64_MAX)}, SUPPLY_COPIED, 64},
        {{ALL}, {BUT(4 * MIB, true, 32, UINT64_MAX)}, SUPPLY_MAPPED, 60},
        {{ALL}, {BUT(4 * MIB, true, 33, UINT64_MAX)}, SUPPLY_COPIED, 64}, /* small, on average */
        {{ALL}, {BUT(4 * MIB, true, 1, 67 * MIB)}, SUPPLY_COPIED, 64},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct plan plan = supply_plan(&rows[i].options, &rows[i].facts);

        assert_int_equal(plan.supply, rows[i].supply);
        assert_int_equal(plan.memory_bytes, rows[i].mebibytes * MIB);
        assert_true(plan.rereads == (rows[i].facts.known && rows[i].facts.files > 0 && !rows[i].facts.waits));
    }
}

/* ---- Inputs that are mapped or held ---- */

static const struct record_format lines = {.delimiter = '\n'};

#define SUPPLY_TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

/* A file of so many MiB of lines of so many bytes. */
static void put_lines(const char *name, uint64_t mebibytes, size_t bytes)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    for (size_t done = 0; done < mebibytes * MIB; done += bytes)
        assert_true(fprintf(file, "%0*d\n", (int)bytes - 1, 1) > 0);
    assert_int_equal(fclose(file), 0);
}

SUPPLY_TEST(mapping_shows_how_much_that_is_and_how_long_records_are)
{
    static const struct {
        const char *file;
        uint64_t mapped_mebibytes, record_bytes;
    } rows[] = {{"long", 4, 100}, {"short", 4, 10}, {"/dev/null", 0, 1}};

    put_lines("long", 4, 100);
    put_lines("short", 4, 10);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct source_layout layout = {.format = lines};
        struct source *source = source_open(&rows[i].file, 1, &layout);
        struct facts facts = {.mapped_bytes = 1};

        supply_map(source, &lines, &facts);
        assert_in_range(facts.mapped_bytes, rows[i].mapped_mebibytes * MIB, rows[i].mapped_mebibytes * MIB + MIB / 2);
        assert_int_equal(facts.record_bytes, rows[i].record_bytes);
        assert_int_equal(source_delivered_bytes(source), 0);
        assert_true((facts.mapped_bytes > 0) == (source_base(source) != NULL));
        source_free(source);
    }
}

/* With a pool of 8 MiB, and 10 bytes for each reference. */
SUPPLY_TEST(what_fits_of_a_pipe_is_held_if_it_is_long)
{
    static const struct {
        uint64_t mebibytes;
        size_t record_bytes;
        bool refers;
    } rows[] = {{1, 100, true}, {5, 100, true}, {5, 50, true},  {0, 100, false},
                {1, 10, false}, {1, 40, false}, {7, 50, false}, {8, 100, false}};

    assert_int_equal(mkfifo("fifo", 0600), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct source_layout layout = {.format = lines};
        const char *const names[] = {"fifo"};
        const uint64_t all =
            (rows[i].mebibytes * MIB + rows[i].record_bytes - 1) / rows[i].record_bytes * rows[i].record_bytes;
        uint8_t data[1000];
        const uint8_t *lent;
        struct pool pool;
        struct source *source;

        if (fork() == 0) {
            put_lines("fifo", rows[i].mebibytes, rows[i].record_bytes);
            _exit(0);
        }
        assert_int_equal(pool_open(&pool, 8 * MIB, 1024), 0);
        source = source_open(names, 1, &layout);
        assert_true(supply_hold(source, &lines, &pool) == rows[i].refers);
        assert_int_equal(source_delivered_bytes(source), 0);
        assert_true(rows[i].refers == source_holds(source));
        if (source_holds(source))
            assert_int_equal(source_space(source), all);
        while (source_next(source, data, sizeof data, &lent) > 0)
            continue;
        assert_int_equal(source_delivered_bytes(source), all);
        assert_true(waitpid(-1, NULL, 0) > 0);
        source_free(source);
        pool_close(&pool);
    }
}
