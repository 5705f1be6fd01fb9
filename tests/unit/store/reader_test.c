/* A pile of a store is the batches' piles j in the order of their names, every byte verified. */

#include "support/small_store.h"
#include "support/unit.h"

#include <sys/resource.h>

#include "store/reader.h"

enum { ALL_BYTES = 16 * SMALL_TEXT_BYTES };

static const uint32_t all[] = {0, 1, 2, 3};

/* In bytewise order. */
static const char *const names[] = {"A", "B-1", "a", "a-1", "a.1", "b"};
enum { NAMES = sizeof names / sizeof names[0] };

static void add_all(const char *start)
{
    small_open(SMALL_PILES, start);
    for (int i = 0; i < NAMES; i++) /* in another order */
        small_add(names[i * 5 % NAMES]);
}

/* The store of a test, which is closed after it. */
static struct store_reader *opened;

static void close_reader(void)
{
    if (opened != NULL)
        store_reader_free(opened);
    opened = NULL;
}

static void open_good(const uint32_t *number, unsigned count)
{
    close_reader();
    opened = store_reader_open(&small.store, number, count);
}

static void assert_does_not_open(const char *message)
{
    assert_ends((void)store_reader_open(&small.store, all, SMALL_PILES), message);
}

/* Add all batches, and open the store. */
static void open_all(const char *start)
{
    add_all(start);
    open_good(all, SMALL_PILES);
}

static int teardown(void **state)
{
    close_reader();
    return small_teardown(state);
}

/* What is to come of a pile. */
static size_t expect(unsigned pile, char text[ALL_BYTES], uint64_t *records)
{
    size_t bytes = 0;

    *records = 0;
    for (int i = 0; i < NAMES; i++) {
        uint64_t more;

        bytes += small_stream(names[i], pile, text + bytes, &more);
        *records += more;
    }
    return bytes;
}

/* Read the next `bytes` bytes, in pieces of which some are empty. */
static void read_some(struct storage_reader *reader, char *data, size_t bytes, size_t piece)
{
    const uint64_t left = reader->left - bytes;
    struct iovec pieces[200];
    int count = 0;

    while (bytes > 0 && count < 200) {
        size_t length = bytes < piece ? bytes : piece;

        if (small_draw(9) == 0)
            length = 0;
        else if (count == 199)
            length = bytes;
        pieces[count++] = (struct iovec){.iov_base = data, .iov_len = length};
        data += length;
        bytes -= length;
    }
    assert_int_equal(bytes, 0);
    storage_reader_read(reader, pieces, count);
    assert_int_equal(reader->left, left);
}

/* Read all of a pile in steps. Returns its length. */
static size_t read_pile(unsigned pile, char data[ALL_BYTES], size_t step, size_t piece)
{
    struct storage_reader reader;
    size_t done = 0;

    storage_reader_init(&reader, store_reader_storage(opened), pile);
    while (reader.left > 0) {
        size_t bytes = reader.left < step ? (size_t)reader.left : step;

        read_some(&reader, data + done, bytes, piece);
        done += bytes;
    }
    storage_reader_release(&reader);
    return done;
}

static void assert_reads(unsigned pile, unsigned number, size_t step, size_t piece)
{
    static char found[ALL_BYTES], expected[ALL_BYTES];
    uint64_t records;
    size_t bytes = expect(number, expected, &records);

    memset(found, 0, sizeof found);
    assert_int_equal(store_reader_bytes(opened, pile), bytes);
    assert_int_equal(store_reader_records(opened, pile), records);
    assert_int_equal(read_pile(pile, found, step, piece), bytes);
    assert_memory_equal(found, expected, bytes);
}

static void assert_reads_in_all_ways(void)
{
    static const size_t steps[] = {1, 7, 100, 777, ALL_BYTES};

    for (unsigned p = 0; p < SMALL_PILES; p++)
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
            for (size_t piece = 1; piece <= 1000; piece *= 10)
                if (steps[i] / piece < 190 || steps[i] == ALL_BYTES)
                    assert_reads(p, p, steps[i], piece < 100 && steps[i] == ALL_BYTES ? 100 : piece);
}

#define TEST(name) UNIT_TEST_IN(name, small_setup, teardown)

/* ---- What is there ---- */

