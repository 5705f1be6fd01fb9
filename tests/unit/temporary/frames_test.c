#include "support/unit.h"

#include "temporary/frames.h"

#include <stdio.h>
#include <string.h>

enum { ALL_MAX = 1 << 20, HEADER = 4 };

/* What is stored, and what has been read of it. */
static uint8_t stored[2 * ALL_MAX];
static size_t stored_bytes, fetched_bytes;

static uint8_t plain[ALL_MAX];

static void put(void *context, const uint8_t *data, size_t bytes)
{
    (void)context;
    assert_true(bytes <= sizeof stored - stored_bytes);
    memcpy(stored + stored_bytes, data, bytes);
    stored_bytes += bytes;
}

static size_t get(void *context, uint8_t *data, size_t bytes)
{
    (void)context;
    bytes = bytes < stored_bytes - fetched_bytes ? bytes : stored_bytes - fetched_bytes;
    memcpy(data, stored + fetched_bytes, bytes);
    fetched_bytes += bytes;
    return bytes;
}

static void fill_with_text(size_t bytes)
{
    char line[64];
    size_t at = 0;

    for (unsigned i = 0; at < bytes; i++) {
        size_t length = (size_t)snprintf(line, sizeof line, "usr/share/doc/package-%u/copyright\n", i);

        length = length < bytes - at ? length : bytes - at;
        memcpy(plain + at, line, length);
        at += length;
    }
}

static void fill_with_noise(size_t bytes)
{
    uint64_t state = 1;

    for (size_t i = 0; i < bytes; i++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        plain[i] = (uint8_t)(state >> 56);
    }
}

/* In pieces of `piece` bytes. */
static int cut(const uint8_t *data, size_t bytes, size_t piece, struct iovec *pieces)
{
    int count = 0;

    for (size_t at = 0; at < bytes; at += piece)
        pieces[count++] = (struct iovec){(uint8_t *)data + at, piece < bytes - at ? piece : bytes - at};
    return count;
}

static void store(bool packs, size_t bytes, size_t piece)
{
    static struct iovec pieces[ALL_MAX];

    stored_bytes = fetched_bytes = 0;
    frames_write(packs, pieces, cut(plain, bytes, piece, pieces), put, NULL);
}

/* Read `bytes` bytes in steps of `step`, each in pieces of `piece`. */
static bool fetch(size_t bytes, size_t step, size_t piece, uint8_t *to)
{
    static struct iovec pieces[ALL_MAX];
    struct frames_reader reader = {.desk = NULL};
    bool whole = true;

    fetched_bytes = 0;
    for (size_t at = 0; at < bytes && whole; at += step)
        whole = frames_read(&reader, pieces, cut(to + at, step < bytes - at ? step : bytes - at, piece, pieces), 0, get,
                            NULL);
    frames_close(&reader);
    return whole;
}

static void assert_comes_back(size_t bytes, size_t step, size_t piece)
{
    static uint8_t back[ALL_MAX];

    memset(back, 0, sizeof back);
    assert_true(fetch(bytes, step, piece, back));
    assert_int_equal(fetched_bytes, stored_bytes);
    assert_memory_equal(back, plain, bytes);
}

UNIT_TEST(what_is_written_in_any_pieces_is_read_in_any)
{
    static const size_t sizes[] = {1,     100, 4096, FRAMES_PLAIN_BYTES - 1, FRAMES_PLAIN_BYTES, FRAMES_PLAIN_BYTES + 1,
                                   300000};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fill_with_text(sizes[i]);
        store(true, sizes[i], 4096);
        assert_comes_back(sizes[i], sizes[i], sizes[i]);
        assert_comes_back(sizes[i], 7777, 1000);
        store(true, sizes[i], 65536 + 17);
        assert_comes_back(sizes[i], 65536, 65536);
    }
}

UNIT_TEST(what_does_not_shrink_or_is_not_to_stays_as_it_is)
{
    for (int packs = 0; packs < 2; packs++) {
        if (packs)
            fill_with_noise(300000);
        else
            fill_with_text(300000);
        store(packs, 300000, 4096);
        assert_int_equal(stored_bytes, 300000 + 5 * HEADER);
        assert_memory_equal(stored + HEADER, plain, FRAMES_PLAIN_BYTES);
        assert_comes_back(300000, 100000, 5000);
    }
}

UNIT_TEST(a_sample_tells_what_writing_would_do)
{
    struct frames_sample sample;
    struct iovec pieces[100];

    fill_with_text(100000);
    sample = frames_try(pieces, cut(plain, 100000, 4096, pieces));
    assert_int_equal(sample.plain_bytes, FRAMES_PLAIN_BYTES);
    store(true, FRAMES_PLAIN_BYTES, 4096);
    assert_int_equal(sample.stored_bytes + HEADER, stored_bytes);
    assert_true(stored_bytes < FRAMES_PLAIN_BYTES / 2);
    fill_with_noise(100000);
    sample = frames_try(pieces, cut(plain, 5000, 4096, pieces));
    assert_int_equal(sample.plain_bytes, 5000);
    assert_int_equal(sample.stored_bytes, 5000);
}

/* The frames end too early, or go on; or lengths cannot be right; or bits are changed: a checksum must find the wrong
 * bytes, but nothing else is touched. And readers may be released before the end. */
UNIT_TEST(frames_that_cannot_be_right_are_found)
{
    static uint8_t back[ALL_MAX];
    const uint8_t more_than_plain[] = {9, 0, 10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    size_t whole;

    fill_with_text(70000);
    store(true, 70000, 4096);
    whole = stored_bytes;
    for (stored_bytes = 0; stored_bytes < whole; stored_bytes += 1 + stored_bytes / 50)
        assert_false(fetch(70000, 70000, 4096, back));
    stored_bytes = whole;
    assert_false(fetch(70001, 70001, 4096, back));
    for (size_t i = 0; i < 5000; i++) {
        stored[i] ^= (uint8_t)(1 << i % 8);
        (void)fetch(10000, 3000, 1000, back);
        stored[i] ^= (uint8_t)(1 << i % 8);
    }
    assert_comes_back(70000, 3000, 1000);
    memcpy(stored, more_than_plain, sizeof more_than_plain);
    stored_bytes = sizeof more_than_plain;
    assert_false(fetch(10, 10, 10, back));
}
