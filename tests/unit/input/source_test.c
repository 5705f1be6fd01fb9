/* One stream out of many files, whatever the sizes of the files, the reads and the buffers. What is said of files that
 * are wrong, or change meanwhile, is in inputs.sh, records.sh and changing.sh. */

#include "support/reports.h"
#include "support/unit.h"

#include "input/source.h"
#include "system/sys.h"

static struct source *source; /* of the running test; freed after it */
static struct pool pool;

static const struct source_layout lines = {.format = {.delimiter = '\n'}};

static int setup(void **state)
{
    source = NULL;
    return reports_setup(state);
}

static int teardown(void **state)
{
    source_free(source);
    pool_close(&pool);
    return reports_teardown(state);
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

static void put(const char *name, const char *content)
{
    assert_true(scratch_put(name, content, 0644));
}

/* Open the files of these names, which have a space between them, in place of those before. */
static void reopen(const struct source_layout *layout, const char *files)
{
    static char text[256];
    static const char *names[16];
    size_t count = 0;

    snprintf(text, sizeof text, "%s", files);
    for (char *name = strtok(text, " "); name != NULL; name = strtok(NULL, " "))
        names[count++] = name;
    source_free(source);
    source = source_open(names, count, layout);
}

/* The next read of so many bytes delivers just this. */
static void assert_reads(size_t bytes, const char *expected)
{
    uint8_t data[64];

    assert_int_equal(source_read(source, data, bytes), strlen(expected));
    assert_memory_equal(data, expected, strlen(expected));
}

/* The source, which lends if it can, delivers just this, twice, and at most `bytes` at a time. */
static void assert_lends_all(size_t bytes, const char *expected)
{
    const size_t expected_bytes = strlen(expected);
    uint64_t memory;

    if (!source_map(source, &memory))
        return;
    assert_true(memory <= source_space(source));
    for (int again = 0; again < 2; again++) {
        const uint8_t *data;
        size_t done = 0, got;

        source_rewind(source);
        while ((got = source_lend(source, &data, bytes)) > 0) {
            assert_true(data >= source_base(source) && data + got <= source_base(source) + source_space(source));
            assert_true(got <= bytes && done + got <= expected_bytes);
            assert_memory_equal(data, expected + done, got);
            done += got;
            source_forget(source, data + got);
        }
        assert_int_equal(done, expected_bytes);
        assert_int_equal(source_delivered_bytes(source), done);
        assert_int_equal(source_arrived_bytes(source), done);
    }
    source_check(source);
}

/* It delivers just this through buffers of `bytes`, all of them full but the last one. */
static void assert_reads_all(size_t bytes, const char *expected)
{
    const size_t expected_bytes = strlen(expected);
    uint8_t data[256];
    size_t done = 0, got = bytes;

    while (got > 0) {
        assert_true(done + bytes <= sizeof data);
        got = source_read(source, data + done, bytes);
        done += got;
        assert_true(done <= expected_bytes && (got == bytes || done == expected_bytes));
    }
    assert_int_equal(done, expected_bytes);
    assert_memory_equal(data, expected, done);
    assert_int_equal(source_delivered_bytes(source), done);
}

/* The files deliver just this. */
static void assert_delivers(const struct source_layout *layout, const char *files, const char *expected)
{
    for (size_t bytes = 1; bytes <= strlen(expected) + 2; bytes++) {
        reopen(layout, files);
        assert_reads_all(bytes, expected);
        reopen(layout, files);
        assert_lends_all(bytes, expected);
    }
}

/* ---- Layouts ---- */

#define STRING(text) .kind = &string_end_kind, .string = (const uint8_t *)(text), .string_bytes = sizeof(text) - 1
#define START(text)  .kind = &string_start_kind, .string = (const uint8_t *)(text), .string_bytes = sizeof(text) - 1

static const struct source_layout paragraphs = {.format = {STRING("\n\n")}};
static const struct source_layout fasta = {.format = {START("\n>")}};
static const struct source_layout mbox = {.format = {START("\nFrom ")}};
static const struct source_layout groups = {.format = {.kind = &lines_kind, .delimiter = '\n', .count = 2}};
static const struct source_layout fixed = {.format = {.kind = &sizes_kind, .count = 4}};
static const struct source_layout csv = {.format = {.kind = &csv_kind, .delimiter = '\n'}};
static const struct source_layout csv_header = {.format = {.kind = &csv_kind, .delimiter = '\n'},
                                                .header = {.lines = 1}};
static const struct source_layout csv_comment = {.format = {.kind = &csv_kind, .delimiter = '\n'},
                                                 .header = {.bytes = 1}};
static const struct source_layout header = {.format = {.delimiter = '\n'}, .header = {.lines = 2}};
static const struct source_layout fixed_header = {.format = {.kind = &sizes_kind, .count = 4}, .header = {.bytes = 3}};
static const struct source_layout fasta_header = {.format = {START("\n>")}, .header = {.lines = 1}};

/* Files a, b and c, in any order and several times, as one stream, and the header of the first one. */
static const struct {
    const struct source_layout *layout;
    const char *a, *b, *c, *files, *expected, *header;
} layouts[] = {
    {&lines, "1\n2\n", "3\n", "", "a b a", "1\n2\n3\n1\n2\n", ""},
    {&lines, "1\n22", "\n", "", "a c b c a", "1\n22\n\n1\n22\n", ""},
    {&lines, "", "", "", "c", "", ""},
    {&lines, "", "", "", "", "", ""},
    {&paragraphs, "1\n\n", "2\n3\n", "4", "a b c a", "1\n\n2\n3\n\n4\n\n1\n\n", ""},
    {&fasta, ">1\nA\n>2\n", "", "", "a", "1\nA\n>2\n>", ""},
    {&fasta, ">1\nA\n>2\n", ">3\n>", ">", "a b c", "1\nA\n>2\n>3\n>\n>\n>", ""},
    {&fasta, ">4\n>5", "", ">", "a b c", "4\n>5\n>\n>", ""},
    {&mbox, "From a\n From\nFro", "From b\n", "", "a b c", "a\n From\nFro\nFrom b\nFrom ", ""},
    {&groups, "1\n2\n", "5\n6\n7\n8", "", "a b", "1\n2\n5\n6\n7\n8\n", ""},
    {&fixed, "12345678", "1234", "", "a c b", "123456781234", ""},
    {&csv, "\"1\n\"\r\n2\n3", "4", "", "a b", "\"1\n\"\r\n2\n3\r\n4\r\n", ""},
    {&csv, "\"1\n\"\r\n2\n3", "4\r", "", "a b", "\"1\n\"\r\n2\n3\r\n4\r\n", ""},
    {&csv, "4", "\n2\r\n3", "", "a b", "4\n\n2\r\n3\n", ""},
    {&csv_comment, "#1", "#2\r\n3", "", "a b", "1\n2\r\n3\r\n", "#"},
    {&header, "h\ni\n1\n2", "h\ni\n3\n", "h\ni", "a b c a", "1\n2\n3\n1\n2\n", "h\ni\n"},
    {&header, "", "h\ni\n3\n", "", "a b", "3\n", "h\ni\n"},
    {&header, "", "", "h\ni", "a c", "", "h\ni\n"},
    {&header, "", "", "", "a", "", ""},
    {&csv_header, "\"h\n\",i\r\n1\r\n2", "\"h\n\",i", "", "a b", "1\r\n2\r\n", "\"h\n\",i\r\n"},
    {&fasta_header, ">h\n>1\n>2\n", ">h", "", "a b", "1\n>2\n>", ">h\n"},
    {&fasta_header, "h\n>1\n2\n", "h\n>3", "", "a b", "1\n2\n>3\n>", "h\n"},
    {&fasta_header, ">h\n>", ">h", "", "a b", "\n>", ">h\n"},
    {&fixed_header, "npy1234", "npy", "", "a b", "1234", "npy"},
};

TEST(files_of_any_layout_follow_one_another)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const uint8_t *text;
        size_t bytes;

        put("a", layouts[i].a);
        put("b", layouts[i].b);
        put("c", layouts[i].c);
        assert_delivers(layouts[i].layout, layouts[i].files, layouts[i].expected);
        text = source_header(source, &bytes);
        assert_int_equal(bytes, strlen(layouts[i].header));
        assert_true(bytes == 0 || memcmp(text, layouts[i].header, bytes) == 0);
    }
}

