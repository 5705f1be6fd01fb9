/* All who add to a store agree on what it is, whoever came first. */

#include "support/folders.h"

#include <time.h>

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

static const struct store_format lines = {.piles = 256, .record = {.delimiter = '\n'}};

/* Formats, and what stands in the file. */
static const struct {
    struct store_format format;
    const char *text;
} formats[] = {
    {{.piles = 512, .record = {.delimiter = '\n'}}, "512 piles\nrecords ending with \"\\n\"\nno header\n"},
    {{.piles = 2, .record = {.delimiter = 0}}, "2 piles\nrecords ending with \"\\000\"\nno header\n"},
    {{.piles = 4096, .record = {.delimiter = '"'}, .header_lines = 1},
     "4096 piles\nrecords ending with \"\\\"\"\na header of 1 record\n"},
    {{.piles = 64, .record = {.delimiter = ';'}, .header_lines = 20},
     "64 piles\nrecords ending with \";\"\na header of 20 records\n"},
    {{.piles = 64, .record = {.delimiter = 0xff}, .header_bytes = 1},
     "64 piles\nrecords ending with \"\\377\"\na header of 1 byte\n"},
    {{.piles = 64, .record = {.delimiter = '\\'}, .header_bytes = 80, .header_lines = 2},
     "64 piles\nrecords ending with \"\\\\\"\na header of 80 bytes and 2 records\n"},
    {{.piles = 64, .record = {.kind = RECORD_STRING, .string = (const uint8_t *)"\r\n", .string_bytes = 2}},
     "64 piles\nrecords ending with \"\\015\\n\"\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_STRING, .string = (const uint8_t *)"\n\0\0", .string_bytes = 3}},
     "64 piles\nrecords ending with \"\\n\\000\\000\"\nno header\n"},
    {{.piles = 64,
      .record = {.kind = RECORD_STRING, .starts = true, .string = (const uint8_t *)"\n>", .string_bytes = 2}},
     "64 piles\nrecords starting with \">\"\nno header\n"},
    {{.piles = 64,
      .record = {.kind = RECORD_STRING, .starts = true, .string = (const uint8_t *)"\nFrom ", .string_bytes = 6}},
     "64 piles\nrecords starting with \"From \"\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_LINES, .delimiter = '\n', .count = 4}},
     "64 piles\nrecords of 4 lines ending with \"\\n\"\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_LINES, .delimiter = 0, .count = 1}},
     "64 piles\nrecords of 1 line ending with \"\\000\"\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_SIZE, .count = UINT64_MAX}},
     "64 piles\nrecords of 18446744073709551615 bytes\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_SIZE, .count = 1}}, "64 piles\nrecords of 1 byte\nno header\n"},
    {{.piles = 64, .record = {.kind = RECORD_CSV, .delimiter = '\n'}, .header_lines = 1},
     "64 piles\nrecords of CSV\na header of 1 record\n"},
    {{.piles = 64, .record = {.kind = RECORD_LINES, .delimiter = '\n', .count = 4}, .header_lines = 1},
     "64 piles\nrecords of 4 lines ending with \"\\n\"\na header of 1 line\n"},
    {{.piles = 64,
      .record = {.kind = RECORD_STRING, .starts = true, .string = (const uint8_t *)"\n>", .string_bytes = 2},
      .header_lines = 2,
      .header_bytes = 3},
     "64 piles\nrecords starting with \">\"\na header of 3 bytes and 2 lines\n"},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static void put_format(const char *text)
{
    char whole[4096];
    size_t length = (size_t)snprintf(whole, sizeof whole, "bigshuf store 1\n%s", text);

    folders_put("d/format", whole, length);
}

static bool is_same_record(const struct record_format *one, const struct record_format *other)
{
    if (one->kind != other->kind || one->starts != other->starts)
        return false;
    switch (one->kind) {
    case RECORD_BYTE:
        return one->delimiter == other->delimiter;
    case RECORD_STRING:
        return one->string_bytes == other->string_bytes && memcmp(one->string, other->string, one->string_bytes) == 0;
    case RECORD_LINES:
        return one->delimiter == other->delimiter && one->count == other->count;
    case RECORD_SIZE:
        return one->count == other->count;
    default:
        return true;
    }
}

static bool is_same_format(const struct store_format *one, const struct store_format *other)
{
    return one->piles == other->piles && is_same_record(&one->record, &other->record) &&
           one->header_bytes == other->header_bytes && one->header_lines == other->header_lines;
}

/* ---- Names ---- */

static void names_of_batches_are_plain_and_stand_for_nothing_else(void **state)
{
    static const char *const good[] = {
        "a",   "Z",       "0",      "_",         "-",        "a.b",  "2026-11-20T12_00.x-1",
        "-rf", "formats", "Header", "pile-0000", "manifest", "owner"};
    static const char *const bad[] = {"",    ".",   "..",  ".a",       ".new-a", ".old-a", "a b",   "a/b", "/",
                                      "a\n", "a~1", "a:b", "\303\244", "format", "header", "a\177", "a+b", "*"};
    char name[STORE_NAME_MAX + 2];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(store_name_is_batch(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(store_name_is_batch(bad[i]));
    memset(name, 'x', sizeof name);
    name[STORE_NAME_MAX + 1] = '\0';
    assert_false(store_name_is_batch(name));
    name[STORE_NAME_MAX] = '\0';
    assert_true(store_name_is_batch(name));
}

static void a_batch_without_a_name_is_given_one_that_sorts_by_age(void **state)
{
    char name[STORE_NAME_MAX + 1], later[STORE_NAME_MAX + 1], end[64];
    time_t now = time(NULL);
    char date[32];

    (void)state;
    folders.host = "node-7.example";
    store_name_make_batch(name);
    assert_true(store_name_is_batch(name));
    strftime(date, sizeof date, "%Y%m", gmtime(&now));
    if (time(NULL) / 86400 == now / 86400)
        assert_memory_equal(name, date, 6);
    snprintf(end, sizeof end, "Z-node-7.example-%ld", (long)getpid());
    assert_string_equal(name + strlen("20261120T120642.123456"), end);
    nanosleep(&(struct timespec){.tv_nsec = 2000}, NULL);
    store_name_make_batch(later);
    assert_true(strcmp(name, later) < 0);
}

static void a_host_of_any_name_gives_a_name(void **state)
{
    static char long_host[1000];
    const char *const hosts[] = {"", "a b/c\n~", "..", "\303\244", long_host};
    char name[STORE_NAME_MAX + 1];

    (void)state;
    memset(long_host, 'h', sizeof long_host - 1);
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        folders.host = hosts[i];
        store_name_make_batch(name);
        assert_true(store_name_is_batch(name));
        assert_non_null(strstr(name, "Z-"));
        store_close(&store);
        assert_int_equal(store_join(&store, i % 2 == 0 ? "even" : "odd", &lines, &folders_fault), 0);
    }
    folders_fail_all("host_name", EFAULT);
    store_name_make_batch(name);
    assert_true(store_name_is_batch(name));
}

static void files_of_piles_are_numbered(void **state)
{
    char name[STORE_NAME_PILE_BYTES];

    (void)state;
    assert_string_equal(store_name_of_pile(0, name), "pile-0000");
    assert_string_equal(store_name_of_pile(STORE_FORMAT_PILES_MAX - 1, name), "pile-4095");
}

/* ---- The format ---- */

static void the_first_to_join_makes_the_store_and_its_format(void **state)
{
    (void)state;
    for (int i = 0; i < FORMATS; i++) {
        char path[16], file[32], text[2048];

        snprintf(path, sizeof path, "store%d", i);
        snprintf(file, sizeof file, "store%d/format", i);
        snprintf(text, sizeof text, "bigshuf store 1\n%s", formats[i].text);
        assert_int_equal(store_join(&store, path, &formats[i].format, &folders_fault), 0);
        assert_true(scratch_holds(file, text));
        assert_int_equal(scratch_count(path), 1);
        assert_true(is_same_format(&store.format, &formats[i].format));
        store_close(&store);
    }
}

static void a_format_is_read_as_it_was_made(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    for (int i = 0; i < FORMATS; i++) {
        put_format(formats[i].text);
        assert_int_equal(store_open(&store, "d", &folders_fault), 0);
        assert_true(is_same_format(&store.format, &formats[i].format));
        store_close(&store);
        assert_int_equal(store_join(&store, "d", &formats[i].format, &folders_fault), 0);
        assert_true(is_same_format(&store.format, &formats[i].format));
        if (store.format.record.kind == RECORD_STRING)
            assert_ptr_equal(store.format.record.string, store.string);
        store_close(&store);
        store_close(&store);
    }
}

static void the_longest_strings_are_kept(void **state)
{
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    struct store_format format = {.piles = 2,
                                  .record = {.kind = RECORD_STRING, .string = string, .string_bytes = sizeof string}};

    (void)state;
    memset(string, 0xfe, sizeof string);
    assert_int_equal(store_join(&store, "ends", &format, &folders_fault), 0);
    assert_true(is_same_format(&store.format, &format));
    store_close(&store);
    string[0] = '\n';
    format.record.starts = true;
    assert_int_equal(store_join(&store, "starts", &format, &folders_fault), 0);
    assert_true(is_same_format(&store.format, &format));
}

static void every_pair_of_formats_differs_but_one_and_itself(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    for (int i = 0; i < FORMATS; i++)
        for (int j = 0; j < FORMATS; j++) {
            put_format(formats[i].text);
            folders_listen();
            assert_int_equal(store_join(&store, "d", &formats[j].format, &folders_fault), i == j ? 0 : -1);
            assert_int_equal(strstr(scratch_heard(), "bigshuf: d/format: the store has ") != NULL, i != j);
            store_close(&store);
        }
}

static void it_is_said_how_a_format_differs(void **state)
{
    struct store_format other = lines;

    (void)state;
    assert_int_equal(store_join(&store, "d", &lines, &folders_fault), 0);
    store_close(&store);
    other.piles = 512;
    folders_assert_says(store_join(&store, "d/", &other, &folders_fault), -1,
                        "bigshuf: d/format: the store has 256 piles, not 512 piles\n");
    store_close(&store);
    other.piles = 0;
    other.record = (struct record_format){.kind = RECORD_SIZE, .count = 16};
    folders_assert_says(store_join(&store, "d", &other, &folders_fault), -1,
                        "bigshuf: d/format: the store has records ending with \"\\n\", not records of 16 bytes\n");
    store_close(&store);
    other.record = lines.record;
    other.header_lines = 1;
    folders_assert_says(store_join(&store, "d", &other, &folders_fault), -1,
                        "bigshuf: d/format: the store has no header, not a header of 1 record\n");
}

static void who_asks_for_no_number_of_piles_gets_what_there_is(void **state)
{
    struct store_format any = lines;

    (void)state;
    any.piles = 0;
    assert_int_equal(store_join(&store, "new", &any, &folders_fault), 0);
    assert_int_equal(store.format.piles, STORE_FORMAT_PILES);
    store_close(&store);
    assert_int_equal(store_join(&store, "old", &lines, &folders_fault), 0);
    store_close(&store);
    assert_int_equal(store_join(&store, "old", &any, &folders_fault), 0);
    assert_int_equal(store.format.piles, 256);
}

static void a_directory_that_is_there_becomes_a_store_and_keeps_what_is_in_it(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    assert_true(scratch_put("d/.foreign", "foreign", 0644));
    assert_int_equal(symlink("d", "link"), 0);
    assert_int_equal(store_join(&store, "link", &lines, &folders_fault), 0);
    assert_true(scratch_holds("d/.foreign", "foreign"));
    assert_int_equal(scratch_count("d"), 2);
}

static void a_directory_with_other_things_does_not_become_one(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    assert_true(scratch_put("d/corpus.txt", "", 0644));
    folders_assert_says(store_join(&store, "d", &lines, &folders_fault), -1,
                        "bigshuf: d: not a store of piles, and not empty: it holds 'corpus.txt'\n");
    assert_int_equal(scratch_count("d"), 1);
}

static void what_is_no_store_is_told_so(void **state)
{
    (void)state;
    folders_assert_says(store_open(&store, "missing", &folders_fault), -1,
                        "bigshuf: missing: No such file or directory\n");
    store_close(&store);
    folders_assert_says(store_open(&store, "", &folders_fault), -1, "bigshuf: '': No such file or directory\n");
    store_close(&store);
    folders_assert_says(store_join(&store, "missing/d", &lines, &folders_fault), -1,
                        "bigshuf: missing/d: No such file or directory\n");
    store_close(&store);
    assert_int_equal(mkdir("d", 0755), 0);
    folders_assert_says(store_open(&store, "d", &folders_fault), -1, "bigshuf: d: not a store of piles\n");
    assert_int_equal(scratch_count("d"), 0);
    store_close(&store);
    assert_int_equal(symlink("nowhere", "link"), 0);
    folders_assert_says(store_join(&store, "link", &lines, &folders_fault), -1,
                        "bigshuf: link: No such file or directory\n");
    store_close(&store);
    assert_true(scratch_put("file", "", 0644));
    folders_assert_says(store_join(&store, "file", &lines, &folders_fault), -1, "bigshuf: file: Not a directory\n");
}

static void assert_not_known(const char *text, size_t bytes)
{
    folders_put("d/format", text, bytes);
    folders_listen();
    assert_int_equal(store_open(&store, "d", &folders_fault), -1);
    if (strcmp(scratch_heard(), "bigshuf: d/format: not a format of a store that this version knows\n") != 0)
        fail_msg("of '%.*s' it is said: %s", (int)bytes, text, scratch.text);
    store_close(&store);
}

static void a_format_written_in_another_way_is_not_known(void **state)
{
    static const char *const texts[] = {
        "bigshuf store 2\n512 piles\nrecords of CSV\nno header\n",
        "bigshuf store 1\r\n512 piles\r\nrecords of CSV\r\nno header\r\n",
        "bigshuf store 1\n0 piles\nrecords of CSV\nno header\n",
        "bigshuf store 1\n1 piles\nrecords of CSV\nno header\n",
        "bigshuf store 1\n3 piles\nrecords of CSV\nno header\n",
        "bigshuf store 1\n8192 piles\nrecords of CSV\nno header\n",
        "bigshuf store 1\n4294967298 piles\nrecords of CSV\nno header\n",
        "bigshuf store 1\n18446744073709551618 piles\nrecords of CSV\nno header\n",
        "bigshuf store 1\n0512 piles\nrecords of CSV\nno header\n",
        "bigshuf store 1\n 512 piles\nrecords of CSV\nno header\n",
        "bigshuf store 1\n-512 piles\nrecords of CSV\nno header\n",
        "bigshuf store 1\n512 piles\nrecords of CSV\nno header\n\n",
        "bigshuf store 1\n512 piles\nrecords of CSV\nno header\nmore\n",
        "bigshuf store 1\nrecords of CSV\n512 piles\nno header\n",
        "bigshuf store 1\n512 piles\nno header\n",
        "bigshuf store 1\n512 piles\nrecords\nno header\n",
        "bigshuf store 1\n512 piles\nrecords of TSV\nno header\n",
        "bigshuf store 1\n512 piles\nrecords ending with \"\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords ending with \"\\012\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords ending with \"\\x0a\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords ending with \"\n\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords ending with \"\\n\nno header\n",
        "bigshuf store 1\n512 piles\nrecords ending with \"\\\nno header\n",
        "bigshuf store 1\n512 piles\nrecords ending with \"\\\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords ending with \"a\"b\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords ending with \n\nno header\n",
        "bigshuf store 1\n512 piles\nrecords ending with \"\\e\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords ending with \"\\400\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords starting with \"\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords starting with \"a\\nb\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords of 0 bytes\nno header\n",
        "bigshuf store 1\n512 piles\nrecords of 1 bytes\nno header\n",
        "bigshuf store 1\n512 piles\nrecords of 2 byte\nno header\n",
        "bigshuf store 1\n512 piles\nrecords of 0 lines ending with \"\\n\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords of 2 lines\nno header\n",
        "bigshuf store 1\n512 piles\nrecords of 2 lines ending with \"ab\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords of 2 lines ending with \"\"\nno header\n",
        "bigshuf store 1\n512 piles\nrecords of 18446744073709551616 bytes\nno header\n",
        "bigshuf store 1\n512 piles\nrecords of CSV\n",
        "bigshuf store 1\n512 piles\nrecords of CSV\na header\n",
        "bigshuf store 1\n512 piles\nrecords of CSV\na header of 0 bytes\n",
        "bigshuf store 1\n512 piles\nrecords of CSV\na header of 0 records\n",
        "bigshuf store 1\n512 piles\nrecords of CSV\na header of 1 bytes\n",
        "bigshuf store 1\n512 piles\nrecords of CSV\na header of 0 bytes and 1 record\n",
        "bigshuf store 1\n512 piles\nrecords of CSV\na header of 2 bytes and 0 records\n",
        "bigshuf store 1\n512 piles\nrecords of CSV\na header of 2 bytes and\n",
        "bigshuf store 1\n512 piles\nrecords of CSV\na header of 2 records and 2 bytes\n",
    };
    char text[4096];
    size_t length;

    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_not_known(texts[i], strlen(texts[i]));
    for (int i = 0; i < FORMATS; i++) { /* cut short, or with a NUL byte */
        length = (size_t)snprintf(text, sizeof text, "bigshuf store 1\n%s", formats[i].text);
        for (size_t cut = 0; cut < length; cut++)
            assert_not_known(text, cut);
        assert_not_known(text, length + 1);
    }
    length = (size_t)snprintf(text, sizeof text, "bigshuf store 1\n2 piles\nrecords ending with \"%0*d\"\nno header\n",
                              RECORD_DELIMITER_BYTES_MAX + 1, 0);
    assert_not_known(text, length);
    length =
        (size_t)snprintf(text, sizeof text, "bigshuf store 1\n2 piles\nrecords starting with \"%0*d\"\nno header\n",
                         RECORD_DELIMITER_BYTES_MAX, 0);
    assert_not_known(text, length);
}

/* Another digit may be another format, but never this one. */
static void every_byte_of_a_format_matters(void **state)
{
    const int step = scratch_is_tiny() ? 6 : 1;

    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    for (int f = 0; f < FORMATS; f += step) {
        char text[1024];
        size_t length = (size_t)snprintf(text, sizeof text, "bigshuf store 1\n%s", formats[f].text);

        for (size_t i = 0; i < length; i++)
            for (unsigned bit = 1; bit < 256; bit *= 2) {
                text[i] = (char)(text[i] ^ (char)bit);
                folders_put("d/format", text, length);
                folders_listen();
                if (store_join(&store, "d", &formats[f].format, &folders_fault) == 0)
                    fail_msg("byte %zu of %s may be %02x", i, formats[f].text, (unsigned char)text[i]);
                assert_non_null(strstr(scratch_heard(), "bigshuf: d/format: "));
                store_close(&store);
                text[i] = (char)(text[i] ^ (char)bit);
            }
    }
}

static void a_format_that_is_no_file_is_a_failure(void **state)
{
    char large[10000];

    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(mkdir("d/format", 0755), 0);
    folders_assert_says(store_join(&store, "d", &lines, &folders_fault), -1, "bigshuf: d/format: not a regular file\n");
    store_close(&store);
    assert_int_equal(rmdir("d/format"), 0);
    put_format(formats[0].text);
    assert_int_equal(rename("d/format", "format"), 0);
    assert_int_equal(symlink("../format", "d/format"), 0);
    folders_assert_says(store_open(&store, "d", &folders_fault), -1, "bigshuf: d/format: not a regular file\n");
    store_close(&store);
    assert_int_equal(unlink("d/format"), 0);
    memset(large, 'x', sizeof large);
    folders_put("d/format", large, sizeof large);
    folders_listen();
    assert_int_equal(store_open(&store, "d", &folders_fault), -1);
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

static void a_failure_at_any_call_is_reported_and_harms_no_other_attempt(void **state)
{
    unsigned failures = 0;
    bool failed = true;

    (void)state;
    for (unsigned at = 1; failed; at++) {
        int result;

        if (folders_exists("d"))
            scratch_empty(open("d", O_RDONLY | O_DIRECTORY));
        (void)rmdir("d");
        folders_fail(at, EIO);
        folders_listen();
        result = store_join(&store, "d", &lines, &folders_fault);
        failed = folders.failed != NULL;
        folders.fail_at = 0;
        if (result == 0)
            folders_assert_heard("");
        else
            assert_non_null(strstr(scratch_heard(), "Input/output error\n"));
        assert_true(count_left() == 0 || (failed && strcmp(folders.failed, "unlink_at") == 0));
        failures += result != 0;
        store_close(&store);
        folders_forgive();
        assert_int_equal(store_join(&store, "d", &lines, &folders_fault), 0);
        store_close(&store);
    }
    assert_true(failures > 12);
}

/* A sweep, to which it looks like what a killed process has left. */
static void remove_what_was_begun(void)
{
    DIR *directory = opendir("d");
    struct dirent *entry;

    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL)
        if (strncmp(entry->d_name, ".new-", 5) == 0)
            assert_int_equal(unlinkat(dirfd(directory), entry->d_name, 0), 0);
    closedir(directory);
}

static void what_a_sweep_removes_before_it_has_its_name_is_made_again(void **state)
{
    (void)state;
    for (int header = 0; header < 2; header++) {
        folders_fail(1, 0);
        folders.only = "link_at";
        folders.before = remove_what_was_begun;
        if (header)
            assert_int_equal(store_put_header(&store, (const uint8_t *)"id\n", 3), 0);
        else
            assert_int_equal(store_join(&store, "d", &lines, &folders_fault), 0);
        assert_null(folders.before);
        assert_int_equal(count_left(), 0);
    }
    assert_true(scratch_holds("d/header", "id\n"));
}

/* Whoever has made the directory may have been killed at once. */
static void where_a_format_is_the_name_of_the_store_is_on_disk(void **state)
{
    const char *linked, *synced;

    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    folders_forgive();
    assert_int_equal(store_join(&store, "d", &lines, &folders_fault), 0);
    linked = strstr(folders.trail, " link_at ");
    synced = strstr(folders.trail, "sync ");
    assert_true(linked != NULL && synced != NULL && synced < linked);
    synced = strstr(synced + 1, "sync "); /* of the file itself */
    assert_true(synced != NULL && synced < linked);
}

static void join_and_exit(void)
{
    (void)store_join(&store, "d", &lines, &folders_fault);
    CHECK(folders.calls < folders.fail_at);
    _exit(2);
}

static void death_at_any_call_harms_no_other_attempt(void **state)
{
    unsigned at = 0;
    int status;

    (void)state;
    do {
        if (folders_exists("d"))
            scratch_empty(open("d", O_RDONLY | O_DIRECTORY));
        (void)rmdir("d");
        folders_fail(++at, -1);
        status = scratch_child(join_and_exit);
        assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2));
        folders_forgive();
        assert_int_equal(store_join(&store, "d", &lines, &folders_fault), 0);
        assert_int_equal(scratch_count("d"), 1 + count_left());
        store_close(&store);
    } while (WEXITSTATUS(status) == 0);
    assert_true(at > 12);
}

enum { RACERS = 8, ROUNDS = 20 };

static int start_fd;

/* Even and odd ones want different formats, and put different headers. Their exit status has two bits, which say
 * whether the format and the header were theirs. */
static void race(int racer)
{
    struct store_format format = lines;
    char header[5000], byte;
    int status = 8;

    format.piles = racer % 2 == 0 ? 128 : 1024;
    memset(header, 'a' + racer % 2, sizeof header);
    CHECK(read(start_fd, &byte, 1) == 0); /* all start when the pipe is closed */
    status += store_join(&store, "d", &format, &folders_fault) == 0;
    CHECK(store.folder.path != NULL);
    CHECK((status == 9) == (store.format.piles == format.piles));
    CHECK((status == 8) == fault_any(&folders_fault));
    folders_forgive();
    status += 2 * (store_put_header(&store, (const uint8_t *)header, sizeof header) == 0);
    _exit(status);
}

static void of_many_who_join_at_the_same_time_those_agree_who_want_the_same(void **state)
{
    (void)state;
    for (int round = 0; round < (scratch_is_tiny() ? 2 : ROUNDS); round++) {
        int ends[2], seen[2];
        pid_t child[RACERS];

        assert_int_equal(pipe(ends), 0);
        start_fd = ends[0];
        scratch_listen();
        for (int i = 0; i < RACERS; i++) {
            child[i] = fork();
            if (child[i] == 0) {
                close(ends[1]);
                race(i);
            }
        }
        close(ends[1]);
        for (int i = 0; i < RACERS; i++) {
            int status = 0;

            assert_true(child[i] > 0 && waitpid(child[i], &status, 0) == child[i]);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) >= 8 && WEXITSTATUS(status) < 12);
            if (i < 2)
                seen[i] = WEXITSTATUS(status);
            else
                assert_int_equal(WEXITSTATUS(status), seen[i % 2]);
        }
        close(ends[0]);
        assert_int_equal((seen[0] - 8) ^ (seen[1] - 8), 3); /* each has one winner */
        (void)scratch_heard();
        assert_int_equal(scratch_count("d"), 2);
        scratch_empty(open("d", O_RDONLY | O_DIRECTORY));
        assert_int_equal(rmdir("d"), 0);
    }
}

