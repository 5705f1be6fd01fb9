/* Who may read a file stays as it was when it is replaced. All else of a sink that users see is in output.sh and
 * replaced.sh. */

#include "support/reports.h"
#include "support/unit.h"

#ifdef __linux__
#include <errno.h>
#include <sys/xattr.h>

#include "output/sink.h"

static void replace(const char *path)
{
    struct sink *sink = sink_open(path, &(const bool){false});

    sink_write(sink, "new\n", 4);
    sink_complete(sink);
    sink_keep(sink);
    assert_int_equal(sink_publish(sink), 0);
    sink_free(sink);
    assert_true(scratch_holds(path, "new\n"));
}

/* linux/posix_acl_xattr.h: version 2, then for each entry its tag, permissions and number, little-endian. */
#define ACL_ENTRY(tag, permissions, number)                                                                            \
    tag, 0, permissions, 0, (number)&0xff, (number) >> 8 & 0xff, (number) >> 16 & 0xff, (number) >> 24
#define ACL(user, mask)                                                                                                \
    2, 0, 0, 0, ACL_ENTRY(1, 6, UINT32_MAX), ACL_ENTRY(2, user, 1234u), ACL_ENTRY(4, 4, UINT32_MAX),                   \
        ACL_ENTRY(0x10, mask, UINT32_MAX), ACL_ENTRY(0x20, 4, UINT32_MAX)

static const uint8_t list[] = {ACL(6, 6)}, other_list[] = {ACL(7, 7)};

static bool put_list(const char *path, const char *kind, const uint8_t *bytes)
{
    return setxattr(path, kind, bytes, sizeof list, 0) == 0;
}

/* Does the file have just this list? NULL: none. */
static bool has_list(const char *path, const uint8_t *wanted)
{
    uint8_t got[256];
    ssize_t bytes = getxattr(path, "system.posix_acl_access", got, sizeof got);

    return wanted == NULL ? bytes < 0 && errno == ENODATA
                          : bytes == sizeof list && memcmp(got, wanted, sizeof list) == 0;
}

UNIT_TEST_IN(an_access_control_list_is_kept, reports_setup, reports_teardown)
{
    assert_true(scratch_put("F", "old\n", 0640));
    if (!put_list("F", "system.posix_acl_access", list))
        skip();
    for (int named = 0; named < 2; named++) {
        faulty.never = named ? "open_anonymous" : NULL;
        replace("F");
        assert_true(has_list("F", list));
        assert_int_equal(scratch_mode("F"), 0664);
    }
}

UNIT_TEST_IN(what_the_directory_gives_new_files_is_not_for_a_replaced_one, reports_setup, reports_teardown)
{
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_true(scratch_put("folder/bare", "old\n", 0664));
    assert_true(scratch_put("folder/F", "old\n", 0644));
    if (!put_list("folder", "system.posix_acl_default", other_list) ||
        !put_list("folder/F", "system.posix_acl_access", list))
        skip();
    for (int named = 0; named < 2; named++) {
        faulty.never = named ? "open_anonymous" : NULL;
        replace("folder/bare");
        assert_true(has_list("folder/bare", NULL));
        assert_int_equal(scratch_mode("folder/bare"), 0664);
        replace("folder/F");
        assert_true(has_list("folder/F", list));
    }
}

UNIT_TEST_IN(a_list_that_cannot_be_kept_lets_nobody_else_in, reports_setup, reports_teardown)
{
    assert_true(scratch_put("F", "old\n", 0640));
    if (!put_list("F", "system.posix_acl_access", list))
        skip();
    faulty.never = "set_acl";
    assert_hears(replace("F"), "bigshuf: warning: F: cannot keep its access control list: Input/output error\n");
    assert_true(has_list("F", NULL));
    assert_int_equal(scratch_mode("F"), 0600);
}
#endif
