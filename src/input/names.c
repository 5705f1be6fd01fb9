#include "input/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input/operand.h"
#include "system/io.h"
#include "system/sys.h"

/* Names in data[0, bytes): as many as there are NUL bytes, and one more if something follows the last of them. */
static size_t count_names(const char *data, size_t bytes)
{
    size_t count = bytes > 0 && data[bytes - 1] != '\0';

    for (size_t i = 0; i < bytes; i++)
        count += data[i] == '\0';
    return count;
}

static int report_names(const char *from, uint64_t memory, struct fault *fault)
{
    if (errno != EFBIG)
        return fault_report(fault, from, errno);
    return fault_say(fault, "%s: its names take more than %llu MiB: use a larger -S", from,
                     (unsigned long long)memory >> 20);
}

/* A list of lines passes for a name with newlines, which is not there, and may be as long as the list. */
static int check_newlines(const char *from, size_t place, const char *name, struct fault *fault)
{
    enum { SHOWN = 60 };
    char cause[FAULT_CAUSE_BYTES];
    struct stat status;

    if (strchr(name, '\n') == NULL || operand_stat(name, &status) == 0)
        return 0;
    return fault_say(fault,
                     "%s:%zu: '%.*s%s': %s: names end with NUL, not with newlines: make the list with find -print0, or "
                     "tr '\\n' '\\0'",
                     from, place, SHOWN, name, strlen(name) > SHOWN ? "..." : "", fault_cause(errno, cause));
}

static int check_name(const char *from, size_t place, const char *name, struct fault *fault)
{
    if (operand_is_standard_input(from) && operand_is_standard_input(name))
        return fault_say(fault, "when reading file names from stdin, no file name of '-' allowed");
    if (name[0] == '\0')
        return fault_say(fault, "%s:%zu: invalid zero-length file name", from, place);
    return check_newlines(from, place, name, fault);
}

int names_read(const char *from, uint64_t *memory, const char ***names, size_t *count, char **data, struct fault *fault)
{
    const char **found = NULL;
    char *text = NULL, *name;
    size_t bytes, found_count;
    int result = -1, fd = operand_open(from, false);

    *names = NULL;
    *data = NULL;
    *count = 0;
    if (fd < 0 || (text = io_read_whole(fd, *memory, &bytes)) == NULL) {
        report_names(from, *memory, fault);
        goto out;
    }
    found_count = count_names(text, bytes);
    if (found_count > (*memory - bytes) / NAMES_ENTRY_BYTES) {
        errno = EFBIG;
        report_names(from, *memory, fault);
        goto out;
    }
    if (found_count == 0) {
        fault_say(fault, "no input from '%s'", from);
        goto out;
    }
    found = sys_allocate(found_count, sizeof *found);
    if (found == NULL) {
        fault_report(fault, from, errno);
        goto out;
    }
    name = text;
    for (size_t i = 0; i < found_count; i++, name += strlen(name) + 1) {
        if (check_name(from, i + 1, name, fault) != 0)
            goto out;
        found[i] = name;
    }
    *names = found;
    *data = text;
    *count = found_count;
    *memory = bytes + found_count * NAMES_ENTRY_BYTES;
    found = NULL;
    text = NULL;
    result = 0;
out:
    free(found);
    free(text);
    operand_close(fd);
    return result;
}
