/* Any block that is accepted gives exactly the bytes asked for, and nothing outside the buffers is touched. Compressed
 * bytes come back, also when there is just enough room for them. */

#include "fuzz.h"

#include "base/lz4.h"

static void read_block(struct fuzz fuzz)
{
    const size_t wanted = fuzz_from_to(&fuzz, 0, LZ4_BLOCK_BYTES_MAX);
    uint8_t *block = fuzz_copy(fuzz.data, fuzz.bytes);
    uint8_t *plain = malloc(wanted > 0 ? wanted : 1);

    FUZZ_CHECK(plain != NULL);
    (void)lz4_decompress(block, fuzz.bytes, plain, wanted);
    free(plain);
    free(block);
}

static void write_and_read(struct fuzz fuzz)
{
    static uint8_t repeated[LZ4_BLOCK_BYTES_MAX];
    static uint8_t packed[2 * LZ4_BLOCK_BYTES_MAX];
    static struct lz4_table table;
    const size_t unit = fuzz_from_to(&fuzz, 1, 4096);
    const size_t times = fuzz_from_to(&fuzz, 1, 4096);
    size_t bytes = fuzz_repeat(&fuzz, unit, times, repeated, sizeof repeated / 2);
    uint8_t *plain;
    uint8_t *block;
    uint8_t *back;
    size_t length;

    bytes += fuzz_repeat(&fuzz, fuzz.bytes, 1, repeated + bytes, sizeof repeated - bytes);
    plain = fuzz_copy(repeated, bytes);
    back = fuzz_copy(repeated, bytes);
    length = lz4_compress(&table, plain, bytes, packed, sizeof packed);
    FUZZ_CHECK(length > 0);
    block = fuzz_copy(packed, length);
    FUZZ_CHECK(lz4_compress(&table, plain, bytes, block, length) == length);
    FUZZ_CHECK(lz4_compress(&table, plain, bytes, block, length - 1) == 0);
    memset(back, 0, bytes);
    FUZZ_CHECK(lz4_decompress(packed, length, back, bytes) && memcmp(back, plain, bytes) == 0);
    free(back);
    free(block);
    free(plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const struct fuzz fuzz = {data, bytes};

    read_block(fuzz);
    write_and_read(fuzz);
    return 0;
}
