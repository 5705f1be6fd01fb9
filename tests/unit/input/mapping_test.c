/* Files one behind another in memory, whatever their sizes and where they begin. */

#include "input/mapping.h"

#include <errno.h>

#include "support/scratch.h"
#include "support/unit.h"
#include "system/sys.h"

#define TEST(name) UNIT_TEST_IN(name, scratch_setup, scratch_teardown)

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

/* Files of these sizes, from `offset` on as far as they go that far. */
static void map_all(size_t offset)
{
    const size_t page = sys_page_bytes();
    const size_t sizes[] = {0, 8, 104, page - 8, page, page + 8, 3 * page, 5 * page + 80};
    enum { FILES = sizeof sizes / sizeof sizes[0] };
    struct mapping mapping;
    uint64_t bytes = 0;
    int fd[FILES];

    for (size_t i = 0; i < FILES; i++)
        bytes += mapping_room(sizes[i]);
    assert_int_equal(mapping_reserve(&mapping, FILES, bytes), 0);
    for (size_t i = 0; i < FILES; i++) {
        put_numbers("file", sizes[i]);
        fd[i] = open("file", O_RDONLY);
        assert_int_equal(unlink("file"), 0);
        assert_int_equal(mapping_add(&mapping, fd[i], (off_t)offset, (off_t)sizes[i]), 0);
        assert_int_equal(mapping.file[i].bytes, sizes[i] > offset ? sizes[i] - offset : 0);
        assert_int_equal(mapping_complete(&mapping.file[i], fd[i]), 0);
        memset(mapping.file[i].place + mapping.file[i].bytes, 'x', MAPPING_BEHIND_BYTES);
    }
    for (size_t i = 0; i < FILES; i++) {
        const struct mapped_file *file = &mapping.file[i];

        assert_holds(file->place, fd[i], file->offset, file->bytes);
        assert_int_equal(mapping_find(&mapping, file->place), i);
        assert_int_equal(mapping_find(&mapping, file->place + file->bytes), i);
        assert_true(file->place + file->bytes + MAPPING_BEHIND_BYTES <=
                    (i + 1 < FILES ? file[1].place : mapping.base + mapping.bytes));
        close(fd[i]);
    }
    mapping_release(&mapping);
    mapping_release(&mapping);
}

TEST(files_stand_one_behind_another_with_room_behind_each)
{
    const size_t page = sys_page_bytes();

    map_all(0);
    map_all(1);
    map_all(page - 1);
    map_all(page);
    map_all(3 * page + 5);
}

/* The file `file` of so many bytes alone, with a descriptor to be closed. */
static int map_one(struct mapping *mapping, size_t bytes)
{
    int fd;

    put_numbers("file", bytes);
    fd = open("file", O_RDONLY);
    assert_int_equal(mapping_reserve(mapping, 2, mapping_room(bytes)), 0);
    assert_int_equal(mapping_add(mapping, fd, 0, (off_t)bytes), 0);
    return fd;
}

TEST(what_was_forgotten_comes_back)
{
    const size_t page = sys_page_bytes();
    struct mapping mapping;
    int fd = map_one(&mapping, 8 * page);
    uint8_t *place = mapping.file[0].place;

    for (size_t from = 0; from < page; from += page / 4 - 1)
        for (size_t to = from; to < 8 * page; to += page / 3) {
            mapping_forget(place + from, to - from);
            assert_holds(place, fd, 0, 8 * page);
        }
    mapping_release(&mapping);
    close(fd);
}

TEST(only_whole_pages_within_are_forgotten)
{
    const size_t page = sys_page_bytes();
    struct mapping mapping;

    assert_int_equal(mapping_reserve(&mapping, 1, 4 * page), 0);
    memset(mapping.base, 'x', 4 * page);
    mapping_forget(mapping.base + 1, 3 * page - 2);
    assert_int_equal(mapping.base[page - 1], 'x');
    assert_int_equal(mapping.base[2 * page], 'x');
    mapping_forget(mapping.base + 2 * page + 1, page);
    assert_int_equal(mapping.base[2 * page], 'x');
    assert_int_equal(mapping.base[3 * page], 'x');
    mapping_release(&mapping);
}

TEST(what_is_no_file_of_its_size_is_not_mapped)
{
    struct mapping mapping;
    int ends[2], fd = open("/proc/self/status", O_RDONLY);

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(mapping_reserve(&mapping, 2, mapping_room(sys_page_bytes())), 0);
    assert_int_equal(mapping_add(&mapping, ends[0], 0, 0), -1);
    if (fd >= 0)
        assert_int_equal(mapping_add(&mapping, fd, 0, 0), -1);
    mapping_release(&mapping);
    close(ends[0]);
    close(ends[1]);
    close(fd);
}

TEST(what_there_is_no_room_for_is_not_mapped)
{
    struct mapping mapping;
    int fd = map_one(&mapping, 1000);

    assert_int_equal(mapping_add(&mapping, fd, 0, 1000), -1);
    assert_int_equal(errno, ENOMEM);
    mapping_release(&mapping);
    assert_int_equal(mapping_reserve(&mapping, 1, UINT64_MAX), -1);
    assert_int_equal(errno, ENOMEM);
    mapping_release(&mapping);
    close(fd);
}

TEST(a_file_that_becomes_shorter_cannot_be_completed)
{
    struct mapping mapping;
    int fd = map_one(&mapping, 1000);

    assert_int_equal(truncate("file", 1001), 0);
    assert_int_equal(mapping_complete(&mapping.file[0], fd), 0);
    assert_int_equal(truncate("file", 999), 0);
    assert_int_equal(mapping_complete(&mapping.file[0], fd), -1);
    assert_int_equal(errno, ESTALE);
    assert_int_equal(mapping_add(&mapping, fd, 0, 1000), -1);
    mapping_release(&mapping);
    close(fd);
}
