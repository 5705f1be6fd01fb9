/*
 * The data are compared with the byte in windows of 64 bytes; each window gives a mask of 64 bits, one for each hit.
 * The ways differ in how they make a mask. Everything else is arithmetic on masks and common to all. Where lines are
 * short there are several in every window and their number varies, so that a loop that ends with the last hit would
 * often be mispredicted. Hits are therefore written in groups, whether the last of them exist or not, and those of the
 * next window overwrite the surplus. That needs room in `ends` for a whole window; near its end they are written one by
 * one.
 *
 * A byte is inside quotes if the number of quotes up to it is odd: the exclusive or of all bits of the quotes' mask up
 * to its own, and of the state at the end of the window before (Langdale and Lemire, Parsing Gigabytes of JSON per
 * Second, 2019). That holds while each quote opens or closes: an opening one stands at the beginning of a field, or
 * right after a closing one, and both then stand for one quote in the text; after a closing one comes the end of a
 * field. Other windows are left to the caller.
 */

#include "record/scan.h"

#include "base/arithmetic.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>
#endif

#define INLINE static inline __attribute__((always_inline))

enum { WINDOW = SCAN_WINDOW };

/* Bit i tells whether data[i] is `byte`. */
typedef uint64_t hits_function(const uint8_t *data, uint8_t byte);

/* Write the end of the first hit and return the hits without it. Without hits, it writes a meaningless number; a bit is
 * added since counting the zeros of 0 has no result at all, and costs less than a branch. */
INLINE uint64_t take_hit(uint64_t hits, size_t at, uint32_t *end)
{
    *end = (uint32_t)at + (uint32_t)__builtin_ctzll(hits | (uint64_t)1 << 63) + 1;
    return hits & (hits - 1);
}

/* Bit i is the exclusive or of bits 0 to i: in six steps, each of which doubles the number of bits combined. */
INLINE uint64_t parity(uint64_t bits)
{
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    return bits ^ bits << 32;
}

/* The state between windows when newlines outside quotes are sought. */
struct quoting {
    uint64_t inside;   /* all bits set: the window begins inside quotes */
    uint64_t closed;   /* lowest bit set: it begins after a closing quote */
    uint64_t lines;    /* number in windows before, quoted or not */
    uint8_t separator; /* the one that ends most fields, as far as is known */
};

/* Bits of quotes that open where no field begins, and of bytes after closing quotes that do not end a field. */
INLINE uint64_t odd_quotes(uint64_t quotes, uint64_t inside, uint64_t after, uint64_t ends)
{
    return (quotes & inside & ~(ends << 1 | after)) | (after & ~(ends | quotes));
}

/* Does a field begin with a window, as far as is known before it? */
static uint64_t begins_field(const struct scan_search *search, const uint8_t *data, size_t at)
{
    if (at == 0)
        return search->state == QUOTES_RECORD || search->state == QUOTES_FIELD;
    return data[-1] == '\n' || data[-1] == '\r' || quotes_separates(search->rule, data[-1]);
}

/* The separator at data[at], or before it if that is a quote; `known` if none is there. */
static uint8_t learn_separator(const struct quotes_rule *rule, const uint8_t *data, unsigned at, uint8_t known)
{
    const uint8_t byte = data[at] == '"' && at > 0 ? data[at - 1] : data[at];

    return quotes_separates(rule, byte) ? byte : known;
}

/* The hits outside quotes in the window at offset `at`; *regular: each quote opens or closes. Most fields of a file end
 * with one separator: the others are looked for only if something else stands beside a quote. */
INLINE uint64_t rows_in(hits_function *find_hits, const uint8_t *data, size_t at, const struct scan_search *search,
                        struct quoting *quoting, bool *regular)
{
    const uint64_t lines = find_hits(data, '\n'), quotes = find_hits(data, '"');
    const uint64_t inside = parity(quotes) ^ quoting->inside;
    const uint64_t closing = quotes & ~inside, after = closing << 1 | quoting->closed;
    uint64_t ends = lines | find_hits(data, quoting->separator) | find_hits(data, '\r');
    uint64_t odd = odd_quotes(quotes, inside, after, ends);

