/*
 * The mark of a member says whether the next one belongs to the same record, so it is written when the headers of that
 * one have been read. The program does not look at data: those not read along with headers go directly to the reader's
 * memory.
 *
 * The files are read as one stream. The end of a file is known only when a byte after it has been read, or when all
 * files have ended, so bytes are read before the place is asked for.
 */

#include "input/archive.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/tunable.h"
#include "input/hints.h"
#include "input/torn.h"
#include "record/record.h"
#include "record/tar_headers.h"
#include "system/fault.h"

enum { READ_BYTES = 1 << 18 };
TUNABLE(LOOK_BYTES, READ_BYTES, 1, READ_BYTES);

/* What the names of a record's members share (tar_headers_key). */
struct stem {
    size_t bytes;
    uint8_t text[TAR_NAME_BYTES_MAX];
};

struct archive {
    struct source *files;
    uint64_t file_start;   /* of the file in work, in the stream of files, */
    uint64_t start;        /* of the archive in it, */
    uint64_t position;     /* and of the next byte that will be used */
    const uint8_t *window; /* what has come: the buffer, or where it stands */
    size_t at;             /* that byte in it */
    size_t filled;
    bool ended;                 /* what came last in the file were zeros */
    struct tar_headers headers; /* of the member in work, */
    struct tar_member member;
    size_t given;  /* bytes of these that have been delivered, */
    uint64_t left; /* and of its data that are to come */
    bool any;      /* is there a member without a mark? */
    bool marked;   /* its mark comes next: */
    uint8_t mark;
    bool at_end;
    bool joins; /* may the next member belong to its record? If it has the same key: */
    struct stem key;
    struct stem found;    /* that of a name which is looked at */
    const uint8_t *lent;  /* if the files are lent: the end of what is, */
    const uint8_t *known; /* and of what may be, as all marks up to there are known; */
    const uint8_t *next;  /* where it goes on, if that is not there; else NULL; */
    const uint8_t *end;   /* of the last member, which has no mark yet */
    bool looked;          /* has the sample in work been looked up among those before it? */
    bool told;            /* that one is torn, which is said once */
    uint8_t data[TAR_HEADERS_BYTES_MAX];
    uint8_t buffer[READ_BYTES];
    struct torn torn; /* last: where `data` begins in its page decides how fast headers are copied to it */
};

static void restart(void *context)
{
    struct archive *archive = context;

    archive->file_start = archive->start = archive->position = 0;
    archive->at = archive->filled = 0;
    archive->ended = archive->any = archive->marked = archive->at_end = archive->joins = false;
    archive->given = 0;
    archive->left = 0;
    archive->window = archive->buffer;
    archive->lent = archive->known = archive->buffer; /* no bytes yet */
    archive->next = NULL;
    archive->headers.data = archive->data;
    tar_headers_begin(&archive->headers);
}

/* ---- Messages ---- */

/* About the place `before` bytes before the next one. */
_Noreturn static void refuse(struct archive *archive, uint64_t before, const char *why)
{
    const struct tar_text name = archive->member.name;
    uint64_t end;
    const char *file = source_name_at(archive->files, archive->file_start, &end);
    const unsigned long long offset = archive->position - before - archive->file_start;
    const struct packer *packer = packer_of_beginning(archive->data, archive->headers.bytes);

    if (name.bytes == 0 && offset == 0 && packer != NULL)
        hints_refuse_packed(&tar_kind, packer, file);
    if (name.bytes == 0)
        die("%s: byte %llu: %s", file, offset, why);
    die("%s: byte %llu: %s: %.*s", file, offset, why, (int)name.bytes, (const char *)name.data);
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
    const struct torn_key *known;
    const char *file;
    uint64_t end;

    if (archive->told || archive->looked || name.bytes <= key->bytes || name.data[key->bytes] != '.')
        return;
    archive->looked = true;
    known = torn_look(&archive->torn, (struct torn_key){.scope = archive->start,
                                                        .key = torn_hash(key->text, key->bytes),
                                                        .name = torn_hash(name.data, name.bytes)});
    if (known == NULL)
        return;
    archive->told = true;
    file = source_name_at(archive->files, archive->file_start, &end);
    if (known->scope != archive->start)
        fault_warn("%s: sample '%.*s' has the key of another one in %s, and readers take two neighbours with one key "
                   "for one sample; give each archive's samples other keys",
                   file, (int)key->bytes, (const char *)key->text, source_name_at(archive->files, known->scope, &end));
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
    (void)source_name_at(archive->files, archive->file_start, &end);
    return (size_t)least(bytes, end - archive->position);
}

