#ifndef BIGSHUF_TESTS_SMALL_STORE_H
#define BIGSHUF_TESTS_SMALL_STORE_H

/*
 * For tests of what stands in a store: a small one, batches whose content is known, and a system layer that is the true
 * one (sys.c) but for calls that fail on demand and a disk that is never waited for. To be included before all else.
 */

#define sys_allocate         real_allocate
#define sys_close            real_close
#define sys_fstat            real_fstat
#define sys_ftruncate        real_ftruncate
#define sys_free_descriptors real_free_descriptors
#define sys_host_name        real_host_name
#define sys_link_at          real_link_at
#define sys_list_next        real_list_next
#define sys_list_open        real_list_open
#define sys_lock             real_lock
#define sys_mkdir_at         real_mkdir_at
#define sys_open_at          real_open_at
#define sys_preadv           real_preadv
#define sys_pwritev          real_pwritev
#define sys_read             real_read
#define sys_rename_at        real_rename_at
#define sys_rmdir_at         real_rmdir_at
#define sys_stat_at          real_stat_at
#define sys_sync             real_sync
#define sys_unlink_at        real_unlink_at
#define sys_user             real_user
#define sys_write            real_write
#include "src/system/sys.c" /* NOLINT(bugprone-suspicious-include) */
#undef sys_allocate
#undef sys_close
#undef sys_fstat
#undef sys_ftruncate
#undef sys_free_descriptors
#undef sys_host_name
#undef sys_link_at
#undef sys_list_next
#undef sys_list_open
#undef sys_lock
#undef sys_mkdir_at
#undef sys_open_at
#undef sys_preadv
#undef sys_pwritev
#undef sys_read
#undef sys_rename_at
#undef sys_rmdir_at
#undef sys_stat_at
#undef sys_sync
#undef sys_unlink_at
#undef sys_user
#undef sys_write

#include <stdatomic.h>

#include "support/in_memory.h"

#include "store/batch.h"
#include "store/draft.h"
#include "system/io.h"

/* ---- The system ---- */

enum { LAYER_SYNCS_MAX = 1024 };

static struct {
    atomic_uint calls; /* so far */
    unsigned fail_at;  /* the call of this number fails; 0: none */
    bool stays;        /* and so do all after it */
    int error;         /* in this way */
    int lock_error;    /* every attempt to lock fails in this way; 0: as the system says */
    void (*before_lock)(void);
    void (*before_rename)(void);
    unsigned meet_at;     /* before the call of this number, */
    void (*meet)(void);   /* this is done, once */
    const char *host;     /* instead of this host's name */
    const char *sweeper;  /* the same of those who sweep */
    unsigned descriptors; /* that may be opened; 0: as the system says */
    bool network;         /* what is open when it is unlinked stays in its folder, under another name */
    bool heard_twice;     /* a rename that was done is done once more, and fails */
    bool other_user;      /* the user is another than the one who owns the files */
    ino_t synced[LAYER_SYNCS_MAX];
    unsigned syncs;
    unsigned syncs_at_rename; /* when something was renamed last */
} layer;

static inline void layer_reset(void)
{
    memset(&layer, 0, sizeof layer);
    layer.error = EIO;
}

static inline bool layer_fails(void)
{
    unsigned call = atomic_fetch_add(&layer.calls, 1) + 1;

    if (layer.meet != NULL && call == layer.meet_at) {
        void (*meet)(void) = layer.meet;

        layer.meet = NULL;
        meet();
    }
    if (layer.fail_at == 0 || call < layer.fail_at || (call > layer.fail_at && !layer.stays))
        return false;
    errno = layer.error;
    return true;
}

#define LAYER_CALL(type, name, parameters, arguments, failure)                                                         \
    type sys_##name parameters;                                                                                        \
    type sys_##name parameters                                                                                         \
    {                                                                                                                  \
        return layer_fails() ? (failure) : real_##name arguments;                                                      \
    }

