/* What is read of a batch is what was written, or there is a message that names the file; and it stays while it is
 * read. */

#include "support/small_store.h"
#include "support/unit.h"

static void open_good(struct batch *batch)
{
    assert_true(batch_open(batch, &small.store, "one", NULL));
}

#define TEST(name) UNIT_TEST_IN(name, small_setup_lines, small_teardown)

/* ---- Opening ---- */

static void assert_fails(const char *message)
{
    struct batch batch;

    assert_ends((void)batch_open(&batch, &small.store, "one", NULL), message);
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
    struct batch batch;

    small_add("one");
    open_good(&batch);
    flip("store/one/manifest", (off_t)batch.piles_at + 2 * MANIFEST_PILE_BYTES);
    (void)batch_pile(&batch, 1);
    assert_ends((void)batch_pile(&batch, 2),
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
    open_good(&batch);
    batch_close(&batch);
    assert_int_equal(rename("store/.old-one", "store/one"), 0);

    faulty_meet("lock", rename_and_lock);
    assert_false(batch_open(&batch, &small.store, "one", NULL));
    close(held);
    assert_int_equal(rename("store/.old-one", "store/one"), 0);
    faulty_meet("lock", unlink_manifest);
    assert_false(batch_open(&batch, &small.store, "one", NULL));
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
