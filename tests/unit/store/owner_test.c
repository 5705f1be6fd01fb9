/* Nobody who lives is taken for dead. */

#include "support/folders.h"
#include "support/unit.h"

#include <inttypes.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "store/owner.h"
#include "system/io.h"

static struct folder folder;

/* A folder "d" that is open, in which somebody works under the name "x". */
static int setup(void **state)
{
    if (folders_setup(state) != 0 || mkdir("d", 0755) != 0 || chmod(".", 0755) != 0)
        return -1;
    return folder_open(&folder, "d", &fault) == FOLDER_OK ? 0 : -1;
}

static int teardown(void **state)
{
    folder_close(&folder);
    return folders_teardown(state);
}

static bool has_proc(void)
{
    return access("/proc/self/stat", R_OK) == 0;
}

static void put_owner(const char *host, const char *boot, uint64_t process, uint64_t start)
{
    char text[1024];

    snprintf(text, sizeof text, "host %s\nboot %s\nprocess %" PRIu64 "\nstart %" PRIu64 "\n", host, boot, process,
             start);
    assert_true(scratch_put("d/x.owner", text, 0644));
}

/* What a process of this host says of itself. */
static struct owner self(void)
{
    struct owner owner;
    int signed_lock, lock;

    assert_int_equal(owner_sign(&folder, "x", &signed_lock), FOLDER_OK);
    assert_int_equal(owner_ask(&folder, "x", &owner, &lock), OWNER_ALIVE);
    assert_int_equal(lock, -1);
    assert_int_equal(owner_leave(&folder, "x", signed_lock), 0);
    assert_int_equal(scratch_count("d"), 0);
    return owner;
}

/* The answer, when the lock is not asked for. */
static enum owner_state ask(void)
{
    struct owner owner;
    int lock;
    enum owner_state state = owner_ask(&folder, "x", &owner, &lock);

    assert_true(lock < 0 || state != OWNER_ALIVE);
    if (lock >= 0)
        assert_int_equal(sys_close(lock), 0);
    assert_false(fault_any(&fault));
    return state;
}

/* Start a child that signs, does what is said and lives. */
static pid_t start_signer(void (*then)(void))
{
    int ends[2];
    char byte;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        int lock;

        close(ends[0]);
        CHECK(owner_sign(&folder, "x", &lock) == FOLDER_OK && lock >= 0);
        if (then != NULL)
            then();
        CHECK(write(ends[1], "", 1) == 1);
        for (;;)
            pause();
    }
    close(ends[1]);
    assert_true(child > 0);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return child;
}

static void stop(pid_t child)
{
    int status;

    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
}

/* Lock the file. Returns a descriptor. */
static int hold_lock(void)
{
    int fd = open("d/x.owner", O_RDWR | O_CLOEXEC);

    assert_true(fd >= 0 && sys_lock(fd, true) == 0);
    return fd;
}

#define TEST(name) UNIT_TEST_IN(name, setup, teardown)

TEST(it_says_who_works_there)
{
    struct owner owner = self();
    char host[256];

    assert_int_equal(gethostname(host, sizeof host), 0);
    assert_string_equal(owner.host, host);
    assert_int_equal(owner.process, getpid());
    if (!has_proc())
        skip();
    assert_true(owner.start > 0);
    assert_int_equal(strlen(owner.boot), 36);
}

