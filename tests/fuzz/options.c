/*
 * The words of a command line, one a line. What command_line_parse accepts keeps the promises of options.h, and written
 * as words again means the same.
 */

#include "fuzz.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/decimal.h"
#include "command/command_line.h"
#include "shuffle/order.h"
#include "store/format.h"
#include "store/store.h"
#include "system/hardware.h"

enum { WORDS_MAX = 64, LINES_MAX = 128 };

struct words {
    char *word[LINES_MAX + 1];
    int count;
};

static void add(struct words *words, char *word)
{
    FUZZ_CHECK(words->count < LINES_MAX);
    words->word[words->count++] = word;
}

__attribute__((format(printf, 2, 3))) static void say(struct words *words, const char *format, ...)
{
    va_list arguments;
    char *word;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    word = malloc((size_t)length + 1);
    FUZZ_CHECK(word != NULL);
    va_start(arguments, format);
    vsnprintf(word, (size_t)length + 1, format, arguments);
    va_end(arguments);
    add(words, word);
}

static void say_string(struct words *words, const char *name, const char *value)
{
    if (value != NULL)
        say(words, "%s=%s", name, value);
}

static void say_number(struct words *words, const char *name, uint64_t value)
{
    if (value > 0)
        say(words, "%s=%" PRIu64, name, value);
}

static void say_if(struct words *words, bool given, const char *name)
{
    if (given)
        say(words, "%s", name);
}

static void release(struct words *words)
{
    while (words->count > 0)
        free(words->word[--words->count]);
}

/* ---- What is promised of options ---- */

static void check_format(const struct options *options)
{
    const struct record_format *format = &options->format;

    switch (format->kind) {
    case RECORD_BYTE:
        FUZZ_CHECK(options->delimiter == format->delimiter);
        break;
    case RECORD_STRING:
        FUZZ_CHECK(format->string == options->string);
        FUZZ_CHECK(format->string_bytes >= 2 && format->string_bytes <= RECORD_DELIMITER_BYTES_MAX);
        FUZZ_CHECK(!format->starts || format->string[0] == '\n');
        FUZZ_CHECK(!format->starts || memchr(format->string + 1, '\n', format->string_bytes - 1) == NULL);
        break;
    case RECORD_LINES:
    case RECORD_SIZE:
        FUZZ_CHECK(format->count >= 1);
        break;
    case RECORD_CSV:
    case RECORD_TAR:
        FUZZ_CHECK(options->delimiter == '\n');
        break;
    case RECORD_LENGTH:
        FUZZ_CHECK(options->delimiter == '\n' && options->header.lines == 0 && options->header.start == NULL);
        FUZZ_CHECK((unsigned)format->coding < LENGTH_CODINGS);
        break;
    }
}

static void check_store(const struct options *options)
{
    FUZZ_CHECK(options->batch == NULL || (options->scatter != NULL && store_name_is_batch(options->batch)));
    FUZZ_CHECK(options->scatter == NULL || options->gather == NULL);
    FUZZ_CHECK(options->piles == 0 ||
               (options->piles >= STORE_FORMAT_PILES_MIN && options->piles <= STORE_FORMAT_PILES_MAX &&
                (options->piles & (options->piles - 1)) == 0));
    FUZZ_CHECK(options->pile_first <= options->pile_last);
}

static void check(const struct options *options)
{
    const bool store = options->gather != NULL || options->sweep;
    uint64_t threshold;
    bool all;

    check_format(options);
    check_store(options);
    FUZZ_CHECK(options->format.grouped == (options->group_field > 0 || options->format.kind == RECORD_TAR));
    FUZZ_CHECK(options->file_count == 0 || !(store || options->range || options->files0_from != NULL));
    FUZZ_CHECK(options->file_count > 0 || store || options->range || options->files0_from != NULL || options->echo);
    FUZZ_CHECK(!options->range_full || (options->range && options->range_first == 0 && options->range_count == 0));
    FUZZ_CHECK((options->shards > 0) + (options->shard_records > 0) + (options->shard_bytes > 0) <= 1);
    FUZZ_CHECK(options->memory_bytes == 0 || options->memory_bytes >= HARDWARE_MEMORY_MIN);
    FUZZ_CHECK(options->probability == NULL || decimal_threshold(options->probability, &threshold, &all) == 0);
    FUZZ_CHECK(options->part <= options->parts && (options->part > 0) == (options->parts > 0));
    FUZZ_CHECK(options->leaf_records >= 8);
    FUZZ_CHECK(options->seed == NULL || options->random_source == NULL);
    FUZZ_CHECK(options->echo + options->range <= 1);
    for (size_t i = 0; i < options->splits; i++)
        FUZZ_CHECK(options->split[i].path[0] != '\0');
}

/* ---- Options as words ---- */

