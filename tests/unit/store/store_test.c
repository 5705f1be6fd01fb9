/* All who add to a store agree on what it is, whoever came first. */

#include "support/folders.h"
#include "support/unit.h"

#include "record/header.h"
#include "store/store.h"
#include "store/sweep.h"

static struct store store;

static int setup(void **state)
{
    memset(&store, 0, sizeof store);
    return folders_setup(state);
}

static int teardown(void **state)
{
    store_close(&store);
    return folders_teardown(state);
}

static const struct store_format lines = {.piles = 256, .record = {.delimiter = '\n'}};

static void assert_not_opened(const char *path, const char *message)
{
    folders_assert_ends(store_open(&store, path), message);
    store_close(&store);
}

static void assert_not_joined(const char *path, const char *message)
{
    folders_assert_ends(store_join(&store, path, &lines), message);
    store_close(&store);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

TEST(who_asks_for_no_number_of_piles_gets_what_there_is)
{
    struct store_format any = lines;

    any.piles = 0;
    assert_int_equal(store_join(&store, "new", &any), 0);
    assert_int_equal(store.format.piles, STORE_FORMAT_PILES);
    store_close(&store);
    assert_int_equal(store_join(&store, "old", &lines), 0);
    store_close(&store);
    assert_int_equal(store_join(&store, "old", &any), 0);
    assert_int_equal(store.format.piles, 256);
}

TEST(a_directory_that_is_there_becomes_a_store_and_keeps_what_is_in_it)
{
    assert_int_equal(mkdir("d", 0755), 0);
    assert_true(scratch_put("d/.foreign", "foreign", 0644));
    assert_int_equal(symlink("d", "link"), 0);
    assert_int_equal(store_join(&store, "link", &lines), 0);
    assert_true(scratch_holds("d/.foreign", "foreign"));
    assert_int_equal(scratch_count("d"), 2);
}

TEST(a_directory_with_other_things_does_not_become_one)
{
    assert_int_equal(mkdir("d", 0755), 0);
    assert_true(scratch_put("d/corpus.txt", "", 0644));
    assert_not_joined("d", "bigshuf: d: not a store of piles, and not empty: it holds 'corpus.txt'\n");
    assert_int_equal(scratch_count("d"), 1);
}

TEST(what_is_no_store_is_told_so)
{
    assert_not_opened("missing", "bigshuf: missing: No such file or directory\n");
    assert_not_opened("", "bigshuf: '': No such file or directory\n");
    assert_not_joined("missing/d", "bigshuf: missing/d: No such file or directory: there is no folder 'missing'\n");
    assert_int_equal(mkdir("d", 0755), 0);
    assert_not_opened("d", "bigshuf: d: not a store of piles\n");
    assert_int_equal(scratch_count("d"), 0);
    assert_int_equal(symlink("nowhere", "link"), 0);
    assert_not_joined("link", "bigshuf: link: No such file or directory\n");
    assert_true(scratch_put("file", "", 0644));
    assert_not_joined("file", "bigshuf: file: Not a directory\n");
}

TEST(a_format_that_is_no_file_is_a_failure)
{
    char large[10000];

    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(mkdir("d/format", 0755), 0);
    assert_not_joined("d", "bigshuf: d/format: not a regular file\n");
    assert_int_equal(rmdir("d/format"), 0);
    folders_put("d/format", "bigshuf store 2\n", 16);
    assert_int_equal(rename("d/format", "format"), 0);
    assert_int_equal(symlink("../format", "d/format"), 0);
    assert_not_opened("d", "bigshuf: d/format: not a regular file\n");
    assert_int_equal(unlink("d/format"), 0);
    memset(large, 'x', sizeof large);
    folders_put("d/format", large, sizeof large);
    folders_listen();
    assert_int_equal(store_open(&store, "d"), -1);
    assert_non_null(strstr(scratch_heard(), "bigshuf: d/format: larger than "));
}

/* How many temporary files are left in "d"? */
static int count_left(void)
{
    DIR *directory = opendir("d");
    struct dirent *entry;
    int count = 0;

    while (directory != NULL && (entry = readdir(directory)) != NULL)
        count += strncmp(entry->d_name, ".new-format~", 12) == 0 || strncmp(entry->d_name, ".new-header~", 12) == 0;
    if (directory != NULL)
        closedir(directory);
    return count;
}

TEST(a_failure_at_any_call_is_reported_and_harms_no_other_attempt)
{
    unsigned failures = 0;
    bool failed = true;

    for (unsigned at = 1; failed; at++) {
        int result;

        if (folders_exists("d"))
            scratch_empty(open("d", O_RDONLY | O_DIRECTORY));
        (void)rmdir("d");
        faulty_fail(NULL, at, EIO);
        folders_listen();
        result = store_join(&store, "d", &lines);
        failed = faulty_stop();
        if (result == 0)
            folders_assert_heard("");
        else
            assert_non_null(strstr(scratch_heard(), "Input/output error\n"));
        assert_true(count_left() == 0 || (failed && strcmp(faulty.failed, "unlink_at") == 0));
        failures += result != 0;
        store_close(&store);
        folders_forgive();
        assert_int_equal(store_join(&store, "d", &lines), 0);
        store_close(&store);
    }
    assert_true(failures > 12);
}

/* Whoever has made the directory may have been killed at once. */
TEST(where_a_format_is_the_name_of_the_store_is_on_disk)
{
    const char *linked, *synced;

    assert_int_equal(mkdir("d", 0755), 0);
    folders_forgive();
    assert_int_equal(store_join(&store, "d", &lines), 0);
    linked = strstr(folders.trail, " link_at ");
    synced = strstr(folders.trail, "sync ");
    assert_true(linked != NULL && synced != NULL && synced < linked);
    synced = strstr(synced + 1, "sync "); /* of the file itself */
    assert_true(synced != NULL && synced < linked);
}

static void join_and_exit(void)
{
    (void)store_join(&store, "d", &lines);
    CHECK(faulty.calls < faulty.at);
    _exit(2);
}

TEST(death_at_any_call_harms_no_other_attempt)
{
    unsigned at = 0;
    int status;

    do {
        if (folders_exists("d"))
            scratch_empty(open("d", O_RDONLY | O_DIRECTORY));
        (void)rmdir("d");
        faulty_fail(NULL, ++at, EIO);
        faulty.dies = true;
        status = scratch_child(join_and_exit);
        assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2));
        folders_forgive();
        assert_int_equal(store_join(&store, "d", &lines), 0);
        assert_int_equal(scratch_count("d"), 1 + count_left());
        store_close(&store);
    } while (WEXITSTATUS(status) == 0);
    assert_true(at > 12);
}

