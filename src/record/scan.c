/*
 * The data is compared with the byte sought in windows of 64 bytes, each of which gives a mask of 64 bits, one for each
 * hit; what the ways differ in is how a mask is made. Everything else is arithmetic on masks and common to all. Where
 * lines are short there are several in every window and their number varies, so that a loop that ends with the last hit
 * would often be mispredicted. Hits are therefore written in groups, whether the last of them exist or not, and the
 * next window's overwrite what was too much. That needs room in `ends` for a whole window; near its end they are
 * written one by one.
 *
 * A byte is inside quotes if the number of quotes up to it is odd: the exclusive or of all bits of the quotes' mask up
 * to its own, and of what the window before ended with (Langdale and Lemire, Parsing Gigabytes of JSON per Second,
 * 2019).
 */

#include "record/scan.h"

#include "base/arithmetic.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>
#endif

#define INLINE static inline __attribute__((always_inline))

enum { WINDOW = 64 };

/* Bit i tells whether data[i] is `byte`. */
typedef uint64_t hits_function(const uint8_t *data, uint8_t byte);

/* Bit i is the exclusive or of bits 0 to i. */
typedef uint64_t parity_function(uint64_t bits);

/* Write the end of the first hit and return the hits without it. Without hits, what is written has no meaning; the bit
 * added is there because counting the zeros of 0 has no result at all, and costs less than a branch. */
INLINE uint64_t take_hit(uint64_t hits, size_t at, uint32_t *end)
{
    *end = (uint32_t)at + (uint32_t)__builtin_ctzll(hits | (uint64_t)1 << 63) + 1;
    return hits & (hits - 1);
}

enum sought { BYTE, PAIR, UNQUOTED };

/* What is sought, and where the search stands. */
struct search {
    uint8_t byte;
    uint8_t before;  /* PAIR: stands `distance` before `byte` */
    size_t distance; /* PAIR */
    uint64_t quoted; /* UNQUOTED: all bits set inside quotes, else none */
    size_t at;
};

/* The hits in a window. */
INLINE uint64_t hits_in(enum sought sought, hits_function *find_hits, parity_function *parity, const uint8_t *data,
                        struct search *search)
{
    uint64_t hits = find_hits(data, search->byte);
    if (sought == PAIR)
        hits &= find_hits(data - search->distance, search->before);
    if (sought == UNQUOTED) {
        uint64_t quoted = parity(find_hits(data, '"')) ^ search->quoted;
        search->quoted = 0 - (quoted >> (WINDOW - 1));
        hits &= ~quoted;
    }
    return hits;
}

/* The same for one byte. */
INLINE bool is_hit(enum sought sought, const uint8_t *data, struct search *search)
{
    if (sought == UNQUOTED && *data == '"')
        search->quoted = ~search->quoted;
    return *data == search->byte && (sought != PAIR || *(data - search->distance) == search->before) &&
           (sought != UNQUOTED || search->quoted == 0);
}

/* Groups of four, written out because not every compiler unrolls a loop of four: for lines of 1 to 17 bytes (Zen 5,
 * AVX2, GCC 12), groups of 1, 2, 4 and 8 take 1.4, 1.0, 0.7 and 0.8 ns a line, for lines of 350 bytes 4.2, 4.6, 5.0
 * and 7.3 ns. */
INLINE size_t scan(enum sought sought, hits_function *find_hits, parity_function *parity, struct search search,
                   const uint8_t *data, size_t bytes, uint32_t *ends, size_t room, struct search *stands)
{
    size_t found = 0, at = 0;
    for (; bytes - at >= WINDOW; at += WINDOW) {
        struct search after = search;
        uint64_t hits = hits_in(sought, find_hits, parity, data + at, &after);
        if (room - found >= WINDOW) {
            search = after;
            if (hits == 0)
                continue;
            uint32_t *next = ends + found;
            found += (size_t)__builtin_popcountll(hits);
            do {
                hits = take_hit(hits, at, next);
                hits = take_hit(hits, at, next + 1);
                hits = take_hit(hits, at, next + 2);
                hits = take_hit(hits, at, next + 3);
                next += 4;
            } while (hits != 0);
        } else {
            if ((size_t)__builtin_popcountll(hits) >= room - found)
                break;
            search = after;
            while (hits != 0)
                hits = take_hit(hits, at, &ends[found++]);
        }
    }
    /* What is left is less than a window, or runs out of room within one. */
    for (; at < bytes && found < room; at++) {
        if (is_hit(sought, data + at, &search))
            ends[found++] = (uint32_t)at + 1;
    }
    search.at = at;
    *stands = search;
    return found;
}

