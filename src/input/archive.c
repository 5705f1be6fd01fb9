/*
 * Each member is a frame (group.h). The frame's last byte says whether the next member belongs to the same record, so
 * it is written when the headers of the next member have been read. Data that was not read along with headers goes
 * directly to the reader's memory.
 *
 * The files are read as one stream. The end of a file is known only when a byte after it has been read, or when all
 * files have ended, so bytes are read before bytes_in_file is asked.
 */

#include "input/archive.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/must.h"
#include "base/tunable.h"
#include "base/xxh64.h"
#include "input/foreign.h"
#include "input/hints.h"
#include "record/group.h"
#include "record/record.h"
#include "record/tar.h"
#include "system/fault.h"

/* Headers are read in pieces of this size, with the data after them. Other data is read when wanted. */
enum { READ_BYTES = 1 << 14 };
TUNABLE(LOOK_BYTES, READ_BYTES, 1, READ_BYTES);

/* The part that the names of a record's members share (tar_headers_key). */
struct stem {
    size_t bytes;
    uint8_t text[TAR_NAME_BYTES_MAX];
};

/* A sample of a data set, a record; known by its key, and by the name of the member at which it is looked up. */
struct sample {
    uint64_t start;     /* of its archive, in the stream of files */
    uint64_t key, name; /* hashes: equal ones only cause a false message, so nobody gains from making some */
};

/*
 * Samples are looked up by their keys among earlier ones, not all of which can be remembered. The hash of a key gives
 * its place, which keeps two samples: the latest, and the one with the smallest hash. That does not depend on their
 * order, so these are a random choice of all samples, however many there are: if one key in a thousand is torn, one of
 * KNOWN is with a probability of 87 %. The latest ones find a key that comes again soon.
 */
enum { KNOWN = 2048 };

struct archive {
    struct source *files;
    uint64_t file_start; /* offset of the current file in the stream of files, */
    uint64_t start;      /* of the archive in the file, */
    uint64_t position;   /* and of the next byte to be used */
    size_t at;           /* place of that byte in the buffer */
    size_t filled;
    bool ended;                 /* were the last blocks read zeros? */
    struct tar_headers headers; /* of the current member */
    struct tar_member member;
    size_t ready;  /* bytes of its frame in `data`, */
    size_t given;  /* of these, bytes delivered, */
    uint64_t left; /* and bytes of its data to come */
    bool any;      /* is there a frame without its last byte? */
    bool marked;   /* is that byte next? */
    uint8_t mark;
    bool at_end;
    bool joins; /* may the next member belong to its record? It does if it has this key: */
    struct stem key;
    struct stem found; /* the key of a name being looked at */
    bool looked;       /* has the current sample been looked up among earlier ones? */
    bool told;         /* has a torn sample been reported? Once is enough */
    uint8_t data[GROUP_HEAD_BYTES + TAR_HEADERS_BYTES_MAX]; /* a frame, up to the end of its headers */
    uint8_t buffer[READ_BYTES];
    struct sample recent[KNOWN], sampled[KNOWN]; /* last: the place of `data` in a page decides how fast it is filled */
};

static void restart_archive(void *context)
{
    struct archive *archive = context;

    archive->file_start = archive->start = archive->position = 0;
    archive->at = archive->filled = 0;
    archive->ended = archive->any = archive->marked = archive->at_end = archive->joins = false;
    archive->ready = archive->given = 0;
    archive->left = 0;
    archive->headers.data = archive->data + GROUP_HEAD_BYTES;
    tar_headers_begin(&archive->headers);
}

/* ---- Messages ---- */

/* End the run; the message names the place `before` bytes before the next byte to be used. */
_Noreturn static void refuse_archive(struct archive *archive, uint64_t before, const char *why)
{
    const struct tar_text name = archive->member.name;
    uint64_t end;
    const char *file = stream_name_at(archive->files, archive->file_start, &end);
    const unsigned long long offset = archive->position - before - archive->file_start;
    const struct packer *packer = packer_of_beginning(archive->headers.data, archive->headers.bytes);
    const struct foreign *foreign = foreign_of(NULL, archive->headers.data, archive->headers.bytes);

    if (name.bytes == 0 && offset == 0 && packer != NULL)
        hints_refuse_packed(&tar_kind, packer, file);
    if (name.bytes == 0 && offset == 0 && foreign != NULL && foreign->command != NULL)
        die("%s: %s; write %s FILE | bigshuf --records=tar", file, foreign->what, foreign->command);
    if (name.bytes == 0)
        die("%s: byte %llu: %s", file, offset, why);
    die("%s: byte %llu: %s: %.*s", file, offset, why, (int)name.bytes, (const char *)name.data);
}

