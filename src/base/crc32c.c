/*
 * The register holds a polynomial over GF(2) modulo x^32 + x^28 + x^27 + ... + 1, its bit 31 - i the coefficient of
 * x^i; each byte that comes multiplies it by x^8. The processor's instruction takes eight bytes at a time, but each
 * waits some cycles for the one before, although there could be one in every cycle. So longer data is cut into blocks
 * of three lanes that do not wait for each other; a register that belongs before others is multiplied by x to the
 * number of their bits, and added (V. Gopal et al., Fast CRC Computation for iSCSI Polynomial Using CRC32 Instruction,
 * 2011).
 *
 * Without that instruction, eight bytes are looked up four bits at a time: what each bit adds does not depend on the
 * others.
 */

#include "base/crc32c.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && defined(__linux__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

#define INLINE static inline __attribute__((always_inline))

static const uint32_t polynomial = 0x82f63b78;

/* Compilers see one load, with a byte swap on big-endian machines. */
static inline uint64_t load64(const uint8_t *p)
{
    return p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
           (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* ---- Plain C ---- */

#define NIBBLE(a, b, c, d)                                                                                             \
    {                                                                                                                  \
        0, a, b, a ^ b, c, a ^ c, b ^ c, a ^ b ^ c, d, a ^ d, b ^ d, a ^ b ^ d, c ^ d, a ^ c ^ d, b ^ c ^ d,           \
            a ^ b ^ c ^ d                                                                                              \
    }

/* What eight bytes make of an empty register, by their bits 4n to 4n + 3. Of those, the numbers are what each alone
 * makes of it. */
static const uint32_t nibbles[16][16] = {
    NIBBLE(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da), NIBBLE(0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664),
    NIBBLE(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53), NIBBLE(0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
    NIBBLE(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f), NIBBLE(0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
    NIBBLE(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91), NIBBLE(0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
    NIBBLE(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6), NIBBLE(0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
    NIBBLE(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5), NIBBLE(0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
    NIBBLE(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8), NIBBLE(0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
    NIBBLE(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf), NIBBLE(0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
};

static uint32_t crc_plain(uint32_t crc, const uint8_t *data, size_t bytes)
{
    crc = ~crc;
    for (; bytes >= 8; data += 8, bytes -= 8) {
        const uint64_t word = load64(data) ^ crc;
        crc = 0;
        for (int i = 0; i < 16; i++)
            crc ^= nibbles[i][word >> 4 * i & 15];
    }
    for (; bytes > 0; bytes--) {
        crc ^= *data++;
        for (int i = 0; i < 2; i++)
            crc = crc >> 4 ^ nibbles[15][crc & 15];
    }
    return ~crc;
}

static bool has_plain(void)
{
    return true;
}

/* ---- The processor's instruction ---- */

/* Bytes of a lane, and x to the power of its bits and of those of two lanes. With three lanes of 512, 1024 and 2048
 * bytes, data of 256 KiB takes XX, XX and XX ps a byte (Xeon, Sapphire Rapids); shorter lanes serve shorter records. */
enum { LANE = 1024 };
static const uint32_t one_lane = 0xe4172b16, two_lanes = 0x0d65762a;

/* The product of two polynomials. */
static inline uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (int i = 31; i >= 0; i--) {
        product ^= b & (0 - (a >> i & 1));
        b = b >> 1 ^ (polynomial & (0 - (b & 1)));
    }
    return product;
}

/* The register after eight bytes, and after one. */
typedef uint32_t word_function(uint32_t crc, uint64_t word);
typedef uint32_t byte_function(uint32_t crc, uint8_t byte);

INLINE uint32_t crc_by_instruction(word_function *add_word, byte_function *add_byte, uint32_t crc, const uint8_t *data,
                                   size_t bytes)
{
    crc = ~crc;
    for (; bytes >= 3 * LANE; data += 3 * LANE, bytes -= 3 * LANE) {
        uint32_t second = 0, third = 0;
        for (size_t i = 0; i < LANE; i += 8) {
            crc = add_word(crc, load64(data + i));
            second = add_word(second, load64(data + LANE + i));
            third = add_word(third, load64(data + 2 * LANE + i));
        }
        crc = multiply(two_lanes, crc) ^ multiply(one_lane, second) ^ third;
    }
    for (; bytes >= 8; data += 8, bytes -= 8)
        crc = add_word(crc, load64(data));
    for (; bytes > 0; data++, bytes--)
        crc = add_byte(crc, *data);
    return ~crc;
}

/* Defines the way that adds with word_NAME and byte_NAME. */
#define DEFINE_WAY(NAME, TARGET)                                                                                       \
    TARGET static uint32_t crc_##NAME(uint32_t crc, const uint8_t *data, size_t bytes)                                 \
    {                                                                                                                  \
        return crc_by_instruction(word_##NAME, byte_##NAME, crc, data, bytes);                                         \
    }

#if defined(__x86_64__)

#define SSE42 __attribute__((target("sse4.2")))

SSE42 static inline uint32_t word_sse42(uint32_t crc, uint64_t word)
{
    return (uint32_t)_mm_crc32_u64(crc, word);
}

SSE42 static inline uint32_t byte_sse42(uint32_t crc, uint8_t byte)
{
    return _mm_crc32_u8(crc, byte);
}

DEFINE_WAY(sse42, SSE42)

static bool has_sse42(void)
{
    return __builtin_cpu_supports("sse4.2");
}

const struct crc32c_way crc32c_ways[] = {
    {"sse42", crc_sse42, has_sse42},
    {"plain", crc_plain, has_plain},
    {NULL, NULL, NULL},
};

#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && defined(__linux__)

#define ARMV8 __attribute__((target("+crc")))

ARMV8 static inline uint32_t word_armv8(uint32_t crc, uint64_t word)
{
    return __crc32cd(crc, word);
}

ARMV8 static inline uint32_t byte_armv8(uint32_t crc, uint8_t byte)
{
    return __crc32cb(crc, byte);
}

DEFINE_WAY(armv8, ARMV8)

static bool has_armv8(void)
{
    enum { CRC32 = 1 << 7 }; /* HWCAP_CRC32 of <asm/hwcap.h> */
    return (getauxval(AT_HWCAP) & CRC32) != 0;
}

const struct crc32c_way crc32c_ways[] = {
    {"armv8", crc_armv8, has_armv8},
    {"plain", crc_plain, has_plain},
    {NULL, NULL, NULL},
};

#else

const struct crc32c_way crc32c_ways[] = {
    {"plain", crc_plain, has_plain},
    {NULL, NULL, NULL},
};

#endif

uint32_t crc32c(uint32_t crc, const uint8_t *data, size_t bytes)
{
    const struct crc32c_way *way = crc32c_ways;
    while (!way->supported())
        way++;
    return way->crc(crc, data, bytes);
}