/* ---- The header ---- */

static void a_header_is_kept_once_and_another_is_refused(void **state)
{
    static const uint8_t header[] = "id\0name\n", other[] = "id\0Name\n";
    uint8_t *known;
    size_t bytes;

    (void)state;
    assert_int_equal(store_join(&store, "d", &lines, &folders_fault), 0);
    assert_int_equal(store_get_header(&store, &known, &bytes), 0);
    assert_null(known);
    assert_int_equal(bytes, 0);
    assert_int_equal(store_put_header(&store, NULL, 0), 0); /* of inputs without a byte */
    assert_false(folders_exists("d/header"));
    assert_int_equal(store_put_header(&store, header, sizeof header), 0);
    assert_int_equal(store_put_header(&store, header, sizeof header), 0);
    assert_int_equal(store_put_header(&store, NULL, 0), 0);
    folders_assert_says(store_put_header(&store, other, sizeof other), -1,
                        "bigshuf: d/header: not the header of these inputs\n");
    folders_assert_says(store_put_header(&store, header, sizeof header - 1), -1,
                        "bigshuf: d/header: not the header of these inputs\n");
    assert_int_equal(store_get_header(&store, &known, &bytes), 0);
    assert_int_equal(bytes, sizeof header);
    assert_memory_equal(known, header, bytes);
    free(known);
    assert_int_equal(scratch_count("d"), 2);
}