static void say_bytes(struct words *words, const char *name, const uint8_t *string, size_t bytes)
{
    char text[4 * RECORD_DELIMITER_BYTES_MAX + 1] = "";

    for (size_t i = 0; i < bytes; i++)
        snprintf(text + 4 * i, 5, "\\%03o", string[i]);
    say_string(words, name, text);
}

static void say_format(struct words *words, const struct options *options)
{
    const struct record_format *format = &options->format;
    const bool nul = format->delimiter == '\0';

    switch (format->kind) {
    case RECORD_BYTE:
        if (nul)
            say(words, "-z");
        else if (format->delimiter != '\n')
            say_bytes(words, "--delimiter", &format->delimiter, 1);
        break;
    case RECORD_STRING:
        if (format->starts)
            say(words, "--record-start=%.*s", (int)format->string_bytes - 1, (const char *)format->string + 1);
        else
            say_bytes(words, "--delimiter", format->string, format->string_bytes);
        break;
    case RECORD_LINES:
        say_if(words, nul, "-z");
        say_number(words, "--record-lines", format->count);
        break;
    case RECORD_SIZE:
        say_number(words, "--record-size", format->count);
        break;
    case RECORD_CSV:
        say(words, "--csv");
        break;
    case RECORD_LENGTH:
        say(words, "--record-length=%s", length_names[format->coding]);
        break;
    case RECORD_TAR:
        say(words, "--tar");
        break;
    }
    say_number(words, "--group-field", options->group_field);
    say_number(words, "--split-field", options->split_field);
    say_number(words, "--header", options->header.lines);
    say_number(words, "--header-bytes", options->header.bytes);
    say_string(words, "--header-start", options->header.start);
    say_if(words, options->header.may_differ, "--headers-differ");
}

static void say_sample(struct words *words, const struct options *options)
{
    if (options->range)
        say(words, "-i%" PRIu64 "-%" PRIu64, options->range_first, options->range_first + options->range_count - 1);
    say_if(words, options->echo, "-e");
    /* without it, neither of the others need be right */
    if (options->count != UINT64_MAX || options->keep_order || options->repeat)
        say(words, "-n%" PRIu64, options->count);
    say_if(words, options->repeat, "-r");
    say_if(words, options->keep_order, "--keep-order");
    say_number(words, "--weight-field", options->weight_field);
    say_string(words, "--weights", options->weights);
    say_string(words, "--probability", options->probability);
    if (options->separator_given && options->field_separator == '\0')
        say(words, "-t\\0");
    else if (options->separator_given)
        say(words, "-t%c", options->field_separator);
    say_string(words, "--files0-from", options->files0_from);
    say_string(words, "--seed", options->seed);
    say_string(words, "--random-source", options->random_source);
}

static void say_split(struct words *words, const struct split *split)
{
    if (split->is_percentage)
        say(words, "--split=%" PRIu64 ".%04" PRIu64 "%%:%s", split->amount / 10000, split->amount % 10000, split->path);
    else
        say(words, "--split=%" PRIu64 ":%s", split->amount, split->path);
}

static void say_store(struct words *words, const struct options *options)
{
    say_string(words, "--scatter", options->scatter);
    say_number(words, "--piles", options->piles);
    say_string(words, "--batch", options->batch);
    say_number(words, "--keep", options->keep);
    say_if(words, options->sweep, "--sweep");
    say_string(words, "--gather", options->gather);
    say_number(words, "--epoch", options->epoch);
    say_if(words, options->list, "--list");
    if (options->parts > 0)
        say(words, "--part=%" PRIu64 "/%" PRIu64, options->part, options->parts);
    if (options->pile_first != 0 || options->pile_last != UINT64_MAX)
        say(words, "--pile=%" PRIu64 "-%" PRIu64, options->pile_first, options->pile_last);
}

static void say_all(struct words *words, const struct options *options)
{
    say(words, "bigshuf");
    say_format(words, options);
    say_sample(words, options);
    say_string(words, "--output", options->output);
    say_number(words, "--shards", options->shards);
    say_number(words, "--shard-records", options->shard_records);
    say_number(words, "--shard-bytes", options->shard_bytes);
    for (size_t i = 0; i < options->splits; i++)
        say_split(words, &options->split[i]);
    say_string(words, "--filter", options->filter);
    say_store(words, options);
    if (options->memory_bytes > 0)
        say(words, "-S%" PRIu64 "b", options->memory_bytes);
    for (size_t i = 0; i < options->temporary_count; i++)
        say(words, "--temporary-directory=%s", options->temporary[i]);
    say_string(words, "--compress-program", options->compress_program);
    if (options->compress_temporary != COMPRESS_AUTO)
        say(words, "--compress-temporary=%s", options->compress_temporary == COMPRESS_ALWAYS ? "always" : "never");
    say_number(words, "--parallel", options->parallel);
    if (options->expected_records != UINT64_MAX)
        say(words, "--expect-records=%" PRIu64, options->expected_records);
    say_if(words, options->progress == OPTIONS_PROGRESS_SHOWN, "--progress");
    say_if(words, options->progress == OPTIONS_PROGRESS_HIDDEN, "--no-progress");
    say_if(words, options->verbose, "-v");
    if (options->leaf_records != ORDER_LEAF_RECORDS)
        say_number(words, "--tune=leaf-records", options->leaf_records);
    say(words, "--");
    for (size_t i = 0; i < options->file_count; i++)
        say(words, "%s", options->files[i]);
}

