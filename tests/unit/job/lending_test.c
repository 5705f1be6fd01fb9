/* Inputs that are mapped or held: a user sees it only in time and memory. */

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/unit.h"

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

LENDING_TEST(mapping_shows_how_much_that_is_and_how_long_records_are)
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

        lending_map(source, &lines, &facts);
        assert_in_range(facts.mapped_bytes, rows[i].mapped_mebibytes * MIB, rows[i].mapped_mebibytes * MIB + MIB / 2);
        assert_int_equal(facts.record_bytes, rows[i].record_bytes);
        assert_int_equal(source_delivered_bytes(source), 0);
        assert_true((facts.mapped_bytes > 0) == (source_base(source) != NULL));
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
        while ((source_base(source) != NULL ? source_lend(source, &lent, 1000)
                                            : source_read(source, data, sizeof data)) > 0)
            continue;
        assert_int_equal(source_delivered_bytes(source), all);
        assert_true(waitpid(-1, NULL, 0) > 0);
        source_free(source);
        pool_close(&pool);
    }
}
