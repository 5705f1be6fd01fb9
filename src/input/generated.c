/* A word or number that does not fit into the reader's room goes on with the next read. */

#include "input/generated.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "system/fault.h"

/* Hands out one text after another. */
struct generated {
    bool (*next)(struct generated *generated); /* make the next text; false: no more */
    const char *text;
    size_t bytes; /* left of the text */
    const char *const *word;
    struct number_range range;
    uint64_t at, count; /* number of the next text, and of all */
    bool ended;
    uint8_t number[GENERATED_NUMBER_BYTES];
};

static size_t read_texts(void *context, uint8_t *data, size_t bytes, struct absent *absent)
{
    struct generated *generated = context;
    size_t done = 0;

    (void)absent;
    while (done < bytes && (generated->bytes > 0 || generated->next(generated))) {
        const size_t part = least_size(generated->bytes, bytes - done);

        memcpy(data + done, generated->text, part);
        generated->text += part;
        generated->bytes -= part;
        done += part;
    }
    return done;
}

static bool next_word(struct generated *words)
{
    if (words->at == words->count)
        return false;
    words->text = words->word[words->at++];
    words->bytes = strlen(words->text) + 1;
    return true;
}

struct source *generated_words(const char *const *words, size_t count)
{
    struct generated *generated = fault_allocate(1, sizeof *generated);
    uint64_t bytes = 0;

    *generated = (struct generated){.next = next_word, .word = words, .count = count};
    for (size_t i = 0; i < count; i++)
        bytes += strlen(words[i]) + 1;
    return source_over(read_texts, generated, free, bytes);
}

size_t generated_number(const struct number_range *range, uint64_t i, uint8_t *text)
{
    uint64_t number = range->first + i;
    uint8_t digits[GENERATED_NUMBER_BYTES];
    size_t first = sizeof digits;

    digits[--first] = range->delimiter;
    do {
        digits[--first] = (uint8_t)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    memcpy(text, digits + first, sizeof digits - first);
    return sizeof digits - first;
}

/* Numbers of one digit, of two, and so on. */
uint64_t generated_range_bytes(const struct number_range *range)
{
    const uint64_t last = range->first + (range->count - 1);
    uint64_t bytes = 0, from = range->first, power = 10;

    if (range->count == 0)
        return range->full ? UINT64_MAX : 0;
    for (unsigned length = 2;; length++, power *= 10) { /* with the delimiter */
        const uint64_t end = length < GENERATED_NUMBER_BYTES && power - 1 < last ? power - 1 : last;

        if (from <= end && end - from >= (UINT64_MAX - bytes) / length)
            return UINT64_MAX;
        if (from <= end)
            bytes += (end - from + 1) * length;
        if (end == last)
            return bytes;
        from = from <= end ? end + 1 : from;
    }
}

static bool next_number(struct generated *numbers)
{
    if (numbers->ended)
        return false;
    numbers->bytes = generated_number(&numbers->range, numbers->at++, numbers->number);
    numbers->text = (const char *)numbers->number;
    numbers->ended = numbers->at == numbers->range.count;
    return true;
}

struct source *generated_range(const struct number_range *range)
{
    struct generated *generated = fault_allocate(1, sizeof *generated);

    *generated = (struct generated){.next = next_number, .range = *range, .ended = range->count == 0 && !range->full};
    return source_over(read_texts, generated, free, generated_range_bytes(range));
}
