/*
 * The blocks of a key stream differ in their counter alone, so they can be computed side by side: vector i holds word i
 * of one block in each lane, and every step of the plain algorithm becomes one vector operation. Then the result is
 * brought into block order, by a transposition of 4 x 4 words within each 128 bits, where shuffles are cheap, and by
 * moving whole groups of four words to their places.
 *
 * The vectors are those of the compiler, not of an instruction set. One body, written as macros because its type
 * varies, is compiled for each width, and the functions beyond the machine's baseline carry the target they need, so
 * that one binary runs everywhere.
 */

#include "base/chacha.h"

#include <string.h>

/* These work on numbers and on vectors alike. */
#define ROTATE(x, n)              ((x) << (n) | (x) >> (32 - (n)))
#define STEP(a, b, d, n)          ((a) += (b), (d) ^= (a), (d) = ROTATE(d, n))
#define QUARTER_ROUND(a, b, c, d) (STEP(a, b, d, 16), STEP(c, d, b, 12), STEP(a, b, d, 8), STEP(c, d, b, 7))
#define DOUBLE_ROUND(x)                                                                                                \
    do {                                                                                                               \
        QUARTER_ROUND((x)[0], (x)[4], (x)[8], (x)[12]);                                                                \
        QUARTER_ROUND((x)[1], (x)[5], (x)[9], (x)[13]);                                                                \
        QUARTER_ROUND((x)[2], (x)[6], (x)[10], (x)[14]);                                                               \
        QUARTER_ROUND((x)[3], (x)[7], (x)[11], (x)[15]);                                                               \
        QUARTER_ROUND((x)[0], (x)[5], (x)[10], (x)[15]);                                                               \
        QUARTER_ROUND((x)[1], (x)[6], (x)[11], (x)[12]);                                                               \
        QUARTER_ROUND((x)[2], (x)[7], (x)[8], (x)[13]);                                                                \
        QUARTER_ROUND((x)[3], (x)[4], (x)[9], (x)[14]);                                                                \
    } while (0)

static void run_plain(const uint32_t input[16], int rounds, uint32_t *words, size_t blocks)
{
    uint32_t start[16];
    memcpy(start, input, sizeof start);
    for (; blocks > 0; blocks--, words += 16) {
        uint32_t x[16];
        memcpy(x, start, sizeof x);
        for (int round = 0; round < rounds; round += 2)
            DOUBLE_ROUND(x);
        for (int i = 0; i < 16; i++)
            words[i] = x[i] + start[i];
        start[12]++;
        start[13] += start[12] == 0;
    }
}

/* Elements of the vectors a and b, numbered through: those of b follow those of a. */
#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (__typeof__(a)){__VA_ARGS__})
#endif

/* Which elements of n lanes to take within 128 bits number q: a0 b0 a1 b1, a2 b2 a3 b3, a0 a1 b0 b1, a2 a3 b2 b3. */
#define LOW_WORDS(n, q)  4 * (q), (n) + 4 * (q), 4 * (q) + 1, (n) + 4 * (q) + 1
#define HIGH_WORDS(n, q) 4 * (q) + 2, (n) + 4 * (q) + 2, 4 * (q) + 3, (n) + 4 * (q) + 3
#define LOW_PAIRS(n, q)  4 * (q), 4 * (q) + 1, (n) + 4 * (q), (n) + 4 * (q) + 1
#define HIGH_PAIRS(n, q) 4 * (q) + 2, 4 * (q) + 3, (n) + 4 * (q) + 2, (n) + 4 * (q) + 3
#define TAKE_4(which)    which(4, 0)
#define TAKE_8(which)    which(8, 0), which(8, 1)
#define TAKE_16(which)   which(16, 0), which(16, 1), which(16, 2), which(16, 3)
#define LANES_4          0, 1, 2, 3
#define LANES_8          LANES_4, 4, 5, 6, 7
#define LANES_16         LANES_8, 8, 9, 10, 11, 12, 13, 14, 15

/* compute_N computes N blocks, a lane each, counting from `counter`; the other vectors of `start` have one word of the
 * state, in all lanes. run_N computes the blocks after the last multiple of N elsewhere and copies those wanted. */
