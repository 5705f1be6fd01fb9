/*
 * The lock is the last word on whether somebody is alive, since numbers of processes mean nothing to another machine,
 * or in another container. It must be free for a process to count as gone; but that it is free proves nothing, as there
 * may be file systems that grant every lock.
 *
 * The file is locked and whole when it gets its name, by a rename. So nobody ever sees it otherwise, and nobody asks
 * for the lock meanwhile; should a sweep remove the file before it has its name, the rename says so, and it is made
 * again.
 */

#include "store/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/line.h"
#include "system/io.h"
#include "system/sys.h"
#include "system/textfile.h"

enum {
    TEXT_BYTES = 3 * OWNER_WORD_BYTES, /* room for the whole file */
    START_FIELD = 22,                  /* proc(5): of /proc/PID/stat, counted from 1 */
    NAME_BYTES = 256,                  /* of the file */
    ATTEMPTS = 100,                    /* to make it, should it be removed */
};

/* ---- The file ---- */

static const char *file_name(const char *name, const char *suffix, char file[NAME_BYTES])
{
    snprintf(file, NAME_BYTES, "%s%s", name, suffix);
    return file;
}

static size_t put_text(const struct owner *owner, char text[TEXT_BYTES])
{
    const char *end = line_put(text, text + TEXT_BYTES, "host %s\nboot %s\nprocess %" PRIu64 "\nstart %" PRIu64 "\n",
                               owner->host, owner->boot, owner->process, owner->start);

    return (size_t)(end - text);
}

/* False if the text is not one that put_text writes. */
static bool parse(const char *text, struct owner *owner)
{
    text = line_rest(line_skip(text, "host "), owner->host, sizeof owner->host);
    text = line_rest(line_skip(text, "boot "), owner->boot, sizeof owner->boot);
    text = line_number_within(line_skip(text, "process "), 1, INT32_MAX, &owner->process);
    text = line_number(line_skip(text, "\nstart "), &owner->start);
    text = line_skip(text, "\n");
    return text != NULL && *text == '\0';
}

/* ---- Processes ---- */

/* Make a word for the file of the first line of `text`, with `?` for control bytes; "-" if that is empty. */
static void put_word(char word[OWNER_WORD_BYTES], const char *text)
{
    snprintf(word, OWNER_WORD_BYTES, "%.*s", text == NULL ? 0 : (int)strcspn(text, "\n"), text == NULL ? "" : text);
    for (char *byte = word; *byte != '\0'; byte++)
        if ((unsigned char)*byte < ' ' || *byte == 0x7f)
            *byte = '?';
    if (word[0] == '\0')
        snprintf(word, OWNER_WORD_BYTES, "-");
}

/* Read the state of a process and when it started. The name of its command, before that, is in parentheses and may
 * hold anything, also parentheses. False if that is not known. */
static bool read_process(uint64_t process, char *state, uint64_t *start)
{
    char *text = textfile_read("/proc/%" PRIu64 "/stat", process);
    const char *at = text == NULL ? NULL : strrchr(text, ')');
    bool known = at != NULL && at[1] == ' ' && at[2] != '\0';

    if (known)
        *state = at[2];
    for (int field = 2; known && field < START_FIELD; field++) {
        at = strchr(at + 1, ' ');
        known = at != NULL;
    }
    known = known && line_number(at + 1, start) != NULL;
    free(text);
    return known;
}

/* Host and boot; process and start stay 0. */
static void describe_host(struct owner *owner)
{
    char *boot = textfile_read("/proc/sys/kernel/random/boot_id");
    char host[OWNER_WORD_BYTES];

    *owner = (struct owner){0};
    put_word(owner->host, sys_host_name(host, sizeof host) == 0 ? host : NULL);
    put_word(owner->boot, boot);
    free(boot);
}

static void describe_self(struct owner *owner)
{
    char state;

    describe_host(owner);
    owner->process = (uint64_t)sys_process();
    if (!read_process(owner->process, &state, &owner->start))
        owner->start = 0;
}

static bool is_known(const char *word)
{
    return strcmp(word, "-") != 0;
}

/* What this host knows of the process, whatever the lock says. */
static enum owner_state ask_host(const struct owner *owner)
{
    struct owner here;
    uint64_t start;
    char state;

    describe_host(&here);
    if (!is_known(here.host) || strcmp(here.host, owner->host) != 0)
        return OWNER_UNKNOWN;
    if (is_known(here.boot) && is_known(owner->boot) && strcmp(here.boot, owner->boot) != 0)
        return OWNER_GONE;
    if (!read_process(owner->process, &state, &start)) /* no /proc, or one that hides it */
        return sys_kill((pid_t)owner->process, 0) != 0 && errno == ESRCH ? OWNER_GONE : OWNER_UNKNOWN;
    if (state == 'Z' || state == 'X') /* it has ended, and its parent was not told yet */
        return OWNER_GONE;
    if (owner->start == 0)
        return OWNER_UNKNOWN;
    return owner->start == start ? OWNER_ALIVE : OWNER_GONE;
}

