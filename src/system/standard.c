#include "system/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "system/fault.h"
#include "system/io.h"
#include "system/sys.h"

_Noreturn static void fail(int error)
{
    die_errno("write error", error);
}

void standard_open(void)
{
    const int mode = sys_access_mode(STDOUT_FILENO);

    if (mode < 0 || mode == O_RDONLY)
        fail(mode < 0 ? errno : EBADF);
}

void standard_write(const void *data, size_t bytes)
{
    if (io_write(STDOUT_FILENO, data, bytes) != 0)
        fail(errno);
}

void standard_print(const char *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    standard_write(line, strlen(line));
}

void standard_close(void)
{
    if (io_close(STDOUT_FILENO) != 0)
        fail(errno);
}