/* Even and odd ones want different formats, and put different headers. Their result has two bits, which say whether the
 * format and the header were theirs. */
static int race(int racer)
{
    struct store_format format = lines;
    char header[5000];
    int result = 8;

    format.piles = racer % 2 == 0 ? 128 : 1024;
    memset(header, 'a' + racer % 2, sizeof header);
    result += store_join(&store, "d", &format) == 0;
    CHECK(store.folder.path != NULL);
    CHECK((result == 9) == (store.format.piles == format.piles));
    CHECK((result == 8) == fault_any());
    folders_forgive();
    return result + 2 * (store_put_header(&store, (const uint8_t *)header, sizeof header) == 0);
}

TEST(of_many_who_join_at_the_same_time_those_agree_who_want_the_same)
{
    for (int round = 0; round < (scratch_is_tiny() ? 2 : FOLDERS_ROUNDS); round++) {
        int result[FOLDERS_RACERS];

        scratch_listen();
        folders_race(race, result);
        for (int i = 0; i < FOLDERS_RACERS; i++) {
            assert_in_range(result[i], 8, 11);
            assert_int_equal(result[i], result[i % 2]);
        }
        assert_int_equal((result[0] - 8) ^ (result[1] - 8), 3); /* each has one winner */
        (void)scratch_heard();
        assert_int_equal(scratch_count("d"), 2);
        scratch_empty(open("d", O_RDONLY | O_DIRECTORY));
        assert_int_equal(rmdir("d"), 0);
    }
}

/* ---- The header ---- */

TEST(a_header_is_kept_once_and_another_is_refused)
{
    static const uint8_t header[] = "id\0name\n", other[] = "id\0Name\n";
    uint8_t *known;
    size_t bytes;

    assert_int_equal(store_join(&store, "d", &lines), 0);
    assert_int_equal(store_get_header(&store, &known, &bytes), 0);
    assert_null(known);
    assert_int_equal(bytes, 0);
    assert_int_equal(store_put_header(&store, NULL, 0), 0); /* of inputs without a byte */
    assert_false(folders_exists("d/header"));
    assert_int_equal(store_put_header(&store, header, sizeof header), 0);
    assert_int_equal(store_put_header(&store, header, sizeof header), 0);
    assert_int_equal(store_put_header(&store, NULL, 0), 0);
    folders_assert_ends(store_put_header(&store, other, sizeof other),
                        "bigshuf: d/header: not the header of these inputs\n");
    folders_assert_ends(store_put_header(&store, header, sizeof header - 1),
                        "bigshuf: d/header: not the header of these inputs\n");
    assert_int_equal(store_get_header(&store, &known, &bytes), 0);
    assert_int_equal(bytes, sizeof header);
    assert_memory_equal(known, header, bytes);
    free(known);
    assert_int_equal(scratch_count("d"), 2);
}