/* ---- The lock ---- */

/* Lock the file of somebody else. Where the locks are a server's (NFS), an exclusive lock takes a descriptor that may
 * write; a shared one, which takes none, tells as well whether somebody has the exclusive one. */
static int lock_other(int fd)
{
    int result = io_lock(fd, true);

    return result != 0 && errno == EBADF ? io_lock(fd, false) : result;
}

/* Lock and write a new file. *lock becomes `fd`, and stays -1 where there is no locking. 0, or -1 with errno. */
static int sign_file(int fd, int *lock)
{
    char text[TEXT_BYTES];
    struct owner self;

    if (io_lock(fd, true) == 0)
        *lock = fd;
    else if (errno != ENOTSUP)
        return -1;
    describe_self(&self);
    return io_write(fd, text, put_text(&self, text)) == 0 ? io_sync(fd) : -1;
}

/* MISSING if somebody has removed the file before it has its name, or is about to do so and has locked it. A network
 * file system may say that it is missing though the rename was done, when the request was repeated: then it is OK. */
static enum folder_verdict sign_once(const struct folder *folder, const char *name, int *lock)
{
    char file[NAME_BYTES], begun[NAME_BYTES];
    enum folder_verdict verdict;
    int fd;

    *lock = -1;
    verdict = folder_edit_file(folder, file_name(name, OWNER_BEGUN_SUFFIX, begun), true, &fd);
    if (verdict == FOLDER_EXISTS) {
        folder_report(folder, begun, EEXIST);
        verdict = FOLDER_FAILED;
    }
    if (verdict != FOLDER_OK)
        return verdict;
    if (sign_file(fd, lock) == 0) {
        verdict = folder_rename(folder, begun, file_name(name, OWNER_SUFFIX, file));
        if (verdict == FOLDER_MISSING && folder_stands(folder, file, fd) == 1)
            verdict = FOLDER_OK;
    } else if (errno == EWOULDBLOCK) {
        verdict = FOLDER_MISSING; /* as soon as the one who has locked it goes on */
    } else {
        folder_report(folder, begun, errno);
        verdict = FOLDER_FAILED;
    }
    if (verdict != FOLDER_OK) {
        (void)sys_unlink_at(folder->fd, begun);
        *lock = -1;
    }
    if (*lock < 0)
        (void)io_close(fd);
    return verdict;
}

enum folder_verdict owner_sign(const struct folder *folder, const char *name, int *lock)
{
    enum folder_verdict verdict = FOLDER_MISSING;

    for (int attempt = 0; attempt < ATTEMPTS && verdict == FOLDER_MISSING; attempt++)
        verdict = sign_once(folder, name, lock);
    if (verdict == FOLDER_OK && *lock < 0)
        fault_warn("%s/%s: cannot be locked: should this run be killed, what it leaves there stays until --sweep",
                   folder->path, name);
    return verdict;
}

/* The file is closed first: one that is open when it is removed, a network file system keeps under another name. */
int owner_leave(const struct folder *folder, const char *name, int lock)
{
    char file[NAME_BYTES];

    if (lock >= 0)
        (void)io_close(lock);
    return sys_unlink_at(folder->fd, file_name(name, OWNER_SUFFIX, file));
}

/* ---- Asking ---- */

/* Open the file for reading and, if the user may, for writing, which some locks take. -1 with errno. */
static int open_owner(const struct folder *folder, const char *name)
{
    char file[NAME_BYTES];
    struct stat status;
    int fd = io_open_at(folder->fd, file_name(name, OWNER_SUFFIX, file), O_RDWR | O_NONBLOCK | O_NOCTTY, 0);

    if (fd < 0)
        fd = io_open_at(folder->fd, file, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd >= 0 && (sys_fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        (void)io_close(fd);
        errno = EACCES;
        return -1;
    }
    return fd;
}

static enum owner_state read_owner(int fd, struct owner *owner)
{
    char text[TEXT_BYTES];
    size_t length = 0;
    ssize_t got;

    while ((got = io_read(fd, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = '\0';
    if (got == 0 && parse(text, owner))
        return ask_host(owner);
    *owner = (struct owner){0};
    return OWNER_UNKNOWN;
}

enum owner_state owner_ask(const struct folder *folder, const char *name, struct owner *owner, int *lock)
{
    enum owner_state state;
    int fd = open_owner(folder, name);

    *owner = (struct owner){0};
    *lock = -1;
    if (fd < 0)
        return errno == ENOENT || errno == ESTALE ? OWNER_GONE : OWNER_UNKNOWN;
    state = read_owner(fd, owner);
    if (state != OWNER_ALIVE && lock_other(fd) == 0) {
        *lock = fd;
        return state;
    }
    if (state != OWNER_ALIVE)
        state = errno == EWOULDBLOCK ? OWNER_ALIVE : OWNER_UNKNOWN;
    (void)io_close(fd);
    return state;
}
