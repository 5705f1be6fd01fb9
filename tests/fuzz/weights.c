/*
 * Weights are the fields, or the lines, that a search byte by byte finds. Their keys are the same with and without
 * numbers of 128 bits, never increase with the word, and are what the libc's logarithm gives; draws are in range.
 */

#include "end.h"

#include <math.h>

#include "input/record_reader.h"
#include "sample/weight_input.h"
#include "sample/weight_law.h"
#include "shuffle/engine.h"
#include "system/packer.h"

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

enum { RECORDS_BYTES = 4096 };

static const struct stream_layout layout = {.format = {.delimiter = '\n'}};

/* An engine with the least memory, as far as weights need it. */
static struct engine engine;

static void have_engine(void)
{
    static const char *const directories[] = {"."};
    static struct spill_place place = {.directory = directories, .directories = 1};

    if (engine.buffer == NULL)
        FUZZ_CHECK(!FUZZ_ENDS(engine_open(&engine, engine_memory(ENGINE_MEMORY_MIN, 1), &place)));
}

/* What was read of records and their weights: up to a weight that is no good, if not all are. */
struct reading {
    bool good;
    struct decimal weight[RECORDS_BYTES];
    size_t count;
    uint8_t records[RECORDS_BYTES + 1];
    size_t bytes;
};

static void take_piece(struct reading *reading, const struct record_piece *piece, struct decimal weight)
{
    const bool ended = reading->bytes == 0 || reading->records[reading->bytes - 1] == '\n';

    FUZZ_CHECK(piece->first == ended && piece->bytes > 0 && piece->bytes <= sizeof reading->records - reading->bytes);
    memcpy(reading->records + reading->bytes, piece->data, piece->bytes);
    reading->bytes += piece->bytes;
    FUZZ_CHECK(piece->last == (reading->records[reading->bytes - 1] == '\n'));
    if (piece->first)
        reading->weight[reading->count++] = weight;
}

/* Read the file "records" in pieces of at most `piece_bytes`. */
static void read_all(struct weight_place place, size_t piece_bytes, struct reading *reading)
{
    static const char *const names[] = {"records"};
    static uint8_t buffer[RECORDS_BYTES + POOL_SLACK_BYTES];
    static struct record_reader reader;
    struct source *source = source_open(names, 1, &layout);
    struct weight_input *weights;
    struct record_piece piece;
    struct decimal weight = {0};

    record_reader_init(&reader, &layout.format, source, buffer, piece_bytes);
    weights = weight_input_open(&engine, &layout.format, place, source);
    while (weight_input_next(weights, &reader, &piece, &weight) > 0)
        take_piece(reading, &piece, weight);
    weight_input_end(weights);
    weight_input_free(weights);
    source_free(source);
}

static void read_weights(struct weight_place place, size_t piece_bytes, struct reading *reading)
{
    have_engine();
    reading->count = reading->bytes = 0;
    reading->good = !FUZZ_ENDS(read_all(place, piece_bytes, reading));
    if (reading->good)
        FUZZ_CHECK(engine.pool.free == engine.pool.blocks && engine.pool.promised == 0);
    else
        engine_close(&engine);
}

/* The next text up to a delimiter, without it. Returns whether there is one. */
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

/* Find the weight of a record. A carriage return at its end is none of the last field's. */
static bool find_weight(const uint8_t *record, size_t bytes, struct weight_place place, struct decimal *weight)
{
    const uint8_t *end = record + bytes, *part = NULL;
    size_t part_bytes = 0;

    for (uint64_t field = 0; field < place.field.number; field++)
        if (!next_part(&record, end, place.field.separator, &part, &part_bytes))
            return false;
    if (record > end && part_bytes > 0 && part[part_bytes - 1] == '\r')
        part_bytes--;
    return decimal_read(part, part_bytes, weight) == DECIMAL_OK;
}

static bool is_same(struct decimal one, struct decimal other)
{
    return one.mantissa == other.mantissa && one.exponent == other.exponent;
}

static void check_fields(const uint8_t *data, size_t bytes, struct weight_place place, size_t piece_bytes)
{
    static struct reading reading;
    const uint8_t *text = data, *end = data + bytes - (bytes > 0 && data[bytes - 1] == '\n'), *record;
    struct decimal weight;
    size_t record_bytes;

    read_weights(place, piece_bytes, &reading);
    for (size_t i = 0; bytes > 0 && next_part(&text, end, '\n', &record, &record_bytes); i++) {
        bool found = find_weight(record, record_bytes, place, &weight);

        FUZZ_CHECK(found ? i < reading.count : i == reading.count && !reading.good);
        if (!found)
            return;
        FUZZ_CHECK(is_same(weight, reading.weight[i]));
    }
    FUZZ_CHECK(reading.good && reading.bytes - bytes <= 1 && memcmp(reading.records, data, bytes) == 0);
}

/* The same text as records and as their weights: a field that no record has two of. */
static void check_lines(const uint8_t *data, size_t bytes, size_t piece_bytes)
{
    static struct reading fields, lines;

    fuzz_put("weights", data, bytes);
    read_weights((struct weight_place){.field = {.number = 1, .separator = '\n'}}, piece_bytes, &fields);
    read_weights((struct weight_place){.file = "weights"}, piece_bytes, &lines);
    FUZZ_CHECK(fields.good == lines.good && fields.count == lines.count);
    for (size_t i = 0; i < fields.count; i++)
        FUZZ_CHECK(is_same(fields.weight[i], lines.weight[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes < RECORDS_BYTES ? bytes : RECORDS_BYTES - 1};
    uint64_t word = fuzz_number(&fuzz);
    struct decimal one = take_weight(&fuzz), other = take_weight(&fuzz);
    struct weight_place place = {.field = {.number = 1 + fuzz_byte(&fuzz) % 4, .separator = fuzz_byte(&fuzz)}};
    size_t piece_bytes = fuzz_from_to(&fuzz, 1, RECORDS_BYTES);

    check_key(word, one);
    check_key(word, other);
    check_order(word, one, other);
    check_scale(one, other);
    check_draw((struct uint128){word, one.mantissa}, fuzz);
    if (packer_of_beginning(fuzz.data, fuzz.bytes) != NULL) /* which is refused */
        return 0;
    fuzz_put("records", fuzz.data, fuzz.bytes);
    if (place.field.separator != '\n')
        check_fields(fuzz.data, fuzz.bytes, place, piece_bytes);
    check_lines(fuzz.data, fuzz.bytes, piece_bytes);
    return 0;
}
