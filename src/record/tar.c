/*
 * POSIX.1-2008, pax, "ustar Interchange Format" and "pax Extended Header"; for the rest the manual of GNU tar 1.34,
 * "Basic Tar Format" and "GNU Extensions to the Archive Format".
 *
 * Programs read some archives differently: of a directory that says it has data, some take the data for the next
 * header. The fields that all programs must read as we do are checked strictly: once moved, a misread member could not
 * be told from its neighbours.
 */

#include "record/tar.h"

#include <string.h>

#include "record/group.h"
#include "record/record.h"
#include "record/tail.h"
#include "system/fault.h"

/* Where fields of a header block are. */
enum {
    NAME = 0,
    NAME_BYTES = 100,
    SIZE = 124,
    SIZE_BYTES = 12,
    CHECKSUM = 148,
    CHECKSUM_BYTES = 8,
    TYPE = 156,
    TARGET = 157,
    TARGET_BYTES = 100,
    MAGIC = 257,
    PREFIX = 345,
    PREFIX_BYTES = 155,
};

static const uint64_t SIZE_MOST = UINT64_MAX / 4;

void tar_headers_begin(struct tar_headers *headers)
{
    *headers = (struct tar_headers){.data = headers->data, .wanted = TAR_BLOCK_BYTES};
}

size_t tar_headers_key(struct tar_text name, uint8_t key[TAR_NAME_BYTES_MAX])
{
    size_t folder = name.bytes, from, end;

    while (folder > 0 && name.data[folder - 1] != '/')
        folder--;
    from = folder;
    if (name.bytes - from > 2 && name.data[from] == '.' && name.data[from + 1] == '_')
        from += 2;
    end = from < name.bytes ? from + 1 : from;
    while (end < name.bytes && name.data[end] != '.')
        end++;
    memcpy(key, name.data, folder);
    memcpy(key + folder, name.data + from, end - from);
    return folder + end - from;
}

/* ---- Fields ---- */

/* An octal number between spaces and NUL bytes, or a binary one after the byte 0x80. An empty field is 0. */
static bool read_number(const uint8_t *field, size_t bytes, uint64_t *number)
{
    const bool binary = field[0] == 0x80;
    size_t i = binary;

    *number = 0;
    while (!binary && i < bytes && field[i] == ' ')
        i++;
    for (; i < bytes && (binary || (field[i] >= '0' && field[i] <= '7')); i++) {
        if (*number > SIZE_MOST >> 8)
            return false;
        *number = binary ? *number << 8 | field[i] : *number << 3 | (field[i] & 7);
    }
    while (i < bytes && (field[i] == ' ' || field[i] == '\0'))
        i++;
    return i == bytes;
}

/* Its own bytes count as spaces in the checksum. */
static bool is_checked(const uint8_t *block)
{
    uint32_t sum = CHECKSUM_BYTES * ' ';
    uint64_t expected;

    for (size_t i = 0; i < TAR_BLOCK_BYTES; i++)
        sum += block[i];
    for (size_t i = CHECKSUM; i < CHECKSUM + CHECKSUM_BYTES; i++)
        sum -= block[i];
    return read_number(block + CHECKSUM, CHECKSUM_BYTES, &expected) && expected == sum;
}

static bool is_zero(const uint8_t *block)
{
    return block[0] == 0 && memcmp(block, block + 1, TAR_BLOCK_BYTES - 1) == 0;
}

static struct tar_text text_of(const uint8_t *field, size_t bytes)
{
    const uint8_t *end = memchr(field, '\0', bytes);

    return (struct tar_text){field, end != NULL ? (size_t)(end - field) : bytes};
}

/* Replace `text` by the one in an L or K, if there is one. */
static void replace(struct tar_text *text, const struct tar_headers *headers, struct tar_part part)
{
    if (part.bytes > 0)
        *text = text_of(headers->data + part.at, part.bytes);
}

/* The name that a header block gives. */
static struct tar_text name_in_block(const uint8_t *block, struct tar_member *member)
{
    const struct tar_text name = text_of(block + NAME, NAME_BYTES);
    const struct tar_text prefix = text_of(block + PREFIX, PREFIX_BYTES);