LAYER_CALL(void *, allocate, (size_t count, size_t bytes), (count, bytes), NULL)
LAYER_CALL(int, fstat, (int fd, struct stat *status), (fd, status), -1)
LAYER_CALL(int, ftruncate, (int fd, off_t length), (fd, length), -1)
LAYER_CALL(int, link_at, (int directory, const char *from, const char *to), (directory, from, to), -1)
LAYER_CALL(const char *, list_next, (void *list), (list), NULL)
LAYER_CALL(void *, list_open, (int directory), (directory), NULL)
LAYER_CALL(int, mkdir_at, (int directory, const char *name, mode_t mode), (directory, name, mode), -1)
LAYER_CALL(int, open_at, (int directory, const char *name, int flags, mode_t mode), (directory, name, flags, mode), -1)
LAYER_CALL(ssize_t, preadv, (int fd, const struct iovec *pieces, int count, off_t offset), (fd, pieces, count, offset),
           -1)
LAYER_CALL(ssize_t, pwritev, (int fd, const struct iovec *pieces, int count, off_t offset), (fd, pieces, count, offset),
           -1)
LAYER_CALL(ssize_t, read, (int fd, void *data, size_t bytes), (fd, data, bytes), -1)
LAYER_CALL(int, stat_at, (int directory, const char *name, struct stat *status), (directory, name, status), -1)
LAYER_CALL(int, unlink_at, (int directory, const char *name), (directory, name), -1)

/* Messages get through. */
ssize_t sys_write(int fd, const void *data, size_t bytes);
ssize_t sys_write(int fd, const void *data, size_t bytes)
{
    return fd != STDERR_FILENO && layer_fails() ? -1 : real_write(fd, data, bytes);
}

/* A close that fails has closed. */
int sys_close(int fd);
int sys_close(int fd)
{
    bool failure = layer_fails();
    int result = real_close(fd);

    if (failure)
        errno = layer.error;
    return failure ? -1 : result;
}

/* Is a file of the store open that has no name any more? Only Linux can tell. */
static inline bool layer_has_nameless(void)
{
    DIR *directory = opendir("/proc/self/fd");
    struct dirent *entry;
    bool has = false;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char path[1024];
        ssize_t length = readlinkat(dirfd(directory), entry->d_name, path, sizeof path - 1);

        path[length > 0 ? length : 0] = '\0';
        has |= strstr(path, "/store/") != NULL && strstr(path, "(deleted)") != NULL;
    }
    if (directory != NULL)
        closedir(directory);
    return has;
}

int sys_rmdir_at(int directory, const char *name);
int sys_rmdir_at(int directory, const char *name)
{
    if (layer_fails())
        return -1;
    errno = ENOTEMPTY;
    return layer.network && layer_has_nameless() ? -1 : real_rmdir_at(directory, name);
}

int sys_lock(int fd, bool exclusive);
int sys_lock(int fd, bool exclusive)
{
    if (layer.before_lock != NULL)
        layer.before_lock();
    if (layer_fails())
        return -1;
    errno = layer.lock_error;
    return layer.lock_error != 0 ? -1 : real_lock(fd, exclusive);
}

int sys_rename_at(int directory, const char *from, const char *to);
int sys_rename_at(int directory, const char *from, const char *to)
{
    if (layer.before_rename != NULL)
        layer.before_rename();
    if (layer_fails() || real_rename_at(directory, from, to) != 0)
        return -1;
    layer.syncs_at_rename = layer.syncs;
    return layer.heard_twice ? real_rename_at(directory, from, to) : 0;
}

/* Waiting for the disk would take minutes. */
int sys_sync(int fd);
int sys_sync(int fd)
{
    struct stat status;

    if (layer_fails() || real_fstat(fd, &status) != 0)
        return -1;
    if (layer.syncs < LAYER_SYNCS_MAX)
        layer.synced[layer.syncs++] = status.st_ino;
    return 0;
}