/* ---- What is known ---- */

TEST(what_will_come_is_known_if_all_files_are_regular)
{
    static const struct {
        const struct source_layout *layout;
        const char *files;
        bool known;
        uint64_t bytes;
    } cases[] = {
        {&lines, "a", true, 8},          {&lines, "a empty link b", true, 22}, {&lines, "a /dev/null b", false, 14},
        {&lines, "/dev/null", false, 0}, {&header, "a b empty", true, 6},      {&lines, "empty", true, 0},
        {&fixed_header, "npy", true, 4}, {&lines, "/proc/version", false, 0},
    };

    put("a", "h\ni\n1\n2\n");
    put("b", "h\ni\n3\n");
    put("npy", "npy1234");
    put("empty", "");
    assert_int_equal(symlink("a", "link"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reopen(cases[i].layout, cases[i].files);
        assert_int_equal(source_is_known(source), cases[i].known);
        assert_int_equal(source_known_bytes(source), cases[i].bytes);
    }
}

static void look_at_standard_input(void)
{
    char skipped[2];
    int ends[2];
    uint8_t data[16];
    uint64_t end;

    CHECK(dup2(open("a", O_RDONLY), STDIN_FILENO) == STDIN_FILENO);
    CHECK(read(STDIN_FILENO, skipped, 2) == 2);
    reopen(&lines, "- a -");
    CHECK(source_is_known(source) && source_known_bytes(source) == 2 + 4);
    CHECK(source_read(source, data, 16) == 6 && memcmp(data, "2\n1\n2\n", 6) == 0);
    CHECK(strcmp(source_name_at(source, 1, &end), "-") == 0 && end == 2);
    CHECK(strcmp(source_name_at(source, 2, &end), "a") == 0 && end == 6);
    CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    reopen(&lines, "- a");
    CHECK(!source_is_known(source));
}

TEST(of_standard_input_is_known_what_is_left)
{
    put("a", "1\n2\n");
    assert_int_equal(scratch_child(look_at_standard_input), 0);
}

static void assert_name_at(uint64_t offset, const char *name, uint64_t name_ends)
{
    uint64_t end;

    assert_string_equal(source_name_at(source, offset, &end), name);
    assert_true(end == name_ends);
}

/* "1\n22\n" from a, nothing from the empty ones, "3\n" from b, "1\n22\n" from a again. */
TEST(every_byte_comes_from_a_file_with_a_name)
{
    static const char *const name_of = "aaaaabbaaaaa";
    static const uint64_t ends[] = {5, 5, 5, 5, 5, 7, 7, 12, 12, 12, 12, 12};

    put("a", "1\n22");
    put("b", "3\n");
    put("empty", "");
    for (size_t step = 1; step <= 13; step++) {
        uint8_t data[13];
        size_t done = 0;

        reopen(&lines, "empty a empty b a empty");
        for (size_t got = 1; got > 0; done += got) {
            got = source_read(source, data, step);
            for (size_t i = 0; i < done + got; i++) {
                uint64_t end;

                assert_int_equal(source_name_at(source, i, &end)[0], name_of[i]);
                assert_true(end == ends[i] || (end == UINT64_MAX && ends[i] >= done + got));
            }
        }
        assert_int_equal(done, 12);
        for (size_t i = 0; i < done; i++)
            assert_name_at(i, (const char[]){name_of[i], '\0'}, ends[i]);
    }
}

/* ---- Reading ---- */

/* A context that is a number counts down to the end of its stream. */
static size_t count_down(void *context, uint8_t *data, size_t bytes)
{
    int *left = context;
    size_t done = 0;

    while (done<bytes && * left> 0)
        data[done++] = (uint8_t)(*left)--;
    return done;
}

static void set_to_99(void *context)
{
    *(int *)context = 99;
}

TEST(anything_that_can_be_read_can_be_a_source)
{
    int left = 5;
    uint64_t memory;

    source = source_over(count_down, &left, set_to_99);
    assert_false(source_is_known(source));
    assert_int_equal(source_known_bytes(source), 0);
    assert_false(source_map(source, &memory));
    assert_reads(3, "\5\4\3");
    source_unread(source, (const uint8_t *)"\4\3", 2);
    assert_int_equal(source_delivered_bytes(source), 1);
    assert_reads(1, "\4");
    assert_reads(8, "\3\2\1");
    assert_int_equal(source_delivered_bytes(source), 5);
    assert_reads(8, "");
    assert_name_at(3, "input", UINT64_MAX);
    source_free(source);
    source = NULL;
    assert_int_equal(left, 99);
}

/* ---- Lending ---- */

TEST(what_is_lent_of_a_file_is_in_one_piece_and_ends_on_pages)
{
    const size_t page = sys_page_bytes(), bytes = 10 * page + 7;
    char *content = calloc(bytes + 1, 1);
    const uint8_t *data, *next = NULL;
    size_t done = 0, got;
    uint64_t memory;

    memset(content, 'x', bytes);
    put("a", content);
    free(content);
    reopen(&lines, "a");
    assert_null(source_base(source));
    assert_true(source_map(source, &memory));
    while ((got = source_lend(source, &data, 2 * page + 100)) > 0) {
        assert_true(next == NULL || data == next);
        assert_true(got == 2 * page || done + got == bytes + 1);
        next = data + got;
        done += got;
    }
    assert_int_equal(done, bytes + 1);
    assert_non_null(next);
    assert_int_equal(*(next - 1), '\n');
    reopen(&lines, "a /dev/null");
    assert_false(source_map(source, &memory));
    reopen(&lines, "a");
    assert_reads(1, "x");
    assert_false(source_map(source, &memory));
}

/* ---- Holding ---- */

enum { BLOCK = 1024, BLOCKS = 64, BYTES = BLOCKS * (BLOCK + 4) + POOL_SLACK_BYTES };

static void hold(const char *files)
{
    assert_int_equal(pool_open(&pool, BYTES, BLOCK), 0);
    reopen(&lines, files);
    source_hold(source, &pool);
}

static void hold_lines(void)
{
    put("a", "one\ntwo\nthree");
    put("b", "four\nfive");
    hold("a b");
}

/* A file of bytes that count, of which none is a newline but the last. */
static void hold_bytes(size_t bytes)
{
    char content[20 * BLOCK] = "";

    for (size_t i = 0; i < bytes; i++)
        content[i] = i + 1 < bytes ? (char)(i | 1) : '\n';
    put("a", content);
    hold("a");
}

/* Does the source lend just this, in pieces of at most `bytes`, one behind the other? */
static void assert_lends(size_t bytes, const char *expected)
{
    const uint8_t *data;
    size_t got;

    for (size_t done = 0; done < strlen(expected); done += got) {
        got = source_lend(source, &data, bytes);
        assert_in_range(got, 1, bytes);
        assert_memory_equal(data, expected + done, got);
        assert_ptr_equal(data, source_base(source) != NULL ? source_base(source) + done : data);
    }
}

TEST(all_that_is_held_is_lent_as_often_as_it_is_wanted)
{
    const uint8_t *data;
    uint8_t first[8];

    hold_lines();
    assert_int_equal(source_read(source, first, 8), 8);
    source_unread(source, first, 8);
    assert_int_equal(source_fill(source, 10), 10);
    assert_int_equal(source_fill(source, 100), 14); /* with what was missing at the ends of both files */
    assert_int_equal(source_fill(source, 100), 0);
    assert_int_equal(source_delivered_bytes(source), 0);
    assert_int_equal(source_space(source), 24);
    for (size_t bytes = 1; bytes < 30; bytes++) {
        assert_true(source_holds(source));
        assert_lends(bytes, "one\ntwo\nthree\nfour\nfive\n");
        assert_int_equal(source_lend(source, &data, bytes), 0);
        assert_int_equal(source_delivered_bytes(source), 24);
        assert_int_equal(source_arrived_bytes(source), 24);
        source_rewind(source);
    }
}

TEST(what_was_let_go_is_lent_and_then_the_rest_is_read)
{
    hold_lines();
    assert_int_equal(source_fill(source, 6), 6);
    assert_lends(4, "one\n");
    source_let_go(source);
    assert_int_equal(source_arrived_bytes(source), 6);
    assert_false(source_holds(source));
    assert_lends(4, "one\ntw");
    assert_null(source_base(source));
    assert_reads(64, "o\nthree\nfour\nfive\n");
    assert_int_equal(source_delivered_bytes(source), 24);
    assert_int_equal(source_arrived_bytes(source), 24);
    source_forget(source, pool.memory + 6);
    assert_int_equal(pool_free(&pool), BLOCKS);
}

TEST(blocks_leave_when_all_of_them_is_forgotten)
{
    static const struct {
        size_t forgotten;
        unsigned held; /* blocks */
    } steps[] = {{BLOCK - 1, 20}, {BLOCK, 19}, {4 * BLOCK + 5, 16}, {10 * BLOCK + 100, 0}, {10 * BLOCK + 100, 0}};
    const uint8_t *data;

    hold_bytes(10 * BLOCK + 100);
    assert_int_equal(source_fill(source, 20 * BLOCK), 10 * BLOCK + 100);
    assert_int_equal(source_lend(source, &data, BYTES), 10 * BLOCK + 100);
    for (size_t i = 0; i < 10 * BLOCK; i++)
        assert_int_equal(data[i], (uint8_t)(i | 1));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        source_forget(source, data + steps[i].forgotten);
        assert_int_equal(pool_free(&pool), BLOCKS - steps[i].held);
        assert_int_equal(pool.pinned, steps[i].held);
    }
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_int_not_equal(pool_get(&pool), POOL_NONE);
    assert_int_equal(pool_get(&pool), POOL_NONE);
}

TEST(what_is_held_does_not_outgrow_its_pool)
{
    hold_bytes(100);
    assert_ends(source_fill(source, BLOCKS * BLOCK + 1), "bigshuf: memory: Cannot allocate memory\n");
    assert_int_equal(source_fill(source, 10), 10);
    assert_ends(source_fill(source, BLOCKS * BLOCK), "bigshuf: memory: Cannot allocate memory\n");
    assert_int_equal(source_fill(source, BLOCKS * BLOCK - 10), 90);
    assert_int_equal(pool_free(&pool), 0);
}