INLINE size_t count(hits_function *find_hits, const uint8_t *data, size_t bytes, uint8_t byte)
{
    size_t found = 0, at = 0;
    for (; bytes - at >= WINDOW; at += WINDOW)
        found += (size_t)__builtin_popcountll(find_hits(data + at, byte));
    for (; at < bytes; at++)
        found += data[at] == byte;
    return found;
}

/* Defines the functions of the way that finds its hits with hits_NAME and their parity with PARITY. */
#define DEFINE_WAY(NAME, PARITY, TARGET)                                                                               \
    TARGET static size_t byte_##NAME(const uint8_t *data, size_t bytes, uint8_t byte, uint32_t *ends, size_t room,     \
                                     size_t *scanned)                                                                  \
    {                                                                                                                  \
        struct search search = {.byte = byte};                                                                         \
        size_t found = scan(BYTE, hits_##NAME, PARITY, search, data, bytes, ends, room, &search);                      \
        *scanned = search.at;                                                                                          \
        return found;                                                                                                  \
    }                                                                                                                  \
    TARGET static size_t pair_##NAME(const uint8_t *data, size_t bytes, struct scan_pair pair, uint32_t *ends,         \
                                     size_t room, size_t *scanned)                                                     \
    {                                                                                                                  \
        struct search search = {.byte = pair.last, .before = pair.first, .distance = pair.distance};                   \
        size_t found = scan(PAIR, hits_##NAME, PARITY, search, data, bytes, ends, room, &search);                      \
        *scanned = search.at;                                                                                          \
        return found;                                                                                                  \
    }                                                                                                                  \
    TARGET static size_t unquoted_##NAME(const uint8_t *data, size_t bytes, uint8_t byte, bool *quoted,                \
                                         uint32_t *ends, size_t room, size_t *scanned)                                 \
    {                                                                                                                  \
        struct search search = {.byte = byte, .quoted = 0 - (uint64_t)*quoted};                                        \
        size_t found = scan(UNQUOTED, hits_##NAME, PARITY, search, data, bytes, ends, room, &search);                  \
        *quoted = search.quoted != 0;                                                                                  \
        *scanned = search.at;                                                                                          \
        return found;                                                                                                  \
    }                                                                                                                  \
    TARGET static size_t count_##NAME(const uint8_t *data, size_t bytes, uint8_t byte)                                 \
    {                                                                                                                  \
        return count(hits_##NAME, data, bytes, byte);                                                                  \
    }

#define WAY(NAME)                                                                                                      \
    {                                                                                                                  \
#NAME, byte_##NAME, pair_##NAME, unquoted_##NAME, count_##NAME, has_##NAME                                     \
    }
#define NO_WAY                                                                                                         \
    {                                                                                                                  \
        NULL, NULL, NULL, NULL, NULL, NULL                                                                             \
    }

/* Eight bytes in one number. A byte that differs leaves a difference x other than 0, so that x or x + 0x7f has its high
 * bit set; only the low 7 bits of x are added, so nothing carries into the next byte. The multiplication gathers the
 * eight bits in the highest byte. */
INLINE uint64_t hits_of_8(const uint8_t *p, uint8_t byte)
{
    const uint64_t ones = 0x0101010101010101;
    uint64_t x = load64le(p) ^ ones * byte;
    uint64_t differs = ((x & 0x7f * ones) + 0x7f * ones) | x;
    return (~differs >> 7 & ones) * 0x0102040810204080 >> 56;
}

static inline uint64_t hits_plain(const uint8_t *data, uint8_t byte)
{
    uint64_t hits = 0;
    for (int i = 0; i < WINDOW; i += 8)
        hits |= hits_of_8(data + i, byte) << i;
    return hits;
}

/* In six steps, of which each doubles the bits taken together. */
static inline uint64_t parity_by_shifts(uint64_t bits)
{
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    return bits ^ bits << 32;
}

DEFINE_WAY(plain, parity_by_shifts, )

static bool has_plain(void)
{
    return true;
}

#if defined(__x86_64__) || defined(__i386__)

#define SSE2     __attribute__((target("sse2")))
#define PCLMUL   __attribute__((target("sse2,pclmul")))
#define AVX2     __attribute__((target("avx2,bmi,popcnt,pclmul")))
#define AVX512BW __attribute__((target("avx512f,avx512bw,bmi,popcnt,pclmul")))

SSE2 static inline uint64_t hits_sse2(const uint8_t *data, uint8_t byte)
{
    const __m128i sought = _mm_set1_epi8((char)byte);
    uint64_t hits = 0;
    for (int i = 0; i < WINDOW; i += 16) {
        __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(data + i));
        hits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(part, sought)) << i;
    }
    return hits;
}