unsigned sys_free_descriptors(unsigned wanted);
unsigned sys_free_descriptors(unsigned wanted)
{
    return layer.descriptors > 0 ? layer.descriptors : real_free_descriptors(wanted);
}

int sys_host_name(char *name, size_t bytes);
int sys_host_name(char *name, size_t bytes)
{
    if (layer.host == NULL)
        return real_host_name(name, bytes);
    snprintf(name, bytes, "%s", layer.host);
    return 0;
}

uid_t sys_user(void);
uid_t sys_user(void)
{
    return real_user() + layer.other_user;
}

/* Was the file synced, from one number of syncs to another? */
static inline bool layer_has_synced(const char *path, unsigned from, unsigned to)
{
    ino_t inode = scratch_inode(path);

    for (unsigned i = from; i < to; i++)
        if (layer.synced[i] == inode)
            return true;
    return false;
}

/* ---- The store ---- */

enum { SMALL_PILES = 4, SMALL_PILES_MAX = 64, SMALL_TEXT_BYTES = 1 << 14 };

static struct {
    struct fault fault;
    struct store store;
    char start[RECORD_DELIMITER_BYTES_MAX + 1]; /* what records start with; empty if they are lines */
    struct manifest_input input[2];
    struct manifest manifest; /* of the next draft: key and inputs */
    uint64_t random;
    int descriptors; /* that were open at the beginning of the test; -1 if that is not known */
} small;

static inline int small_setup(void **state)
{
    if (in_memory_setup(state) != 0)
        return -1;
    memset(&small, 0, sizeof small);
    layer_reset();
    fault_init(&small.fault);
    small.input[0] = (struct manifest_input){.name = "corpus/a.txt", .bytes = 688895};
    small.input[1] = (struct manifest_input){.name = "b c\n", .bytes = 0};
    small.manifest = (struct manifest){.key = {1, 2, 3}, .input = small.input, .inputs = 2};
    small.random = 1;
    small.descriptors = scratch_count("/proc/self/fd");
    return 0;
}

/* Everything was closed. */
static inline int small_teardown(void **state)
{
    int descriptors;

    layer_reset();
    store_close(&small.store);
    fault_release(&small.fault);
    descriptors = scratch_count("/proc/self/fd");
    return scratch_teardown(state) == 0 && descriptors == small.descriptors ? 0 : -1;
}

static inline void small_forgive(void)
{
    fault_release(&small.fault);
    fault_init(&small.fault);
}

static inline unsigned small_draw(unsigned bound)
{
    small.random = small.random * 6364136223846793005 + 1442695040888963407;
    return (unsigned)(small.random >> 33) % bound;
}

/* The store "store" of so many piles, of lines or of records that start with a string. */
static inline void small_open(unsigned piles, const char *start)
{
    static uint8_t string[RECORD_DELIMITER_BYTES_MAX + 1];
    struct store_format format = {.piles = piles, .record = {.kind = RECORD_BYTE, .delimiter = '\n'}};

    snprintf(small.start, sizeof small.start, "%s", start == NULL ? "" : start);
    if (start != NULL) {
        snprintf((char *)string, sizeof string, "\n%s", start);
        format.record = (struct record_format){
            .kind = RECORD_STRING, .starts = true, .string = string, .string_bytes = strlen((char *)string)};
    }
    assert_int_equal(store_join(&small.store, "store", &format, &small.fault), 0);
}

/* With a store of lines, open. */
static inline int small_setup_lines(void **state)
{
    if (small_setup(state) != 0)
        return -1;
    small_open(SMALL_PILES, NULL);
    return 0;
}

/* Nothing is left in the store, which is closed: another one can be opened. */
static inline void small_clear(void)
{
    store_close(&small.store);
    scratch_empty(open("store", O_RDONLY | O_DIRECTORY));
}

/* Another store in its place. */
static inline void small_reopen(unsigned piles, const char *start)
{
    small_clear();
    small_open(piles, start);
}

