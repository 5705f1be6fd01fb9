/* Every way to scan that this processor has finds what a loop over the bytes finds. */

#include "fuzz.h"

#include "record/scan.h"

enum { BYTES_MAX = 1500, MARGIN = 64, UNTOUCHED = 0x5eed5eed };

struct question {
    struct scan_search search;
    const uint8_t *data; /* memory of just that size, from search.distance bytes before it on */
    size_t bytes;
    size_t room;
};

struct answer {
    uint32_t ends[BYTES_MAX + MARGIN];
    size_t found;
    size_t scanned;
    bool quoted;
};

static void loop(const struct question *question, struct answer *answer)
{
    const struct scan_search *search = &question->search;

    answer->found = answer->scanned = 0;
    answer->quoted = search->quoted;
    for (; answer->scanned < question->bytes && answer->found < question->room; answer->scanned++) {
        const uint8_t *at = question->data + answer->scanned;

        answer->quoted ^= search->sought == SCAN_UNQUOTED && *at == '"';
        if (*at == search->byte && (search->sought != SCAN_PAIR || *(at - search->distance) == search->first) &&
            (search->sought != SCAN_UNQUOTED || !answer->quoted))
            answer->ends[answer->found++] = (uint32_t)answer->scanned + 1;
    }
}

static void compare(const struct scan_way *way, const struct question *question)
{
    static struct answer expected, answer;
    struct scan_search search = question->search;

    for (size_t i = 0; i < MARGIN; i++)
        answer.ends[question->room + i] = UNTOUCHED;
    loop(question, &expected);
    answer.found = way->find(&search, question->data, question->bytes, answer.ends, question->room, &answer.scanned);
    FUZZ_CHECK(answer.found == expected.found);
    FUZZ_CHECK(answer.scanned == expected.scanned);
    FUZZ_CHECK(search.quoted == expected.quoted);
    FUZZ_CHECK(memcmp(answer.ends, expected.ends, expected.found * sizeof *expected.ends) == 0);
    for (size_t i = 0; i < MARGIN; i++)
        FUZZ_CHECK(answer.ends[question->room + i] == UNTOUCHED);
}

static void compare_count(const struct scan_way *way, const struct question *question)
{
    size_t count = 0;

    for (size_t i = 0; i < question->bytes; i++)
        count += question->data[i] == question->search.byte;
    FUZZ_CHECK(way->count(question->data, question->bytes, question->search.byte) == count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static uint8_t text[BYTES_MAX];
    struct fuzz fuzz = {data, bytes};
    struct question question = {.search = {.byte = fuzz_byte(&fuzz)}};
    struct scan_search *search = &question.search;
    size_t times = fuzz_byte(&fuzz);
    uint8_t *copy;

    search->distance = fuzz_byte(&fuzz);
    search->quoted = fuzz_byte(&fuzz) % 2 != 0;
    search->first = fuzz_byte(&fuzz);
    question.room = fuzz_from_to(&fuzz, 0, BYTES_MAX);
    question.bytes = fuzz_repeat(&fuzz, fuzz.bytes, times, text, sizeof text);
    copy = malloc(search->distance + question.bytes);
    FUZZ_CHECK(copy != NULL);
    memset(copy, search->first, search->distance);
    memcpy(copy + search->distance, text, question.bytes);
    question.data = copy + search->distance;
    for (const struct scan_way *way = scan_ways; way->name != NULL; way++) {
        if (way->supported != NULL && !way->supported())
            continue;
        for (search->sought = SCAN_BYTE; search->sought <= SCAN_UNQUOTED; search->sought++)
            if (search->sought != SCAN_UNQUOTED || search->byte != '"')
                compare(way, &question);
        compare_count(way, &question);
    }
    free(copy);
    return 0;
}
