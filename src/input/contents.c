#include "input/contents.h"

#include <errno.h>
#include <string.h>

#include "input/operand.h"
#include "system/io.h"
#include "system/sys.h"

/* What a pipe holds on Linux unless told otherwise: a read that gets as much has found it full, and the writer waiting.
 */
enum { PIPE_BYTES = 65536 };

static const char *name_of(const struct contents *contents)
{
    return contents->names[contents->file];
}

static int report(const struct contents *contents)
{
    return fault_report(contents->fault, name_of(contents), errno);
}

/* Is the file, which is open, what it was when it was first begun? */
static int check(const struct contents *contents)
{
    struct version *version = &contents->versions[contents->file];
    struct stat now;

    if (sys_fstat(contents->fd, &now) != 0)
        return report(contents);
    if (!version->known)
        *version = version_of(&now);
    if (!version->known || (version_is_of(version, &now) && !version_has_changed(version, &now)))
        return 0;
    return version_report(version, &now, name_of(contents), contents->fault);
}

static void close_file(struct contents *contents)
{
    operand_close(contents->fd);
    contents->fd = -1;
}

/* The file is open: start the program that it needs, if any. */
static int decompress(struct contents *contents)
{
    if (decompress_look(contents->fd, name_of(contents), &contents->beginning) != 0)
        return report(contents);
    if (contents->beginning.packer == NULL)
        return 0;
    if (decompress_start(contents->decompress, contents->file, contents->fd, &contents->beginning) != 0)
        return -1;
    if (contents->beginning.bytes == 0)
        close_file(contents);
    return 0;
}

int contents_begin(struct contents *contents, size_t file)
{
    contents->open = true;
    contents->file = file;
    contents->taken = 0;
    contents->beginning = (struct decompress_beginning){.bytes = 0};
    if (contents->decompress != NULL && decompress_is_ahead(contents->decompress, file)) {
        decompress_run_ahead(contents->decompress, file);
        return 0;
    }
    contents->fd = operand_open(name_of(contents));
    if (contents->fd < 0)
        return report(contents);
    if (check(contents) != 0)
        return -1;
    if (contents->decompress != NULL) {
        if (decompress(contents) != 0)
            return -1;
        decompress_run_ahead(contents->decompress, file);
    }
    return 0;
}

/* Was there a program? Else what was read to look at the file comes first. */
static bool is_decompressed(const struct contents *contents)
{
    return contents->fd < 0 || contents->beginning.packer != NULL;
}

ssize_t contents_read(void *context, void *data, size_t bytes)
{
    struct contents *contents = context;
    const size_t seen = contents->beginning.bytes - contents->taken;
    ssize_t got;

    if (is_decompressed(contents))
        return decompress_read(contents->decompress, contents->file, data, bytes);
    if (seen > 0) {
        bytes = bytes < seen ? bytes : seen;
        memcpy(data, contents->beginning.data + contents->taken, bytes);
        contents->taken += bytes;
        return (ssize_t)bytes;
    }
    got = io_read(contents->fd, data, bytes);
    if (got < 0)
        return report(contents);
    if (got == PIPE_BYTES)
        sys_widen_pipe(contents->fd);
    return got;
}

int contents_end(struct contents *contents)
{
    if (contents->fd >= 0 && check(contents) != 0)
        return -1;
    contents_close(contents);
    return 0;
}

void contents_close(struct contents *contents)
{
    close_file(contents);
    contents->open = false;
}
