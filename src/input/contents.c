#include "input/contents.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "input/foreign.h"
#include "input/operand.h"
#include "record/tar.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/sys.h"

/* The room of a pipe on Linux by default: a read that gets all that has found it full, and its writer waiting. */
enum { PIPE_BYTES = 65536 };

void contents_open(struct contents *contents, const char *const *names, size_t count, const struct hints *hints)
{
    *contents = (struct contents){.names = names, .count = count, .hints = *hints, .fd = -1};
    contents->marks = fault_allocate(count + 1, sizeof *contents->marks);
    pthread_mutex_init(&contents->mutex, NULL);
    pthread_cond_init(&contents->fetched, NULL);
}

void contents_release(struct contents *contents)
{
    contents_close(contents);
    decompress_free(contents->decompress);
    pthread_cond_destroy(&contents->fetched);
    pthread_mutex_destroy(&contents->mutex);
    free(contents->marks);
}

static const char *name_of(const struct contents *contents)
{
    return contents->names[contents->file];
}

_Noreturn static void report_file(const struct contents *contents)
{
    operand_report(name_of(contents), errno, NULL);
}

static struct file_mark *mark_of(const struct contents *contents)
{
    return &contents->marks[contents->file];
}

/* ---- Looking ---- */

/* Is a file refused if it begins like a compressed one? Text hardly begins so. An archive has whole blocks (tail.c), or
 * is checked when it is read (archive.c). Other records may begin so by chance, but hardly in a file with such a name,
 * unless they have a fixed size and the file's size is a multiple of it. */
static bool is_refused_if_packed(const struct record_format *format, const char *name, uint64_t bytes)
{
    if (record_is(format, RECORD_TEXT))
        return bytes > 0; /* in /proc, it says nothing */
    if (record_is(format, RECORD_GROUP))
        return bytes % TAR_BLOCK_BYTES > 0;
    if (record_is(format, RECORD_FIXED) && bytes % format->count == 0)
        return false;
    return packer_of_name(name) != NULL;
}

/* End the run if the shell has emptied the file, as in `bigshuf FILE >FILE`, but not in `bigshuf FILE >>FILE`. */
static void check_emptied(const char *name, bool alone, const struct stat *status)
{
    struct stat output;

    if (status->st_size == 0 && sys_fstat(STDOUT_FILENO, &output) == 0 && io_same_file(status, &output) &&
        !sys_is_appended(STDOUT_FILENO))
        die("%s: is also the output, so the shell has emptied it; %s%s", fault_name(name),
            alone ? "write -o " : "give the output another name",
            !alone                            ? ""
            : operand_is_standard_input(name) ? "FILE"
                                              : name);
}

/* Look at the first bytes of the open file: of a regular file from offset `at` on, of others (`at` -1) the next bytes.
 * A file with the name of a compressed one, but shorter than any, has lost its rest. */
static void look_at_beginning(struct contents *contents, off_t at, struct decompress_beginning *beginning)
{
    const char *name = name_of(contents);

    if ((at >= 0 ? decompress_look(contents->fd, at, beginning)
                 : decompress_look_once(contents->decompress, contents->fd, beginning)) != 0)
        report_file(contents);
    if (contents->hints.decompresses && beginning->seen < PACKER_LOOK_BYTES && beginning->packer == NULL &&
        packer_of_name(name) != NULL)
        die("%s: too short for a compressed file; it may be cut off", fault_name(name));
}

/* The open regular file is read as it is, though others are decompressed: look at it now, before the work. */
static void look_as_it_is(struct contents *contents)
{
    uint8_t data[FOREIGN_LOOK_BYTES];
    struct iovec piece = {.iov_base = data, .iov_len = sizeof data};
    struct hints quiet = contents->hints;
    size_t seen;

    if (io_read_at(contents->fd, &piece, 1, contents->at, &seen) != 0 && errno != 0)
        report_file(contents);
    quiet.content_told = true; /* warnings come when it is read */
    hints_look(&quiet, false, name_of(contents), data, seen);
}

/* Should an open regular file, of `bytes` bytes from `at` on, be decompressed? Then there must be a program. */
static bool is_packed(struct contents *contents, uint64_t bytes)
{
    const char *name = name_of(contents);
    struct decompress_beginning beginning = {.bytes = 0};
    struct packer_command command;

    const struct hints *hints = &contents->hints;

    if (!hints->decompresses && !is_refused_if_packed(hints->format, name, bytes))
        return false;
    look_at_beginning(contents, contents->at, &beginning);
    if (beginning.packer == NULL && hints->decompresses)
        look_as_it_is(contents);
    if (beginning.packer == NULL)
        return false;
    if (!hints->decompresses)
        hints_refuse_packed(record_kind(hints->format), beginning.packer, name);
    packer_unpack(&command, beginning.packer);
    packer_check(&command, name);
    contents->packed++;
    return true;
}

