/* tags: threads */
/* Bytes of a file that are fetched while it is read. */

#include "support/scratch.h"
#include "support/unit.h"

#include <string.h>

#include "input/contents.h"
#include "system/threads.h"

enum { PIECES = 8, PIECE_BYTES = 1000, BYTES = PIECES * PIECE_BYTES };

static const char *const names[] = {"file"};
static char text[BYTES + 2];
static uint8_t data[BYTES + 1];
static struct absent absent[PIECES];
static struct contents contents;

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* All of the file is to be fetched, but for its last byte. */
static int setup(void **state)
{
    const struct record_format format = {.count = 1};
    const struct hints hints = {.format = &format};
    uint64_t bytes;

    if (scratch_setup(state) != 0)
        return -1;
    for (size_t i = 0; i <= BYTES; i++)
        text[i] = (char)('a' + i * i % 23);
    assert_true(scratch_put("file", text, 0644));
    memset(data, 0, sizeof data);
    contents_open(&contents, names, 1, &hints);
    assert_true(contents_look(&contents, 0, &bytes));
    contents_begin(&contents, 0);
    for (size_t i = 0; i < PIECES; i++)
        assert_int_equal(contents_claim(&contents, data + i * PIECE_BYTES, PIECE_BYTES, &absent[i]), PIECE_BYTES);
    assert_int_equal(contents_claim(&contents, data + BYTES, 1, &absent[0]), 0);
    return 0;
}

static int teardown(void **state)
{
    contents_release(&contents);
    return scratch_teardown(state);
}

static void end_file(void)
{
    assert_int_equal(contents_read(&contents, data + BYTES, 1), 1);
    contents_end(&contents);
}

static void fetch_and_compare(size_t piece)
{
    contents_fetch(&contents, &absent[piece]);
    assert_null(absent[piece].data);
    assert_memory_equal(data + piece * PIECE_BYTES, text + piece * PIECE_BYTES, PIECE_BYTES);
}

/* As when the others have stopped, or wait until more has been read. */
TEST(the_end_of_a_file_waits_for_nobody)
{
    fetch_and_compare(3);
    end_file();
    assert_memory_equal(data, text, BYTES + 1);
    for (size_t i = 0; i < PIECES; i++)
        if (i != 3)
            fetch_and_compare(i);
}

static void work(void *context, unsigned worker)
{
    (void)context;
    if (worker == PIECES)
        end_file();
    else
        fetch_and_compare(worker);
}

TEST(pieces_are_fetched_while_the_file_ends)
{
    threads_run(PIECES + 1, work, NULL);
    assert_memory_equal(data, text, BYTES + 1);
}