static void a_header_may_be_as_large_as_one_of_an_input(void **state)
{
    enum { LARGE = HEADER_BYTES_MAX + RECORD_DELIMITER_BYTES_MAX };
    uint8_t *header = calloc(LARGE, 1), *known;
    size_t bytes;

    (void)state;
    assert_non_null(header);
    assert_int_equal(store_join(&store, "d", &lines, &folders_fault), 0);
    assert_int_equal(store_put_header(&store, header, LARGE), 0);
    assert_int_equal(store_put_header(&store, header, LARGE), 0);
    assert_int_equal(store_get_header(&store, &known, &bytes), 0);
    assert_int_equal(bytes, LARGE);
    free(known);
    free(header);
    assert_int_equal(truncate("d/header", LARGE + 1), 0);
    folders_assert_says(store_get_header(&store, &known, &bytes), -1, "bigshuf: d/header: larger than 1048831 bytes\n");
    assert_null(known);
}

static void a_failure_leaves_no_header_in_part(void **state)
{
    static const char header[] = "one,two\n";
    bool failed = true;

    (void)state;
    assert_int_equal(store_join(&store, "d", &lines, &folders_fault), 0);
    for (unsigned at = 1; failed; at++) {
        const int left = count_left();
        int result;

        (void)unlink("d/header");
        folders_fail(at, ENOSPC);
        folders_listen();
        result = store_put_header(&store, (const uint8_t *)header, sizeof header - 1);
        failed = folders.failed != NULL;
        folders.fail_at = 0;
        assert_int_equal(strstr(scratch_heard(), "No space left on device\n") != NULL, result != 0);
        assert_true(scratch_holds("d/header", header) || (result != 0 && !folders_exists("d/header")));
        assert_true(count_left() == left || (failed && strcmp(folders.failed, "unlink_at") == 0));
        folders_forgive();
        assert_int_equal(store_put_header(&store, (const uint8_t *)header, sizeof header - 1), 0);
    }
}