    if (__builtin_expect(odd != 0, 0)) {
        quoting->separator = learn_separator(search->rule, data, (unsigned)__builtin_ctzll(odd), quoting->separator);
        if (!search->rule->separated)
            ends |= find_hits(data, ',') | find_hits(data, ';') | find_hits(data, '\t') | find_hits(data, '|');
        odd = odd_quotes(quotes, inside, after, ends) & ~(quotes & begins_field(search, data, at));
    }
    if (search->rule->backslash)
        odd |= inside & find_hits(data, '\\');
    *regular = odd == 0;
    quoting->inside = 0 - (inside >> (WINDOW - 1));
    quoting->closed = closing >> (WINDOW - 1);
    quoting->lines += (uint64_t)__builtin_popcountll(lines);
    return lines & ~inside;
}

/* The state after a window in which each quote opens or closes. A byte-order mark counts only where a record begins. */
static enum quotes_state state_after(struct quoting quoting, const struct quotes_rule *rule, const uint8_t *end)
{
    if (quoting.inside != 0)
        return QUOTES_INSIDE;
    if (quoting.closed != 0)
        return QUOTES_CLOSED;
    if (end[-1] == '\n')
        return QUOTES_RECORD;
    if (end[-1] == '\r' || quotes_separates(rule, end[-1]) ||
        (end[-1] == 0xbf && end[-2] == 0xbb && end[-3] == 0xef && end[-4] == '\n'))
        return QUOTES_FIELD;
    if (end[-1] == 0xef && end[-2] == '\n')
        return QUOTES_MARK_1;
    return end[-1] == 0xbb && end[-2] == 0xef && end[-3] == '\n' ? QUOTES_MARK_2 : QUOTES_TEXT;
}

/* The hits in a window; a hit is one byte. */
INLINE uint64_t hits_in(enum scan_sought sought, hits_function *find_hits, const uint8_t *data,
                        const struct scan_search *search)
{
    uint64_t hits = find_hits(data, search->byte);
    if (sought == SCAN_PAIR)
        hits &= find_hits(data - search->distance, search->first);
    if (sought == SCAN_LINE && hits != 0)
        hits &= find_hits(data - search->distance - 1, search->byte) |
                (find_hits(data - 1, '\r') & find_hits(data - search->distance - 2, search->byte));
    return hits;
}

INLINE bool is_hit(enum scan_sought sought, const uint8_t *data, const struct scan_search *search)
{
    const uint8_t *before = data - search->distance; /* where a line of this length begins, or one byte before that */

    if (sought == SCAN_LINE && *data == search->byte)
        return before[-1] == search->byte || (data[-1] == '\r' && before[-2] == search->byte);
    return *data == search->byte && (sought != SCAN_PAIR || *before == search->first);
}

/* Groups of four, written out because not every compiler unrolls a loop of four: for lines of 1 to 17 bytes (Zen 5,
 * AVX2, GCC 12), groups of 1, 2, 4 and 8 take 1.4, 1.0, 0.7 and 0.8 ns a line, for lines of 350 bytes 4.2, 4.6, 5.0
 * and 7.3 ns. */
