/* Files one behind another in memory, whatever their sizes and where they begin. */

#include "input/mapped.h"

#include "support/scratch.h"
#include "support/unit.h"
#include "system/sys.h"

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

enum { FILES_MAX = 9 };

static struct mapped mapped;
static struct file_mark marks[FILES_MAX];

/* A file in which no page is like another, of a multiple of 8 bytes. */
static void put_numbers(const char *name, size_t bytes)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    for (size_t done = 0; done < bytes; done += 8)
        assert_int_equal(fprintf(file, "%07zu\n", done / 8), 8);
    assert_int_equal(fclose(file), 0);
}

/* Files of these names are marked and mapped, if that can be done. */
static bool map(const char *const *names, size_t count, off_t start)
{
    memset(marks, 0, sizeof marks);
    for (size_t i = 0; i < count; i++) {
        const int fd = strcmp(names[i], "-") == 0 ? dup(STDIN_FILENO) : open(names[i], O_RDONLY);

        assert_int_equal(file_mark_open(&marks[i], fd), 0);
        close(fd);
    }
    return mapped_open(&mapped, names, marks, count, start);
}

/* Lend file i from the byte `offset` on. */
static void begin(size_t i, const char *name, off_t offset)
{
    const int fd = open(name, O_RDONLY);

    assert_int_equal(lseek(fd, offset, SEEK_SET), offset);
    mapped_begin(&mapped, i, fd, 0);
    close(fd);
}

/* Does the memory hold what the file has from `offset` on? */
static void assert_holds(const uint8_t *place, const char *name, off_t offset, size_t bytes)
{
    uint8_t *content = malloc(bytes + 1);
    const int fd = open(name, O_RDONLY);

    assert_int_equal(pread(fd, content, bytes + 1, offset), bytes);
    assert_memory_equal(place, content, bytes);
    close(fd);
    free(content);
}

/* Files of any sizes, and a standard input from `start` on, each with something behind it. */
static void map_all(size_t start)
{
    static const char *const names[] = {"0", "1", "2", "3", "-", "5", "6", "7"};
    const size_t page = sys_page_bytes();
    const size_t sizes[] = {0, 8, 104, page - 8, 3 * page + 8, page, page + 8, 5 * page + 80};
    enum { FILES = sizeof sizes / sizeof sizes[0], INPUT = 4 };
    const int input = dup(STDIN_FILENO);
    const uint8_t *place[FILES];
    size_t lent[FILES];

    for (size_t i = 0; i < FILES; i++)
        put_numbers(i == INPUT ? "input" : names[i], sizes[i]);
    assert_int_equal(dup2(open("input", O_RDONLY), STDIN_FILENO), STDIN_FILENO);
    assert_true(map(names, FILES, (off_t)start));
    for (size_t i = 0; i < FILES; i++) {
        begin(i, i == INPUT ? "input" : names[i], i == INPUT ? (off_t)start : 0);
        place[i] = mapped.at;
        lent[i] = (size_t)(mapped.last - mapped.at);
        assert_int_equal(lent[i], i != INPUT ? sizes[i] : sizes[i] > start ? sizes[i] - start : 0);
        memset(mapped.last, 'x', MAPPED_BEHIND_BYTES);
    }
    for (size_t i = 0; i < FILES; i++) {
        assert_holds(place[i], i == INPUT ? "input" : names[i], (off_t)(sizes[i] - lent[i]), lent[i]);
        assert_true(place[i] + lent[i] + MAPPED_BEHIND_BYTES <=
                    (i + 1 < FILES ? place[i + 1] : mapped.base + mapped.bytes));
    }
    mapped_check(&mapped);
    mapped_close(&mapped);
    mapped_close(&mapped);
    assert_int_equal(dup2(input, STDIN_FILENO), STDIN_FILENO);
    close(input);
}

TEST(files_stand_one_behind_another_with_room_behind_each)
{
    const size_t page = sys_page_bytes();

    map_all(0);
    map_all(1);
    map_all(page - 1);
    map_all(page);
    map_all(3 * page + 5);
    map_all(9 * page);
}

TEST(what_was_forgotten_comes_back)
{
    static const char *const names[] = {"a", "b"};
    const size_t sizes[] = {3 << 20, (9 << 20) + 8};

    for (size_t i = 0; i < 2; i++)
        put_numbers(names[i], sizes[i]);
    assert_true(map(names, 2, 0));
    for (int again = 0; again < 2; again++) {
        mapped_restart(&mapped);
        for (size_t i = 0; i < 2; i++) {
            size_t piece = 1000;

            begin(i, names[i], 0);
            assert_holds(mapped.at, names[i], 0, sizes[i]);
            for (; mapped.at < mapped.last; mapped.at += mapped_next(&mapped, piece), piece += 70001)
                mapped_forget(&mapped, mapped.at);
        }
    }
    mapped_close(&mapped);
}

TEST(what_is_no_file_of_its_size_is_not_mapped)
{
    static const char *const names[] = {"file", "/proc/self/status"};

    put_numbers("file", 80);
    assert_true(map(names, 1, 0));
    mapped_close(&mapped);
    if (access(names[1], R_OK) == 0)
        assert_false(map(names, 2, 0));
    assert_false(map(names, 0, 0));
    assert_null(mapped.base);
}

TEST(a_file_that_becomes_shorter_cannot_be_lent)
{
    static const char *const names[] = {"file"};

    put_numbers("file", 1000);
    assert_true(map(names, 1, 0));
    assert_int_equal(truncate("file", 1001), 0);
    begin(0, "file", 0);
    assert_int_equal(truncate("file", 999), 0);
    assert_ends(begin(0, "file", 0), "bigshuf: file: file has changed while it was read\n");
    assert_ends(mapped_check(&mapped), "bigshuf: file: file has changed while it was read\n");
    mapped_close(&mapped);
}
