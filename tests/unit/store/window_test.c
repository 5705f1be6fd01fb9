/* Of a window's batches the newest stay, and what is no batch is left alone. */

#include "support/small_store.h"
#include "support/unit.h"

#include "store/window.h"

static void add_ten(void)
{
    for (int i = 0; i < 10; i++) {
        const char name[] = {'b', (char)('0' + i), '\0'};

        small_add(name);
    }
}

#define TEST(name) UNIT_TEST_IN(name, small_setup_lines, small_teardown)

TEST(what_is_no_batch_neither_counts_nor_goes)
{
    add_ten();
    assert_int_equal(mkdir("store/z-folder", 0755), 0);
    assert_int_equal(mkdir("store/a-folder", 0755), 0);
    assert_true(scratch_put("store/a-folder/pile-0000", "precious\n", 0644));
    assert_true(scratch_put("store/z-file", "precious\n", 0644));
    window_keep(&small.store, 3, "b9");
    assert_int_equal(small_count("b"), 3);
    assert_true(small_exists("store/z-folder"));
    assert_true(scratch_holds("store/a-folder/pile-0000", "precious\n"));
    assert_int_equal(scratch_count("store"), 7);
}

/* The name is on disk before the first file goes: else a batch might be there in part after a loss of power. */
TEST(the_new_name_is_on_disk_before_any_file_goes)
{
    struct batch batch;
    unsigned from;

    small_add("one");
    small_add("two");
    assert_true(batch_open(&batch, &small.store, "one", NULL));
    from = folders.syncs;
    window_keep(&small.store, 1, "two");
    assert_true(layer_has_synced("store", from, folders.syncs));
    batch_close(&batch);
}
