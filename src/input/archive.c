/*
 * Each member is a frame (group.h). Its last byte says whether the next one belongs to the same record, so it is
 * written when the headers of that one have been read. The program does not look at data: those not read along with
 * headers go directly to the reader's memory.
 *
 * The files are read as one stream. The end of a file is known only when a byte after it has been read, or when all
 * files have ended, so bytes are read before the place is asked for.
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

/* Headers are read with as much of what follows; more of a member is read where it is wanted, and may be fetched. */
enum { READ_BYTES = 1 << 14 };
TUNABLE(LOOK_BYTES, READ_BYTES, 1, READ_BYTES);

/* What the names of a record's members share (tar_headers_key). */
struct stem {
    size_t bytes;
    uint8_t text[TAR_NAME_BYTES_MAX];
};

/* A sample, which begins with a member of this name. */
struct sample {
    uint64_t start;     /* of its archive, in the stream of files */
    uint64_t key, name; /* hashes. Nobody gains from choosing names with equal ones: they only cause a false message */
};

/*
 * Samples are looked up by their keys among those before. Not all can be remembered. A key has a place by its hash,
 * where two samples are kept: the last one that came to it, and that with the smallest hash of all that came to it,
 * which does not depend on their order: so the latter are a random sample of all, however many there are. If one key in
 * a thousand is torn, one of KNOWN of these is with a probability of 87 %; the last ones find what comes again soon.
 */
enum { KNOWN = 2048 };

struct archive {
    struct source *files;
    uint64_t file_start; /* of the file in work, in the stream of files, */
    uint64_t start;      /* of the archive in it, */
    uint64_t position;   /* and of the next byte that will be used */
    size_t at;           /* that byte in the buffer */
    size_t filled;
    bool ended;                 /* what came last in the file were zeros */
    struct tar_headers headers; /* of the member in work, */
    struct tar_member member;
    size_t ready;  /* bytes of its frame that are in `data`, */
    size_t given;  /* and have been delivered, */
    uint64_t left; /* and of its data that are to come */
    bool any;      /* is there a frame that has no last byte yet? */
    bool marked;   /* that comes next: */
    uint8_t mark;
    bool at_end;
    bool joins; /* may the next member belong to its record? If it has the same key: */
    struct stem key;
    struct stem found; /* that of a name which is looked at */
    bool looked;       /* has the sample in work been looked up among those before it? */
    bool told;         /* that one is torn, which is said once */
    uint8_t data[GROUP_HEAD_BYTES + TAR_HEADERS_BYTES_MAX]; /* a frame, up to the end of its headers */
    uint8_t buffer[READ_BYTES];
    struct sample recent[KNOWN], sampled[KNOWN]; /* last: where `data` begins in its page decides how fast headers are
                                                  * copied to it */
};

static void restart(void *context)
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

/* About the place `before` bytes before the next one. */
_Noreturn static void refuse(struct archive *archive, uint64_t before, const char *why)
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

/* A sample begins. An earlier one with the same key in another archive or with another name, if one is known, else
 * NULL; it stays until the next call. The same archive may be read once more: then nothing is found. */
static const struct sample *find_other(struct archive *archive, struct sample sample)
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
 * About the sample in work, if its key came before, which is so when it begins a second sample. In the same archive,
 * they are members of one. Between README and README.md there may be README-1, as tar sorts them, but a name without a
 * dot is of no sample. The files that macOS calls ._NAME are sorted before all others, and are missed by nobody. So a
 * sample is looked up when its first member comes whose name is its key and a dot. If it begins with the same name as
 * before in the same archive, it was put in twice, as -r does. In another archive, it is another sample.
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
    known = find_other(archive,
                       (struct sample){archive->start, xxh64(key->text, key->bytes), xxh64(name.data, name.bytes)});
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
    refuse(archive, 0, "the file ends here, before its archive does");
}

/* ---- Reading ---- */

/* How many of the next bytes, which have been read, are of the file in work. */
static size_t bytes_in_file(const struct archive *archive, size_t bytes)
{
    uint64_t end;

    if (bytes == 0)
        return 0;
    (void)stream_name_at(archive->files, archive->file_start, &end);
    return (size_t)least(bytes, end - archive->position);
}

/* Make sure that the buffer has bytes. Returns how many belong to the file in work, 0 at its end. */
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

/* Is so much of them to come that they are not read with the next headers? */
static bool is_large(const struct archive *archive)
{
    return archive->at == archive->filled && archive->left >= LOOK_BYTES;
}

/* Deliver as many as come at once, or leave them to be fetched. Returns how many. */
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

/* The file in work is at its end. */
static void end_file(struct archive *archive)
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

/* Does the name have the key of the record in work? This also finds its own key. */
static bool has_key(struct archive *archive, struct tar_text name)
{
    archive->found.bytes = tar_headers_key(name, archive->found.text);
    return archive->joins && archive->found.bytes == archive->key.bytes &&
           memcmp(archive->found.text, archive->key.text, archive->key.bytes) == 0;
}

/* All headers of a member are there. A hard link is of no use without its target, which comes before it. */
static void begin_member(struct archive *archive)
{
    const struct tar_member *member = &archive->member;
    const bool linked = member->target.data == NULL || has_key(archive, member->target);
    const bool same = has_key(archive, member->name) && !member->directory;

    if (!linked || (member->target.data != NULL && !same))
        refuse(archive, archive->headers.bytes,
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

/* As many bytes of headers as were wanted are there. Is a member? */
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
    refuse(archive, headers->bytes - headers->block, why);
}

/* Have the headers of the next member. */
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
            end_file(archive);
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

/* ---- The stage ---- */

/* What is left out comes last. */
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
    static const struct source_stage stage = {.read = read_frames, .rewind = restart, .release = free};
    struct archive *archive = fault_allocate(1, sizeof *archive);

    archive->files = source_insert(source, &stage, archive);
    restart(archive);
}
