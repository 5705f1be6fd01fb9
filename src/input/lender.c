/* All files are mapped at once, and lent one after another. Whether a file is still what it was then is asked when it
 * is begun, when an access to it fails, and when all have been read. The first ones stay open for that, since another
 * file may have got the name of one that was modified; there may be more files than descriptors. */

#include "input/lender.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/least.h"
#include "input/operand.h"
#include "system/sys.h"

/* When the system gives a page, it may give those around it, too, up to this far. They would come back if they were
 * forgotten. */
static const size_t NEAR_BYTES = (size_t)2 << 20;

/* From one place where is_cached looks to the next. */
static const size_t LOOK_BYTES = (size_t)16 << 20;

/* So many files stay open at most, and take no more than this part of the descriptors that are left. */
enum { FILES_OPEN_MAX = 64, DESCRIPTORS_SHARE = 8 };

static off_t end_of(const struct mapped_file *file)
{
    return file->offset + (off_t)file->bytes;
}

static int report_difference(const struct lender *lender, size_t i, const struct stat *now)
{
    return version_report(&lender->mapping.file[i].version, now, lender->names[i], lender->fault);
}

/* Is a file still what it was? What else may have its name now does not matter. */
static int check(const struct lender *lender, size_t i)
{
    const struct mapped_file *file = &lender->mapping.file[i];
    struct stat now;
    const int status = file->fd >= 0 ? sys_fstat(file->fd, &now) : sys_stat(lender->names[i], &now);

    if (status != 0 || !version_has_changed(&file->version, &now))
        return 0;
    return report_difference(lender, i, &now);
}

/* Somebody has looked at an address in vain. */
static void report_access(void *context, const uint8_t *address)
{
    const struct lender *lender = context;
    const size_t i = mapping_find(&lender->mapping, address);

    if (check(lender, i) == 0)
        fault_report(lender->fault, lender->names[i], EIO);
}

/* Is a file in memory, as far as a look at a byte here and there tells? File systems in memory do not answer that. */
static bool is_cached(const struct mapped_file *file, int fd)
{
    size_t at = (file->bytes < LOOK_BYTES ? file->bytes : LOOK_BYTES) / 2;

    while (at < file->bytes && sys_is_cached(fd, file->offset + (off_t)at))
        at += LOOK_BYTES;
    return at >= file->bytes || sys_is_memory_file_system(fd);
}

static int map(struct lender *lender, const char *name, off_t start, bool stays_open)
{
    struct mapping *mapping = &lender->mapping;
    const int fd = operand_open(name, true);
    struct mapped_file *file;

    if (fd < 0)
        return -1;
    if (mapping_add(mapping, fd, operand_is_standard_input(name) ? start : 0) != 0) {
        operand_close(fd);
        return -1;
    }
    file = &mapping->file[mapping->files - 1];
    lender->cached = lender->cached && is_cached(file, fd);
    if (stays_open || operand_is_standard_input(name))
        file->fd = fd;
    else
        operand_close(fd);
    return 0;
}

static void release(struct lender *lender)
{
    for (size_t i = 0; i < lender->mapping.files; i++)
        operand_close(lender->mapping.file[i].fd);
    mapping_release(&lender->mapping);
}

int lender_open(struct lender *lender, const char *const *names, size_t count, off_t start, uint64_t room,
                struct fault *fault)
{
    const size_t open =
        least_size(FILES_OPEN_MAX, sys_free_descriptors(FILES_OPEN_MAX * DESCRIPTORS_SHARE) / DESCRIPTORS_SHARE);
    int status;

    *lender = (struct lender){.names = names, .fault = fault, .cached = true};
    status = mapping_reserve(&lender->mapping, count, room);
    for (size_t i = 0; i < count && status == 0; i++)
        status = map(lender, names[i], start, i < open);
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

int lender_begin(struct lender *lender, size_t i, int fd, size_t beyond)
{
    const char *name = lender->names[i];
    const struct mapped_file *file = &lender->mapping.file[i];
    const off_t end = end_of(file);
    const off_t position = sys_seek(fd, 0, SEEK_CUR);
    off_t from = position - (off_t)beyond;
    struct stat now;

    if (position < 0 || sys_fstat(fd, &now) != 0)
        return fault_report(lender->fault, name, errno);
    if (!version_is_of(&file->version, &now) || version_has_changed(&file->version, &now) ||
        (position > end && beyond > 0)) /* the header was read in a file that had just grown */
        return report_difference(lender, i, &now);
    if (mapping_complete(file, fd) != 0)
        return errno == 0 ? version_report_shrunk(name, lender->fault) : fault_report(lender->fault, name, errno);
    if (operand_is_standard_input(name) && position < end && sys_seek(fd, end, SEEK_SET) < 0)
        return fault_report(lender->fault, name, errno);
    if (from > end) /* standard input, for the second time */
        from = end;
    lender->at = file->place + (from - file->offset);
    lender->last = file->place + file->bytes;
    return 0;
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

/* A file's own pages come back when somebody looks at them, so those that are only partly given back go, too. Not the
 * last one: what is in it, with what has been put behind, is written nowhere else. */
void lender_put_aside(const struct lender *lender, const uint8_t *from, const uint8_t *end, bool ends)
{
    const struct mapped_file *file = &lender->mapping.file[mapping_find(&lender->mapping, from)];
    const uint8_t *base = lender->mapping.base;
    const size_t page = sys_page_bytes(), first = (size_t)(from - base) / page;
    const size_t last_page = (size_t)(file->place + file->bytes - base) / page;
    const bool has_all_of_last = ends && (from <= base + last_page * page || from == file->place);
    size_t last = (size_t)(end - base + (ptrdiff_t)page - 1) / page;

    if (last > last_page && !has_all_of_last)
        last = last_page;
    if (last > first)
        mapping_forget(lender->mapping.base + first * page, (last - first) * page);
}

int lender_check(const struct lender *lender)
{
    for (size_t i = 0; i < lender->mapping.files; i++)
        if (check(lender, i) != 0)
            return -1;
    return 0;
}