bool contents_look(struct contents *contents, size_t file, uint64_t *bytes)
{
    const char *name = contents->names[file];
    const bool is_input = operand_is_standard_input(name);
    const int mode = is_input ? sys_access_mode(STDIN_FILENO) : O_RDONLY;
    struct file_mark *mark = &contents->marks[file];
    struct stat status;

    *bytes = 0;
    contents->file = file;
    if (mode < 0 || (is_input ? sys_fstat(STDIN_FILENO, &status) : io_look(name, &status)) != 0)
        report_file(contents);
    if (mode == O_WRONLY || S_ISDIR(status.st_mode))
        operand_report(name, mode == O_WRONLY ? EBADF : EISDIR, NULL);
    if (!S_ISREG(status.st_mode))
        return false;
    check_emptied(name, contents->count == 1, &status);
    for (size_t i = 0; i < file && is_input; i++)
        if (operand_is_standard_input(contents->names[i])) { /* it will have been read to its end */
            *mark = contents->marks[i];
            return true;
        }
    if (!is_input)
        mark->file = file_mark_of(&status).file; /* checked when it is opened */
    contents->fd = operand_open(name, true);
    if (contents->fd < 0 || file_mark_open(mark, contents->fd) != 0)
        file_mark_report(name);
    contents->at = is_input ? sys_seek(contents->fd, 0, SEEK_CUR) : 0;
    contents->start = is_input ? contents->at : contents->start;
    if (contents->at >= 0 && contents->at < mark->bytes)
        *bytes = (uint64_t)(mark->bytes - contents->at);
    return !is_packed(contents, *bytes) && mark->ends != 0;
}

void contents_decompress(struct contents *contents, struct decompress_limits limits)
{
    if (contents->packed < 2)
        limits.bytes = 0; /* no other file to be read ahead */
    contents->decompress = decompress_new(contents->names, contents->marks, contents->count, limits);
}

/* ---- Reading ---- */

void contents_begin(struct contents *contents, size_t file)
{
    struct file_mark *mark = &contents->marks[file];
    struct decompress *decompress = contents->decompress;
    bool known;

    contents->file = file;
    contents->at_end = false;
    contents->taken = 0;
    contents->beginning = (struct decompress_beginning){.bytes = 0};
    contents->decompressed = decompress != NULL && decompress_is_ahead(decompress, file);
    if (contents->decompressed) {
        decompress_run_ahead(decompress, file);
        return;
    }
    contents->fd = operand_open(name_of(contents), file_mark_is_known(mark));
    if (contents->fd < 0)
        report_file(contents);
    if (file_mark_open(mark, contents->fd) != 0)
        file_mark_report(name_of(contents));
    known = file_mark_is_known(mark);
    contents->at = known && operand_is_standard_input(name_of(contents)) ? sys_seek(contents->fd, 0, SEEK_CUR) : 0;
    if (contents->at < 0)
        report_file(contents);
    if (decompress == NULL)
        return;
    look_at_beginning(contents, known ? contents->at : -1, &contents->beginning);
    if (contents->beginning.packer != NULL) {
        decompress_start(decompress, file, contents->fd, &contents->beginning);
        contents->decompressed = true;
        contents->fd = -1;
    }
    decompress_run_ahead(decompress, file);
}

/* Take the next of the bytes that were read to look at the file. */
static size_t take_seen(struct contents *contents, void *data, size_t bytes)
{
    bytes = least_size(bytes, contents->beginning.bytes - contents->taken);
    if (bytes > 0)
        memcpy(data, contents->beginning.data + contents->taken, bytes);
    contents->taken += bytes;
    return bytes;
}

/* The bytes seen are delivered together with those after them, since hints look at the first piece only. */
size_t contents_read(void *context, void *data, size_t bytes)
{
    struct contents *contents = context;
    size_t seen;
    ssize_t got;

    if (contents->decompressed)
        return decompress_read(contents->decompress, contents->file, data, bytes);
    seen = take_seen(contents, data, bytes);
    bytes = (size_t)least(bytes - seen, file_mark_left(mark_of(contents), contents->at));
    got = bytes > 0 ? io_read(contents->fd, (uint8_t *)data + seen, bytes) : 0;
    if (got < 0)
        report_file(contents);
    contents->at += (off_t)got;
    contents->at_end = got == 0;
    if (got == PIPE_BYTES)
        sys_widen_pipe(contents->fd);
    return seen + (size_t)got;
}

