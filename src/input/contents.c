#include "input/contents.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/least.h"
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

static struct version *past_of(const struct contents *contents)
{
    return &contents->past[contents->file];
}

static bool is_read_again(const struct contents *contents)
{
    return contents->file < contents->ended;
}

static bool is_same(const struct version *version, const struct stat *now)
{
    return !version_is_known(version) || (version_is_of(version, now) && !version_has_changed(version, now));
}

/* Is the file, which is open, what it was when it was looked at, or read? */
static int check_begin(struct contents *contents)
{
    const bool moved = operand_is_standard_input(name_of(contents));
    const struct version *past = past_of(contents);
    struct stat now;

    if (sys_fstat(contents->fd, &now) != 0)
        return report(contents);
    if (is_read_again(contents) ? !is_same(past, &now) : version_is_past(past, &now))
        return version_report(past, &now, name_of(contents), contents->fault);
    contents->version = version_of(&now);
    contents->at = moved && version_is_known(&contents->version) ? sys_seek(contents->fd, 0, SEEK_CUR) : 0;
    return contents->at < 0 ? report(contents) : 0;
}

/* It may have grown meanwhile. */
static int check_end(struct contents *contents)
{
    struct stat now;

    if (sys_fstat(contents->fd, &now) != 0)
        return report(contents);
    if (!is_same(&contents->version, &now))
        return version_report(&contents->version, &now, name_of(contents), contents->fault);
    if (contents->at_end && !is_read_again(contents)) {
        *past_of(contents) = version_of(&now);
        past_of(contents)->bytes = contents->at;
        contents->ended = contents->file + 1;
    }
    return 0;
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
    contents->decompressed = true;
    if (contents->beginning.bytes == 0)
        close_file(contents);
    return 0;
}

int contents_begin(struct contents *contents, size_t file)
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
        return 0;
    }
    contents->fd = operand_open(name_of(contents), version_is_known(past_of(contents)));
    if (contents->fd < 0)
        return report(contents);
    if (check_begin(contents) != 0)
        return -1;
    if (contents->decompress != NULL) {
        if (decompress(contents) != 0)
            return -1;
        decompress_run_ahead(contents->decompress, file);
    }
    return 0;
}

ssize_t contents_read(void *context, void *data, size_t bytes)
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
        return (ssize_t)bytes;
    }
    if (is_read_again(contents) && version_is_known(past_of(contents))) /* of what it has grown by, nothing */
        bytes = (size_t)least(bytes, (uint64_t)(past_of(contents)->bytes - contents->at));
    got = io_read(contents->fd, data, bytes);
    if (got < 0)
        return report(contents);
    contents->at += (off_t)got;
    contents->at_end = got == 0;
    if (got == PIPE_BYTES)
        sys_widen_pipe(contents->fd);
    return got;
}

int contents_end(struct contents *contents)
{
    if (contents->fd >= 0 && check_end(contents) != 0)
        return -1;
    contents_close(contents);
    return 0;
}

void contents_close(struct contents *contents)
{
    close_file(contents);
    contents->open = false;
}
