/*
 * A file's beginning may be taken off (header.c) and something added at its end (tail.c): both leave bytes that are
 * delivered before anything else is read, so that neither depends on the sizes of the reader's buffers. All that was
 * read is shown to the tail, which knows what is wrong with a record, and at a file's end what the last one lacks.
 */

#include "input/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "input/contents.h"
#include "input/hints.h"
#include "input/operand.h"
#include "record/header.h"
#include "record/tail.h"
#include "record/tar_headers.h"
#include "system/fault.h"
#include "system/io.h"
#include "system/sys.h"

struct stream {
    const char *const *names;
    size_t count, next;       /* the file being read is the one before `next` */
    uint64_t known_bytes;     /* of regular files, as they were looked at, */
    uint64_t header_bytes;    /* and of their headers, which are not among these */
    bool known;               /* are all regular? */
    bool seen;                /* were the beginnings of all so far looked at? */
    size_t packed;            /* regular files that are compressed, and to be decompressed */
    off_t start;              /* of standard input, if it is a regular file */
    uint64_t *end;            /* of each file that has been read, in the stream */
    counter read;             /* bytes of the stream */
    struct contents contents; /* of the file being read */
    struct stream_layout layout;
    struct header header;
    struct tail tail;
    struct hints hints;
    bool seen_beginning; /* of the file being read: were the hints shown it? */
    const uint8_t *rest; /* to be delivered before anything is read */
    size_t rest_bytes;
    struct lender lender;    /* of all files, if they are lent; of the one that is lent: */
    const uint8_t *followed; /* the next byte that the tail is to see */
};

/* A regular file of this size must be what it should be. Returns how many of the bytes are not of its header. */
static uint64_t records_bytes(struct stream *stream, const char *name, uint64_t bytes)
{
    const struct header *header = &stream->header;
    const uint64_t header_bytes = least(bytes, header->own_bytes);

    stream->header_bytes += header_bytes;
    tail_check_size(&stream->tail, name, bytes > header->rule.bytes ? bytes - header->rule.bytes : 0);
    return bytes - header_bytes;
}

/* Nothing is known of what comes from a file. */
static void expect_anything(struct stream *stream)
{
    stream->known = false;
    stream->seen = false;
}

/* Is a file refused if it begins like a compressed one? Text hardly begins so. An archive has whole blocks (tail.c), or
 * is looked at when it is read (archive.c). Other records may begin so by chance, but hardly in a file of such a name;
 * if they have one size, and the file a multiple of it, who knows. */
static bool is_refused_if_packed(const struct record_format *format, const char *name, uint64_t bytes)
{
    if (record_is(format, RECORD_TEXT))
        return bytes > 0; /* of those in /proc, nobody knows */
    if (record_is(format, RECORD_MEMBER))
        return bytes % TAR_BLOCK_BYTES > 0;
    if (record_is(format, RECORD_FIXED) && bytes % record_size(format) == 0)
        return false;
    return packer_of_name(name) != NULL;
}

/* The shell must not have emptied a regular file, as it does in `bigshuf FILE >FILE`, but not in
 * `bigshuf FILE >>FILE`. */
static void check_emptied(const char *name, const struct stat *status)
{
    struct stat output;

    if (status->st_size == 0 && sys_fstat(STDOUT_FILENO, &output) == 0 && io_same_file(status, &output) &&
        !sys_is_appended(STDOUT_FILENO))
        fault_say("%s: is also the output, and the shell has emptied it: use -o %s", fault_name(name),
                  operand_is_standard_input(name) ? "FILE" : name);
}

/* Is a regular file, which is open and has so many bytes from `at` on, compressed, and to be decompressed? That
 * must be possible then. */
static bool look_for_packer(struct stream *stream, const char *name, int fd, off_t at, uint64_t bytes)
{
    const bool decompresses = stream->layout.decompress.programs > 0;
    const struct record_format *format = &stream->layout.format;
    struct decompress_beginning beginning = {.bytes = 0};

    if (!decompresses && !is_refused_if_packed(format, name, bytes))
        return false;
    if (decompress_look(fd, name, at, &beginning) != 0)
        fault_report(name, errno);
    if (beginning.packer == NULL && decompresses)
        hints_look_at_name(&stream->hints, name);
    if (beginning.packer == NULL || (beginning.named && !decompresses))
        return false;
    if (!decompresses)
        hints_refuse_packed(record_kind(format), beginning.packer, name);
    expect_anything(stream);
    stream->packed++;
    decompress_check(beginning.packer, name);
    return true;
}