/* What stands in the file of a pile: up to 40 records, none in some piles. Returns the number of bytes. */
static inline size_t small_text(const char *batch, unsigned pile, char text[SMALL_TEXT_BYTES], uint64_t *records)
{
    size_t bytes = 0;

    *records = (unsigned)(batch[0] * 7 + (int)pile) % 3 * ((unsigned)batch[0] % 13 + pile % 9);
    text[0] = '\0';
    for (unsigned i = 0; i < *records; i++)
        bytes += (size_t)snprintf(text + bytes, SMALL_TEXT_BYTES - bytes, "%srecord %u of %u in %s\n%s", small.start, i,
                                  pile, batch, small.start[0] != '\0' ? "goes on\n" : "");
    return bytes;
}

/* Its stream, as record.h has it: what records start with is taken away from the front and put at the end. */
static inline size_t small_stream(const char *batch, unsigned pile, char text[SMALL_TEXT_BYTES], uint64_t *records)
{
    const size_t start = strlen(small.start);
    size_t bytes = small_text(batch, pile, text, records);

    if (bytes > 0) {
        memmove(text, text + start, bytes - start);
        memcpy(text + bytes - start, small.start, start);
    }
    return bytes;
}

/* Append to a pile, in pieces of any lengths. */
static inline int small_append(struct draft *draft, unsigned pile, char *data, size_t bytes)
{
    struct storage *storage = draft_storage(draft);

    while (bytes > 0) {
        struct iovec pieces[3];
        int count = 0;

        for (; count < 3 && bytes > 0; count++) {
            size_t length = 1 + small_draw(small_draw(3) == 0 ? 4 : 500);

            length = length < bytes ? length : bytes;
            pieces[count] = (struct iovec){.iov_base = data, .iov_len = length};
            data += length;
            bytes -= length;
        }
        if (storage->kind->write(storage, pile, pieces, count) != 0)
            return -1;
    }
    return 0;
}

static inline enum draft_verdict small_begin(struct draft **draft, const char *name)
{
    return draft_begin(draft, &small.store, name, &small.manifest);
}

/* Write all piles as those of a batch of the name `like`. */
static inline int small_write(struct draft *draft, const char *like)
{
    char text[SMALL_TEXT_BYTES];
    uint64_t records;

    for (unsigned p = 0; p < small.store.format.piles; p++)
        if (small_append(draft, p, text, small_stream(like, p, text, &records)) != 0)
            return -1;
    return 0;
}

static inline enum draft_verdict small_commit(struct draft *draft, const char *like, const char *header)
{
    char text[SMALL_TEXT_BYTES];
    uint64_t records[SMALL_PILES_MAX];
    enum draft_verdict verdict;

    for (unsigned p = 0; p < small.store.format.piles; p++)
        (void)small_stream(like, p, text, &records[p]);
    verdict = draft_commit(draft, records, (const uint8_t *)header, strlen(header), 1);
    return verdict;
}

/* Make a batch from beginning to end. */
static inline enum draft_verdict small_try(const char *name, const char *header)
{
    struct draft *draft;
    enum draft_verdict verdict = small_begin(&draft, name);

    if (verdict == DRAFT_OK)
        verdict = small_write(draft, name) == 0 ? small_commit(draft, name, header) : DRAFT_FAILED;
    draft_free(draft);
    return verdict;
}

static inline void small_add(const char *name)
{
    assert_int_equal(small_try(name, ""), DRAFT_OK);
}

/* A path in the store. */
static inline const char *small_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline const char *small_path(const char *format, ...)
{
    static char path[4][512];
    static unsigned next;
    va_list arguments;
    char *at = path[next++ % 4];

    va_start(arguments, format);
    vsnprintf(at + snprintf(at, 512, "store/"), 500, format, arguments);
    va_end(arguments);
    return at;
}

