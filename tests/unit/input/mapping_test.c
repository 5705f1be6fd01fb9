/* Files one behind another in memory, whatever their sizes and where they begin. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setgroups, in scratch.h */
#endif

#include "support/scratch.h"

#include <errno.h>

#include "input/mapping.h"
#include "system/sys.h"

/* A file in which no page is like another, of a multiple of 8 bytes. */
static void put_numbers(const char *name, size_t bytes)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    for (size_t done = 0; done < bytes; done += 8)
        assert_int_equal(fprintf(file, "%07zu\n", done / 8), 8);
    assert_int_equal(fclose(file), 0);
}

/* Does place[0, bytes) hold what the file has from `offset` on? */
static void assert_holds(const uint8_t *place, int fd, off_t offset, size_t bytes)
{
    uint8_t *content = malloc(bytes + 1);

    assert_non_null(content);
    assert_int_equal(pread(fd, content, bytes, offset), bytes);
    assert_memory_equal(place, content, bytes);
    free(content);
}

static void files_stand_one_behind_another_with_room_behind_each(void **state)
{
    const size_t page = sys_page_bytes();
    const size_t sizes[] = {0, 1, 100, page - 1, page, page + 1, 3 * page, 5 * page + 77};
    const off_t offsets[] = {0, 1, (off_t)page - 1, (off_t)page, (off_t)page + 5};

    (void)state;
    put_numbers("file", 8 * page);
    for (size_t o = 0; o < 5; o++) {
        int fd = open("file", O_RDONLY);
        struct mapping mapping;
        uint8_t *place[8];
        uint64_t bytes = 0;

        for (size_t i = 0; i < 8; i++)
            bytes += mapping_room(sizes[i]);
        assert_int_equal(mapping_reserve(&mapping, bytes), 0);
        for (size_t i = 0; i < 8; i++) {
            place[i] = mapping_add(&mapping, fd, offsets[o], sizes[i]);
            assert_non_null(place[i]);
            assert_int_equal(mapping_complete(place[i], fd, offsets[o], sizes[i]), 0);
            memset(place[i] + sizes[i], 'x', MAPPING_BEHIND_BYTES);
        }
        for (size_t i = 0; i < 8; i++) {
            assert_holds(place[i], fd, offsets[o], sizes[i]);
            assert_true(i == 0 || place[i - 1] + sizes[i - 1] + MAPPING_BEHIND_BYTES <= place[i]);
        }
        assert_true(place[7] + sizes[7] + MAPPING_BEHIND_BYTES <= mapping.base + mapping.bytes);
        assert_null(mapping_add(&mapping, fd, 0, sizes[7]));
        assert_int_equal(errno, ENOMEM);
        mapping_release(&mapping);
        mapping_release(&mapping);
        close(fd);
    }
}

static void what_was_forgotten_comes_back(void **state)
{
    const size_t page = sys_page_bytes();
    struct mapping mapping;
    uint8_t *place;
    int fd;

    (void)state;
    put_numbers("file", 8 * page);
    fd = open("file", O_RDONLY);
    assert_int_equal(mapping_reserve(&mapping, mapping_room(8 * page)), 0);
    place = mapping_add(&mapping, fd, 0, 8 * page);
    assert_non_null(place);
    mapping_populate(place + 5, 3 * page);
    mapping_populate(place, 0);
    for (size_t from = 0; from < page; from += page / 4 - 1)
        for (size_t to = from; to < 8 * page; to += page / 3) {
            mapping_forget(place + from, to - from);
            assert_holds(place, fd, 0, 8 * page);
        }
    mapping_release(&mapping);
    close(fd);
}

static void only_whole_pages_within_are_forgotten(void **state)
{
    const size_t page = sys_page_bytes();
    struct mapping mapping;

    (void)state;
    assert_int_equal(mapping_reserve(&mapping, 4 * page), 0);
    memset(mapping.base, 'x', 4 * page);
    mapping_forget(mapping.base + 1, 3 * page - 2);
    assert_int_equal(mapping.base[page - 1], 'x');
    assert_int_equal(mapping.base[2 * page], 'x');
    mapping_forget(mapping.base + 2 * page + 1, page);
    assert_int_equal(mapping.base[2 * page], 'x');
    assert_int_equal(mapping.base[3 * page], 'x');
    mapping_release(&mapping);
}

static void what_is_no_file_is_not_mapped(void **state)
{
    const size_t page = sys_page_bytes();
    struct mapping mapping;
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(mapping_reserve(&mapping, mapping_room(page)), 0);
    assert_null(mapping_add(&mapping, ends[0], 0, page));
    mapping_release(&mapping);
    close(ends[0]);
    close(ends[1]);
}

static void a_file_that_has_become_shorter_is_told(void **state)
{
    struct mapping mapping;
    uint8_t *place;
    int fd;

    (void)state;
    put_numbers("file", 1000);
    fd = open("file", O_RDONLY);
    assert_int_equal(mapping_reserve(&mapping, mapping_room(1000)), 0);
    place = mapping_add(&mapping, fd, 0, 1000);
    assert_int_equal(truncate("file", 999), 0);
    errno = EIO;
    assert_int_equal(mapping_complete(place, fd, 0, 1000), -1);
    assert_int_equal(errno, 0);
    mapping_release(&mapping);
    close(fd);
}

static void more_than_there_are_addresses_is_refused(void **state)
{
    struct mapping mapping;

    (void)state;
    assert_int_equal(mapping_reserve(&mapping, UINT64_MAX), -1);
    assert_int_equal(errno, ENOMEM);
    mapping_release(&mapping);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, scratch_setup, scratch_teardown)
        TEST(files_stand_one_behind_another_with_room_behind_each),
        TEST(what_was_forgotten_comes_back),
        TEST(only_whole_pages_within_are_forgotten),
        TEST(what_is_no_file_is_not_mapped),
        TEST(a_file_that_has_become_shorter_is_told),
        TEST(more_than_there_are_addresses_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
