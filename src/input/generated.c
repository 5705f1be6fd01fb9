/* A word or number that reaches over the end of what was asked for goes on with the next read. */

#include "input/generated.h"

#include <stdlib.h>
#include <string.h>

#include "system/fault.h"

struct words {
    const char *const *word;
    size_t count;
    size_t next;
    size_t inside; /* bytes of the next word that were handed out */
};

static size_t read_words(void *context, uint8_t *data, size_t bytes)
{
    struct words *words = context;
    size_t done = 0;

    while (done < bytes && words->next < words->count) {
        const char *rest = words->word[words->next] + words->inside;
        size_t length = strlen(rest) + 1;
        size_t part = length < bytes - done ? length : bytes - done;

        memcpy(data + done, rest, part);
        done += part;
        words->inside += part;
        if (part == length) {
            words->inside = 0;
            words->next++;
        }
    }
    return done;
}

struct source *generated_words(const char *const *words, size_t count)
{
    struct words *context = fault_allocate(1, sizeof *context);
    struct source *source = source_over(read_words, context, free);
    uint64_t bytes = 0;

    *context = (struct words){.word = words, .count = count};
    for (size_t i = 0; i < count; i++)
        bytes += strlen(words[i]) + 1;
    source_expect(source, bytes);
    return source;
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

/* All that have as many digits as `from`, then those that have one more, and so on. */
uint64_t generated_range_bytes(const struct number_range *range)
{
    uint64_t last = range->first + (range->count - 1);
    uint64_t bytes = 0;

    if (range->count == 0 && !range->full)
        return 0;
    for (uint64_t from = range->first;;) {
        uint8_t text[GENERATED_NUMBER_BYTES];
        size_t length = generated_number(range, from - range->first, text);
        uint64_t end = last; /* of those that have as many digits */
        uint64_t power = 1;

        for (size_t digit = 1; digit < length && power <= UINT64_MAX / 10; digit++)
            power *= 10;
        if (length < GENERATED_NUMBER_BYTES && power - 1 < last)
            end = power - 1;
        if (end - from >= (UINT64_MAX - bytes) / length)
            return UINT64_MAX;
        bytes += (end - from + 1) * length;
        if (end == last)
            return bytes;
        from = end + 1;
    }
}

struct numbers {
    struct number_range range;
    uint64_t next;
    bool ended;
    size_t at; /* what is left of the number before that */
    size_t end;
    uint8_t text[GENERATED_NUMBER_BYTES];
};

static size_t read_numbers(void *context, uint8_t *data, size_t bytes)
{
    struct numbers *numbers = context;
    size_t done = 0;

    while (done < bytes) {
        size_t part = numbers->end - numbers->at;

        if (part == 0 && numbers->ended)
            break;
        if (part == 0) {
            numbers->at = 0;
            numbers->end = generated_number(&numbers->range, numbers->next++, numbers->text);
            numbers->ended = numbers->next == numbers->range.count;
            continue;
        }
        part = part < bytes - done ? part : bytes - done;
        memcpy(data + done, numbers->text + numbers->at, part);
        numbers->at += part;
        done += part;
    }
    return done;
}

struct source *generated_range(const struct number_range *range)
{
    struct numbers *context = fault_allocate(1, sizeof *context);
    struct source *source = source_over(read_numbers, context, free);

    context->range = *range;
    context->ended = range->count == 0 && !range->full;
    source_expect(source, generated_range_bytes(range));
    return source;
}
