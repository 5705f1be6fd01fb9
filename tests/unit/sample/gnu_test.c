/*
 * The numbers that GNU shuf draws. All expected ones are what shuf of coreutils 9.1 printed for the command beside
 * them, given the files "digits" and "noise" of setup().
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setgroups, in scratch.h */
#endif

#include "support/scratch.h"
#include "support/unit.h"

#include "base/sha256.h"
#include "sample/gnu.h"
#include "system/pool.h"
#include "system/table.h"

enum { BLOCK = 4096, BLOCKS = 640, LONGEST = 300000 };
static struct pool pool;
static struct table table;

/* The digits of e behind the point, which have large bytes where it counts. */
static const uint8_t noise[64] = {0xb7, 0xe1, 0x51, 0x62, 0x8a, 0xed, 0x2a, 0x6a, 0xbf, 0x71, 0x58, 0x80, 0x9c,
                                  0xf4, 0xf3, 0xc7, 0x62, 0xe7, 0x16, 0x0f, 0x38, 0xb4, 0xda, 0x56, 0xa7, 0x84,
                                  0xd9, 0x04, 0x51, 0x90, 0xcf, 0xef, 0x32, 0x4e, 0x77, 0x38, 0x92, 0x6c, 0xfb,
                                  0xe5, 0xf4, 0xbf, 0x8d, 0x8d, 0x8c, 0x31, 0xd7, 0x63, 0xda, 0x06, 0xc8, 0x0a,
                                  0xbb, 0x11, 0x85, 0xeb, 0x4f, 0x7c, 0x7b, 0x57, 0x57, 0xf5, 0x95, 0x84};

static void put_numbers(const char *name, int last)
{
    FILE *file = fopen(name, "w");

    for (int i = 1; i <= last; i++)
        fprintf(file, "%d\n", i);
    fclose(file);
}

static void put_bytes(const char *name, const uint8_t *data, size_t bytes)
{
    FILE *file = fopen(name, "w");

    fwrite(data, 1, bytes, file);
    fclose(file);
}

static int setup(void **state)
{
    if (scratch_setup(state) != 0 || pool_open(&pool, BLOCKS * (BLOCK + 4) + POOL_SLACK_BYTES, BLOCK) != 0 ||
        table_init(&table, &pool) != 0)
        return -1;
    put_numbers("digits", 1000); /* seq 1000 >digits */
    put_bytes("noise", noise, sizeof noise);
    put_bytes("empty", noise, 0);
    return 0;
}

static int teardown(void **state)
{
    table_release(&table);
    pool_close(&pool);
    return scratch_teardown(state);
}

static uint64_t draw(struct gnu *gnu, uint64_t most)
{
    uint64_t number = gnu_draw(gnu, most);

    assert_true(number <= most);
    return number;
}

/* Fill the table with the numbers from 0 on. */
static void fill_table(uint64_t records, size_t number_bytes)
{
    table_clear(&table);
    assert_true(pool_promise(&pool, (uint32_t)pool_blocks_for(&pool, records * number_bytes)));
    table_grow(&table, records, number_bytes);
    for (uint64_t i = 0; i < records; i++)
        table_set(&table, i, i);
}

/* Both widths and the sparse form give the numbers that are expected first. */
static void assert_order(const char *path, uint64_t records, const uint64_t *expected, uint64_t wanted)
{
    uint64_t *sparse = calloc((size_t)wanted + 1, sizeof *sparse);
    struct gnu *gnu;

    for (size_t number_bytes = 4; number_bytes <= 8; number_bytes += 4) {
        gnu = gnu_open(path);
        fill_table(records, number_bytes);
        gnu_ranks(gnu, &table, records, wanted);
        for (uint64_t i = 0; i < wanted; i++)
            assert_int_equal(table_get(&table, expected[i]), i);
        gnu_free(gnu);
    }
    gnu = gnu_open(path);
    gnu_sparse(gnu, records - 1, wanted, sparse);
    assert_memory_equal(sparse, expected, (size_t)wanted * sizeof *expected);
    gnu_free(gnu);
    free(sparse);
}