static bool is_other(const struct sample *known, const struct sample *sample)
{
    return known->key == sample->key && (known->start != sample->start || known->name != sample->name);
}

/* A sample begins. Returns an earlier one with the same key in another archive or with another name, if one is known,
 * else NULL; valid until the next call. If the same archive is read once more, nothing is found. */
static const struct sample *find_other_sample(struct archive *archive, struct sample sample)
{
    struct sample *recent = &archive->recent[sample.key % KNOWN], *sampled = &archive->sampled[sample.key % KNOWN];

    if (is_other(recent, &sample))
        return recent;
    if (is_other(sampled, &sample))
        return sampled;
    *recent = sample;
    if (sampled->key == 0 || sample.key < sampled->key)
        *sampled = sample;
    return NULL;
}

/*
 * Warn if the key of the current sample came before. In the same archive, its members belong to one sample, which is
 * torn. Between README and README.md there may be README-1, as tar sorts them, but a name without a dot belongs to no
 * sample. The files that macOS calls ._NAME are sorted before all others, and nobody misses them. So a sample is looked
 * up at its first member whose name is the key and a dot. If it begins with the same name in the same archive, it was
 * added twice, as -r does. In another archive, it is another sample.
 */
static void look_for_torn(struct archive *archive)
{
    const struct stem *key = &archive->key;
    const struct tar_text name = archive->member.name;
    const struct sample *known;
    const char *file;
    uint64_t end;

    if (archive->told || archive->looked || name.bytes <= key->bytes || name.data[key->bytes] != '.')
        return;
    archive->looked = true;
    known = find_other_sample(
        archive, (struct sample){archive->start, xxh64(key->text, key->bytes), xxh64(name.data, name.bytes)});
    if (known == NULL)
        return;
    archive->told = true;
    file = stream_name_at(archive->files, archive->file_start, &end);
    if (known->start != archive->start)
        fault_warn("%s: sample '%.*s' has the key of another one in %s, and readers take two neighbours with one key "
                   "for one sample; give each archive's samples other keys",
                   file, (int)key->bytes, (const char *)key->text, stream_name_at(archive->files, known->start, &end));
    else
        fault_warn("%s: members of '%.*s' are not neighbours, so they are several records; "
                   "make the archive with tar --sort=name",
                   file, (int)key->bytes, (const char *)key->text);
}

_Noreturn static void refuse_end(struct archive *archive)
{
    refuse_archive(archive, 0, "the file ends here, before its archive does");
}

/* ---- Reading ---- */

/* How many of the next `bytes` bytes, which have been read, belong to the current file. */
static size_t bytes_in_file(const struct archive *archive, size_t bytes)
{
    uint64_t end;

    if (bytes == 0)
        return 0;
    (void)stream_name_at(archive->files, archive->file_start, &end);
    return (size_t)least(bytes, end - archive->position);
}

/* Make sure that the buffer has bytes. Returns how many belong to the current file, 0 at its end. */
static size_t look_ahead(struct archive *archive)
{
    if (archive->at == archive->filled) {
        archive->filled = source_read(archive->files, archive->buffer, LOOK_BYTES, NULL);
        archive->at = 0;
    }
    return bytes_in_file(archive, archive->filled - archive->at);
}

static void copy(struct archive *archive, uint8_t *to, size_t bytes)
{
    memcpy(to, archive->buffer + archive->at, bytes);
    archive->at += bytes;
    archive->position += bytes;
}

/* ---- The data of a member ---- */

/* Is more data to come than is read with headers? */
static bool is_large(const struct archive *archive)
{
    return archive->at == archive->filled && archive->left >= LOOK_BYTES;
}

/* Deliver data that comes in one read, or leave it to be fetched. Returns the number of bytes. */
static size_t read_data(struct archive *archive, uint8_t *data, size_t bytes, struct absent *absent)
{
    const size_t wanted = (size_t)least(archive->left, bytes);
    size_t got;

    if (is_large(archive)) {
        got = bytes_in_file(archive, source_read(archive->files, data, wanted, absent));
        archive->position += got;
    } else {
        got = least_size(look_ahead(archive), wanted);
        copy(archive, data, got);
    }
    if (got == 0)
        refuse_end(archive);
    archive->left -= got;
    return got;
}

/* ---- Headers ---- */

