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
 *     FAULT_OTHERS=1          programs that are started may say something, too
 *     FAULT_PIPED=1           standard input, which is a file, comes through a pipe
 *     FAULT_KILLS=1           calls do not fail, but end the process by SIGKILL
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

enum { PATH_BYTES = 4096, WORDS = 64, KINDS = 128, KILLED = 128 + SIGKILL };

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

/* ---- Trees of files ---- */

static const char *other; /* the tree with which one is compared, or to which it is copied */
static char difference[PATH_BYTES];
static int entries;

/* The path in the other tree. */
static const char *counterpart(const char *path)
{
    static char buffer[PATH_BYTES];
    const char *below = strchr(path, '/');

    snprintf(buffer, sizeof buffer, "%s%s", other, below ? below : "");
    return buffer;
}

/* Are the contents the same, or at least the first those at which the second begins? */
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

static int compare(const char *path, const struct stat *status, int type, struct FTW *place)
{
    struct stat twin;

    (void)place;
    entries++;
    if (lstat(counterpart(path), &twin) == 0 && (twin.st_mode & S_IFMT) == (status->st_mode & S_IFMT) &&
        (type != FTW_F || same_file(path, counterpart(path), false)))
        return 0;
    snprintf(difference, sizeof difference, "%s", path);
    return 1;
}

static bool same_tree(const char *one, const char *two)
{
    int ones, result;

    other = two;
    entries = 0;
    if (nftw(one, compare, 8, FTW_PHYS) != 0)
        return false;
    ones = entries;
    other = one;
    entries = 0;
    result = nftw(two, compare, 8, FTW_PHYS);
    return result == 0 && entries == ones;
}

