#include "input/operand.h"

#include <fcntl.h>
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
