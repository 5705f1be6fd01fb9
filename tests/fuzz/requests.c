/*
 * Requests of any bytes, to any records: the first bad one ends the run, and no other does. Answers have their form,
 * tell the weights and sums that a plain list has, name no record twice without `repeat` and none of weight zero, and
 * leave none out that they should have. A weight is read as decimal.h reads it.
 */

#include "end.h"

#include "base/steps.h"
#include "sample/requests.h"
#include "system/sys.h"

/* Memory that a run maps: runs that end do not give it back. */
static struct {
    void *memory;
    size_t bytes;
} mapped[64];

static void *fuzz_map(size_t bytes)
{
    size_t i = 0;

    while (mapped[i].memory != NULL)
        FUZZ_CHECK(++i < sizeof mapped / sizeof *mapped);
    mapped[i].bytes = bytes;
    return mapped[i].memory = sys_map(bytes);
}

static void fuzz_unmap(void *memory, size_t bytes)
{
    for (size_t i = 0; i < sizeof mapped / sizeof *mapped; i++)
        if (mapped[i].memory == memory)
            mapped[i].memory = NULL;
    sys_unmap(memory, bytes);
}

static void fuzz_unmap_all(void)
{
    for (size_t i = 0; i < sizeof mapped / sizeof *mapped; i++)
        if (mapped[i].memory != NULL)
            fuzz_unmap(mapped[i].memory, mapped[i].bytes);
}

#define sys_map   fuzz_map
#define sys_unmap fuzz_unmap
#include "../../src/sample/requests.c" /* NOLINT(bugprone-suspicious-include) */
#include "../../src/system/table.c"    /* NOLINT(bugprone-suspicious-include) */
#undef sys_map
#undef sys_unmap

enum { INPUT_MAX = 12000, TEXT_MAX = 60000, REPEAT_MAX = 2000, RECORDS_MAX = INPUT_MAX + TEXT_MAX };

/* ---- A plain list ---- */

static struct {
    const uint8_t *text[RECORDS_MAX];
    size_t bytes[RECORDS_MAX]; /* without the delimiter */
    fuzz_wide steps[RECORDS_MAX];
    uint64_t drawn[RECORDS_MAX]; /* the number of the draw that has it */
    size_t count;
} list;

static uint8_t input[INPUT_MAX], text[TEXT_MAX];
static size_t input_bytes, text_bytes;

static void put_record(const uint8_t *data, size_t bytes, fuzz_wide steps)
{
    list.text[list.count] = data;
    list.bytes[list.count] = bytes;
    list.steps[list.count] = steps;
    list.drawn[list.count++] = 0;
}

static void list_input(void)
{
    list.count = 0;
    for (const uint8_t *at = input, *end; at < input + input_bytes; at = end + 1) {
        end = memchr(at, '\n', (size_t)(input + input_bytes - at));
        put_record(at, (size_t)(end - at), (fuzz_wide)1 << 32);
    }
}

/* From the end of a word on: digits, then a space or the end of the line. */
static bool accept_digits(const char **at, const char *end, uint64_t *number)
{
    const char *begin = *at;

    *number = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
        if (__builtin_mul_overflow(*number, 10, number) || __builtin_add_overflow(*number, **at - '0', number))
            return false;
    return *at > begin;
}

