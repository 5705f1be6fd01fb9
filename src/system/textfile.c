/* A file that cannot be read whole, or is larger than any should be, is as good as none, so there is one way to fail.
 */

#include "system/textfile.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/io.h"

enum { NAME_BYTES = 8192, BYTES_MAX = 4 << 20 };

static char *read_file(const char *name)
{
    int fd = io_open(name, O_RDONLY, 0);
    size_t bytes;
    char *text;

    if (fd < 0)
        return NULL;
    text = io_read_whole(fd, BYTES_MAX, &bytes);
    (void)io_close(fd);
    return text;
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
