/*
 * The sweeps of bigshuf-faulty: with FAULT_TURNS in its environment, its command line is run again and again, each time
 * with another call that fails, and each run is judged. Runs are forked from this process, so that a turn costs no
 * program that is started.
 *
 * What a run may change is in `folder`. A run that succeeds leaves there, and writes to standard output, what a run
 * without faults does. One that fails ends with status 1 and one message, and leaves the folder as it was; its output
 * is the beginning of the right one. Warnings do not count. A file that is complete and could not get its name, as the
 * message says, is taken for the one of that name. From the environment, besides that of faulty_environment.c:
 *
 *     FAULT_TURNS='N...'      which calls of each kind fail: numbers from 1 on
 *     FAULT_CALL='KIND...'    the kinds: a name, or several, joined by commas, that are counted together. If it is not
 *                             given, all that a run without faults makes
 *     FAULT_NEEDED='NAME...'  if a call of these fails, the run does
 *     FAULT_SAYS=PATTERN      what is said then matches this, as in `case`
 *     FAULT_NAMED=PATTERN     of files whose paths match it, what is in them is not compared
 *     FAULT_OTHERS=1          programs that are started may say something, too
 *     FAULT_PIPED=1           standard input, which is a file, comes through a pipe
 *     FAULT_KILLS=KILL        calls do not fail, but before them this signal comes, or TERM: a run that it ends leaves
 *                             the folder as it was, too, and says nothing
 *     FAULT_LATER='OPTION... ; OPTION...'  an hour after each run, bigshuf is run with these, without faults, and what
 *                             is judged is what they leave: after a run that failed, that is as if there had been none,
 *                             or as if it had succeeded
 */

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faulty_sys.h"

int bigshuf_main(int argc, char **argv); /* the program's main */

/* The folder; how it was before; and how it is in the end without the run, or after one without faults. */
#define FOLDER  "folder"
#define BEFORE  ".before"
#define WITHOUT ".without"
#define WITH    ".with"

/* What a run wrote to standard output, what is right, and what it said, and what is told of its calls. */
#define OUT   ".out"
#define RIGHT ".right"
#define SAID  ".said"
#define SEEN  ".seen"

enum { PATH_BYTES = 4096, WORDS = 64, KINDS = 128 };

/* What a run tells the process that judges it. */
static struct {
    atomic_uint made[KINDS]; /* calls of each name, in a run without faults */
    atomic_bool failed;      /* has a call been made to fail? */
} * seen;

static char said[65536];

static void must(bool succeeded, const char *what)
{
    if (!succeeded) {
        perror(what);
        exit(2);
    }
}

static void fail(const char *why, const char *what)
{
    fprintf(stderr, "%s: %s\n", why, what);
    exit(1);
}

/* ---- Trees of files ---- */

static enum task { COMPARE, COPY, REMOVE, REMOVE_HIDDEN, GIVE_NAMES, GROW_OLD } task;
static const char *other; /* the tree to compare with, or to copy to */
static unsigned entries;

/* The path in the other tree. */
static const char *counterpart(const char *path)
{
    static char buffer[PATH_BYTES];

    snprintf(buffer, sizeof buffer, "%s%s", other, path + strcspn(path, "/"));
    return buffer;
}

/* Are the contents the same, or at least the beginning of the others? */
static bool same_file(const char *one, const char *two, bool beginning)
{
    static char ones[65536], twos[65536];
    const int fds[] = {open(one, O_RDONLY), open(two, O_RDONLY)};
    ssize_t got, wanted;

    do {
        got = read(fds[0], ones, sizeof ones);
        wanted = read(fds[1], twos, sizeof twos);
    } while (got == (ssize_t)sizeof ones && wanted == got && memcmp(ones, twos, sizeof ones) == 0);
    close(fds[0]);
    close(fds[1]);
    return got >= 0 && (got == wanted || (beginning && got < wanted)) && memcmp(ones, twos, (size_t)got) == 0;
}

static bool same_entry(const char *path, const struct stat *status)
{
    struct stat twin;

    entries++;
    return lstat(counterpart(path), &twin) == 0 && (twin.st_mode & S_IFMT) == (status->st_mode & S_IFMT) &&
           (!S_ISREG(twin.st_mode) || (getenv("FAULT_NAMED") && fnmatch(getenv("FAULT_NAMED"), path, 0) == 0) ||
            same_file(path, counterpart(path), false));
}

static int copy(const char *path, const struct stat *status)
{
    const mode_t mode = status->st_mode & 07777;
    const int from = open(path, O_RDONLY);
    ssize_t bytes = 0;
    int to;

    if (S_ISDIR(status->st_mode))
        return close(from) != 0 || mkdir(counterpart(path), mode) != 0;
    to = open(counterpart(path), O_WRONLY | O_CREAT | O_EXCL, mode);
    while ((bytes = read(from, said, sizeof said)) > 0 && write(to, said, (size_t)bytes) == bytes)
        ;
    return close(from) != 0 || close(to) != 0 || bytes != 0;
}