    if (memcmp(block + MAGIC, "ustar", sizeof "ustar") != 0 || prefix.bytes == 0)
        return name;
    memcpy(member->ustar_name, prefix.data, prefix.bytes);
    member->ustar_name[prefix.bytes] = '/';
    memcpy(member->ustar_name + prefix.bytes + 1, name.data, name.bytes);
    return (struct tar_text){member->ustar_name, prefix.bytes + 1 + name.bytes};
}

/* ---- Types ---- */

static const char *why_refused(uint8_t type)
{
    switch (type) {
    case 'g':
        return "a pax header for all members after it, so that these cannot be moved";
    case 'S':
        return "a sparse file, which cannot be moved";
    case 'M':
        return "the rest of a file from another volume, which cannot be moved";
    case 'V':
        return "a volume label, which cannot be moved";
    default:
        return "of a type that is not known here";
    }
}

static bool is_known(uint8_t type)
{
    return type == '\0' || (type >= '0' && type <= '7');
}

/* Where headers of this type are kept; NULL for others. */
static struct tar_part *part_of_type(struct tar_headers *headers, uint8_t type)
{
    switch (type) {
    case 'x':
        return &headers->pax;
    case 'L':
        return &headers->name;
    case 'K':
        return &headers->target;
    default:
        return NULL;
    }
}

/* ---- pax ---- */

/* LENGTH KEY=VALUE "\n", where LENGTH counts all of it. */
struct pax_field {
    struct tar_text key;
    struct tar_text value;
};

/* Take the first field off the text. */
static bool pax_take(struct tar_text *text, struct pax_field *field)
{
    const uint8_t *end, *equals;
    size_t length = 0, digits = 0;

    while (digits < text->bytes && text->data[digits] >= '0' && text->data[digits] <= '9' && length <= text->bytes)
        length = 10 * length + (size_t)(text->data[digits++] - '0');
    if (digits == 0 || length > text->bytes || length < digits + sizeof " =" || text->data[digits] != ' ')
        return false;
    end = text->data + length - 1;
    field->key.data = text->data + digits + 1;
    equals = memchr(field->key.data, '=', (size_t)(end - field->key.data));
    if (equals == NULL || *end != '\n')
        return false;
    field->key.bytes = (size_t)(equals - field->key.data);
    field->value = (struct tar_text){equals + 1, (size_t)(end - equals) - 1};
    text->data += length;
    text->bytes -= length;
    return true;
}

static bool is_key(const struct pax_field *field, const char *key)
{
    return field->key.bytes == strlen(key) && memcmp(field->key.data, key, field->key.bytes) == 0;
}

static bool begins_with(struct tar_text text, const char *beginning)
{
    return text.bytes >= strlen(beginning) && memcmp(text.data, beginning, strlen(beginning)) == 0;
}

static bool read_decimal(struct tar_text text, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < text.bytes; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || *number > SIZE_MOST / 10 - 1)
            return false;
        *number = 10 * *number + (uint64_t)(text.data[i] - '0');
    }
    return true;
}

/* Replace the values of a member's own header by those of pax. A field without a value replaces nothing. */
static const char *apply_pax(struct tar_text pax, struct tar_text *name, struct tar_text *target, uint64_t *size)
{
    const uint64_t own_size = *size;
    struct pax_field field;

    while (pax.bytes > 0) {
        if (!pax_take(&pax, &field))
            return "pax header is damaged";
        if (begins_with(field.key, "GNU.sparse.") || is_key(&field, "SCHILY.realsize"))
            return why_refused('S');
        if (begins_with(field.key, "GNU.volume."))
            return why_refused('M');
        if (is_key(&field, "size") && !read_decimal(field.value, size))
            return "size in the pax header is no number";
        if (is_key(&field, "size") && field.value.bytes == 0)
            *size = own_size;
        if (is_key(&field, "path") && field.value.bytes > 0)
            *name = field.value;
        if (is_key(&field, "linkpath") && field.value.bytes > 0)
            *target = field.value;
    }
    return NULL;
}

/* ---- A member ---- */