TEST(a_pile_is_that_of_all_batches_in_the_order_of_their_names)
{
    open_all(NULL);
    assert_reads_in_all_ways();
}

TEST(records_that_start_with_a_string_come_as_they_were_written)
{
    open_all("@@SEQUENCE");
    assert_reads_in_all_ways();
}

TEST(only_the_piles_that_are_asked_for_are_looked_at)
{
    static const uint32_t number[] = {3, 1, 1};

    add_all(NULL);
    assert_int_equal(unlink("store/a/pile-0000"), 0);
    assert_int_equal(truncate("store/b/pile-0002", 12345), 0);
    open_good(number, 3);
    assert_reads(0, 3, 50, 7);
    assert_reads(1, 1, 50, 7);
    assert_reads(2, 1, 50, 7);
    open_good(number, 0);
}

/* ---- Batches that come and go ---- */

/* Once, after the batches have been listed, and the first of them has been opened. */
static void remove_c(void)
{
    assert_int_equal(rename("store/c", "store/.old-c"), 0);
}

static void replace_c(void)
{
    assert_int_equal(rename("store/c", "store/d"), 0);
}

TEST(batches_that_are_being_removed_are_passed_over)
{
    add_all(NULL);
    small_add("c");
    faulty_meet("lock", remove_c);
    open_good(all, SMALL_PILES);
    assert_null(faulty.meet);
    assert_reads(0, 0, 1000, 100);
}

TEST(a_batch_that_comes_as_another_one_goes_is_not_missed)
{
    uint64_t records[SMALL_PILES];

    add_all(NULL);
    small_add("c");
    faulty_meet("lock", replace_c);
    open_good(all, SMALL_PILES);
    assert_null(faulty.meet);
    for (unsigned p = 0; p < SMALL_PILES; p++)
        records[p] = store_reader_records(opened, p);
    open_good(all, SMALL_PILES);
    for (unsigned p = 0; p < SMALL_PILES; p++)
        assert_true(store_reader_records(opened, p) == records[p]);
}

/* A lock that nobody gives back. */
TEST(a_batch_that_is_never_to_be_had_is_a_failure)
{
    int fd;

    add_all(NULL);
    small_add("c");
    fd = open("store/c/manifest", O_RDWR | O_CLOEXEC);
    assert_int_equal(sys_lock(fd, true), 0);
    assert_does_not_open("bigshuf: store/c/manifest: another process has locked it: try again when that has ended\n");
    close(fd);
}

/* ---- Damage ---- */

/* Reading a pile that has become bad after the store was opened fails with this message, and nothing of a bad part is
 * handed over as its last bytes. */
static void assert_fails(unsigned pile, const char *message, size_t step)
{
    static char found[ALL_BYTES];

    assert_ends(read_pile(pile, found, step, step), message);
}

TEST(a_file_that_goes_bad_later_is_named)
{
    static const char path[] = "store/a-1/pile-0001";

    open_all(NULL);
    assert_int_equal(truncate(path, 5), 0);
    assert_fails(1, "bigshuf: store/a-1/pile-0001: size has changed since it was written" ADD_AGAIN "\n", 100);
    assert_int_equal(unlink(path), 0);
    assert_fails(1, "bigshuf: store/a-1/pile-0001: missing" ADD_AGAIN "\n", 100);
    assert_int_equal(symlink("../b/pile-0001", path), 0);
    assert_fails(1, "bigshuf: store/a-1/pile-0001: not a regular file\n", 100);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_fails(1, "bigshuf: store/a-1/pile-0001: not a regular file\n", 100);
}

TEST(a_file_that_is_cut_while_it_is_read_is_damaged)
{
    struct storage_reader reader;
    char data[100];

    open_all(NULL);
    storage_reader_init(&reader, store_reader_storage(opened), 1);
    assert_true(reader.left > 200);
    read_some(&reader, data, 10, 10);
    assert_true(small_exists("store/a-1/pile-0001"));
    for (int i = 0; i < NAMES; i++)
        assert_int_equal(truncate(small_path("%s/pile-0001", names[i]), 11), 0);
    if (scratch_begin_end())
        read_some(&reader, data, 100, 10);
    assert_non_null(strstr(scratch_ended(), "/pile-0001: contents have changed since they were written\n"));
    storage_reader_release(&reader);
}

