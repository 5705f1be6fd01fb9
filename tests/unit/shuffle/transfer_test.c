#include "support/small_run.h"
#include "support/unit.h"

#include "shuffle/transfer.h"

/* The output is the text as it is. */
static void assert_out(const struct engine_text *text)
{
    uint32_t *number = calloc(text->records + 1, sizeof *number);

    for (size_t i = 0; i < text->records; i++)
        number[i] = (uint32_t)i;
    small_assert_file("out", text, number, text->records);
    free(number);
}

#define TEST(name) UNIT_TEST_IN(name, small_setup, small_teardown)

/* ---- Piles as they are ---- */

/* Write a pile of the text's records. `shared` is another name of the output, which is written in place. */
static void pass_pile(struct engine_text *text, bool flushed, bool shared)
{
    struct piles piles = {0};
    struct output *to;
    int fd = -1;

    assert_true(scratch_put("out", "old", 0600));
    if (shared)
        assert_true((fd = scratch_in_place("out", "shared")) >= 0);
    to = small_output("out");
    piles_init(&piles, 2, 1, &small.run.engine.pool, &small.place);
    pile_append(&piles, 1, text->data, text->bytes);
    piles_seal(&piles);
    piles.pile[1].records = text->records;
    if (flushed)
        pile_flush(&piles, 1);
    transfer_of_pile(&small.run.engine, &small.run.format, &piles, 1, to);
    output_commit(to);
    output_free(to);
    piles_release(&piles);
    if (shared)
        close(fd);
}

TEST(a_pile_is_written_as_it_is_wherever_it_lies)
{
    static const size_t records[] = {0, 1, 5000, 60000}; /* the last of them are half in memory, half on disk */

    for (int i = 0; i < 8; i++) {
        struct engine_text text = engine_text_make(records[i / 2], small_length_to_300, '\n');

        small_open(1, ORDER_LEAF_RECORDS);
        pass_pile(&text, i % 2 == 0, false);
        assert_out(&text);
        small_close();
        engine_text_free(&text);
    }
    assert_true(disk.punched_bytes >= (uint64_t)8 << 20); /* given back as it was written */
}

/* In the last read, when all that can be written before has been. */
TEST(a_pile_is_verified_before_its_first_byte_is_written)
{
    struct engine_text text = engine_text_make(60000, small_length_to_300, '\n');

    small_open(1, ORDER_LEAF_RECORDS);
    disk.flip_read = (unsigned)(text.bytes / small.run.engine.memory.buffer_bytes);
    assert_ends_about(pass_pile(&text, true, true), "contents have changed since they were written\n");
    assert_true(scratch_holds("shared", "old"));
    small_close();
    engine_text_free(&text);
}