TEST(one_who_lives_is_alive_and_one_who_was_killed_is_gone)
{
    pid_t child = start_signer(NULL);
    struct owner owner;
    int lock, other;

    assert_int_equal(ask(), OWNER_ALIVE);
    stop(child);
    assert_int_equal(owner_ask(&folder, "x", &owner, &lock), OWNER_GONE);
    assert_int_equal(owner.process, child);
    other = open("d/x.owner", O_RDWR | O_CLOEXEC); /* nobody else takes it for abandoned now */
    assert_int_equal(sys_lock(other, true), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    close(other);
    assert_int_equal(ask(), OWNER_ALIVE);
    assert_int_equal(sys_close(lock), 0);
    assert_int_equal(ask(), OWNER_GONE);
}

TEST(one_who_ended_is_gone_before_its_parent_is_told)
{
    pid_t child = start_signer(NULL);
    siginfo_t info;

    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    if (has_proc())
        assert_int_equal(ask(), OWNER_GONE);
    stop(child);
}

#ifdef __linux__
static void take_an_odd_name(void)
{
    CHECK(prctl(PR_SET_NAME, "a) Z 1 2 ) (", 0, 0, 0) == 0);
}
#endif

/* It is found by its number and start alone: nobody has the lock. */
TEST(the_name_of_a_command_may_be_anything)
{
#ifdef __linux__
    pid_t child = start_signer(take_an_odd_name);
    char text[1024] = "";
    int fd = open("d/x.owner", O_RDONLY | O_CLOEXEC);

    assert_true(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    assert_int_equal(unlink("d/x.owner"), 0);
    assert_true(scratch_put("d/x.owner", text, 0644));
    assert_int_equal(ask(), has_proc() ? OWNER_ALIVE : OWNER_UNKNOWN);
    stop(child);
    assert_int_equal(ask(), OWNER_GONE);
#else
    skip();
#endif
}

TEST(one_of_another_host_is_alive_if_it_has_the_lock_and_else_unknown)
{
    struct owner owner;
    int lock;
    pid_t child;

    folders.host = "elsewhere";
    child = start_signer(NULL);
    folders.host = NULL;
    assert_int_equal(ask(), OWNER_ALIVE);
    stop(child);
    assert_int_equal(ask(), OWNER_UNKNOWN);
    assert_int_equal(owner_ask(&folder, "x", &owner, &lock), OWNER_UNKNOWN);
    assert_true(lock >= 0);
    assert_int_equal(sys_close(lock), 0);
    assert_string_equal(owner.host, "elsewhere");
    assert_int_equal(owner.process, child);
    folders.host = "elsewhere"; /* as asked there */
    assert_int_equal(ask(), OWNER_GONE);
}

TEST(what_does_not_know_its_name_judges_nobody)
{
    struct owner owner = self();

    put_owner("-", owner.boot, INT32_MAX, 1);
    faulty_fail_all("host_name", EFAULT);
    assert_int_equal(ask(), OWNER_UNKNOWN);
}

TEST(one_of_an_earlier_boot_is_gone_unless_somebody_has_the_lock)
{
    struct owner owner = self();
    int fd;

    if (strcmp(owner.boot, "-") == 0)
        skip();
    put_owner(owner.host, "00000000-0000-0000-0000-000000000000", owner.process, owner.start);
    assert_int_equal(ask(), OWNER_GONE);
    fd = hold_lock();
    assert_int_equal(ask(), OWNER_ALIVE);
    close(fd);
    put_owner(owner.host, "-", owner.process, owner.start);
    assert_int_equal(ask(), OWNER_ALIVE);
}

TEST(a_number_that_is_now_another_process_s_is_gone_unless_somebody_has_the_lock)
{
    struct owner owner = self();
    int fd;

    if (!has_proc())
        skip();
    put_owner(owner.host, owner.boot, owner.process, owner.start + 1);
    assert_int_equal(ask(), OWNER_GONE);
    fd = hold_lock();
    assert_int_equal(ask(), OWNER_ALIVE);
    close(fd);
    put_owner(owner.host, owner.boot, owner.process, 0); /* not known */
    assert_int_equal(ask(), OWNER_UNKNOWN);
    put_owner(owner.host, owner.boot, INT32_MAX, 0); /* above all numbers of processes */
    assert_int_equal(ask(), OWNER_GONE);
}

TEST(without_proc_a_number_in_use_may_be_anybody_s)
{
    struct owner owner = self();

    put_owner(owner.host, owner.boot, owner.process, owner.start);
    faulty_fail_all("open", EACCES); /* all but what is opened in the folder */
    assert_int_equal(ask(), OWNER_UNKNOWN);
    put_owner(owner.host, owner.boot, 1, 1); /* which may not be sent signals to by a user */
    assert_int_equal(ask(), OWNER_UNKNOWN);
    put_owner(owner.host, owner.boot, INT32_MAX, 1);
    assert_int_equal(ask(), OWNER_GONE);
}

TEST(without_locking_nobody_is_gone)
{
    static const int errors[] = {ENOTSUP, EOPNOTSUPP, ENOLCK, ENOSYS, EINVAL, EIO};
    struct owner owner = self();

    put_owner(owner.host, owner.boot, INT32_MAX, 1);
    assert_int_equal(ask(), OWNER_GONE);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        faulty_fail_all("lock", errors[i]);
        assert_int_equal(ask(), OWNER_UNKNOWN);
    }
}

TEST(where_there_is_no_locking_it_is_signed_with_a_warning)
{
    static const int errors[] = {ENOTSUP, EOPNOTSUPP, ENOLCK, ENOSYS, EINVAL};
    int lock;

    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        struct owner owner;

        faulty_fail_all("lock", errors[i]);
        folders_assert_says(owner_sign(&folder, "x", &lock), FOLDER_OK,
                            "bigshuf: warning: d/x: cannot be locked: should this run be killed, what it leaves there "
                            "stays until --sweep\n");
        assert_int_equal(lock, -1);
        assert_false(fault_any(&fault));
        folders_forgive();
        (void)owner_ask(&folder, "x", &owner, &lock);
        assert_int_equal(owner.process, getpid());
        assert_int_equal(unlink("d/x.owner"), 0);
    }
}

