/*
 * Weights are the fields, or the lines, that a search byte by byte finds. Their keys are the same with and without
 * numbers of 128 bits, never increase with the word, and are what the libc's logarithm gives; draws are in range.
 */

#include "fuzz.h"

#include <math.h>

#include "input/record_reader.h"
#include "sample/weight_input.h"
#include "sample/weight_law.h"
#include "shuffle/run.h"

/* ---- Arithmetic ---- */

static struct decimal take_weight(struct fuzz *fuzz)
{
    struct decimal weight = {.mantissa = fuzz_number(fuzz)};

    if (weight.mantissa == 0)
        return weight;
    weight.mantissa |= (uint64_t)1 << 63;
    weight.exponent = (int)fuzz_from_to(fuzz, 0, 1024 + 1074) - 1074 - 63;
    if (weight.exponent > 1024 - 64)
        weight.exponent = 1024 - 64;
    return weight;
}

/* How far a key is from the definition, in units of its last place: the quotient as a mantissa and a power of two. */
static void check_key(uint64_t word, struct decimal weight)
{
    uint64_t key = weight_law_key(word, weight);
    long double quotient;
    int exponent;

    FUZZ_CHECK(key == weight_law_key_portable(word, weight));
    FUZZ_CHECK((key == UINT64_MAX) == (weight.mantissa == 0));
    if (weight.mantissa == 0)
        return;
    if (word < UINT64_MAX)
        FUZZ_CHECK(weight_law_key(word + 1, weight) <= key);
    /* near 1 the logarithm of what is missing there is more exact */
    if (word >> 63 != 0)
        quotient = -log1pl(-ldexpl((long double)(UINT64_MAX - word) + 0.5L, -64));
    else
        quotient = 64 * logl(2) - logl((long double)word + 0.5L);
    quotient = frexpl(quotient / (long double)weight.mantissa, &exponent); /* from 1/2 to 1 */
    quotient = ldexpl((long double)(exponent - 1 - weight.exponent + 2048) + (2 * quotient - 1), 52);
    FUZZ_CHECK(fabsl(quotient - (long double)key) < 2);
}

static void check_order(uint64_t word, struct decimal one, struct decimal other)
{
    bool less = one.exponent < other.exponent || (one.exponent == other.exponent && one.mantissa < other.mantissa);

    if (one.mantissa != 0 && other.mantissa != 0 && less)
        FUZZ_CHECK(weight_law_key(word, one) >= weight_law_key(word, other));
}

static void check_scale(struct decimal weight, struct decimal top)
{
    struct uint128 scaled;

    if (top.mantissa == 0 || weight.exponent > top.exponent)
        return;
    scaled = weight_law_scale(weight, top.exponent);
    FUZZ_CHECK(scaled.high >> 24 == 0);
    if (weight.mantissa == 0)
        FUZZ_CHECK(scaled.high == 0 && scaled.low == 0);
    else if (weight.exponent == top.exponent)
        FUZZ_CHECK(scaled.high >> 23 == 1 && scaled.low == weight.mantissa << 24);
    else if (weight.exponent - top.exponent <= -88)
        FUZZ_CHECK(scaled.high == 0 && scaled.low == 0);
}

/* What is left of the input, then noise, lest a draw goes on for ever. */
static uint64_t next_word(void *context)
{
    static uint64_t noise = 1;
    struct fuzz *fuzz = context;

    noise = noise * UINT64_C(6364136223846793005) + 1442695040888963407;
    return fuzz->bytes > 0 ? fuzz_number(fuzz) : noise ^ noise >> 29;
}

static void check_draw(struct uint128 total, struct fuzz words)
{
    struct uint128 number;

    if (total.high == 0 && total.low == 0)
        return;
    number = weight_law_draw(total, next_word, &words);
    FUZZ_CHECK(uint128_compare(number, total) < 0);
}

/* ---- Reading ---- */

enum { BUFFER_BYTES = 1 << 16, WEIGHTS_MAX = 4096 };

static const struct source_layout layout = {.format = {.delimiter = '\n'}};