/* With every byte of every file of a batch. */
TEST(a_change_of_any_byte_is_found_and_named)
{
    static const size_t steps[] = {33, ALL_BYTES};

    open_all(">>");
    for (unsigned p = 0; p < SMALL_PILES; p++) {
        const char *path = small_path("a.1/pile-%04u", p);
        int fd = open(path, O_RDWR | O_CLOEXEC);
        char message[128];
        uint8_t byte;

        snprintf(message, sizeof message, "bigshuf: %s: contents have changed since they were written\n", path);
        for (off_t at = 0; pread(fd, &byte, 1, at) == 1; at++) {
            byte = (uint8_t)(byte ^ 1U << at % 8);
            assert_int_equal(pwrite(fd, &byte, 1, at), 1);
            assert_fails(p, message, steps[at % 2]);
            byte = (uint8_t)(byte ^ 1U << at % 8);
            assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        }
        close(fd);
        assert_reads(p, p, 1000, 100);
    }
}

/* Though its checksum is right, as that of a batch of another store. */
TEST(a_file_that_does_not_start_as_its_records_do_is_damaged)
{
    small_open(SMALL_PILES, NULL);
    small_add("a");
    assert_int_equal(rename("store/a", "a"), 0);
    small_reopen(SMALL_PILES, ">");
    assert_int_equal(rename("a", "store/a"), 0);
    open_good(all, SMALL_PILES);
    assert_fails(1, "bigshuf: store/a/pile-0001: contents have changed since they were written\n", 1000);
}

/* The manifests are read again, and they may be another's meanwhile. */
TEST(manifests_that_change_later_are_a_failure)
{
    struct batch batch;
    int fd;

    open_all(NULL);
    assert_true(batch_open(&batch, &small.store, "b", NULL));
    assert_true(batch_pile(&batch, 0).bytes > 0);
    fd = open("store/b/manifest", O_RDWR | O_CLOEXEC); /* pile 0 is empty now */
    assert_int_equal(
        pwrite(fd, "0000                    0                    0 ef46db3751d8e999\n", 64, (off_t)batch.piles_at), 64);
    close(fd);
    batch_close(&batch);
    assert_fails(0, "bigshuf: store/b/pile-0000: contents have changed since they were written\n", 1000);
}

/* ---- The header ---- */

TEST(a_header_that_no_batch_has_is_none)
{
    size_t bytes;

    small_open(SMALL_PILES, NULL);
    small_add("a");
    assert_true(scratch_put("store/header", "x,y\n", 0644)); /* its task was killed */
    open_good(all, SMALL_PILES);
    assert_null(store_reader_header(opened, &bytes));
    assert_int_equal(bytes, 0);
}

/* ---- Limits and failures ---- */

TEST(too_few_descriptors_are_told_at_once)
{
    add_all(NULL);
    layer.descriptors = 27;
    assert_does_not_open("bigshuf: store: 6 batches need 76 open files: raise the limit (ulimit -n)\n");
    layer.descriptors = 28;
    open_good(all, SMALL_PILES);
}

static void read_with_what_was_asked_for(void)
{
    struct rlimit limit = {.rlim_cur = 20, .rlim_max = 76};
    static char found[ALL_BYTES];

    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return; /* valgrind keeps some descriptors for itself and forbids it */
    opened = store_reader_open(&small.store, all, SMALL_PILES);
    for (unsigned p = 0; p < SMALL_PILES; p++)
        (void)read_pile(p, found, 100, 10);
}

TEST(as_many_descriptors_as_the_message_says_are_enough)
{
    add_all(NULL);
    assert_int_equal(scratch_child(read_with_what_was_asked_for), 0);
}

static void open_and_read(void)
{
    static char found[ALL_BYTES], expected[ALL_BYTES];
    uint64_t records;
    size_t bytes = expect(1, expected, &records);

    opened = store_reader_open(&small.store, all, SMALL_PILES);
    CHECK(read_pile(1, found, 300, 100) == bytes && memcmp(found, expected, bytes) == 0);
}

static void judge_nothing(bool failed)
{
    (void)failed;
}

TEST(whatever_fails_is_reported_once)
{
    add_all(">");
    small_fail_everywhere(open_and_read, judge_nothing, 100);
}