static inline bool small_exists(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

/* The only folder with this prefix, and then `~` and a random number, as a path: small_numbered(".new-one"). NULL if
 * there is none or several. */
static inline const char *small_numbered(const char *prefix)
{
    static char path[4][512];
    static unsigned next;
    char *at = path[next++ % 4];
    const size_t length = strlen(prefix);
    DIR *directory = opendir("store");
    struct dirent *entry;
    int count = 0;

    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL)
        if (strncmp(entry->d_name, prefix, length) == 0 && entry->d_name[length] == '~' &&
            strlen(entry->d_name) == length + 17) {
            snprintf(at, sizeof path[0], "store/%s", entry->d_name);
            count++;
        }
    closedir(directory);
    return count == 1 ? at : NULL;
}

/* How many names with this prefix there are in the store. */
static inline int small_count(const char *prefix)
{
    DIR *directory = opendir("store");
    struct dirent *entry;
    int count = 0;

    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL)
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    closedir(directory);
    return count;
}

static inline bool small_is_whole_pile(struct batch *batch, const char *like, unsigned pile,
                                       const struct manifest_pile *entry)
{
    char expected[SMALL_TEXT_BYTES], found[SMALL_TEXT_BYTES] = "";
    struct iovec piece = {.iov_base = found};
    struct xxh64 checksum;
    uint64_t records;
    size_t bytes = small_text(like, pile, expected, &records), done;
    int fd = batch_open_pile(batch, pile, entry);
    bool whole = fd >= 0 && entry->bytes == bytes && entry->records == records;

    piece.iov_len = bytes;
    whole = whole && io_read_at(fd, &piece, 1, 0, &done) == 0 && memcmp(expected, found, bytes) == 0;
    xxh64_init(&checksum, 0);
    xxh64_update(&checksum, expected, bytes);
    if (fd >= 0)
        close(fd);
    return whole && entry->checksum == xxh64_value(&checksum);
}

/* Is the batch there, complete and without a flaw? */
static inline bool small_is_whole(const char *name, const char *like)
{
    struct manifest manifest;
    struct batch batch;
    bool whole = true;

    if (batch_open(&batch, &small.store, name, &manifest) != BATCH_OK)
        return false;
    for (unsigned p = 0; p < manifest.piles; p++)
        whole = whole && small_is_whole_pile(&batch, like, p, &manifest.pile[p]);
    whole = whole && manifest_is_same(&manifest, &small.manifest);
    manifest_release(&manifest);
    batch_close(&batch);
    return whole;
}

/* Run `task`, which is to fail or not, in a child that is killed in the end, or goes on until it is. */
static inline pid_t small_fork(void (*task)(void))
{
    int ends[2];
    pid_t child;
    char c;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        close(ends[0]);
        task();
        CHECK(write(ends[1], "x", 1) == 1);
        for (;;)
            pause();
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &c, 1), 1);
    close(ends[0]);
    return child;
}

static inline void small_kill(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* Begin a batch and write its piles as those of a batch of the name `like`. */
static inline struct draft *small_written(const char *name, const char *like)
{
    struct draft *draft;

    assert_int_equal(small_begin(&draft, name), DRAFT_OK);
    assert_int_equal(small_write(draft, like), 0);
    return draft;
}

/* Let each call to the system fail in turn, until `task` makes fewer of them. The task succeeds, or fails with one
 * message; it fails more often than `least` times, and in the end it succeeds. */
static inline void small_fail_everywhere(int (*task)(void), unsigned least)
{
    unsigned failures = 0;

    for (unsigned at = 1;; at++) {
        const char *heard;
        int status;

        small_forgive();
        layer.calls = 0;
        layer.fail_at = at;
        scratch_listen();
        status = task();
        heard = scratch_heard();
        if (layer.calls < at)
            break;
        if (status != 0 && (heard[0] == '\0' || strchr(heard, '\n') != heard + strlen(heard) - 1))
            fail_msg("call %u: the message is: %s", at, heard);
        assert_int_equal(status == 0, heard[0] == '\0');
        failures += status != 0;
    }
    assert_true(failures > least);
    layer.fail_at = 0;
    small_forgive();
    assert_int_equal(task(), 0);
}

#endif