/* The weights of the records in the file "records", up to one that is no good. Are they all good? */
static bool read_weights(struct weight_place place, struct decimal *weight, size_t *count)
{
    static const char *const names[] = {"records"};
    static uint8_t buffer[BUFFER_BYTES + POOL_SLACK_BYTES], run_buffer[4 * BUFFER_BYTES];
    struct fault fault;
    struct run run = {.fault = &fault, .buffer = run_buffer, .memory = {.buffer_bytes = sizeof run_buffer}};
    struct source *source;
    struct weight_input *weights;
    struct record_piece piece;
    static struct record_reader reader;
    int more;

    fault_init(&fault);
    source = source_open(names, 1, &layout, &fault);
    FUZZ_CHECK(source != NULL);
    record_reader_init(&reader, &layout.format, source, buffer, BUFFER_BYTES);
    weights = weight_input_open(&run, place, source);
    FUZZ_CHECK(weights != NULL);
    *count = 0;
    while ((more = record_reader_next(&reader, &piece)) > 0) {
        FUZZ_CHECK(piece.first && piece.last && *count < WEIGHTS_MAX);
        if (weight_input_next(weights, &piece, &weight[*count]) != 0)
            break;
        ++*count;
    }
    if (more == 0)
        more = weight_input_end(weights);
    FUZZ_CHECK(fuzz_is_reported(&fault, more));
    weight_input_free(weights);
    source_free(source);
    fault_release(&fault);
    return more == 0;
}

/* The next text up to an end, without it. Returns whether there is one. */
static bool next_part(const uint8_t **text, const uint8_t *end, uint8_t delimiter, const uint8_t **part, size_t *bytes)
{
    if (*text > end)
        return false;
    for (*part = *text; *text < end && **text != delimiter;)
        ++*text;
    *bytes = (size_t)(*text - *part);
    ++*text;
    return true;
}

static bool is_weight(const uint8_t *text, size_t bytes, const struct decimal *weight)
{
    struct decimal expected;

    return decimal_read(text, bytes, &expected) == DECIMAL_OK && expected.mantissa == weight->mantissa &&
           expected.exponent == weight->exponent;
}

/* Does the record's field hold no weight? */
static bool is_bad(const uint8_t *record, size_t bytes, struct weight_place place)
{
    const uint8_t *end = record + bytes, *part = NULL;
    size_t part_bytes = 0;
    struct decimal weight;

    for (uint64_t field = 0; field < place.field; field++)
        if (!next_part(&record, end, place.separator, &part, &part_bytes))
            return true;
    return decimal_read(part, part_bytes, &weight) != DECIMAL_OK;
}

static void check_fields(const uint8_t *data, size_t bytes, struct weight_place place)
{
    static struct decimal weight[WEIGHTS_MAX];
    const uint8_t *end = data + bytes - (bytes > 0 && data[bytes - 1] == '\n'), *record;
    size_t count, record_bytes;
    bool good = read_weights(place, weight, &count);

    for (size_t i = 0; bytes > 0 && next_part(&data, end, '\n', &record, &record_bytes); i++) {
        const uint8_t *field = record, *part = NULL;
        size_t part_bytes = 0;

        if (i == count) {
            FUZZ_CHECK(!good && is_bad(record, record_bytes, place));
            return;
        }
        FUZZ_CHECK(!is_bad(record, record_bytes, place));
        for (uint64_t k = 0; k < place.field; k++)
            FUZZ_CHECK(next_part(&field, record + record_bytes, place.separator, &part, &part_bytes));
        FUZZ_CHECK(is_weight(part, part_bytes, &weight[i]));
    }
    FUZZ_CHECK(good);
}

/* The same text as records and as their weights: fields that no record can have two of. */
static void check_lines(const uint8_t *data, size_t bytes)
{
    static struct decimal weight[WEIGHTS_MAX], again[WEIGHTS_MAX];
    size_t count, count_again;
    bool good = read_weights((struct weight_place){.field = 1, .separator = '\n'}, weight, &count);

    fuzz_put("weights", data, bytes);
    FUZZ_CHECK(read_weights((struct weight_place){.file = "weights"}, again, &count_again) == good);
    FUZZ_CHECK(count == count_again && memcmp(weight, again, count * sizeof *weight) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes < WEIGHTS_MAX ? bytes : WEIGHTS_MAX - 1};
    uint64_t word = fuzz_number(&fuzz);
    struct decimal one = take_weight(&fuzz), other = take_weight(&fuzz);
    struct weight_place place = {.field = 1 + fuzz_byte(&fuzz) % 4, .separator = fuzz_byte(&fuzz)};

    check_key(word, one);
    check_key(word, other);
    check_order(word, one, other);
    check_scale(one, other);
    check_draw((struct uint128){word, one.mantissa}, fuzz);
    fuzz_put("records", fuzz.data, fuzz.bytes);
    if (place.separator != '\n')
        check_fields(fuzz.data, fuzz.bytes, place);
    check_lines(fuzz.data, fuzz.bytes);
    return 0;
}