/* ---- The batches ---- */

static void make_store_of_batches(void)
{
    assert_int_equal(store_join(&store, "d", &lines, &folders_fault), 0);
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

static void batches_are_the_folders_with_names_of_batches_in_bytewise_order(void **state)
{
    struct folder_names names;

    (void)state;
    assert_int_equal(store_join(&store, "d", &lines, &folders_fault), 0);
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

static void a_batch_that_is_a_link_is_refused(void **state)
{
    struct folder_names names;

    (void)state;
    make_store_of_batches();
    assert_int_equal(symlink("b", "d/e"), 0);
    folders_assert_says(store_batches(&store, &names), -1,
                        "bigshuf: d/e: is a link, and links are not followed here\n");
}

static void remove_one(void)
{
    assert_int_equal(rename("d/a.10", "d/.old-a.10"), 0);
}

static void a_batch_that_leaves_meanwhile_is_not_one(void **state)
{
    struct folder_names names;

    (void)state;
    make_store_of_batches();
    folders_fail(1, 0);
    folders.only = "stat_at";
    folders.before = remove_one;
    assert_int_equal(store_batches(&store, &names), 0);
    assert_int_equal(names.count, 3);
    folder_names_release(&names);
}

static void a_list_of_batches_is_complete_or_a_failure(void **state)
{
    struct folder_names names;
    bool failed = true;

    (void)state;
    make_store_of_batches();
    for (unsigned at = 1; failed; at++) {
        int result;

        folders_fail(at, EIO);
        folders_listen();
        result = store_batches(&store, &names);
        failed = folders.failed != NULL;
        assert_int_equal(strstr(scratch_heard(), "Input/output error\n") != NULL, failed);
        assert_int_equal(result, failed ? -1 : 0);
        assert_int_equal(names.count, failed ? 0 : 4);
        folder_names_release(&names);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_of_batches_are_plain_and_stand_for_nothing_else),
        TEST(a_batch_without_a_name_is_given_one_that_sorts_by_age),
        TEST(a_host_of_any_name_gives_a_name),
        TEST(files_of_piles_are_numbered),
        TEST(the_first_to_join_makes_the_store_and_its_format),
        TEST(a_format_is_read_as_it_was_made),
        TEST(the_longest_strings_are_kept),
        TEST(every_pair_of_formats_differs_but_one_and_itself),
        TEST(it_is_said_how_a_format_differs),
        TEST(who_asks_for_no_number_of_piles_gets_what_there_is),
        TEST(a_directory_that_is_there_becomes_a_store_and_keeps_what_is_in_it),
        TEST(a_directory_with_other_things_does_not_become_one),
        TEST(what_is_no_store_is_told_so),
        TEST(a_format_written_in_another_way_is_not_known),
        TEST(every_byte_of_a_format_matters),
        TEST(a_format_that_is_no_file_is_a_failure),
        TEST(a_failure_at_any_call_is_reported_and_harms_no_other_attempt),
        TEST(what_a_sweep_removes_before_it_has_its_name_is_made_again),
        TEST(where_a_format_is_the_name_of_the_store_is_on_disk),
        TEST(death_at_any_call_harms_no_other_attempt),
        TEST(of_many_who_join_at_the_same_time_those_agree_who_want_the_same),
        TEST(a_header_is_kept_once_and_another_is_refused),
        TEST(a_header_may_be_as_large_as_one_of_an_input),
        TEST(a_failure_leaves_no_header_in_part),
        TEST(batches_are_the_folders_with_names_of_batches_in_bytewise_order),
        TEST(a_batch_that_is_a_link_is_refused),
        TEST(a_batch_that_leaves_meanwhile_is_not_one),
        TEST(a_list_of_batches_is_complete_or_a_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