static int copy(const char *path, const struct stat *status, int type, struct FTW *place)
{
    static char data[65536];
    const char *target = counterpart(path);
    ssize_t bytes;
    int from, to;

    (void)place;
    if (type == FTW_D)
        return mkdir(target, status->st_mode & 07777);
    from = open(path, O_RDONLY);
    to = open(target, O_WRONLY | O_CREAT | O_EXCL, status->st_mode & 07777);
    while ((bytes = read(from, data, sizeof data)) > 0 && write(to, data, (size_t)bytes) == bytes)
        ;
    return close(from) != 0 || close(to) != 0 || bytes != 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

/* Is it .NAME.??????, what a file is called before it gets its name? */
static bool is_hidden(const char *path, const struct FTW *place)
{
    return fnmatch(".*.??????", path + place->base, 0) == 0;
}

/* What is hidden, or in a hidden folder, was changed long ago. */
static int grow_old(const char *path, const struct stat *status, int type, struct FTW *place)
{
    static const struct timespec times[2] = {{.tv_sec = 1577836800}, {.tv_sec = 1577836800}};

    (void)status, (void)type, (void)place;
    return strstr(path, "/.") ? utimensat(AT_FDCWD, path, times, 0) : 0;
}

/* Make tree `to` as tree `from` is. */
static void restore(const char *from, const char *to)
{
    must(nftw(to, remove_one, 8, FTW_PHYS | FTW_DEPTH) == 0 || errno == ENOENT, to);
    other = to;
    must(nftw(from, copy, 8, FTW_PHYS) == 0, from);
    must(nftw(to, grow_old, 8, FTW_PHYS | FTW_DEPTH) == 0, to);
}

static int remove_hidden(const char *path, const struct stat *status, int type, struct FTW *place)
{
    return is_hidden(path, place) ? remove_one(path, status, type, place) : 0;
}

/* A complete file .NAME.?????? becomes NAME, which was as without the run. */
static int give_name(const char *path, const struct stat *status, int type, struct FTW *place)
{
    char name[PATH_BYTES];
    struct stat present;

    (void)status, (void)type;
    if (!is_hidden(path, place))
        return 0;
    snprintf(name, sizeof name, "%.*s%.*s", place->base, path, (int)strlen(path + place->base) - 8,
             path + place->base + 1);
    other = WITHOUT;
    if (lstat(name, &present) == 0 ? same_file(name, counterpart(name), false)
                                   : lstat(counterpart(name), &present) != 0)
        return rename(path, name);
    return 0;
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

/* Pass standard input on through a pipe: its end, and the process that does it, if any. */
static int feed(pid_t *feeder)
{
    int ends[2];

    must(pipe(ends) == 0, "pipe");
    *feeder = fork();
    if (*feeder == 0) {
        ssize_t bytes;

        close(ends[0]);
        while ((bytes = read(STDIN_FILENO, said, sizeof said)) > 0 && write(ends[1], said, (size_t)bytes) == bytes)
            ;
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static void redirect(int fd, const char *name)
{
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    must(file >= 0 && dup2(file, fd) == fd && close(file) == 0, name);
}

/* Run bigshuf with these arguments, and read what it says. Its status, as in a shell. */
static int run(int argc, char **argv, const char *out)
{
    int status = 0, input = -1;
    pid_t feeder = -1, child;
    FILE *file;

    atomic_store(&seen->failed, false);
    lseek(STDIN_FILENO, 0, SEEK_SET);
    if (getenv("FAULT_PIPED"))
        input = feed(&feeder);
    child = fork();
    if (child == 0) {
        if (input >= 0)
            must(dup2(input, STDIN_FILENO) == STDIN_FILENO && close(input) == 0, "pipe");
        redirect(STDOUT_FILENO, out);
        redirect(STDERR_FILENO, SAID);
        exit(bigshuf_main(argc, argv));
    }
    if (input >= 0)
        close(input);
    must(child > 0 && waitpid(child, &status, 0) == child, "fork");
    if (feeder > 0)
        waitpid(feeder, NULL, 0);
    file = fopen(SAID, "r");
    must(file != NULL, SAID);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
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
        must(nftw(FOLDER, grow_old, 8, FTW_PHYS | FTW_DEPTH) == 0, FOLDER);
        if (run(count, words, "/dev/null") != 0) {
            fprintf(stderr, "%sthis was said later, after:\n", said);
            exit(1);
        }
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
    const bool failed = atomic_load(&seen->failed);

    if (!(status == KILLED && getenv("FAULT_KILLS"))) {
        if (status > 1)
            return "it neither succeeded nor failed";
        if (count_messages() != status)
            return status ? "it failed without just one message, as wanted" : "it said what is no warning";
        if (!status && failed && getenv("FAULT_NEEDED") && faulty_is_among(getenv("FAULT_NEEDED"), kind))
            return "it succeeded without what it needs";
        if (!same_file(OUT, RIGHT, status == 1))
            return "its output is wrong";
    }
    if (getenv("FAULT_LATER"))
        run_later();
    else if (strncmp(kind, "unlink", 6) == 0)
        nftw(FOLDER, remove_hidden, 8, FTW_PHYS | FTW_DEPTH);
    if (completed)
        must(nftw(FOLDER, give_name, 8, FTW_PHYS) == 0, FOLDER);
    if ((status && told) || same_tree(FOLDER, status && !completed ? WITHOUT : WITH) ||
        (status && getenv("FAULT_LATER") && same_tree(FOLDER, WITH)))
        return NULL;
    return difference;
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
    if (run(argc, argv, RIGHT) != 0) {
        fprintf(stderr, "without faults, it failed: %s", said);
        exit(1);
    }
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
        faulty.only = kind;
        faulty.at = turn;
        status = run(argc, argv, OUT);
        failed |= atomic_load(&seen->failed);
        fprintf(stderr, "%s, turn %u: status %d: %s\n", kind, turn, status, said);
        wrong = judge(kind, status);
        if (wrong) {
            fprintf(stderr, "this is wrong: %s\n", wrong);
            exit(1);
        }
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
        if (!sweep_kind(kind, argc, argv)) {
            fprintf(stderr, "no call of kind %s has failed\n", kind);
            exit(1);
        }
    }
    restore(BEFORE, FOLDER);
}

int main(int argc, char **argv)
{
    if (!getenv("FAULT_TURNS"))
        return bigshuf_main(argc, argv);
    sweep(argc, argv);
}