/* The current file is at its end. */
static void end_archive_file(struct archive *archive)
{
    if (archive->position > archive->file_start && !(archive->ended && archive->headers.bytes == 0))
        refuse_end(archive);
    archive->file_start = archive->position;
    archive->ended = false;
    archive->joins = false;
    archive->at_end = archive->at == archive->filled;
    tar_headers_begin(&archive->headers);
    archive->start = archive->position;
}

/* Does the name have the key of the current record? Also finds the key of the name. */
static bool has_key(struct archive *archive, struct tar_text name)
{
    archive->found.bytes = tar_headers_key(name, archive->found.text);
    return archive->joins && archive->found.bytes == archive->key.bytes &&
           memcmp(archive->found.text, archive->key.text, archive->key.bytes) == 0;
}

/* All headers of a member are there. A hard link needs its target, a member before it. */
static void begin_member(struct archive *archive)
{
    const struct tar_member *member = &archive->member;
    const bool linked = member->target.data == NULL || has_key(archive, member->target);
    const bool same = has_key(archive, member->name) && !member->directory;

    if (!linked || (member->target.data != NULL && !same))
        refuse_archive(archive, archive->headers.bytes,
                       "a hard link whose target is not an earlier member of the same sample, and could come after it "
                       "when shuffled: pack again without hard links (GNU tar --hard-dereference)");
    archive->mark = same ? GROUP_GOES_ON : GROUP_ENDS;
    archive->marked = archive->any;
    archive->any = true;
    archive->joins = !member->directory;
    archive->key.bytes = archive->found.bytes;
    memcpy(archive->key.text, archive->found.text, archive->found.bytes);
    archive->looked = archive->looked && same;
    if (!member->directory)
        look_for_torn(archive);
    archive->ended = false;
    archive->left = member->data_bytes;
    archive->ready = GROUP_HEAD_BYTES + archive->headers.bytes;
    store64le(archive->data, archive->headers.bytes + archive->left);
}

/* The wanted bytes of headers are there. True if they are all headers of a member. */
static bool look_at_headers(struct archive *archive)
{
    struct tar_headers *headers = &archive->headers;
    const char *why;

    switch (tar_headers_look(headers, &archive->member, &why)) {
    case TAR_MORE:
        return false;
    case TAR_MEMBER:
        begin_member(archive);
        return true;
    case TAR_ZEROS:
        archive->ended = true;
        archive->joins = false;
        tar_headers_begin(headers);
        archive->start = archive->position;
        return false;
    case TAR_REFUSED:
        break;
    }
    refuse_archive(archive, headers->bytes - headers->block, why);
}

/* Read the headers of the next member. */
static void next_member(struct archive *archive)
{
    struct tar_headers *headers = &archive->headers;
    bool found = false;

    tar_headers_begin(headers);
    archive->member.name.bytes = 0;
    archive->ready = archive->given = 0;
    while (!found) {
        const size_t part = least_size(look_ahead(archive), headers->wanted - headers->bytes);

        if (part == 0)
            end_archive_file(archive);
        if (archive->at_end) {
            archive->mark = GROUP_ENDS;
            archive->marked = archive->any;
            return;
        }
        copy(archive, headers->data + headers->bytes, part);
        headers->bytes += part;
        if (headers->bytes == headers->wanted)
            found = look_at_headers(archive);
    }
}

/* ---- Frames ---- */

/* Do one thing. Returns how many bytes have been delivered. */
static size_t deliver(struct archive *archive, uint8_t *data, size_t bytes, struct absent *absent)
{
    const size_t part = least_size(archive->ready - archive->given, bytes);

    if (archive->marked) {
        archive->marked = false;
        data[0] = archive->mark;
        return 1;
    }
    if (part > 0) {
        memcpy(data, archive->data + archive->given, part);
        archive->given += part;
        return part;
    }
    if (archive->left > 0)
        return read_data(archive, data, bytes, absent);
    next_member(archive);
    return 0;
}

/* ---- The layer ---- */

/* Absent bytes come last. */
static size_t read_frames(void *context, uint8_t *data, size_t bytes, struct absent *absent)
{
    struct archive *archive = context;
    size_t done = 0;

    while (done < bytes && !(archive->at_end && !archive->marked) && (absent == NULL || absent->data == NULL))
        done += deliver(archive, data + done, bytes - done, absent);
    return done;
}

size_t archive_bytes(void)
{
    return sizeof(struct archive);
}

void archive_begin(struct source *source)
{
    static const struct source_layer layer = {.read = read_frames, .rewind = restart_archive, .release = free};
    struct archive *archive = fault_allocate(1, sizeof *archive);

    archive->files = source_insert(source, &layer, archive);
    restart_archive(archive);
}
