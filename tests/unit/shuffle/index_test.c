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
    uint32_t held[3];

    small_open();
    for (int i = 0; i < 3; i++)
        held[i] = pool_get(pool);
    for (int i = 0; i < 3; i++)
        pool_put(pool, held[i], held[i], 1);
    piles_init(&piles, 2, 1, pool, &small.place);
    for (size_t at = 0; at < text->bytes; at += 1000) {
        pile_append(&piles, 1, text->data + at, text->bytes - at < 1000 ? text->bytes - at : 1000);
        if (at % 7000 == 0 && at < 1 << 20) /* blocks between the pile's */
            pile_append(&piles, 0, text->data, text->bytes < 5000 ? text->bytes : 5000);
    }
    open_table(records);
}

/* The same of references to the text's records, of which some do not tell the length. */
static void open_references(struct text *text)
{
    small_open();
    text->data = realloc(text->data, text->bytes + POOL_SLACK_BYTES);
    piles_init(&piles, 2, 1, &small.run.engine.pool, &small.place);
    piles.base = text->data;
    piles.base_end = text->data + text->bytes;
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

/* ---- An outlet into memory ---- */

struct collected {
    struct output_buffer outlet;
    uint8_t *data;
    size_t bytes;
};

static void drain(void *context)
{
    struct collected *collected = context;
    size_t bytes = (size_t)(collected->outlet.at - collected->outlet.buffer);

    assert_true(collected->outlet.at <= collected->outlet.end);
    memcpy(collected->data + collected->bytes, collected->outlet.buffer, bytes);
    collected->bytes += bytes;
    collected->outlet.at = collected->outlet.buffer;
}

static struct collected collected_make(size_t buffer_bytes, size_t bytes)
{
    struct collected collected = {.data = malloc(bytes + 1)};

    collected.outlet.buffer = malloc(buffer_bytes);
    collected.outlet.at = collected.outlet.buffer;
    collected.outlet.end = collected.outlet.buffer + buffer_bytes;
    collected.outlet.drain = drain;
    return collected;
}

static void collected_free(struct collected *collected)
{
    free(collected->data);
    free(collected->outlet.buffer);
}

/* Copy the table's records, which are the text's of these numbers, through a buffer of any size. */
static void assert_copies(const struct text *text, const uint32_t *number, size_t buffer_bytes)
{
    struct collected collected = collected_make(buffer_bytes, text->bytes);
    size_t at = 0;

    collected.outlet.context = &collected;
    for (size_t first = 0; first < text->records; first += 100) {
        size_t count = text->records - first < 100 ? text->records - first : 100;

        index_copy(&piles, &small.run.format, &table, first, count, &collected.outlet);
    }
    drain(&collected);
    assert_int_equal(collected.bytes, text->bytes);
    for (size_t i = 0; i < text->records; i++) {
        size_t record = number == NULL ? i : number[i];
        size_t bytes = text->start[record + 1] - text->start[record];

        assert_memory_equal(collected.data + at, text->data + text->start[record], bytes);
        at += bytes;
    }
    collected_free(&collected);
}

static void assert_comes_through(struct text text)
{
    static const size_t buffers[] = {1, 33, 1000, 70000, 3 << 20};

    for (int refers = 0; refers < 2; refers++) {
        if (refers)
            open_references(&text);
        else
            open_pile(&text, text.records);
        build();
        for (int i = text.bytes > 1 << 20 ? 1 : 0; i < 5; i++)
            assert_copies(&text, NULL, buffers[i]);
        close_pile();
    }
    text_free(&text);
}

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, small_teardown)

TEST(records_come_through_wherever_they_end)
{
    static const struct {
        size_t records, least, most;
    } cases[] = {{0, 1, 1},        {1, 1, 1},      {4096, 1, 1},    {10001, 1, 1},
                 {3000, 1, 21},    {3000, 1, 301}, {100, 1, 10000}, {40, 3 * 4096, 6 * 4096},
                 {400, 4095, 4097}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_comes_through(text_make(cases[i].records, cases[i].least, cases[i].most));
}

TEST(ranks_say_where_each_record_goes)
{
    enum { FIRST = 2500, RECORDS = 1500 };
    struct text text = text_make(RECORDS, 1, 301);
    uint32_t number[RECORDS];
    struct table ranks;

    open_pile(&text, RECORDS);
    table_init(&ranks, &small.run.engine.pool);
    assert_true(pool_promise(&small.run.engine.pool, 4));
    table_grow(&ranks, FIRST + RECORDS, 4);
    for (uint32_t i = 0; i < RECORDS; i++)
        number[i] = 7 * i % RECORDS;
    for (uint32_t i = 0; i < RECORDS; i++)
        *table_u32(&ranks, FIRST + number[i]) = FIRST + i;
    index_build(&piles, 1, &small.run.format, &ranks, FIRST, &table);
    assert_copies(&text, number, 70000);
    table_release(&ranks);
    close_pile();
    text_free(&text);
}

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

/* As of a file that somebody changes. */
TEST(a_record_whose_end_has_gone_ends_with_all_there_is)
{
    struct text text = text_make(2, 1, 1);
    struct collected collected = collected_make(1000, text.bytes);

    open_references(&text);
    build();
    memset(text.data, 'x', text.bytes);
    collected.outlet.context = &collected;
    index_copy(&piles, &small.run.format, &table, 0, 1, &collected.outlet);
    drain(&collected);
    assert_int_equal(collected.bytes, text.bytes);
    collected_free(&collected);
    close_pile();
    text_free(&text);
}
