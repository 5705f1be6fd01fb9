/* Whether an input is read, lent to be copied, or referred to: a user sees it only in time and memory. */

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/unit.h"

#include "input/archive.h"
#include "job/lending.h"

static const uint64_t MIB = (uint64_t)1 << 20;
static const struct record_format lines = {.delimiter = '\n'};

#define LENDING_TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

/* A file of so many MiB of lines of so many bytes. */
static void put_lines(const char *name, uint64_t mebibytes, size_t bytes)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    for (size_t done = 0; done < mebibytes * MIB; done += bytes)
        assert_true(fprintf(file, "%0*d\n", (int)bytes - 1, 1) > 0);
    assert_int_equal(fclose(file), 0);
}

LENDING_TEST(files_that_fit_are_mapped_and_long_records_referred_to)
{
    static const struct {
        const char *file;
        enum lending_use use;
        size_t others; /* files, which are empty */
        uint64_t memory_mebibytes;
        bool refers; /* the source lends; else it is read */
    } rows[] = {
        {"long", LENDING_ONCE, 0, 64, true},
        {"long", LENDING_SELDOM, 0, 64, false},
        {"short", LENDING_ONCE, 0, 64, false},
        {"long", LENDING_ONCE, 0, 12, false}, /* no room for references */
        {"long", LENDING_ONCE, 0, 13, true},
        {"long", LENDING_REPEATEDLY, 0, 12, false},
        {"long", LENDING_REPEATEDLY, 0, 14, true},
        {"long", LENDING_ONCE, 0, 3, false},
        {"long", LENDING_ONCE, 31, 64, true},
        {"long", LENDING_ONCE, 32, 64, false}, /* small files, on average */
        {"/dev/null", LENDING_ONCE, 0, 64, false},
        {"zeros", LENDING_ONCE, 0, 64, true}, /* an archive */
        {"zeros", LENDING_ONCE, 0, 52, true},
        {"zeros", LENDING_ONCE, 0, 48, false}, /* for the least that an engine takes, and references */
        {"zeros", LENDING_SELDOM, 0, 64, false},
        {"zeros", LENDING_REPEATEDLY, 0, 64, false},
    };

    put_lines("long", 4, 100);
    put_lines("short", 4, 10);
    put_lines("empty", 0, 1);
    put_lines("zeros", 0, 1);
    assert_int_equal(truncate("zeros", (off_t)(43 * MIB)), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool archive = strcmp(rows[i].file, "zeros") == 0;
        const struct record_format format = archive ? (struct record_format){.kind = &tar_kind} : lines;
        const struct source_layout layout = {.format = format};
        const char *names[40] = {rows[i].file};
        const uint64_t mapped = archive ? 43 : 4;
        uint64_t left;
        struct source *source;

        for (size_t j = 1; j <= rows[i].others; j++)
            names[j] = "empty";
        source = source_open(names, 1 + rows[i].others, &layout);
        if (archive)
            archive_begin(source);
        assert_true(lending_choose(source, 1 + rows[i].others, &format, rows[i].use, rows[i].memory_mebibytes * MIB,
                                   &left) == rows[i].refers);
        assert_int_equal(source_delivered_bytes(source), 0);
        assert_true(rows[i].refers == (source_base(source) != NULL));
        assert_true(source_refers(source) == (archive && rows[i].refers));
        if (rows[i].refers)
            assert_in_range(left, (rows[i].memory_mebibytes - mapped) * MIB - MIB / 2,
                            (rows[i].memory_mebibytes - mapped) * MIB);
        else
            assert_int_equal(left, rows[i].memory_mebibytes * MIB);
        source_free(source);
    }
}

/* With a pool of 8 MiB, and 10 bytes for each reference. */
LENDING_TEST(what_fits_of_a_pipe_is_held_if_it_is_long)
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
        assert_true(lending_hold(source, &lines, &pool) == rows[i].refers);
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
