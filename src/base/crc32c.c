/*
 * The register holds a polynomial over GF(2) modulo x^32 + x^28 + x^27 + ... + 1, its bit 31 - i the coefficient of
 * x^i; each byte that comes multiplies it by x^8. The result of eight bytes is the sum of the results of their single
 * bits: so it can be looked up four bits at a time, in tables that are lists of such results.
 */

#include "base/crc32c.h"

#include "base/arithmetic.h"

#define NIBBLE(a, b, c, d)                                                                                             \
    {                                                                                                                  \
        0, a, b, a ^ b, c, a ^ c, b ^ c, a ^ b ^ c, d, a ^ d, b ^ d, a ^ b ^ d, c ^ d, a ^ c ^ d, b ^ c ^ d,           \
            a ^ b ^ c ^ d                                                                                              \
    }

/* A linear function of the bits 4n to 4n + 3 of a number, made of its four values for a single bit. */
typedef uint32_t nibble[16];

/* The register after eight bytes, if it was empty before. */
static const nibble word_table[16] = {
    NIBBLE(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da), NIBBLE(0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664),
    NIBBLE(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53), NIBBLE(0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
    NIBBLE(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f), NIBBLE(0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
    NIBBLE(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91), NIBBLE(0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
    NIBBLE(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6), NIBBLE(0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
    NIBBLE(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5), NIBBLE(0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
    NIBBLE(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8), NIBBLE(0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
    NIBBLE(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf), NIBBLE(0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
};

static inline uint32_t look_up(const nibble *table, int nibbles, uint64_t number)
{
    uint32_t sum = 0;
    for (int i = 0; i < nibbles; i++)
        sum ^= table[i][number >> 4 * i & 15];
    return sum;
}

static uint32_t crc_plain(uint32_t crc, const uint8_t *data, size_t bytes)
{
    crc = ~crc;
    for (; bytes >= 8; data += 8, bytes -= 8)
        crc = look_up(word_table, 16, load64le(data) ^ crc);
    for (; bytes > 0; bytes--) {
        crc ^= *data++;
        for (int i = 0; i < 2; i++)
            crc = crc >> 4 ^ word_table[15][crc & 15];
    }
    return ~crc;
}

#if defined(__x86_64__)

#include <immintrin.h>

/* The processor's instruction takes eight bytes at a time. Each waits three cycles for the one before, although one
 * could begin in every cycle. So blocks are cut into three lanes, which do not wait for each other. Then the register
 * of a lane is multiplied by x to the number of bits in the lanes after it, and added (V. Gopal et al., Fast CRC
 * Computation for iSCSI Polynomial Using CRC32 Instruction, 2011). A shuffle of TFRecords of 1000 bytes takes 0.21 s
 * for 1 GB, and 0.27 s without lanes. */
enum { LANE = 256, AHEAD = 3072 };

/* They multiply a register by x to the power of the bits in one lane and in two. */
static const nibble one_lane[8] = {
    NIBBLE(0xdcb17aa4, 0xbc8e83b9, 0x7cf17183, 0xf9e2e306), NIBBLE(0xf629b0fd, 0xe9bf170b, 0xd69258e7, 0xa8c8c73f),
    NIBBLE(0x547df88f, 0xa8fbf11e, 0x541b94cd, 0xa837299a), NIBBLE(0x558225c5, 0xab044b8a, 0x53e4e1e5, 0xa7c9c3ca),
    NIBBLE(0x4a7ff165, 0x94ffe2ca, 0x2c13b365, 0x582766ca), NIBBLE(0xb04ecd94, 0x6571edd9, 0xcae3dbb2, 0x902bc195),
    NIBBLE(0x25bbf5db, 0x4b77ebb6, 0x96efd76c, 0x2833d829), NIBBLE(0x5067b052, 0xa0cf60a4, 0x4472b7b9, 0x88e56f72),
};
static const nibble two_lanes[8] = {
    NIBBLE(0xbd6f81f8, 0x7f337501, 0xfe66ea02, 0xf921a2f5), NIBBLE(0xf7af331b, 0xeab210c7, 0xd088577f, 0xa4fcd80f),
    NIBBLE(0x4c15c6ef, 0x982b8dde, 0x35bb6d4d, 0x6b76da9a), NIBBLE(0xd6edb534, 0xa8371c99, 0x55824fc3, 0xab049f86),
    NIBBLE(0x53e549fd, 0xa7ca93fa, 0x4a795105, 0x94f2a20a), NIBBLE(0x2c0932e5, 0x581265ca, 0xb024cb94, 0x65a5e1d9),
    NIBBLE(0xcb4bc3b2, 0x937bf195, 0x231b95db, 0x46372bb6), NIBBLE(0x8c6e576c, 0x1d30d829, 0x3a61b052, 0x74c360a4),
};

__attribute__((target("sse4.2"))) static uint32_t crc_sse42(uint32_t before, const uint8_t *data, size_t bytes)
{
    uint64_t crc = (uint32_t)~before;
    for (; bytes >= 3 * LANE; data += 3 * LANE, bytes -= 3 * LANE) {
        uint64_t second = 0, third = 0;
        for (size_t i = 0; i < 3 * LANE; i += 64)
            __builtin_prefetch(data + AHEAD + i);
        for (size_t i = 0; i < LANE; i += 8) {
            crc = _mm_crc32_u64(crc, load64le(data + i));
            second = _mm_crc32_u64(second, load64le(data + LANE + i));
            third = _mm_crc32_u64(third, load64le(data + 2 * LANE + i));
        }
        crc = look_up(two_lanes, 8, crc) ^ look_up(one_lane, 8, second) ^ third;
    }
    for (; bytes >= 8; data += 8, bytes -= 8)
        crc = _mm_crc32_u64(crc, load64le(data));
    for (; bytes > 0; bytes--)
        crc = _mm_crc32_u8((uint32_t)crc, *data++);
    return (uint32_t)~crc;
}

static bool has_sse42(void)
{
    return __builtin_cpu_supports("sse4.2");
}

#endif

const struct crc32c_way crc32c_ways[] = {
#if defined(__x86_64__)
    {"sse42", crc_sse42, has_sse42},
#endif
    {"plain", crc_plain, NULL},
    {NULL, NULL, NULL},
};

uint32_t crc32c(uint32_t crc, const uint8_t *data, size_t bytes)
{
    const struct crc32c_way *way = crc32c_ways;
    while (way->supported != NULL && !way->supported())
        way++;
    return way->crc(crc, data, bytes);
}
