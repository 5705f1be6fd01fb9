/*
 * Input files as one stream of whole records: whatever sizes it is read in, and whether the last file comes through a
 * pipe, it is the same. That it has all that is in the files, the soak sees.
 */

#include "end.h"

#include "input/stream.h"
#include "system/packer.h"

enum { FILES_MAX = 3, FILE_MAX = 12000, ADDED_MAX = RECORD_DELIMITER_BYTES_MAX, STREAM_MAX = 40000 };

struct file {
    uint8_t data[FILE_MAX];
    size_t bytes;
};

/* What came of reading. */
struct outcome {
    bool failed;
    uint8_t data[STREAM_MAX];
    size_t bytes;
    uint8_t header[FILE_MAX + ADDED_MAX];
    size_t header_bytes;
};

static const char *const names[FILES_MAX] = {"0", "1", "2"};
static struct file files[FILES_MAX];
static size_t file_count;
static struct source_layout layout;

/* ---- Reading ---- */

/* Read some bytes. Returns whether there may be more. */
static bool read_some(struct source *source, struct outcome *stream, size_t bytes)
{
    uint8_t *data = malloc(bytes);
    size_t got;

    FUZZ_CHECK(data != NULL);
    got = (size_t)source_read(source, data, bytes, NULL);
    FUZZ_CHECK(got <= bytes && got <= STREAM_MAX - stream->bytes);
    memcpy(stream->data + stream->bytes, data, got);
    stream->bytes += got;
    free(data);
    return got > 0;
}

/* The format's records end where the stream does. */
static void check_whole(const struct outcome *stream)
{
    struct record_scan scan = {0};
    uint32_t end[64], last = 0;

    for (size_t at = 0, scanned; at < stream->bytes; at += scanned) {
        size_t found = record_ends(&layout.format, &scan, stream->data + at, stream->bytes - at, end, 64, &scanned);

        last = found > 0 ? (uint32_t)at + end[found - 1] : last;
    }
    FUZZ_CHECK(last == stream->bytes);
}

static void read_all(const char *const *name, size_t count, struct fuzz sizes, struct outcome *stream)
{
    struct source *source = stream_open(name, count, &layout);
    struct fuzz left = sizes;
    const struct header *header = stream_header(source);

    while (read_some(source, stream, fuzz_from_to(&left, 1, STREAM_MAX)))
        left = left.bytes == 0 ? sizes : left;
    FUZZ_CHECK(stream_arrived_bytes(source) == stream->bytes);
    stream->header_bytes = header->text_bytes;
    FUZZ_CHECK(stream->header_bytes <= sizeof stream->header);
    if (stream->header_bytes > 0)
        memcpy(stream->header, header->text, stream->header_bytes);
    check_whole(stream);
    source_free(source);
}

/* Read files in pieces of sizes that `sizes` tells. */
static void read_files(const char *const *name, size_t count, struct fuzz sizes, struct outcome *stream)
{
    stream->bytes = stream->header_bytes = 0;
    stream->failed = FUZZ_ENDS(read_all(name, count, sizes, stream));
}

/* ---- What must be the same ---- */

static void compare(const struct outcome *one, const struct outcome *other)
{
    FUZZ_CHECK(one->failed == other->failed);
    if (one->failed)
        return;
    FUZZ_CHECK(one->bytes == other->bytes && memcmp(one->data, other->data, one->bytes) == 0);
    FUZZ_CHECK(one->header_bytes == other->header_bytes);
    FUZZ_CHECK(memcmp(one->header, other->header, one->header_bytes) == 0);
}

/* The last file through standard input. */
static void read_from_pipe(struct fuzz sizes, struct outcome *stream)
{
    const char *name[FILES_MAX] = {names[0], names[1], names[2]};
    const struct file *last = &files[file_count - 1];
    int way[2];

    FUZZ_CHECK(pipe(way) == 0 && dup2(way[0], STDIN_FILENO) == STDIN_FILENO);
    FUZZ_CHECK(write(way[1], last->data, last->bytes) == (ssize_t)last->bytes);
    close(way[0]);
    close(way[1]);
    name[file_count - 1] = "-";
    read_files(name, file_count, sizes, stream);
}

/* ---- Inputs ---- */

/* A file: the beginning of the first one, maybe, since that is how files have the same header; then some bytes, maybe
 * many times. */
static void take_file(struct fuzz *fuzz, size_t i)
{
    struct file *file = &files[i];
    size_t common = i > 0 ? fuzz_from_to(fuzz, 0, files[0].bytes) : 0;
    size_t times = fuzz_byte(fuzz), bytes = fuzz_from_to(fuzz, 0, fuzz->bytes);

    memcpy(file->data, files[0].data, common);
    file->bytes = common + fuzz_repeat(fuzz, bytes, times, file->data + common, FILE_MAX - common);
    if (packer_of_beginning(file->data, file->bytes) != NULL) /* it would be refused, but not from a pipe */
        file->data[0] = 0;
    fuzz_put(names[i], file->data, file->bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const uint8_t large[] = {0x7f, 0xff};
    static struct outcome stream, other;
    const struct fuzz at_once = {large, sizeof large};
    struct fuzz fuzz = {data, bytes}, sizes;
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    unsigned lines;

    layout.format = fuzz_format(&fuzz, string);
    layout.header = (struct header_rule){.bytes = fuzz_from_to(&fuzz, 0, FILE_MAX / 2)};
    lines = fuzz_byte(&fuzz) % 8;
    if (lines >= 6 && (layout.format.kind == NULL || record_is(&layout.format, RECORD_TEXT)))
        layout.header = (struct header_rule){.start = lines == 6 ? "a" : "#!"};
    else if (lines > 0)
        layout.header = (struct header_rule){.lines = lines};
    file_count = 1 + fuzz_byte(&fuzz) % FILES_MAX;
    sizes = (struct fuzz){fuzz.data, fuzz.bytes < 8 ? fuzz.bytes : 8};
    for (size_t i = 0; i < 8; i++)
        (void)fuzz_byte(&fuzz);
    for (size_t i = 0; i < file_count; i++)
        take_file(&fuzz, i);
    read_files(names, file_count, at_once, &stream);
    read_files(names, file_count, sizes, &other);
    compare(&stream, &other);
    read_from_pipe(sizes, &other);
    compare(&stream, &other);
    return 0;
}
