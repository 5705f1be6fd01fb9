#include "support/small_run.h"
#include "support/unit.h"

#include "shuffle/divide.h"

enum { BITS = 3, CHILDREN = 1 << BITS, NODE = 9 };

static struct piles piles, children;

static void fill(const struct engine_text *text)
{
    piles_init(&piles, 1, 1, &small.run.engine.pool, &small.place);
    pile_append(&piles, 0, text->data, text->start[text->records]);
    piles.pile[0].records = text->records;
    piles_seal(&piles);
    piles_init_promised(&children, CHILDREN, &small.run.engine.pool);
}

/* With no more promised than is needed. */
static void divide_all(void)
{
    const uint32_t before = piles.pile[0].blocks;
    uint32_t promised = CHILDREN;
    uint32_t blocks = 0;

    assert_true(pool_promise(&small.run.engine.pool, promised));
    divide(&piles, 0, &small.run.format, &small.run.order, (struct order_node){.number = NODE}, BITS, &children,
           &promised);
    for (unsigned j = 0; j < CHILDREN; j++)
        blocks += children.pile[j].blocks;
    assert_int_equal(promised, small.run.engine.pool.promised);
    assert_int_equal(piles.pile[0].blocks, 0);
    assert_int_equal(promised + blocks, before + CHILDREN);
    pool_release_promise(&small.run.engine.pool, promised);
}

static void release(void)
{
    piles_release(&children);
    piles_release(&piles);
    assert_int_equal(small.run.engine.pool.free, small.run.engine.pool.blocks);
    assert_int_equal(small.run.engine.pool.promised, 0);
    small_close();
}

/* The bytes of a child are those of its records, in the order in which they entered. */
static void assert_holds(unsigned child, const uint8_t *wanted, size_t bytes, uint64_t records)
{
    const struct pool *pool = &small.run.engine.pool;
    uint32_t block = children.pile[child].first;

    assert_int_equal(children.pile[child].records, records);
    assert_int_equal(pile_bytes(&children, child), bytes);
    for (size_t done = 0; done < bytes; done += pool->block_bytes, block = pool->next[block])
        assert_memory_equal(pool_block(pool, block), wanted + done,
                            bytes - done < pool->block_bytes ? bytes - done : pool->block_bytes);
}

static void assert_divides(struct engine_text text)
{
    uint8_t *wanted = malloc(text.start[text.records]);

    small_open(1, 8);
    fill(&text);
    divide_all();
    for (unsigned j = 0; j < CHILDREN; j++) {
        size_t bytes = 0;
        uint64_t records = 0;

        for (size_t i = 0; i < text.records; i++) {
            const size_t length = text.start[i + 1] - text.start[i];

            if (engine_child(&small.run.order, NODE, BITS, i) != j)
                continue;
            memcpy(wanted + bytes, text.data + text.start[i], length);
            bytes += length;
            records++;
        }
        assert_holds(j, wanted, bytes, records);
    }
    release();
    free(wanted);
    engine_text_free(&text);
}

static size_t length_of_one(size_t i, uint64_t random)
{
    (void)i;
    (void)random;
    return 1;
}

static size_t length_to_a_block_and_more(size_t i, uint64_t random)
{
    return i % 1000 == 3 ? random % 20000 + 1 : random % 40 + 1;
}

UNIT_TEST_IN(each_record_goes_to_its_child, small_setup, small_teardown)
{
    assert_divides(engine_text_make(1, small_length_to_20, '\n'));
    assert_divides(engine_text_make(30000, small_length_to_20, '\n'));
    assert_divides(engine_text_make(30000, length_of_one, '\n'));
    assert_divides(engine_text_make(30000, length_to_a_block_and_more, '\n'));
}

UNIT_TEST_IN(another_number_of_records_is_an_error, small_setup, small_teardown)
{
    struct engine_text text = engine_text_make(5000, small_length_to_20, '\n');

    for (int more = -1; more <= 1; more += 2) {
        small_open(1, 8);
        fill(&text);
        piles.pile[0].records += (uint64_t)more;
        assert_ends_about(divide_all(), "does not hold the records that were put there");
        release();
    }
    engine_text_free(&text);
}