TEST(where_locks_need_a_file_to_write_a_shared_one_will_do)
{
    struct owner owner = self();
    int fd;

    put_owner(owner.host, owner.boot, INT32_MAX, 1);
    faulty_fail("lock", 1, EBADF);
    assert_int_equal(ask(), OWNER_GONE);
    fd = hold_lock();
    faulty_fail("lock", 1, EBADF);
    assert_int_equal(ask(), OWNER_ALIVE);
    close(fd);
}

static void ask_as_user(void)
{
    scratch_become_user();
    CHECK(ask() == OWNER_ALIVE);
}

TEST(others_may_ask_who_may_only_read)
{
    int lock;

    folders.host = "elsewhere";
    assert_int_equal(owner_sign(&folder, "x", &lock), FOLDER_OK);
    folders.host = NULL;
    assert_int_equal(chmod("d/x.owner", 0444), 0);
    assert_int_equal(scratch_child(ask_as_user), 0);
    assert_int_equal(sys_close(lock), 0);
}

/* A process signs before it does anything else. */
TEST(where_nobody_has_signed_nobody_works)
{
    struct owner owner, zero = {0};
    int lock;

    assert_int_equal(owner_ask(&folder, "x", &owner, &lock), OWNER_GONE);
    assert_int_equal(lock, -1);
    assert_memory_equal(&owner, &zero, sizeof owner);
    assert_int_equal(owner_leave(&folder, "x", -1), -1);
    assert_int_equal(errno, ENOENT);
}

TEST(what_is_no_owner_is_unknown)
{
    static const char *const texts[] = {
        "",
        "\n",
        "host a",
        "host a\nboot b\nprocess 1\n",
        "host a\nboot b\nprocess 1\nstart 2",
        "host a\nboot b\nprocess 1\nstart 2\n\n",
        "host a\nboot b\nprocess 1\nstart\n",
        "host a\nboot b\nprocess 0\nstart 2\n",
        "host a\nboot b\nprocess -1\nstart 2\n",
        "host a\nboot b\nprocess 2147483648\nstart 2\n",
        "host a\nboot b\nprocess 18446744073709551617\nstart 2\n",
        "host a\nboot b\nprocess 1 \nstart 2\n",
        "boot b\nhost a\nprocess 1\nstart 2\n",
        "Host a\nboot b\nprocess 1\nstart 2\n",
    };
    struct owner owner, zero = {0};
    char long_text[2048];
    int lock, fd;

    folders.host = "a";
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_true(scratch_put("d/x.owner", texts[i], 0644));
        assert_int_equal(owner_ask(&folder, "x", &owner, &lock), OWNER_UNKNOWN);
        assert_true(lock >= 0); /* so that nobody else removes it meanwhile */
        assert_int_equal(sys_close(lock), 0);
        assert_memory_equal(&owner, &zero, sizeof owner);
    }
    snprintf(long_text, sizeof long_text, "host %0*d\nboot b\nprocess 2147483647\nstart 1\n", 256, 0);
    assert_true(scratch_put("d/x.owner", long_text, 0644));
    assert_int_equal(ask(), OWNER_UNKNOWN);
    snprintf(long_text, sizeof long_text, "host a\nboot b\nprocess 2147483647\nstart 1\n%01500d", 0);
    assert_true(scratch_put("d/x.owner", long_text, 0644));
    assert_int_equal(ask(), OWNER_UNKNOWN);
    fd = hold_lock(); /* somebody who writes in a way of a later version */
    assert_int_equal(ask(), OWNER_ALIVE);
    close(fd);
}

TEST(what_is_no_file_is_unknown)
{
    assert_int_equal(mkdir("d/x.owner", 0755), 0);
    assert_int_equal(ask(), OWNER_UNKNOWN);
    assert_int_equal(rmdir("d/x.owner"), 0);
    assert_int_equal(mkfifo("d/x.owner", 0644), 0);
    assert_int_equal(ask(), OWNER_UNKNOWN);
    assert_int_equal(unlink("d/x.owner"), 0);
    put_owner("a", "-", INT32_MAX, 1);
    assert_int_equal(rename("d/x.owner", "d/other"), 0);
    assert_int_equal(symlink("other", "d/x.owner"), 0);
    folders.host = "a";
    assert_int_equal(ask(), OWNER_UNKNOWN);
}