INLINE size_t scan(enum scan_sought sought, hits_function *find_hits, struct scan_search *search, const uint8_t *data,
                   size_t bytes, uint32_t *ends, size_t room, size_t *scanned)
{
    struct quoting quoting = {.inside = 0};
    size_t found = 0, at = 0;
    if (sought == SCAN_UNQUOTED)
        quoting = (struct quoting){.inside = 0 - (uint64_t)(search->state == QUOTES_INSIDE),
                                   .closed = search->state == QUOTES_CLOSED,
                                   .separator = search->rule->separated ? search->rule->separator : ','};
    for (; bytes - at >= WINDOW; at += WINDOW) {
        struct quoting after = quoting;
        bool regular = true;
        uint64_t hits = sought == SCAN_UNQUOTED ? rows_in(find_hits, data + at, at, search, &after, &regular)
                                                : hits_in(sought, find_hits, data + at, search);
        if (!regular)
            break;
        if (sought == SCAN_UNQUOTED && ends == NULL) {
            quoting = after;
        } else if (room - found >= WINDOW) {
            quoting = after;
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
            quoting = after;
            while (hits != 0)
                hits = take_hit(hits, at, &ends[found++]);
        }
    }
    if (sought == SCAN_UNQUOTED && at > 0)
        search->state = state_after(quoting, search->rule, data + at);
    search->lines = quoting.lines;
    /* The rest is less than a window, or there is no room for the hits of one. */
    for (; sought != SCAN_UNQUOTED && at < bytes && found < room; at++) {
        if (is_hit(sought, data + at, search))
            ends[found++] = (uint32_t)at + 1;
    }
    *scanned = at;
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

/* Defines the functions of the way that finds its hits with hits_NAME. */
#define DEFINE_WAY(NAME, TARGET)                                                                                       \
    TARGET static size_t find_##NAME(struct scan_search *search, const uint8_t *data, size_t bytes, uint32_t *ends,    \
                                     size_t room, size_t *scanned)                                                     \
    {                                                                                                                  \
        if (search->sought == SCAN_BYTE)                                                                               \
            return scan(SCAN_BYTE, hits_##NAME, search, data, bytes, ends, room, scanned);                             \
        if (search->sought == SCAN_PAIR)                                                                               \
            return scan(SCAN_PAIR, hits_##NAME, search, data, bytes, ends, room, scanned);                             \
        if (search->sought == SCAN_LINE)                                                                               \
            return scan(SCAN_LINE, hits_##NAME, search, data, bytes, ends, room, scanned);                             \
        return scan(SCAN_UNQUOTED, hits_##NAME, search, data, bytes, ends, room, scanned);                             \
    }                                                                                                                  \
    TARGET static size_t count_##NAME(const uint8_t *data, size_t bytes, uint8_t byte)                                 \
    {                                                                                                                  \
        return count(hits_##NAME, data, bytes, byte);                                                                  \
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

DEFINE_WAY(plain, )

#if defined(__x86_64__)

#define AVX2     __attribute__((target("avx2,bmi,popcnt")))
#define AVX512BW __attribute__((target("avx512f,avx512bw,bmi,popcnt")))

static inline uint64_t hits_sse2(const uint8_t *data, uint8_t byte)
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

/* (`-n 1000` of 1 GB of lines of 100 bytes takes 0.085 s on two threads, 0.106 s by AVX2.) */
AVX512BW static inline uint64_t hits_avx512bw(const uint8_t *data, uint8_t byte)
{
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(data), _mm512_set1_epi8((char)byte));
}

DEFINE_WAY(sse2, )
DEFINE_WAY(avx2, AVX2)
DEFINE_WAY(avx512bw, AVX512BW)

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}

static bool has_avx512bw(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512bw");
}

#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* Every byte that matches keeps the one bit of its place among 8; adding neighbours three times gathers these in a
 * byte. */
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

DEFINE_WAY(neon, )

#endif

const struct scan_way scan_ways[] = {
#if defined(__x86_64__)
    {"avx512bw", find_avx512bw, count_avx512bw, has_avx512bw},
    {"avx2", find_avx2, count_avx2, has_avx2},
    {"sse2", find_sse2, count_sse2, NULL},
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    {"neon", find_neon, count_neon, NULL},
#endif
    {"plain", find_plain, count_plain, NULL},
    {NULL, NULL, NULL, NULL},
};

static const struct scan_way *best_way(void)
{
    const struct scan_way *way = scan_ways;
    while (way->supported != NULL && !way->supported())
        way++;
    return way;
}

size_t scan_find(struct scan_search *search, const uint8_t *data, size_t bytes, uint32_t *ends, size_t room,
                 size_t *scanned)
{
    return best_way()->find(search, data, bytes, ends, room, scanned);
}

size_t scan_count(const uint8_t *data, size_t bytes, uint8_t byte)
{
    return best_way()->count(data, bytes, byte);
}