/* A header that was not seen before is only kept if all files before were seen: then it is that of the first. */
static void look_for_header(struct stream *stream, const char *name, int fd, struct file_mark *mark)
{
    struct contents contents = {.names = &name, .marks = mark, .fd = fd};

    tail_begin(&stream->tail);
    if (stream->seen || stream->header.known)
        header_take(&stream->header, contents_read, &contents, name, &stream->tail);
}

/* The same of a file that can be opened. */
static uint64_t look_into(struct stream *stream, const char *name, struct file_mark *mark)
{
    const int fd = operand_open(name, true);
    uint64_t bytes = 0;

    if (fd < 0 || file_mark_open(mark, fd) != 0)
        file_mark_report(name);
    if (!look_for_packer(stream, name, fd, 0, (uint64_t)mark->bytes)) {
        look_for_header(stream, name, fd, mark);
        bytes = records_bytes(stream, name, (uint64_t)mark->bytes);
    }
    operand_close(fd);
    return bytes;
}

/* The file must be one that can be read, as far as that can be known without side effects. Returns how many bytes a
 * regular file has for records, and marks it. */
static uint64_t look_at(struct stream *stream, const char *name, struct file_mark *mark)
{
    struct stat status;

    if (io_look(name, &status) != 0)
        fault_report(name, errno);
    if (!S_ISREG(status.st_mode)) {
        expect_anything(stream);
        return 0;
    }
    check_emptied(name, &status);
    mark->file = file_mark_of(&status).file; /* a regular file, which it must be when it is open, too */
    return look_into(stream, name, mark);
}

/* The same of standard input, of which a regular file has what is left. */
static uint64_t look_at_standard_input(struct stream *stream, const char *name, struct file_mark *mark)
{
    int mode = sys_access_mode(STDIN_FILENO);
    struct stat status;
    uint64_t left = 0;

    if (mode < 0 || sys_fstat(STDIN_FILENO, &status) != 0)
        fault_report(name, errno);
    if (mode == O_WRONLY || S_ISDIR(status.st_mode))
        fault_report(name, mode == O_WRONLY ? EBADF : EISDIR);
    stream->seen = false;
    if (!S_ISREG(status.st_mode)) {
        expect_anything(stream);
        return 0;
    }
    check_emptied(name, &status);
    if (file_mark_open(mark, STDIN_FILENO) != 0)
        file_mark_report(name);
    stream->start = sys_seek(STDIN_FILENO, 0, SEEK_CUR);
    if (stream->start >= 0 && stream->start < mark->bytes)
        left = (uint64_t)(mark->bytes - stream->start);
    return look_for_packer(stream, name, STDIN_FILENO, stream->start, left) ? 0 : records_bytes(stream, name, left);
}

/* The header of standard input is not looked at, so that of a later file is not taken for the first one's. */
static void look_at_all(struct stream *stream)
{
    const struct tail fresh = stream->tail;
    const struct file_mark *standard_input = NULL;

    stream->known = true;
    stream->seen = true;
    for (size_t i = 0; i < stream->count; i++) {
        const char *name = stream->names[i];
        struct file_mark *mark = &stream->contents.marks[i];

        if (!operand_is_standard_input(name)) {
            stream->known_bytes += look_at(stream, name, mark);
        } else if (standard_input == NULL) {
            stream->known_bytes += look_at_standard_input(stream, name, mark);
            standard_input = mark;
        } else {
            *mark = *standard_input;
        }
    }
    stream->tail = fresh; /* of the files as a stream, nothing has been seen */
}

/* The tail has been shown these bytes of the file. */
static void give_hints(struct stream *stream, const uint8_t *data, size_t bytes)
{
    const char *name = stream->names[stream->next - 1];

    if (!stream->seen_beginning)
        hints_look(&stream->hints, &stream->layout.format, stream->contents.decompressed, name, data, bytes);
    stream->seen_beginning = true;
    hints_look_at_quotes(&stream->hints, &stream->tail, name);
}

/* The next bytes of the file, which is open, have come. */
static void follow(struct stream *stream, const uint8_t *data, size_t bytes)
{
    tail_follow(&stream->tail, stream->names[stream->next - 1], data, bytes);
    give_hints(stream, data, bytes);
}

