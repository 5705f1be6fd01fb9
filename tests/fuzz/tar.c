/* Headers of members are read one by one, or refused; only their own bytes are read. */

#include "fuzz.h"

#include "../support/tar_archive.h"
#include "record/tar.h"

enum { STREAM_MAX = 1 << 15, DATA_MAX = 1400, SIZE = 124 };

static struct tar_archive archive;

/* ---- What might be an archive ---- */

static void put_header(struct fuzz *fuzz, uint8_t type, size_t size)
{
    const char name[] = {'n', (char)fuzz_byte(fuzz), '\0'};
    const uint8_t changes = fuzz_byte(fuzz);
    uint8_t *field;

    tar_archive_header(&archive, (char)type, name, size);
    field = archive.data + archive.header + SIZE;
    if (changes % 8 == 6) /* in binary */
        for (size_t i = 0; i < 12; i++)
            field[i] = (uint8_t)(i == 0 ? 0x80 : i < 8 ? 0 : size >> 8 * (11 - i));
    for (size_t i = 0; i < 12 && changes % 8 == 7; i++)
        field[i] = fuzz_byte(fuzz);
    tar_archive_sum(&archive);
    if (changes == 255)
        archive.data[archive.header + fuzz_from_to(fuzz, 0, TAR_BLOCK_BYTES - 1)] ^= fuzz_byte(fuzz);
}

/* Fields whose lengths may be wrong. Returns the size that they give to the member. */
static size_t put_pax(struct fuzz *fuzz)
{
    static const char *const keys[] = {"size", "path",  "linkpath", "sizes",
                                       "siz",  "msize", "comment",  "GNU.sparse.major"};
    char text[256], field[50];
    const uint8_t fields = fuzz_byte(fuzz) % 5;
    size_t used = 0, size = 0;

    for (uint8_t i = 0; i < fields; i++) {
        const uint8_t key = fuzz_byte(fuzz) % 8, wrong = fuzz_byte(fuzz);
        const size_t value = (size_t)(fuzz_number(fuzz) % DATA_MAX);
        const size_t length = (size_t)snprintf(field, sizeof field, " %s=%zu\n", keys[key], value);

        used += (size_t)snprintf(text + used, 50, "%zu%s", length + 1 + (length > 8) + wrong / 200U, field);
        size = key == 0 ? value : size;
    }
    if (fuzz_byte(fuzz) % 4 == 1) {
        used += (size_t)snprintf(text + used, 50, "8 size=\n");
        size = 0;
    }
    put_header(fuzz, 'x', used);
    tar_archive_data(&archive, text, used);
    return size;
}

static void fill(struct fuzz *fuzz)
{
    static const char types[] = "000000\0\0LKx123457gS";
    size_t size_of_pax = 0;
    char data[DATA_MAX];

    archive.bytes = 0;
    while (fuzz->bytes > 0 && archive.bytes < STREAM_MAX - 2048) {
        const uint8_t type = (uint8_t)types[fuzz_byte(fuzz) % (sizeof types - 1)];
        const bool extends = type == 'L' || type == 'K';
        size_t size = type >= '1' && type <= '6' ? fuzz_byte(fuzz) % 16 == 1 : fuzz_from_to(fuzz, 0, DATA_MAX);

        if (type == 'x' && size % 4 > 0) {
            size_of_pax = put_pax(fuzz);
            continue;
        }
        put_header(fuzz, type, size);
        if (size_of_pax > 0 && !extends)
            size = size_of_pax;
        size_of_pax = extends ? size_of_pax : 0;
        memset(data, fuzz_byte(fuzz), size);
        tar_archive_data(&archive, data, size);
    }
}

/* ---- One by one ---- */

/* The end of the member that begins there, or 0 if it is refused or does not end. */
static size_t read_member(size_t start)
{
    static uint8_t collected[TAR_HEADERS_BYTES_MAX];
    struct tar_headers headers = {.data = collected};
    struct tar_member member;
    uint8_t key[TAR_NAME_BYTES_MAX];
    size_t key_bytes;
    enum tar_verdict verdict;
    const char *why;

    tar_headers_begin(&headers);
    do {
        if (headers.wanted > archive.bytes - start)
            return 0;
        FUZZ_CHECK(headers.wanted > headers.bytes && headers.wanted <= TAR_HEADERS_BYTES_MAX);
        memcpy(collected, archive.data + start, headers.wanted);
        headers.bytes = headers.wanted;
        verdict = tar_headers_look(&headers, &member, &why);
        FUZZ_CHECK((why != NULL) == (verdict == TAR_REFUSED));
    } while (verdict == TAR_MORE);
    if (verdict != TAR_MEMBER || member.data_bytes > archive.bytes - start - headers.bytes)
        return 0;
    FUZZ_CHECK(member.name.bytes > 0 && member.name.bytes <= TAR_NAME_BYTES_MAX);
    key_bytes = tar_headers_key(member.name, key);
    FUZZ_CHECK(key_bytes <= member.name.bytes && key_bytes > 0);
    return start + headers.bytes + (size_t)member.data_bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};
    size_t at = 0, end;

    fill(&fuzz);
    while (at < archive.bytes && (end = read_member(at)) > 0) {
        FUZZ_CHECK(end > at && end <= archive.bytes && (end - at) % TAR_BLOCK_BYTES == 0);
        at = end;
    }
    return 0;
}
