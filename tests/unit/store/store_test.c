/* All who add to a store agree on what it is, whoever came first. */

#include "support/folders.h"
#include "support/unit.h"

#include "record/header.h"
#include "store/store.h"

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

static const uint8_t header[] = "one,two\n";
static const struct store_format lines = {.piles = 256, .record = {.delimiter = '\n'}};

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

#define EMPTY ": it has no batches, so remove it, unless others are about to write some\n"

TEST(it_is_said_how_a_format_differs)
{
    static const struct {
        struct store_format wanted;
        const char *message;
    } cases[] = {
        {{.piles = 512, .record = {.delimiter = '\n'}},
         "bigshuf: d/format: the store has 256 piles, not 512 piles" EMPTY},
        {{.record = {.kind = &sizes_kind, .count = 16}},
         "bigshuf: d/format: the store has records ending with \"\\n\", not records of 16 bytes" EMPTY},
        {{.record = {.delimiter = '\n'}, .header_lines = 1},
         "bigshuf: d/format: the store has no header, not a header of 1 record" EMPTY},
    };

    store_join(&store, "d", &lines);
    store_close(&store);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_ends(store_join(&store, i == 0 ? "d/" : "d", &cases[i].wanted), cases[i].message);
    assert_int_equal(mkdir("d/batch", 0755), 0);
    assert_ends(store_join(&store, "d", &cases[0].wanted),
                "bigshuf: d/format: the store has 256 piles, not 512 piles\n");
}