/* Make sure that the buffer has bytes. Returns how many belong to the file in work, 0 at its end. */
static size_t look_ahead(struct archive *archive)
{
    if (archive->at == archive->filled) {
        archive->filled = source_next(archive->files, archive->buffer, LOOK_BYTES, &archive->window);
        archive->at = 0;
    }
    return bytes_in_file(archive, archive->filled - archive->at);
}

static void copy(struct archive *archive, uint8_t *to, size_t bytes)
{
    memcpy(to, archive->window + archive->at, bytes);
    archive->at += bytes;
    archive->position += bytes;
}

/* ---- The data of a member ---- */

/* Deliver as many as come at once. Returns how many. */
static size_t read_data(struct archive *archive, uint8_t *data, size_t bytes)
{
    const size_t wanted = (size_t)least(archive->left, bytes);
    size_t got;

    if (archive->at == archive->filled && wanted >= LOOK_BYTES) {
        got = bytes_in_file(archive, source_read(archive->files, data, wanted));
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
    archive->mark = same ? RECORD_GOES_ON : RECORD_ENDS;
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
    archive->given = 0;
    while (!found) {
        const size_t part = least_size(look_ahead(archive), headers->wanted - headers->bytes);

        if (part == 0)
            end_file(archive);
        if (archive->at_end) {
            archive->mark = RECORD_ENDS;
            archive->marked = archive->any;
            return;
        }
        copy(archive, headers->data + headers->bytes, part);
        headers->bytes += part;
        if (headers->bytes == headers->wanted)
            found = look_at_headers(archive);
    }
}

/* ---- The stage ---- */

/* Do one thing. Returns how many bytes have been delivered. */
static size_t read_on(struct archive *archive, uint8_t *data, size_t bytes)
{
    const size_t part = least_size(archive->headers.bytes - archive->given, bytes);

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
        return read_data(archive, data, bytes);
    next_member(archive);
    return 0;
}

static size_t read_members(void *context, uint8_t *data, size_t bytes)
{
    struct archive *archive = context;
    size_t done = 0;

    while (done < bytes && !(archive->at_end && !archive->marked))
        done += read_on(archive, data + done, bytes - done);
    return done;
}

/* ---- The same, lent ---- */

/* Go over data that come at once. */
static void pass_data(struct archive *archive)
{
    const size_t part = (size_t)least(archive->left, look_ahead(archive));

    if (part == 0)
        refuse_end(archive);
    archive->at += part;
    archive->position += part;
    archive->left -= part;
    archive->end = archive->window + archive->at;
    if (archive->left > 0)
        archive->known = archive->end;
}

/* Go over the headers of the next member, and note the mark of the one before it. */
static void pass_headers(struct archive *archive)
{
    const struct record_margin *margin = source_margin(archive->files);
    const uint8_t *start;

    next_member(archive);
    if (archive->marked) {
        margin->mark[(size_t)(archive->end - margin->base) / TAR_BLOCK_BYTES] = archive->mark;
        archive->known = archive->end;
        archive->marked = false;
    }
    archive->end = archive->window + archive->at;
    start = archive->end - archive->headers.bytes;
    if (!archive->at_end && start != archive->known)
        archive->next = start;
}

static size_t lend_members(void *context, const uint8_t **data, size_t bytes)
{
    struct archive *archive = context;
    size_t part;

    while (!archive->at_end && (size_t)(archive->known - archive->lent) < bytes) {
        if (archive->next == NULL && archive->left > 0) {
            pass_data(archive);
        } else if (archive->next == NULL) {
            pass_headers(archive);
        } else if (archive->lent == archive->known) {
            archive->lent = archive->known = archive->next;
            archive->next = NULL;
        } else {
            break;
        }
    }
    part = least_size(bytes, (size_t)(archive->known - archive->lent));
    *data = archive->lent;
    archive->lent += part;
    return part;
}

void archive_begin(struct source *source)
{
    static const struct source_stage stage = {
        .read = read_members, .lend = lend_members, .rewind = restart, .release = free};
    struct archive *archive = fault_allocate(1, sizeof *archive);

    archive->files = source_insert(source, &stage, archive);
    restart(archive);
}
