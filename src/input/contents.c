#include "input/contents.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "input/operand.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/sys.h"

/* What a pipe holds on Linux unless told otherwise: a read that gets as much has found it full, and the writer waiting.
 */
enum { PIPE_BYTES = 65536 };

static const char *name_of(const struct contents *contents)
{
    return contents->names[contents->file];
}

_Noreturn static void report(const struct contents *contents)
{
    fault_report(name_of(contents), errno);
}

static struct file_mark *mark_of(const struct contents *contents)
{
    return &contents->marks[contents->file];
}

/* The file is open: is it what it was when it was opened before, if it was? */
static void begin(struct contents *contents)
{
    const bool moved = operand_is_standard_input(name_of(contents));
    struct file_mark *mark = mark_of(contents);

    if (file_mark_open(mark, contents->fd) != 0)
        file_mark_report(name_of(contents));
    contents->at = moved && file_mark_is_known(mark) ? sys_seek(contents->fd, 0, SEEK_CUR) : 0;
    if (contents->at < 0)
        report(contents);
}

/* The file is open: start the program that it needs, if any. */
static void decompress(struct contents *contents)
{
    const off_t at = file_mark_is_known(mark_of(contents)) ? contents->at : -1;

    if (decompress_look(contents->fd, name_of(contents), at, &contents->beginning) != 0)
        report(contents);
    if (contents->beginning.packer == NULL)
        return;
    decompress_start(contents->decompress, contents->file, contents->fd, &contents->beginning);
    contents->decompressed = true;
    contents->fd = -1;
}

void contents_begin(struct contents *contents, size_t file)
{
    contents->open = true;
    contents->file = file;
    contents->at_end = false;
    contents->taken = 0;
    contents->decompressed = false;
    contents->beginning = (struct decompress_beginning){.bytes = 0};
    if (contents->decompress != NULL && decompress_is_ahead(contents->decompress, file)) {
        contents->decompressed = true;
        decompress_run_ahead(contents->decompress, file);
        return;
    }
    contents->fd = operand_open(name_of(contents), file_mark_is_known(mark_of(contents)));
    if (contents->fd < 0)
        report(contents);
    begin(contents);
    if (contents->decompress != NULL) {
        decompress(contents);
        decompress_run_ahead(contents->decompress, file);
    }
}

size_t contents_read(void *context, void *data, size_t bytes)
{
    struct contents *contents = context;
    const size_t seen = contents->beginning.bytes - contents->taken;
    ssize_t got;

    if (contents->decompressed)
        return decompress_read(contents->decompress, contents->file, data, bytes);
    if (seen > 0) { /* what was read to look at the file comes first */
        bytes = bytes < seen ? bytes : seen;
        memcpy(data, contents->beginning.data + contents->taken, bytes);
        contents->taken += bytes;
        return bytes;
    }
    bytes = (size_t)least(bytes, file_mark_left(mark_of(contents), contents->at));
    got = bytes > 0 ? io_read(contents->fd, data, bytes) : 0;
    if (got < 0)
        report(contents);
    contents->at += (off_t)got;
    contents->at_end = got == 0;
    if (got == PIPE_BYTES)
        sys_widen_pipe(contents->fd);
    return (size_t)got;
}

void contents_end(struct contents *contents)
{
    const struct file_mark *mark = mark_of(contents);
    const off_t end = contents->at_end && contents->at < mark->bytes ? contents->at : mark->bytes;

    if (!contents->decompressed && file_mark_check(mark, contents->fd, end) != 0)
        file_mark_report(name_of(contents));
    contents_close(contents);
}

void contents_close(struct contents *contents)
{
    operand_close(contents->fd);
    contents->fd = -1;
    contents->open = false;
}