/* A complete file .NAME.?????? becomes NAME, which must be as without the run. */
static int give_name(const char *path, int base)
{
    char name[PATH_BYTES];
    struct stat present;
    bool same;

    snprintf(name, sizeof name, "%.*s%.*s", base, path, (int)strlen(path + base) - 8, path + base + 1);
    other = WITHOUT;
    same = lstat(name, &present) == 0 ? same_file(name, counterpart(name), false)
                                      : lstat(counterpart(name), &present) != 0;
    return same ? rename(path, name) : 0;
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *place)
{
    static const struct timespec long_ago[2] = {{.tv_sec = 1577836800}, {.tv_sec = 1577836800}};
    const bool hidden = fnmatch(".*.??????", path + place->base, 0) == 0;

    (void)type;
    switch (task) {
    case COMPARE:
        return !same_entry(path, status);
    case COPY:
        return copy(path, status);
    case GIVE_NAMES:
        return hidden ? give_name(path, place->base) : 0;
    case GROW_OLD: /* what is hidden, or in a hidden folder */
        return strstr(path, "/.") ? utimensat(AT_FDCWD, path, long_ago, 0) : 0;
    default:
        return hidden || task == REMOVE ? remove(path) : 0;
    }
}

static bool walk(enum task now, const char *root, const char *beside)
{
    task = now;
    other = beside;
    return nftw(root, visit, 8, FTW_PHYS | (now > COPY ? FTW_DEPTH : 0)) == 0;
}

static bool same_tree(const char *one, const char *two)
{
    unsigned ones;

    entries = 0;
    ones = walk(COMPARE, one, two) ? entries : 0;
    return ones > 0 && walk(COMPARE, two, one) && entries == 2 * ones;
}

/* Make tree `to` as tree `from` is. */
static void restore(const char *from, const char *to)
{
    must(walk(REMOVE, to, NULL) || errno == ENOENT, to);
    must(walk(COPY, from, to) && walk(GROW_OLD, to, NULL), to);
}

/* ---- Runs ---- */

static void count_call(const char *name)
{
    for (size_t i = 0; faulty_names[i]; i++)
        if (strcmp(faulty_names[i], name) == 0)
            atomic_fetch_add(&seen->made[i], 1);
}

static void note_failure(const char *name)
{
    (void)name;
    atomic_store(&seen->failed, true);
}