AVX2 static inline uint64_t hits_avx2(const uint8_t *data, uint8_t byte)
{
    const __m256i sought = _mm256_set1_epi8((char)byte);
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)data);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(data + 32));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, sought)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, sought)) << 32;
}

DEFINE_WAY(sse2, parity_by_shifts, SSE2)
/* The product with all ones, added without carries. */
PCLMUL static inline uint64_t parity_by_product(uint64_t bits)
{
    __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)bits), _mm_set1_epi8(-1), 0);
    uint64_t result;
    _mm_storel_epi64((__m128i *)(void *)&result, product);
    return result;
}

DEFINE_WAY(avx2, parity_by_product, AVX2)

static bool has_sse2(void)
{
    return __builtin_cpu_supports("sse2");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("pclmul");
}

const struct scan_way scan_ways[] = {
    WAY(avx2),
    WAY(sse2),
    WAY(plain),
    NO_WAY,
};

#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* Every byte that matches keeps the one bit that stands for its place among 8; sums of neighbours, three times over,
 * gather those bits in one byte. */
static inline uint64_t hits_neon(const uint8_t *data, uint8_t byte)
{
    const uint8x16_t sought = vdupq_n_u8(byte);
    const uint8x16_t places = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    uint8x16_t a = vandq_u8(vceqq_u8(vld1q_u8(data), sought), places);
    uint8x16_t b = vandq_u8(vceqq_u8(vld1q_u8(data + 16), sought), places);
    uint8x16_t c = vandq_u8(vceqq_u8(vld1q_u8(data + 32), sought), places);
    uint8x16_t d = vandq_u8(vceqq_u8(vld1q_u8(data + 48), sought), places);
    uint8x16_t sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

DEFINE_WAY(neon, parity_by_shifts, )

static bool has_neon(void)
{
    return true;
}

const struct scan_way scan_ways[] = {
    WAY(neon),
    WAY(plain),
    NO_WAY,
};

#else

const struct scan_way scan_ways[] = {
    WAY(plain),
    NO_WAY,
};

#endif

static const struct scan_way *best_way(void)
{
    const struct scan_way *way = scan_ways;
    while (!way->supported())
        way++;
    return way;
}

size_t scan_byte(const uint8_t *data, size_t bytes, uint8_t byte, uint32_t *ends, size_t room, size_t *scanned)
{
    return best_way()->byte(data, bytes, byte, ends, room, scanned);
}

size_t scan_pair(const uint8_t *data, size_t bytes, struct scan_pair pair, uint32_t *ends, size_t room, size_t *scanned)
{
    return best_way()->pair(data, bytes, pair, ends, room, scanned);
}

size_t scan_unquoted(const uint8_t *data, size_t bytes, uint8_t byte, bool *quoted, uint32_t *ends, size_t room,
                     size_t *scanned)
{
    return best_way()->unquoted(data, bytes, byte, quoted, ends, room, scanned);
}

size_t scan_count(const uint8_t *data, size_t bytes, uint8_t byte)
{
    return best_way()->count(data, bytes, byte);
}
