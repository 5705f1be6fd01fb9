/* Programs that compress, and scripts in their place that go wrong in every way there is. */

#include "support/reports.h"

#include <errno.h>

#include "support/engine.h"
#include "support/unit.h"
#include "temporary/compress.h"

enum { TEXT_BYTES = 3 << 19, PIECES = 40 };

static struct compress compress;
static uint8_t text[TEXT_BYTES];
static uint8_t back[TEXT_BYTES];

/* What has been compressed. */
static struct {
    uint8_t data[2 * TEXT_BYTES];
    size_t bytes, read;
    bool full, broken; /* it takes and gives no more */
} store;

static int setup(void **state)
{
    uint64_t random = 1;

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)('a' + engine_random(&random) % 3);
    memset(back, 0, sizeof back);
    store.bytes = store.read = 0;
    store.full = store.broken = false;
    return reports_setup(state);
}

static int open_descriptors(void)
{
    int count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* No process is left. */
static int teardown(void **state)
{
    bool clean = waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;

    compress_release(&compress);
    return reports_teardown(state) == 0 && clean ? 0 : -1;
}

static int put(void *context, const uint8_t *data, size_t bytes)
{
    (void)context;
    if (store.full || bytes > sizeof store.data - store.bytes)
        return fault_say(&fault, "full");
    memcpy(store.data + store.bytes, data, bytes);
    store.bytes += bytes;
    return 0;
}

static ssize_t get(void *context, uint8_t *data, size_t bytes)
{
    size_t left = store.bytes - store.read;

    (void)context;
    if (store.broken)
        return fault_say(&fault, "broken");
    bytes = bytes < left ? bytes : left;
    memcpy(data, store.data + store.read, bytes);
    store.read += bytes;
    return (ssize_t)bytes;
}

/* Cut data[0, bytes) into `count` pieces. */
static void cut(struct iovec *pieces, int count, uint8_t *data, size_t bytes)
{
    for (int i = 0; i < count; i++) {
        size_t from = bytes * (size_t)i / (size_t)count;

        pieces[i] = (struct iovec){.iov_base = data + from, .iov_len = bytes * (size_t)(i + 1) / (size_t)count - from};
    }
}

static int pack(size_t from, size_t to, int count)
{
    struct iovec pieces[PIECES];

    cut(pieces, count, text + from, to - from);
    return compress_pieces(&compress, pieces, count, put, NULL);
}

/* Read `bytes` bytes and the end. */
static int unpack(size_t bytes, int count)
{
    struct compress_reader *reader = compress_open(&compress, get, NULL);
    struct iovec pieces[PIECES];
    int status = -1;

    cut(pieces, count, back, bytes);
    if (reader != NULL && compress_read(reader, pieces, count) == 0)
        status = compress_end(reader);
    compress_free(reader);
    return status;
}

/* A shell script that compresses by `there` and decompresses by `again`. */
static void use_script(const char *there, const char *again)
{
    char script[512];

    snprintf(script, sizeof script, "#!/bin/sh\nif [ \"$1\" = -d ]; then\n%s\nelse\n%s\nfi\n", again, there);
    assert_true(scratch_put("script", script, 0755));
    compress_init(&compress, "./script", &fault);
}

static bool is_there(const char *program)
{
    char command[64];

    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    return system(command) == 0; /* NOLINT(cert-env33-c) */
}

#define IN_SCRATCH(name) UNIT_TEST_IN(name, setup, teardown)

IN_SCRATCH(what_was_compressed_in_several_runs_comes_back_in_one)
{
    static const char *const programs[] = {"gzip", "lz4", "zstd"};
    static const size_t ends[] = {0, 1, 2, 70000, 1 << 19, TEXT_BYTES};

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (!is_there(programs[i]))
            continue;
        compress_init(&compress, programs[i], &fault);
        store.bytes = store.read = 0;
        memset(back, 0, sizeof back);
        assert_int_equal(compress_try(&compress), 0);
        for (size_t k = 1; k < sizeof ends / sizeof *ends; k++)
            assert_int_equal(pack(ends[k - 1], ends[k], k % 2 ? 1 : PIECES), 0);
        assert_true(store.bytes < TEXT_BYTES / 4 * 3);
        assert_int_equal(unpack(TEXT_BYTES, PIECES), 0);
        assert_memory_equal(text, back, TEXT_BYTES);
    }
    assert_false(fault_any(&fault));
}