static void begin_file(struct stream *stream)
{
    const char *name = stream->names[stream->next++];

    contents_begin(&stream->contents, stream->next - 1);
    tail_begin(&stream->tail);
    header_take(&stream->header, contents_read, &stream->contents, name, &stream->tail);
    stream->rest = stream->header.rest;
    stream->rest_bytes = stream->header.rest_bytes;
    stream->seen_beginning = false;
    if (stream->header.taken_bytes > 0)
        give_hints(stream, stream->header.buffer, stream->header.taken_bytes);
}

static void end_file(struct stream *stream)
{
    const char *name = stream->names[stream->next - 1];

    contents_end(&stream->contents);
    stream->rest_bytes = tail_end(&stream->tail, name, &stream->rest);
    stream->end[stream->next - 1] = counter_get(&stream->read) + stream->rest_bytes;
    if (stream->next == stream->count && stream->end[stream->next - 1] == 0 && stream->header.text_bytes > 0)
        header_warn_alone(&stream->header);
    if (stream->next == stream->count && stream->end[stream->next - 1] > 0)
        hints_look_at_end(&stream->hints, &stream->tail);
}

static size_t take_rest(struct stream *stream, uint8_t *data, size_t bytes)
{
    size_t taken = bytes < stream->rest_bytes ? bytes : stream->rest_bytes;

    memcpy(data, stream->rest, taken);
    stream->rest += taken;
    stream->rest_bytes -= taken;
    return taken;
}

/* Do one thing: deliver from the rest, turn to the next file, or read once. Returns the number of bytes added, which
 * may be 0. */
static size_t read_on(struct stream *stream, uint8_t *data, size_t bytes)
{
    size_t got;

    if (stream->rest_bytes > 0)
        return take_rest(stream, data, bytes);
    if (!stream->contents.open) {
        begin_file(stream);
        return 0;
    }
    got = contents_read(&stream->contents, data, bytes);
    if (got > 0)
        follow(stream, data, got);
    else
        end_file(stream);
    return got;
}

size_t stream_read(void *context, uint8_t *data, size_t bytes)
{
    struct stream *stream = context;
    size_t done = 0;

    while (done < bytes && (stream->rest_bytes > 0 || stream->contents.open || stream->next < stream->count)) {
        const size_t got = read_on(stream, data + done, bytes - done);

        done += got;
        counter_add(&stream->read, got);
    }
    return done;
}

void stream_free(void *context)
{
    struct stream *stream = context;

    contents_close(&stream->contents);
    decompress_free(stream->contents.decompress);
    lender_close(&stream->lender);
    free(stream->contents.marks);
    free(stream->end);
    header_release(&stream->header);
    free(stream);
}

/* Where all files are regular, and none is compressed, all is as if there were nothing to prepare for. */
static void prepare_to_decompress(struct stream *stream)
{
    struct decompress_limits limits = stream->layout.decompress;

    if (limits.programs == 0 || stream->known)
        return;
    if (stream->packed < 2)
        limits.bytes = 0; /* there is none to be read ahead while another one is read */
    stream->contents.decompress = decompress_new(stream->names, stream->contents.marks, stream->count, limits);
}

struct stream *stream_open(const char *const *names, size_t count, const struct stream_layout *layout)
{
    struct stream *stream = fault_allocate(1, sizeof *stream);

    *stream =
        (struct stream){.names = names, .count = count, .contents = {.names = names, .fd = -1}, .layout = *layout};
    tail_init(&stream->tail, &stream->layout.format, !header_is_none(&layout->header));
    stream->end = fault_allocate(count + 1, sizeof *stream->end);
    stream->contents.marks = fault_allocate(count + 1, sizeof *stream->contents.marks);
    header_init(&stream->header, &stream->layout.format, &layout->header);
    look_at_all(stream);
    prepare_to_decompress(stream);
    return stream;
}

uint64_t stream_known_bytes(const struct stream *stream)
{
    return stream->known_bytes;
}

bool stream_is_known(const struct stream *stream)
{
    return stream->known;
}

uint64_t stream_memory(const struct stream *stream)
{
    return stream->contents.decompress != NULL ? decompress_memory(stream->contents.decompress) : 0;
}

uint64_t stream_arrived_bytes(const struct stream *stream)
{
    return counter_get(&stream->read);
}

const uint8_t *stream_header(const struct stream *stream, size_t *bytes)
{
    *bytes = stream->header.text_bytes;
    return stream->header.text;
}

