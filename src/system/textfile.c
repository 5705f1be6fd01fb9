/*
 * Such a file is read until a read gives nothing, into a buffer that doubles: its size is 0 as far as stat knows. A
 * file that cannot be read whole, or is larger than any should be, is as good as none, so there is one way to fail.
 */

#include "system/textfile.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "system/io.h"
#include "system/sys.h"

enum { NAME_BYTES = 8192, ROOM_FIRST = 4096, ROOM_MAX = 4 << 20 };

static char *read_file(const char *name)
{
    size_t room = ROOM_FIRST, length = 0;
    char *text = sys_allocate(room, 1), *result = NULL;
    int fd = io_open(name, O_RDONLY, 0);
    ssize_t got;

    if (text == NULL || fd < 0)
        goto out;
    while ((got = io_read(fd, text + length, room - length - 1)) > 0) {
        length += (size_t)got;
        if (room - length == 1) {
            char *larger = room < ROOM_MAX ? realloc(text, room * 2) : NULL;

            if (larger == NULL)
                goto out;
            text = larger;
            room *= 2;
        }
    }
    if (got < 0)
        goto out;
    text[length] = '\0';
    result = text;
    text = NULL;
out:
    if (fd >= 0)
        (void)io_close(fd);
    free(text);
    return result;
}

char *textfile_read(const char *format, ...)
{
    char name[NAME_BYTES];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return length < 0 || length >= NAME_BYTES ? NULL : read_file(name);
}

bool textfile_number(const char *text, uint64_t *number)
{
    text += strspn(text, " \t");
    if (*text < '0' || *text > '9')
        return false;
    *number = strtoull(text, NULL, 10);
    return true;
}

bool textfile_number_of(const char *text, const char *key, uint64_t *number)
{
    size_t length = strlen(key);

    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && (line[length] == ' ' || line[length] == '\t'))
            return textfile_number(line + length, number);
    }
    return false;
}