#define DEFINE_WAY(LANES, TARGET)                                                                                      \
    typedef uint32_t vector_##LANES __attribute__((vector_size(4 * (LANES))));                                         \
                                                                                                                       \
    TARGET static void compute_##LANES(vector_##LANES start[16], uint64_t counter, int rounds, uint32_t *words)        \
    {                                                                                                                  \
        const vector_##LANES lane = {LANES_##LANES};                                                                   \
        start[12] = lane + (uint32_t)counter;                                                                          \
        start[13] = (uint32_t)(counter >> 32) - (vector_##LANES)(start[12] < lane); /* true is -1 */                   \
        vector_##LANES x[16];                                                                                          \
        memcpy(x, start, sizeof x);                                                                                    \
        for (int round = 0; round < rounds; round += 2)                                                                \
            DOUBLE_ROUND(x);                                                                                           \
        for (size_t i = 0; i < 16; i += 4) {                                                                           \
            vector_##LANES a = x[i] + start[i], b = x[i + 1] + start[i + 1];                                           \
            vector_##LANES c = x[i + 2] + start[i + 2], d = x[i + 3] + start[i + 3];                                   \
            vector_##LANES low_ab = SHUFFLE(a, b, TAKE_##LANES(LOW_WORDS));                                            \
            vector_##LANES low_cd = SHUFFLE(c, d, TAKE_##LANES(LOW_WORDS));                                            \
            vector_##LANES high_ab = SHUFFLE(a, b, TAKE_##LANES(HIGH_WORDS));                                          \
            vector_##LANES high_cd = SHUFFLE(c, d, TAKE_##LANES(HIGH_WORDS));                                          \
            a = SHUFFLE(low_ab, low_cd, TAKE_##LANES(LOW_PAIRS));                                                      \
            b = SHUFFLE(low_ab, low_cd, TAKE_##LANES(HIGH_PAIRS));                                                     \
            c = SHUFFLE(high_ab, high_cd, TAKE_##LANES(LOW_PAIRS));                                                    \
            d = SHUFFLE(high_ab, high_cd, TAKE_##LANES(HIGH_PAIRS));                                                   \
            for (size_t q = 0; q < (LANES) / 4; q++) {                                                                 \
                uint32_t *to = words + 64 * q + i;                                                                     \
                memcpy(to, (const char *)&a + 16 * q, 16);                                                             \
                memcpy(to + 16, (const char *)&b + 16 * q, 16);                                                        \
                memcpy(to + 32, (const char *)&c + 16 * q, 16);                                                        \
                memcpy(to + 48, (const char *)&d + 16 * q, 16);                                                        \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    TARGET static void run_##LANES(const uint32_t input[16], int rounds, uint32_t *words, size_t blocks)               \
    {                                                                                                                  \
        vector_##LANES start[16] = {{0}};                                                                              \
        for (int i = 0; i < 16; i++)                                                                                   \
            start[i] += input[i];                                                                                      \
        uint64_t counter = input[12] | (uint64_t)input[13] << 32;                                                      \
        for (; blocks >= (LANES); blocks -= (LANES), words += 16 * (LANES), counter += (LANES))                        \
            compute_##LANES(start, counter, rounds, words);                                                            \
        if (blocks > 0) {                                                                                              \
            uint32_t rest[16 * (LANES)];                                                                               \
            compute_##LANES(start, counter, rounds, rest);                                                             \
            memcpy(words, rest, 64 * blocks);                                                                          \
        }                                                                                                              \
    }

DEFINE_WAY(4, )

#if defined(__x86_64__)

DEFINE_WAY(8, __attribute__((target("avx2"))))
DEFINE_WAY(16, __attribute__((target("avx512f"))))

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static bool has_avx512f(void)
{
    return __builtin_cpu_supports("avx512f");
}

#endif

const struct chacha_way chacha_ways[] = {
#if defined(__x86_64__)
    {"avx512f", run_16, has_avx512f}, {"avx2", run_8, has_avx2},
#endif
    {"vector", run_4, NULL},          {"plain", run_plain, NULL}, {NULL, NULL, NULL},
};

void chacha_blocks(const uint32_t input[16], int rounds, uint32_t *words, size_t blocks)
{
    const struct chacha_way *way = chacha_ways;
    while (way->supported != NULL && !way->supported())
        way++;
    way->run(input, rounds, words, blocks);
}