/* All headers are there, the last one with this type and size. Fill in *member. NULL, or why it is refused. */
static const char *read_member(const struct tar_headers *headers, uint8_t type, uint64_t size,
                               struct tar_member *member)
{
    const struct tar_text pax = {headers->data + headers->pax.at, headers->pax.bytes};
    struct tar_text target = text_of(headers->data + headers->block + TARGET, TARGET_BYTES);
    const char *why;

    replace(&member->name, headers, headers->name);
    replace(&target, headers, headers->target);
    why = apply_pax(pax, &member->name, &target, &size);
    if (why != NULL)
        return why;
    if (member->name.bytes == 0)
        return "no name";
    if (member->name.bytes > TAR_NAME_BYTES_MAX || target.bytes > TAR_NAME_BYTES_MAX)
        return "a name longer than 4096 bytes";
    member->directory = type == '5' || member->name.data[member->name.bytes - 1] == '/';
    if (size > 0 && (member->directory || (type >= '1' && type <= '6')))
        return "no file, but of a size, so that programs do not agree on where it ends";
    if (type == '1')
        member->target = target;
    member->data_bytes = tar_whole_blocks(size);
    return NULL;
}

/* A header block with `size` bytes of data belongs to the member after it. */
static const char *collect_header(struct tar_headers *headers, struct tar_part *part, uint64_t size)
{
    const size_t at = headers->block + TAR_BLOCK_BYTES;

    if (part->at > 0)
        return "the second header of its kind for one member";
    if (size > TAR_HEADERS_BYTES_MAX || at + tar_whole_blocks(size) + TAR_BLOCK_BYTES > TAR_HEADERS_BYTES_MAX)
        return "headers larger than 1 MiB";
    *part = (struct tar_part){at, (size_t)size};
    headers->block = at + (size_t)tar_whole_blocks(size);
    headers->wanted = headers->block + TAR_BLOCK_BYTES;
    return NULL;
}

enum tar_verdict tar_headers_look(struct tar_headers *headers, struct tar_member *member, const char **why)
{
    const uint8_t *block = headers->data + headers->block;
    struct tar_part *part;
    uint64_t size;

    *member = (struct tar_member){.directory = false};
    *why = NULL;
    if (headers->block == 0 && is_zero(block))
        return TAR_ZEROS;
    if (!is_checked(block)) {
        *why = headers->block == 0 ? "no header of a tar archive, or damaged: its checksum is wrong"
                                   : "the header's checksum is wrong";
        return TAR_REFUSED;
    }
    member->name = name_in_block(block, member);
    part = part_of_type(headers, block[TYPE]);
    if (part == NULL && !is_known(block[TYPE]))
        *why = why_refused(block[TYPE]);
    else if (!read_number(block + SIZE, SIZE_BYTES, &size))
        *why = "the size is no number";
    else if (part != NULL)
        *why = collect_header(headers, part, size);
    else
        *why = read_member(headers, block[TYPE], size, member);
    if (*why != NULL)
        return TAR_REFUSED;
    return part != NULL ? TAR_MORE : TAR_MEMBER;
}

/* ---- Members as records, with their headers, in groups (group.h), without blocks of zeros between ---- */

/* Errors in an archive are found where it is read. */
static void check_archive_size(const struct tail *tail, const char *name, uint64_t bytes)
{
    (void)tail;
    if (bytes == 0)
        die("%s: empty, and so no tar archive", name);
    if (bytes % TAR_BLOCK_BYTES > 0)
        die("%s: truncated, or no tar archive: its size, %llu bytes, is not a multiple of %d", name,
            (unsigned long long)bytes, TAR_BLOCK_BYTES);
}

/* The mark of POSIX, or of GNU tar, in the first header; archives without one are older than 1988. */
static bool is_begun(const uint8_t *data, size_t bytes)
{
    return bytes >= MAGIC + strlen("ustar") && memcmp(data + MAGIC, "ustar", strlen("ustar")) == 0;
}

const struct record_kind tar_kind = {
    .name = "tar",
    .text = "samples: members of archives\nwhose names are the same up to\nthe first dot",
    .noun = "members",
    .traits = RECORD_GROUP,
    .file = "a tar archive",
    .is_begun = is_begun,
    .ends = group_ends,
    .check_size = check_archive_size,
};
