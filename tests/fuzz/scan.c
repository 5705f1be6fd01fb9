/* Every way to scan that this processor has finds what a loop over the bytes finds. */

#include "fuzz.h"

#include "record/scan.h"

enum { BYTES_MAX = 1500, MARGIN = 64, UNTOUCHED = 0x5eed5eed };

struct question {
    const uint8_t *data; /* memory of just that size, from `pair.distance` bytes before it on */
    size_t bytes;
    uint8_t byte;
    struct scan_pair pair;
    bool quoted;
    size_t room;
};

struct answer {
    uint32_t ends[BYTES_MAX + MARGIN];
    size_t found;
    size_t scanned;
    bool quoted;
};

enum sought { BYTE, PAIR, UNQUOTED, KINDS };

static void loop(enum sought sought, const struct question *question, struct answer *answer)
{
    answer->found = answer->scanned = 0;
    answer->quoted = question->quoted;
    for (; answer->scanned < question->bytes && answer->found < question->room; answer->scanned++) {
        const uint8_t *at = question->data + answer->scanned;
        bool hit = *at == question->byte;

        if (sought == PAIR)
            hit = *at == question->pair.last && *(at - question->pair.distance) == question->pair.first;
        if (sought == UNQUOTED) {
            answer->quoted ^= *at == '"';
            hit = hit && !answer->quoted;
        }
        if (hit)
            answer->ends[answer->found++] = (uint32_t)answer->scanned + 1;
    }
}

static void ask(const struct scan_way *way, enum sought sought, const struct question *question, struct answer *answer)
{
    const struct question q = *question;

    answer->quoted = q.quoted;
    if (sought == BYTE)
        answer->found = way->byte(q.data, q.bytes, q.byte, answer->ends, q.room, &answer->scanned);
    else if (sought == PAIR)
        answer->found = way->pair(q.data, q.bytes, q.pair, answer->ends, q.room, &answer->scanned);
    else
        answer->found = way->unquoted(q.data, q.bytes, q.byte, &answer->quoted, answer->ends, q.room, &answer->scanned);
}

static void compare(const struct scan_way *way, enum sought sought, const struct question *question)
{
    static struct answer expected, answer;

    for (size_t i = 0; i < MARGIN; i++)
        answer.ends[question->room + i] = UNTOUCHED;
    loop(sought, question, &expected);
    ask(way, sought, question, &answer);
    FUZZ_CHECK(answer.found == expected.found);
    FUZZ_CHECK(answer.scanned == expected.scanned);
    FUZZ_CHECK(sought != UNQUOTED || answer.quoted == expected.quoted);
    FUZZ_CHECK(memcmp(answer.ends, expected.ends, expected.found * sizeof *expected.ends) == 0);
    for (size_t i = 0; i < MARGIN; i++)
        FUZZ_CHECK(answer.ends[question->room + i] == UNTOUCHED);
}

static void compare_count(const struct scan_way *way, const struct question *question)
{
    size_t count = 0;

    for (size_t i = 0; i < question->bytes; i++)
        count += question->data[i] == question->byte;
    FUZZ_CHECK(way->count(question->data, question->bytes, question->byte) == count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static uint8_t text[BYTES_MAX];
    struct fuzz fuzz = {data, bytes};
    struct question question = {.byte = fuzz_byte(&fuzz)};
    size_t times = fuzz_byte(&fuzz), distance = fuzz_byte(&fuzz);
    uint8_t *copy;

    question.quoted = fuzz_byte(&fuzz) % 2 != 0;
    question.pair = (struct scan_pair){fuzz_byte(&fuzz), question.byte, distance};
    question.room = fuzz_from_to(&fuzz, 0, BYTES_MAX);
    question.bytes = fuzz_repeat(&fuzz, fuzz.bytes, times, text, sizeof text);
    copy = malloc(distance + question.bytes);
    FUZZ_CHECK(copy != NULL);
    memset(copy, question.pair.first, distance);
    memcpy(copy + distance, text, question.bytes);
    question.data = copy + distance;
    for (const struct scan_way *way = scan_ways; way->name != NULL; way++) {
        if (!way->supported())
            continue;
        for (enum sought sought = BYTE; sought < KINDS; sought++)
            if (sought != UNQUOTED || question.byte != '"')
                compare(way, sought, &question);
        compare_count(way, &question);
    }
    free(copy);
    return 0;
}
