/* The words of a command line, one a line. What command_line_parse accepts keeps the promises of options.h. */

#include "end.h"

#include "base/decimal.h"
#include "command/command_line.h"
#include "store/store.h"
#include "system/hardware.h"

enum { WORDS_MAX = 64 };

struct words {
    char *word[WORDS_MAX + 1];
    int count;
};

static void add(struct words *words, char *word)
{
    FUZZ_CHECK(words->count < WORDS_MAX);
    words->word[words->count++] = word;
}

static void release(struct words *words)
{
    while (words->count > 0)
        free(words->word[--words->count]);
}

static void check_format(const struct options *options)
{
    const struct record_format *format = &options->format;

    if (format->kind == NULL || record_is(format, RECORD_OF_LINES))
        FUZZ_CHECK(format->delimiter == (options->echo ? '\0' : options->delimiter));
    else if (format->kind != &string_delimiter_kind)
        FUZZ_CHECK(options->delimiter == '\n');
    if (record_kind(format)->takes == RECORD_LINE || format->kind == &string_delimiter_kind) {
        FUZZ_CHECK(format->string == options->string);
        FUZZ_CHECK(format->string_bytes >= 2 && format->string_bytes <= RECORD_DELIMITER_BYTES_MAX);
    }
    if (record_kind(format)->takes == RECORD_LINE)
        FUZZ_CHECK(format->string[0] == '\n' && memchr(format->string + 1, '\n', format->string_bytes - 1) == NULL);
    if (record_kind(format)->takes == RECORD_COUNT || record_kind(format)->takes == RECORD_BYTES)
        FUZZ_CHECK(format->count >= 1);
    if (!record_is(format, RECORD_HEADER_COUNT))
        FUZZ_CHECK(options->header.lines == 0 && options->header.start == NULL);
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
    const bool store = options->gather != NULL || options->sweep != NULL || options->list != NULL;
    uint64_t threshold;
    bool all;

    check_format(options);
    check_store(options);
    FUZZ_CHECK(options->file_count == 0 || !(store || options->range || options->files0_from != NULL));
    FUZZ_CHECK(options->file_count > 0 || store || options->range || options->files0_from != NULL || options->echo);
    FUZZ_CHECK(!options->numbers.full ||
               (options->range && options->numbers.first == 0 && options->numbers.count == 0));
    FUZZ_CHECK((options->plan.shards > 0) + (options->plan.shard_records > 0) + (options->plan.shard_bytes > 0) <= 1);
    FUZZ_CHECK(options->memory_bytes == 0 || options->memory_bytes >= HARDWARE_MEMORY_MIN);
    FUZZ_CHECK(options->probability == NULL || decimal_threshold(options->probability, &threshold, &all) == 0);
    FUZZ_CHECK(options->part <= options->parts && (options->part > 0) == (options->parts > 0));
    FUZZ_CHECK(options->leaf_records >= 8);
    FUZZ_CHECK(options->seed == NULL || options->random_source == NULL);
    FUZZ_CHECK(options->echo + options->range <= 1);
    for (size_t i = 0; i < options->plan.splits; i++)
        FUZZ_CHECK(options->plan.split[i].path[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};
    static struct words words;
    char *before[WORDS_MAX];
    static struct options options;
    static bool to_do;
    bool ended;

    add(&words, strdup("bigshuf"));
    while (fuzz.bytes > 0 && words.count < WORDS_MAX)
        add(&words, fuzz_line(&fuzz));
    memcpy(before, words.word, (size_t)words.count * sizeof *before);
    ended = FUZZ_ENDS(to_do = command_line_parse(&options, words.count, words.word));
    if (!ended && to_do)
        check(&options);
    if (!ended && !to_do) /* it has closed standard output */
        FUZZ_CHECK(open("/dev/null", O_WRONLY) == STDOUT_FILENO);
    FUZZ_CHECK(memcmp(before, words.word, (size_t)words.count * sizeof *before) == 0);
    if (!ended)
        command_line_release(&options);
    release(&words);
    return 0;
}
