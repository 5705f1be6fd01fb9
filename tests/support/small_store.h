#ifndef BIGSHUF_TESTS_SMALL_STORE_H
#define BIGSHUF_TESTS_SMALL_STORE_H

/*
 * For tests of what stands in a store: a small one, batches whose content is known, and a system that behaves as some
 * systems do.
 */

#include "support/folders.h"
#include "support/in_memory.h"

#include "store/batch.h"
#include "store/draft.h"
#include "system/io.h"

/* ---- The system ---- */

static struct {
    unsigned descriptors;     /* that may be opened; 0: as the system says */
    bool network;             /* what is open when it is unlinked stays in its folder, under another name */
    bool heard_twice;         /* a rename that was done is done once more, and fails */
    bool other_user;          /* the user is another than the one who owns the files */
    time_t later;             /* seconds that the file system's clock goes before that of this machine */
    unsigned syncs_at_rename; /* when something was renamed last */
} layer;

int real_sys_rmdir_at(int directory, const char *name);
int real_sys_rename_at(int directory, const char *from, const char *to);
unsigned real_sys_free_descriptors(unsigned wanted);
uid_t real_sys_user(void);
int real_sys_touch(int fd);

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

int sys_rmdir_at(int directory, const char *name)
{
    if (faulty_fails("rmdir_at"))
        return -1;
    errno = ENOTEMPTY;
    return layer.network && layer_has_nameless() ? -1 : real_sys_rmdir_at(directory, name);
}

int sys_rename_at(int directory, const char *from, const char *to)
{
    if (faulty_fails("rename_at") || real_sys_rename_at(directory, from, to) != 0)
        return -1;
    layer.syncs_at_rename = folders.syncs;
    return layer.heard_twice ? real_sys_rename_at(directory, from, to) : 0;
}

unsigned sys_free_descriptors(unsigned wanted)
{
    return layer.descriptors > 0 ? layer.descriptors : real_sys_free_descriptors(wanted);
}

uid_t sys_user(void)
{
    return real_sys_user() + layer.other_user;
}

int sys_touch(int fd)
{
    const struct timespec now = {.tv_sec = time(NULL) + layer.later};
    const struct timespec times[2] = {now, now};

    return faulty_fails("touch") ? -1 : layer.later == 0 ? real_sys_touch(fd) : futimens(fd, times);
}

/* Was the file synced, from one number of syncs to another? */
static inline bool layer_has_synced(const char *path, unsigned from, unsigned to)
{
    ino_t inode = scratch_inode(path);

    for (unsigned i = from; i < to; i++)
        if (folders.synced[i] == inode)
            return true;
    return false;
}

/* ---- The store ---- */

/* What messages about a batch's files end with. */
#define ADD_AGAIN ": move the batch's folder out of the store, and add the batch again"

enum { SMALL_PILES = 4, SMALL_PILES_MAX = 64, SMALL_TEXT_BYTES = 1 << 14 };

static struct {
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
    memset(&layer, 0, sizeof layer);
    memset(&folders, 0, sizeof folders);
    faulty_reset();
    small.input[0] = (struct manifest_input){.name = "corpus/a.txt", .bytes = 688895};
    small.input[1] = (struct manifest_input){.name = "b c\n", .bytes = 0};
    small.manifest = (struct manifest){.key = {1, 2, 3}};
    manifest_set_inputs(&small.manifest, small.input, 2);
    small.random = 1;
    small.descriptors = scratch_count("/proc/self/fd");
    return 0;
}

/* Everything was closed. */
static inline int small_teardown(void **state)
{
    int descriptors;

    faulty_reset();
    store_close(&small.store);
    descriptors = scratch_count("/proc/self/fd");
    return scratch_teardown(state) == 0 && descriptors == small.descriptors ? 0 : -1;
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
    struct store_format format = {.piles = piles, .record = {.delimiter = '\n'}};

    snprintf(small.start, sizeof small.start, "%s", start == NULL ? "" : start);
    if (start != NULL) {
        snprintf((char *)string, sizeof string, "\n%s", start);
        format.record = (struct record_format){
            .kind = &string_start_kind, .string = string, .string_bytes = strlen((char *)string)};
    }
    store_join(&small.store, "store", &format);
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
static inline void small_append(struct draft *draft, unsigned pile, char *data, size_t bytes)
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
        storage_write(storage, pile, pieces, count);
    }
}

static inline struct draft *small_begin(const char *name)
{
    uint64_t records;

    return draft_begin(&small.store, name, &small.manifest, &records);
}

/* Write all piles as those of a batch of the name `like`. */
static inline void small_write(struct draft *draft, const char *like)
{
    char text[SMALL_TEXT_BYTES];
    uint64_t records;

    for (unsigned p = 0; p < small.store.format.piles; p++)
        small_append(draft, p, text, small_stream(like, p, text, &records));
}

static inline bool small_commit(struct draft *draft, const char *like, const char *header)
{
    char text[SMALL_TEXT_BYTES];
    uint64_t records[SMALL_PILES_MAX];

    for (unsigned p = 0; p < small.store.format.piles; p++)
        (void)small_stream(like, p, text, &records[p]);
    return draft_commit(draft, records, (const uint8_t *)header, strlen(header), 1);
}

/* Begin a batch and write its piles as those of a batch of the name `like`. */
static inline struct draft *small_written(const char *name, const char *like)
{
    struct draft *draft = small_begin(name);

    small_write(draft, like);
    return draft;
}

/* Make a batch from beginning to end. False if it is there already. */
static inline bool small_try(const char *name, const char *header)
{
    struct draft *draft = small_begin(name);

    if (draft == NULL)
        return false;
    small_write(draft, name);
    return small_commit(draft, name, header);
}

static inline void small_add(const char *name)
{
    assert_true(small_try(name, ""));
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

    if (!batch_open(&batch, &small.store, name, &manifest))
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

/* Let each call to the system fail in turn, each time in a child, until `task` makes fewer of them. It fails more often
 * than `least` times; `judge` then looks at what is there. */
static inline void small_fail_everywhere(void (*task)(void), void (*judge)(bool failed), unsigned least)
{
    unsigned failures = 0, at = 0;
    int outcome;

    do {
        faulty_fail(NULL, ++at, EIO);
        outcome = folders_try(task);
        failures += outcome == FOLDERS_ENDED;
        judge(outcome == FOLDERS_ENDED);
    } while (outcome != FOLDERS_OVER);
    assert_true(failures > least);
}

#endif