/* ---- Comparing ---- */

static bool is_same_string(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

static void compare_lists(const char *const *one, size_t ones, const char *const *other, size_t others)
{
    FUZZ_CHECK(ones == others);
    for (size_t i = 0; i < ones; i++)
        FUZZ_CHECK(strcmp(one[i], other[i]) == 0);
}

#define SAME(field)        FUZZ_CHECK(one->field == other->field)
#define SAME_STRING(field) FUZZ_CHECK(is_same_string(one->field, other->field))

static void compare_records(const struct options *one, const struct options *other)
{
    SAME(format.kind);
    SAME(format.starts);
    SAME(format.grouped);
    SAME(group_field);
    SAME(split_field);
    if (one->format.kind == RECORD_STRING) {
        SAME(format.string_bytes);
        FUZZ_CHECK(memcmp(one->string, other->string, one->format.string_bytes) == 0);
    }
    if (one->format.kind == RECORD_LINES || one->format.kind == RECORD_SIZE)
        SAME(format.count);
    if (one->format.kind == RECORD_BYTE || one->format.kind == RECORD_LINES)
        SAME(delimiter);
    SAME(header.lines);
    SAME(header.bytes);
    SAME_STRING(header.start);
    SAME(header.may_differ);
}

static void compare_samples(const struct options *one, const struct options *other)
{
    SAME_STRING(files0_from);
    SAME(echo);
    SAME(range);
    SAME(range_full);
    SAME(range_first);
    SAME(range_count);
    SAME(count);
    SAME(repeat);
    SAME(keep_order);
    SAME(separator_given);
    SAME(field_separator);
    SAME(weight_field);
    SAME_STRING(weights);
    SAME_STRING(probability);
    SAME_STRING(seed);
    SAME_STRING(random_source);
}

static void compare_outputs(const struct options *one, const struct options *other)
{
    SAME_STRING(output);
    SAME(shards);
    SAME(shard_records);
    SAME(shard_bytes);
    SAME(splits);
    for (size_t i = 0; i < one->splits; i++) {
        SAME(split[i].amount);
        SAME(split[i].is_percentage);
        SAME_STRING(split[i].path);
    }
    SAME_STRING(filter);
}

static void compare_stores(const struct options *one, const struct options *other)
{
    SAME_STRING(scatter);
    SAME_STRING(gather);
    SAME(piles);
    SAME_STRING(batch);
    SAME(keep);
    SAME(sweep);
    SAME(list);
    SAME(part);
    SAME(parts);
    SAME(pile_first);
    SAME(pile_last);
    SAME(epoch);
}

static void compare(const struct options *one, const struct options *other)
{
    compare_lists(one->files, one->file_count, other->files, other->file_count);
    compare_lists(one->temporary, one->temporary_count, other->temporary, other->temporary_count);
    compare_records(one, other);
    compare_samples(one, other);
    compare_outputs(one, other);
    compare_stores(one, other);
    SAME(memory_bytes);
    SAME_STRING(compress_program);
    SAME(compress_temporary);
    SAME(leaf_records);
    SAME(parallel);
    SAME(expected_records);
    SAME(progress);
    SAME(verbose);
}

static void check_again(const struct options *options)
{
    static struct words words;
    struct options again;

    say_all(&words, options);
    FUZZ_CHECK(command_line_parse(&again, words.count, words.word) == COMMAND_LINE_RUN);
    compare(options, &again);
    options_release(&again);
    release(&words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};
    static struct words words;
    char *before[WORDS_MAX];
    struct options options;

    say(&words, "bigshuf");
    while (fuzz.bytes > 0 && words.count < WORDS_MAX)
        add(&words, fuzz_line(&fuzz));
    memcpy(before, words.word, (size_t)words.count * sizeof *before);
    switch (command_line_parse(&options, words.count, words.word)) {
    case COMMAND_LINE_RUN:
        check(&options);
        check_again(&options);
        break;
    case COMMAND_LINE_DONE: /* it has closed standard output */
        FUZZ_CHECK(open("/dev/null", O_WRONLY) == STDOUT_FILENO);
        break;
    case COMMAND_LINE_BAD:
        break;
    }
    FUZZ_CHECK(memcmp(before, words.word, (size_t)words.count * sizeof *before) == 0);
    options_release(&options);
    release(&words);
    return 0;
}