/* More than pipes hold is on its way in both directions, and in neither order does anybody wait for ever. */
IN_SCRATCH(a_program_may_take_all_before_it_gives_or_give_before_it_takes_all)
{
    static const char *const habits[] = {"cat", "x=$(cat); printf '%s' \"$x\"", "tr a a", "dd bs=100000 2>/dev/null"};

    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        use_script(habits[i], habits[i]);
        store.bytes = store.read = 0;
        assert_int_equal(pack(0, TEXT_BYTES, PIECES), 0);
        assert_int_equal(store.bytes, TEXT_BYTES);
        memset(back, 0, sizeof back);
        assert_int_equal(unpack(TEXT_BYTES, 1), 0);
        assert_memory_equal(text, back, TEXT_BYTES);
    }
}

IN_SCRATCH(empty_pieces_are_no_end)
{
    struct iovec pieces[] = {{text, 0}, {text, 5}, {text, 0}, {text + 5, 5}, {text, 0}};

    use_script("cat", "cat");
    assert_int_equal(compress_pieces(&compress, pieces, 5, put, NULL), 0);
    assert_int_equal(store.bytes, 10);
    assert_memory_equal(store.data, text, 10);
}

IN_SCRATCH(all_descriptors_are_closed)
{
    int before;

    use_script("cat", "cat");
    before = open_descriptors();
    assert_int_equal(pack(0, 100, 1), 0);
    assert_int_equal(unpack(100, 1), 0);
    scratch_listen();
    assert_int_equal(unpack(101, 1), -1);
    (void)scratch_heard();
    assert_int_equal(open_descriptors(), before);
}

IN_SCRATCH(a_program_inherits_nothing_but_standard_error)
{
    struct compress_reader *other;

    if (access("/proc/self/fd", F_OK) != 0)
        skip();
    use_script("ls /proc/self/fd >inherited; cat", "cat");
    assert_int_equal(system("ls /proc/self/fd >usual"), 0); /* NOLINT(cert-env33-c) */
    other = compress_open(&compress, get, NULL);
    assert_non_null(other);
    assert_int_equal(pack(0, 100, 1), 0);
    assert_int_equal(system("cmp usual inherited"), 0); /* NOLINT(cert-env33-c) */
    compress_free(other);
}

