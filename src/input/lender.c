/* All files are mapped at once, and lent one after another. Whether a file is still what it was is asked when it is
 * begun, when an access to it fails, and when all have been read. All stay open for that, since another file may have
 * got the name of one that was modified, or none. If there are too many for that, they are read. */

#include "input/lender.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "input/operand.h"
#include "system/fault.h"
#include "system/sys.h"

/* When the system gives a page, it may give those around it, too, up to this far. They would come back if they were
 * forgotten. */
static const size_t NEAR_BYTES = (size_t)2 << 20;

/* The files take no more than this part of the descriptors that are left. */
enum { DESCRIPTORS_SHARE = 4, FILES_MAX = 1 << 20 };

static off_t end_of(const struct mapped_file *file)
{
    return file->offset + (off_t)file->bytes;
}

_Noreturn static void report(const struct lender *lender, size_t i)
{
    file_mark_report(lender->names[i]);
}

/* A file must still be what it was. What else may have its name now does not matter. */
static void check(const struct lender *lender, size_t i)
{
    const struct file_mark *mark = &lender->marks[i];

    if (file_mark_check(mark, lender->mapping.file[i].fd, mark->bytes) != 0)
        report(lender, i);
}

/* Somebody has looked at an address in vain. */
static void report_access(void *context, const uint8_t *address)
{
    const struct lender *lender = context;
    const size_t i = mapping_find(&lender->mapping, address);

    check(lender, i);
    fault_report(lender->names[i], EIO);
}

static int map(struct lender *lender, size_t i, off_t start)
{
    struct mapping *mapping = &lender->mapping;
    const char *name = lender->names[i];
    const struct file_mark *mark = &lender->marks[i];
    const int fd = operand_open(name, true);

    if (fd < 0)
        return -1;
    if (file_mark_check(mark, fd, mark->bytes) != 0 ||
        mapping_add(mapping, fd, operand_is_standard_input(name) ? start : 0, mark->bytes) != 0) {
        operand_close(fd);
        return -1;
    }
    mapping->file[i].fd = fd;
    return 0;
}

static void release(struct lender *lender)
{
    for (size_t i = 0; i < lender->mapping.files; i++)
        operand_close(lender->mapping.file[i].fd);
    mapping_release(&lender->mapping);
}

int lender_open(struct lender *lender, const char *const *names, const struct file_mark *marks, size_t count,
                off_t start, uint64_t room)
{
    int status;

    *lender = (struct lender){.names = names, .marks = marks};
    if (count > FILES_MAX || sys_free_descriptors((unsigned)count * DESCRIPTORS_SHARE) / DESCRIPTORS_SHARE < count)
        return -1;
    status = mapping_reserve(&lender->mapping, count, room);
    for (size_t i = 0; i < count && status == 0; i++)
        status = map(lender, i, start);
    if (status != 0) {
        release(lender);
        return -1;
    }
    lender->guard = (struct signals_guard){
        .memory = lender->mapping.base, .bytes = lender->mapping.bytes, .failed = report_access, .context = lender};
    signals_guard(&lender->guard);
    lender_restart(lender);
    return 0;
}

void lender_close(struct lender *lender)
{
    if (lender->mapping.base != NULL)
        signals_guard(NULL);
    release(lender);
}

void lender_restart(struct lender *lender)
{
    lender->at = lender->last = NULL;
    lender->forgotten = lender->mapping.base;
}

void lender_begin(struct lender *lender, size_t i, int fd, size_t beyond)
{
    const char *name = lender->names[i];
    const struct mapped_file *file = &lender->mapping.file[i];
    const off_t end = end_of(file);
    const off_t position = sys_seek(fd, 0, SEEK_CUR);
    off_t from = position - (off_t)beyond;

    if (position < 0)
        report(lender, i);
    errno = ESTALE;
    if ((position > end && beyond > 0) || mapping_complete(file, fd) != 0) /* it was empty, and has a header by now */
        report(lender, i);
    if (operand_is_standard_input(name) && position < end && sys_seek(fd, end, SEEK_SET) < 0)
        fault_report(name, errno);
    if (from > end) /* standard input, for the second time */
        from = end;
    lender->at = file->place + (from - file->offset);
    lender->last = file->place + file->bytes;
}

size_t lender_next(const struct lender *lender, size_t bytes)
{
    const size_t left = (size_t)(lender->last - lender->at);
    size_t over;

    if (bytes >= left)
        return left;
    over = ((size_t)(lender->at - lender->mapping.base) + bytes) % sys_page_bytes();
    return over < bytes ? bytes - over : bytes;
}

void lender_append(struct lender *lender, const uint8_t *data, size_t bytes)
{
    if (bytes > 0)
        memcpy(lender->last, data, bytes);
    lender->last += bytes;
}

void lender_forget(struct lender *lender, const uint8_t *end)
{
    const size_t bytes = (size_t)(end - lender->forgotten);

    if (bytes < 2 * NEAR_BYTES)
        return;
    mapping_forget(lender->forgotten, bytes - NEAR_BYTES);
    lender->forgotten += (bytes - NEAR_BYTES) / sys_page_bytes() * sys_page_bytes();
}

void lender_check(const struct lender *lender)
{
    for (size_t i = 0; i < lender->mapping.files; i++)
        check(lender, i);
}
