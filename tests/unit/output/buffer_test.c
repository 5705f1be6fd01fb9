#include "support/reports.h"
#include "support/unit.h"

#include "output/buffer.h"

enum { ROOM = 7, MOST = 4096 };

/* What was drained. */
struct drained {
    struct output_buffer to;
    uint8_t buffer[ROOM];
    uint8_t data[MOST];
    size_t bytes;
    unsigned drains;
};

static struct output *open_output(const char *path)
{
    const struct output_plan plan = {.path = path, .filters = 1};

    return output_open(&plan);
}

static void drain(void *context)
{
    struct drained *drained = context;
    size_t bytes = (size_t)(drained->to.at - drained->buffer);

    assert_ptr_equal(drained->to.at, drained->to.end); /* only when it is full */
    drained->drains++;
    memcpy(drained->data + drained->bytes, drained->buffer, bytes);
    drained->bytes += bytes;
    drained->to.at = drained->buffer;
}

static void put_all(struct drained *drained, const uint8_t *data, size_t bytes, size_t piece)
{
    for (size_t at = 0; at < bytes; at += piece)
        output_buffer_put(&drained->to, data + at, bytes - at < piece ? bytes - at : piece);
}

#define TEST(name) UNIT_TEST_IN(name, reports_setup, reports_teardown)

UNIT_TEST(bytes_come_out_as_they_were_put_in_whatever_the_pieces)
{
    uint8_t data[200];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 7);
    for (size_t piece = 1; piece <= sizeof data; piece++) {
        struct drained drained = {.bytes = 0};
        size_t left;

        output_buffer_init(&drained.to, drained.buffer, ROOM, drain, &drained);
        put_all(&drained, data, sizeof data, piece);
        left = (size_t)(drained.to.at - drained.buffer);
        assert_int_equal(drained.drains, (sizeof data - 1) / ROOM);
        assert_int_equal(drained.bytes + left, sizeof data);
        assert_memory_equal(drained.data, data, drained.bytes);
        assert_memory_equal(drained.buffer, data + drained.bytes, left);
    }
}

UNIT_TEST(what_fits_is_not_drained_and_nothing_needs_no_room)
{
    struct drained drained = {.bytes = 0};

    output_buffer_init(&drained.to, drained.buffer, ROOM, drain, &drained);
    assert_ptr_equal(drained.to.at, drained.buffer);
    output_buffer_put(&drained.to, (const uint8_t *)"1234567", ROOM);
    output_buffer_put(&drained.to, NULL, 0);
    assert_int_equal(drained.drains, 0);
    output_buffer_put(&drained.to, (const uint8_t *)"8", 1);
    assert_int_equal(drained.drains, 1);
}

TEST(what_is_in_the_outlet_is_written_to_an_output_once)
{
    struct drained drained = {.bytes = 0};
    struct output *to = open_output("out");

    output_buffer_init(&drained.to, drained.buffer, ROOM, drain, &drained);
    output_buffer_put(&drained.to, (const uint8_t *)"one\n", 4);
    output_buffer_drain(&drained.to, to);
    assert_ptr_equal(drained.to.at, drained.buffer);
    output_buffer_drain(&drained.to, to);
    output_buffer_put(&drained.to, (const uint8_t *)"two\n", 4);
    output_buffer_drain(&drained.to, to);
    assert_int_equal(drained.drains, 0);
    output_commit(to);
    output_free(to);
    assert_true(scratch_holds("out", "one\ntwo\n"));
}
