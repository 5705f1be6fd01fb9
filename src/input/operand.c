/* Names of a list are checked as they are read, so that a list that never ends (a device, a pipe) fails before it fills
 * memory: by an empty name, one without an end, or what all of them take. */

#include "input/operand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/fault.h"
#include "system/io.h"
#include "system/sys.h"

bool operand_is_standard_input(const char *name)
{
    return strcmp(name, "-") == 0;
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

/* Nothing was written, so what close says does not matter. */
void operand_close(int fd)
{
    if (fd > STDIN_FILENO)
        (void)io_close(fd);
}

bool operand_is_forgotten(const char *const *names, size_t count)
{
    struct stat input, null;

    return count == 1 && operand_is_standard_input(names[0]) && sys_fstat(STDIN_FILENO, &input) == 0 &&
           sys_stat("/dev/null", &null) == 0 && S_ISCHR(input.st_mode) && input.st_rdev == null.st_rdev;
}

int operand_stat(const char *name, struct stat *status)
{
    return operand_is_standard_input(name) ? sys_fstat(STDIN_FILENO, status) : sys_stat(name, status);
}

/* ---- Lists ---- */

/* No system opens a longer name (PATH_MAX of Linux); most of a list is read at once. */
enum { NAME_BYTES_MAX = 4096, LIST_BYTES_FIRST = 1 << 16 };

/* A list as far as it has been read. */
struct list {
    const char *from;
    uint64_t memory; /* that it may take */
    char *data;
    size_t bytes, room;
    size_t count; /* of names that were checked */
    size_t begin; /* of the next one */
};

/* A list of lines passes for a name with newlines, which is not there, and may be as long as the list. */
static void check_file(const struct list *list, const char *name)
{
    enum { SHOWN = 60 };
    char cause[FAULT_CAUSE_BYTES];
    struct stat status;

    if (strlen(name) >= NAME_BYTES_MAX)
        errno = ENAMETOOLONG;
    else if (strchr(name, '\n') == NULL || operand_stat(name, &status) == 0)
        return;
    fault_say("%s:%zu: '%.*s%s': %s: names end with NUL, not with newlines: make the list with find -print0, or "
              "tr '\\n' '\\0'",
              list->from, list->count, SHOWN, name, strlen(name) > SHOWN ? "..." : "", fault_cause(errno, cause));
}

static void check_name(const struct list *list, const char *name)
{
    if (operand_is_standard_input(list->from) && operand_is_standard_input(name))
        fault_say("when reading file names from stdin, no file name of '-' allowed");
    if (name[0] == '\0')
        fault_say("%s:%zu: invalid zero-length file name", list->from, list->count);
    check_file(list, name);
}

/* Check the names that have ended, and one that has not if it is too long, or the list `at_end`. */
static void check_names(struct list *list, bool at_end)
{
    list->data[list->bytes] = '\0';
    while (list->begin < list->bytes) {
        const char *name = list->data + list->begin;
        const size_t length = strlen(name), left = list->bytes - list->begin;

        if (length == left && length < NAME_BYTES_MAX && !at_end)
            break;
        list->count++;
        check_name(list, name);
        list->begin += length < left ? length + 1 : left;
    }
    if (list->bytes > list->memory || list->count > (list->memory - list->bytes) / OPERAND_ENTRY_BYTES)
        fault_say("%s: its names take more than %llu MiB: use a larger -S", list->from,
                  (unsigned long long)list->memory >> 20);
}

/* Have room for more, and for a NUL byte behind it. 0, or -1 with errno. */
static int widen(struct list *list)
{
    char *data;

    if (list->room > list->bytes + 1)
        return 0;
    list->room = list->room > 0 ? 2 * list->room : LIST_BYTES_FIRST;
    data = sys_allocate(list->room, 1);
    if (data == NULL)
        return -1;
    if (list->bytes > 0)
        memcpy(data, list->data, list->bytes);
    free(list->data);
    list->data = data;
    return 0;
}

static void read_list(struct list *list, int fd)
{
    ssize_t got;

    do {
        got = widen(list) == 0 ? io_read(fd, list->data + list->bytes, list->room - list->bytes - 1) : -1;
        if (got < 0)
            fault_report(list->from, errno);
        list->bytes += (size_t)got;
        check_names(list, got == 0);
    } while (got > 0);
    if (list->count == 0)
        fault_say("no input from '%s'", list->from);
}

void operand_list(const char *from, uint64_t *memory, const char ***names, size_t *count, char **data)
{
    struct list list = {.from = from, .memory = *memory};
    const int fd = operand_open(from, false);
    const char *name;

    if (fd < 0)
        fault_report(from, errno);
    read_list(&list, fd);
    operand_close(fd);
    *names = sys_allocate(list.count, sizeof **names);
    if (*names == NULL)
        fault_report(from, errno);
    name = list.data;
    for (*count = 0; *count < list.count; name += strlen(name) + 1)
        (*names)[(*count)++] = name;
    *data = list.data;
    *memory = list.bytes + list.count * OPERAND_ENTRY_BYTES;
}