TEST(a_host_may_have_any_name)
{
    static const char *const hosts[] = {"", "two words", "a\tb\033[1m\177", "first\nsecond", "a\nprocess 1"};
    struct owner owner;
    int signed_lock, lock;

    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        folders.host = hosts[i];
        assert_int_equal(owner_sign(&folder, "x", &signed_lock), FOLDER_OK);
        assert_true(owner_ask(&folder, "x", &owner, &lock) == OWNER_ALIVE);
        assert_int_equal(owner.process, getpid());
        assert_int_equal(sys_close(signed_lock), 0);
        assert_int_equal(unlink("d/x.owner"), 0);
    }
}

/* So whoever sees the file finds it locked and whole. */
TEST(it_is_locked_and_whole_before_it_has_its_name)
{
    const char *lock_call;
    int lock;

    folders_forgive();
    assert_int_equal(owner_sign(&folder, "x", &lock), FOLDER_OK);
    lock_call = strstr(folders.trail, "lock ");
    assert_non_null(lock_call);
    assert_non_null(strstr(lock_call, "write sync rename_at "));
    assert_int_equal(owner_leave(&folder, "x", lock), 0);
}

static void remove_what_was_begun(void)
{
    assert_int_equal(unlink("d/x.owner~"), 0);
}

TEST(what_a_sweep_removes_before_it_has_its_name_is_made_again)
{
    struct owner owner;
    int lock, other;

    faulty_meet("rename_at", remove_what_was_begun);
    assert_int_equal(owner_sign(&folder, "x", &lock), FOLDER_OK);
    assert_null(faulty.meet);
    assert_true(lock >= 0);
    assert_int_equal(owner_ask(&folder, "x", &owner, &other), OWNER_ALIVE);
    assert_int_equal(scratch_count("d"), 1);
    assert_int_equal(owner_leave(&folder, "x", lock), 0);
}

/* Whoever sweeps has the lock for a moment, on what is removed then. */
static int sweeper;

static void lock_what_was_begun(void)
{
    sweeper = open("d/x.owner~", O_RDONLY | O_CLOEXEC);
    assert_true(sweeper >= 0 && sys_lock(sweeper, false) == 0);
}

TEST(so_it_is_if_the_sweep_has_locked_it)
{
    int lock;

    faulty_meet("lock", lock_what_was_begun);
    assert_int_equal(owner_sign(&folder, "x", &lock), FOLDER_OK);
    assert_true(lock >= 0 && scratch_count("d") == 1);
    assert_int_equal(close(sweeper), 0);
    assert_int_equal(owner_leave(&folder, "x", lock), 0);
}

TEST(where_the_folder_has_been_removed_nobody_signs)
{
    int lock;

    assert_int_equal(rmdir("d"), 0);
    assert_int_equal(owner_sign(&folder, "x", &lock), FOLDER_MISSING);
    assert_int_equal(lock, -1);
    assert_false(fault_any(&fault));
}

TEST(a_failure_to_sign_leaves_nothing)
{
    unsigned failures = 0;
    bool failed = true;

    for (unsigned at = 1; failed; at++) {
        int lock;
        enum folder_verdict result;

        faulty_fail(NULL, at, EIO);
        folders_listen();
        result = owner_sign(&folder, "x", &lock);
        failed = faulty_stop();
        folders_assert_heard(result == FOLDER_OK ? "" : "bigshuf: d/x.owner~: Input/output error\n");
        assert_int_equal(lock >= 0, result == 0);
        assert_int_equal(scratch_count("d"), result == 0);
        failures += result != 0;
        if (result == 0) { /* who it is may be told in part */
            assert_int_equal(sys_close(lock), 0);
            assert_int_equal(unlink("d/x.owner"), 0);
        }
    }
    assert_true(failures >= 6); /* open, status, lock, write, sync, rename */
}

TEST(a_failure_to_ask_takes_nobody_who_lives_for_dead)
{
    pid_t child = start_signer(NULL);
    unsigned at = 0;

    do {
        faulty_fail(NULL, ++at, EIO);
        assert_int_not_equal(ask(), OWNER_GONE);
    } while (faulty_stop());
    stop(child);
    folders_forgive();
    assert_int_equal(ask(), OWNER_GONE);
}