/* How a program that was there at the trial can go wrong while it compresses. */
IN_SCRATCH(failures_to_compress_name_the_program)
{
    static const struct {
        const char *script, *message;
    } cases[] = {
        {"exit 1", "exit status 1"},
        {"cat; exit 3", "exit status 3"},
        {"head -c 5000; exit 1", "exit status 1"},
        {"head -c 5000; kill -9 $$", "killed by signal 9"},
        {"kill -TERM $$", "killed by signal 15"},
        {"exec <&-; sleep 0.1", "did not read all that it was given"},
        {"exec <&- >&-; sleep 0.1; exit 7", "exit status 7"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[128];

        forgive();
        use_script(cases[i].script, "cat");
        snprintf(message, sizeof message, "bigshuf: compress program './script': %s\n", cases[i].message);
        assert_says(pack(0, TEXT_BYTES, 3), -1, message);
    }
}

IN_SCRATCH(failures_to_decompress_name_the_program_and_its_option)
{
    static const struct {
        const char *script, *message;
    } cases[] = {
        {"exit 1", "exit status 1"},
        {"cat; exit 3", "exit status 3"},
        {"head -c 5000; exit 2", "exit status 2"},
        {"head -c 5000; kill -9 $$", "killed by signal 9"},
        {"cat; kill -TERM $$", "killed by signal 15"},
        {"head -c 5000", "gave fewer bytes than were written"},
        {"cat >/dev/null", "gave fewer bytes than were written"},
        {"cat; echo", "gave more bytes than were written"},
        {"cat; yes", "gave more bytes than were written"},
        {"exec <&-; sleep 0.1", "gave fewer bytes than were written"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[128];

        forgive();
        store.bytes = store.read = 0;
        use_script("cat", cases[i].script);
        assert_int_equal(pack(0, TEXT_BYTES, 3), 0);
        snprintf(message, sizeof message, "bigshuf: compress program './script -d': %s\n", cases[i].message);
        assert_says(unpack(TEXT_BYTES, 3), -1, message);
    }
}

IN_SCRATCH(nothing_is_tried_twice)
{
    use_script("echo there >>log; cat", "echo back >>log; cat");
    for (int i = 0; i < 3; i++)
        assert_int_equal(compress_try(&compress), 0);
    assert_true(scratch_holds("log", "there\nback\n"));
}

IN_SCRATCH(what_can_be_known_at_the_start_fails_the_trial)
{
    static const struct {
        const char *there, *again, *message;
    } cases[] = {
        {"exit 1", "cat", "': exit status 1"},
        {"cat; exit 1", "cat", "': exit status 1"},
        {"kill $$", "cat", "': killed by signal 15"},
        {"cat", "exit 1", " -d': exit status 1"},
        {"cat", "true", " -d': gave fewer bytes than were written"},
        {"true", "cat", " -d': gave fewer bytes than were written"},
        {"cat", "cat; echo", " -d': gave more bytes than were written"},
        {"cat", "tr a b", " -d': does not give back what was written"},
        {"yes", "cat", "': makes more than 4096 bytes of a few"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[128];

        forgive();
        use_script(cases[i].there, cases[i].again);
        snprintf(message, sizeof message, "bigshuf: compress program './script%s\n", cases[i].message);
        assert_says(compress_try(&compress), -1, message);
    }
}

IN_SCRATCH(a_program_that_is_not_there_or_no_program_fails_the_trial)
{
    const char *valgrind = getenv("VALGRIND");

    if (valgrind != NULL && valgrind[0] != '\0')
        skip(); /* under it, a program that cannot be started is one that ends with status 127 */
    compress_init(&compress, "no-such-program", &fault);
    assert_says(compress_try(&compress), -1,
                "bigshuf: compress program 'no-such-program': No such file or directory\n");
    forgive();
    compress_init(&compress, "/", &fault);
    assert_says(compress_try(&compress), -1, "bigshuf: compress program '/': Permission denied\n");
}

IN_SCRATCH(a_failure_of_the_store_stops_the_program_and_is_the_message)
{
    use_script("cat; exec sleep 100", "cat; exec sleep 100");
    store.full = true;
    assert_says(pack(0, TEXT_BYTES, 1), -1, "bigshuf: full\n");
    forgive();
    store.broken = true;
    assert_says(unpack(100, 1), -1, "bigshuf: broken\n");
}

IN_SCRATCH(a_reader_may_be_left_before_its_end)
{
    struct compress_reader *reader;
    struct iovec piece = {.iov_base = back, .iov_len = 1000};

    use_script("cat", "cat; exit 1");
    assert_int_equal(pack(0, TEXT_BYTES, 1), 0);
    reader = compress_open(&compress, get, NULL);
    assert_int_equal(compress_read(reader, &piece, 1), 0);
    assert_memory_equal(back, text, 1000);
    scratch_listen();
    compress_free(reader);
    assert_string_equal(scratch_heard(), "");
    compress_free(NULL);
}