/* The numbers as lines have this SHA-256. */
static void assert_lines_hash_to(const uint64_t *number, size_t count, const uint8_t expected[32])
{
    struct sha256 hash;
    uint8_t digest[32];

    sha256_init(&hash);
    for (size_t i = 0; i < count; i++) {
        char line[32];

        sha256_update(&hash, line, (size_t)snprintf(line, sizeof line, "%llu\n", (unsigned long long)number[i]));
    }
    sha256_final(&hash, digest);
    assert_memory_equal(digest, expected, sizeof digest);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

/* ---- Draws ---- */

/* shuf -r -i 0-99 -n 8 --random-source=noise */
TEST(draws_are_those_of_shuf)
{
    static const uint64_t expected[] = {83, 81, 5, 14, 62, 14, 95, 6};
    struct gnu *gnu = gnu_open("noise");

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(draw(gnu, 99), expected[i]);
    gnu_free(gnu);
}

/* shuf -r -i 0-6799999999999999999 -n 3 --random-source=noise: the first number is tried again after its first byte
 * has been pushed out, when it is larger than it could be. */
TEST(draws_of_large_numbers_wrap_around_as_those_of_shuf)
{
    static const uint64_t expected[] = {6449961062380153450, 6389892670681667239, 2772687231321108274};
    struct gnu *gnu = gnu_open("noise");

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(draw(gnu, 6799999999999999999) == expected[i]);
    gnu_free(gnu);
}

TEST(a_number_from_0_to_0_takes_no_byte_and_changes_nothing)
{
    struct gnu *gnu = gnu_open("empty");
    struct gnu *other = gnu_open("noise");

    assert_int_equal(draw(gnu, 0), 0);
    gnu_free(gnu);
    gnu = gnu_open("noise");
    for (int i = 0; i < 30; i++) {
        assert_int_equal(draw(gnu, 0), 0);
        assert_int_equal(draw(gnu, 99), draw(other, 99));
    }
    gnu_free(gnu);
    gnu_free(other);
}

TEST(a_bound_of_whole_bytes_takes_them_as_they_come)
{
    struct gnu *gnu = gnu_open("noise");

    assert_int_equal(draw(gnu, 255), 0xb7);
    assert_int_equal(draw(gnu, 65535), 0xe151);
    assert_int_equal(draw(gnu, 255), 0x62);
    assert_true(draw(gnu, UINT64_MAX) == 0x8aed2a6abf715880);
    assert_true(draw(gnu, UINT64_MAX >> 8) == 0x9cf4f3c762e716);
    assert_int_equal(draw(gnu, 255), 0x0f);
    gnu_free(gnu);
}

/* shuf refuses 2^64 numbers. What is left of b7e1 / 257 is pushed out by the eight bytes that follow. */
TEST(the_largest_bound_takes_eight_bytes_whatever_is_left)
{
    struct gnu *gnu = gnu_open("noise");

    assert_int_equal(draw(gnu, 256), 0xb7e1 % 257);
    assert_true(draw(gnu, UINT64_MAX) == 0x51628aed2a6abf71);
    assert_int_equal(draw(gnu, 255), 0x58);
    gnu_free(gnu);
}

/* printf '\377\360\022' >tried; shuf -r -i 0-54999 --random-source=tried: fff0 is beyond the only multiple of 55000, so
 * what is left over is drawn from again with a further byte. */
TEST(a_number_that_was_left_over_is_tried_again)
{
    static const uint8_t tried[] = {0xff, 0xf0, 0x12};
    struct gnu *gnu;

    put_bytes("tried", tried, sizeof tried);
    gnu = gnu_open("tried");
    assert_int_equal(draw(gnu, 54999), 53138);
    gnu_free(gnu);
}

TEST(a_file_longer_than_the_buffer_is_read_to_its_last_byte)
{
    enum { BYTES = 10000 };
    uint8_t data[BYTES];
    struct gnu *gnu;

    for (size_t i = 0; i < BYTES; i++)
        data[i] = (uint8_t)(i * i / 7);
    put_bytes("long", data, BYTES);
    gnu = gnu_open("long");
    for (size_t i = 0; i < BYTES; i++)
        assert_int_equal(draw(gnu, 255), data[i]);
    assert_ends(gnu_draw(gnu, 255), "bigshuf: 'long': end of file\n");
    gnu_free(gnu);
}

/* ---- Orders ---- */

/* shuf -i 0-19 --random-source=digits; the same with noise */
TEST(an_order_is_that_of_shuf)
{
    static const uint64_t of_digits[] = {9, 10, 11, 3, 6, 16, 0, 15, 19, 1, 4, 12, 5, 8, 14, 7, 18, 17, 2, 13};
    static const uint64_t of_noise[] = {3, 0, 9, 6, 18, 19, 16, 13, 12, 4, 1, 2, 15, 11, 17, 7, 5, 14, 10, 8};

    for (uint64_t wanted = 0; wanted <= 20; wanted++) {
        assert_order("digits", 20, of_digits, wanted);
        assert_order("noise", 20, of_noise, wanted);
    }
}

/* seq 300000 >long; shuf -i 0-299999 --random-source=long >order; cat order; sha256sum order */
TEST(a_long_order_is_that_of_shuf)
{
    static const uint64_t first[] = {213874, 57974, 133686}, last[] = {247543, 149032, 169047};
    static const uint8_t digest[32] = {0x56, 0xd7, 0x50, 0xbe, 0xae, 0x49, 0x78, 0xb8, 0x09, 0x20, 0xdc,
                                       0x3d, 0x63, 0xf0, 0xe1, 0x6f, 0xfe, 0x99, 0x92, 0x72, 0xdd, 0x63,
                                       0x54, 0xfb, 0xae, 0x9b, 0xa8, 0x7f, 0xd7, 0xaf, 0x82, 0x4e};
    uint64_t *order = malloc(LONGEST * sizeof *order);
    struct gnu *gnu;

    put_numbers("long", LONGEST);
    gnu = gnu_open("long");
    gnu_sparse(gnu, LONGEST - 1, LONGEST, order);
    gnu_free(gnu);
    assert_memory_equal(order, first, sizeof first);
    assert_memory_equal(order + LONGEST - 3, last, sizeof last);
    assert_lines_hash_to(order, LONGEST, digest);
    assert_order("long", LONGEST, order, LONGEST);
    free(order);
}

/* shuf -i 0-999999 -n 8 --random-source=digits; the same with 0-9999999999 and noise */
TEST(the_first_of_a_range_are_those_of_shuf)
{
    static const uint64_t of_million[] = {213874, 199220, 668684, 13581, 541575, 199229, 669968, 12599};
    static const uint64_t of_more[] = {9759222410, 8986429153, 3635546298, 4239159159,
                                       9646786372, 5780482390, 9734598140, 6503003782};
    uint64_t out[8];
    struct gnu *gnu = gnu_open("digits");

    gnu_sparse(gnu, 999999, 8, out);
    assert_memory_equal(out, of_million, sizeof out);
    gnu_free(gnu);
    gnu = gnu_open("noise");
    gnu_sparse(gnu, 9999999999, 8, out);
    assert_memory_equal(out, of_more, sizeof out);
    gnu_free(gnu);
}

/* shuf -i 0-18446744073709551614 -n 6 --random-source=noise */
TEST(the_first_of_the_largest_range_are_those_of_shuf)
{
    static const uint64_t expected[] = {13249961062380153450u, 13794904443024896968u, 7126689189968796248u,
                                        12071011513831313394u, 3624965834938317801u,  17635970304888133480u};
    uint64_t out[6];
    struct gnu *gnu = gnu_open("noise");

    gnu_sparse(gnu, UINT64_MAX - 1, 6, out);
    assert_memory_equal(out, expected, sizeof out);
    gnu_free(gnu);
}

TEST(all_2_to_the_64_numbers_can_be_drawn_from_as_well)
{
    uint64_t out[3];
    struct gnu *gnu = gnu_open("noise");

    gnu_sparse(gnu, UINT64_MAX, 3, out);
    assert_true(out[0] == 0xb7e151628aed2a6a && out[1] != out[0] && out[2] != out[0] && out[2] != out[1]);
    gnu_free(gnu);
}

TEST(steps_that_are_not_wanted_touch_nothing_and_draw_nothing)
{
    struct gnu *gnu = gnu_open("empty");

    fill_table(10, 4);
    gnu_ranks(gnu, &table, 10, 0);
    gnu_ranks(gnu, &table, 0, 10);
    gnu_ranks(gnu, &table, 1, 10);
    gnu_sparse(gnu, 9, 0, NULL);
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(table_get(&table, i), i);
    gnu_free(gnu);
}

/* The whole order by Fisher-Yates over an array, for all numbers of records around a batch. */
TEST(sparse_and_dense_are_one_order_however_much_of_it_is_wanted)
{
    enum { MOST = 140 };
    uint64_t order[MOST];

    for (uint64_t records = 1; records <= MOST; records++) {
        struct gnu *gnu = gnu_open("digits");

        for (uint64_t i = 0; i < records; i++)
            order[i] = i;
        for (uint64_t i = 0; i < records; i++) {
            uint64_t place = i + draw(gnu, records - i - 1), number = order[place];

            order[place] = order[i];
            order[i] = number;
        }
        gnu_free(gnu);
        for (uint64_t wanted = records % 7; wanted <= records; wanted += 7)
            assert_order("digits", records, order, wanted);
        assert_order("digits", records, order, records);
    }
}

/* ---- Failures ---- */

static void open_as_user(const char *path)
{
    scratch_become_user();
    gnu_open(path);
}

TEST(a_file_of_others_is_refused_at_once)
{
    assert_true(scratch_put("forbidden", "", 0));
    assert_int_equal(mkfifo("forbidden fifo", 0), 0);
    assert_int_equal(chmod(".", 0755), 0);
    assert_ends(open_as_user("forbidden"), "bigshuf: forbidden: Permission denied\n");
    assert_ends(open_as_user("forbidden fifo"), "bigshuf: forbidden fifo: Permission denied\n");
}

/* Page 0 of a process is not mapped. */
TEST(a_read_error_is_named)
{
    if (access("/proc/self/mem", R_OK) != 0)
        skip();
    assert_ends(gnu_draw(gnu_open("/proc/self/mem"), 1), "bigshuf: '/proc/self/mem': read error: Input/output error\n");
}

/* ---- Files ---- */

/* In a child: open the FIFO, which waits for a reader, and write to it byte by byte. */
static pid_t start_writer(size_t bytes)
{
    pid_t writer = fork();

    if (writer == 0) {
        int fd = open("fifo", O_WRONLY);

        for (size_t i = 0; i < bytes; i++)
            CHECK(write(fd, noise + i, 1) == 1);
        _exit(0);
    }
    return writer;
}

static void assert_writer_is_content(pid_t writer)
{
    int status;

    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_int_equal(status, 0);
}

TEST(a_fifo_is_opened_by_the_first_draw_even_if_that_takes_no_byte)
{
    struct gnu *gnu;
    pid_t writer;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    gnu_free(gnu_open("fifo")); /* would wait for ever if it opened it */
    writer = start_writer(0);
    gnu = gnu_open("fifo");
    draw(gnu, 0);
    assert_writer_is_content(writer);
    gnu_free(gnu);
}