/* Pass standard input on through a pipe, from a process of its own. */
static int feed(void)
{
    ssize_t bytes;
    int ends[2];

    must(pipe(ends) == 0, "pipe");
    if (fork() == 0) {
        close(ends[0]);
        while ((bytes = read(STDIN_FILENO, said, sizeof said)) > 0 && write(ends[1], said, (size_t)bytes) == bytes)
            ;
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static void redirect(int fd, int file)
{
    must(file >= 0 && dup2(file, fd) == fd && close(file) == 0, "descriptors");
}

/* Run bigshuf with these arguments, and read what it says. Its status, as in a shell. */
static int run(int argc, char **argv, const char *out)
{
    const int input = lseek(STDIN_FILENO, 0, SEEK_SET) == 0 && getenv("FAULT_PIPED") ? feed() : dup(STDIN_FILENO);
    const pid_t child = fork();
    int status = 0, file;
    ssize_t bytes;

    if (child == 0) {
        redirect(STDIN_FILENO, input);
        redirect(STDOUT_FILENO, open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666));
        redirect(STDERR_FILENO, open(SAID, O_WRONLY | O_CREAT | O_TRUNC, 0666));
        exit(bigshuf_main(argc, argv));
    }
    close(input);
    must(child > 0 && waitpid(child, &status, 0) == child, "fork");
    while (wait(NULL) > 0)
        ;
    file = open(SAID, O_RDONLY);
    bytes = read(file, said, sizeof said - 1);
    must(bytes >= 0 && close(file) == 0, SAID);
    said[bytes] = '\0';
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* An hour has passed, and bigshuf is run as FAULT_LATER says. */
static void run_later(void)
{
    const char *later = getenv("FAULT_LATER");
    char *copied = strdup(later ? later : ""), *rest, *word = strtok_r(copied, " ", &rest), *words[WORDS] = {"bigshuf"};
    int count;

    faulty.only = "";
    while (word) {
        for (count = 1; word && strcmp(word, ";") != 0 && count < WORDS - 1; word = strtok_r(NULL, " ", &rest))
            words[count++] = word;
        words[count] = NULL;
        must(walk(GROW_OLD, FOLDER, NULL), FOLDER);
        if (run(count, words, "/dev/null") != 0)
            fail("a later run failed", said);
        word = word ? strtok_r(NULL, " ", &rest) : NULL;
    }
    free(copied);
}

/* ---- The judge ---- */

/* The number of messages, besides warnings; or -1 if there is something else or they are not as they should be. */
static int count_messages(void)
{
    const char *pattern = getenv("FAULT_SAYS");
    char *rest = said, *line;
    int messages = 0;

    while (*rest) {
        line = rest;
        rest += strcspn(rest, "\n");
        if (*rest)
            *rest++ = '\0';
        if (strncmp(line, "bigshuf: warning: ", 18) == 0)
            continue;
        if (strncmp(line, "bigshuf: ", 9) == 0)
            messages++;
        else if (!getenv("FAULT_OTHERS"))
            return -1;
        if (pattern && fnmatch(pattern, line, 0) != 0)
            return -1;
    }
    return messages;
}

/* What is wrong with a run that has ended, or NULL. */
static const char *judge(const char *kind, int status)
{
    const bool completed = status == 1 && strstr(said, "complete file"),
               told = strstr(said, "warning: what was made with");
    const bool ended = getenv("FAULT_KILLS") && (status == 128 + SIGKILL || status == 128 + SIGTERM);

    if (status > 1 && !ended)
        return "it neither succeeded nor failed";
    if (count_messages() != (status == 1))
        return status == 1 ? "it failed without just one message, as wanted" : "it said what is no warning";
    if (!status && atomic_load(&seen->failed) && getenv("FAULT_NEEDED") &&
        faulty_is_among(getenv("FAULT_NEEDED"), kind))
        return "it succeeded without what it needs";
    if (!same_file(OUT, RIGHT, status != 0))
        return "its output is wrong";
    if (getenv("FAULT_LATER"))
        run_later();
    else if (strncmp(kind, "unlink", 6) == 0)
        walk(REMOVE_HIDDEN, FOLDER, NULL);
    if (completed)
        must(walk(GIVE_NAMES, FOLDER, NULL), FOLDER);
    if ((status && told) || same_tree(FOLDER, status && !completed ? WITHOUT : WITH) ||
        (status && getenv("FAULT_LATER") && same_tree(FOLDER, WITH)))
        return NULL;
    return "the folder is like neither .without nor .with";
}

/* Run it without faults, and without it. */
static void look_at_both(int argc, char **argv)
{
    struct stat folder;

    if (stat(FOLDER, &folder) != 0)
        must(mkdir(FOLDER, 0777) == 0, FOLDER);
    restore(FOLDER, BEFORE);
    run_later();
    restore(FOLDER, WITHOUT);
    restore(BEFORE, FOLDER);
    faulty.only = NULL;
    faulty.at = 0;
    faulty.log = count_call;
    if (run(argc, argv, RIGHT) != 0)
        fail("without faults, it failed", said);
    faulty.log = note_failure;
    run_later();
    restore(FOLDER, WITH);
}

/* Let calls of this kind fail, at each of the turns that come. Has one failed? Else it was no test. */
static bool sweep_kind(const char *kind, int argc, char **argv)
{
    char *turns = getenv("FAULT_TURNS");
    unsigned made = 0, turn;
    bool failed = false;
    const char *wrong;
    int status;

    for (size_t i = 0; faulty_names[i]; i++)
        made += faulty_is_among(kind, faulty_names[i]) ? atomic_load(&seen->made[i]) : 0;
    while ((turn = (unsigned)strtoul(turns, &turns, 10)) > 0 && turn <= made) {
        restore(BEFORE, FOLDER);
        atomic_store(&seen->failed, false);
        faulty.only = kind;
        faulty.at = turn;
        status = run(argc, argv, OUT);
        failed |= atomic_load(&seen->failed);
        fprintf(stderr, "%s, turn %u: status %d: %s\n", kind, turn, status, said);
        wrong = judge(kind, status);
        if (wrong)
            fail("this is wrong", wrong);
    }
    return failed;
}

static void sweep(int argc, char **argv)
{
    const int fd = open(SEEN, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    char *kinds = getenv("FAULT_CALL"), *kind;

    must(ftruncate(fd, sizeof *seen) == 0, SEEN);
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(seen != MAP_FAILED, SEEN);
    look_at_both(argc, argv);
    for (size_t i = 0; !kinds && faulty_names[i]; i++)
        sweep_kind(faulty_names[i], argc, argv);
    while (kinds && (kind = strtok_r(kinds, " ", &kinds))) {
        for (char *comma = kind; (comma = strchr(comma, ','));)
            *comma = ' ';
        if (!sweep_kind(kind, argc, argv))
            fail("no call has failed of kind", kind);
    }
    restore(BEFORE, FOLDER);
}

int main(int argc, char **argv)
{
    if (!getenv("FAULT_TURNS"))
        return bigshuf_main(argc, argv);
    sweep(argc, argv);
}