TEST(a_header_may_be_as_large_as_one_of_an_input)
{
    enum { LARGE = HEADER_BYTES_MAX + RECORD_DELIMITER_BYTES_MAX };
    uint8_t *header = calloc(LARGE, 1), *known;
    size_t bytes;

    assert_non_null(header);
    assert_int_equal(store_join(&store, "d", &lines), 0);
    assert_int_equal(store_put_header(&store, header, LARGE), 0);
    assert_int_equal(store_put_header(&store, header, LARGE), 0);
    assert_int_equal(store_get_header(&store, &known, &bytes), 0);
    assert_int_equal(bytes, LARGE);
    free(known);
    free(header);
    assert_int_equal(truncate("d/header", LARGE + 1), 0);
    folders_assert_ends(store_get_header(&store, &known, &bytes), "bigshuf: d/header: larger than 1048831 bytes\n");
    assert_null(known);
}

TEST(a_failure_leaves_no_header_in_part)
{
    static const char header[] = "one,two\n";
    bool failed = true;

    assert_int_equal(store_join(&store, "d", &lines), 0);
    for (unsigned at = 1; failed; at++) {
        const int left = count_left();
        int result;

        (void)unlink("d/header");
        faulty_fail(NULL, at, ENOSPC);
        folders_listen();
        result = store_put_header(&store, (const uint8_t *)header, sizeof header - 1);
        failed = faulty_stop();
        assert_int_equal(strstr(scratch_heard(), "No space left on device\n") != NULL, result != 0);
        assert_true(scratch_holds("d/header", header) || (result != 0 && !folders_exists("d/header")));
        assert_true(count_left() == left || (failed && strcmp(faulty.failed, "unlink_at") == 0));
        folders_forgive();
        assert_int_equal(store_put_header(&store, (const uint8_t *)header, sizeof header - 1), 0);
    }
}

/* ---- The batches ---- */

static void make_store_of_batches(void)
{
    assert_int_equal(store_join(&store, "d", &lines), 0);
    assert_int_equal(mkdir("d/b", 0755), 0);
    assert_int_equal(mkdir("d/B", 0755), 0);
    assert_int_equal(mkdir("d/a.10", 0755), 0);
    assert_int_equal(mkdir("d/a.9", 0755), 0);
    assert_int_equal(mkdir("d/.new-c", 0755), 0);
    assert_int_equal(mkdir("d/.new-c~1", 0755), 0);
    assert_int_equal(mkdir("d/.old-d", 0755), 0);
    assert_int_equal(mkdir("d/lost+found", 0755), 0);
    assert_int_equal(mkdir("d/header", 0755), 0);
    assert_true(scratch_put("d/README", "", 0644));
    assert_int_equal(mkfifo("d/f", 0644), 0);
}

TEST(batches_are_the_folders_with_names_of_batches_in_bytewise_order)
{
    struct folder_names names;

    assert_int_equal(store_join(&store, "d", &lines), 0);
    assert_int_equal(store_batches(&store, &names), 0);
    assert_int_equal(names.count, 0);
    folder_names_release(&names);
    store_close(&store);
    make_store_of_batches();
    assert_int_equal(store_batches(&store, &names), 0);
    assert_int_equal(names.count, 4);
    assert_string_equal(names.name[0], "B");
    assert_string_equal(names.name[1], "a.10");
    assert_string_equal(names.name[2], "a.9");
    assert_string_equal(names.name[3], "b");
    folder_names_release(&names);
}

TEST(a_batch_that_is_a_link_is_refused)
{
    struct folder_names names;

    make_store_of_batches();
    assert_int_equal(symlink("b", "d/e"), 0);
    folders_assert_ends(store_batches(&store, &names),
                        "bigshuf: d/e: is a link, and links are not followed here\n");
}

static void remove_one(void)
{
    assert_int_equal(rename("d/a.10", "d/.old-a.10"), 0);
}

TEST(a_batch_that_leaves_meanwhile_is_not_one)
{
    struct folder_names names;

    make_store_of_batches();
    faulty_meet("stat_at", remove_one);
    assert_int_equal(store_batches(&store, &names), 0);
    assert_int_equal(names.count, 3);
    folder_names_release(&names);
}

TEST(a_list_of_batches_is_complete_or_a_failure)
{
    struct folder_names names;
    bool failed = true;

    make_store_of_batches();
    for (unsigned at = 1; failed; at++) {
        int result;

        faulty_fail(NULL, at, EIO);
        folders_listen();
        result = store_batches(&store, &names);
        failed = faulty_stop();
        assert_int_equal(strstr(scratch_heard(), "Input/output error\n") != NULL, failed);
        assert_int_equal(result, failed ? -1 : 0);
        assert_int_equal(names.count, failed ? 0 : 4);
        folder_names_release(&names);
    }
}