/* The file must not have changed. */
static void read_range(const struct contents *contents, void *data, size_t bytes, off_t at)
{
    struct iovec piece = {.iov_base = data, .iov_len = bytes};
    size_t done;

    if (io_read_at(contents->fd, &piece, 1, at, &done) == 0)
        return;
    errno = errno != 0 ? errno : ESTALE;
    file_mark_report(name_of(contents));
}

size_t contents_claim(struct contents *contents, uint8_t *data, size_t bytes, struct absent *absent)
{
    const struct file_mark *mark = mark_of(contents);
    const bool looked_at = contents->taken < contents->beginning.bytes;

    if (contents->decompressed || mark->ends == 0 || looked_at || file_mark_left(mark, contents->at) <= bytes)
        return 0;
    contents->at += (off_t)bytes;
    if (sys_seek(contents->fd, contents->at, SEEK_SET) < 0)
        report_file(contents);
    pthread_mutex_lock(&contents->mutex);
    *absent = (struct absent){data, bytes, contents->at - (off_t)bytes, false, contents->absent};
    contents->absent = absent;
    pthread_mutex_unlock(&contents->mutex);
    return bytes;
}

/* Fetch bytes of the list; called with the mutex locked. */
static void fetch_listed(struct contents *contents, struct absent **listed)
{
    struct absent *absent = *listed;

    *listed = absent->next;
    contents->fetching++;
    pthread_mutex_unlock(&contents->mutex);
    read_range(contents, absent->data, absent->bytes, absent->at);
    pthread_mutex_lock(&contents->mutex);
    contents->fetching--;
    absent->fetched = true;
    pthread_cond_broadcast(&contents->fetched);
}

void contents_fetch(struct contents *contents, struct absent *absent)
{
    struct absent **listed = &contents->absent;

    pthread_mutex_lock(&contents->mutex);
    while (*listed != NULL && *listed != absent)
        listed = &(*listed)->next;
    if (*listed != NULL)
        fetch_listed(contents, listed);
    while (!absent->fetched)
        pthread_cond_wait(&contents->fetched, &contents->mutex);
    pthread_mutex_unlock(&contents->mutex);
    absent->data = NULL;
}

void contents_end(struct contents *contents)
{
    const struct file_mark *mark = mark_of(contents);
    const off_t end = contents->at_end && contents->at < mark->bytes ? contents->at : mark->bytes;

    pthread_mutex_lock(&contents->mutex);
    while (contents->absent != NULL)
        fetch_listed(contents, &contents->absent);
    while (contents->fetching > 0)
        pthread_cond_wait(&contents->fetched, &contents->mutex);
    pthread_mutex_unlock(&contents->mutex);
    if (!contents->decompressed && file_mark_check(mark, contents->fd, end) != 0)
        file_mark_report(name_of(contents));
    contents_close(contents);
}

void contents_close(struct contents *contents)
{
    operand_close(contents->fd);
    contents->fd = -1;
}

/* Keeps the file open until another one is wanted. */
void contents_read_at(struct contents *contents, size_t file, off_t at, void *data, size_t bytes)
{
    if (contents->fd < 0 || contents->file != file) {
        contents_close(contents);
        contents_begin(contents, file);
    }
    if (data == NULL) {
        sys_will_need(contents->fd, at, (off_t)bytes);
        return;
    }
    read_range(contents, data, bytes, at);
    if (file_mark_check(mark_of(contents), contents->fd, mark_of(contents)->bytes) != 0)
        file_mark_report(name_of(contents));
}

/* ---- Outputs ---- */

void contents_refuse(const char *name, const struct hints *hints)
{
    const off_t start = sys_seek(STDIN_FILENO, 0, SEEK_CUR);
    uint8_t *data = fault_allocate(HINTS_LOOK_BYTES, 1);
    struct contents contents;
    size_t bytes = 0, got = 1;
    bool unpacked;

    contents_open(&contents, &name, 1, hints);
    if (hints->decompresses)
        contents_decompress(&contents, (struct decompress_limits){.programs = 1});
    for (contents_begin(&contents, 0); got > 0 && bytes < HINTS_LOOK_BYTES; bytes += got)
        got = contents_read(&contents, data + bytes, HINTS_LOOK_BYTES - bytes);
    unpacked = contents.decompressed;
    contents_release(&contents);
    if (operand_is_standard_input(name) && sys_seek(STDIN_FILENO, start, SEEK_SET) < 0)
        die_errno(name, errno);
    hints_refuse(hints, unpacked, name, data, bytes);
    free(data);
}
