/* tags: bytes */

#include "support/small_run.h"
#include "support/unit.h"

#include "shuffle/index.h"

/* ---- Records ---- */

struct text {
    uint8_t *data;
    size_t bytes;
    size_t *start; /* [records + 1] */
    size_t records;
};

/* Lines of `least` to `most` bytes with the delimiter. */
static struct text text_make(size_t records, size_t least, size_t most)
{
    struct text text = {.records = records, .start = calloc(records + 1, sizeof *text.start)};

    text.data = malloc(records * most + 1);
    for (size_t i = 0; i < records; i++) {
        const size_t bytes = least + below(most - least + 1);

        for (size_t k = below(61); text.bytes < text.start[i] + bytes; k++)
            text.data[text.bytes++] = (uint8_t)(' ' + k % 61);
        text.data[text.bytes - 1] = '\n';
        text.start[i + 1] = text.bytes;
    }
    return text;
}

static void text_free(struct text *text)
{
    free(text->data);
    free(text->start);
}

/* ---- A pile and its table, in blocks of 4 KiB that follow each other in no order ---- */

static struct piles piles;
static struct table table;
static struct source *held;

static void open_table(uint64_t records)
{
    struct pool *pool = &small.run.engine.pool;

    piles_seal(&piles);
    piles.pile[1].records = records;
    table_init(&table, pool);
    assert_true(pool_promise(pool, (uint32_t)pool_blocks_for(pool, 8 * records)));
    table_grow(&table, records, 8);
}

static void open_pile(const struct text *text, uint64_t records)
{
    struct pool *pool = &small.run.engine.pool;
    uint32_t taken[3];

    small_open();
    for (int i = 0; i < 3; i++)
        taken[i] = pool_get(pool);
    for (int i = 0; i < 3; i++)
        pool_put(pool, taken[i], taken[i], 1);
    piles_init(&piles, 2, 1, pool, spill_open(&small.place, 2));
    for (size_t at = 0; at < text->bytes; at += 1000) {
        pile_append(&piles, 1, text->data + at, text->bytes - at < 1000 ? text->bytes - at : 1000);
        if (at % 7000 == 0 && at < 1 << 20) /* blocks between the pile's */
            pile_append(&piles, 0, text->data, text->bytes < 5000 ? text->bytes : 5000);
    }
    open_table(records);
}

static size_t read_text(void *context, uint8_t *data, size_t bytes, struct absent *absent)
{
    const struct text *text = context;

    (void)absent;
    memcpy(data, text->data, bytes);
    return bytes;
}

static void release(void *context)
{
    (void)context;
}

/* The same of references to the text's records, which are held, and of which some do not tell the length. */
static void open_references(struct text *text)
{
    const uint8_t *data;

    small_open();
    held = source_over(read_text, text, release, UINT64_MAX);
    source_hold(held, &small.run.engine.pool, 0);
    source_next(held, NULL, text->bytes, &data, NULL);
    assert_ptr_equal(data, small.run.engine.pool.memory);
    piles_init(&piles, 2, 1, &small.run.engine.pool, spill_open(&small.place, 2));
    piles_refer(&piles);
    for (size_t i = 0; i < text->records; i++) {
        uint64_t length = text->start[i + 1] - text->start[i];
        uint64_t reference = reference_make(text->start[i], i % 7 == 0 ? UINT64_MAX : length);

        pile_append(&piles, 1, (const uint8_t *)&reference, sizeof reference);
    }
    open_table(text->records);
}

static void close_pile(void)
{
    table_release(&table);
    piles_release(&piles);
    if (held != NULL) {
        source_let_go(held);
        source_forget(held, small.run.engine.pool.memory + engine_pool_bytes(&small.run.engine));
        source_free(held);
        held = NULL;
    }
    small_close();
}

static void build(void)
{
    index_build(&piles, 1, &small.run.format, NULL, 0, &table);
}

static void assert_refused(void)
{
    assert_ends(build(), "bigshuf: a pile in memory does not hold the records that were put there\n");
}

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, small_teardown)

/* There are never more references written than there is room for, which is whole blocks here. */
TEST(a_pile_with_another_number_of_records_is_refused)
{
    static const uint64_t counts[] = {4096, 5001, 4999, 0};
    struct text text = text_make(5000, 1, 21);

    for (int i = 0; i < 4; i++) {
        open_pile(&text, counts[i] == 4096 ? 4096 : 5000);
        piles.pile[1].records = counts[i];
        assert_refused();
        close_pile();
        open_references(&text);
        piles.pile[1].records = counts[i];
        assert_refused();
        close_pile();
    }
    text_free(&text);
}

TEST(an_end_without_a_delimiter_is_refused)
{
    static const size_t bytes[] = {4095, 4096, 4097, 1, 20000};

    for (int i = 0; i < 5; i++) {
        struct text text = text_make(1000, 1, 301);
        uint64_t records = 0;

        text.bytes = bytes[i];
        text.data[bytes[i] - 1] = 'x';
        for (size_t k = 0; k < bytes[i]; k++)
            records += text.data[k] == '\n';
        open_pile(&text, records);
        assert_refused();
        piles.pile[1].records++;
        assert_refused();
        close_pile();
        text_free(&text);
    }
}