TEST(a_directory_with_other_things_does_not_become_a_store)
{
    assert_int_equal(mkdir("d", 0755), 0);
    assert_true(scratch_put("d/.foreign", "", 0644));
    assert_true(scratch_put("d/corpus.txt", "", 0644));
    assert_true(scratch_put("d/x", "", 0644));
    assert_ends(store_join(&store, "d", &lines),
                "bigshuf: d: not a store of piles, and not empty: it holds 'corpus.txt'\n");
    assert_int_equal(scratch_count("d"), 3);
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

/* Nothing is there, and so it is after each attempt. */
static void clear(void)
{
    if (folders_exists("d"))
        scratch_empty(open("d", O_RDONLY | O_DIRECTORY));
    (void)rmdir("d");
}

/* Let each call fail in turn, or end the process. The run ends with a message, or gets through; and it harms no other
 * attempt. */
static void disturb_everywhere(void (*task)(void), bool dies, unsigned least)
{
    unsigned at = 0;
    int outcome;

    do {
        clear();
        faulty_fail(NULL, ++at, EIO);
        faulty.dies = dies;
        outcome = folders_try(task);
        assert_true(dies || count_left() <= 1); /* only if it cannot be unlinked */
        if (folders_exists("d"))
            assert_int_equal(scratch_count("d"),
                             count_left() + folders_exists("d/format") + folders_exists("d/header"));
        store_join(&store, "d", &lines);
        store_put_header(&store, header, sizeof header - 1);
        assert_true(scratch_holds("d/header", (const char *)header));
        store_close(&store);
    } while (outcome != FOLDERS_OVER);
    assert_true(at > least);
}

static void join(void)
{
    store_join(&store, "d", &lines);
    store_put_header(&store, header, sizeof header - 1);
}

TEST(a_failure_at_any_call_harms_no_other_attempt)
{
    disturb_everywhere(join, false, 20);
}

TEST(death_at_any_call_harms_no_other_attempt)
{
    disturb_everywhere(join, true, 20);
}

static void fail_in_a_new_directory(void)
{
    faulty_fail_all("link_at", EIO);
    store_join(&store, "d", &lines);
}

TEST(a_directory_that_did_not_become_a_store_is_not_left)
{
    assert_ends(fail_in_a_new_directory(), "bigshuf: d/format: Input/output error\n");
    assert_false(folders_exists("d"));
    assert_int_equal(mkdir("d", 0755), 0);
    assert_ends(fail_in_a_new_directory(), "bigshuf: d/format: Input/output error\n");
    assert_int_equal(scratch_count("d"), 0);
}

/* Whoever has made the directory may have been killed at once. */
TEST(where_a_format_is_the_name_of_the_store_is_on_disk)
{
    const char *linked, *synced;

    assert_int_equal(mkdir("d", 0755), 0);
    folders_forgive();
    store_join(&store, "d", &lines);
    linked = strstr(folders.trail, " link_at ");
    synced = strstr(folders.trail, "sync ");
    assert_true(linked != NULL && synced != NULL && synced < linked);
    synced = strstr(synced + 1, "sync "); /* of the file itself */
    assert_true(synced != NULL && synced < linked);
}

/* Even and odd ones want different formats. */
static int race_to_join(int racer)
{
    struct store_format format = lines;

    format.piles = racer % 2 == 0 ? 128 : 1024;
    store_join(&store, "d", &format);
    CHECK(store.format.piles == format.piles);
    return 0;
}

/* And put different headers. */
static int race_to_put(int racer)
{
    uint8_t racers_header[5000];

    store_open(&store, "d");
    memset(racers_header, 'a' + racer % 2, sizeof racers_header);
    store_put_header(&store, racers_header, sizeof racers_header);
    return 0;
}

static void assert_one_of_two_wins(int (*race)(int racer), int names)
{
    int result[FOLDERS_RACERS];

    scratch_listen();
    folders_race(race, result);
    (void)scratch_heard();
    for (int i = 0; i < FOLDERS_RACERS; i++)
        assert_int_equal(result[i], result[i % 2]);
    assert_int_equal(result[0] + result[1], EXIT_FAILURE);
    assert_int_equal(scratch_count("d"), names);
}

TEST(of_many_who_come_at_the_same_time_those_agree_who_want_the_same)
{
    for (int round = 0; round < (scratch_is_tiny() ? 2 : FOLDERS_ROUNDS); round++) {
        clear();
        assert_one_of_two_wins(race_to_join, 1);
        assert_one_of_two_wins(race_to_put, 2);
    }
}

/* ---- The header ---- */

TEST(a_header_may_be_as_large_as_one_of_an_input)
{
    enum { LARGE = HEADER_BYTES_MAX + RECORD_DELIMITER_BYTES_MAX };
    uint8_t *large = calloc(LARGE, 1), *known;
    size_t bytes;

    assert_non_null(large);
    store_join(&store, "d", &lines);
    assert_null(store_get_header(&store, &bytes));
    assert_int_equal(bytes, 0);
    store_put_header(&store, NULL, 0); /* of inputs without a byte */
    assert_false(folders_exists("d/header"));
    store_put_header(&store, large, LARGE);
    store_put_header(&store, large, LARGE);
    store_put_header(&store, NULL, 0);
    known = store_get_header(&store, &bytes);
    assert_int_equal(bytes, LARGE);
    assert_memory_equal(known, large, LARGE);
    free(known);
    assert_ends(store_put_header(&store, large, LARGE - 1), "bigshuf: d/header: not the header of these inputs\n");
    free(large);
    assert_int_equal(truncate("d/header", LARGE + 1), 0);
    assert_ends((void)store_get_header(&store, &bytes), "bigshuf: d/header: larger than 1048831 bytes\n");
}

/* ---- The batches ---- */

static void make_store_of_batches(void)
{
    store_join(&store, "d", &lines);
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

TEST(a_batch_that_is_a_link_is_refused)
{
    struct folder_names names;

    make_store_of_batches();
    assert_int_equal(symlink("b", "d/e"), 0);
    assert_ends(store_batches(&store, &names), "bigshuf: d/e: is a link, and links are not followed here\n");
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
    store_batches(&store, &names);
    assert_int_equal(names.count, 3);
    assert_string_equal(names.name[0], "B");
    assert_string_equal(names.name[1], "a.9");
    assert_string_equal(names.name[2], "b");
    folder_names_release(&names);
}