static bool accept_word(const char **at, const char *end, const char *word)
{
    const size_t length = strlen(word);

    if ((size_t)(end - *at) < length || memcmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

/* Up to a space or the end. */
static bool accept_weight(const char **at, const char *end, fuzz_wide *steps)
{
    const char *begin = *at;
    struct decimal weight;
    int shift;

    while (*at < end && **at != ' ')
        ++*at;
    if (*at == begin || strchr("\t\r ", *begin) != NULL || strchr("\t\r ", (*at)[-1]) != NULL ||
        decimal_read(begin, (size_t)(*at - begin), &weight) != DECIMAL_OK)
        return false;
    *steps = 0;
    if (weight.mantissa == 0)
        return true;
    shift = weight.exponent + 32 + 1; /* half steps */
    if (shift < -62 || shift > 2)
        return false;
    *steps = shift < 0 ? (fuzz_wide)weight.mantissa >> -shift : (fuzz_wide)weight.mantissa << shift;
    *steps = (*steps + 1) / 2;
    *steps += *steps == UINT64_MAX;
    return *steps <= (fuzz_wide)1 << 64;
}

/* ---- Answers ---- */

static uint8_t *answers;
static size_t answers_bytes, at_answer;

static void expect(const void *data, size_t bytes)
{
    FUZZ_CHECK(bytes <= answers_bytes - at_answer && memcmp(answers + at_answer, data, bytes) == 0);
    at_answer += bytes;
}

static uint64_t number_of_answer(void)
{
    const char *at = (const char *)answers + at_answer;
    uint64_t number;

    FUZZ_CHECK(accept_digits(&at, (const char *)answers + answers_bytes, &number));
    at_answer = (size_t)(at - (const char *)answers);
    expect(" ", 1);
    return number;
}

/* Digit by digit. */
static void expect_weight(fuzz_wide steps, char end)
{
    char digits[100];
    uint64_t rest = (uint32_t)steps;
    size_t length = 0;

    FUZZ_CHECK(steps >> 96 == 0);
    length = (size_t)sprintf(digits, "%llu", (unsigned long long)(steps >> 32));
    if (rest > 0)
        digits[length++] = '.';
    for (; rest > 0; rest = (uint32_t)(rest * 10))
        digits[length++] = (char)('0' + (rest * 10 >> 32));
    digits[length++] = end;
    expect(digits, length);
}

static void check_answer(uint64_t wanted, bool repeat, uint64_t draw)
{
    static uint64_t batch[RECORDS_MAX];
    fuzz_wide total = 0;
    size_t heavy = 0;
    uint64_t count, bytes, sum = 0;

    for (size_t i = 0; i < list.count; i++) {
        total += list.steps[i];
        heavy += list.steps[i] > 0;
    }
    count = number_of_answer();
    FUZZ_CHECK(count == (heavy == 0 ? 0 : repeat || wanted < heavy ? wanted : heavy));
    bytes = number_of_answer();
    expect_weight(total, '\n');
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t i = batch[k] = number_of_answer();

        FUZZ_CHECK(i < list.count && list.steps[i] > 0 && (repeat || list.drawn[i] != draw));
        list.drawn[i] = draw;
        expect_weight(list.steps[i], ' ');
        expect_weight((fuzz_wide)(list.bytes[i] + 1) << 32, '\n');
        sum += list.bytes[i] + 1;
    }
    FUZZ_CHECK(sum == bytes);
    for (uint64_t k = 0; k < count; k++) {
        expect(list.text[batch[k]], list.bytes[batch[k]]);
        expect("\n", 1);
    }
}

/* Is this a request? If so, it is done, and its answer is right. */
static bool follow(const uint8_t *line, size_t bytes, uint64_t request)
{
    const char *at = (const char *)line, *end = at + bytes;
    uint64_t number;
    fuzz_wide steps;

    if (accept_word(&at, end, "draw ")) {
        bool repeat;

        if (!accept_digits(&at, end, &number))
            return false;
        repeat = accept_word(&at, end, " repeat");
        if (at == end)
            check_answer(number, repeat, request);
        return at == end;
    }
    if (accept_word(&at, end, "set ")) {
        if (!accept_digits(&at, end, &number) || !accept_word(&at, end, " ") || !accept_weight(&at, end, &steps) ||
            at != end || number >= list.count)
            return false;
        list.steps[number] = steps;
        return true;
    }
    if (!accept_word(&at, end, "add ") || !accept_weight(&at, end, &steps) || !accept_word(&at, end, " "))
        return false;
    put_record((const uint8_t *)at, (size_t)(end - at), steps);
    return true;
}

/* Follow all requests. Returns whether all are good. */
static bool follow_all(void)
{
    size_t at = 0;

    list_input();
    for (uint64_t request = 1; at < text_bytes; request++) {
        const uint8_t *end = memchr(text + at, '\n', text_bytes - at);
        const size_t bytes = end == NULL ? text_bytes - at : (size_t)(end - text) - at;

        if (end == NULL || !follow(text + at, bytes, request))
            return false;
        at += bytes + 1;
    }
    return true;
}

/* A draw of more than this with repetition would take long, or too much memory. */
static bool asks_for_much(void)
{
    static char line[TEXT_MAX + 1];

    for (size_t at = 0; at < text_bytes; at += strlen(line) + 1) {
        const uint8_t *end = memchr(text + at, '\n', text_bytes - at);
        const size_t bytes = end == NULL ? text_bytes - at : (size_t)(end - text) - at;
        unsigned long long number = 0;

        memcpy(line, text + at, bytes);
        line[bytes] = '\0';
        if (strstr(line, " repeat") != NULL && sscanf(line, "draw %llu", &number) == 1 && number > REPEAT_MAX)
            return true;
        if (strlen(line) < bytes)
            return false; /* a bad one */
    }
    return false;
}

/* ---- The program ---- */

static size_t input_at;

static size_t read_input(void *context, uint8_t *data, size_t bytes)
{
    (void)context;
    bytes = bytes < input_bytes - input_at ? bytes : input_bytes - input_at;
    memcpy(data, input + input_at, bytes);
    input_at += bytes;
    return bytes;
}

static void release_input(void *context)
{
    (void)context;
}

static struct run run;

static void answer(void)
{
    struct source *source = source_over(read_input, NULL, release_input);

    FUZZ_CHECK(source != NULL);
    requests_answer(&run, source, NULL);
    source_free(source);
}

static void open_input(bool piped)
{
    int way[2] = {open("requests", O_RDONLY | O_CLOEXEC), -1};

    if (piped) {
        close(way[0]);
        FUZZ_CHECK(pipe(way) == 0 && write(way[1], text, text_bytes) == (ssize_t)text_bytes);
        close(way[1]);
    }
    FUZZ_CHECK(dup2(way[0], STDIN_FILENO) == STDIN_FILENO);
    close(way[0]);
}

/* Returns whether the run has failed. */
static bool run_program(bool piped)
{
    static struct run_progress progress;
    static struct spill_place place;
    static const char *const here[] = {"."};
    static int out = -1;
    bool bad;

    if (out < 0)
        FUZZ_CHECK((out = open("answers", O_RDWR | O_CREAT | O_CLOEXEC, 0600)) >= 0);
    FUZZ_CHECK(ftruncate(out, 0) == 0 && lseek(out, 0, SEEK_SET) == 0 && dup2(out, STDOUT_FILENO) == STDOUT_FILENO);
    fuzz_put("requests", text, text_bytes);
    open_input(piped);
    input_at = 0;
    memset(&progress, 0, sizeof progress);
    place = (struct spill_place){.directory = here, .directories = 1, .packing = SPILL_NEVER};
    run = (struct run){.limit = UINT64_MAX, .expected = UINT64_MAX, .progress = &progress, .format.delimiter = '\n'};
    random_key_init(&run.order.key, "42", 2);
    engine_open(&run.engine, engine_memory(ENGINE_MEMORY_MIN, 1), &place);
    bad = FUZZ_ENDS(answer());
    fuzz_unmap_all();
    engine_close(&run.engine);
    answers_bytes = (size_t)lseek(out, 0, SEEK_END);
    free(answers);
    answers = malloc(answers_bytes + 1);
    FUZZ_CHECK(answers != NULL && pread(out, answers, answers_bytes, 0) == (ssize_t)answers_bytes);
    return bad;
}

/* ---- Inputs ---- */

static void put_text(const void *words, size_t bytes)
{
    if (bytes == 0 || bytes > TEXT_MAX - text_bytes)
        return;
    memcpy(text + text_bytes, words, bytes);
    text_bytes += bytes;
}

/* A request that is likely to be good. */
static void make_request(struct fuzz *fuzz)
{
    static const char *const weights[] = {"0", "1", "4294967296", "2.3283064365386963e-10", ".5", "3e3", "-0", "0.1"};
    char words[80];
    const uint8_t way = fuzz_byte(fuzz);
    const size_t number = fuzz_from_to(fuzz, 0, way % 2 == 0 ? 300 : 3000),
                 i = list.count == 0 ? 0 : number % list.count;

    if (way % 8 < 2)
        (void)sprintf(words, "draw %zu%s\n", number, way < 64 && number <= REPEAT_MAX ? " repeat" : "");
    else if (way % 8 == 2)
        (void)sprintf(words, "add %s %zu\n", weights[way >> 5], number);
    else if (way % 8 < 6)
        (void)sprintf(words, "set %zu %s\n", i, weights[way >> 5]);
    else
        (void)sprintf(words, "set %zu %zu.%u\n", i, number, fuzz_byte(fuzz));
    put_text(words, strlen(words));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes};
    const uint8_t way = fuzz_byte(&fuzz), times = fuzz_byte(&fuzz);
    bool good;

    input_bytes = fuzz_repeat(&fuzz, fuzz_byte(&fuzz), times * 16U, input, INPUT_MAX - 1);
    if (input_bytes > 0)
        input[input_bytes++] = '\n';
    list_input();
    text_bytes = 0;
    for (unsigned made = way / 4; made > 0; made--)
        make_request(&fuzz);
    put_text(fuzz.data, fuzz.bytes);
    if (asks_for_much())
        return 0;
    good = !run_program(way % 2 != 0);
    at_answer = 0;
    FUZZ_CHECK(follow_all() == good);
    FUZZ_CHECK(at_answer == answers_bytes);
    return 0;
}
