#include "input/operand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/tunable.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/sys.h"

bool operand_is_standard_input(const char *name)
{
    return strcmp(name, "-") == 0 || strcmp(name, "/dev/stdin") == 0 || strcmp(name, "/dev/fd/0") == 0 ||
           strcmp(name, "/proc/self/fd/0") == 0;
}

int operand_open(const char *name, bool regular)
{
    const int flags = O_RDONLY | O_NOCTTY | (regular ? O_NONBLOCK : 0);
    const int fd = operand_is_standard_input(name) ? STDIN_FILENO : io_open(name, flags, 0);

    if (fd == STDIN_FILENO && sys_is_terminal(fd))
        fault_note("standard input: waiting for input from the terminal: Ctrl-D ends it");
    if (fd >= 0)
        sys_sequential(fd);
    return fd;
}

/* Nothing was written, so a failure of close does not matter. */
void operand_close(int fd)
{
    if (fd != STDIN_FILENO)
        io_drop(fd);
}

const char *operand_forgotten(const char *const *names, size_t count)
{
    struct stat input, null;

    if (count != 1 || !operand_is_standard_input(names[0]))
        return NULL;
    if (sys_is_terminal(STDIN_FILENO))
        return "a terminal";
    return sys_fstat(STDIN_FILENO, &input) == 0 && sys_stat("/dev/null", &null) == 0 && S_ISCHR(input.st_mode) &&
                   input.st_rdev == null.st_rdev
               ? "/dev/null"
               : NULL;
}

int operand_stat(const char *name, struct stat *status)
{
    return operand_is_standard_input(name) ? sys_fstat(STDIN_FILENO, status) : sys_stat(name, status);
}

/* ---- Messages ---- */

/* A guess what a missing name means, or NULL. By the first row that fits: the name begins with a string, contains one,
 * or consists of certain letters. */
static const char *advise_missing(const char *name)
{
    static const struct {
        const char *begins, *has, *letters, *advice;
    } rows[] = {
        {.begins = "-", .advice = "options must come before --, or with POSIXLY_CORRECT before all files"},
        {.begins = "\xe2\x80\x93", .advice = "this is no hyphen, with which options begin, but a dash"},
        {.begins = "\xe2\x80\x94", .advice = "this is no hyphen, with which options begin, but a dash"},
        {.begins = "backslash", .advice = "write --csv=backslash"},
        {.begins = "~/", .advice = "the shell replaces ~ only if it is not quoted"},
        {.letters = "0123456789", .advice = "a number belongs to an option, as in --unique=1 or -n 1"},
        {.has = "://", .advice = "bigshuf reads files, not URLs; write COMMAND | bigshuf"},
        {.has = "*", .advice = "no file's name is like that, or it is quoted"},
        {.has = ",", .advice = "write a blank between two FILEs, not a comma"},
    };

    uint64_t number;
    const char *rest = number_digits(name, &number);

    if (rest != NULL && *rest == '-' && number_parse(rest + 1, &number) == 0)
        return "write -i LO-HI to shuffle numbers";
    for (size_t i = 0; name[0] != '\0' && i < sizeof rows / sizeof rows[0]; i++)
        if ((rows[i].begins == NULL || strncmp(name, rows[i].begins, strlen(rows[i].begins)) == 0) &&
            (rows[i].has == NULL || strstr(name, rows[i].has) != NULL) &&
            (rows[i].letters == NULL || name[strspn(name, rows[i].letters)] == '\0'))
            return rows[i].advice;
    return NULL;
}

void operand_report(const char *name, int error, const char *advice)
{
    static const char format[] = "%s/format";
    char *inner = fault_allocate(strlen(name) + sizeof format, 1);
    struct stat status;

    if (error == ENOENT)
        die_advising(name, error, advise_missing(name) != NULL ? advise_missing(name) : advice);
    if (error != EISDIR || operand_is_standard_input(name))
        die_errno(name, error);
    snprintf(inner, strlen(name) + sizeof format, format, name);
    die_advising(name, error,
                 sys_stat(inner, &status) == 0 ? "a store is read with --gather=DIR" : "name the files in it");
}

/* ---- Lists ---- */

/* No system opens a longer name (PATH_MAX of Linux). Room for a list begins with LIST_BYTES_FIRST. */
enum { NAME_BYTES_MAX = 4096 };
TUNABLE(LIST_BYTES_FIRST, 1 << 16, 1, 1 << 16);

/* A list of lines looks like one name with newlines, of a missing file, and perhaps too long for a name. */
static void check_file(const char *from, size_t number, const char *name)
{
    enum { SHOWN = 60 };
    struct stat status;

    if (strlen(name) >= NAME_BYTES_MAX)
        errno = ENAMETOOLONG;
    else if (strchr(name, '\n') == NULL || operand_stat(name, &status) == 0)
        return;
    die("%s:%zu: '%.*s%s': %s: names must end with NUL, not newline; make the list with find -print0, or "
        "tr '\\n' '\\0'",
        from, number, SHOWN, name, strlen(name) > SHOWN ? "..." : "", fault_cause(errno));
}

/* Check the names in a list that is followed by NUL. Returns their number. */
static size_t check_names(const char *from, const char *data, size_t bytes)
{
    size_t number = 0;

    for (const char *name = data; name < data + bytes; name += strlen(name) + 1) {
        number++;
        if (operand_is_standard_input(from) && operand_is_standard_input(name))
            die("when reading file names from stdin, no file name of '-' allowed");
        if (name[0] == '\0')
            die("%s:%zu: invalid zero-length file name", from, number);
        check_file(from, number, name);
    }
    return number;
}

/* Is the first name invalid? Then reading on is useless: the list may be a device or a pipe without an end. */
static bool is_hopeless(const char *data, size_t bytes)
{
    return bytes >= NAME_BYTES_MAX && (data[0] == '\0' || memchr(data, '\0', NAME_BYTES_MAX) == NULL);
}

/* Read a list, until it ends or `most` bytes have come, with NUL after it. The caller frees it. */
static char *read_list(const char *from, int fd, uint64_t most, size_t *bytes)
{
    size_t room = LIST_BYTES_FIRST;
    char *data = fault_allocate(room, 1);
    ssize_t got = 1;

    for (*bytes = 0; got > 0 && *bytes < most && !is_hopeless(data, *bytes); *bytes += (size_t)got) {
        if (*bytes + 1 == room)
            data = fault_reallocate(data, room *= 2, 1);
        got = io_read(fd, data + *bytes, room - *bytes - 1);
        if (got < 0)
            die_errno(from, errno);
    }
    data[*bytes] = '\0';
    return data;
}

void operand_list(const char *from, uint64_t most, const char ***names, size_t *count, char **data)
{
    const int fd = operand_open(from, false);
    size_t bytes;
    const char *name;

    if (fd < 0)
        die_errno(from, errno);
    *data = read_list(from, fd, most, &bytes);
    operand_close(fd);
    *count = check_names(from, *data, bytes);
    if (*count == 0)
        die("%s: there are no file names in it", from);
    if (bytes >= most || *count > (most - bytes) / OPERAND_ENTRY_BYTES)
        die("%s: its names take more than %llu MiB; use a larger -S", from, (unsigned long long)most >> 20);
    *names = fault_allocate(*count, sizeof **names);
    name = *data;
    for (size_t i = 0; i < *count; name += strlen(name) + 1)
        (*names)[i++] = name;
}
