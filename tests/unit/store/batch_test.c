/* What is read of a batch is what was written, or there is a message that names the file; and it stays while it is
 * read. */

#include "support/small_store.h"
#include "support/unit.h"

static void open_good(struct batch *batch, struct manifest *manifest)
{
    assert_int_equal(batch_open(batch, &small.store, "one", manifest), FOLDER_OK);
}

#define TEST(name) UNIT_TEST_IN(name, small_setup_lines, small_teardown)

/* ---- Opening ---- */

TEST(a_batch_tells_what_its_manifest_says)
{
    struct manifest manifest;
    struct batch batch;

    assert_int_equal(small_try("one", "header\n"), FOLDER_OK);
    open_good(&batch, &manifest);
    assert_true(manifest_is_same(&manifest, &small.manifest));
    assert_int_equal(batch.header_bytes, 7);
    assert_true(batch.header_checksum == manifest.header_checksum);
    for (unsigned p = 0; p < SMALL_PILES; p++) {
        char text[SMALL_TEXT_BYTES];
        struct manifest_pile entry;
        uint64_t records;
        size_t bytes = small_text("one", p, text, &records);

        assert_int_equal(batch_pile(&batch, p, &entry), 0);
        assert_int_equal(entry.bytes, bytes);
        assert_int_equal(entry.records, records);
        assert_true(entry.checksum == manifest.pile[p].checksum);
        assert_int_equal(batch_check_pile(&batch, p, &entry), 0);
    }
    manifest_release(&manifest);
    batch_close(&batch);
    batch_close(&batch);
    open_good(&batch, NULL);
    batch_close(&batch);
    batch = (struct batch){.store = NULL};
    batch_close(&batch); /* closes no descriptor 0 */
    assert_int_not_equal(fcntl(0, F_GETFD), -1);
}

TEST(what_is_not_there_is_gone)
{
    struct manifest manifest;
    struct batch batch;

    assert_int_equal(batch_open(&batch, &small.store, "one", &manifest), FOLDER_MISSING);
    manifest_release(&manifest);
    assert_false(fault_any());
}

static void assert_fails(const char *message)
{
    struct batch batch;
    assert_says(batch_open(&batch, &small.store, "one", NULL), FOLDER_FAILED, message);
}

TEST(no_link_and_no_device_is_taken_for_a_batch)
{
    small_add("two");
    assert_int_equal(symlink("two", "store/one"), 0);
    assert_fails("bigshuf: store/one: Not a directory\n");
    assert_int_equal(unlink("store/one"), 0);
    small_add("one");
    assert_int_equal(unlink("store/one/manifest"), 0);
    assert_int_equal(symlink("../two/manifest", "store/one/manifest"), 0);
    assert_fails("bigshuf: store/one/manifest: not a regular file\n");
    assert_int_equal(unlink("store/one/manifest"), 0);
    assert_int_equal(mkfifo("store/one/manifest", 0600), 0);
    assert_fails("bigshuf: store/one/manifest: not a regular file\n");
}

/* Change a byte of a file, or change it back. */
static void flip(const char *path, off_t at)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    uint8_t byte;

    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

TEST(a_batch_of_another_store_does_not_fit)
{
    small_add("one");
    assert_int_equal(rename("store/one", "one"), 0);
    small_clear();
    small_open(2 * SMALL_PILES, NULL);
    assert_int_equal(rename("one", "store/one"), 0);
    assert_fails("bigshuf: store/one/manifest: there are 4 piles in it, but 8 in the store\n");
}

TEST(a_pile_of_which_the_manifest_has_changed_meanwhile_is_a_failure)
{
    struct manifest_pile entry;
    struct batch batch;

    small_add("one");
    open_good(&batch, NULL);
    flip("store/one/manifest", (off_t)batch.piles_at + 2 * MANIFEST_PILE_BYTES);
    scratch_listen();
    assert_int_equal(batch_pile(&batch, 1, &entry), 0);
    assert_int_equal(batch_pile(&batch, 2, &entry), -1);
    assert_string_equal(scratch_heard(),
                        "bigshuf: store/one/manifest: contents have changed since they were written\n");
    batch_close(&batch);
}

/* ---- While somebody removes it ---- */

static void rename_batch(void)
{
    assert_int_equal(rename("store/one", "store/.old-one"), 0);
}

static int held;

static void rename_and_lock(void)
{
    rename_batch();
    held = open("store/.old-one/manifest", O_RDWR | O_CLOEXEC);
    assert_int_equal(sys_lock(held, true), 0);
}

static void unlink_manifest(void)
{
    assert_int_equal(unlink("store/one/manifest"), 0);
}

TEST(a_batch_that_leaves_while_it_is_opened_is_there_or_gone)
{
    struct batch batch;

    small_add("one");
    faulty_meet("lock", rename_batch); /* but its manifest is there */
    open_good(&batch, NULL);
    batch_close(&batch);
    assert_int_equal(rename("store/.old-one", "store/one"), 0);

    faulty_meet("lock", rename_and_lock);
    assert_int_equal(batch_open(&batch, &small.store, "one", NULL), FOLDER_MISSING);
    close(held);
    assert_int_equal(rename("store/.old-one", "store/one"), 0);
    faulty_meet("lock", unlink_manifest);
    assert_int_equal(batch_open(&batch, &small.store, "one", NULL), FOLDER_MISSING);
    assert_false(fault_any());
}

/* Nobody removes it, since it has its name. */
TEST(a_batch_that_somebody_has_locked_is_a_failure)
{
    int fd;

    small_add("one");
    fd = open("store/one/manifest", O_RDWR | O_CLOEXEC);
    assert_int_equal(sys_lock(fd, true), 0);
    assert_fails("bigshuf: store/one/manifest: another process has locked it: try again when that has ended\n");
    close(fd);
    assert_true(small_is_whole("one", "one"));
}

TEST(who_reads_a_batch_has_a_lock_on_it)
{
    struct batch batch, other;
    int fd;

    small_add("one");
    open_good(&batch, NULL);
    open_good(&other, NULL); /* several may read */
    batch_close(&batch);
    fd = open("store/one/manifest", O_RDWR | O_CLOEXEC);
    assert_int_equal(sys_lock(fd, true), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    batch_close(&other);
    assert_int_equal(sys_lock(fd, true), 0);
    close(fd);
}

TEST(where_there_are_no_locks_it_is_read_without)
{
    static const int errors[] = {ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL, ENOLCK};

    small_add("one");
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        faulty_fail_all("lock", errors[i]);
        assert_true(small_is_whole("one", "one"));
    }
    faulty_fail_all("lock", EIO);
    assert_fails("bigshuf: store/one/manifest: Input/output error\n");
}

/* ---- Failures ---- */

static int read_all_piles(void)
{
    struct manifest_pile entry;
    struct batch batch;
    int status = 0;

    if (batch_open(&batch, &small.store, "one", NULL) != FOLDER_OK)
        return -1;
    for (unsigned p = 0; p < SMALL_PILES && status == 0; p++) {
        int fd = -1;

        status = batch_pile(&batch, p, &entry);
        if (status == 0)
            status = batch_check_pile(&batch, p, &entry);
        if (status == 0)
            fd = batch_open_pile(&batch, p, &entry);
        if (fd >= 0)
            close(fd);
        else
            status = -1;
    }
    batch_close(&batch);
    return status;
}

TEST(whatever_fails_is_reported_once)
{
    small_add("one");
    small_fail_everywhere(read_all_piles, 20); /* all but those to close */
}
