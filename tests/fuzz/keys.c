/* Blocks of whole records, and pieces of longer ones, are the stream, and each record has the hash of its key that it
 * has alone, wherever blocks end. The first record without a key is where they stop. */

#include "fuzz.h"

#include "shuffle/keyed_reader.h"

enum { STREAM_MAX = 2048, BLOCK_MAX = 300 };

static struct {
    uint8_t data[STREAM_MAX];
    size_t bytes, read;
    uint32_t ends[STREAM_MAX];
    size_t records;
} stream;

static struct queue_block block;

static size_t read_stream(void *context, uint8_t *data, size_t bytes, struct absent *absent)
{
    const size_t left = stream.bytes - stream.read;

    (void)absent;
    (void)context;
    bytes = bytes < left ? bytes : left;
    memcpy(data, stream.data + stream.read, bytes);
    stream.read += bytes;
    return bytes;
}

static void release_stream(void *context)
{
    (void)context;
}

/* A stream of whole records. */
static void take_stream(struct fuzz *fuzz, const struct record_format *format)
{
    const uint8_t times = fuzz_byte(fuzz);
    const size_t bytes = fuzz_repeat(fuzz, fuzz->bytes, times, stream.data, STREAM_MAX);
    struct record_scan scan = {0};
    size_t scanned;

    stream.read = 0;
    stream.records = record_ends(format, &scan, stream.data, bytes, stream.ends, STREAM_MAX, &scanned);
    stream.bytes = stream.records > 0 ? stream.ends[stream.records - 1] : 0;
}

/* As scatter.c scans it, in one slice. */
static void scan_block(const struct record_format *format, size_t at, size_t record)
{
    struct record_scan scan = block.begins;
    size_t scanned;

    block.from = 0;
    block.to = block.bytes;
    block.records = record_ends(format, &scan, block.data, block.bytes, block.ends, BLOCK_MAX, &scanned);
    block.continues = at > (record > 0 ? stream.ends[record - 1] : 0);
    block.open = block.bytes > (block.records > 0 ? block.ends[block.records - 1] : 0);
    block.first_record = record;
}

/* The hash of a record that is whole. */
static bool hash_of(struct hasher *hasher, size_t record, struct siphash_pair *hash)
{
    const size_t start = record > 0 ? stream.ends[record - 1] : 0, bytes = stream.ends[record] - start;
    uint8_t *copy = fuzz_copy(stream.data + start, bytes);
    const bool found = hasher_whole(hasher, 0, &(struct siphash_text){copy, bytes}, 1, hash) == 1;

    free(copy);
    return found;
}

static void check_block(struct hasher *hasher, size_t at, size_t record)
{
    const size_t known = block.bad > 0 ? block.bad - 1 : block.records + block.open;
    struct siphash_pair hash;

    FUZZ_CHECK(block.bytes <= stream.bytes - at && memcmp(block.data, stream.data + at, block.bytes) == 0);
    FUZZ_CHECK(block.records == 0 || !block.open); /* a record does not go on, unless it is all there is */
    for (size_t i = 0; i < known; i++) {
        FUZZ_CHECK(hash_of(hasher, record + i, &hash));
        FUZZ_CHECK(keyed_is_same(block.hash[i], hash) && block.pile[i] == keyed_digit(hash, 0, KEYED_BITS));
    }
    FUZZ_CHECK(block.bad == 0 || !hash_of(hasher, record + known, &hash));
}

static void read_all(const struct keyed *keyed, const struct record_format *format, size_t block_bytes)
{
    static const char *const here[] = {"."};
    struct spill_place place;
    const struct keyed_plan plan = {.keyed = keyed};
    struct source *source = source_over(read_stream, NULL, release_stream, UINT64_MAX);
    struct keyed_reader *reader;
    size_t at = 0, record = 0;
    bool bad = false;

    spill_place_init(&place, here, 1, SPILL_NEVER);
    reader = keyed_reader_open(&plan, KEYED_PILES, false, format, source, &place);
    while (!bad) {
        block.data_bytes = block_bytes;
        keyed_reader_fill(reader, &block, block_bytes);
        if (block.bytes == 0)
            break;
        scan_block(format, at, record);
        keyed_reader_route(reader, &block, 0);
        check_block(keyed->hasher, at, record);
        bad = block.bad > 0;
        at += block.bytes;
        record += block.records;
    }
    FUZZ_CHECK(bad || at == stream.bytes || block.bad > 0);
    keyed_reader_close(reader);
    spill_place_release(&place);
    source_free(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static uint8_t buffer[BLOCK_MAX + POOL_SLACK_BYTES];
    static uint32_t ends[BLOCK_MAX];
    static uint16_t pile[BLOCK_MAX + 1];
    static struct siphash_pair hash[BLOCK_MAX + 1];
    struct fuzz fuzz = {data, bytes};
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    struct record_format format = fuzz_format(&fuzz, string);
    const uint8_t how = fuzz_byte(&fuzz);
    const size_t block_bytes = fuzz_from_to(&fuzz, 1, BLOCK_MAX);
    struct key_choice choice = {.count = 1 + how / 2 % 2};
    struct key_rule rule = {.place = {.separator = fuzz_byte(&fuzz), .quotes = format.quotes}};
    struct random_key key;
    struct keyed keyed = {.extra = 1};

    rule.format = format;
    rule.place.quoted = record_is(&format, RECORD_QUOTED);
    for (size_t i = 0; i < choice.count; i++)
        choice.field[i] = (struct field_choice){.kind = FIELD_NUMBER, .number = 1 + how / 4 % 4 + i};
    if (how % 2 == 0 && (format.kind == NULL || rule.place.quoted))
        rule.choice = &choice;
    random_key_init(&key, "42", 2);
    keyed.hasher = hasher_new(&rule, "group", "--group-field", 2);
    hasher_begin(keyed.hasher, &key);
    block = (struct queue_block){.buffer = buffer, .ends = ends, .pile = pile, .hash = hash};
    take_stream(&fuzz, &format);
    read_all(&keyed, &format, block_bytes);
    hasher_free(keyed.hasher);
    return 0;
}
