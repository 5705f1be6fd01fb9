/*
 * In a stream cut anywhere, members end where their headers say, read one by one, if no header is refused. In any case,
 * only the headers' own bytes are read.
 */

#include "fuzz.h"

#include "record/record.h"

enum { STREAM_MAX = 1 << 15, MEMBERS_MAX = STREAM_MAX / TAR_BLOCK_BYTES, PIECES = 16, SIZE = 124, CHECKSUM = 148 };

static uint8_t stream[STREAM_MAX];
static size_t stream_bytes;

/* ---- What might be an archive ---- */

static void put(const void *data, size_t bytes)
{
    if (bytes > STREAM_MAX - stream_bytes)
        bytes = STREAM_MAX - stream_bytes;
    memcpy(stream + stream_bytes, data, bytes);
    stream_bytes += bytes;
}

static void put_zeros(void)
{
    static const uint8_t zeros[TAR_BLOCK_BYTES];

    put(zeros, tar_whole_blocks(stream_bytes) - stream_bytes);
}

static void put_taken(struct fuzz *fuzz, size_t bytes)
{
    while (bytes-- > 0) {
        const uint8_t byte = fuzz_byte(fuzz);

        put(&byte, 1);
    }
}

static void sum_up(uint8_t *block)
{
    unsigned sum = 0;

    memset(block + CHECKSUM, ' ', 8);
    for (size_t i = 0; i < TAR_BLOCK_BYTES; i++)
        sum += block[i];
    snprintf((char *)block + CHECKSUM, 8, "%06o", sum);
}

static void put_header(struct fuzz *fuzz, uint8_t type, size_t size)
{
    uint8_t block[TAR_BLOCK_BYTES] = {'n'};
    const uint8_t changes = fuzz_byte(fuzz);

    block[1] = fuzz_byte(fuzz);
    block[156] = type;
    snprintf((char *)block + SIZE, 12, "%011zo", size);
    if (changes % 4 == 1)
        memcpy(block + 257, "ustar", sizeof "ustar");
    if (changes % 8 == 7)
        for (size_t i = 0; i < 12; i++)
            block[SIZE + i] = fuzz_byte(fuzz);
    sum_up(block);
    if (changes == 255)
        block[fuzz_from_to(fuzz, 0, TAR_BLOCK_BYTES - 1)] ^= fuzz_byte(fuzz);
    put(block, sizeof block);
}

static void put_pax(struct fuzz *fuzz)
{
    static const char *const keys[] = {"size", "path", "linkpath", "sizes", "siz", "", "comment", "GNU.sparse.major"};
    char text[256];
    size_t used = 0;

    for (size_t fields = fuzz_byte(fuzz) % 5; fields > 0; fields--) {
        const char *key = keys[fuzz_byte(fuzz) % (sizeof keys / sizeof *keys)];
        const int length = snprintf(text + used, 50, "%zu %s=%llu\n", fuzz_from_to(fuzz, 0, 40), key,
                                    (unsigned long long)fuzz_number(fuzz) % 3000);

        used += (size_t)length;
    }
    used += (size_t)snprintf(text + used, 20, fuzz_byte(fuzz) % 2 ? "12 size=600\n" : "8 size=\n");
    put_header(fuzz, 'x', used);
    put(text, used);
    put_zeros();
}

static void fill(struct fuzz *fuzz)
{
    static const char types[] = "000000\0\0LKx123457gS";

    stream_bytes = 0;
    while (fuzz->bytes > 0 && stream_bytes < STREAM_MAX) {
        const uint8_t type = (uint8_t)types[fuzz_byte(fuzz) % (sizeof types - 1)];
        const size_t size = type >= '1' && type <= '6' ? fuzz_byte(fuzz) % 16 == 1 : fuzz_from_to(fuzz, 0, 1400);

        if (type == 'x' && size % 4 > 0) {
            put_pax(fuzz);
            continue;
        }
        put_header(fuzz, type, size);
        put_taken(fuzz, size);
        put_zeros();
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
        if (headers.wanted > stream_bytes - start)
            return 0;
        FUZZ_CHECK(headers.wanted > headers.bytes && headers.wanted <= TAR_HEADERS_BYTES_MAX);
        memcpy(collected, stream + start, headers.wanted);
        headers.bytes = headers.wanted;
        verdict = tar_headers_look(&headers, &member, &why);
        FUZZ_CHECK((why != NULL) == (verdict == TAR_REFUSED));
    } while (verdict == TAR_MORE);
    if (verdict != TAR_MEMBER || member.data_bytes > stream_bytes - start - headers.bytes)
        return 0;
    FUZZ_CHECK(member.name.bytes > 0 && member.name.bytes <= TAR_NAME_BYTES_MAX);
    key_bytes = tar_headers_key(member.name, key);
    FUZZ_CHECK(key_bytes <= member.name.bytes && key_bytes > 0);
    return start + headers.bytes + (size_t)member.data_bytes;
}

/* ---- In pieces ---- */

static void scan(struct fuzz fuzz, const uint32_t *expected, size_t members, size_t bytes)
{
    const struct record_format format = {.kind = &tar_kind};
    struct record_scan scan = {0};
    size_t found = 0, last = 0;

    for (size_t at = 0, scanned; at < bytes; at += scanned) {
        const size_t step = fuzz_from_to(&fuzz, 1, 2000), room = 1 + fuzz_byte(&fuzz) % 8;
        const size_t piece_bytes = bytes - at < step ? bytes - at : step;
        uint8_t *piece = fuzz_copy(stream + at, piece_bytes);
        uint32_t ends[8];
        const size_t count = record_ends(&format, &scan, piece, piece_bytes, ends, room, &scanned);

        FUZZ_CHECK(count <= room && scanned == (count == room ? ends[count - 1] : piece_bytes));
        for (size_t i = 0; i < count; i++, found++) {
            FUZZ_CHECK(at + ends[i] > last && at + ends[i] <= bytes);
            last = at + ends[i];
            FUZZ_CHECK(expected == NULL || (found < members && last == expected[found]));
        }
        free(piece);
    }
    FUZZ_CHECK(expected == NULL || found == members);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes}, pieces = fuzz;
    uint32_t ends[MEMBERS_MAX];
    size_t members = 0, at = 0;

    fill(&fuzz);
    while (at < stream_bytes && (at = read_member(at)) > 0)
        ends[members++] = (uint32_t)at;
    scan(pieces, ends, members, members > 0 ? ends[members - 1] : 0);
    scan(pieces, NULL, 0, stream_bytes);
    return 0;
}