bool stream_headers_may_differ(const struct stream *stream)
{
    return stream->layout.header.may_differ;
}

/* ---- Lending ---- */

bool stream_map(struct stream *stream, uint64_t *bytes)
{
    const uint64_t room = mapping_room(0) + sys_page_bytes();

    if (!stream->known || stream->next > 0 ||
        (record_is(&stream->layout.format, RECORD_MEMBER) &&
         stream->start % TAR_BLOCK_BYTES != 0)) /* see record_margin */
        return false;
    if (lender_open(&stream->lender, stream->names, stream->contents.marks, stream->count, stream->start,
                    stream->known_bytes + stream->header_bytes + stream->count * room) != 0)
        return false;
    *bytes = stream->lender.mapping.used;
    return true;
}

struct lender *stream_lender(struct stream *stream)
{
    return &stream->lender;
}

/* All of a file has been lent. What completes its last record is put behind it. */
static void end_lending(struct stream *stream)
{
    end_file(stream);
    lender_append(&stream->lender, stream->rest, stream->rest_bytes);
    stream->rest_bytes = 0;
}

/* The tail has seen what was read beyond the header. */
static void begin_lending(struct stream *stream)
{
    struct lender *lender = &stream->lender;

    begin_file(stream);
    lender_begin(lender, stream->next - 1, stream->contents.fd, stream->rest_bytes);
    stream->followed = lender->at + stream->rest_bytes;
    stream->rest_bytes = 0;
    if (lender->at == lender->last)
        end_lending(stream);
}

/* The next bytes of the file, which is open, are about to be lent. */
static void follow_lent(struct stream *stream, size_t bytes)
{
    const uint8_t *from = stream->followed;
    const uint8_t *end = stream->lender.at + bytes;

    if (end <= from)
        return;
    stream->followed = end;
    follow(stream, from, (size_t)(end - from));
}

static void take(struct stream *stream, size_t bytes)
{
    stream->lender.at += bytes;
    counter_add(&stream->read, bytes);
}

/* The file is completed before its last bytes are lent, so that nothing is written when others may look. */
static void lend(struct stream *stream, size_t bytes)
{
    struct lender *lender = &stream->lender;
    const bool open = stream->contents.open;
    const size_t lent = lender_next(lender, bytes);

    if (open)
        follow_lent(stream, lent);
    take(stream, lent);
    if (!open || lender->at < lender->last)
        return;
    end_lending(stream);
    take(stream, lender_next(lender, bytes - lent));
}

size_t stream_lend(struct stream *stream, const uint8_t **data, size_t bytes)
{
    const struct lender *lender = &stream->lender;

    while (lender->at == lender->last) {
        if (stream->next == stream->count)
            return 0;
        begin_lending(stream);
    }
    *data = lender->at;
    lend(stream, bytes);
    return (size_t)(lender->at - *data);
}

void stream_rewind(struct stream *stream)
{
    contents_close(&stream->contents);
    stream->next = 0;
    counter_set(&stream->read, 0);
    stream->rest_bytes = 0;
    tail_init(&stream->tail, &stream->layout.format, stream->tail.after_header);
    lender_restart(&stream->lender);
    for (size_t i = 0; i < stream->count; i++)
        if (operand_is_standard_input(stream->names[i]) && sys_seek(STDIN_FILENO, stream->start, SEEK_SET) < 0)
            fault_report(stream->names[i], errno);
}

/* ---- Its files ---- */

const char *stream_name_at(const struct stream *stream, uint64_t offset, uint64_t *end)
{
    size_t i = 0;

    for (size_t last = stream->next - 1; i < last;) {
        const size_t middle = i + (last - i) / 2;

        if (stream->end[middle] > offset)
            last = middle;
        else
            i = middle + 1;
    }
    *end = i + 1 < stream->next || !stream->contents.open ? stream->end[i] : UINT64_MAX;
    return stream->names[i];
}

bool stream_size_of(const struct stream *stream, size_t i, uint64_t *bytes)
{
    *bytes = (uint64_t)stream->contents.marks[i].bytes;
    return file_mark_is_known(&stream->contents.marks[i]);
}

bool stream_is_from(const struct stream *stream, const struct stat *file)
{
    struct stat status;

    for (size_t i = 0; i < stream->count; i++)
        if (operand_stat(stream->names[i], &status) == 0 && io_same_file(&status, file))
            return true;
    return false;
}
